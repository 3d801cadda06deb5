#!/bin/bash
# A failure in a worker is blamed on exactly the cases that cause it; no process is left behind.
. tools/tap.sh
few_operators
filter=(gather.types gather_nd.examples nonzero_coordinates.examples)
planned=$("$ASSAY" list --count "${filter[@]}")
db=$TMPDIR/workers.db
ln -s "$(realpath "$few")/specs" "$TMPDIR/specs" # a unique path, by which the workers of this test can be found

# run DEVICE ARGUMENTS…: stores a run in the database; $run is its number, $status the exit status.
run() {
    local device=$1
    shift
    "$ASSAY" run "${filter[@]}" -d "$device" --specs "$TMPDIR/specs" --db "$db" "$@" >"$TMPDIR/out" 2>"$TMPDIR/err"
    status=$?
    run=$(sqlite3 "$db" 'select max(run_id) from runs')
}
# beside NAME DEVICE ARGUMENTS…: starts such a run of few cases, which waits most of its time. `take NAME` waits for it.
declare -A beside
beside() {
    (
        mkdir "$TMPDIR/$1"
        db=$TMPDIR/$1/db
        "$ASSAY" run "${short[@]}" -d "$2" --specs "$TMPDIR/specs" --db "$db" "${@:3}" >"$TMPDIR/$1/out" \
            2>"$TMPDIR/$1/err"
    ) &
    beside[$1]=$!
}
take() {
    wait "${beside[$1]}"
    status=$?
    run=1 db=$TMPDIR/$1/db
    cp "$TMPDIR/$1/err" "$TMPDIR/err"
}
ask() {
    sqlite3 "$db" "select $1 from results where run_id = $run $2"
}

# Hangs, also one that ignores SIGTERM, and the limit of the run.
short=(gather_nd.examples nonzero_coordinates.examples)
for fault in hang hang-deaf; do beside $fault "mutants:fault=$fault,some=5,level=6_4" --timeout 1 --slow 0 --batch 2; \
    done
beside slow mutants:fault=hang,some=5 --timeout 2 --slow 1 --batch 4
short=("${filter[@]}")
beside limit mutants:fault=hang,every=20 --timeout 60 --slow 1 --max-time 3 --batch 4

# The cases that a fault strikes are those with wrong results.
run mutants:fault=flip-bit,some=3,level=6_4
struck=$(ask case_name "and status = 'fail' order by 1")
ok $(($(wc -l <<<"$struck") > 20 ? 0 : 1)) "a fault strikes at some cases: $(wc -l <<<"$struck") of $planned"

# exactly STATUS FAULT PATTERN ARGUMENTS…
exactly() {
    local status_wanted=$1 fault=$2 pattern=$3
    shift 3
    run "mutants:fault=$fault,some=3,level=6_4" "$@"
    is $status 1 "$fault: exit status 1"
    is "$(ask 'count(*)')" "$planned" '  every case has a row'
    is "$(ask case_name "and status = '$status_wanted' order by 1")" "$struck" "  exactly those are $status_wanted"
    is "$(ask 'count(*)' "and status not in ('pass', '$status_wanted')")" 0 '  the others pass'
    like "$(ask message "and status = '$status_wanted' limit 1")" "$pattern" "  with: $pattern"
    is "$(cat "$TMPDIR/err")" '' '  and standard error is empty'
}
exactly crash crash '^killed by SIGSEGV .*null pointer'
like "$(ask printed "and status = 'crash' limit 1")" '^about to touch a null pointer$' '  and its output is shown'
exactly crash abort '^killed by SIGABRT'
exactly crash exit '^exited with status 3' -j 3
exactly crash kill '^killed by SIGKILL'
exactly crash divide '^killed by SIGFPE'
exactly crash overflow-stack 'stack overflowed'
exactly crash take-memory '^killed by SIGABRT' --allow memory=600
exactly crash chatter '^killed by SIGSEGV'
like "$(ask printed "and status = 'crash' limit 1")" '^….*about to touch a null pointer$' \
    '  and the end of its output'
exactly crash write-everywhere '^killed by SIGSEGV'
exactly crash leave-daemon-crash '^killed by SIGSEGV'
exactly fail leave-child \
    "^forked 1 child that did not become another program, and left the process '[^']+' behind, while they were dispatched"
exactly fail leave-daemon "^forked 2 children that did not become another program, and left the process '[^']+' behind" -j 2
exactly fail close-output '^changed standard output, which belongs to the process, while they were dispatched'
exactly fail close-all "^changed standard input \(for good\), .*the harness's socket \(for good\), which belongs"
exactly fail replace-output '^changed standard error, which belongs to the process'
run mutants:fault=take-memory,some=3,level=6_4
is "$(ask 'count(*)' "and status <> 'pass'")" 0 'within the default limit, taking that memory is no failure'

