#!/bin/bash
# A judge that is killed or stopped from outside costs no case its verdict, and the device gets no blame for it.
. tools/tap.sh
few_operators
filter=(gather_nd.examples nonzero_coordinates.examples)
one=$("$ASSAY" list gather_nd.examples | head -n 1)
planned=$("$ASSAY" list --count "${filter[@]}")
db=$TMPDIR/run.db folder=$TMPDIR/device err=$TMPDIR/err
mkdir "$folder"

# The device waits at a point that a file of the folder names, which it removes, until the file `at.PID` is gone, too.
# With the file `lie` it ends as if its judge were gone.
cat >"$TMPDIR/waiting.c" <<'C'
#include "harness/host/host.h"
#include "harness/test/wrapper.h"
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
static void reach(const char *point)
{
    char at[4096];
    if (unlink(point) != 0)
        return;
    snprintf(at, sizeof at, FOLDER "/at.%d", (int)getpid());
    close(open(at, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    for (int i = 0; i < 6000 && access(at, F_OK) == 0; i++)
        usleep(10000);
}
static HRESULT create_device(const assay_device_config *config, assay_device **out, char *message, size_t size)
{
    reach(FOLDER "/open");
    return inner->create_device(config, out, message, size);
}
static void destroy_device(assay_device *device)
{
    reach(FOLDER "/close");
    inner->destroy_device(device);
}
static HRESULT create_operator(assay_device *device, const DML_OPERATOR_DESC *desc, assay_operator **out)
{
    reach(FOLDER "/create");
    return inner->create_operator(device, desc, out);
}
static void destroy_operator(assay_device *device, assay_operator *op)
{
    reach(FOLDER "/destroy");
    inner->destroy_operator(device, op);
}
static HRESULT dispatch(assay_device *device, const assay_dispatch_item *items, uint32_t count,
                        assay_dispatch_result *out)
{
    if (access(FOLDER "/lie", F_OK) == 0)
        _exit(HOST_ORPHANED);
    reach(FOLDER "/dispatch");
    return inner->dispatch(device, items, count, out);
}
static void wrapper_replace(assay_device_api *api)
{
    api->create_device = create_device;
    api->destroy_device = destroy_device;
    api->create_operator = create_operator;
    api->destroy_operator = destroy_operator;
    api->dispatch = dispatch;
}
C
${CC:-cc} -shared -fPIC -D_GNU_SOURCE -I. -DINNER="\"$(realpath "$ASSAY_DEVICES/reference.so")\"" \
    -DFOLDER="\"$folder\"" "$TMPDIR/waiting.c" -o "$TMPDIR/waiting.so"
ok $? 'a device that waits compiles'

# begin POINTS ARGUMENTS…: starts a run whose device waits at these points; $harness is its process.
begin() {
    rm -f "$db" "$folder"/*
    for point in $1; do touch "$folder/$point"; done
    "$ASSAY" run "${@:2}" -d "$TMPDIR/waiting.so" -j 1 --allow write="$folder" --search 0 --db "$db" \
        >"$TMPDIR/out" 2>"$err" &
    harness=$!
}
# strike SIGNAL [POINT]: sends the signal to the run's judges, the spare one too, as soon as the device waits. The next
# device waits at the point. `proceed` ends the waiting.
strike() {
    await compgen -G "$folder/at.*" >"$TMPDIR/at"
    [ -z "${2:-}" ] || touch "$folder/$2"
    pkill "-$1" -P $harness -f -- --apart
}
proceed() { rm -f -- "$(cat "$TMPDIR/at")"; }
ask() { sqlite3 "$db" "select $1 from results"; }
# sound NAME PATTERN: what holds of a run whose judge was struck. The pattern is that of the only line that is said.
sound() {
    proceed
    wait $harness
    is "$? $(ask "group_concat(distinct status), sum(flaky), count(*)")" "0 pass|0|$planned" "$1: every case passes"
    like "$(cat "$err")" "^assay: device '[^']*': assay's own process was $2\$" '  it says whose process it was'
    is "$(wc -l <"$err")" 1 '  in one line'
}

again='; another judge runs its cases again'
declare -A follows=([open]='; another judge takes its place' [create]=$again [dispatch]=$again [destroy]=$again
    [close]=', after the last case; the device was closed without it')
for at in open create dispatch destroy close; do
    begin $at "${filter[@]}"
    strike KILL
    sound "a judge is killed at $at" "killed by SIGKILL${follows[$at]}"
done
for at in open create dispatch destroy; do
    begin $at "${filter[@]}"
    strike STOP
    await grep -q continues "$err"
    sound "a judge is stopped at $at" 'stopped by SIGSTOP; it continues'
done
begin close "${filter[@]}"
strike STOP
proceed
wait $harness
is "$? $(cat "$err")" '0 ' 'a judge is stopped at close: it continues'

# Between these points, too: at random times.
sound=0
for ((turn = 0; turn < 6; turn++)); do
    begin '' "${filter[@]}"
    sleep 0.0$((RANDOM % 9))
    pkill -KILL -P $harness -f -- --apart
    wait $harness
    if [ "$? $(ask "group_concat(distinct status), sum(flaky), count(*)")" = "0 pass|0|$planned" ]; then
        sound=$((sound + 1))
    else
        sed 's/^/# /' "$err"
    fi
done
is $sound 6 'a judge is killed at a random time: every case passes, six times'

# A case gets three judges, and a device to open, too.
begin dispatch "$one"
for turn in 1 2 3; do
    strike KILL dispatch
    proceed
done
wait $harness
is "$? $(ask 'status, message, count(*)')" "3 harness_error|assay's own process was killed by SIGKILL|1" \
    'a case whose third judge dies is a harness_error'
begin open "$one"
for turn in 1 2 3; do
    strike KILL open
    proceed
done
wait $harness
like "$? $(tail -n 1 "$err")" "^3 assay: device '[^']*': assay's own process was killed by SIGKILL while opening it\$" \
    'a device whose third judge dies is not called missing'
rm -f "$folder"/*
touch "$folder/open"
"$ASSAY" devices "$TMPDIR/waiting.so" -o GATHER_ND --allow write="$folder" >"$TMPDIR/out" &
harness=$!
strike KILL
proceed
wait $harness
is "$? $(grep -c 'feature level' "$TMPDIR/out")" '0 1' '  nor by assay devices, which asks again'

# A device cannot pass its own end off as that of its judge.
begin lie "$one"
wait $harness
is "$? $(ask 'status, message')" '1 crash|exited with status 113' 'a device that lies about its judge has crashed'
tap_done
