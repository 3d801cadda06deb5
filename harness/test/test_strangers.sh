#!/bin/bash
# Devices that behave as implementations did that know nothing of assay: each is judged by what the documents say.
. tools/tap.sh

db=$TMPDIR/results.db
outside=('*.indices.above-*' '*.indices.below-*' '*.indices.far-*')
run() { # DEVICE ARGUMENT…
    rm -f "$db"
    "$ASSAY" run -d "$1" --search 0 --db "$db" -j 1 "${@:2}" >"$TMPDIR/out" 2>"$TMPDIR/err"
}
query() { sqlite3 "$db" "$1"; }

# Frameworks check indices and fail. The pages say nothing of that, but for those of three operators.
run mutants:fault=fail-out-of-range "${outside[@]}"
is $? 1 'a device that fails if an index is out of range'
is "$(query "select group_concat(distinct operator || ' ' || rule || ' ' || status) from results where status != 'pass'")" \
    'GATHER out-of-range fail,ONE_HOT out-of-range fail,REVERSE_SUBSEQUENCES out-of-range fail' \
    '  fails by the pages about such an index, and by no other'
is "$(query "select count(*) > 1000 and count(distinct operator) = 6 from results where outcome = 'error'")" 1 \
    '  and is recorded with the outcome "error" elsewhere'
run mutants:fault=fail-dispatch "${outside[@]}" '*.indices.first.*'
is "$(query "select group_concat(distinct status || ' ' || (operator = 'GATHER')) from results where outcome = 'error'")" \
    'pass 0' 'an error is accepted where an index is out of range'
is "$(query "select group_concat(distinct status || ' ' || cause) from results where case_name like '%.first.%'")" \
    'fail wrong error' '  and nowhere else'
like "$("$ASSAY" fingerprint -d mutants:fault=fail-out-of-range)" 'out-of-range +open +error +[1-9]' \
    'the fingerprint has the outcome'

# Memory that belongs to no tensor.
run mutants:fault=gather-foreign "${outside[@]}"
is $? 1 'a device that returns memory of no tensor for an index out of range'
is "$(query "select group_concat(distinct (operator = 'GATHER') || status) from results where outcome = 'foreign memory'")" \
    '1fail,0warn' '  fails where the page says that reads stay inside, and is warned of elsewhere'
is "$(query "select count(*) from results where outcome = 'foreign memory' and message not like
    '%elements of OutputTensor come from no tensor'")" 0 '  which the message says'
is "$(query "select count(*) > 1000 from results where outcome = 'foreign memory'")" 1 \
    '  in most cases with such an index'

# Batches that die as a whole, while each of their cases passes alone: every case is named, and can be expected.
mortal=mutants:fault=crash,every=300
planned=$("$ASSAY" list --count gather.types)
run $mortal gather.types --format human --format junit="$TMPDIR/junit.xml" --format json="$TMPDIR/lines.jsonl" \
    --format tap="$TMPDIR/tap" --format tap14="$TMPDIR/tap14"
is $? 1 'batches that die as a whole fail the run'
is "$(query 'select count(*) from results')" "$planned" '  every case has one result'
is "$(query 'select count(*) > 60 from failures where flaky')" 1 '  the cases of these batches are flaky'
is "$(query "select group_concat(distinct a.status || ' ' || ifnull(detail.cause, '')) from results
    join (select * from result order by attempt) a using (run_id, case_id)
    left join detail on detail.run_id = a.run_id and detail.case_id = a.case_id and detail.attempt = a.attempt
    where results.flaky")" 'crash crash,pass ' \
    '  one attempt crashed, one passed'
flaky=$(query 'select count(*) from results where flaky')
like "$(cat "$TMPDIR/out")" "flaky: $flaky\$" '  and the end says so'
is "$(query "select count(*) from results where flaky and message like '%crash, pass%with its batch of % cases: killed by SIGSEGV%'")" \
    "$flaky" '  with the signal that ended the batch'
one=$(query 'select case_name from results where flaky limit 1')
is "$(grep -c "name=\"[^\"]*${one#*.types.}\"" "$TMPDIR/junit.xml")" 1 '  JUnit has such a case once'
is "$(grep -c '"type":"result".*"flaky":true' "$TMPDIR/lines.jsonl")" "$flaky" '  JSON has each'
is "$(grep -cE "^(not )?ok .*$one" "$TMPDIR/tap") $(grep -cE "^(not )?ok .*$one" "$TMPDIR/tap14")" '1 1' \
    '  TAP has it once'
run $mortal gather.types --flaky ok
is $? 0 '--flaky ok accepts them'
echo 'gather.types.* crash,pass # dies now and then' >"$TMPDIR/known.txt"
run $mortal gather.types --expect "$TMPDIR/known.txt"
is $? 0 'an expectation accepts them'
echo 'gather.types.* fail,pass # wrong now and then' >"$TMPDIR/known.txt"
run $mortal gather.types --expect "$TMPDIR/known.txt"
is $? 1 '  unless it expects something else'
run mutants:fault=crash,some=100 gather.types
is "$(query "select count(*) > 0 and sum(flaky) = 0 from results where status = 'crash'")" 1 \
    'a case that dies alone, too, explains the death of its batch'
is "$(query 'select count(*) from results where flaky')" 0 '  so that no other case is flaky'

# Fuzzed descriptions.
"$ASSAY" fuzz -d mutants:fault=from-1024 -o GATHER --count 131072 --execute 0.2 >"$TMPDIR/out" 2>&1
is $? 1 'fuzzing executes tensors of more than 1,024 elements'
like "$(cat "$TMPDIR/out")" 'wrong result GATHER' '  and finds the mistake that occurs only there'
eval "$(sed -n 's/^  reproduce  //p' "$TMPDIR/out" | head -1)" >"$TMPDIR/again" 2>&1
is $? 1 '  which its command line reproduces'
"$ASSAY" fuzz -d mutants:fault=lose-and-say -o GATHER --count 16384 --execute 0.01 >"$TMPDIR/out" 2>&1
like "$(grep message "$TMPDIR/out")" 'the device is lost: the kernel of the queue hung' \
    'a finding has the last message of a lost device'
tap_done
