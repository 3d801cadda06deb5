#!/bin/bash
# Cases of a tier run only if the tier or the case is named. Large tensors run, with limits of their own.
. tools/tap.sh

"$ASSAY" list --tier large >"$TMPDIR/large"
names=()
for row in reduce.large.64-mi-to-1-units-sum argmax.large.64-mi-to-1-peaks-increasing top_k.large.100-of-16-mi-sparse \
    cumulative_summation.large.row-of-64-mi-units-decreasing; do
    name=$(grep -m1 "^$row\.fl" "$TMPDIR/large")
    like "$name" "^$row" "it has $row"
    names+=("$name")
done
is "$("$ASSAY" list --tier large "${names[@]}" | sort)" "$(printf '%s\n' "${names[@]}" | sort)" \
    '  each is found by its name alone'
some=(-o NONZERO_COORDINATES) # the tier deep takes long for all
of() { "$ASSAY" list --count "${some[@]}" "$@"; }
deep=$(of --tier deep)
ok $((deep > $(of) ? 0 : 1)) "the tier deep has more corners: $deep"

few_operators

large=$("$ASSAY" list --count --tier large)
ok $((large > 50 ? 0 : 1)) "the tier large has $large cases"
deep=$(of --tier deep)
ok $((deep > 0 ? 0 : 1)) "the tier deep has $deep cases"
is "$(of --tier all)" $(($(of) + $(of --tier large) + deep)) \
    'all tiers are the cases without a tier and those of each tier'
is "$("$ASSAY" list | grep -c '^[^.]*\.large\.')" 0 'none of them is listed by default'
is "$("$ASSAY" list --tier large | grep -vc '^[^.]*\.large\.')" 0 'and only they with --tier large'
"$ASSAY" list --tier huge >/dev/null 2>"$TMPDIR/err"
is $? 2 'an unknown tier is an error'
like "$(cat "$TMPDIR/err")" "'huge'" '  that names it'

# This case has a large input, but a small output, which the slow mutants compute in a moment.
name=$("$ASSAY" list 'gather_nd.large.past-128-mib-I*-1-any.*' --tier large | head -1)
like "$("$ASSAY" show "$name")" 'TotalTensorSizeInBytes 1[0-9]{8}' 'show finds a case without its tier'
"$ASSAY" run "$name" -d reference >/dev/null 2>"$TMPDIR/err"
is $? 4 'run does not'
like "$(cat "$TMPDIR/err")" 'tier all' '  and says how to find it'

# The device takes longer than the time limit for each dispatch.
cat >"$TMPDIR/slow.c" <<'C'
#include "harness/test/wrapper.h"
#include <unistd.h>
static HRESULT dispatch(assay_device *device, const assay_dispatch_item *items, uint32_t count, assay_dispatch_result *out)
{
    sleep(2);
    return inner->dispatch(device, items, count, out);
}
static void wrapper_replace(assay_device_api *api) { api->dispatch = dispatch; }
C
${CC:-cc} -shared -fPIC -I. "-DINNER=\"$(realpath "$ASSAY_DEVICES/reference.so")\"" "$TMPDIR/slow.c" -o \
    "$TMPDIR/slow.so" -ldl
ok $? 'a slow device compiles'
"$ASSAY" repro "$name" -d "$TMPDIR/slow.so" --timeout 1 >"$TMPDIR/out" 2>&1
is $? 0 'repro does, and large tensors may take longer than the limit'
like "$(cat "$TMPDIR/out")" "pass $name" '  it passes'
"$ASSAY" repro "$("$ASSAY" list gather_nd.examples | head -1)" -d "$TMPDIR/slow.so" --timeout 1 >"$TMPDIR/out" 2>&1
is "$? $(grep -c '^timeout gather_nd' "$TMPDIR/out")" '1 1' '  small tensors may not'
"$ASSAY" repro "$name" -d mutants:fault=flip-bit >"$TMPDIR/out" 2>&1
is "$? $(grep -c "^fail $name" "$TMPDIR/out")" '1 1' '  and fails where the device is wrong'
"$ASSAY" repro "$name" -d mutants:most=100000000 >"$TMPDIR/out" 2>&1
is $? 6 'a device with a lower limit does not get the tensors'
like "$(cat "$TMPDIR/out")" "unsupported $name" '  the case is unsupported'
like "$(cat "$TMPDIR/out")" 'InputTensor has 1[0-9]* bytes, the device takes 100000000' '  with both sizes'
tap_done
