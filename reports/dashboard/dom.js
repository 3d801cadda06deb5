// Makes elements. All text goes through visible() into text nodes: data never becomes markup.

// el('a', { href: '#x', onclick: f }, 'text', node, …); children that are null or false are left out.
function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== null && value !== false && value !== undefined) element.setAttribute(name, visible(value));
  }
  add(element, ...children);
  return element;
}

function add(element, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : visible(child));
  }
}

function clear(element) {
  element.replaceChildren();
  return element;
}

const quiet = (...children) => el('span', { class: 'quiet' }, ...children);
const code = (text, attributes = {}) => el('code', attributes, text);
const note = (...children) => el('p', { class: 'quiet' }, ...children);

// Makes text in which "#12" and "issue 12" are links to the issue, if the report has the address of issues. Only the
// number of the text becomes part of the address.
function linked(text) {
  if (!/^https?:\/\/[!-~]+$/.test(report.issues)) return text;
  return text.split(/((?<![\w#/&.])#\d{1,9}\b|\bissue #?\d{1,9}\b)/i).map((part, i) => (i % 2
    ? el('a', { href: report.issues.replace('{}', part.match(/\d+/)[0]), rel: 'noreferrer' }, part) : part));
}

// ---- marks: symbol and word, coloured

function markOf({ symbol, tone }, ...words) {
  return el('span', { class: `mark ${tone}` }, el('span', { 'aria-hidden': 'true' }, symbol), ' ', ...words);
}

function mark(status) {
  return markOf(statuses[status] || none, statusWord(status));
}

// Counts by status, worst first: "✗ 2 fail ✓ 22 pass".
function tally(counts) {
  const parts = worstFirst(counts);
  if (!parts.length) return markOf(none, 'none');
  return el('span', { class: 'tally' },
    parts.map(([status, count]) => [markOf(statuses[status] || none, `${number(count)} ${statusWord(status)}`), ' ']));
}

// ---- tables

// Boxes that scroll can be focused by keyboard; others are no tab stops.
const boxes = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const box = target.classList.contains('box') ? target : target.parentElement;
    if (box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1) box.tabIndex = 0;
    else box.removeAttribute('tabindex');
  }
});

function scrollBox(label, child) {
  const box = el('div', { class: 'box', role: 'group', 'aria-label': label }, child);
  boxes.observe(box);
  boxes.observe(child);
  return box;
}

const numeric = (name) => ({ name, number: true });

// heads: per column a name (text or nodes) or { name, number, wide, nowrap }; rows: arrays of children for el(); the first
// child becomes the row header.
function table(caption, heads, rows) {
  const columns = heads.map((head) => (typeof head === 'string' || Array.isArray(head) ? { name: head } : head));
  const kind = (column) => ({ class: ['number', 'wide', 'nowrap'].find((one) => columns[column]?.[one]) });
  // The heading before each cell on a narrow screen, where rows are cards.
  const headText = columns.map(({ name }) => el('span', {}, name).textContent);
  const body = el('tbody');
  for (const row of rows) {
    body.append(el('tr', {}, row.map((cell, column) => (column
      ? el('td', { ...kind(column), 'data-head': headText[column] }, cell)
      : el('th', { scope: 'row' }, cell)))));
  }
  return scrollBox(caption, el('table', {},
    el('caption', {}, caption),
    el('thead', {}, el('tr', {}, columns.map((column, i) => el('th', { scope: 'col', ...kind(i) }, column.name)))),
    body));
}

// ---- expandable parts

// A <details> whose content is created when it is first opened.
function opening(summary, fill, open = false) {
  const body = el('div', { class: 'opened' });
  const details = el('details', { ontoggle: () => details.open && details.fill() }, el('summary', {}, summary), body);
  details.fill = () => {
    details.fill = () => {};
    fill(body);
  };
  if (open) {
    details.fill();
    details.open = true;
  }
  return details;
}

