// Charts, drawn by uPlot where the build has it. Colours and dashes come from the style, and change with it.

const dashes = [[], [6, 3], [2, 3], [9, 3, 2, 3]];

function chartColours() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  return { text: colour('--text'), line: colour('--line'), series: [0, 1, 2, 3, 4].map((i) => colour(`--series-${i}`)) };
}

function seriesLook(index, colours) {
  return { stroke: colours.series[index % 5], width: 2, dash: dashes[Math.floor(index / 5) % 4], spanGaps: true };
}

// Round values of a scale: 1, 2, 5 of each decade, or equal steps where it is narrow.
function roundSplits(min, max) {
  const splits = [];
  if (max / min > 6) {
    for (let decade = 10 ** Math.floor(Math.log10(min)); decade <= max; decade *= 10) {
      for (const part of max / min > 2000 ? [1] : [1, 2, 5]) splits.push(decade * part);
    }
  } else {
    const rough = (max - min) / 4;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((part) => part * power).find((part) => part >= rough);
    for (let value = Math.ceil(min / step) * step; value <= max; value += step) splits.push(value);
  }
  return splits.filter((value) => value >= min && value <= max);
}

const redraws = new Set();

function redrawCharts() {
  for (const redraw of redraws) redraw();
}

// make(colours) gives uPlot's options, less the size, and its data. Nothing of it may come from markup.
function chart(parent, label, make) {
  if (typeof uPlot === 'undefined') {
    add(parent, el('p', { class: 'empty' }, 'This build has no charts, since uPlot could not be fetched; the tables hold the same numbers.'));
    return;
  }
  const holder = el('div', { class: 'chart', role: 'img', 'aria-label': label });
  parent.append(holder);
  let plot = null;
  const redraw = () => {
    if (!holder.isConnected) {
      redraws.delete(redraw);
      plot?.destroy();
      return;
    }
    const [options, data] = make(chartColours());
    plot?.destroy();
    plot = new uPlot({ ...options, width: holder.clientWidth || 600, height: 260, legend: { show: false } }, data, holder);
  };
  redraws.add(redraw);
  redraw();
  new ResizeObserver(() => plot && holder.clientWidth && holder.clientWidth !== plot.width && plot.setSize({ width: holder.clientWidth, height: 260 })).observe(holder);
}

function axis(colours, more) {
  return { stroke: colours.text, grid: { stroke: colours.line, width: 1 }, ticks: { stroke: colours.line, width: 1 },
    font: '12px system-ui, sans-serif', labelFont: '12px system-ui, sans-serif', filter: (plot, splits) => splits, ...more };
}

// What tells the lines apart beside their colours: a number at the end of each, and here.
function chartKey(names) {
  const colours = chartColours();
  return el('ol', { class: 'key' }, names.map((name, i) => {
    const sample = el('span', { class: 'sample', 'aria-hidden': 'true' });
    sample.style.borderTopStyle = i < 5 ? 'solid' : 'dashed';
    sample.style.borderTopColor = `var(--series-${i % 5})`;
    return el('li', {}, el('strong', {}, i + 1), ' ', sample, breakable(name));
  }));
}

function textAt(plot, text, x, y, colour) {
  const { ctx } = plot;
  ctx.save();
  ctx.fillStyle = colour;
  ctx.font = `bold ${12 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'left';
  ctx.fillText(text, x, y);
  ctx.restore();
}
