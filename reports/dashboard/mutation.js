// Which broken devices the cases tell from a right one.

const mutantVerdicts = {
  __proto__: null,
  survived: 'fail',
  excused: 'skip',
  open: 'unsupported',
  warned: 'warn',
  killed: 'pass',
};

function mutants() {
  const list = report.mutation;
  const tally = (verdict) => list.filter((mutant) => mutant.verdict === verdict);
  const part = section('mutants', 'Mutants', list.length ? plural(tally('survived').length, 'survivor') : '');
  if (!list.length) {
    part.append(empty('No broken device was tried.', 'make mutation'));
    return;
  }
  add(part, el('p', {}, Object.entries(mutantVerdicts).reverse().flatMap(([verdict, look], i) => [i ? ' · ' : null,
    markOf(statuses[look] || none, `${number(tally(verdict).length)} ${verdict}`)]),
  quiet(' Devices broken on purpose. Open: no bug by the documents; excused: known to survive, with a reason.')));
  const heads = ['Mutant', 'Verdict', { name: 'Failing', number: true }, { name: 'Warning', number: true },
    { name: 'Seconds', number: true }, 'First case, strategies, reason'];
  const row = (mutant) => [breakable(mutant.mutant), markOf(statuses[mutantVerdicts[mutant.verdict]] || none, mutant.verdict), number(mutant.killing),
    number(mutant.warning), mutant.seconds.toFixed(2), [mutant.case && caseByName(mutant.case), ' ', quiet(mutant.strategies), ' ', mutant.reason]];
  const survived = tally('survived');
  if (survived.length) longTable(part, 'Survivors', heads, survived, row);
  for (const [group, members] of groupBy(list, (mutant) => mutant.group)) {
    const killed = members.filter(({ verdict }) => verdict === 'killed' || verdict === 'warned').length;
    add(part, opening([el('strong', {}, group), ` ${number(killed)} of ${number(members.length)} told apart`],
      (body) => longTable(body, `Mutants: ${group}`, heads, members, row)));
  }
}

// A link if the case is in this report.
function caseByName(name) {
  const item = cases.name.indexOf(name);
  return item < 0 ? breakable(name) : caseLink(item);
}
