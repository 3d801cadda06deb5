#!/bin/bash
# `assay status` and SIGUSR1 report what a run is doing.
. tools/tap.sh
few_operators
db=$TMPDIR/status.db
filter=(gather.types.fl4_1 gather_nd.examples)
planned=$("$ASSAY" list --count "${filter[@]}")
status() {
    "$ASSAY" status "$db" >"$TMPDIR/out" 2>"$TMPDIR/err"
}
is_running() { [ "$(sqlite3 "$db" 'select count(*) from running' 2>/dev/null)" = 1 ]; }
has_said() { [ "$(wc -l <"$TMPDIR/said")" -ge 2 ]; }
fails 2 'status takes a database' status
fails 2 'status takes a database' status a b
fails 3 'status.db: No such file' status "$db"

"$ASSAY" run "${filter[@]}" -d mutants:fault=hang,every=10,level=6_4 -d reference --shard 1/2 --batch 4 --timeout 600 \
    --db "$db" \
    >/dev/null 2>"$TMPDIR/said" &
harness=$!
await is_running
status
is "$? $(cat "$TMPDIR/err")" '0 ' 'status reports a run in progress'
part=$(sqlite3 "$db" 'select planned from runs')
ok $((part < planned && part > 0 ? 0 : 1)) '  it is part of the plan'
like "$(cat "$TMPDIR/out")" "^mutants:[^ ]*, shard 1/2: running, [0-9]+ of $part cases, 0 failures; begun 20" \
    '  with its progress'
like "$(cat "$TMPDIR/out")" '^  worker 1: gather[^ ]*( and [0-9]+ more)?, for [0-9.]+ s$' \
    '  and the case that its worker is running'
kill -USR1 $harness
await has_said
like "$(cat "$TMPDIR/said")" "^assay: device 'mutants:.*': [0-9]+ of $part cases$" \
    'SIGUSR1: the run prints its progress'
like "$(cat "$TMPDIR/said")" '^assay: worker 1: gather[^ ]*( and [0-9]+ more)?, for [0-9.]+ s$' \
    '  and the case that its worker is running'
kill -0 $harness
is $? 0 '  and goes on'
kill -9 $harness
wait $harness 2>/dev/null
status
is $? 5 'killed: exit status 5'
like "$(cat "$TMPDIR/out")" ': ended early, [0-9]+ of [0-9]+ cases' '  status says so'
like "$(cat "$TMPDIR/out")" 'assay run --resume --db .*status.db. finishes it' '  and how to finish it'
like "$(cat "$TMPDIR/out")" '^  worker 1: gather' '  and the case of its worker is named'
"$ASSAY" run --resume --db "$db" --timeout 1 >/dev/null 2>&1
status
is $? 0 'finished: exit status 0'
like "$(cat "$TMPDIR/out")" "^mutants:[^ ]*, shard 1/2: complete, $part of $part cases, [0-9]+ failures; .*, ended 20" \
    '  it is complete'
like "$(cat "$TMPDIR/out")" "^reference, shard 1/2: complete, $part of $part cases, 0 failures;" '  on each device'

# Without a terminal, lines tell the progress, so that CI sees a live command.
"$ASSAY" run "${filter[@]}" -d mutants:fault=hang,every=10,level=6_4 --batch 4 --timeout 600 --progress always \
    >/dev/null 2>"$TMPDIR/told" &
harness=$!
has_told() { [ -s "$TMPDIR/told" ]; }
await has_told
like "$(cat "$TMPDIR/told")" "^assay: device 'mutants:.*': [0-9]+ of $planned cases\$" 'a run tells its progress in lines'
kill $harness
wait $harness 2>/dev/null
searching=(fuzz -d reference -o GATHER -j 1 --seconds 6)
"$ASSAY" "${searching[@]}" --progress never >/dev/null 2>"$TMPDIR/untold" &
text=$("$ASSAY" "${searching[@]}" --progress always 2>&1 >/dev/null)
like "$text" '^assay: [0-9]+ descriptions, [0-9]+ a second$' '  and so does a search'
wait $!
is "$? $(cat "$TMPDIR/untold")" '0 ' '  unless it should not'
fails 2 "--progress: expected always, never or auto, not 'no'" run -d reference "${filter[@]}" --progress no

# The progress line on a terminal estimates the time left from earlier runs: here nearly all of it is for the last case.
db=$TMPDIR/times.db
slow=(run gather_nd.examples gather.types.fl4_1 -d "mutants:fault=hang,every=30,level=6_4" --batch 1
    --timeout 1 --db "$db")
"$ASSAY" "${slow[@]}" >/dev/null 2>"$TMPDIR/err"
is "$(grep -c ' left' "$TMPDIR/err")" 0 'without a terminal there is no progress line'
sqlite3 "$db" "update result set host_ns = iif(case_id = (select max(id) from test_case), 1000000000000, 1)"
script -qec "$(printf '%q ' "$ASSAY" "${slow[@]}")" /dev/null </dev/null | tr '\r' '\n' >"$TMPDIR/terminal"
like "$(grep -a ' left' "$TMPDIR/terminal" | sed '1d')" '^[0-9]+/[0-9]+ .* [1-9][0-9]*:[0-9]{2}:[0-9]{2} left' \
    'on a terminal there is one, with the time left by the stored times'
tap_done
