// Counts of the cases of each device by status, run by run.

const settled = ['skip', 'unsupported']; // statuses without information about the device

const waysIn = (own) => order.filter((way) => !settled.includes(way) && own.some((run) => runs[run].counts[way])).reverse();

// Numbers of cases from 0 to many: the scale is linear near 0, then logarithmic.
function endingsChart(parent, device, own, ways) {
  const xs = own.map((_, i) => i);
  const every = Math.ceil(own.length / 12);
  const top = Math.max(...own.flatMap((run) => ways.map((way) => runs[run].counts[way] || 0)));
  const ticks = [0, 1, 10, 100, 1000, 10000, 100000, 1000000].filter((tick) => tick <= top * 2);
  const lines = ways.map((way) => own.map((run) => runs[run].counts[way] || 0));
  chart(parent, `How cases ended on ${deviceName(device)}, by run: the table below holds the same numbers`, (colours) => [{
    scales: { x: { time: false, range: [-0.4, own.length - 0.4] }, y: { distr: 4, asinh: 1, range: () => [0, top * 1.5 + 1] } },
    axes: [axis(colours, { splits: () => xs.filter((x) => x % every === 0),
      values: (plot, at) => at.map((x) => `${runs[own[x]].run}${runs[own[x]].partial ? '*' : ''}`),
      label: own.some((run) => runs[run].partial) ? 'run (*: partial)' : 'run', labelSize: 18 }),
    axis(colours, { splits: () => ticks, values: (plot, at) => at.map(number), size: 64 })],
    series: [{}, ...ways.map((_, i) => ({ ...seriesLook(i, colours), points: { show: true, size: 6 } }))],
    hooks: { draw: [(plot) => lines.forEach((line, i) => {
      const most = Math.max(...line);
      textAt(plot, i + 1, line.indexOf(most), most, [6, -9], colours.series[i % 5]);
    })] },
  }, [xs, ...lines]]);
  parent.append(chartKey(ways.map(statusWord)));
}

function runsTable(parent, device, own, ways) {
  longTable(parent, `Runs: ${deviceName(device)}`,
    ['Run', { name: 'Started', nowrap: true }, numeric('Failures'), ...ways.map((way) => numeric(statusWord(way))),
      numeric('Cases'), { name: 'Built from', wide: true }], own.toReversed(), (at) => {
      const run = runs[at];
      return [[runName(at), run.partial && quiet(` partial: ${scopeOf(run)}`)], minute(run.started),
        markOf(run.failures ? statuses.fail : statuses.pass, number(run.failures)),
        ...ways.map((way) => number(run.counts[way] || 0)), number(run.planned), linked(runOrigin(run))];
    }, 10);
}

function deviceHistory({ runs: own }, device) {
  const ways = waysIn(own);
  const numbers = own.slice(-8).map((run) => number(runs[run].failures)).join(' → ');
  const summary = [el('strong', {}, breakable(deviceName(device))), ` ${plural(own.length, 'run')}: `,
    own.length > 8 && '… → ', `${numbers} failures`];
  return opening(summary, (body) => {
    endingsChart(body, device, own, ways);
    runsTable(body, device, own, ways);
  }, own.some((run) => runs[run].failures));
}

function runHistory() {
  const several = devices.map((device, i) => [device, i]).filter(([device]) => device.runs.length > 1);
  const part = section('history', 'History', several.length > 0 && plural(runs.length, 'run'));
  if (!several.length) {
    part.append(empty('No device has more than one run.', 'assay run -d DEVICE --db results.db'));
    return;
  }
  add(part, several.map(([device, i]) => deviceHistory(device, i)));
}
