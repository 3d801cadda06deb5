// Charts, drawn by uPlot if the build has it. Colours come from the style sheet and change with the colour scheme.

const dashes = [[], [6, 3], [2, 3], [9, 3, 2, 3]];

function chartColours() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const series = [0, 1, 2, 3, 4].map((i) => colour(`--series-${i}`));
  return { text: colour('--text'), line: colour('--line'), series };
}

function seriesLook(index, colours) {
  return { stroke: colours.series[index % 5], width: 2, dash: dashes[Math.floor(index / 5) % 4], spanGaps: true };
}

// Round values for a scale: 1, 2, 5 per decade, or equal steps in a narrow range.
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

// make(colours) returns uPlot's options without the size, and its data. Neither may contain markup.
function chart(parent, label, make) {
  if (typeof uPlot === 'undefined') {
    parent.append(empty('This build has no charts: uPlot could not be fetched. The tables hold the same numbers.'));
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
    const size = { width: holder.clientWidth || 600, height: 260 };
    plot = new uPlot({ ...options, ...size, legend: { show: false }, cursor: { show: false } }, data, holder);
  };
  // A chart takes long to draw, so it waits until it is in view, or until the page is printed.
  redraws.add(redraw);
  new IntersectionObserver((entries, observer) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    observer.disconnect();
    redraws.add(redraw);
    redraw();
  }).observe(holder);
  new ResizeObserver(() => {
    const width = holder.clientWidth;
    if (plot && width && width !== plot.width) plot.setSize({ width, height: 260 });
  }).observe(holder);
}

function axis(colours, more) {
  const line = { stroke: colours.line, width: 1 };
  const font = '12px system-ui, sans-serif';
  const filter = (plot, splits) => splits; // label every split
  return { stroke: colours.text, grid: line, ticks: line, font, labelFont: font, filter, ...more };
}

// The legend: numbers match those at the ends of the lines, for readers who cannot tell the colours apart.
function chartKey(names) {
  const colours = chartColours();
  return el('ol', { class: 'key' }, names.map((name, i) => {
    const sample = el('span', { class: 'sample', 'aria-hidden': 'true' });
    sample.style.borderTopStyle = i < 5 ? 'solid' : 'dashed';
    sample.style.borderTopColor = `var(--series-${i % 5})`;
    return el('li', {}, el('strong', {}, i + 1), ' ', sample, breakable(name));
  }));
}

// Draws text at values of the scales, moved by pixels.
function textAt(plot, text, x, y, [right, down], colour) {
  const { ctx } = plot;
  const pixel = devicePixelRatio;
  ctx.save();
  ctx.fillStyle = colour;
  ctx.font = `bold ${12 * pixel}px system-ui, sans-serif`;
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'left';
  ctx.fillText(text, plot.valToPos(x, 'x', true) + right * pixel, plot.valToPos(y, 'y', true) + down * pixel);
  ctx.restore();
}
