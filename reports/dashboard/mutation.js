// Mutants: which broken devices the cases catch.

const mutantVerdicts = {
  __proto__: null,
  survived: 'fail',
  excused: 'skip',
  open: 'unsupported',
  warned: 'warn',
  killed: 'pass',
};

// The other verdicts (lost, odd, stale, unjust) are errors.
const lookOf = (verdict) => statuses[mutantVerdicts[verdict] || 'fail'];

// Mutants that no case caught, or whose verdict is an error.
const uncaught = () => report.mutation.filter(({ verdict }) => lookOf(verdict) === statuses.fail);

function mutants() {
  const tried = report.mutation;
  const tally = (verdict) => tried.filter((mutant) => mutant.verdict === verdict);
  const part = section('mutants', 'Mutants', tried.length ? plural(tally('survived').length, 'survivor') : '');
  if (!tried.length) {
    part.append(empty('No mutants were tried.', 'tools/mutation --db results.db'));
    return;
  }
  const verdicts = [...new Set([...Object.keys(mutantVerdicts).reverse(), ...tried.map((mutant) => mutant.verdict)])];
  add(part, el('p', {}, verdicts.filter((verdict) => tally(verdict).length).flatMap((verdict, i) => [i ? ' · ' : null,
    markOf(lookOf(verdict), `${number(tally(verdict).length)} ${verdict}`)]),
  quiet(' Mutants are devices broken on purpose. Open: allowed by the documents; excused: known to survive, with a reason.')));
  const heads = ['Mutant', 'Verdict', ...['Failing', 'Warning', 'Seconds'].map(numeric),
    'First case, strategies, reason'];
  const row = (mutant) => [breakable(mutant.mutant), markOf(lookOf(mutant.verdict), mutant.verdict),
    number(mutant.killing), number(mutant.warning), mutant.seconds.toFixed(2),
    [mutant.case && caseByName(mutant.case), ' ', quiet(mutant.strategies), ' ', linked(mutant.reason)]];
  const bad = uncaught();
  if (bad.length) longTable(part, 'Survivors and errors', heads, bad, row);
  for (const [group, members] of groupBy(tried, (mutant) => mutant.group)) {
    const killed = members.filter(({ verdict }) => verdict === 'killed' || verdict === 'warned').length;
    add(part, opening([el('strong', {}, group), ` ${number(killed)} of ${number(members.length)} caught`],
      (body) => longTable(body, `Mutants: ${group}`, heads, members, row)));
  }
}

// A link if the case is in this report.
function caseByName(name) {
  const item = cases.name.indexOf(name);
  return item < 0 ? breakable(name) : caseLink(item);
}
