#!/bin/bash
# The elements of inputs that a wrong element depends on: every report shows them.
. tools/tap.sh
rows=reduce.examples.sum-rows.fl3_0.float32-float32.d2n1
missed=mutants:fault=fold-last-missed,operator=REDUCE
inputs='InputTensor {0,0} 1, {1,0} 3, {2,0} 2'
db=$TMPDIR/inputs.db

"$ASSAY" run -d "$missed" $rows --search 0 --db "$db" --format "json=$TMPDIR/json" --format "tap=$TMPDIR/tap" \
    --format "junit=$TMPDIR/junit" --format human >"$TMPDIR/human"
is "$(sed -n 's/^  inputs  *//p' "$TMPDIR/human")" "$inputs" 'a run prints the row that a sum depends on'
is "$(grep -c "\"inputs\":\"$inputs\"" "$TMPDIR/json")" 1 '  JSON lines have it'
is "$(grep -c "inputs: \"$inputs\"" "$TMPDIR/tap")" 1 '  TAP'
is "$(grep -c "^inputs: $inputs$" "$TMPDIR/junit")" 1 '  JUnit'
is "$(sqlite3 "$db" 'SELECT wrong_inputs FROM results')" "$inputs" '  the database'
"$ASSAY" report "$db" --csv "$TMPDIR/csv" --json "$TMPDIR/page"
is "$(tr -d '\r' <"$TMPDIR/csv" | sed -nE '2s/.*,"(Input[^"]*)",.*/\1/p')" "$inputs" '  CSV'
is "$(jq -r '.details[0].wrong_inputs | strings' "$TMPDIR/page")" "$inputs" '  and the data of the page'
like "$("$ASSAY" repro $rows -d "$missed")" 'ULP  *4.19e\+06, 8.39e\+06, 2.1e\+06' 'repro prints how far outputs are apart'

narrow=mutants:fault=float-halved,operator=GEMM
long=$("$ASSAY" list 'gemm.choices.shrink-second-line-1-none-none.*.float32.*' | head -1)
text=$("$ASSAY" repro "$long" -d "$narrow")
like "$text" 'inputs  .*ATensor \{0,0,0\} [^ ]*, \{0,0,1\} [^ ]*, \{0,0,2\} [^ ]*, …, .* \(61 elements\); BTensor \{0,0,0\}' \
    'of a long row the first and last elements are printed'
is "$(sed -n '/^the first wrong element depends on:/,/^$/p' <<<"$text" | grep -o '{[0-9,]*}' | wc -l)" 123 \
    '  and all of them by repro'

zero=mutants:fault=negative-as-zero,operator=GATHER
negative=$("$ASSAY" list 'gather.indices.negative.fl3_0.uint16-int32.*' | head -1)
like "$("$ASSAY" repro "$negative" -d "$zero")" 'inputs  *InputTensor \{[0-9,]*\} [^;]*; IndicesTensor \{[0-9,]*\} -[0-9]+ ' \
    'without a formula, repro finds the elements that matter: one of the input, and its index'
tap_done
