#!/bin/bash
# Cases of the interface: sequences of calls on devices that break one promise of device.h each.
. tools/tap.sh
db=$TMPDIR/run.db

# broken FAULT BEHAVIOUR [CASES]: a run fails and names the behaviour. The first case that fails has to.
broken() {
    rm -f "$db"
    "$ASSAY" run -d "mutants:fault=$1" "${3:-interface}" --search 0 --timeout 20 --max-fail 1 --db "$db" \
        >"$TMPDIR/out" 2>&1
    is $? 1 "$1 fails"
    ok "$(sqlite3 "$db" "SELECT count(*) = 0 FROM results WHERE broken = '$2'")" "  and breaks $2"
}

for device in reference meaning mutants; do
    said=$("$ASSAY" run -d "$device" interface --search 0)
    is $? 0 "$device keeps all promises"
    like "$said" ' 32 pass' '  in 32 sequences'
    # Here is one operator of each kind: with formulas, folds, scripts, arrays and counts. Garbage of Lua takes seconds of
    # each operator of the device meaning, so two are enough of it. test/long/test_lifecycle.sh has the others.
    growing=({element_wise_add,reduce,gather,join,nonzero_coordinates}.growth)
    [ "$device" != meaning ] || growing=({reduce,gather}.growth)
    said=$("$ASSAY" run -d "$device" "${growing[@]}" --search 0)
    is $? 0 "$device frees what each operator makes"
    is "$(grep -cE 'unsupported|skip' <<<"$said")" 0 '  all of them are tried'
done
few_operators
name=$("$ASSAY" list interface.lifecycle.mixed-01)

# Devices that wait, beside the rest of the test. A lock that is kept for ever:
"$ASSAY" repro "$name" -d mutants:fault=kept-lock --timeout 2 >"$TMPDIR/kept-lock" &
# A dispatch takes 1.2 s, the fifth of a process for ever: a part that is late has not hung.
cat >"$TMPDIR/slow.c" <<'C'
#include "harness/test/wrapper.h"
#include <unistd.h>
static HRESULT dispatch(assay_device *device, const assay_dispatch_item *items, uint32_t count, assay_dispatch_result *out)
{
    static int number;
    if (++number == 5)
        pause();
    usleep(1200000);
    return inner->dispatch(device, items, count, out);
}
static void wrapper_replace(assay_device_api *api)
{
    api->dispatch = dispatch;
}
C
${CC:-cc} -shared -fPIC -I. "$TMPDIR/slow.c" -o "$TMPDIR/slow.so" -ldl || echo '# slow.c could not be compiled'
INNER=$(realpath "$ASSAY_DEVICES/mutants.so") "$ASSAY" run -d "$TMPDIR/slow.so" "$name" --search 0 --timeout 4 \
    >"$TMPDIR/slow" &

for fault in slots-16 slots-256; do broken $fault independent 'interface.lifecycle.many-*'; done
for fault in third-input skip-same first-offset share-offset second-program batch-once; do
    broken $fault independent
done
broken lean-on-operator operator-first
for fault in one-device one-device-ever; do broken $fault devices interface.lifecycle.devices-01; done
broken success-false success interface.lifecycle.mixed-01
broken use-reserved clock interface.lifecycle.mixed-01
broken claim-time clock gather.examples
for fault in no-batch another-level endless-name latin-name write-past-info; do broken $fault describes; done
broken any-type data-types
for fault in null-message latin-message; do broken $fault message; done
broken null-crash destroy-null
# A resource that grows on is a leak, whichever it is; one that levels off is none.
for fault in item often operator program file event mapping space pool thread; do
    broken leak-$fault frees interface.lifecycle.growth-01
