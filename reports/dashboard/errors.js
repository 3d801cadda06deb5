// The largest error of each operator on each device, passes included.

// Writes a share of the bound; beyond a hundred times, the number says nothing more.
function shareOfBound(share) {
  if (share > 100) return 'over 100 ×';
  return share <= 1 ? percent(share) : `${number(Math.round(share * 10) / 10)} ×`;
}

function errors() {
  const part = section('errors', 'Largest errors', '');
  const rows = report.errors.toSorted((a, b) => b.share - a.share || a.device - b.device || a.case - b.case);
  if (!rows.length) {
    part.append(empty('No formula judged an output of real numbers.', 'assay run -d DEVICE --db results.db'));
    return;
  }
  part.append(note('The largest error of an element where a formula judges outputs of real numbers, passes included. ',
    'Beyond its bound, an element is wrong unless the documents leave a choice.'));
  longTable(part, 'Largest errors by operator and device',
    ['Operator', { name: 'Device', wide: true }, numeric('Of the bound'), numeric('ULP'), 'Case'], rows,
    ({ operator, device, share, ulps, case: item }) => [operator, breakable(deviceName(device)),
      markOf(share > 1 ? statuses.warn : statuses.pass, shareOfBound(share)),
      number(Number(ulps.toPrecision(3))), caseLink(item)], 20);
}