// Calls show(from, to) for the first items, and adds a button that shows more.
function inParts(parent, count, first, show) {
  let shown = Math.min(first, count);
  show(0, shown);
  if (shown === count) return;
  const button = el('button', { type: 'button', class: 'more' });
  const label = () => {
    button.textContent = `Show ${number(Math.min(shown * 4, count - shown))} more of ${number(count)}`;
  };
  button.addEventListener('click', () => {
    const to = Math.min(shown * 5, count);
    show(shown, to);
    shown = to;
    if (shown === count) button.remove();
    else label();
  });
  label();
  parent.append(button);
}

// A table with such a button.
function longTable(parent, caption, heads, items, toRow, first = 50) {
  let body = null;
  const holder = el('div');
  parent.append(holder);
  inParts(parent, items.length, first, (from, to) => {
    const part = table(caption, heads, items.slice(from, to).map(toRow));
    if (body) body.append(...part.querySelectorAll('tbody > tr'));
    else {
      holder.append(part);
      body = part.querySelector('tbody');
    }
  });
}

// ---- parts of single devices

// Hides the parts of the other devices, in all sections; '' shows all.
function chooseDevice(device) {
  for (const select of document.querySelectorAll('select.of-device')) select.value = device;
  for (const part of document.querySelectorAll('[data-device]')) part.hidden = device !== '' && part.dataset.device !== device;
  for (const section of document.querySelectorAll('section:has(> .choose)')) {
    const parts = [...section.querySelectorAll('[data-device]')];
    section.querySelector('.of-none').hidden = !parts.length || parts.some((part) => !part.hidden);
  }
}

// Makes the selection of the device whose parts a section shows.
function deviceChoice(part) {
  if (devices.length < 2) return;
  add(part, el('label', { class: 'choose' }, 'Device',
    el('select', { class: 'of-device', onchange: (event) => chooseDevice(event.target.value) },
      el('option', { value: '' }, 'all'), devices.map((_, i) => el('option', { value: i }, deviceName(i))))),
  el('p', { class: 'quiet of-none', hidden: true }, 'Nothing of this device.'));
}

// ---- command lines

// Copies the text as shown, so that no control character gets into a shell.
function command(line) {
  const text = code(line, { class: 'line' });
  const said = el('span', { role: 'status', class: 'said' });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text.textContent);
    } catch {
      getSelection().selectAllChildren(text);
      document.execCommand('copy');
    }
    said.textContent = 'copied';
  };
  return el('div', { class: 'command' }, text, el('button', { type: 'button', onclick: copy }, 'Copy'), said);
}

// ---- sections

// Adds a section to the page and to its contents, where `summary` follows the title.
function section(id, title, summary) {
  document.getElementById('contents').append(el('a', { href: `#${id}` }, title, summary && quiet(' ', summary)));
  const heading = el('h2', { id: `${id}-title` }, title);
  const part = el('section', { id, 'aria-labelledby': heading.id, tabindex: '-1' }, heading);
  document.getElementById('main').append(part);
  return part;
}

// Moves sections without content to the end, so the page begins with content.
function gatherAbsent() {
  const absent = [...document.querySelectorAll('main > section')].filter((part) => part.querySelector(':scope > .empty'));
  if (!absent.length) return;
  const rows = absent.map((part) => [part.querySelector('h2').textContent, [...part.querySelector('.empty').childNodes]]);
  for (const { id } of absent) {
    document.getElementById(id).remove();
    document.querySelector(`#contents a[href="#${id}"]`).remove();
  }
  section('absent', 'Not in this report', number(rows.length))
    .append(table('What this report does not have, and how to add it', ['Section', { name: 'Why', wide: true }], rows));
}

// A section without content: the reason, and a command that adds content.
function empty(reason, line) {
  return el('p', { class: 'empty' }, reason, line && [' To add some: ', code(line)]);
}
