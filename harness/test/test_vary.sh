#!/bin/bash
# `assay repro --vary`: which properties of a case its failure depends on.
. tools/tap.sh
out=$TMPDIR/out

# Members keep to the values of their types: a BOOL is 0 or 1, no matter whether a rule says so.
for one in cumulative_summation.memory local_response_normalization.memory; do
    one=$("$ASSAY" list $one | head -n 1)
    "$ASSAY" repro "$one" -d mutants:fault=do-nothing --vary >"$out"
    like "$? $(grep -E '^  (HasExclusiveSum|CrossChannel):' "$out")" '^1 .*: fails with [01]$' "a BOOL of ${one%%.*}"
done
whole=$ASSAY
few_operators

# A bug of values: contents and data types matter, sizes and layout do not.
one=$("$ASSAY" list 'nonzero_coordinates.values.special*.float16.*' | head -n 1)
"$ASSAY" repro "$one" -d mutants:fault=minus-zero-counted --vary >"$out"
is $? 1 'a case that fails exits with 1'
like "$(head -n 1 "$out")" \
    "^$one: fail on mutants:fault=minus-zero-counted; [0-9]+ legal variants, each with one change:\$" \
    'the failure is named first'
matters() { sed -n '/^properties that the failure/,/^properties that it does not/p' "$out"; }
rest() { sed -n '/^properties that it does not/,$p' "$out"; }
like "$(matters)" '^  contents, which are special: fails with .*zero.*; passes with .*one' 'contents matter'
like "$(matters)" '^  data type of data: fails with FLOAT32; passes with UINT32' '  and the data type'
is "$(matters | grep -c 'Sizes\|Strides')" 0 '  and nothing of the layout'
like "$(rest)" '^  InputTensor.Sizes\[0\], which is [0-9]+: fails with ' 'sizes do not'
like "$(rest)" '^  InputTensor.Strides, null: fails with packed, padded' '  nor strides'

# A bug of layout.
"$ASSAY" run -d mutants:fault=input-packed gather_nd.strides --max-fail 1 >"$TMPDIR/run"
one=$(sed -n 's/^fail //p' "$TMPDIR/run" | head -n 1)
"$ASSAY" repro "$one" -d mutants:fault=input-packed --vary >"$out"
is $? 1 'a bug of strides'
like "$(matters)" 'Strides, given: .*passes with null' '  ends without strides'

# An attribute; a case that is given its inputs; one that passes; others.
one=$("$ASSAY" list gather.examples | head -n 1)
"$ASSAY" repro "$one" -d mutants:fault=flip-bit --vary >"$out"
like "$? $(cat "$out")" '^1 .*fail on' 'a case with given inputs'
is "$(grep -c 'no change of one property ends the failure' "$out") $(grep -c 'Sizes\[' "$out")" '1 0' '  keeps them'
"$ASSAY" repro "$one" -d reference --vary >"$out"
is "$? $(cat "$out")" "0 $one does not fail on reference: pass" 'a case that passes has nothing to vary'
"$ASSAY" repro "$one" -d reference:level=1_0 --vary >"$out"
is "$? $(cat "$out")" "6 $one does not fail on reference:level=1_0: skip" 'one that is not run exits as without --vary'
"$ASSAY" repro "$one" -d mutants:fault=take-signal-open --vary >"$out" 2>"$TMPDIR/err"
like "$? $(cat "$out" "$TMPDIR/err")" '^1 .*: pass$' 'one on a device that is opened wrongly fails'
fails 2 'is for cases that expect results' repro "$("$ASSAY" list gather.violations | grep rejected | head -n 1)" -d \
    reference --vary
fails 2 'expected neither --after nor --debugger' repro "$one" -d reference --vary --debugger env
fails 2 'expected neither --after nor --debugger' repro "$one" -d reference --vary --after "$one"

# The printed list is the varied one, although the rules may repair a list.
one=$("$whole" list slice1.shapes | head -n 1)
"$whole" repro "$one" -d mutants:fault=flip-bit --vary >"$out"
like "$(grep -E '^ *InputWindowSizes' "$out")" '[[][0-9,]+[]]' 'variants of a window'
is "$(grep -E '^ *InputWindow(Sizes|Strides)' "$out" | grep -cE '[[,]0[],]')" 0 '  have no size or stride of 0'

# A case whose outputs contradict the reference says nothing of the device.
tensor='{"DataType": "FLOAT32", "Sizes": [%s]}'
# shellcheck disable=SC2059 # the formats are above
printf "{\"cases\": [{\"name\": \"bad\", \"type\": \"GATHER\", \"desc\": {\"InputTensor\": $tensor,
    \"IndicesTensor\": ${tensor/FLOAT32/UINT32}, \"OutputTensor\": $tensor, \"Axis\": 0, \"IndexDimensions\": 1},
    \"inputs\": {\"InputTensor\": [10, 11, 12], \"IndicesTensor\": [2]}, \"outputs\": {\"OutputTensor\": [13]}}]}" \
    3 1 1 >"$TMPDIR/bad.json"
"$ASSAY" repro bad --cases "$TMPDIR/bad.json" -d reference --vary >"$out" 2>"$TMPDIR/err"
is "$? $(cat "$out" "$TMPDIR/err")" '3 bad does not fail on reference: harness_error' 'a harness error exits with 3'
tap_done
