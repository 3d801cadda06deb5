// Elements. All text goes through visible() into text nodes: nothing in the data is ever markup.

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

// ---- marks: symbol and word, coloured

function markOf({ symbol, tone }, ...words) {
  return el('span', { class: `mark ${tone}` }, el('span', { 'aria-hidden': 'true' }, symbol), ' ', ...words);
}

function mark(status) {
  return markOf(statuses[status] || none, statusWord(status));
}

// Counts by status, the worst first: "✗ 2 fail ✓ 22 pass".
function tally(counts) {
  const parts = worstFirst(counts);
  if (!parts.length) return markOf(none, 'none');
  return el('span', { class: 'tally' },
    parts.map(([status, count]) => [markOf(statuses[status] || none, `${number(count)} ${statusWord(status)}`), ' ']));
}

// ---- tables

// A box that scrolls sideways can be reached by keyboard, one that need not is not stopped at.
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

// heads: a name (text or nodes) or { name, number, wide, nowrap } a column; rows: arrays of what el() takes as a child, the first a header.
function table(caption, heads, rows) {
  const columns = heads.map((head) => (typeof head === 'string' || Array.isArray(head) ? { name: head } : head));
  const kind = (column) => ({ class: ['number', 'wide', 'nowrap'].find((one) => columns[column]?.[one]) });
  const body = el('tbody');
  for (const row of rows) {
    body.append(el('tr', {}, row.map((cell, column) => (column
      ? el('td', kind(column), cell)
      : el('th', { scope: 'row' }, cell)))));
  }
  return scrollBox(caption, el('table', {},
    el('caption', {}, caption),
    el('thead', {}, el('tr', {}, columns.map((column, i) => el('th', { scope: 'col', ...kind(i) }, column.name)))),
    body));
}

// ---- what opens

// A <details> whose content is made when it is first opened.
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

// Calls show(from, to) for `first` items, and for more behind a button that says how many are left.
function inParts(parent, count, first, show) {
  let shown = Math.min(first, count);
  show(0, shown);
  if (shown === count) return;
  const button = el('button', { type: 'button', class: 'more' });
  const label = () => clear(button).append(`Show ${number(Math.min(shown * 4, count - shown))} more of ${number(count)}`);
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

// A table that grows by such a button.
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

// ---- lines to type

// What is copied is what is shown: no control character comes with it into a shell.
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

// To the page's main part and its contents: `note` stands beside the title there.
function section(id, title, note, ...children) {
  document.getElementById('contents').append(el('a', { href: `#${id}` }, title, note && quiet(' ', note)));
  const part = el('section', { id, 'aria-labelledby': `${id}-title`, tabindex: '-1' }, el('h2', { id: `${id}-title` }, title), ...children);
  document.getElementById('main').append(part);
  return part;
}

// A section without content: why, and the command that would fill it.
function empty(reason, line) {
  return el('p', { class: 'empty' }, reason, line && [' ', code(line), ' adds it.']);
}
