// One case on each device. The fragment #case=NAME opens it, going back closes it.

function fact(name, ...values) {
  const known = values.flat(Infinity).filter((value) => ![null, undefined, false, ''].includes(value));
  return known.length ? [el('dt', {}, name), el('dd', {}, known)] : [];
}

// Status in each run of the device, oldest first.
function historyList(item, device) {
  const letters = historyOf(item, device);
  const own = devices[device].runs;
  return el('ol', { class: 'history' }, letters.map((letter, i) => el('li', {}, mark(byLetter[letter]),
    quiet(' ', i < own.length && runAndTime(own[i])))));
}

// A sentence or page of the documents, as a link to its page: a sentence has no address of its own.
function sourceLink(id) {
  const page = pageOf(id);
  if (!/^[A-Z]\w*$/.test(page)) return id;
  const folder = 'https://learn.microsoft.com/windows/win32/api/directml';
  const href = `${folder}/ns-directml-dml_${page.toLowerCase()}_operator_desc`;
  return el('a', { href, rel: 'noreferrer' }, id === `DML_${page}` ? id : `${id} of ${page}`);
}

const sourceLinks = (pages) => pages.split(', ').flatMap((id, i) => [i > 0 && ', ', sourceLink(id)]);

// The text of a rule and of the rulings behind it.
function ruleNotes(operator, rule, pages) {
  const text = ruleText(operator, rule);
  return [text && note(code(rule), `: ${text}`), pages && note('Sources: ', sourceLinks(pages)),
    pages.split(', ').filter(rulingText).map((id) => note(`${id}: ${rulingText(id)}`))];
}

// Shows the description and the inputs of the case.
function inputFacts(item) {
  const texts = caseTexts.get(item);
  return texts && el('dl', {},
    fact('Description', code(texts.description)),
    texts.fill !== null && fact('Inputs',
      texts.fill ? list(texts.fill, texts.indices && `indices ${texts.indices}`) : 'given by the case'),
    texts.inputs.map(({ tensor, elements }) => fact(tensor, code(elements))));
}

function detailFacts(item, detail) {
  const operator = cases.operators[cases.operator[item]];
  return el('dl', {},
    fact('Rule', detail.rule && code(detail.rule), detail.strength && `, ${detail.strength}`,
      detail.pages && [' (', sourceLinks(detail.pages), ')']),
    fact('Its text', ruleText(operator, detail.rule)),
    detail.pages.split(', ').filter(rulingText).map((id) => fact(id, rulingText(id))),
    fact('Broken rule', detail.broken && code(detail.broken),
      detail.broken !== detail.rule && [': ', ruleText(operator, detail.broken)]),
    fact('Cause', detail.cause, detail.explanations && [': ', code(detail.explanations)]),
    fact('Message', detail.message),
    fact('Expected', detail.expected),
    fact('Chosen', detail.outcome),
    fact('Wrong', wrongElement(detail)),
    fact('It depends on', detail.wrong_inputs && code(detail.wrong_inputs)),
    fact('Attempts', (detail.attempts > 1 || detail.flaky) && number(detail.attempts),
      detail.flaky && [', ', markOf(statuses.warn, 'flaky')]),
    fact('Expectation', detail.expectation, detail.reason && [': ', linked(detail.reason)]),
    fact('Expected since', minute(detail.expected_since)),
    fact('First bad', detail.first_bad !== null && runAndTime(detail.first_bad)),
    fact('Last good', detail.first_bad !== null && detail.last_good !== null && runAndTime(detail.last_good)),
    fact('Bad runs', detail.bad_runs > 0 && `${number(detail.bad_runs)} of ${number(detail.runs)}`,
      detail.flake_rate > 0 && `, flake rate ${percent(detail.flake_rate)}`),
    fact('Reproduce', detail.reproduce && command(detail.reproduce)));
}

function onDevice(item, device) {
  const detail = detailOf(item, device);
  const status = statusOf(item, device);
  const simple = !status || status === 'pass' || status === 'skip';
  return el('section', {},
    el('h3', {}, breakable(deviceName(device)), ' ', mark(status),
      quiet(' ', nanoseconds(cases.devices[device].host_ns[item]))),
    detail && detailFacts(item, detail),
    !detail && !simple && report.details_cut > 0 && note('Its details were left out of this page.'),
    devices[device].runs.length > 1 ? [el('h4', {}, 'History'), historyList(item, device)] : null);
}

function panelContent(name) {
  const item = cases.name.indexOf(name);
  const title = el('h2', { id: 'panel-title', tabindex: '-1' }, breakable(name));
  if (item < 0) return [title, el('p', {}, 'This report has no case of that name.')];
  const worst = devices.map((_, device) => device)
    .sort((a, b) => order.indexOf(statusOf(item, b)) - order.indexOf(statusOf(item, a)) || a - b);
  return [title,
    note(list(cases.operators[cases.operator[item]], cases.types_names[cases.types[item]],
      `feature level ${cases.levels[cases.level[item]]}`)),
    inputFacts(item),
    /^[\w.-]+$/.test(name) ? command(`assay show ${name}`) : null, // a name without characters special to a shell
    worst.map((device) => onDevice(item, device))];
}

let cameFromHere = false; // going back stays on this page

function showPanel(name, fromHere) {
  const panel = document.getElementById('panel');
  cameFromHere = fromHere;
  clear(panel);
  add(panel, el('button', { type: 'button', class: 'close', onclick: leavePanel }, 'Close'), panelContent(name));
  if (!panel.open) panel.showModal();
  document.getElementById('panel-title').focus();
  panel.scrollTop = 0;
}

function hidePanel() {
  const panel = document.getElementById('panel');
  if (panel.open) panel.close();
}

function leavePanel() {
  if (cameFromHere) history.back();
  else {
    history.replaceState(null, '', '#top');
    hidePanel();
  }
}

function watchPanel() {
  const panel = document.getElementById('panel');
  panel.addEventListener('cancel', (event) => {
    event.preventDefault();
    leavePanel();
  });
  panel.addEventListener('click', (event) => event.target === panel && leavePanel()); // a click outside the panel
}
