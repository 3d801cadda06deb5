// Failures, grouped by cause.

function wrongElement(detail) {
  if (!detail.wrong_count) return null;
  return [`${detail.wrong_tensor} ${detail.wrong_coordinates}: got `, code(detail.wrong_got), ', expected ',
    code(detail.wrong_expected), quiet(` (the first of ${number(detail.wrong_count)} wrong)`)];
}

function failure(item, device) {
  const detail = detailOf(item, device);
  return el('li', {}, caseLink(item), ' ', mark(statusOf(item, device)),
    detail
      ? [detail.message && el('div', {}, detail.message),
        el('div', {}, wrongElement(detail)),
        detail.reproduce && command(detail.reproduce)]
      : quiet(' its details were left out of this page'));
}

function cause(item) {
  const rule = item.rule && [' ', code(item.rule), quiet(` (${item.strength})`)];
  return opening([markOf(statuses.fail, item.cause), ' ', el('strong', {}, item.operator), rule,
    ` · ${plural(item.count, 'case')} · `, breakable(deviceName(item.device)),
    el('span', { class: 'message' }, item.message)], (body) => {
    if (item.pages) body.append(note(`Sources: ${item.pages}`));
    const list = el('ul', { class: 'failures' });
    body.append(list);
    inParts(body, item.cases.length, 20, (from, to) => {
      list.append(...item.cases.slice(from, to).map((one) => failure(one, item.device)));
    });
  });
}

function causes() {
  const count = report.causes.reduce((sum, item) => sum + item.count, 0);
  const part = section('failures', 'Failures by cause', number(count));
  if (!report.causes.length) {
    part.append(empty(devices.length ? 'No case of the current runs failed.' : 'There are no runs.'));
    return;
  }
  const list = el('div');
  part.append(list);
  inParts(part, report.causes.length, 30, (from, to) => list.append(...report.causes.slice(from, to).map(cause)));
}
