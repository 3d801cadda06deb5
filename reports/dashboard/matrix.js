// The support matrix: operator × data types × feature level × device.

// Counts by status, added up.
function sumCounts(rows) {
  const sum = {};
  for (const { counts } of rows) {
    for (const [status, count] of Object.entries(counts)) sum[status] = (sum[status] || 0) + count;
  }
  return sum;
}

function groupBy(items, key) {
  const groups = new Map();
  for (const item of items) {
    const name = key(item);
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(item);
  }
  return groups;
}

// A cell links to its cases.
function supportCell(rows, filter) {
  if (!rows?.length) return markOf(none, 'none');
  return el('a', { href: filterFragment(filter) }, tally(sumCounts(rows)));
}

// Levels as columns, a row for data types and device.
function operatorMatrix(operator, rows) {
  const levels = cases.levels.filter((level) => rows.some((row) => row.level === level));
  const cells = groupBy(rows, (row) => `${row.types}\n${row.device}\n${row.level}`);
  const body = [];
  for (const types of groupBy(rows, (row) => row.types).keys()) {
    devices.forEach((device, i) => {
      if (!rows.some((row) => row.types === types && row.device === i)) return;
      const cell = (level) => supportCell(cells.get(`${types}\n${i}\n${level}`), { operator, types, level, device: i });
      body.push([types || 'none', breakable(device.device), ...levels.map(cell)]);
    });
  }
  return table(`${operator}: cases by data types, device and feature level`,
    ['Data types', { name: 'Device', wide: true }, ...levels.map((level) => `level ${level}`)], body);
}

// Messages that differ only in numbers and data types are of one kind.
const messageKind = (message) => message.replace(/\b(U?INT|FLOAT)\d+\b/gi, 'TYPE').replace(/\d+/g, 'N');

function operatorCounts(rows) {
  const sum = { __proto__: null };
  for (const { operators } of rows) {
    for (const [operator, count] of Object.entries(operators)) sum[operator] = (sum[operator] || 0) + count;
  }
  return sum;
}

function moreMessages(rows) {
  return opening(`and ${number(rows.length - 1)} with other numbers or types`, (body) => {
    const list = el('ul', { class: 'failures' });
    body.append(list);
    inParts(body, rows.length, 20, (from, to) => list.append(...rows.slice(from, to).map((row) =>
      el('li', {}, row.message, quiet(` ${plural(row.count, 'case')}`)))));
  });
}

function unsupported(part) {
  if (!report.unsupported.length) return;
  const own = el('section', { id: 'unsupported', 'aria-labelledby': 'unsupported-title' },
    el('h3', { id: 'unsupported-title' }, 'Unsupported, as reported by the devices'));
  part.append(own);
  deviceChoice(own);
  for (const [device, all] of groupBy(report.unsupported, (row) => row.device)) {
    const box = el('div', { 'data-device': device });
    own.append(box);
    const rows = [...groupBy(all, (row) => messageKind(row.message)).values()].sort((a, b) => countOf(b) - countOf(a));
    longTable(box, `Unsupported: ${deviceName(device)}`,
      [{ name: 'Message', wide: true }, numeric('Cases'), 'Operators', 'Data types'], rows, (alike) => {
        const operators = Object.entries(operatorCounts(alike)).sort(([a], [b]) => (a < b ? -1 : 1));
        const types = [...new Set(alike.flatMap((row) => row.types))].sort().map((one) => one || 'none');
        return [[alike[0].message, alike.length > 1 && moreMessages(alike)], number(countOf(alike)),
          operators.map(([operator, count], i) => [i > 0 && ', ',
            el('a', { href: filterFragment({ operator, device, status: 'unsupported' }) }, operator), ` ${number(count)}`]),
          types.length > 6 ? `${number(types.length)} combinations` : types.join(', ')];
      }, 20);
  }
}

function matrix() {
  const part = section('support', 'Support matrix', '');
  if (!report.matrix.length) {
    part.append(empty('There are no runs.', 'assay run -d DEVICE --db results.db'));
    return;
  }
  part.append(note('Cases that a device must accept. Each cell links to its cases.'));
  const operators = groupBy(report.matrix, (row) => row.operator);
  const all = (rows, filter) => devices.map((_, device) => supportCell(rows.filter((row) => row.device === device),
    { ...filter, device }));
  part.append(table('Cases by operator and device', ['Operator', ...devices.map((device) => breakable(device.device))],
    [...[...operators].map(([operator, rows]) => [operator, ...all(rows, { operator })]),
      ['all', ...all(report.matrix, {})]]));
  add(part, el('h3', {}, 'By data types and feature level'));
  for (const [operator, rows] of operators) {
    part.append(opening([el('strong', {}, operator), ' ', tally(sumCounts(rows))],
      (body) => body.append(operatorMatrix(operator, rows))));
  }
  unsupported(part);
}
