// Times: history by operator and device, distribution, slower and faster cases.

const slower = { symbol: '▲', tone: 'bad' };
const faster = { symbol: '▼', tone: 'good' };
const times = (ratio) => `${ratio >= 10 ? Math.round(ratio) : ratio.toFixed(2)}×`;

function slowerFaster(timing) {
  const { tested, slower_count: slow, faster_count: fast } = timing;
  if (!slow && !fast) return markOf({ symbol: '=', tone: 'quiet' }, `none of ${number(tested)} tested differ`);
  return [markOf(slow ? slower : none, `${number(slow)} slower`), ', ',
    markOf(fast ? faster : none, `${number(fast)} faster`), ` of ${number(tested)} tested`];
}

// The verdict on an operator as a whole on a device, in its current run: { look, text }, or null.
function operatorVerdict(operator, device) {
  const timing = report.changes.find((change) => change.device === device)?.timing;
  const of = (list) => list?.find((entry) => entry.case === null && entry.operator === operator);
  const slow = of(timing?.slower);
  if (slow) return { look: slower, text: `slower ${times(slow.ratio)}` };
  const fast = of(timing?.faster);
  return fast ? { look: faster, text: `faster ${times(fast.ratio)}` } : null;
}

// ---- history

// A run in a chart: its number, or its place among the runs if they are of several databases.
const runLabel = (run) => (report.databases.length > 1 ? run + 1 : runs[run].run);

function historyChart(parent, operator, rows) {
  const xs = rows.map((_, i) => i);
  const labelled = xs.filter((x) => x % Math.ceil(xs.length / 12) === 0);
  const shown = devices.map((_, i) => i).filter((device) => rows.some((row) => runs[row.run].device === device));
  const lines = shown.map((device) => rows.map((row) => (runs[row.run].device === device ? row.ratio : null)));
  const all = lines.flat().filter((value) => value > 0);
  if (!all.length) return;
  const range = [Math.min(0.5, ...all) / 1.15, Math.max(2, ...all) * 1.15];
  const label = `Times of ${operator || 'all operators'} by run: the table below holds the same numbers`;
  chart(parent, label, (colours) => [{
    scales: { x: { time: false, range: [-0.4, rows.length - 0.4] }, y: { distr: 3, range: () => range } },
    axes: [axis(colours, { splits: () => labelled, values: (plot, at) => at.map((x) => runLabel(rows[x].run)),
      label: report.databases.length > 1 ? 'run, numbered over all databases' : 'run', labelSize: 18 }),
    axis(colours, { splits: () => roundSplits(...range), values: (plot, at) => at.map(times), size: 64 })],
    series: [{}, ...shown.map((_, i) => ({ ...seriesLook(i, colours), points: { show: true, size: 6 } }))],
    hooks: { draw: [(plot) => shown.forEach((device, i) => {
      const last = lines[i].findLastIndex((value) => value !== null);
      if (last < 0) return;
      const verdict = operatorVerdict(operator, device);
      const text = `${i + 1} ${verdict ? verdict.look.symbol : ''}`;
      textAt(plot, text, last, lines[i][last], [8, 0], colours.series[i % 5]);
    })] },
  }, [xs, ...lines]]);
  parent.append(chartKey(shown.map(deviceName)));
}

// Sorted, the newest first.
function historyTable(parent, operator, rows) {
  const several = report.databases.length > 1;
  const tested = report.changes.some(({ timing }) => timing);
  longTable(parent, `Times of ${operator || 'all operators'} by run`,
    [...(several ? ['Number'] : []), 'Run', { name: 'Device', wide: true }, { name: 'Started', nowrap: true },
      ...['Shared cases', 'Against the newest', 'Cases', 'Geometric mean',
        '10 %', '50 %', '90 %', '99 %'].map(numeric), ...(tested ? ['Tested against the baseline'] : [])],
    rows.toReversed(), (row) => {
      const run = runs[row.run];
      const current = devices[run.device].current === row.run;
      const verdict = current ? operatorVerdict(operator, run.device) : null;
      return [...(several ? [number(row.run + 1)] : []), runName(row.run), breakable(deviceName(run.device)),
        minute(run.started), number(row.shared), row.ratio ? times(row.ratio) : 'no case in common', number(row.cases),
        ...[row.geomean_ns, row.p10, row.p50, row.p90, row.p99].map(nanoseconds),
        ...(tested ? [verdict ? markOf(verdict.look, verdict.text) : quiet(current ? 'no difference found' : 'not the current run')]
          : [])];
    });
}

// Gives the reason if no times are compared with the baseline.
function whyUntested() {
  if (!report.changes.length) return 'No device has a baseline to compare times with.';
  return 'No times are compared with a baseline: that takes five times of each case from both runs, which runs of '
    + 'assay compare --time take.';
}

// ---- distribution, of the newest times

function whoseTimes(common) {
  if (devices.length === 1) return 'The newest times.';
  if (common) return `The newest times of the ${plural(common, 'case')} that all devices have.`;
  return 'The newest times of each device. The devices have no case in common: these are of different cases.';
}