done
# The search goes by the device's work, so it finds the slowest leak on a busy machine, too: for some seconds, eight others
# have the processor on which it begins.
processors=$(taskset -cp $$ | sed 's/.*: //')
taskset -cp "${processors%%[-,]*}" $$ >"$TMPDIR/out"
for other in 1 2 3 4 5 6 7 8; do timeout 4 bash -c 'while :; do :; done' & others[other]=$!; done
broken leak-little frees interface.lifecycle.growth-01
taskset -cp "$processors" $$ >"$TMPDIR/out"
wait "${others[@]}"
broken leak-device frees interface.lifecycle.reopen-01
for fault in keep-log keep-pool keep-files collect-late; do
    said=$("$ASSAY" run -d "mutants:fault=$fault" interface.lifecycle.growth-01 interface.lifecycle.reopen-01 \
        '*.growth.*' --search 0)
    is $? 0 "$fault is no leak"
    is "$(grep -cE 'unsupported|skip' <<<"$said")" 0 '  and all are tried'
done
# A leak in one operator is found there. A process that has leaked is not used further: leaks do not add up.
said=$("$ASSAY" run -d mutants:fault=leak-item,operator=GATHER 'g*.growth.*' --search 0 -j 1)
is $? 1 'a leak in one operator is found'
like "$said" 'fail gather.growth' '  there'
like "$said" ': 4 cases in [0-9.]+ s: 3 pass, 1 fail' '  and nowhere else'
said=$("$ASSAY" run -d mutants:fault=leak-item '*.growth.*' --search 0 --format json | grep -oE \
    'the process has [0-9]+ bytes' | grep -oE '[0-9]+' | sort -n | tail -n 1)
[ "${said:-0}" -gt 4194304 ] && [ "$said" -lt 33554432 ]
ok $? "each case takes a few MiB at most: $said"
broken leave-thread threads interface.lifecycle.devices-01
broken read-late tensors-in-dispatch interface.lifecycle.hidden-01
for fault in lower-limit take-real-time thread-locale; do broken $fault process-state interface.lifecycle.mixed-01; done
for fault in print-now print-buffered; do broken $fault output gather.examples; done
broken change-umask process-state gather.examples
for fault in fork-and-wait fork-twice fork-to-create; do broken $fault fork gather.examples; done
broken fork-and-wait fork interface.lifecycle.mixed-01
said=$("$ASSAY" run -d mutants:fault=run-program gather.examples interface.lifecycle.mixed-01 --search 0)
is $? 0 'a child that becomes another program is allowed'
broken null-operator pointers gather.examples
broken write-late tensors-in-dispatch gather.examples

# A sequence that fails is shrunk, and printed as C.
said=$("$ASSAY" repro "$name" -d mutants:fault=lean-on-operator)
is $? 1 'repro fails, too'
like "$said" 'shrunk to 4 calls' '  the sequence is as short as it can be'
like "$said" 'create_operator\(device\[0\], &desc_[0-9], &op\[[0-9]+\]\);' '  in C: a call'
like "$said" 'desc_[0-9]: [A-Z_0-9]+ [A-Z]' '  a description'
calls=$(printf '%s\n' "$said" | grep -oE '(create_operator|compile_operator|destroy_operator|dispatch)\(' | tr -d '\n')
is "$calls" 'create_operator(compile_operator(destroy_operator(dispatch(' '  and the order that it takes'
said=$("$ASSAY" repro "$name" -d mutants:fault=batch-once)
like "$said" 'shrunk to 3 calls' 'a batch of two items takes three calls'
like "$said" 'dispatch\(.*compiled\[([0-9]+)\].*compiled\[\1\]' '  the same program twice'

# Calls that end the process, or hang, are shrunk over processes. How far depends on the time that is left.
calls_of() { grep -oE '^    (create_operator|compile_operator|destroy_operator|dispatch)\(' <<<"$1" | tr -d ' \n'; }
said=$("$ASSAY" repro "$name" -d mutants:fault=lean-crash)
is $? 1 'a crash in a sequence'
like "$said" 'message +killed by SIGSEGV .*; shrunk to ([4-9]|1[0-9]) calls' '  is shrunk'
like "$said" 'broken +operator-first' '  to calls that say which promise is broken'
like "$(calls_of "$said")" 'create_operator\(.*compile_operator\(.*destroy_operator\(.*dispatch\($' \
    '  in the order that it takes'
