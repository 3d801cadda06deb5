// Fingerprints side by side: what devices chose where the documents leave a choice.

function fingerprintTable(caption, rows) {
  return table(caption, ['Rule', 'Strength', 'Devices', ...devices.map((device) => breakable(device.device))],
    rows.map((row) => [
      [el('strong', {}, row.operator), ' ', code(row.rule)], row.strength,
      markOf(row.differ ? { symbol: '≠', tone: 'soft' } : { symbol: '=', tone: 'quiet' }, row.differ ? 'differ' : 'alike'),
      ...devices.map((_, i) => {
        const chosen = row.outcomes.filter(({ counts }) => counts[i]);
        if (!chosen.length) return markOf(none, 'none');
        return chosen.map(({ outcome, counts }, at) => [at ? el('br') : null, outcome, quiet(` × ${number(counts[i])}`)]).flat();
      }),
    ]));
}

function fingerprints() {
  const differing = report.fingerprint.filter((row) => row.differ);
  const alike = report.fingerprint.filter((row) => !row.differ);
  const part = section('fingerprints', 'Fingerprints', report.fingerprint.length ? `${number(differing.length)} differ` : '');
  if (!report.fingerprint.length) {
    part.append(empty('No choice was recorded.', 'assay run -d DEVICE --db results.db'));
    return;
  }
  add(part, el('p', { class: 'quiet' }, 'What the documents leave open, and what each device chose: outcome × cases.'));
  if (differing.length) part.append(fingerprintTable('Rules where devices differ', differing));
  else add(part, el('p', {}, devices.length > 1 ? 'All devices chose alike.' : 'One device: nothing to differ from.'));
  if (alike.length) {
    part.append(opening(devices.length > 1 ? plural(alike.length, 'rule where devices are alike', 'rules where devices are alike') : plural(alike.length, 'rule'),
      (body) => body.append(fingerprintTable('Rules where devices are alike', alike)), devices.length === 1));
  }
}
