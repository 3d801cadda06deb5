// Fingerprints side by side: the outcomes that devices chose where the documents leave a choice.

function chosenBy(row, device) {
  const chosen = row.outcomes.filter(({ counts }) => counts[device]);
  if (!chosen.length) return markOf(none, 'none');
  return chosen.map(({ outcome, counts }, at) => [at > 0 && el('br'), outcome, quiet(` ×\u00a0${number(counts[device])}`)]);
}

function fingerprintTable(caption, rows) {
  return table(caption, ['Rule', 'Strength', numeric('Cases compared'), ...devices.map((device) => breakable(device.device))],
    rows.map((row) => [[el('strong', {}, row.operator), ' ', code(row.rule)], row.strength, number(row.shared),
      ...devices.map((_, i) => chosenBy(row, i))]));
}

function fingerprintPart(part, rows, summary, open) {
  if (!rows.length) return;
  part.append(opening([plural(rows.length, 'rule'), ' ', summary], (body) => body.append(fingerprintTable('Rules', rows)), open));
}

function fingerprints() {
  const rows = report.fingerprint;
  const differing = rows.filter((row) => row.differ);
  const compared = rows.filter((row) => row.shared);
  const part = section('fingerprints', 'Fingerprints', rows.length > 0 &&
    (compared.length ? `${number(differing.length)} differ` : plural(rows.length, 'rule')));
  if (!rows.length) {
    part.append(empty('No choice was recorded.', 'assay run -d DEVICE --db results.db'));
    return;
  }
  part.append(note('The outcomes that each device chose where the documents leave a choice, with numbers of cases. ',
    compared.length ? 'Two devices differ if they chose differently in a case that both ran.'
      : devices.length > 1 ? 'No case was run on several devices: there is nothing to compare.'
        : 'There is one device: nothing to compare it with.'));
  fingerprintPart(part, differing, [markOf({ symbol: '≠', tone: 'soft' }, 'differ')], true);
  fingerprintPart(part, compared.filter((row) => !row.differ), [markOf({ symbol: '=', tone: 'quiet' }, 'agree')]);
  fingerprintPart(part, rows.filter((row) => !row.shared), devices.length > 1 ? 'chosen by one device alone' : 'with a choice');
}
