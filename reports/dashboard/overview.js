// The head of the page: the current run of each device.

function runState(run) {
  const shard = run.shards > 1 ? `, shard ${run.shard} of ${run.shards}` : '';
  return run.state === 'complete' ? `complete${shard}` : markOf(statuses.incomplete, `${run.state}${shard}`);
}

// The verdict on a run, with numbers of failures, flaky, expected and slow cases.
function runVerdict(run) {
  const parts = [];
  if (run.failures) parts.push(plural(run.failures, 'failure'));
  if (run.flaky) parts.push(`${number(run.flaky)} flaky`);
  if (run.expected) parts.push(`${number(run.expected)} as expected`);
  if (run.slow) parts.push(`${number(run.slow)} slow`);
  return markOf(run.failures ? statuses.fail : statuses.pass, parts.join(', ') || 'no failures');
}

function overviewRow(device, index) {
  const run = currentRun(index);
  const sum = run.planned - (run.counts.skip || 0) - (run.counts.unsupported || 0);
  const version = run.device_version && `version ${run.device_version}`;
  return [
    [el('strong', {}, breakable(device.device)), el('br'),
      quiet(list(run.name, run.driver, version, `feature level ${run.feature_level}`))],
    runVerdict(run),
    run.pass_rate !== null &&
      [percent(run.pass_rate), el('br'), quiet(`${number(run.counts.pass || 0)} ÷ ${number(sum)}`)],
    [tally(run.counts), el('br'), quiet(`of ${number(run.planned)} planned`)],
    [`${runName(device.current)}, `, runState(run), el('br'),
      quiet(`${minute(run.started)} UTC, assay ${run.version}`)],
    [code(hex(run.seed)), el('br'), quiet('plan ', code(hex(run.plan_hash)))],
    nanoseconds(run.host_ns),
  ];
}

function overview() {
  const known = devices.reduce((sum, _, device) => sum + (currentRun(device).expected || 0), 0);
  const bad = devices.filter((_, device) => currentRun(device).failures).length;
  add(document.getElementById('top'),
    el('h1', {}, 'assay report'),
    el('p', { class: 'lead' },
      !devices.length ? 'There are no runs.'
        : bad ? markOf(statuses.fail, `${bad} of ${plural(devices.length, 'device')} with failures`)
          : markOf(statuses.pass, known ? `no unexpected failures, ${number(known)} known` : 'no failures'),
      quiet(['', plural(cases.name.length, 'case'), plural(runs.length, 'run'), report.databases.join(', '),
        `assay ${report.assay}`].join(' · '))));
  const part = section('runs', 'Current runs', number(devices.length));
  if (!devices.length) {
    part.append(empty('There are no runs.', 'assay run -d DEVICE --db results.db'));
    return;
  }
  part.append(table('The newest run of each device',
    ['Device', 'Verdict', numeric('Pass rate'), 'Cases', 'Run', 'Seed', numeric('Time')],
    devices.map(overviewRow)));
  part.append(note(`Pass rate: ${report.pass_rate_formula}. Warnings do not count as passes. Time is the sum over all cases.`));
}
