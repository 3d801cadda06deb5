#!/bin/bash
# `assay expect update` writes few patterns, for every device of the last run, and sees what has been fixed.
. tools/tap.sh
few_operators
db=$TMPDIR/r.db file=$TMPDIR/known.txt
broken=mutants:fault=flip-bit
devices=(-d "$broken" -d reference)
"$ASSAY" run "${devices[@]}" gather_nd.examples nonzero_coordinates.examples --db "$db" >"$TMPDIR/out"
is $? 1 'a run of a broken device and of a sound one'
"$ASSAY" expect update "$file" --db "$db" >"$TMPDIR/out"
is "$? $(grep -c '^.*: from run' "$TMPDIR/out")" '0 2' 'update handles both'
like "$(grep -c ' fail # new: [0-9]* cases*: wrong result' "$file")" '^[123]$' '  with few lines'
is "$(grep -c "^\[device=" "$file")" 1 '  in a section of the broken one'
"$ASSAY" run "${devices[@]}" gather_nd.examples nonzero_coordinates.examples --expect "$file" >"$TMPDIR/out" 2>&1
is $? 0 '  with which both are as expected'

: >"$TMPDIR/empty.txt"
"$ASSAY" expect check "$TMPDIR/empty.txt" --db "$db" >"$TMPDIR/out"
is "$? $(grep -c '^run [12] on ' "$TMPDIR/out")" '1 2' 'check looks at both, too'
"$ASSAY" expect check "$file" --db "$db" >"$TMPDIR/out"
is "$? $(grep -c ' 0 unexpected, 0 failed without a line; 0 stale lines$' "$TMPDIR/out")" '0 2' \
    '  and agrees with update'

# A line for all devices that fits only one of them becomes a line for this one, with its reason.
printf '# mine\ngather_nd.examples fail # issue 7\nnonzero_coordinates.examples crash # issue 8\n' >"$TMPDIR/shared.txt"
"$ASSAY" expect update "$TMPDIR/shared.txt" --db "$db" >"$TMPDIR/out"
is "$? $(tr '\n' '|' <"$TMPDIR/shared.txt")" "0 # mine|[device=$broken]|gather_nd.examples fail # issue 7|$(
    grep '^nonzero' "$file" | sed 's/#.*/# issue 8/' | tr '\n' '|')" \
        'update keeps the reason of a line that fits one device'
"$ASSAY" expect check "$TMPDIR/shared.txt" --db "$db" >"$TMPDIR/out"
is $? 0 '  and both are as expected'
cp "$TMPDIR/shared.txt" "$TMPDIR/again.txt"
"$ASSAY" expect update "$TMPDIR/again.txt" --db "$db" >"$TMPDIR/out"
cmp -s "$TMPDIR/shared.txt" "$TMPDIR/again.txt"
ok $? '  another update changes nothing'

# Both go by the state of a device: a partial run and runs that test something else leave the other cases as they were.
"$ASSAY" run -d "$broken" gather_nd.examples --db "$TMPDIR/p.db" nonzero_coordinates.examples >"$TMPDIR/out"
"$ASSAY" run -d "$broken" gather_nd.examples --db "$TMPDIR/p.db" >"$TMPDIR/out"
"$ASSAY" fingerprint -d reference --db "$TMPDIR/p.db" >"$TMPDIR/out" 2>&1
"$ASSAY" expect update "$TMPDIR/state.txt" --db "$TMPDIR/p.db" >"$TMPDIR/out"
is "$? $(cut -d' ' -f1 "$TMPDIR/state.txt" | tr '\n' ' ')" "0 $(grep -v '^\[' "$file" | cut -d' ' -f1 | tr '\n' ' ')" \
    'update after a partial run knows the other failures'
"$ASSAY" expect check "$TMPDIR/state.txt" --db "$TMPDIR/p.db" >"$TMPDIR/out"
is $? 0 '  and so does check'

# A line that expects a pass, too, is seen as fixed once none of its cases fails.
echo 'gather_nd.examples fail,pass # now and then' >"$file"
fails 1 "known.txt:1: .*all [0-9]+ cases that 'gather_nd.examples' decides pass now" run -d reference \
    gather_nd.examples \
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
like "$(cat "$TMPDIR/out")" "complete. \| $count \| 0 \| 0 \| 0 \| $count \| 0 " \
    'Markdown has a column of expected failures'
like "$(tr '`' "'" <"$TMPDIR/out")" "^\| 'the first bit, issue 1' \| 'fail' \| $count \| '20[0-9-]+' \|" \
    '  and a list with reasons'
