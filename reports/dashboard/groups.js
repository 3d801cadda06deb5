// Groups of failures and warnings with one cause, as a run prints them at its end.

function groupFacts({ kind, broken, tensors, where, cases: count, such, besides, reproduce }) {
  const facts = [
    ['Broken rules', broken && code(broken)],
    ['Tensors', tensors && code(tensors)],
    ['Where', where && `all ${where}; none of the others: ${number(count)} of the ${number(such)} such cases`],
    ['Besides', besides > 0 && `${plural(besides, `more ${kind}`)} of these operators, which that does not explain`],
    ['First case', reproduce && command(reproduce)],
  ];
  return el('dl', {}, facts.filter(([, fact]) => fact).map(([name, fact]) => [el('dt', {}, name), el('dd', {}, fact)]));
}

function group(item) {
  const warning = item.kind === 'warning';
  return opening([markOf(warning ? statuses.warn : statuses.fail, plural(item.cases, item.kind)), ' ',
    el('strong', {}, item.title), item.broken && [' ', code(item.broken)],
    devices[item.device].runs.length > 1 && item.since !== null && quiet(` · ${sinceRuns(item)}`),
    item.where && el('span', { class: 'message' }, `where all ${item.where}`)], (body) => {
    body.append(groupFacts(item));
    failureList(body, item.members, item.device);
  });
}

function groups() {
  const part = section('groups', 'Causes', number(report.groups.length));
  if (!report.groups.length) {
    part.append(devices.length ? note('No failure or warning is left to explain.')
      : empty('There are no runs.', 'assay run -d DEVICE --db results.db'));
    return;
  }
  part.append(note('Failures and warnings with one explanation each, the one that explains most first, and what separates ',
    'their cases from all others.'));
  deviceChoice(part);
  for (const [device, own] of groupBy(report.groups, (item) => item.device)) {
    const list = el('div');
    const box = el('section', { id: `groups-${device}`, 'data-device': device, 'aria-label': `Causes: ${deviceName(device)}` },
      el('h3', {}, breakable(deviceName(device)), ' ', quiet(plural(own.length, 'cause'))), list);
    part.append(box);
    inParts(box, own.length, 20, (from, to) => list.append(...own.slice(from, to).map(group)));
  }
}
