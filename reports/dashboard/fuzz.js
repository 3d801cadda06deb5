// Searches by `assay fuzz`: confusion matrices and findings.

const verdictOrder = ['right accept', 'right reject', 'wrong accept', 'wrong reject', 'crash', 'hang',
  'corrupt memory', 'harmed process', 'wrong result', 'open accept', 'open reject', 'unsupported', 'left out'];

function verdictRank(verdict) {
  const rank = verdictOrder.indexOf(verdict);
  return rank < 0 ? verdictOrder.length : rank;
}

// The mark of a verdict: null if it is no deviation; a warning if all findings of its kind are warnings.
function verdictLook({ search, operator, rule, verdict }) {
  if (/^(right|open) /.test(verdict) || verdict === 'unsupported' || verdict === 'left out') return null;
  const same = report.fuzz.findings.filter((one) => one.search === search && one.kind === verdict &&
    (!rule || (one.rule === rule && one.operator === operator)));
  if (same.length && same.every(({ reason }) => reason)) return statuses.known;
  return same.some((one) => !one.failure) && !same.some((one) => one.failure) ? statuses.warn : statuses.fail;
}

// Rows of counts with a column per verdict. Deviations are marked.
function confusionTable(caption, head, entries, key, name) {
  const verdicts = [...new Set(entries.map((entry) => entry.verdict))].sort((a, b) => verdictRank(a) - verdictRank(b));
  const body = [...groupBy(entries, key)].map(([group, rows]) => [name(group), ...verdicts.map((verdict) => {
    const of = rows.filter((row) => row.verdict === verdict);
    const count = number(of.reduce((sum, row) => sum + row.count, 0));
    const look = of.length ? verdictLook(of[0]) : null;
    return look ? markOf(look, count) : count;
  })]);
  return table(caption, [head, ...verdicts.map(numeric)], body);
}

function brokenName(broken) {
  if (broken === 0) return 'none: legal';
  return broken >= 4 ? '4 or more' : number(broken);
}

// Formats a finding as `assay fuzz` does.
function findingLine({ search, minimum, executed, fill, indices, seed }) {
  const contents = executed ? ['--execute', '1', '--fill', fill, '--indices', indices, '--seed', hex(seed)] : [];
  return ['assay', 'fuzz', minimum, '-d', report.fuzz.searches[search].device, ...contents].map(quoted).join(' ');
}

// Makes the mark of a finding: as a case, it is known if an expectation file lists it.
function findingLook({ failure, reason }) {
  if (reason) return statuses.known;
  return failure ? statuses.fail : statuses.warn;
}

function finding(item) {
  const summary = [markOf(findingLook(item), list(item.reason && 'known', item.kind)), ' ',
    el('strong', {}, item.operator), ' ',
    item.rule ? [code(item.rule), quiet(` (${item.strength})`)] : 'no rule explains it',
    ` · ${plural(item.count, 'description')}`, !item.failure && ' · a warning',
    item.reason && el('span', { class: 'message' }, item.reason)];
  return opening(summary, (body) => {
    add(body,
      el('dl', {}, fact('Message', item.message), fact('Returned', item.result && code(item.result)),
        fact('Also explained by', item.also)),
      el('h4', {}, 'Minimal description ', quiet(`after ${plural(item.steps, 'step')}`)), command(item.minimum),
      el('h4', {}, 'Reproduce'), command(findingLine(item)),
      el('h4', {}, 'As found'), command(item.original));
  });
}

function searchOf(item, index) {
  const { matrix: counts, findings } = report.fuzz;
  const entries = counts.filter((entry) => entry.search === index);
  const whole = entries.filter((entry) => entry.rule === ''); // counts each description once
  const found = findings.filter((one) => one.search === index);
  return [
    el('h3', {}, breakable(item.device), ' ', quiet(`search ${item.search}, seed `, code(hex(item.seed)))),
    note(list(item.name, item.driver, levelOf({ feature_level: item.declared }),
      item.declared !== item.feature_level && `by the rules of feature level ${item.feature_level}`, `assay ${item.version}`), ': ',
      list(plural(item.tried, 'description'), `${number(item.executed)} dispatched`,
        item.places > 0 && `${plural(item.places, 'place')} of the device reached`, `${item.seconds.toFixed(1)} s`,
        `shard ${item.shard}`, `${minute(item.ended)} UTC`),
      item.state !== 'done' && [', ', markOf(statuses.incomplete, item.state)]),
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
  const { searches, findings } = report.fuzz;
  const part = section('fuzz', 'Fuzzing', searches.length ? plural(findings.length, 'finding') : '');
  if (!searches.length) {
    part.append(empty('There are no searches.', 'assay fuzz -d DEVICE --db results.db'));
    return;
  }
  searches.forEach((item, index) => add(part, searchOf(item, index)));
}
