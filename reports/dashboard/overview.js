// The head of the page: the current state of each device.

function runState(run) {
  const shard = run.shards > 1 ? `, shard ${run.shard} of ${run.shards}` : '';
  return run.state === 'complete' ? `complete${shard}` : markOf(statuses.incomplete, `${run.state}${shard}`);
}

// Makes the verdict on a device, a link to its failures: "no failures, 12 known".
function stateVerdict({ failures, counts, slow }, device) {
  const part = failures ? 'failures' : counts.known ? 'known' : null;
  const words = list(failures ? plural(failures, 'failure') : 'no failures', counts.known && `${number(counts.known)} known`);
  const verdict = markOf(failures ? statuses.fail : statuses.pass, words);
  return [part ? el('a', { href: `#${part}-${device}` }, verdict) : verdict,
    slow > 0 && [el('br'), quiet(`${number(slow)} slow`)]];
}

// Makes the source of the device: revision and build.
function runOrigin(run) {
  const build = run.device_build || run.device_hash;
  return list(revisionOf(run), build && `build ${build.slice(0, 12)}`);
}

// Makes the selection of cases of a partial run, as given.
function scopeOf(run) {
  const shard = run.shards > 1 && `shard ${run.shard} of ${run.shards}`;
  const scope = list(run.filters, run.operators && `operators ${run.operators}`, run.levels && `levels ${run.levels}`,
    run.tier && `tier ${run.tier}`, run.source, shard, run.purpose === 'rerun' && 'what failed before');
  return scope || 'a part of the plan';
}

// Lists the operators for which a device has verdicts.
function operatorsOn(device) {
  const { status } = cases.devices[device];
  return [...new Set(cases.operator.filter((_, item) => status[item] !== '-'))].map((at) => cases.operators[at]);
}

// Describes the coverage of the state if it is less than the whole default plan or older than the last run.
function coverageNote({ state }, device) {
  const run = currentRun(device);
  const older = state.ran < state.cases && ['Of ', plural(state.cases, 'verdict'), `, ${number(state.ran)} are of this run, `,
    `the others of earlier ones, since ${runName(state.since)}. `];
  const partial = !report.conformance[device]?.whole && ['No whole run counts: this covers ',
    operatorNames(operatorsOn(device)), ' alone. '];
  return (run.partial || older || partial) && [el('br'), markOf(statuses.warn, 'partial'),
    quiet(run.partial && ` ${scopeOf(run)}`, '. ', older, partial)];
}

function overviewRow(device, index) {
  const run = currentRun(index);
  const { state } = device;
  const { counts } = state;
  const sum = state.cases - (counts.skip || 0) - (counts.unsupported || 0);
  const version = run.device_version && `version ${run.device_version}`;
  return [
    [el('strong', {}, breakable(device.device)), el('br'), quiet(list(run.name, run.driver, version, levelOf(run)))],
    stateVerdict(state, index),
    state.pass_rate !== null &&
      [percent(state.pass_rate), el('br'), quiet(`${number(counts.pass || 0)} ÷ ${number(sum)}`),
        run.shared_validation ? [el('br'), quiet(`${number(run.compared)} compared`)] : null],
    [tally(counts), el('br'), quiet(plural(state.cases, 'case'))],
    [`${runName(device.current)}, `, runState(run), el('br'),
      quiet(linked(list(`${minute(run.started)} UTC`, `assay ${run.version}`, runOrigin(run)))), coverageNote(device, index)],
    [code(hex(run.seed)), el('br'), quiet('plan ', code(hex(run.plan_hash)))],
    nanoseconds(state.host_ns),
  ];
}

// Makes one line that summarises the report.
function lead() {
  const { searches, findings } = report.fuzz;
  const mutants = report.mutation.length;
  const bad = devices.filter(({ state }) => state.failures).length;
  const known = devices.reduce((total, { state }) => total + (state.counts.known || 0), 0);
  const parts = [];
  if (devices.length) {
    parts.push(bad ? markOf(statuses.fail, `${bad} of ${plural(devices.length, 'device')} with failures`)
      : markOf(statuses.pass, list('no failures', known && `${number(known)} known`)));
  }
  if (searches.length) {
    const listed = findings.filter(({ reason }) => reason).length;
    parts.push(markOf(findings.some(({ failure, reason }) => failure && !reason) ? statuses.fail : statuses.pass,
      `${plural(findings.length, 'finding')}${listed ? ` (${number(listed)} known)` : ''} of ${plural(searches.length, 'search', 'searches')}`));
  }
  if (mutants) {
    const left = uncaught().length;
    parts.push(left ? markOf(statuses.fail, `${number(left)} of ${plural(mutants, 'mutant')} not caught`)
      : markOf(statuses.pass, `no survivor among ${plural(mutants, 'mutant')}`));
  }
  return parts.length ? parts.flatMap((part, i) => [i > 0 && ', ', part]) : 'There are no runs.';
}

