#!/bin/bash
# Whatever a device does to its process, in whatever call: the cases that cause it are named, the other cases pass, the
# run ends with its documented status, and nothing is left behind (device/mutants/harms.c).
. tools/tap.sh
few_operators
filter=(gather_nd.examples nonzero_coordinates.examples)
planned=$("$ASSAY" list --count "${filter[@]}")
export TMPDIR # of scratch folders
# execute DEVICE ARGUMENT…
execute() {
    rm -f "$db"*
    "$ASSAY" run "${filter[@]}" -d "mutants:$1,some=5,level=6_4" --timeout 1 --slow 0 --batch 8 --db "$db" "${@:2}"
}
# start DEVICE ARGUMENT…: such a run beside the others, since it waits most of its time.
start() {
    local folder=$TMPDIR/beside/$1
    mkdir -p "$folder"
    (
        TMPDIR=$folder db=$folder/db execute "$@" >"$folder/out" 2>"$folder/err"
        echo $? >"$folder/status"
    ) &
}
# run DEVICE ARGUMENT…: $status: how it ended. For what has been started, it waits until all that has been started has
# ended.
run() {
    if [ -d "$TMPDIR/beside/$1" ]; then
        wait
        ended=1 db=$TMPDIR/beside/$1/db
        status=$(cat "$TMPDIR/beside/$1/status")
        cp "$TMPDIR/beside/$1/err" "$TMPDIR/err"
    else
        db=$TMPDIR/harms.db
        execute "$@" >"$TMPDIR/out" 2>"$TMPDIR/err"
        status=$?
    fi
}
touch "$TMPDIR/start"
for harm in hang swallow; do
    for call in create compile dispatch destroy close; do start "harm=$harm,in=$call"; done
done
for call in load open; do start "harm=hang,in=$call" --max-time 2; done
ask() {
    sqlite3 "$db" "select $1 from results $2"
}
# Processes, scratch folders and shared memory of this test that are left.
ended=
left() {
    grep -lz "[h]arm=$1,in=" /proc/[0-9]*/cmdline 2>/dev/null
    if [ "$ended" ]; then
        find "$TMPDIR" -mindepth 1 -name 'assay-*'
    else
        find "$TMPDIR" -mindepth 1 -path "$TMPDIR/beside" -prune -o -name 'assay-*' -print
    fi
    find /dev/shm -newer "$TMPDIR/start" -user "$(id -u)" -name '*assay*' 2>/dev/null
}
run fault=flip-bit
struck=$(ask case_name "where status = 'fail' order by 1")
ok $(($(wc -w <<<"$struck") > 0 && $(wc -w <<<"$struck") < 8 ? 0 : 1)) "a fault strikes at few cases: $struck"

# HARM: the status of the cases that it strikes, and their message.
harms=(
    'crash crash ^killed.by.SIGSEGV.*null.pointer'
    'exit crash ^exited.with.status.0'
    'flood fail ^sent.answers.that.it.was.not.asked.for'
    'fork fail ^forked.*left.the.process.'
    "close fail ^changed.standard.input.*harness's.socket..for.good"
    'handle fail ^changed.signal.handlers'
    'jump crash ^killed.by.SIG'
    'end-thread crash ^exited.with.status.0'
    'throw crash ^killed.by.SIGABRT'
    'swallow timeout ^no.answer.within.10..'
    'hang timeout ^no.answer.within.10..'
)
for line in "${harms[@]}"; do
    read -r harm wanted pattern <<<"$line"
    for call in create compile dispatch destroy; do
        run "harm=$harm,in=$call"
        is "$status $(ask 'count(*)')" "1 $planned" "$harm in $call: exit status 1, every case has a row"
        is "$(ask case_name "where status = '$wanted' order by 1")" "$struck" \
            "  exactly those that it strikes are $wanted"
        is "$(ask 'count(*)' "where status not in ('pass', '$wanted')")" 0 '  the others pass'
        is "$(ask 'count(*)' "where status = '$wanted'")" \
            "$(ask message "where status = '$wanted'" | grep -c "$pattern")" "  with: $pattern"
        is "$(left "$harm")" '' '  nothing is left behind'
    done
done

# While the library is loaded, and in create_device: the run cannot begin, or says what was changed.
for harm in crash exit flood close jump end-thread throw; do
    for call in load open; do
        run "harm=$harm,in=$call"
        is "$status" 6 "$harm in $call: exit status 6"
        like "$(cat "$TMPDIR/err")" \
            "^assay: device 'mutants:harm=$harm,in=$call,.* while (opening it|the device was opened)" \
            '  which one line says'
        is "$(left "$harm")" '' '  nothing is left behind'
    done
done
for call in load open; do
    run "harm=handle,in=$call"
    is "$status $(ask 'count(*)' "where status = 'pass'")" "1 $planned" "handle in $call: the cases pass, the run fails"
    run "harm=fork,in=$call"
    is "$(ask 'count(*)' "where status = 'pass'")" "$planned" "fork in $call: the cases pass"
    is "$(left fork)" '' '  nothing is left behind'
    run "harm=hang,in=$call" --max-time 2
    is "$status" 5 "hang in $call: the run ends with --max-time"
    is "$(left hang)" '' '  nothing is left behind'
done

# In destroy_device, after the last case.
while read -r harm pattern; do
    run "harm=$harm,in=close"
    is "$status $(ask 'count(*)' "where status = 'pass'")" "1 $planned" "$harm in close: the cases pass, the run fails"
    like "$(cat "$TMPDIR/err")" "^assay: device '.*': its process $pattern" '  which one line says'
    is "$(left "$harm")" '' '  nothing is left behind'
done <<'END'
crash ended while the device was closed, after the last case: killed by SIGSEGV
exit ended while the device was closed, after the last case: exited with status 0
end-thread ended while the device was closed, after the last case: exited with status 0
hang ended while the device was closed, after the last case: killed by SIGKILL
jump ended while the device was closed, after the last case: killed by SIGABRT
throw ended while the device was closed, after the last case: killed by SIGABRT
swallow ended while the device was closed, after the last case: killed by SIGKILL
flood sent answers that it was not asked for, after the last case
close changed standard input \(for good\), .*, while the device was closed, after the last case
handle changed signal handlers, which belongs to the process, while the device was closed, after the last case
fork forked [0-9] children that did not become another program, .*, while the device was closed, after the last case
END

# Destroying a device in between is a call like any other, which cases of the interface make.
for line in 'exit exited.with.status.0..shrunk.to.2.calls' 'end-thread exited.with.status.0..shrunk.to.2.calls' \
    'flood sent.answers' 'close changed.standard.input' 'handle changed.signal.handlers' 'fork forked'; do
    read -r harm pattern <<<"$line"
    said=$("$ASSAY" run interface.lifecycle.devices-01 -d "mutants:harm=$harm,in=close" --timeout 5 --search 0 2>&1)
    is $? 1 "$harm in destroy_device, with another device alive: the case fails"
    like "$said" "message +$pattern" "  with: $pattern"
    is "$(left "$harm")" '' '  nothing is left behind'
done
tap_done
