#!/bin/bash
# Whatever ends a run, its results so far are stored, --resume does the rest, and the whole is as without interruption.
# KILLS: how often the run is killed at random times (10).
. tools/tap.sh
few_operators
filter=(gather.types gather_nd.types scatter_nd.types gather_nd.examples nonzero_coordinates.examples)
device=mutants:fault=flip-bit,some=5,level=6_4
columns='device, case_name, operator, feature_level, status, rule, message, seed, pages, expected, wrong_tensor,
    wrong_coordinates, wrong_got, wrong_expected, wrong_count, attempt, strength, outcome, slow, flaky, expectation, reason'
db=$TMPDIR/resume.db
whole=$TMPDIR/whole.db

# sql DATABASE STATEMENT: waits while a harness writes.
sql() {
    sqlite3 -cmd '.timeout 10000' "$@"
}
# holds EXPRESSION: it is true in the database that a harness writes.
holds() { [ "$(sql "$db" "select $1")" = 1 ]; }
# rows DATABASE: all results, without timings and reproduce lines, which name the program; and the number of attempts.
rows() {
    sql "$1" "select $columns from results order by device, case_name; select count(*) from result"
}
# run ARGUMENTS…: with retries, in another order, two cases per dispatch.
run() {
    "$ASSAY" run "${filter[@]}" -d "$device" -d reference --seed 77 --batch 2 --retries 2 --shuffle 5 "$@" --db "$db" \
        >"$TMPDIR/out" 2>"$TMPDIR/err"
}
resume() {
    "$ASSAY" run --resume --db "$db" "$@" >"$TMPDIR/out" 2>"$TMPDIR/err"
}
# begun: there is something to resume. A run may also have been killed after its last row.
begun() {
    [ -e "$db" ] && [ "$(sql "$db" \
        "select count(*), (select count(*) < 2 from run where state = 'complete') from invocation" \
        2>/dev/null)" = '1|1' ]
}
# finish ARGUMENTS…: resumes, or runs with the arguments if there is nothing to resume.
finish() {
    if begun; then
        resume
    else
        clean
        run "$@"
    fi
}
clean() {
    rm -f "$db" "$db"-*
}
# sound WHAT: the database is intact.
sound() {
    is "$(sql "$db" 'pragma integrity_check; pragma foreign_key_check' 2>&1)" ok "$1: the database is sound"
}
same() {
    rows "$db" >"$TMPDIR/rows"
    cmp -s "$TMPDIR/wanted" "$TMPDIR/rows"
    ok $? "$1: row for row as without interruption"
}

db=$whole run --no-expect
is $? 1 'an uninterrupted run fails'
rows "$whole" >"$TMPDIR/wanted"
planned=$("$ASSAY" list --count "${filter[@]}")
is "$(wc -l <"$TMPDIR/wanted")" $((2 * planned + 1)) '  with a row for each case on each device'
is "$(sql "$whole" 'select count(*) > 30 from results where attempt = 3')" 1 '  of failed cases with three attempts'
db=$whole resume
is "$? $(grep -c 'whole.db: nothing to resume: the run is complete' "$TMPDIR/err")" '0 1' \
    'a complete run: nothing to resume, which is said'
db=$whole run --no-expect --resume
is "$? $(sql "$whole" 'select count(*) from runs')" '0 2' '  with the same command line as well'
fails 4 "nothing to resume: .* another one: --device: .* has '$device reference', not 'vulkan'" run -d vulkan --resume \
    --db "$whole"
fails 4 "nothing to resume: there is no such file" run -d reference --resume --db "$TMPDIR/none.db"
is "$(ls "$TMPDIR/none.db" 2>/dev/null)" '' '  and none is made'
sqlite3 "$TMPDIR/empty.db" <reports/schema.sql
fails 4 'nothing to resume: it has no run of .assay run.' run --resume --db "$TMPDIR/empty.db"
fails 2 '--resume: which database' run --resume
fails 2 '--force is for --resume' run --force -d reference

