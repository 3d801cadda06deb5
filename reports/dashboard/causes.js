// Failures of each device, by cause, operator and rule; then the known failures, by reason.

function wrongElement(detail) {
  if (!detail.wrong_count) return null;
  return [`${detail.wrong_tensor} ${detail.wrong_coordinates}: got `, code(detail.wrong_got), ', expected ',
    code(detail.wrong_expected), quiet(` (the first of ${number(detail.wrong_count)} wrong)`)];
}

// Returns the details of a failure, or a command that runs its case again if the page has no details.
function failure(item, device) {
  const detail = detailOf(item, device);
  const again = ['assay', 'repro', cases.name[item], '-d', deviceName(device), '--seed', hex(currentRun(device).seed)];
  const since = detail && detail.first_bad !== null && devices[device].runs.length > 1 &&
    quiet(` ${sinceRun(detail.first_bad)}`);
  return el('li', {}, caseLink(item), ' ', mark(statusOf(item, device)), since,
    detail
      ? [detail.message && el('div', {}, detail.message),
        el('div', {}, wrongElement(detail)),
        detail.reproduce && command(detail.reproduce)]
      : [quiet(' its details were left out of this page'), command(again.map(quoted).join(' '))]);
}

// Lists the cases of a group; the page has the details of the first cases.
function failureList(body, items, device) {
  const list = el('ul', { class: 'failures' });
  body.append(list);
  inParts(body, items.length, 20, (from, to) => list.append(...items.slice(from, to).map((one) => failure(one, device))));
}

function cause(item) {
  const rule = item.rule && [' ', code(item.rule), quiet(` (${item.strength})`)];
  const own = devices[item.device].runs;
  const since = own.length > 1 && item.since !== null && quiet(` · ${sinceRuns(item)}`);
  return opening([markOf(statuses.fail, item.cause), ' ', el('strong', {}, item.operator), rule,
    ` · ${plural(item.count, 'case')}`, since, el('span', { class: 'message' }, item.message)], (body) => {
    add(body, ruleNotes(item.operator, item.rule, item.pages));
    failureList(body, item.cases, item.device);
  });
}

function known(item) {
  return opening([mark(item.status), ' ', el('strong', {}, item.reason), ` · ${plural(item.count, 'case')}`,
    item.since && quiet(` · since ${minute(item.since)}`)], (body) => {
    // The summary, which opens and closes, has no links.
    if (report.issues) body.append(note('Reason: ', linked(item.reason)));
    failureList(body, item.cases, item.device);
  });
}

// Adds a part for each device that has such groups; show() makes an element of a group.
function byDevice(part, groups, show) {
  const of = groupBy(groups, (item) => item.device);
  deviceChoice(part);
  const first = of.size > 1 ? 10 : 30;
  for (const device of [...of.keys()].sort((a, b) => a - b)) {
    const own = of.get(device);
    const count = own.reduce((sum, item) => sum + item.count, 0);
    const list = el('div');
    const box = el('section',
      { id: `${part.id}-${device}`, 'data-device': device, tabindex: '-1',
        'aria-label': `${part.querySelector('h2').textContent}: ${deviceName(device)}` },
      el('h3', {}, breakable(deviceName(device)), ' ', quiet(plural(count, 'case'))), list);
    part.append(box);
    inParts(box, own.length, first, (from, to) => list.append(...own.slice(from, to).map(show)));
  }
}

const countOf = (groups) => groups.reduce((sum, item) => sum + item.count, 0);

function causes() {
  const part = section('failures', 'Failures by rule', number(countOf(report.causes)));
  if (report.causes.length) byDevice(part, report.causes, cause);
  else {
    const few = report.known.length ? 'Only known failures.' : 'No case of the current state of a device failed.';
    part.append(devices.length ? note(few) : empty('There are no runs.', 'assay run -d DEVICE --db results.db'));
  }
}

function knownFailures() {
  const part = section('known', 'Known failures', number(countOf(report.known)));
  if (report.known.length) {
    part.append(note('Failures that an expectation file lists, with the reasons that it gives. They do not fail a run.'));
    byDevice(part, report.known, known);
  } else {
    part.append(empty('No failure is listed by an expectation file.', 'assay run -d DEVICE --expect FILE --db results.db'));
  }
}
