// Times: their history by operator and device, their distribution, what became slower or faster.

const slower = { symbol: '▲', tone: 'bad' };
const faster = { symbol: '▼', tone: 'good' };
const times = (ratio) => `${ratio >= 10 ? Math.round(ratio) : ratio.toFixed(2)}×`;

function slowerFaster(timing) {
  if (!timing.slower_count && !timing.faster_count) return markOf({ symbol: '=', tone: 'quiet' }, `none of ${number(timing.tested)} tested differ`);
  return [markOf(timing.slower_count ? slower : none, `${number(timing.slower_count)} slower`), ', ',
    markOf(timing.faster_count ? faster : none, `${number(timing.faster_count)} faster`), ` of ${number(timing.tested)} tested`];
}

// What is said of a whole operator on a device, in its current run: { look, text }, or null.
function operatorVerdict(operator, device) {
  const timing = report.changes.find((change) => change.device === device)?.timing;
  const of = (list) => list?.find((entry) => entry.case === null && entry.operator === operator);
  const slow = of(timing?.slower);
  if (slow) return { look: slower, text: `slower ${times(slow.ratio)}` };
  const fast = of(timing?.faster);
  return fast ? { look: faster, text: `faster ${times(fast.ratio)}` } : null;
}

// ---- history

function historyChart(parent, operator, rows) {
  const xs = rows.map((_, i) => i);
  const shown = devices.map((_, i) => i).filter((device) => rows.some((row) => runs[row.run].device === device));
  const lines = shown.map((device) => rows.map((row) => (runs[row.run].device === device ? row.geomean_ns : null)));
  const all = lines.flat().filter((value) => value > 0);
  if (!all.length) return;
  const range = [Math.min(...all) / 1.15, Math.max(...all) * 1.15];
  const label = `Geometric mean of the time of ${operator || 'all operators'} by run; the table after it holds the same numbers`;
  chart(parent, label, (colours) => [{
    scales: { x: { time: false, range: [-0.4, rows.length - 0.4] }, y: { distr: 3, range: () => range } },
    axes: [axis(colours, { splits: () => xs.filter((x) => x % Math.ceil(xs.length / 12) === 0), values: (plot, at) => at.map((x) => `${runs[rows[x].run].run}`), label: 'run', labelSize: 18 }),
      axis(colours, { splits: () => roundSplits(...range), values: (plot, at) => at.map(roundTime), size: 64 })],
    series: [{}, ...shown.map((_, i) => ({ ...seriesLook(i, colours), points: { show: true, size: 6 } }))],
    cursor: { drag: { x: false, y: false } },
    hooks: { draw: [(plot) => shown.forEach((device, i) => {
      const last = lines[i].findLastIndex((value) => value !== null);
      const verdict = operatorVerdict(operator, device);
      textAt(plot, `${i + 1}${verdict ? ` ${verdict.look.symbol}` : ''}`, plot.valToPos(last, 'x', true) + 8, plot.valToPos(lines[i][last], 'y', true), colours.series[i % 5]);
    })] },
  }, [xs, ...lines]]);
  parent.append(chartKey(shown.map(deviceName)));
}

// The newest first.
function historyTable(parent, operator, rows) {
  const numeric = (name) => ({ name, number: true });
  longTable(parent, `Times of ${operator || 'all operators'} by run`,
    ['Run', 'Device', { name: 'Started', nowrap: true }, numeric('Cases'), numeric('Geometric mean'), numeric('10 %'), numeric('50 %'), numeric('90 %'), numeric('99 %'), 'Against the baseline'],
    rows.toReversed(), (row) => {
      const run = runs[row.run];
      const verdict = devices[run.device].current === row.run ? operatorVerdict(operator, run.device) : null;
      return [runName(row.run), breakable(deviceName(run.device)), minute(run.started), number(row.cases),
        ...[row.geomean_ns, row.p10, row.p50, row.p90, row.p99].map(nanoseconds), verdict ? markOf(verdict.look, verdict.text) : ''];
    });
}

// ---- distribution, of the current runs