# Stopped workers are continued.
run mutants:fault=stop
is $status 0 'a worker that is stopped does not fail'
like "$(cat "$TMPDIR/err")" 'was stopped by SIGSTOP; it continues' '  but the stop is reported'

# The run gives up on a device that always dies.
run mutants:fault=crash-create --max-deaths 10
is $status 1 'a device that dies at every case fails'
is "$(ask 'count(*)' "and status = 'crash'")" 10 '  after --max-deaths cases the run gives up'
is "$(ask 'count(*)' "and message like 'not run: the device is broken: 10 cases in a row%SIGSEGV%'")" \
    $(($("$ASSAY" list --count "${filter[@]}") - 10)) '  and the other cases say so'

# A driver that computes on the processor is told its share when workers share the processors; a device repeats it.
sed 's/"name": "peer"/"name": "threads " + os.environ.get("LP_NUM_THREADS", "unset")/' device/test/bridge_peer.py \
    >"$TMPDIR/threads.py"
chmod +x "$TMPDIR/threads.py"
unset LP_NUM_THREADS
# threads JOBS: the name that the device has then.
threads() {
    rm -f "$TMPDIR/threads.db"
    "$ASSAY" run -d "bridge:$TMPDIR/threads.py none none" gather_elements.examples -j "$1" --search 0 \
        --db "$TMPDIR/threads.db" >/dev/null 2>&1
    sqlite3 "$TMPDIR/threads.db" 'select name from device'
}
is "$(threads 1)" 'threads unset' 'a single worker leaves it to the driver how many threads it starts'
is "$(threads $(($(nproc) + 1)))" 'threads 0' 'more workers than processors: no thread beside them'
is "$(LP_NUM_THREADS=7 threads 2)" 'threads 7' 'the setting of the user stays'

# The database of the run that ran beside.
kept=$db
take limit
is $status 5 'a run that is out of time exits with 5'
is "$(ask 'count(*)')" "$planned" '  every case has a row'
is "$(ask 'count(*) > 0' "and status = 'pass'")" 1 '  some pass'
is "$(ask 'count(*) > 0' "and message = 'not run: the time for the whole run is over'")" 1 \
    '  the others say why they were not run'
like "$(cat "$TMPDIR/err")" '^assay: SLOW: [^ ]+( and [0-9]+ more)? on .mutants' '  slow cases are reported'
take slow
is "$(ask "sum(status = 'timeout') > 0, sum((status = 'timeout') <> slow)")" '1|0' \
    'exactly the cases that time out are slow'
db=$kept
filter=(gather_nd.examples nonzero_coordinates.examples)
planned=$("$ASSAY" list --count "${filter[@]}")
run mutants:fault=flip-bit,some=5,level=6_4
struck=$(ask case_name "and status = 'fail' order by 1")
ok $(($(wc -w <<<"$struck") > 0 && $(wc -w <<<"$struck") < 8 ? 0 : 1)) "a rarer fault strikes at few cases: $struck"
for fault in hang hang-deaf; do
    take $fault
    is "$(ask case_name "and status = 'timeout' order by 1")" "$struck" "$fault: exactly those time out"
    is "$(ask 'count(*)' "and status = 'pass'")" $((planned - $(wc -l <<<"$struck"))) '  the others pass'
    is "$(ask 'count(*)' "and message = 'no answer within 1000 ms'")" "$(wc -l <<<"$struck")" '  with: no answer'
    is "$(cat "$TMPDIR/err")" '' '  and with --slow 0 slow cases are not reported'
done
db=$kept
run=$(sqlite3 "$db" 'select max(run_id) from runs')

# Ctrl-C while a worker hangs: no process is left.
"$ASSAY" run gather.types -d mutants:fault=hang-deaf,every=9 --specs "$TMPDIR/specs" --db "$db" --timeout 600 \
    >"$TMPDIR/out" 2>&1 &
harness=$!
until [ "$(sqlite3 "$db" "select count(*) from results where run_id > $run")" != 0 ]; do sleep 0.1; done
kill -INT $harness
wait $harness
is $? 5 'interrupted while a deaf device hangs: exit status 5'
is "$(grep -l "$TMPDIR/[s]pecs" /proc/[0-9]*/cmdline 2>/dev/null | wc -l)" 0 'no process of these runs is left'
tap_done
