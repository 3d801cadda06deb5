// All cases: search, filters, and a table that creates only the rows in view.

// ---- filters, as in the fragment: #cases?words=axis&operator=GATHER&device=0&status=failing

const noFilter = { words: '', operator: '', level: '', types: '', device: '', status: '' };

function filterFragment(filter) {
  const chosen = Object.entries({ ...noFilter, ...filter }).filter(([, value]) => value !== '');
  return `#cases${chosen.length ? '?' : ''}${new URLSearchParams(chosen)}`;
}

function filterOfFragment(fragment) {
  const given = Object.fromEntries(new URLSearchParams(fragment.slice('#cases?'.length)));
  return Object.fromEntries(Object.keys(noFilter).map((key) => [key, given[key] ?? '']));
}

function lettersOf(status) {
  if (status === 'failing') return failing.map((one) => statuses[one].letter).join('');
  if (status === 'none') return '-';
  return statuses[status]?.letter ?? '';
}

let lowered = null; // names, for the search
let letters = null; // statuses as bytes, an array a device

function lettersByDevice() {
  letters ||= cases.devices.map(({ status }) => new TextEncoder().encode(status));
  return letters;
}

// Indices of the cases that match a filter.
function matching({ words, operator, level, types, device, status }) {
  lowered ||= cases.name.map((name) => name.toLowerCase());
  const every = words.toLowerCase().split(/\s+/).filter(Boolean);
  const columns = [];
  if (operator !== '') columns.push([cases.operator, cases.operators.indexOf(operator)]);
  if (level !== '') columns.push([cases.level, cases.levels.indexOf(level)]);
  if (types !== '') columns.push([cases.types, cases.types_names.indexOf(types)]);
  const codes = new Uint8Array(128); // wanted letters
  for (const letter of lettersOf(status)) codes[letter.charCodeAt(0)] = 1;
  if (!status) codes.fill(1).fill(0, 45, 46); // without a status, all cases that the device ran
  const judged = status !== '' || device !== '';
  const watched = judged ? lettersByDevice().filter((_, i) => device === '' || i === Number(device)) : [];
  const found = new Uint32Array(cases.name.length);
  let count = 0;
  for (let i = 0; i < found.length; i++) {
    let fits = true;
    for (let c = 0; fits && c < columns.length; c++) fits = columns[c][0][i] === columns[c][1];
    for (let w = 0; fits && w < every.length; w++) fits = lowered[i].includes(every[w]);
    if (fits && judged) {
      fits = false;
      for (let d = 0; !fits && d < watched.length; d++) fits = codes[watched[d][i]] === 1;
    }
    if (fits) found[count++] = i;
  }
  return found.subarray(0, count);
}

// ---- the table: worst status, name, and a column per device; a single device needs no column of its own

const columnsOf = () => (devices.length > 1 ? devices.map((_, device) => device) : []);

// The rows in view and some before and after. Rows that stay in view keep their elements, so that they keep the focus.
function rowsInView(box, space, grid, rows) {
  let found = new Uint32Array(0);
  let height = 26;
  const shown = new Map();
  const make = (at) => {
    const item = found[at];
    const name = cases.name[item];
    return el('tr', { 'aria-rowindex': at + 2 },
      el('td', { class: 'worst' }, mark(worstStatus(item))),
      el('th', { scope: 'row', class: 'name' },
        el('a', { href: caseFragment(name), class: 'case', title: name }, name)),
      columnsOf().map((device) => el('td', {}, mark(statusOf(item, device)))));
  };
  const draw = (focused) => {
    const first = Math.floor(box.scrollTop / height);
    const last = first + Math.ceil((box.clientHeight || 600) / height);
    const from = Math.max(0, Math.min(first, focused ?? first) - 10);
    const to = Math.min(found.length, Math.max(last, focused ?? last) + 10);
    for (const [at, row] of shown) {
      if (at >= from && at < to) continue;
      row.remove();
      shown.delete(at);
    }
    for (let at = from, next = rows.firstChild; at < to; at++) {
      const row = shown.get(at);
      if (row) next = row.nextSibling;
      else {
        shown.set(at, make(at));
        rows.insertBefore(shown.get(at), next);
      }
    }
    grid.style.top = `${from * height}px`;
  };
  const measure = () => {
    height = rows.getBoundingClientRect().height / rows.children.length || height;
    space.style.height = `${found.length * height + (grid.tHead.offsetHeight || height)}px`;
    draw();
  };
  box.addEventListener('scroll', () => draw(), { passive: true });
  // The scroll event comes after the focus event, so the next rows must exist at once.
  rows.addEventListener('focusin', ({ target }) => draw(Number(target.closest('tr').getAttribute('aria-rowindex')) - 2));
  new ResizeObserver(measure).observe(box);
  return (next) => {
    found = next;
    for (const row of shown.values()) row.remove();
    shown.clear();
    grid.setAttribute('aria-rowcount', found.length + 1);
    box.scrollTop = 0;
    draw();
    measure();
  };
}