function distributionChart(parent, operator, list) {
  const label = `Distribution of the times of ${operator || 'all operators'}; the table after it holds the same numbers`;
  const tables = list.map(({ edges_ns: edges, counts }) => [edges.map((edge) => Math.max(edge, 1)), [...counts, 0]]);
  const range = [Math.min(...tables.map(([edges]) => edges[0])), Math.max(...tables.map(([edges]) => edges.at(-1)))];
  chart(parent, label, (colours) => [{
    scales: { x: { time: false, distr: 3, range: () => range } },
    axes: [axis(colours, { splits: () => roundSplits(...range), values: (plot, at) => at.map(roundTime), label: 'time of a case', labelSize: 18, space: 50 }),
      axis(colours, { size: 64, values: (plot, at) => at.map(number), label: 'cases', labelSize: 18 })],
    series: [{}, ...list.map((_, i) => ({ ...seriesLook(i, colours), paths: uPlot.paths.stepped({ align: 1 }), points: { show: false } }))],
    cursor: { drag: { x: false, y: false } },
    hooks: { draw: [(plot) => tables.forEach(([edges, counts], i) => {
      const top = counts.indexOf(Math.max(...counts));
      textAt(plot, `${i + 1}`, plot.valToPos(edges[top], 'x', true) + 4, plot.valToPos(counts[top], 'y', true) - 8, colours.series[i % 5]);
    })] },
  }, uPlot.join(tables)]);
  parent.append(chartKey(list.map(({ run }) => `${deviceName(runs[run].device)} (${runName(run)})`)));
}

function distributionTable(operator, list) {
  const bins = new Map(); // by edges, which devices may share
  list.forEach(({ edges_ns: edges, counts }, column) => counts.forEach((count, i) => {
    const key = `${edges[i]} ${edges[i + 1]}`;
    if (!bins.has(key)) bins.set(key, { from: edges[i], to: edges[i + 1], counts: [] });
    bins.get(key).counts[column] = count;
  }));
  const sorted = [...bins.values()].filter(({ counts }) => counts.some(Boolean)).sort((a, b) => a.from - b.from || a.to - b.to);
  return table(`Distribution of the times of ${operator || 'all operators'}`,
    ['Time of a case', ...list.map(({ run }) => ({ name: breakable(deviceName(runs[run].device)), number: true }))],
    sorted.map(({ from, to, counts }) => [`${nanoseconds(from)} to ${nanoseconds(to)}`, ...list.map((_, i) => number(counts[i] || 0))]));
}

// ---- slower and faster

function changedTimes(part) {
  for (const { device, before, after, timing } of report.changes) {
    if (!timing) continue;
    const entries = [...timing.slower.map((entry) => [slower, 'slower', entry]), ...timing.faster.map((entry) => [faster, 'faster', entry])];
    add(part, el('h3', {}, 'Slower and faster: ', breakable(deviceName(device)), ' ', quiet(`${runName(before)} → ${runName(after)}`)), el('p', {}, slowerFaster(timing)));
    if (!entries.length) continue;
    longTable(part, `Slower and faster: ${deviceName(device)}`, ['Case or operator', 'Change', { name: 'Before', number: true },
      { name: 'Now', number: true }, { name: 'Ratio', number: true }, { name: 'False discovery rate', number: true }], entries,
    ([look, word, entry]) => [entry.case === null ? `all of ${entry.operator || 'them'}` : caseLink(entry.case), markOf(look, word),
      nanoseconds(entry.before_ns), nanoseconds(entry.after_ns), times(entry.ratio), entry.q.toPrecision(2)], 20);
  }
}

function timing() {
  const { operators, histograms } = report.timing;
  const slow = report.changes.reduce((sum, change) => sum + (change.timing?.slower_count || 0), 0);
  const part = section('timing', 'Timing', slow ? `${number(slow)} slower` : '');
  if (!operators.length) {
    part.append(empty('No case has a time.', 'assay run -d DEVICE --db results.db'));
    return;
  }
  const holder = el('div');
  const select = el('select', {}, operators.map(({ operator }) => el('option', { value: operator }, operator || 'all operators')));
  const show = () => {
    const operator = select.value;
    const rows = operators.find((entry) => entry.operator === operator).runs;
    const list = histograms.filter((entry) => entry.operator === operator);
    clear(holder);
    add(holder, el('h3', {}, 'History'), el('p', { class: 'quiet' }, 'Geometric mean of the time on the host, by run.'));
    historyChart(holder, operator, rows);
    historyTable(holder, operator, rows);
    if (!list.length) return;
    add(holder, el('h3', {}, 'Distribution'), el('p', { class: 'quiet' }, 'Times of the cases of the current runs.'));
    distributionChart(holder, operator, list);
    holder.append(opening('The numbers of the distribution', (body) => body.append(distributionTable(operator, list))));
  };
  select.addEventListener('change', show);
  add(part, el('label', { class: 'choose' }, 'Operator', select), holder);
  show();
  changedTimes(part);
}
