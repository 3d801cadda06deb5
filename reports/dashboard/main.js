// The page: its sections in order, its addresses, its printing.

// #case=NAME opens a case, #cases?… filters the cases; the browser handles other fragments, which are sections.
function route(fromHere) {
  const fragment = location.hash;
  const wasOpen = document.getElementById('panel').open;
  if (fragment.startsWith('#case=')) {
    let name = fragment.slice('#case='.length);
    try {
      name = decodeURIComponent(name);
    } catch {
      // keep the name: no case has it
    }
    showPanel(name, fromHere);
    return;
  }
  hidePanel();
  const target = /^#[a-z]+(-\d+)?$/.test(fragment) && document.getElementById(fragment.slice(1));
  const hidden = target && target.hidden; // another device was chosen
  if (hidden) chooseDevice('');
  // The browser looked for the section before the page had any.
  if (target && (!fromHere || hidden)) target.scrollIntoView();
  if (!fragment.startsWith('#cases?')) return;
  showFilter(filterOfFragment(fragment));
  if (!wasOpen) document.getElementById('cases')?.scrollIntoView();
}

function openAll() {
  const opened = [];
  for (let closed; (closed = document.querySelectorAll('main details:not([open])')).length;) {
    for (const one of closed) {
      one.fill();
      one.open = true;
      opened.push(one);
    }
  }
  return opened;
}

function watchPrinting() {
  let opened = [];
  addEventListener('beforeprint', () => {
    document.documentElement.classList.add('print');
    opened = openAll();
    redrawCharts();
  });
  addEventListener('afterprint', () => {
    document.documentElement.classList.remove('print');
    for (const one of opened) one.open = false;
    redrawCharts();
  });
}

document.title = visible(`assay report: ${report.databases.join(', ')}`);
overview();
runHistory();
conformance();
changes();
groups();
causes();
knownFailures();
matrix();
fingerprints();
errors();
traceability();
fuzzing();
mutants();
timing();
copies();
interaction();
allCases();
gatherAbsent();
watchPanel();
watchPrinting();
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redrawCharts);
addEventListener('hashchange', () => route(true));
route(false);
