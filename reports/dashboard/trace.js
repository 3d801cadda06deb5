// Traces each sentence of the documents to its rules, its cases, and the results on each device.

const isBad = (counts) => failing.some((status) => counts[status]);

function traceTable(operator, rows) {
  return table(`${operator}: sentences, rules, cases, verdicts`,
    [{ name: 'Sentence', wide: true }, { name: 'Rules', wide: true }, numeric('Cases'),
      ...devices.map((device) => breakable(device.device))],
    rows.map((row) => [[sourceLink(row.sentence), rulingText(row.sentence) && quiet(`: ${rulingText(row.sentence)}`)],
      row.rules.flatMap((rule, i) => [i > 0 && el('br'), code(rule), quiet(` ${ruleText(operator, rule)}`)]),
      row.cases ? number(row.cases) : markOf(statuses.warn, 'no case'),
      ...devices.map((_, i) => tally(row.devices[i] || {}))]));
}

function traceability() {
  const tested = report.trace.filter((row) => row.cases).length;
  const part = section('trace', 'Traceability',
    report.trace.length > 0 && `${number(tested)} of ${number(report.trace.length)}`);
  if (!report.trace.length) {
    part.append(empty('No sentence was tested.', 'assay run -d DEVICE --db results.db'));
    return;
  }
  part.append(note(`${number(tested)} of ${number(report.trace.length)} sentences and rulings have cases.`));
  for (const [operator, rows] of groupBy(report.trace, (row) => row.operator)) {
    const bad = rows.filter((row) => row.devices.some(isBad)).length;
    const bare = rows.filter((row) => !row.cases).length;
    add(part, opening([el('strong', {}, operator), ` ${plural(rows.length, 'sentence')}: `,
      bad ? markOf(statuses.fail, `${number(bad)} with failures`) : markOf(statuses.pass, 'no failures'),
      bare ? [', ', markOf(statuses.warn, `${number(bare)} without a case`)] : null],
    (body) => body.append(traceTable(operator, rows))));
  }
}