// The causes that are new come first; of one age, those with more cases.
function whatBroke() {
  return report.groups.filter(({ kind }) => kind === 'failure')
    .sort((a, b) => b.newest - a.newest || b.cases - a.cases || a.device - b.device);
}

// Names the runs between which a cause came: the first that failed, and the last that was good.
function brokenSince({ device, newest, members }) {
  if (newest === null) return 'not known';
  const good = members.map((item) => detailOf(item, device)).find((one) => one?.first_bad === newest)?.last_good;
  return [el('strong', {}, linked(runAndOrigin(newest))), devices[device].runs.length === 1 && quiet(', its only run'),
    Number.isInteger(good) && [el('br'), quiet('good in ', linked(runAndOrigin(good)))]];
}

// Gives the reason of a cause: the text of the first rule that it breaks.
function brokenWhy({ device, broken, members, title }) {
  const operator = cases.operators[cases.operator[members[0]]];
  const detail = detailOf(members[0], device);
  const rule = broken.split(', ')[0] || detail?.rule || '';
  const text = ruleText(operator, rule);
  return [rule && code(rule), text && `: ${text}`, !rule && (detail?.message || title)];
}

function brokenRow(item) {
  const operators = [...new Set(item.members.map((one) => cases.operators[cases.operator[one]]))];
  return [
    [el('a', { href: `#groups-${item.device}` }, markOf(statuses.fail, plural(item.cases, 'failure'))), ' ', item.title,
      quiet(` · ${operators.length > 2 ? plural(operators.length, 'operator') : operators.join(', ')}`)],
    breakable(deviceName(item.device)), brokenSince(item), brokenWhy(item)];
}

// Makes the answer to what broke, since when, by which revision, and why.
function broke() {
  const all = whatBroke();
  const rest = all.length - 4;
  if (!all.length) return null;
  return [table('What broke, the newest first', [{ name: 'Broke', wide: true }, 'Device', { name: 'Since', wide: true },
    { name: 'Why', wide: true }], all.slice(0, 4).map(brokenRow)),
  rest > 0 && el('p', {}, el('a', { href: '#groups' }, `and ${plural(rest, 'more cause')}`))];
}

function overview() {
  const size = [devices.length > 0 && plural(cases.name.length, 'case'), runs.length > 0 && plural(runs.length, 'run'),
    report.databases.join(', '), `assay ${report.assay}`];
  add(document.getElementById('top'), el('h1', {}, 'assay report'),
    el('p', { class: 'lead' }, lead(), quiet(['', ...size.filter(Boolean)].join(' · '))),
    devices.length > 0 && [broke(), pictures()]);
  const part = section('runs', 'Current state', number(devices.length));
  if (!devices.length) {
    part.append(empty('There are no runs.', 'assay run -d DEVICE --db results.db'));
    return;
  }
  part.append(table('The current state of each device: its newest verdict on each case',
    ['Device', 'Verdict', numeric('Pass rate'), { name: 'Cases', wide: true }, { name: 'Run', wide: true }, 'Seed', numeric('Time')],
    devices.map(overviewRow)));
  const shared = devices.some((_, device) => currentRun(device).shared_validation);
  part.append(note('Everywhere on this page, each case counts once, for how it ended. ',
    `Failures: ${report.failures_formula}. Flaky: the attempts at the case disagree. Known: it fails as an expectation file `,
    'says; unexpected: it ends well and that file says otherwise. ', `Pass rate: ${report.pass_rate_formula}. `,
    shared && 'Compared: passes in which outputs were compared; behind the bridge and for ONNX Runtime, the other passes '
      + 'are assay’s own validation. ',
    'Time is the sum over all cases.'));
}
