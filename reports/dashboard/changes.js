// What changed since the baseline of each device.

const changeKinds = [
  ['regressions', ['regression', 'regressions'], 'passed, and fails now', 'fail'],
  ['fixes', ['fix', 'fixes'], 'failed, and passes now', 'pass'],
  ['worse', ['worse', 'worse'], 'another status, for the worse', 'warn'],
  ['better', ['better', 'better'], 'another status, for the better', 'pass'],
  ['new', ['new', 'new'], 'not in the baseline', 'none'],
  ['gone', ['gone', 'gone'], 'in the baseline alone', 'none'],
];

function changeList(change, key, words, meaning, look) {
  const items = change[key];
  const count = change.counts[key];
  if (!count) return null;
  const failingNew = key === 'new' && change.counts.new_failing ? `, ${number(change.counts.new_failing)} of them failing` : '';
  return opening([markOf(statuses[look] || none, plural(count, ...words)), quiet(` ${meaning}${failingNew}`)], (body) => {
    if (items.length < count) body.append(el('p', { class: 'quiet' }, `The first ${number(items.length)} of ${number(count)}.`));
    longTable(body, `${plural(count, ...words)}: ${deviceName(change.device)}`, ['Case', 'Before', 'Now'], items,
      (item) => [caseLink(item.case), mark(item.before), mark(item.after)]);
  }, key === 'regressions');
}

function choiceList(change) {
  if (!change.counts.choices) return null;
  return opening([markOf({ symbol: '≠', tone: 'soft' }, plural(change.counts.choices, 'choice')),
    quiet(' another outcome where the documents leave it open')], (body) => {
    longTable(body, `Choices: ${deviceName(change.device)}`, ['Case', 'Before', 'Now'], change.choices,
      (item) => [caseLink(item.case), item.before, item.after]);
  });
}

function changesOf(change) {
  const { counts, timing } = change;
  const lists = changeKinds.map((kind) => changeList(change, ...kind)).concat([choiceList(change)]);
  const same = counts.same === counts.both ? `All ${number(counts.both)} cases in both ended the same.`
    : `${number(counts.same)} of ${number(counts.both)} cases in both ended the same.`;
  return [
    el('h3', {}, breakable(deviceName(change.device)), ' ', quiet(`${runName(change.before)} → ${runName(change.after)}`)),
    el('p', {}, same, timing && [' Times: ', slowerFaster(timing), ', see ', el('a', { href: '#timing' }, 'Timing'), '.']),
    ...lists,
  ];
}

function changes() {
  const regressions = report.changes.reduce((sum, change) => sum + change.counts.regressions, 0);
  const part = section('changes', 'Changes since the baseline', report.changes.length ? plural(regressions, 'regression') : '');
  if (!report.changes.length) part.append(empty('No device has an earlier run to compare with.', 'assay run -d DEVICE --db results.db'));
  for (const change of report.changes) add(part, changesOf(change));
}
