// The head of the page: the current state of each device.

function runState(run) {
  const shard = run.shards > 1 ? `, shard ${run.shard} of ${run.shards}` : '';
  return run.state === 'complete' ? `complete${shard}` : markOf(statuses.incomplete, `${run.state}${shard}`);
}

// Failures that make a run fail, and those that an expectation file lists: "no unexpected failures, 12 known".
function failuresIn({ failures, expected }) {
  const known = expected > 0 && `${number(expected)} known`;
  return list(failures ? plural(failures, 'failure') : expected ? 'no unexpected failures' : 'no failures', known);
}

// The verdict on a device, which leads to its failures.
function stateVerdict(state, device) {
  const part = state.failures ? 'failures' : state.expected ? 'known' : null;
  const verdict = markOf(state.failures ? statuses.fail : statuses.pass, failuresIn(state));
  const more = list(state.flaky > 0 && `${number(state.flaky)} flaky`, state.slow > 0 && `${number(state.slow)} slow`);
  return [part ? el('a', { href: `#${part}-${device}` }, verdict) : verdict, more && [el('br'), quiet(more)]];
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
    stateVerdict(state, index),
    state.pass_rate !== null &&
      [percent(state.pass_rate), el('br'), quiet(`${number(Math.round(state.pass_rate * sum))} ÷ ${number(sum)}`),
        run.shared_validation ? [el('br'), quiet(`${number(run.compared)} compared`)] : null],
    [tally(counts), el('br'), quiet(list(plural(state.cases, 'case'), state.expected > 0 && `${number(state.expected)} fail as expected`))],
    [`${runName(device.current)}, `, runState(run), el('br'),
      quiet(`${minute(run.started)} UTC, assay ${run.version}`), partialNote(device), el('br'), quiet(runOrigin(run))],
    [code(hex(run.seed)), el('br'), quiet('plan ', code(hex(run.plan_hash)))],
    nanoseconds(state.host_ns),
  ];
}

// The runs of a device, the newest first: how its numbers of failures went.
function deviceRuns(device, index) {
  if (device.runs.length < 2) return null;
  const numbers = device.runs.slice(-8).map((run) => number(runs[run].failures)).join(' → ');
  return opening([el('strong', {}, breakable(device.device)), ` ${plural(device.runs.length, 'run')}: `,
    device.runs.length > 8 && '… → ', numbers, ' failures'], (body) => {
    longTable(body, `Runs: ${deviceName(index)}`,
      ['Run', { name: 'Started', nowrap: true }, numeric('Failures'), numeric('Known'), numeric('Flaky'),
        { name: 'Cases', wide: true }, 'Built from'], device.runs.toReversed(), (at) => {
        const run = runs[at];
        return [[runName(at), run.partial && quiet(' partial')], minute(run.started),
          markOf(run.failures ? statuses.fail : statuses.pass, number(run.failures)), number(run.expected),
          number(run.flaky), tally(run.counts), runOrigin(run)];
      }, 10);
  });
}

function overview() {
  const sum = (what) => devices.reduce((total, { state }) => total + state[what], 0);
  const bad = devices.filter(({ state }) => state.failures).length;
  add(document.getElementById('top'),
    el('h1', {}, 'assay report'),
    el('p', { class: 'lead' },
      !devices.length ? 'There are no runs.'
        : bad ? markOf(statuses.fail, `${bad} of ${plural(devices.length, 'device')} with failures`)
          : markOf(statuses.pass, failuresIn({ failures: 0, expected: sum('expected') })),
      quiet(['', plural(cases.name.length, 'case'), plural(runs.length, 'run'), report.databases.join(', '),
        `assay ${report.assay}`].join(' · '))));
  const part = section('runs', 'Current state', number(devices.length));
  if (!devices.length) {
    part.append(empty('There are no runs.', 'assay run -d DEVICE --db results.db'));
    return;
  }
  part.append(table('The current state of each device: its newest verdict on each case',
    ['Device', 'Verdict', numeric('Pass rate'), { name: 'Cases', wide: true }, { name: 'Run', wide: true }, 'Seed', numeric('Time')],
    devices.map(overviewRow)));
  add(part, devices.map(deviceRuns));
  const shared = devices.some((_, device) => currentRun(device).shared_validation);
  part.append(note(`Pass rate: ${report.pass_rate_formula}. ${shared ? 'Compared: passes in which outputs were compared; '
    + 'behind the bridge and for ONNX Runtime, the other passes are assay’s own validation. ' : ''}Warnings do not count as passes. Time is the sum over all cases.`));
}