# Ctrl-C in the middle, SIGTERM, and a closed terminal.
for signal in INT TERM HUP; do
    clean
    "$ASSAY" run "${filter[@]}" -d mutants:fault=hang,every=40,level=6_4 --batch 4 --timeout 600 --db "$db" \
        >"$TMPDIR/out" 2>&1 &
    harness=$!
    await holds 'count(*) > 20 from results'
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
fails 2 "--seed: the run that --resume goes on with has '0', not '5'" run --resume --db "$db" --seed 5
fails 2 "FILTER: .* has 'gather.types .*', not 'gather_nd.types'" run --resume --db "$db" gather_nd.types
fails 2 "--shard: .* has 'none', not '1/2'" run --resume --db "$db" --shard 1/2
fails 2 "--device: .* has 'mutants:.*', not 'reference'" run --resume --db "$db" -d reference
fails 2 "--label: .* has 'none', not 'x'" run --resume --db "$db" --label x
sql "$db" 'update run set plan_hash = 5'
fails 2 'other cases are planned now' run --resume --db "$db"
resume --force --max-time 1
is $? 5 'resumed with another limit: interrupted again'

# A limit on time: the same command line with --resume added continues the one run, with the limits that it gives
# itself.
clean
limited=("${filter[@]}" -d "mutants:fault=hang,some=50,level=6_4" -d reference --timeout 2 --batch 1 --db "$db")
"$ASSAY" run "${limited[@]}" --max-time 1 >"$TMPDIR/out" 2>&1
is $? 5 'a run with --max-time: incomplete'
"$ASSAY" run "${limited[@]}" --max-time 1 --resume >"$TMPDIR/out" 2>"$TMPDIR/err"
is "$? $(cat "$TMPDIR/err")" '5 ' 'the same command line with --resume: incomplete again'
is "$(sql "$db" 'select count(*), count(distinct device) from runs')" '2|2' '  and no run is added'
resume --timeout 1 -j 4 --seed 0 --format json="$TMPDIR/lines"
is $? 1 'without --max-time it ends'
is "$(sql "$db" "select count(*), group_concat(distinct state) from runs"),$(grep -c '"type":"result"' \
    "$TMPDIR/lines")" \
    "2|complete,$((2 * planned))" '  as one complete run on each device, with options given again and limits changed'

# The device's file was replaced.
clean
cp "$ASSAY_DEVICES/mutants.so" "$TMPDIR/own.so"
"$ASSAY" run "${filter[@]}" -d "$TMPDIR/own.so:fault=flip-bit,some=5,level=6_4" --db "$db" >"$TMPDIR/out" 2>&1
sql "$db" "update run set state = 'incomplete'; update result set status = 'incomplete' where case_id > 20"
echo more >>"$TMPDIR/own.so"
fails 2 "the device's file has other contents: its hash is [0-9a-f]{16}, it was [0-9a-f]{16}; --force" run --resume \
    --db "$db"
resume --force
is "$? $(sql "$db" 'select count(*), state from runs')" '1 1|complete' '--force goes on all the same'
"$ASSAY" run gather_nd.examples -d "$TMPDIR/own.so" --db "$db" >"$TMPDIR/out" 2>&1
is "$(sql "$db" "select count(*), count(distinct device_hash), min(length(device_hash)) from runs")" '2|1|16' \
    '  and the run is then of the new file'

# An interruption between attempts: resumed, each case gets all of its attempts.
clean
"$ASSAY" run gather.types.fl4_1 -d mutants:fault=hang,every=60,level=6_4 --batch 8 --timeout 600 --repeat 3 --db "$db" \
    >"$TMPDIR/out" 2>&1 &
harness=$!
# Rows of a case whose attempts are not complete become incomplete, so only cases with three attempts count.
await holds "(select count(*) from running) > 0 and
    (select count(*) from results where status = 'pass' and attempt = 3) >= 10"
kill -INT $harness
wait $harness
is $? 5 'interrupted between attempts: exit status 5'
is "$(sql "$db" "select count(*) >= 10, min(attempt) from results where status = 'pass'")" '1|3' \
    '  no case that passed has too few attempts'
is "$(sql "$db" "select count(*) > 0 from results where message like 'not run%: interrupted'")" 1 \
    '  the others are incomplete'
resume --timeout 1
is "$? $(sql "$db" "select min(attempt), max(iif(hung, 3, attempt)) from (select attempt, exists (select 1 from result
    where status = 'timeout' and result.run_id = results.run_id and result.case_id = results.case_id) as hung
    from results)")" '1 3|3' '  and resumed, all have three, and more only those in batches that hung'

