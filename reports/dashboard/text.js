// Words and numbers, as the page writes them.

// What cannot be seen, or moves what can: control and format characters, line separators, halves of pairs.
function visible(text) {
  return String(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) => {
    const code = character.codePointAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    if (code === 0x7f) return '\u2421';
    return `\\u{${code.toString(16)}}`;
  });
}

// One form for all readers: 1,234,567.
function number(value) {
  const digits = String(Math.abs(value));
  return (value < 0 ? '\u2212' : '') + (Number.isInteger(value) ? digits.replace(/\B(?=(\d{3})+$)/g, ',') : digits);
}

function plural(count, one, many = `${one}s`) {
  return `${number(count)} ${count === 1 ? one : many}`;
}

function nanoseconds(ns) {
  if (ns === null || ns === undefined) return '';
  const units = ['ns', 'µs', 'ms', 's'];
  let unit = 0;
  while (ns >= 999.5 && unit < 3) {
    ns /= 1000;
    unit++;
  }
  return `${ns >= 99.95 || unit === 0 ? Math.round(ns) : ns.toPrecision(3)} ${units[unit]}`;
}

// For axes, where the values are round: "50 µs".
const roundTime = (ns) => nanoseconds(ns).replace(/\.?0+(?= [nµm]?s$)/, (zeros) => (zeros.startsWith('.') ? '' : zeros));

// Never 100 % when something is missing.
function percent(part) {
  if (part === null || part === undefined) return '';
  if (part >= 1) return '100 %';
  return `${Math.min(99.99, part * 100).toFixed(2)} %`;
}

// "2025-01-31T12:00:00.000Z", to the minute.
function minute(time) {
  return time ? `${time.slice(0, 10)} ${time.slice(11, 16)}` : '';
}

// ---- statuses: a symbol beside each word, and how bad it is

const statuses = {
  __proto__: null, // a name that the data makes up is not found
  pass: { letter: 'p', symbol: '✓', tone: 'good' },
  skip: { letter: 's', symbol: '»', tone: 'quiet' },
  unsupported: { letter: 'u', symbol: '–', tone: 'quiet' },
  warn: { letter: 'w', symbol: '!', tone: 'soft' },
  incomplete: { letter: 'i', symbol: '…', tone: 'soft' },
  harness_error: { letter: 'h', symbol: '?', tone: 'bad' },
  fail: { letter: 'f', symbol: '✗', tone: 'bad' },
  timeout: { letter: 't', symbol: '◷', tone: 'bad' },
  device_lost: { letter: 'l', symbol: '⊘', tone: 'bad' },
  crash: { letter: 'c', symbol: '✱', tone: 'bad' },
}; // from the best to the worst, as `assay compare` orders them
const order = Object.keys(statuses);
const none = { letter: '-', symbol: '·', tone: 'quiet' };
const failing = ['crash', 'device_lost', 'timeout', 'fail', 'harness_error', 'incomplete'];
const byLetter = Object.fromEntries(Object.entries(statuses).map(([status, { letter }]) => [letter, status]));

function statusWord(status) {
  return status ? status.replace('_', ' ') : 'not run';
}

// [[status, count], …] of an object of counts, the worst first.
function worstFirst(counts) {
  return Object.entries(counts).filter(([, count]) => count)
    .sort(([a], [b]) => order.indexOf(b) - order.indexOf(a));
}
