// Interaction coverage: combinations of values in the planned cases.

const waysName = (ways) => (ways === 2 ? 'pairs' : ways === 3 ? 'triples' : `${ways} values`);

function interaction() {
  const rows = report.interaction;
  const part = section('interaction', 'Interaction coverage', '');
  if (!rows.length) {
    part.append(empty('Interaction coverage was not measured.', 'assay coverage --db results.db'));
    return;
  }
  part.append(
    note('How many of the combinable pairs and triples of feature level, data types, shape parameters and strides ' +
      'occur in a case.'),
    table('Combinations covered',
      ['Operator', 'Of', ...['Covered', 'Combinable', 'Missed', 'Undecided', 'Impossible'].map(numeric), 'Coverage',
        { name: 'Measured', nowrap: true }],
      rows.map((row) => [row.operator, waysName(row.ways),
        ...[row.covered, row.combinable, row.missed, row.undecided, row.impossible].map(number),
        markOf(row.missed ? statuses.warn : statuses.pass, percent(row.percent / 100)),
        quiet(`${minute(row.measured)}, assay ${row.version}`)])));
}