# --rerun-failed, interrupted and resumed, still runs what had failed before it.
clean
"$ASSAY" run "${filter[@]}" -d "$device" --db "$db" >/dev/null
failed=$(sql "$db" 'select count(*) from failures')
"$ASSAY" run -d "$device" --rerun-failed --db "$db" >/dev/null
sql "$db" "update run set state = 'running' where id = 2;
    delete from detail where run_id = 2 and case_id > 20; delete from result where run_id = 2 and case_id > 20"
resume
is "$? $(sql "$db" 'select count(*) from failures where run_id = 2')" "1 $failed" \
    '--rerun-failed, resumed: the same cases fail'

# Killed at random times, up to that of a whole run. Every failure is expected, and no line of the expectations is
# stale.
sql "$whole" "select '[device=mutants:*]' union all select case_name || ' fail # known' from failures" >"$TMPDIR/known"
begun=${EPOCHREALTIME/[.,]/}
db=$TMPDIR/known.db run --expect "$TMPDIR/known"
is $? 0 'an uninterrupted run whose failures are all expected passes'
whole_ms=$(((${EPOCHREALTIME/[.,]/} - begun) / 1000))
rows "$TMPDIR/known.db" >"$TMPDIR/wanted"
kills=0
killed_rows=0
missing=0
unsound=0
for ((turn = 0; turn < 100 * ${KILLS:-10} && kills < ${KILLS:-10}; turn++)); do
    finish --expect "$TMPDIR/known" 2>/dev/null &
    harness=$!
    ms=$((RANDOM % whole_ms + 20))
    sleep "$((ms / 1000)).$(printf %03d $((ms % 1000)))"
    before=$(sql "$db" "select count(*) from result" 2>/dev/null)
    if pkill -9 -P $harness assay; then
        kills=$((kills + 1))
        wait $harness 2>/dev/null
        after=$(sql "$db" "select count(*) from result" 2>/dev/null)
        [ "${after:-0}" -ge "${before:-0}" ] || missing=$((missing + 1))
        [ "${after:-0}" -gt 0 ] && killed_rows=$((killed_rows + 1))
        [ ! -e "$db" ] || [ "$(sql "$db" 'pragma integrity_check' 2>&1)" = ok ] || unsound=$((unsound + 1))
    else # it was done: starts anew
        wait $harness
        ended=$?
        rows "$db" | cmp -s "$TMPDIR/wanted" - && [ $ended = 0 ] || missing=$((missing + 1))
        [ $ended = 0 ] || sed "s/^/# ended with $ended: /" "$TMPDIR/err"
        clean
    fi
done
is "$kills $unsound" "${KILLS:-10} 0" "killed $kills times: the database is sound each time"
is $missing 0 '  no row was lost'
ok $((killed_rows > 0 ? 0 : 1)) "  $killed_rows times in the middle"
finish --expect "$TMPDIR/known"
is "$? $(cat "$TMPDIR/err")" '0 ' 'resumed to the end: the exit status is that of the whole, no expectation is stale'
same killed
is "$(sql "$db" "select group_concat(distinct state) from runs")" complete '  and its runs are complete'
resume
is $? 0 '  so that there is nothing left to resume'

# A limit on the size of files: not even the schema can be written.
rows "$whole" >"$TMPDIR/wanted"
clean
(ulimit -f 100 && run)
is $? 3 'files of 100 KiB at most: exit status 3'
like "$(cat "$TMPDIR/err")" 'resume.db: .*rows committed before are kept' '  which the message says'
finish
is $? 1 '  without the limit, all cases are run'
same 'files of 100 KiB at most'

# A full disk. The namespace with its mount ends with the shell.
full() {
    mount -t tmpfs -o size="$1" none "$TMPDIR/disk" || return 77
    db=$TMPDIR/disk/resume.db
    run
    [ $? = 3 ] && grep -q 'the disk is full; rows committed before are kept' "$TMPDIR/err" || return 1
    mount -o remount,size=100m "$TMPDIR/disk" && finish
    [ $? = 1 ] && rows "$db" | cmp -s "$TMPDIR/wanted" -
}
mkdir "$TMPDIR/disk"
export -f full run finish begun clean resume rows sql
export db device columns ASSAY TMPDIR
for size in 200k 450k 600k; do
    unshare -rm bash -c "filter=(${filter[*]}); full $size" 2>"$TMPDIR/why"
    status=$?
    if [ $status = 77 ] || grep -q '^unshare' "$TMPDIR/why"; then
        ok 0 "a disk of $size # SKIP no disk can be mounted here"
    else
        ok $status "a disk of $size: the message says that it is full, rows are kept, the rest is resumed"
    fi
