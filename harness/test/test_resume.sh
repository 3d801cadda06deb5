#!/bin/bash
# Whatever ends a run, what it has done is there, the rest is done by --resume, and the whole is as if nothing had been.
# KILLS is how often it is killed at random times, WRITES how many different writes fail: make torture has more of them.
. tools/tap.sh
filter=(gather.types.fl4_1 gather_nd.examples nonzero_coordinates.examples)
device=mutants:fault=flip-bit,some=5,level=6_4
columns='device, case_name, operator, feature_level, status, rule, message, seed, pages, expected, wrong_tensor,
    wrong_coordinates, wrong_got, wrong_expected, wrong_count, attempt, strength, outcome, slow'
db=$TMPDIR/resume.db
whole=$TMPDIR/whole.db

# sql DATABASE STATEMENT: a harness that writes is waited for.
sql() {
    sqlite3 -cmd '.timeout 10000' "$@"
}
# rows DATABASE: all there is but timings and reproduce lines, which name the program.
rows() {
    sql "$1" "select $columns from results order by device, case_name"
}
run() {
    "$ASSAY" run "${filter[@]}" -d "$device" -d reference --seed 77 "$@" --db "$db" >"$TMPDIR/out" 2>"$TMPDIR/err"
}
resume() {
    "$ASSAY" run --resume --db "$db" "$@" >"$TMPDIR/out" 2>"$TMPDIR/err"
}
clean() {
    rm -f "$db" "$db"-*
}
# sound WHAT: the database opens, and finished rows are in it.
sound() {
    is "$(sql "$db" 'pragma integrity_check; pragma foreign_key_check' 2>&1)" ok "$1: the database is sound"
}
same() {
    rows "$db" >"$TMPDIR/rows"
    cmp -s "$TMPDIR/wanted" "$TMPDIR/rows"
    ok $? "$1: row for row as without interruption"
}

db=$whole run
is $? 1 'an uninterrupted run fails'
rows "$whole" >"$TMPDIR/wanted"
planned=$("$ASSAY" list --count "${filter[@]}")
is "$(wc -l <"$TMPDIR/wanted")" $((2 * planned)) '  with two rows for each case'
db=$whole fails 4 'nothing to resume' run --resume --db "$whole"
fails 2 '--resume: which database' run --resume
fails 2 '--force is for --resume' run --force -d reference

# Ctrl-C in the middle, and a pulled terminal.
for signal in INT TERM HUP; do
    clean
    "$ASSAY" run "${filter[@]}" -d mutants:fault=hang,every=150,level=6_4 --timeout 600 --db "$db" >"$TMPDIR/out" 2>&1 &
    harness=$!
    until [ "$(sql "$db" 'select count(*) > 20 from results' 2>/dev/null)" = 1 ]; do sleep 0.1; done
    kill -$signal $harness
    wait $harness
    is $? 5 "SIG$signal: exit status 5"
    is "$(sql "$db" "select count(*) from results")" "$planned" '  every case has its row'
    is "$(sql "$db" "select count(*) from results where status = 'incomplete' and message = 'not run: interrupted'")" \
        "$(sql "$db" "select count(*) from results where status <> 'pass'")" '  incomplete where it did not pass'
done
sql "$db" "update device set driver = 'of old'"
fails 2 "the driver is '', it was 'of old'; --force" run --resume --db "$db"
sql "$db" "update device set driver = ''; update run set version = '0.0.9'"
fails 2 "the version of assay is '.*', it was '0.0.9'" run --resume --db "$db"
fails 2 'the seed is 0x5, it was 0x0' run --resume --db "$db" --seed 5
fails 2 'other cases are planned now' run --resume --db "$db" gather_nd.types
resume --force --max-time 1
is $? 5 'resumed with another limit: interrupted again'

# Killed at random.
kills=0
killed_rows=0
missing=0
unsound=0
clean
while [ $kills -lt "${KILLS:-6}" ]; do
    if [ -e "$db" ] && [ "$(sql "$db" 'select count(*) from invocation' 2>/dev/null)" = 1 ]; then
        "$ASSAY" run --resume --db "$db" >"$TMPDIR/out" 2>&1 &
    else
        clean
        "$ASSAY" run "${filter[@]}" -d "$device" -d reference --seed 77 --batch 2 --db "$db" >"$TMPDIR/out" 2>&1 &
    fi
    harness=$!
    sleep "$((RANDOM % 3)).$((RANDOM % 1000 + 1000))"
    before=$(sql "$db" "select count(*) from result" 2>/dev/null)
    if kill -9 $harness 2>/dev/null; then
        kills=$((kills + 1))
        wait $harness 2>/dev/null
        after=$(sql "$db" "select count(*) from result" 2>/dev/null)
        [ "${after:-0}" -ge "${before:-0}" ] || missing=$((missing + 1))
        [ "${after:-0}" -gt 0 ] && killed_rows=$((killed_rows + 1))
        [ ! -e "$db" ] || [ "$(sql "$db" 'pragma integrity_check' 2>&1)" = ok ] || unsound=$((unsound + 1))
    else # it was done: from the start
        wait $harness 2>/dev/null
        rows "$db" | cmp -s "$TMPDIR/wanted" - || missing=$((missing + 1))
        clean
    fi
done
is $unsound 0 "killed $kills times: the database is sound each time"
is $missing 0 '  no row was lost'
ok $((killed_rows > 0 ? 0 : 1)) "  $killed_rows times in the middle"
if [ "$(sql "$db" 'select count(*) from invocation' 2>/dev/null)" = 1 ]; then resume; else run; fi
is $? 1 'resumed to the end: the exit status is that of the whole'
same killed
is "$(sql "$db" "select group_concat(distinct state) from runs")" complete '  and its runs are complete'
resume
is $? 4 '  so that there is nothing left to resume'

# A full disk.
clean
(ulimit -f 150 && run)
is $? 3 'no room for the results: exit status 3'
like "$(cat "$TMPDIR/err")" 'results.db|resume.db: .*rows committed before are kept' '  which is said'
sound 'no room'
if [ "$(sql "$db" 'select count(*) from invocation' 2>/dev/null)" = 1 ]; then resume; else run; fi
is $? 1 '  with room, the rest is run'
same 'no room'

# A second harness, and one that resumes while the first still runs.
clean
"$ASSAY" run "${filter[@]}" -d mutants:fault=hang,level=6_4 --timeout 600 --db "$db" >"$TMPDIR/out" 2>&1 &
harness=$!
until [ "$(sql "$db" 'select count(*) from running' 2>/dev/null)" = 1 ]; do sleep 0.1; done
fails 3 'another assay is writing it' run gather.types.fl4_1 -d reference --db "$db"
fails 3 'another assay is writing it' run --resume --db "$db"
kill -9 $harness
wait $harness 2>/dev/null
sleep 0.2
is "$(pgrep -P $harness | wc -l)" 0 'its workers die with it'
tap_done
