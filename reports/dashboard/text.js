// Formats words and numbers.

// Makes characters visible that are invisible or change the layout: control and format characters, line separators, lone
// surrogates.
function visible(text) {
  return String(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) => {
    const code = character.codePointAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    if (code === 0x7f) return '\u2421';
    return `\\u{${code.toString(16)}}`;
  });
}

// The same in all locales: 1,234,567.
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
const roundTime = (ns) => nanoseconds(ns).replace(/\.0+(?= )/, '');

// Never rounds up to 100 %.
function percent(part) {
  if (part === null || part === undefined) return '';
  if (part >= 1) return '100 %';
  return `${Math.min(99.99, part * 100).toFixed(2)} %`;
}

// "0x0000000000000010": without the zeros.
const hex = (text) => text.replace(/^0x0+(?=.)/, '0x');

// A word of a command line, quoted for a shell.
const quoted = (text) => (/^[\w.,:=/@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

const list = (...words) => words.filter(Boolean).join(', ');

// "2025-01-31T12:00:00.000Z", to the minute.
function minute(time) {
  return time ? `${time.slice(0, 10)} ${time.slice(11, 16)}` : '';
}

// ---- statuses of cases: letter in the data, symbol beside the word, and tone

const statuses = {
  __proto__: null, // names in the data never match inherited members
  pass: { letter: 'p', symbol: '✓', tone: 'good' },
  skip: { letter: 's', symbol: '»', tone: 'quiet' },
  unsupported: { letter: 'u', symbol: '–', tone: 'quiet' },
  warn: { letter: 'w', symbol: '!', tone: 'soft' },
  known: { letter: 'k', symbol: '≈', tone: 'soft' },
  incomplete: { letter: 'i', symbol: '…', tone: 'soft' },
  unexpected: { letter: 'x', symbol: '¿', tone: 'bad' },
  flaky: { letter: 'y', symbol: '±', tone: 'bad' },
  harness_error: { letter: 'h', symbol: '?', tone: 'bad' },
  fail: { letter: 'f', symbol: '✗', tone: 'bad' },
  timeout: { letter: 't', symbol: '◷', tone: 'bad' },
  device_lost: { letter: 'l', symbol: '⊘', tone: 'bad' },
  crash: { letter: 'c', symbol: '✱', tone: 'bad' },
}; // from best to worst; statuses are in the order of `assay compare`
const order = Object.keys(statuses);
const none = { letter: '-', symbol: '·', tone: 'quiet' };
const failing = ['crash', 'device_lost', 'timeout', 'fail', 'harness_error', 'flaky', 'unexpected'];
const byLetter = Object.fromEntries(Object.entries(statuses).map(([status, { letter }]) => [letter, status]));

function statusWord(status) {
  return status ? status.replace('_', ' ') : 'not run';
}

// [[status, count], …] of an object of counts, worst first.
function worstFirst(counts) {
  return Object.entries(counts).filter(([, count]) => count)
    .sort(([a], [b]) => order.indexOf(b) - order.indexOf(a));
}
