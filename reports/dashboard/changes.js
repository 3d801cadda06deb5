// Changes since the baseline of each device.

const changeKinds = [
  ['regressions', ['regression', 'regressions'], 'did not fail, fails or is flaky now', 'fail'],
  ['fixes', ['fix', 'fixes'], 'failed or was flaky, passes or warns now', 'pass'],
  ['worse', ['worse', 'worse'], 'another, worse status', 'warn'],
  ['better', ['better', 'better'], 'another, better status', 'pass'],
  ['new', ['new', 'new'], 'not in the baseline', 'none'],
  ['gone', ['gone', 'gone'], 'only in the baseline', 'none'],
];

function changeList(change, key, words, meaning, look) {
  const items = change[key];
  const count = change.counts[key];
  if (!count) return null;
  const bad = key === 'new' && change.counts.new_failing;
  const summary = [markOf(statuses[look] || none, plural(count, ...words)),
    quiet(` ${meaning}`, bad > 0 && `, ${number(bad)} of them failing`)];
  return opening(summary, (body) => {
    if (items.length < count) body.append(note(`The first ${number(items.length)} of ${number(count)}.`));
    longTable(body, `${plural(count, ...words)}: ${deviceName(change.device)}`, ['Case', 'Before', 'Now'], items,
      (item) => [caseLink(item.case), mark(item.before), mark(item.after)]);
  }, key === 'regressions');
}

function choiceList(change) {
  if (!change.counts.choices) return null;
  return opening([markOf({ symbol: '≠', tone: 'soft' }, plural(change.counts.choices, 'choice')),
    quiet(' with another outcome where the documents leave a choice')], (body) => {
    longTable(body, `Choices: ${deviceName(change.device)}`, ['Case', 'Before', 'Now'], change.choices,
      (item) => [caseLink(item.case), item.before, item.after]);
  });
}

const fromTo = ({ before, after }) => quiet(`${runName(before)} → ${runName(after)}`);

function changesOf(change) {
  const { counts, timing } = change;
  const lists = changeKinds.map((kind) => changeList(change, ...kind)).concat([choiceList(change)]);
  const same = counts.same === counts.both ? `All ${number(counts.both)} cases in both ended the same.`
    : `${number(counts.same)} of ${number(counts.both)} cases in both ended the same.`;
  return [
    el('h3', {}, breakable(deviceName(change.device)), ' ', fromTo(change)),
    el('p', {}, same,
      timing && [' Times: ', slowerFaster(timing), ', see ', el('a', { href: '#timing' }, 'Timing'), '.']),
    ...lists,
  ];
}

function changes() {
  const regressions = report.changes.reduce((sum, change) => sum + change.counts.regressions, 0);
  const part = section('changes', 'Changes since the baseline',
    report.changes.length > 0 && plural(regressions, 'regression'));
  if (!report.changes.length) {
    part.append(empty('No device has an earlier run to compare with.', 'assay run -d DEVICE --db results.db'));
  }
  for (const change of report.changes) add(part, changesOf(change));
}
