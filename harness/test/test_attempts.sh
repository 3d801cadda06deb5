#!/bin/bash
# Retries, repeats and another order: flaky cases are recognized, and every attempt has its row.
. tools/tap.sh
few_operators
db=$TMPDIR/attempts.db
ask() { sqlite3 "$db" "with last as (select max(run_id) as run from runs) $1"; }
# Timing decides which cases the fault strikes: so many retries that no case fails each time.
flaky=(gather_nd.types -d "mutants:fault=flip-bit,every=7")
count=$("$ASSAY" list --count gather_nd.types)

"$ASSAY" run "${flaky[@]}" --db "$db" >/dev/null
is $? 1 'a device that is wrong now and then fails'
"$ASSAY" run "${flaky[@]}" --db "$db" --retries 9 >"$TMPDIR/human"
is $? 1 'and is flaky when tried again, which also fails the run'
like "$(cat "$TMPDIR/human")" '^pass gather_nd\..*, flaky$' '  each such case is marked flaky'
like "$(cat "$TMPDIR/human")" 'the attempts ended as fail, pass; the first failure: ' \
    '  with the statuses of its attempts'
like "$(cat "$TMPDIR/human")" " $count pass; flaky: [0-9]+" '  flaky cases are counted'
is "$(ask "select count(*) from results, last where run_id = run")" "$count" '  every case has one result'
is "$(ask "select count(*) > 10, count(*) = sum(status = 'pass') from results, last where run_id = run and flaky")" \
    '1|1' \
    '  flaky cases end with a pass'
is "$(ask "select min(attempt) > 1, max(attempt) <= 10 from results, last where run_id = run and flaky")" '1|1' \
    '  at a later attempt'
is "$(ask "select sum(attempt = 1 and status = 'fail'), sum(attempt > 1) from result, last where run_id = run")" \
    "$(ask "select sum(flaky), sum(attempt - 1) from results, last where run_id = run")" '  each attempt has its row'
is "$(ask "select count(*) from failures, last where run_id = run")" \
    "$(ask "select sum(flaky) from results, last where run_id = run")" '  and they are among the failures'
line=$(sed -n 's/^ *reproduce *[^ ]* //p' "$TMPDIR/human" | head -1)
eval "\"\$ASSAY\" $line" >/dev/null
is $? 0 '  the line that reproduces one works'

"$ASSAY" run "${flaky[@]}" --db "$db" --retries 9 --flaky ok >/dev/null
is $? 0 'with --flaky ok flaky cases do not fail the run'
is "$(ask "select count(*) from failures, last where run_id = run")" 0 '  there is no failure'
is "$(ask "select distinct expectation, reason from results, last where run_id = run and flaky")" \
    'expected|--flaky ok' \
    '  and the reason is stored'
"$ASSAY" run "${flaky[@]}" --retries 9 --flaky ok --format tap >"$TMPDIR/tap"
prove -e cat "$TMPDIR/tap" >/dev/null 2>&1
is $? 0 '  prove passes it'
like "$(cat "$TMPDIR/tap")" '^  flaky: true$' '  and its diagnostics say flaky'
"$ASSAY" run "${flaky[@]}" --retries 9 --format tap >"$TMPDIR/tap"
prove -e cat "$TMPDIR/tap" >/dev/null 2>&1
is $? 1 'otherwise prove fails it'

"$ASSAY" run gather_nd.examples -d mutants:fault=flip-bit --db "$db" --retries 2 >/dev/null
is $? 1 'a device that is always wrong is wrong at each attempt'
is "$(ask "select min(attempt), sum(flaky), count(distinct status) from results, last where run_id = run")" '3|0|1' \
    '  three attempts, not flaky'
"$ASSAY" run gather_nd.examples gather_nd.limits -d mutants:fault=crash,every=9 --db "$db" --retries 1 >/dev/null 2>&1
is $? 1 'a crash is also tried again'
is "$(ask "select count(*) > 1, min(r.status), max(r.status) from results as r, last where run_id = run and flaky")" \
    '1|pass|pass' '  and then passes'

# Attempts must write the same bits.
"$ASSAY" run '*.types.*' '*.values.*' -d reference --repeat 2 --db "$db" >/dev/null
is $? 0 'the reference device writes the same bits twice'
is "$(ask "select count(*) from result, last where run_id = run and attempt = 2")" \
    "$(ask "select count(*) from results, last where run_id = run and status = 'pass'")" '  each case had two attempts'
"$ASSAY" run gather_elements.values scatter_nd.values -d mutants:fault=count-nans --db "$db" >/dev/null
is $? 0 'changed NaN payloads are only a warning'
"$ASSAY" run gather_elements.values scatter_nd.values -d mutants:fault=count-nans --db "$db" --repeat 3 >/dev/null
is $? 1 'but they must be the same each time'
is "$(ask "select count(*) > 2 from results, last where run_id = run and status = 'fail'
    and message like 'not deterministic: attempt 2 wrote other bits than attempt 1%'")" 1 '  which the message says'
"$ASSAY" run "${flaky[@]}" --db "$db" --repeat 8 >/dev/null
is $? 1 'repeated, a device that is wrong now and then is flaky'
is "$(ask "select sum(flaky) > 20, min(attempt) from results, last where run_id = run and status <> 'skip'")" '1|8' \
    '  in many cases'

# Another order.
"$ASSAY" run gather.types scatter_nd.types -d reference --format tap >"$TMPDIR/planned"
"$ASSAY" run gather.types scatter_nd.types -d reference --format tap --shuffle 7 -j 2 >"$TMPDIR/shuffled"
like "$(cat "$TMPDIR/shuffled")" '^# shuffle: 0x7$' 'the seed of the order is printed'
is "$(grep -v '^# shuffle' "$TMPDIR/shuffled" | cksum)" "$(cksum <"$TMPDIR/planned")" \
    'the results are the same, in order'
filter=(gather.types nonzero_coordinates.types scatter_nd.types)
failed() { "$ASSAY" run "${filter[@]}" -d mutants:fault=leave-mode -j 1 -v "$@" | grep -c '^fail'; }
first=$(failed)
ok $((first > 50 ? 0 : 1)) "a device that keeps something fails: $first cases"
is "$(failed --shuffle 3)" "$(failed --shuffle 3)" 'in another order the same number fails each time'
ok $(("$(failed --shuffle 3)" != first ? 0 : 1)) '  and a different number than in plan order'

fails 2 'retries and --repeat' run -d reference --retries 1 --repeat 2
fails 2 "flaky: expected fail or ok, not 'maybe'" run -d reference --flaky maybe
fails 2 'at most 1000' run -d reference --repeat 1001
# Attempts do not accumulate in memory: MiB used by assay itself for 250 attempts at each of few or many cases, whose
# numbers of attempts differ by tens of thousands. Both are more cases than one worker has been given at a time, two
# batches, whose attempts wait for each other.
memory() {
    "$ASSAY" run "$@" -d reference -j 1 --batch 16 --repeat 250 --profile 2>&1 >/dev/null |
        sed -n 's/.*assay itself .* s, \([0-9]*\)[0-9.]* MiB.*/\1/p'
}
few=$(memory gather.types.fl4_1)
many=$(memory gather.types gather_nd.types)
ok $((few > 0 && many < few + 2 ? 0 : 1)) "memory does not grow with attempts: $few MiB, then $many MiB"
tap_done