done

# A second harness while the first still runs: another run, and --resume.
clean
"$ASSAY" run "${filter[@]}" -d mutants:fault=hang,level=6_4 --timeout 600 --db "$db" >"$TMPDIR/out" 2>&1 &
harness=$!
await holds 'count(*) = 1 from running'
fails 3 'another assay is writing it' run gather.types.fl4_1 -d reference --db "$db"
fails 3 'another assay is writing it' run --resume --db "$db"
kill -9 $harness
wait $harness 2>/dev/null
sleep 0.2
is "$(pgrep -P $harness | wc -l)" 0 'its workers die with it'

# Several at once on one database: those that run complete, the others are refused in one line.
clean
jobs=()
for i in 1 2 3; do
    "$ASSAY" run "${filter[@]}" -d "$device" --seed 77 --db "$db" >"$TMPDIR/out$i" 2>"$TMPDIR/err$i" &
    jobs+=($!)
done
for job in "${jobs[@]}"; do
    wait "$job"
    echo $?
done >"$TMPDIR/ended"
is "$(sort -u "$TMPDIR/ended" | head -1) $(grep -vc '^[13]$' "$TMPDIR/ended")" '1 0' \
    'three at once: each runs or is refused'
is "$(cat "$TMPDIR"/err? | grep -c 'another assay is writing it')" "$(grep -c 3 "$TMPDIR/ended")" '  in one line'
is "$(sql "$db" "select count(*) from runs where state = 'complete'")" "$(grep -c 1 "$TMPDIR/ended")" \
    '  and the cases that ran are complete'

# Each write or flush of the database that fails once: EIO, as from a disk with a bad sector.
cat >"$TMPDIR/failing.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int fails(int file)
{
    static long count;
    char link[64], path[4096];
    const char *nth = getenv("FAIL_NTH");
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    if (!nth || !strstr(path, "resume.db") || ++count != atol(nth))
        return 0;
    errno = EIO;
    return 1;
}
ssize_t pwrite64(int file, const void *data, size_t size, off64_t at)
{
    ssize_t (*real)(int, const void *, size_t, off64_t) = dlsym(RTLD_NEXT, "pwrite64");
    return fails(file) ? -1 : real(file, data, size, at);
}
ssize_t pwrite(int file, const void *data, size_t size, off_t at)
{
    return pwrite64(file, data, size, at);
}
int fdatasync(int file)
{
    int (*real)(int) = dlsym(RTLD_NEXT, "fdatasync");
    return fails(file) ? -1 : real(file);
}
int fsync(int file)
{
    int (*real)(int) = dlsym(RTLD_NEXT, "fsync");
    return fails(file) ? -1 : real(file);
}
C
filter=(gather.types.fl4_1 gather_nd.examples nonzero_coordinates.examples)
db=$TMPDIR/fewer.db run
rows "$TMPDIR/fewer.db" >"$TMPDIR/wanted"
db=$TMPDIR/resume.db
${CC:-cc} -shared -fPIC -o "$TMPDIR/failing.so" "$TMPDIR/failing.c" -ldl
noticed=0 silent=0 unsound=0 different=0
for ((nth = 1; nth <= 60; nth += nth < 20 ? 1 : 5)); do
    clean
    FAIL_NTH=$nth LD_PRELOAD=$TMPDIR/failing.so run
    status=$?
    [ $status = 3 ] && [ "$(wc -l <"$TMPDIR/err")" = 1 ] && grep -q 'resume\.db: ' "$TMPDIR/err" && \
        noticed=$((noticed + 1))
    [ $status = 3 ] || [ $status = 1 ] || silent=$((silent + 1))
    [ ! -s "$db" ] || [ "$(sql "$db" 'pragma integrity_check' 2>&1)" = ok ] || unsound=$((unsound + 1))
    if [ $status = 3 ]; then
        finish
    fi
    rows "$db" | cmp -s "$TMPDIR/wanted" - || different=$((different + 1))
done
ok $((noticed > 20 ? 0 : 1)) "the n-th write fails: reported $noticed times, in one line, with exit status 3"
is "$silent $unsound" '0 0' '  the database is sound each time'
is $different 0 '  and --resume completes all rows'
tap_done