function caseTable() {
  const longest = Math.min(72, cases.name.reduce((most, name) => Math.max(most, name.length), 20));
  const column = (width) => {
    const col = el('col');
    col.style.width = width;
    return col;
  };
  const rows = el('tbody');
  const grid = el('table', { class: 'rows' },
    el('caption', { class: 'hidden' }, 'Cases, and how they ended on each device'),
    el('colgroup', {}, column('8.5rem'), column(`calc(${longest} * 0.52rem + 1.4rem)`),
      columnsOf().map(() => column('8.5rem'))),
    el('thead', {}, el('tr', { 'aria-rowindex': 1 },
      el('th', { scope: 'col', class: 'worst' }, devices.length > 1 ? 'Worst' : 'Status'),
      el('th', { scope: 'col', class: 'name' }, 'Case'),
      columnsOf().map((device) => el('th', { scope: 'col' }, breakable(deviceName(device)))))),
    rows);
  grid.style.width = `calc(${longest} * 0.52rem + ${columnsOf().length * 8.5 + 9.9}rem)`;
  const space = el('div', { class: 'space' }, grid);
  const box = el('div', { class: 'box tall', role: 'group', 'aria-label': 'Cases', tabindex: '0' }, space);
  return { box, show: rowsInView(box, space, grid, rows) };
}

// ---- the section

// values: [value, text] each
function choice(name, label, values) {
  return el('label', {}, label, el('select', { name },
    [['', 'any'], ...values].map(([value, text]) => el('option', { value }, text))));
}

function filterForm() {
  const same = (names) => names.filter((name) => name !== '').map((name) => [name, name]);
  const occurs = (status) => cases.devices.some((device) => device.status.includes(statuses[status].letter));
  return el('form', { role: 'search', 'aria-label': 'Cases', onsubmit: (event) => event.preventDefault() },
    el('label', { class: 'words' }, 'Words in the name',
      el('input', { type: 'search', name: 'words', autocomplete: 'off', spellcheck: 'false' })),
    choice('operator', 'Operator', same(cases.operators)),
    choice('types', 'Data types', same(cases.types_names)),
    choice('level', 'Feature level', same(cases.levels)),
    choice('device', 'Device', devices.map((device, i) => [i, device.device])),
    choice('status', 'Status', [['failing', 'any failing'],
      ...order.filter(occurs).map((status) => [status, statusWord(status)]), ['none', 'not run']]),
    el('button', { type: 'reset' }, 'Clear'));
}

let showFilter = () => {}; // sets the form to a filter

function allCases() {
  const part = section('cases', 'All cases', number(cases.name.length));
  if (!cases.name.length) {
    part.append(empty('There are no cases.', 'assay run -d DEVICE --db results.db'));
    return;
  }
  const form = filterForm();
  const count = el('p', { role: 'status', class: 'count' });
  const { box, show } = caseTable();
  add(part, form, count, box, el('p', { class: 'printed' }, 'The list of all cases is not printed.'));
  let drawn = '';
  const update = () => {
    const filter = Object.fromEntries(new FormData(form));
    const fragment = filterFragment(filter);
    if (fragment === drawn) return;
    drawn = fragment;
    const found = matching(filter);
    show(found);
    count.textContent = `${number(found.length)} of ${plural(cases.name.length, 'case')}`;
  };
  const changed = () => {
    update();
    history.replaceState(null, '', drawn);
  };
  form.addEventListener('input', changed);
  form.addEventListener('change', changed);
  form.addEventListener('reset', () => setTimeout(changed));
  showFilter = (filter) => {
    for (const [name, value] of Object.entries(filter)) form.elements[name].value = value;
    update();
  };
  update();
}
