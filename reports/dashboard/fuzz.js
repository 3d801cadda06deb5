// Searches by `assay fuzz`: confusion matrices and findings.

const verdictOrder = ['right accept', 'right reject', 'wrong accept', 'wrong reject', 'crash', 'hang', 'corrupt memory', 'wrong result'];

function verdictRank(verdict) {
  const rank = verdictOrder.indexOf(verdict);
  return rank < 0 ? verdictOrder.length : rank;
}

// Rows of counts, the verdicts as columns; wrong ones are marked.
function confusionTable(caption, head, entries, key, name) {
  const verdicts = [...new Set(entries.map((entry) => entry.verdict))].sort((a, b) => verdictRank(a) - verdictRank(b) || (a < b ? -1 : 1));
  const body = [...groupBy(entries, key)].map(([group, rows]) => [name(group), ...verdicts.map((verdict) => {
    const count = rows.filter((row) => row.verdict === verdict).reduce((sum, row) => sum + row.count, 0);
    return count && !verdict.startsWith('right ') ? markOf(statuses.fail, number(count)) : number(count);
  })]);
  return table(caption, [head, ...verdicts.map((verdict) => ({ name: verdict, number: true }))], body);
}

function brokenName(broken) {
  if (broken === 0) return 'none: legal';
  return broken >= 4 ? '4 or more' : number(broken);
}

function finding(item) {
  return opening([markOf(item.failure ? statuses.fail : statuses.warn, item.kind), ' ', el('strong', {}, item.operator), ' ',
    item.rule ? code(item.rule) : 'nothing explains it', quiet(` ${item.strength}`), ` ${plural(item.count, 'description')}`,
    item.failure ? null : quiet(', a warning')], (body) => {
    add(body,
      el('dl', {}, fact('Message', item.message), fact('Returned', item.result && code(item.result)), fact('Also explained by', item.also)),
      el('h4', {}, 'Smallest ', quiet(`after ${plural(item.steps, 'step')}`)), command(item.minimum),
      el('h4', {}, 'As found'), command(item.original));
  });
}

function hunt(item, index) {
  const { matrix: counts, findings } = report.fuzz;
  const entries = counts.filter((entry) => entry.hunt === index);
  const whole = entries.filter((entry) => entry.rule === ''); // each description once
  const found = findings.filter((one) => one.hunt === index);
  return [
    el('h3', {}, breakable(item.device), ' ', quiet(`hunt ${item.hunt}, seed `, code(item.seed))),
    el('p', { class: 'quiet' }, `${item.name}, ${item.driver}, feature level ${item.feature_level}, assay ${item.version}: ` +
      `${plural(item.tried, 'description')}, ${number(item.executed)} dispatched, ${item.seconds} s, shard ${item.shard}, ${minute(item.ended)} UTC`),
    whole.length ? confusionTable('Descriptions by number of rules broken', 'Rules broken', whole,
      (entry) => entry.broken, brokenName) : null,
    entries.length > whole.length ? opening('By operator and rule broken', (body) => {
      const rules = entries.filter((entry) => entry.rule !== '');
      for (const [operator, rows] of groupBy(rules, (entry) => entry.operator)) {
        body.append(confusionTable(operator, 'Rule', rows, (entry) => entry.rule, (rule) => code(rule)));
      }
    }) : null,
    found.length ? found.map(finding) : el('p', {}, markOf(statuses.pass, 'no findings')),
  ];
}

function fuzzing() {
  const { hunts, findings } = report.fuzz;
  const part = section('fuzz', 'Fuzzing', hunts.length ? plural(findings.length, 'finding') : '');
  if (!hunts.length) {
    part.append(empty('No search is in here.', 'assay fuzz -d DEVICE --db results.db'));
    return;
  }
  hunts.forEach((item, index) => add(part, hunt(item, index)));
}