like "$(cat "$TMPDIR/out")" '✗ fails as expected' '  and no operator that is said to pass'
is "$(grep -c '✓ passes' "$TMPDIR/out")" 0 '  beside known failures'
"$ASSAY" report "$TMPDIR/e.db" --junit "$TMPDIR/e.xml" --csv "$TMPDIR/e.csv" --json "$TMPDIR/e.json"
is "$(xmllint --xpath 'sum(//testsuite/@skipped)' "$TMPDIR/e.xml")" "$count" 'JUnit counts them as skipped'
is "$(xmllint --xpath 'count(//skipped[@message="expected fail: the first bit, issue 1"])' "$TMPDIR/e.xml")" "$count" \
    '  each with status and reason'
is "$(xmllint --xpath 'sum(//property[@name="known-failures"]/@value)' "$TMPDIR/e.xml")" "$count" \
    '  and apart from other skips'
xmllint --noout --schema harness/test/junit.xsd "$TMPDIR/e.xml" 2>"$TMPDIR/err"
ok $? '  as Jenkins reads it'
is "$(/usr/bin/python3 -c '
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="", encoding="utf-8")))
print(len(rows), {(r["status"], r["failed"], r["known"], r["expectation"], r["reason"]) for r in rows})' "$TMPDIR/e.csv")" \
    "$count {('fail', '0', '1', 'expected', 'the first bit, issue 1')}" 'CSV has status and reason of each'
is "$(jq -c '.known | map([.device, .reason, .status, .count, (.cases | length)])' "$TMPDIR/e.json")" \
    "[[0,\"the first bit, issue 1\",\"fail\",$count,$count]]" 'the page lists them by reason'
is "$(jq -c '.devices[0].state | [.failures, .counts.known]' "$TMPDIR/e.json")" "[0,$count]" '  and counts them'
"$ASSAY" run -d "$broken" gather_nd.examples --expect "$file" --format junit="$TMPDIR/r.xml" >"$TMPDIR/out"
is "$(xmllint --xpath 'sum(//property[@name="known-failures"]/@value)' "$TMPDIR/r.xml")" "$count" \
    'so does the JUnit of a run'

# Three bugs in one operator, two of which names do not tell from passing cases: a line for each of them.
sed -e 's/from\[g->axis\] = .*/from[g->axis] = (uint32_t)(index ? index : 1) % size;/' \
    -e 's/alignment < out->bytes/0/' device/template/mydevice.c >"$TMPDIR/three.c"
cc -shared -fPIC -fvisibility=hidden -Idevice "$TMPDIR/three.c" -o "$TMPDIR/three.so"
"$ASSAY" run -d "$TMPDIR/three.so" -o GATHER_ELEMENTS --search 0 --db "$TMPDIR/t.db" >"$TMPDIR/out" 2>&1
is $? 1 'a device with three bugs'
rm -f "$file"
"$ASSAY" expect update "$file" --db "$TMPDIR/t.db" >"$TMPDIR/out"
is "$? $(sed -nE 's/.*[^0-9]([0-9]+) added$/\1/p' "$TMPDIR/out")" "0 $(wc -l <"$file")" 'update lists its failures'
like "$(wc -l <"$file")" '^[3-6]$' '  in at most six lines'
like "$(cat "$file")" '^gather_elements broken=[a-z-]* fail # new: [0-9]+ cases: ' '  about rules'
is "$(awk -F' new: ' '{ sum += $2 } END { print sum }' "$file")" "$(sqlite3 "$TMPDIR/t.db" 'select count(*) from failures')" \
    '  which say how many cases they have'
"$ASSAY" run -d "$TMPDIR/three.so" -o GATHER_ELEMENTS --search 0 --seed 1 --expect "$file" >"$TMPDIR/out" 2>&1
is $? 0 '  with another seed, too, the device is as expected'
"$ASSAY" run -d reference -o GATHER_ELEMENTS --search 0 --expect "$file" >"$TMPDIR/out" 2>"$TMPDIR/err"
is "$? $(grep -c 'none of the .* matches broke ' "$TMPDIR/err")" "1 $(grep -c broken= "$file")" \
    '  and without its bugs the lines are stale'

# A third party's implementation, with a few hundred failures.
if [ -e "${ASSAY_DEVICES:-build/devices}/onnxruntime.so" ] && [ -e \
    "${ASSAY_DEVICES:-build/devices}/libonnxruntime.so.1" ]; then
    rm -f "$file"
    third=('*.indices.*' 'gather*.types.*' 'scatter*.types.*')
    "$ASSAY" run -d onnxruntime --no-expect "${third[@]}" --db "$TMPDIR/o.db" >"$TMPDIR/out"
    "$ASSAY" expect update "$file" --db "$TMPDIR/o.db" >"$TMPDIR/out"
    is $? 0 'update from nothing, for ONNX Runtime'
    ok $(($(wc -l <"$file") <= 6 ? 0 : 1)) '  a handful of lines'
    "$ASSAY" run -d onnxruntime --no-expect --expect "$file" "${third[@]}" >"$TMPDIR/out" 2>&1
    is $? 0 '  with which it is as expected'
fi
tap_done
