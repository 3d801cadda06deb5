#!/bin/bash
# `assay expect update` writes few patterns, for every device of the last run, and sees what has been fixed.
. tools/tap.sh
db=$TMPDIR/r.db file=$TMPDIR/known.txt
broken=mutants:fault=flip-bit
devices=(-d "$broken" -d reference)
"$ASSAY" run "${devices[@]}" gather_nd.examples nonzero_coordinates.examples --db "$db" >"$TMPDIR/out"
is $? 1 'a run of a broken device and of a sound one'
"$ASSAY" expect update "$file" --db "$db" >"$TMPDIR/out"
is "$? $(grep -c '^.*: from run' "$TMPDIR/out")" '0 2' 'update handles both'
ok $(($(grep -c ' fail # new: wrong result' "$file") <= 3 ? 0 : 1)) '  with few lines'
is "$(grep -c "^\[device=" "$file")" 1 '  in a section of the broken one'
"$ASSAY" run "${devices[@]}" gather_nd.examples nonzero_coordinates.examples --expect "$file" >"$TMPDIR/out" 2>&1
is $? 0 '  with which both are as expected'

# A line that expects a pass, too, is seen as fixed once none of its cases fails.
echo 'gather_nd.examples fail,pass # now and then' >"$file"
fails 1 "known.txt:1: .*all [0-9]+ cases that 'gather_nd.examples' decides pass now" run -d reference gather_nd.examples \
    --expect "$file" --db "$db"
"$ASSAY" expect check "$file" --db "$db" >"$TMPDIR/out"
is "$? $(grep -c 'pass now' "$TMPDIR/out")" '1 1' '  check lists it'
"$ASSAY" expect update "$file" --db "$db" >"$TMPDIR/out"
is "$? $(wc -c <"$file")" '0 0' '  update removes it'
echo 'gather_nd.examples.indices-rank.fl2_1.float32-uint32.d4p4q3k4 fail,pass # now and then' >"$file"
"$ASSAY" run -d reference gather_nd.examples --expect "$file" >"$TMPDIR/out" 2>&1
is $? 0 '  but a line about one case may be about a flaky one'

# A report counts expected failures and lists them with their reasons.
echo 'gather_nd.examples fail # the first bit, issue 1' >"$file"
"$ASSAY" run -d "$broken" gather_nd.examples --expect "$file" --db "$TMPDIR/e.db" >"$TMPDIR/out"
count=$("$ASSAY" list --count gather_nd.examples)
"$ASSAY" report "$TMPDIR/e.db" >"$TMPDIR/out"
like "$(cat "$TMPDIR/out")" "complete. \| $count \| 0 \| 0 \| 0 \| $count \| 0 " 'Markdown has a column of expected failures'
like "$(tr '`' "'" <"$TMPDIR/out")" "^\| 'the first bit, issue 1' \| 'fail' \| $count \| '20[0-9-]+' \|" '  and a list with reasons'
like "$(cat "$TMPDIR/out")" '✗ fails as expected' '  and no operator that is said to pass'
is "$(grep -c '✓ passes' "$TMPDIR/out")" 0 '  beside known failures'

# A third party's implementation, with a few hundred failures.
if [ -e "${ASSAY_DEVICES:-build/devices}/onnxruntime.so" ] && [ -e "${ASSAY_DEVICES:-build/devices}/libonnxruntime.so.1" ]; then
    rm -f "$file"
    "$ASSAY" run -d onnxruntime --no-expect '*.indices.*' '*.types.*' --db "$TMPDIR/o.db" >"$TMPDIR/out"
    "$ASSAY" expect update "$file" --db "$TMPDIR/o.db" >"$TMPDIR/out"
    is $? 0 'update from nothing, for ONNX Runtime'
    ok $(($(wc -l <"$file") <= 6 ? 0 : 1)) '  a handful of lines'
    "$ASSAY" run -d onnxruntime --no-expect --expect "$file" '*.indices.*' '*.types.*' >"$TMPDIR/out" 2>&1
    is $? 0 '  with which it is as expected'
fi
tap_done
