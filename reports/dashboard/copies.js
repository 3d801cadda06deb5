// The speed of cases as a share of a copy's, which `assay bench` measures.

// The device of a run, which may have no state of its own.
const deviceOfRun = ({ device, name }) => (Number.isInteger(device) ? deviceName(device) : name);

// Those furthest behind the copy come first.
const slowestFirst = () => report.copies.toSorted((a, b) => a.share - b.share || a.run - b.run || a.case - b.case);

function copies() {
  const part = section('copies', 'Times against a copy', '');
  if (!report.copies.length) {
    part.append(empty('No times were compared with a copy.', 'assay bench -d DEVICE --db results.db'));
    return;
  }
  part.append(note('The bytes that a case moves a second, as a share of those of a copy on the same device: 100 % is as fast ',
    'as memory allows.'));
  longTable(part, 'Speeds as a share of a copy', ['Case', { name: 'Device', wide: true }, 'Run', numeric('Of the copy')],
    slowestFirst(), ({ run, case: item, share }) => [caseLink(item), breakable(deviceOfRun(runs[run])), runName(run),
      shareOfCopy(share)], 20);
}

const shareOfCopy = (share) => `${(share * 100).toPrecision(2 + (share >= 1))} %`;
