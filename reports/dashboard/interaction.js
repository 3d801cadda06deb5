// Which combinations of values the planned cases have.

function interaction() {
  const rows = report.interaction;
  const part = section('interaction', 'Interaction coverage', '');
  if (!rows.length) {
    part.append(empty('The plan was not measured.', 'assay coverage --db results.db'));
    return;
  }
  add(part, el('p', { class: 'quiet' }, 'Of the values of feature level, data types, shape parameters and strides that can be combined, how many pairs and triples occur in a case.'));
  part.append(table('Combinations covered', ['Operator', 'Of', { name: 'Covered', number: true }, { name: 'Combinable', number: true },
    { name: 'Missed', number: true }, { name: 'Undecided', number: true }, { name: 'Impossible', number: true }, 'Coverage', { name: 'Measured', nowrap: true }],
  rows.map((row) => [row.operator, { 2: 'pairs', 3: 'triples' }[row.ways] || `${row.ways} values`, number(row.covered), number(row.combinable),
    number(row.missed), number(row.undecided), number(row.impossible),
    markOf(row.missed ? statuses.warn : statuses.pass, percent(row.percent / 100)), quiet(`${minute(row.measured)}, assay ${row.version}`)])));
}
