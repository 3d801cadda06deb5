// Fingerprints side by side: what devices chose where the documents leave a choice.

function fingerprintTable(caption, rows) {
  return table(caption, ['Rule', 'Strength', 'Devices', ...devices.map((device) => breakable(device.device))],
    rows.map((row) => [
      [el('strong', {}, row.operator), ' ', code(row.rule)], row.strength,
      row.differ ? markOf({ symbol: '≠', tone: 'soft' }, 'differ') : markOf({ symbol: '=', tone: 'quiet' }, 'alike'),
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
  const alike = report.fingerprint.filter((row) => !row.differ);
  const part = section('fingerprints', 'Fingerprints',
    report.fingerprint.length > 0 && `${number(differing.length)} differ`);
  if (!report.fingerprint.length) {
    part.append(empty('No choice was recorded.', 'assay run -d DEVICE --db results.db'));
    return;
  }
  part.append(note('What the documents leave open, and what each device chose: outcome × cases.'));
  if (differing.length) part.append(fingerprintTable('Rules where devices differ', differing));
  else add(part, el('p', {}, devices.length > 1 ? 'All devices chose alike.' : 'One device: nothing to differ from.'));
  if (alike.length) {
    const one = devices.length === 1;
    part.append(opening([plural(alike.length, 'rule'), !one && ' where devices are alike'],
      (body) => body.append(fingerprintTable(one ? 'Rules' : 'Rules where devices are alike', alike)), one));
  }
}