function distributionChart(parent, operator, list) {
  const label = `Distribution of times of ${operator || 'all operators'}: the table below holds the same numbers`;
  const tables = list.map(({ edges_ns: edges, counts }) => [edges.map((edge) => Math.max(edge, 1)), [...counts, 0]]);
  const range = [Math.min(...tables.map(([edges]) => edges[0])), Math.max(...tables.map(([edges]) => edges.at(-1)))];
  const steps = typeof uPlot !== 'undefined' && { paths: uPlot.paths.stepped({ align: 1 }), points: { show: false } };
  chart(parent, label, (colours) => [{
    scales: { x: { time: false, distr: 3, range: () => range } },
    axes: [axis(colours, { splits: () => roundSplits(...range), values: (plot, at) => at.map(roundTime),
      label: 'time of a case', labelSize: 18 }),
      axis(colours, { size: 64, values: (plot, at) => at.map(number), label: 'cases', labelSize: 18 })],
    series: [{}, ...list.map((_, i) => ({ ...seriesLook(i, colours), ...steps }))],
    hooks: { draw: [(plot) => tables.forEach(([edges, counts], i) => {
      const top = counts.indexOf(Math.max(...counts));
      textAt(plot, i + 1, edges[top], counts[top], [4, -8], colours.series[i % 5]);
    })] },
  }, uPlot.join(tables)]);
  parent.append(chartKey(list.map(({ run }) => `${deviceName(runs[run].device)} (${runName(run)})`)));
}

function distributionTable(operator, list) {
  const bins = new Map(); // by their edges, which devices may share
  list.forEach(({ edges_ns: edges, counts }, column) => counts.forEach((count, i) => {
    const key = `${edges[i]} ${edges[i + 1]}`;
    if (!bins.has(key)) bins.set(key, { from: edges[i], to: edges[i + 1], counts: [] });
    bins.get(key).counts[column] = count;
  }));
  const filled = [...bins.values()].filter(({ counts }) => counts.some(Boolean));
  return table(`Distribution of the times of ${operator || 'all operators'}`,
    ['Time of a case', ...list.map(({ run }) => numeric(breakable(deviceName(runs[run].device))))],
    filled.sort((a, b) => a.from - b.from || a.to - b.to).map(({ from, to, counts }) =>
      [`${nanoseconds(from)} to ${nanoseconds(to)}`, ...list.map((_, i) => number(counts[i] || 0))]));
}

// ---- slower and faster

function changedTimes(part) {
  for (const change of report.changes.filter(({ timing }) => timing)) {
    const { device, timing } = change;
    add(part, el('h3', {}, 'Slower and faster: ', breakable(deviceName(device)), ' ', fromTo(change)),
      el('p', {}, slowerFaster(timing)));
    const entries = [...timing.slower.map((entry) => [markOf(slower, 'slower'), entry]),
      ...timing.faster.map((entry) => [markOf(faster, 'faster'), entry])];
    if (!entries.length) continue;
    longTable(part, `Slower and faster: ${deviceName(device)}`,
      ['Case or operator', 'Change', ...['Before', 'Now', 'Ratio', 'False discovery rate'].map(numeric)], entries,
      ([verdict, entry]) => [entry.case === null ? `all of ${entry.operator || 'them'}` : caseLink(entry.case), verdict,
        nanoseconds(entry.before_ns), nanoseconds(entry.after_ns), times(entry.ratio), entry.q.toPrecision(2)], 20);
  }
}

function timing() {
  const { operators, histograms, common } = report.timing;
  const slow = report.changes.reduce((sum, change) => sum + (change.timing?.slower_count || 0), 0);
  const part = section('timing', 'Timing', slow ? `${number(slow)} slower` : '');
  if (!operators.length) {
    part.append(empty('There are no times.', 'assay run -d DEVICE --db results.db'));
    return;
  }
  const holder = el('div');
  const select = el('select', {},
    operators.map(({ operator }) => el('option', { value: operator }, operator || 'all operators')));
  const show = () => {
    const operator = select.value;
    const rows = operators.find((entry) => entry.operator === operator).runs;
    const list = histograms.filter((entry) => entry.operator === operator);
    clear(holder);
    holder.append(el('h3', {}, 'History'), note('The time on the host of the cases that a run shares with the ',
      'newest passes of its device, as a multiple of what they take there: 2× is half as fast. Other cases are left out.'));
    historyChart(holder, operator, rows);
    historyTable(holder, operator, rows);
    if (!list.length) return;
    holder.append(el('h3', {}, 'Distribution'), note(whoseTimes(common)));
    distributionChart(holder, operator, list);
    holder.append(opening('The numbers of the distribution', (body) => body.append(distributionTable(operator, list))));
  };
  select.addEventListener('change', show);
  add(part, el('label', { class: 'choose' }, 'Operator', select), holder);
  show();
  if (report.changes.some((change) => change.timing)) changedTimes(part);
  else part.append(note(whyUntested()));
}
