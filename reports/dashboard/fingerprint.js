// Fingerprints side by side: the outcomes that devices chose where the documents leave a choice.

function fingerprintTable(caption, rows) {
  return table(caption, ['Rule', 'Strength', 'Devices', ...devices.map((device) => breakable(device.device))],
    rows.map((row) => [
      [el('strong', {}, row.operator), ' ', code(row.rule)], row.strength,
      row.differ ? markOf({ symbol: '≠', tone: 'soft' }, 'differ') : markOf({ symbol: '=', tone: 'quiet' }, 'agree'),
      ...devices.map((_, i) => {
        const chosen = row.outcomes.filter(({ counts }) => counts[i]);
        if (!chosen.length) return markOf(none, 'none');
        return chosen.map(({ outcome, counts }, at) =>
          [at > 0 && el('br'), outcome, quiet(` ×\u00a0${number(counts[i])}`)]);
      }),
    ]));
}

function fingerprints() {
  const differing = report.fingerprint.filter((row) => row.differ);
  const agreeing = report.fingerprint.filter((row) => !row.differ);
  const part = section('fingerprints', 'Fingerprints',
    report.fingerprint.length > 0 && `${number(differing.length)} differ`);
  if (!report.fingerprint.length) {
    part.append(empty('No choice was recorded.', 'assay run -d DEVICE --db results.db'));
    return;
  }
  part.append(note('The outcomes that each device chose where the documents leave a choice, with numbers of cases.'));
  if (differing.length) part.append(fingerprintTable('Rules where devices differ', differing));
  else add(part, el('p', {}, devices.length > 1 ? 'All devices chose the same.' : 'Only one device: nothing to compare with.'));
  if (agreeing.length) {
    const one = devices.length === 1;
    part.append(opening([plural(agreeing.length, 'rule'), !one && ' where devices agree'],
      (body) => body.append(fingerprintTable(one ? 'Rules' : 'Rules where devices agree', agreeing)), one));
  }
}
