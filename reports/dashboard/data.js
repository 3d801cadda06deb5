// The data that `assay report` put into the page, and access to it.

// Reads an object from an element: JSON, compressed by gzip, in base64.
async function packedData(id) {
  if (!window.DecompressionStream) {
    document.getElementById('main').textContent = 'This report needs Chromium 80, Firefox 113, Safari 16.4 or newer.';
  }
  const text = atob(document.getElementById(id).textContent);
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).json();
}

const report = await packedData('data');
const { cases, devices, runs } = report;

// Makes the names of the cases from their words; 0 is the word of the case before.
function namesOf(parts) {
  const words = parts.map(() => null);
  const names = [];
  for (let item = 0; item < (parts[0] || []).length; item++) {
    for (let i = 0; i < parts.length; i++) if (parts[i][item] !== 0) words[i] = parts[i][item];
    let name = words[0];
    for (let i = 1; i < words.length && words[i] !== null; i++) name += `.${words[i]}`;
    names.push(name);
  }
  return names;
}
cases.name = namesOf(cases.parts);

const deviceName = (device) => devices[device].device;
const currentRun = (device) => runs[devices[device].current];
const runName = (run) => `${report.databases.length > 1 ? `${runs[run].database}#` : 'run '}${runs[run].run}`;
// Describes the source of a device: "revision 3f2a9c1 (nightly, main)".
function revisionOf({ label, revision, branch }) {
  const more = list(label, branch);
  if (!revision) return more;
  return `revision ${revision}${more && ` (${more})`}`;
}
// Describes the first failing run of a device and, if it is known, its revision.
const runAndOrigin = (run) => list(runName(run), revisionOf(runs[run]) || minute(runs[run].started));
const sinceRun = (run) => `since ${runAndOrigin(run)}`;
// Describes the same for several cases, and the first failing run of the last of them.
const sinceRuns = ({ since, newest }) => sinceRun(since) +
  (newest === since ? '' : `; newest since ${runAndOrigin(newest)}`);
const levelOf = ({ feature_level: level }) => (level ? `feature level ${level}` : 'declares no feature level');
const runAndTime = (run) => `${runName(run)}, ${minute(runs[run].started)}`;

// Returns the status of a case on a device; null if the current run does not have it.
const statusOf = (item, device) => byLetter[cases.devices[device].status[item]] || null;
function worstStatus(item) {
  let worst = -1;
  for (const { status } of cases.devices) worst = Math.max(worst, order.indexOf(byLetter[status[item]]));
  return order[worst] || null;
}
const historyOf = (item, device) => (cases.devices[device].history || [cases.devices[device].status]).map((run) => run[item]);

const details = new Map(report.details.map((detail) => [detail.case * devices.length + detail.device, detail]));
const detailOf = (item, device) => details.get(item * devices.length + device);

// Returns the text in the specs; '' if there is none.
const ownText = (texts, name) => (Object.hasOwn(texts, name) ? texts[name] : '');
const ruleText = (operator, rule) => ownText(report.texts.rules, `${operator}/${rule}`);
const rulingText = (id) => ownText(report.texts.rulings, id);
// Returns the page of the documents with a sentence: "GATHER_ND" for "bed83-115"; '' if it is not known.
const pageOf = (id) => ownText(report.texts.pages, id.replace(/-[\d.]+$/, ''));
const caseTexts = new Map(report.texts.cases.map((texts) => [texts.case, texts]));

// encodeURIComponent() throws for half a character.
const caseFragment = (name) => `#case=${encodeURIComponent(name.replace(/\p{Cs}/gu, '\ufffd'))}`;
function caseLink(item) {
  if (item === null || item === undefined) return '';
  const name = cases.name[item];
  return el('a', { href: caseFragment(name), class: 'case' }, breakable(name));
}

// Allows line breaks in a name after dots, commas, colons, slashes and equals signs.
function breakable(name) {
  return visible(name).split(/(?<=[.,:/=])/).flatMap((part, i) => (i ? [document.createElement('wbr'), part] : [part]));
}
