#!/bin/bash
# Cases of a tier run only if the tier or the case is named. Large tensors run, with limits of their own.
. tools/tap.sh

"$ASSAY" list --tier large >"$TMPDIR/large"
for row in reduce.large.64-mi-to-1-units-sum argmax.large.64-mi-to-1-peaks-increasing top_k.large.100-of-16-mi-sparse \
    cumulative_summation.large.row-of-64-mi-units-decreasing; do
    name=$(grep -m1 "^$row\.fl" "$TMPDIR/large")
    like "$name" "^$row" "it has $row"
    is "$("$ASSAY" list --tier large "$name")" "$name" '  which is found by its name alone'
done

few_operators

large=$("$ASSAY" list --count --tier large)
ok $((large > 50 ? 0 : 1)) "the tier large has $large cases"
some=(-o NONZERO_COORDINATES) # the tier deep takes long for all
of() { "$ASSAY" list --count "${some[@]}" "$@"; }
deep=$(of --tier deep)
is "$(of --tier all)" $(($(of) + $(of --tier large) + deep)) 'all tiers are the cases without a tier and those of each tier'
ok $((deep > $(of) ? 0 : 1)) "the tier deep has more corners: $deep"
is "$("$ASSAY" list | grep -c '^[^.]*\.large\.')" 0 'none of them is listed by default'
is "$("$ASSAY" list --tier large | grep -vc '^[^.]*\.large\.')" 0 'and only they with --tier large'
"$ASSAY" list --tier huge >/dev/null 2>"$TMPDIR/err"
is $? 2 'an unknown tier is an error'
like "$(cat "$TMPDIR/err")" "'huge'" '  that names it'

name=$("$ASSAY" list 'gather_nd.large.past-128-mib-I*-last.*' --tier large | head -1)
like "$("$ASSAY" show "$name")" 'TotalTensorSizeInBytes 1[0-9]{8}' 'show finds a case without its tier'
"$ASSAY" run "$name" -d reference >/dev/null 2>"$TMPDIR/err"
is $? 4 'run does not'
like "$(cat "$TMPDIR/err")" 'tier all' '  and says how to find it'
"$ASSAY" repro "$name" -d reference --timeout 1 >"$TMPDIR/out" 2>&1
is $? 0 'repro does, and large tensors may take longer than the limit'
like "$(cat "$TMPDIR/out")" "pass $name" '  it passes'
"$ASSAY" repro "$name" -d mutants:fault=flip-bit >"$TMPDIR/out" 2>&1
is $? 1 '  and fails where the device is wrong'
"$ASSAY" repro "$name" -d mutants:most=100000000 >"$TMPDIR/out" 2>&1
is $? 6 'a device with a lower limit does not get the tensors'
like "$(cat "$TMPDIR/out")" "unsupported $name" '  the case is unsupported'
like "$(cat "$TMPDIR/out")" 'InputTensor has 1[0-9]* bytes, the device takes 100000000' '  with both sizes'
tap_done
