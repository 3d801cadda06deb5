// The head of the page: the current state of each device.

function runState(run) {
  const shard = run.shards > 1 ? `, shard ${run.shard} of ${run.shards}` : '';
  return run.state === 'complete' ? `complete${shard}` : markOf(statuses.incomplete, `${run.state}${shard}`);
}

// The verdict on a device, with numbers of failures, flaky, expected and slow cases.
function stateVerdict(state) {
  const parts = [];
  if (state.failures) parts.push(plural(state.failures, 'failure'));
  if (state.flaky) parts.push(`${number(state.flaky)} flaky`);
  if (state.expected) parts.push(`${number(state.expected)} as expected`);
  if (state.slow) parts.push(`${number(state.slow)} slow`);
  return markOf(state.failures ? statuses.fail : statuses.pass, parts.join(', ') || 'no failures');
}

// What the device was built from.
function runOrigin(run) {
  const build = run.device_build || run.device_hash;
  return list(run.label && `label ${run.label}`, run.revision && `revision ${run.revision}`, run.branch,
    build && `build ${build.slice(0, 12)}`);
}

// Where the verdicts come from, if not all are of the last run.
function partialNote({ state }) {
  return state.ran < state.cases && [el('br'), markOf(statuses.warn, 'partial'),
    quiet(` ${number(state.ran)} of ${plural(state.cases, 'case')}, the others since ${runName(state.since)}`)];
}

function overviewRow(device, index) {
  const run = currentRun(index);
  const { state } = device;
  const { counts } = state;
  const sum = state.cases - (counts.skip || 0) - (counts.unsupported || 0);
  const version = run.device_version && `version ${run.device_version}`;
  return [
    [el('strong', {}, breakable(device.device)), el('br'),
      quiet(list(run.name, run.driver, version, `feature level ${run.feature_level}`))],
    stateVerdict(state),
    state.pass_rate !== null &&
      [percent(state.pass_rate), el('br'), quiet(`${number(Math.round(state.pass_rate * sum))} ÷ ${number(sum)}`),
        run.shared_validation ? [el('br'), quiet(`${number(run.compared)} compared`)] : null],
    [tally(counts), el('br'), quiet(`${plural(state.cases, 'case')}`)],
    [`${runName(device.current)}, `, runState(run), el('br'),
      quiet(`${minute(run.started)} UTC, assay ${run.version}`), partialNote(device), el('br'), quiet(runOrigin(run))],
    [code(hex(run.seed)), el('br'), quiet('plan ', code(hex(run.plan_hash)))],
    nanoseconds(state.host_ns),
  ];
}

function overview() {
  const known = devices.reduce((sum, _, device) => sum + (currentRun(device).expected || 0), 0);
  const bad = devices.filter(({ state }) => state.failures).length;
  add(document.getElementById('top'),
    el('h1', {}, 'assay report'),
    el('p', { class: 'lead' },
      !devices.length ? 'There are no runs.'
        : bad ? markOf(statuses.fail, `${bad} of ${plural(devices.length, 'device')} with failures`)
          : markOf(statuses.pass, known ? `no unexpected failures, ${number(known)} known` : 'no failures'),
      quiet(['', plural(cases.name.length, 'case'), plural(runs.length, 'run'), report.databases.join(', '),
        `assay ${report.assay}`].join(' · '))));
  const part = section('runs', 'Current state', number(devices.length));
  if (!devices.length) {
    part.append(empty('There are no runs.', 'assay run -d DEVICE --db results.db'));
    return;
  }
  part.append(table('The current state of each device: its newest verdict on each case',
    ['Device', 'Verdict', numeric('Pass rate'), 'Cases', 'Run', 'Seed', numeric('Time')],
    devices.map(overviewRow)));
  const shared = devices.some((_, device) => currentRun(device).shared_validation);
  part.append(note(`Pass rate: ${report.pass_rate_formula}. ${shared ? 'Compared: passes in which outputs were compared; '
    + 'behind the bridge and for ONNX Runtime, the other passes are assay’s own validation. ' : ''}Warnings do not count as passes. Time is the sum over all cases.`));
}
