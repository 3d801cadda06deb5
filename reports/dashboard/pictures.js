// The pictures of the head: SVG, with their numbers as text for those who do not see them. A row of a picture is
// { name, figure, bar, bars, tone }: `bar` is a share of the width, `bars` are shares of the height, one a run.

const pictureRows = 8;

function shape(tag, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, visible(value));
  add(element, ...children);
  return element;
}

const cutShort = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);
const withinOne = (share) => Math.min(1, Math.max(0, share));

// Draws a row, 18 high: the name, the bars, the figure. The line at the right of a bar is the whole.
function pictureRow({ name, figure, bar, bars, tone = 'plain' }, row) {
  const [left, width, top] = [136, 116, row * 18];
  const drawn = bars ? bars.map((share, i) => {
    const height = share > 0 ? Math.max(2, withinOne(share) * 14) : 1;
    const step = Math.min(12, width / bars.length);
    return shape('rect', { class: share > 0 ? 'bad' : 'good', x: left + i * step, y: top + 16 - height,
      width: step * 0.8, height });
  }) : [shape('rect', { class: 'whole', x: left, y: top + 4, width, height: 10 }),
    shape('rect', { class: tone, x: left, y: top + 4, width: Math.max(1, withinOne(bar) * width), height: 10 })];
  return [shape('title', {}, `${name}: ${figure}`), shape('text', { x: 0, y: top + 13 }, cutShort(visible(name), 20)), drawn,
    shape('text', { x: 320, y: top + 13, 'text-anchor': 'end' }, figure)].reduce((group, part) => {
    add(group, part);
    return group;
  }, shape('g', {}));
}

// Makes a picture with a link to the section that has all of its numbers; without rows, says how to get some.
function picture(title, section, meaning, rows, line) {
  const shown = rows.slice(0, pictureRows);
  const rest = rows.length - shown.length;
  const said = shown.map(({ name, figure, said: words }) => `${name}: ${words || figure}`).join('; ');
  return el('figure', {},
    el('figcaption', {}, rows.length ? el('a', { href: `#${section}` }, title) : el('strong', {}, title), quiet(` ${meaning}`)),
    rows.length ? shape('svg', { role: 'img', 'aria-label': `${title}, ${meaning}: ${said}`,
      viewBox: `0 0 320 ${shown.length * 18}` }, shown.map(pictureRow)) : note('Not measured: ', code(line)),
    rest > 0 && quiet(`and ${number(rest)} more`));
}

// The height of a bar is the logarithm of its failures.
function failuresByRun() {
  const most = Math.max(1, ...runs.map(({ failures }) => failures));
  return devices.map(({ device, runs: own }) => {
    const failures = own.slice(-16).map((run) => runs[run].failures);
    return { name: device, figure: `${number(failures.at(-1))} now`, said: `${failures.map(number).join(', ')} failures`,
      bars: failures.map((count) => Math.log1p(count) / Math.log1p(most)) };
  });
}

// The largest error of each operator on the device where it is largest.
function errorsByOperator() {
  const worst = new Map();
  for (const row of report.errors) if (!(worst.get(row.operator)?.share >= row.share)) worst.set(row.operator, row);
  return [...worst.values()].sort((a, b) => b.share - a.share || (a.operator < b.operator ? -1 : 1)).map((row) => ({
    name: row.operator, bar: row.share, tone: row.share > 1 ? 'bad' : 'plain', figure: shareOfBound(row.share),
    said: `${shareOfBound(row.share)} on ${deviceName(row.device)}` }));
}

// The least covered operator comes first, by its pairs or its triples, of which fewer are covered.
function coverageByOperator() {
  const least = [...groupBy(report.interaction, (row) => row.operator).values()]
    .map((rows) => rows.reduce((low, row) => (row.percent < low.percent ? row : low)));
  return least.toSorted((a, b) => a.percent - b.percent).map(({ operator, ways, percent: share }) => ({
    name: operator, bar: share / 100, figure: percent(share / 100), said: `${percent(share / 100)} of the ${waysName(ways)}` }));
}

function timesAgainstCopy() {
  return slowestFirst().map(({ run, case: item, share }) => ({ name: cases.name[item], bar: share, figure: shareOfCopy(share),
    said: `${shareOfCopy(share)} on ${deviceOfRun(runs[run])}` }));
}

function pictures() {
  return el('div', { class: 'pictures' },
    picture('Failures by run', 'history', 'oldest first, on a logarithmic scale', failuresByRun(),
      'assay run -d DEVICE --db results.db'),
    picture('Largest errors', 'errors', 'as a share of the bound, which the frame is', errorsByOperator(),
      'assay run -d DEVICE --db results.db'),
    picture('Coverage', 'interaction', 'of the combinations of values, least first', coverageByOperator(),
      'assay coverage --db results.db'),
    picture('Times against a copy', 'copies', 'as a share of its speed, slowest first', timesAgainstCopy(),
      'assay bench -d DEVICE --db results.db'));
}