said=$("$ASSAY" repro interface.lifecycle.many-01 -d mutants:fault=full-table)
like "$said" 'message +killed by SIGABRT; shrunk to (8[1-9]|9[0-9]|[12][0-9]{2}) calls' \
    'of more than a thousand calls, as few are left as time allows'
is "$(($(grep -o 'create_operator(' <<<"$said" | wc -l) >= 81))" 1 '  with as many operators as it takes'
like "$(calls_of "$said")" 'create_operator\($' '  the last of which ends the process'
said=$("$ASSAY" run -d mutants:harm=crash,in=compile,every=100 'interface.lifecycle.mixed-0*' --search 0 -j 1)
like "$said" 'message +killed by SIGSEGV.*; the same calls alone do not end a new process' \
    'a death that earlier cases share in is not shrunk'
like "$said" ': 9 cases in ' '  and all cases have a result'
said=$("$ASSAY" run -d mutants:harm=crash,in=compile,every=20 interface.lifecycle.growth-01 --search 0)
like "$said" 'message +killed by SIGSEGV[^;]*$' 'calls that are made again and again are not shrunk'
# Each part of the calls takes a new process, in place of the one that died: the other worker keeps its own.
cat >"$TMPDIR/count.c" <<'C'
#include "device/device.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
ASSAY_DEVICE_EXPORT const assay_device_api *assay_device_entry(uint32_t abi)
{
    int file = open(getenv("OPENED"), O_WRONLY | O_APPEND);
    ssize_t written = write(file, "x", 1);
    close(file);
    void *library = written == 1 ? dlopen(getenv("INNER"), RTLD_NOW | RTLD_LOCAL) : 0;
    void *entry = library ? dlsym(library, "assay_device_entry") : 0;
    return entry ? (*(const assay_device_api *(**)(uint32_t))&entry)(abi) : 0;
}
C
${CC:-cc} -shared -fPIC -I. "$TMPDIR/count.c" -o "$TMPDIR/count.so" -ldl || echo '# count.c could not be compiled'
# opened JOBS: how many processes open the device.
opened() {
    : >"$TMPDIR/opened"
    INNER=$(realpath "$ASSAY_DEVICES/mutants.so") OPENED=$TMPDIR/opened "$ASSAY" run -d \
        "$TMPDIR/count.so:fault=lean-crash" \
        "$name" gather.examples gather_nd.examples --search 0 -j "$1" \
        --allow write="$TMPDIR/opened" >"$TMPDIR/out" 2>&1
    wc -c <"$TMPDIR/opened"
}
one=$(opened 1)
two=$(opened 2)
[ "$one" -gt 10 ] && [ "$two" -le "$((one + 2))" ]
ok $? "the parts of a crash take $one processes with one worker, $two with two"
broken lean-crash operator-first interface.lifecycle.mixed-01

# The words of specs/interface.lua are those that failures name.
is "$("$ASSAY" spec INTERFACE | grep -cE '^  [a-z-]+ +(must|soft) ')" 30 'the behaviours are listed'
like "$("$ASSAY" show "$name")" "sequence of about 60 calls, of the kind 'mixed'" 'show describes the case'
printf 'return strategy "s" { plan = "p", cases = function() end, interface = function(i) i:sequence { label = "x", kind = "odd", steps = 3 } end }' \
    >"$TMPDIR/bad.lua"
fails 3 "invalid option 'odd'" list --cases "$TMPDIR/bad.lua"

# The devices that hang ran beside the rest; their output is complete when they have ended.
wait
said=$(cat "$TMPDIR/kept-lock")
like "$said" 'message +no answer within 2000 ms; shrunk to ([4-9]|1[0-9]) calls' 'calls that hang are shrunk, too'
like "$(calls_of "$said")" 'create_operator\(.*create_operator\(.*destroy_operator\((create|destroy)_operator\($' \
    '  to the call that hangs, after the one that keeps the lock'
like "$said" 'broken +independent' '  and the promise is named'
said=$(cat "$TMPDIR/slow")
like "$said" 'message +no answer within 4000 ms; not shrunk: its calls take long$' \
    'calls that only take long are no hang'

tap_done
