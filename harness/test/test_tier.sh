#!/bin/bash
# Cases of a tier are there when they are asked for, alone or by name; large tensors are run, within limits of their own.
. tools/tap.sh

usual=$("$ASSAY" list --count)
large=$("$ASSAY" list --count --tier large)
ok $((large > 50 ? 0 : 1)) "there are $large large cases"
is "$("$ASSAY" list --count --tier all)" $((usual + large)) 'all tiers are the usual one and the large one'
is "$("$ASSAY" list | grep -c '^[^.]*\.large\.')" 0 'none of them is listed as a matter of course'
is "$("$ASSAY" list --tier large | grep -vc '^[^.]*\.large\.')" 0 'and nothing else with --tier large'
"$ASSAY" list --tier huge >/dev/null 2>"$TMPDIR/err"
is $? 2 'a tier that is not there is a mistake'
like "$(cat "$TMPDIR/err")" "'huge'" '  which is named'

name=$("$ASSAY" list 'gather_nd.large.past-128-mib-I*-last.*' --tier large | head -1)
like "$("$ASSAY" show "$name")" 'TotalTensorSizeInBytes 1[0-9]{8}' 'show finds one without being told its tier'
"$ASSAY" run "$name" -d reference >/dev/null 2>"$TMPDIR/err"
is $? 4 'run does not'
like "$(cat "$TMPDIR/err")" 'tier all' '  and says how to find it'
"$ASSAY" repro "$name" -d reference --timeout 1 >"$TMPDIR/out" 2>&1
is $? 0 'repro does, and large tensors have more time than the limit'
like "$(cat "$TMPDIR/out")" "pass $name" '  it passes'
"$ASSAY" repro "$name" -d mutants:fault=flip-bit >"$TMPDIR/out" 2>&1
is $? 1 '  and fails where the device is wrong'
"$ASSAY" repro "$name" -d mutants:most=100000000 >"$TMPDIR/out" 2>&1
is $? 6 'a device that takes no such tensors is not asked to'
like "$(cat "$TMPDIR/out")" "unsupported $name" '  the case is unsupported'
like "$(cat "$TMPDIR/out")" 'InputTensor has 1[0-9]* bytes, the device takes 100000000' '  with both sizes'
tap_done
