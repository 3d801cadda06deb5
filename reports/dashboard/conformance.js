// The conformance statement of each device: the operators of each feature level by state.

// Lists names of operators; a long list is closed at first.
function operatorNames(names) {
  if (names.length <= 6) return names.join(', ');
  return opening(plural(names.length, 'operator'), (body) => add(body, names.join(', ')));
}

// True if the level is the last level, or the device's own level above it, for which no operator has cases.
const isWhole = (level, levels) => level >= levels.at(-1).level;

// True if every operator that has cases is complete.
const endsWell = ({ levels }) => levels.length > 0
  && ['failing', 'missing', 'partial'].every((state) => levels.at(-1)[state].length === 0);

// The verdict on a device, up to the highest level at which and below which all documented operators are complete.
function levelVerdict(item) {
  const { complete_up_to: level, levels } = item;
  const last = levels.at(-1);
  if (level) return markOf(isWhole(level, levels) ? statuses.pass : statuses.warn, `complete up to feature level ${level}`);
  if (!endsWell(item)) return markOf(statuses.fail, 'no level is complete');
  return markOf(statuses.warn,
    `${plural(last.complete, 'operator')} complete, ${number(last.without_cases.length)} without cases: no level is complete`);
}

function conformanceOf(item) {
  const { device, levels } = item;
  return [
    el('h3', {}, breakable(deviceName(device)), ' ', levels.length > 0 && levelVerdict(item)),
    !item.whole && note(markOf(statuses.warn, 'partial'), ' No whole and complete run of the default plan counts here: ',
      'this says nothing of the cases that were left out.'),
    levels.length ? table(`Operators by feature level: ${deviceName(device)}`,
      ['Feature level', numeric('Complete'), 'Failing', 'Missing', 'Partly supported', 'Without cases'],
      levels.toReversed().map((row) => [row.level, number(row.complete), operatorNames(row.failing),
        operatorNames(row.missing), operatorNames(row.partial), operatorNames(row.without_cases)]))
      : note('No case applies to the device.'),
  ];
}

function conformance() {
  const whole = report.conformance.filter(endsWell);
  const part = section('conformance', 'Conformance',
    devices.length > 0 && `${number(whole.length)} of ${number(devices.length)}`);
  if (!devices.length) {
    part.append(empty('There are no runs.', 'assay run -d DEVICE --db results.db'));
    return;
  }
  part.append(note('Up to the feature level that a device declares. An operator is complete if all of its cases of that ',
    'level and those below end well; failing if one does not, expected failures included; missing if all are unsupported. A level is ',
    'complete if every documented operator is.'));
  for (const item of report.conformance) add(part, conformanceOf(item));
}
