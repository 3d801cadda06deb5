// The head of the page: the current run of each device.

function runState(run) {
  const shard = run.shards > 1 ? `, shard ${run.shard} of ${run.shards}` : '';
  return run.state === 'complete' ? `complete${shard}` : markOf(statuses.incomplete, `${run.state}${shard}`);
}

// Why the run failed, or that it did not, in words.
function runVerdict(run) {
  const parts = [];
  if (run.failures) parts.push(plural(run.failures, 'failure'));
  if (run.flaky) parts.push(`${number(run.flaky)} flaky`);
  if (run.expected) parts.push(`${number(run.expected)} failed as expected`);
  if (run.slow) parts.push(`${number(run.slow)} slow`);
  return markOf(run.failures ? statuses.fail : statuses.pass, parts.join(', ') || 'no failures');
}

function overviewRow(device, index) {
  const run = currentRun(index);
  const sum = run.planned - (run.counts.skip || 0) - (run.counts.unsupported || 0);
  return [
    [el('strong', {}, breakable(device.device)), el('br'), quiet(`${run.name}, ${run.driver} ${run.device_version}, feature level ${run.feature_level}`)],
    runVerdict(run),
    run.pass_rate === null ? '' : [percent(run.pass_rate), el('br'), quiet(`${number(run.counts.pass || 0)} ÷ ${number(sum)}`)],
    [tally(run.counts), el('br'), quiet(`of ${number(run.planned)} planned`)],
    [`${runName(device.current)}, `, runState(run), el('br'), quiet(`${minute(run.started)} UTC, assay ${run.version}`)],
    [code(run.seed), el('br'), quiet('plan ', code(run.plan_hash))],
    nanoseconds(run.host_ns),
  ];
}

function overview() {
  const bad = devices.filter((_, device) => currentRun(device).failures).length;
  add(document.getElementById('top'),
    el('h1', {}, 'assay report'),
    el('p', { class: 'lead' },
      !devices.length ? 'No run is in here.'
        : bad ? markOf(statuses.fail, `${bad} of ${plural(devices.length, 'device')} with failures`)
          : markOf(statuses.pass, 'no failures'),
      quiet(` · ${plural(cases.name.length, 'case')} · ${plural(runs.length, 'run')} · ${report.databases.join(', ')} · assay ${report.assay}`)));
  const part = section('runs', 'Current runs', number(devices.length));
  if (!devices.length) {
    part.append(empty('There is no run.', 'assay run -d DEVICE --db results.db'));
    return;
  }
  part.append(table('The newest run of each device',
    ['Device', 'Verdict', { name: 'Pass rate', number: true }, 'Cases', 'Run', 'Seed', { name: 'Time', number: true }],
    devices.map(overviewRow)));
  add(part, el('p', { class: 'quiet' }, `Pass rate: ${report.pass_rate_formula}. A warning is no pass. Time is the sum over cases, on the host.`));
}
