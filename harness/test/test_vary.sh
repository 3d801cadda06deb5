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
few_operators

# A bug of values: contents and data types matter, sizes and layout do not.
one=$("$ASSAY" list 'nonzero_coordinates.values.special*.float16.*' | head -n 1)
"$ASSAY" repro "$one" -d mutants:fault=minus-zero-counted --vary >"$out"
is $? 1 'a case that fails exits with 1'
like "$(head -n 1 "$out")" "^$one: fail on mutants:fault=minus-zero-counted; [0-9]+ legal variants, each with one change:\$" \
    'the failure is named first'
matters() { sed -n '/^what the failure depends on/,/^what it does not/p' "$out"; }
rest() { sed -n '/^what it does not/,$p' "$out"; }
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
fails 2 'is for cases that expect results' repro "$("$ASSAY" list gather.violations | grep rejected | head -n 1)" -d reference --vary
fails 2 'expected neither --after nor --debugger' repro "$one" -d reference --vary --debugger env
fails 2 'expected neither --after nor --debugger' repro "$one" -d reference --vary --after "$one"
tap_done
