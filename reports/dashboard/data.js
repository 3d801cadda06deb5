// What `assay report` put into the page, and how to ask it.
const report = JSON.parse(document.getElementById('data').textContent);
const { cases, devices, runs } = report;

const deviceName = (device) => devices[device].device;
const currentRun = (device) => runs[devices[device].current];
const runName = (run) => (report.databases.length > 1 ? `${runs[run].database}#${runs[run].run}` : `run ${runs[run].run}`);

// Of case and device: a status, null where it is not in the current run.
const statusOf = (item, device) => byLetter[cases.devices[device].status[item]] || null;
function worstStatus(item) {
  let worst = -1;
  for (const { status } of cases.devices) worst = Math.max(worst, order.indexOf(byLetter[status[item]]));
  return order[worst] || null;
}
const historyOf = (item, device) => cases.devices[device].history?.[item] || cases.devices[device].status[item];

const details = new Map(report.details.map((detail) => [detail.case * devices.length + detail.device, detail]));
const detailOf = (item, device) => details.get(item * devices.length + device);

const caseFragment = (name) => `#case=${encodeURIComponent(name)}`;
function caseLink(item) {
  if (item === null || item === undefined) return '';
  const name = cases.name[item];
  return el('a', { href: caseFragment(name), class: 'case' }, breakable(name));
}

// A name may be broken after its dots and commas.
function breakable(name) {
  return visible(name).split(/(?<=[.,:/=])/).flatMap((part, i) => (i ? [document.createElement('wbr'), part] : [part]));
}
