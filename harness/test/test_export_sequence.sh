#!/bin/bash
# Sequences of calls as C: one file that needs device.h and dml.h alone, passes where the judge passes and fails where
# it fails: test_export_sequence.sh [all]
#   all: more sequences, of all operators, for test/long/test_export_sequence.sh. Without it: of few operators.
. tools/tap.sh
[ -n "$TMPDIR" ] || exit 1
devices=$(realpath "$ASSAY_DEVICES")
nm -D "$devices/reference.so" | grep -q __asan_init && flags=-fsanitize=address # whose library must be loaded first
ln -s "$PWD/specs" "$TMPDIR/specs" # mutants at the bound read them beside the program
mkdir "$TMPDIR/include" "$TMPDIR/programs"
cp device/device.h device/dml.h "$TMPDIR/include"
names=(interface.lifecycle.{mixed-01,mixed-02,devices-01,many-01,hidden-01})
whole=$ASSAY
if [ "${1:-}" = all ]; then
    names+=(interface.lifecycle.{mixed-03,mixed-04,mixed-09})
else
    few_operators
fi

# program NAME DEVICE: runs it on a device of the project.
program() { { ASAN_OPTIONS=detect_leaks=0 "$TMPDIR/programs/$1" "$devices/$2" >"$TMPDIR/out" 2>&1; } 2>/dev/null; }

# build NAME: exports it and compiles it.
build() {
    "$ASSAY" repro "$1" --export c "$TMPDIR/$1.c" --force &&
        ${CC:-cc} -std=c11 -Wall -Wextra -Werror ${flags:+"$flags"} -I "$TMPDIR/include" "$TMPDIR/$1.c" \
            -o "$TMPDIR/programs/$1"
}

built=0 right=0
for name in "${names[@]}"; do
    build "$name" && built=$((built + 1))
    program "$name" reference.so && program "$name" mutants.so && right=$((right + 1))
done
is "$built" "${#names[@]}" 'each sequence is exported, and compiles without warnings'
is "$right" "${#names[@]}" '  and exits with 0 on two correct devices'
for other in gcc clang; do
    command -v $other >/dev/null || continue
    $other -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I "$TMPDIR/include" \
        "$TMPDIR/interface.lifecycle.devices-01.c"
    is $? 0 "$other has nothing to say"
done
"$ASSAY" repro "${names[0]}" --export c | cmp -s - "$TMPDIR/${names[0]}.c"
is $? 0 'the file is the same each time'
"$ASSAY" repro "${names[0]}" --export c "$TMPDIR/other.c" --seed 1
cmp -s "$TMPDIR/other.c" "$TMPDIR/${names[0]}.c"
is $? 1 '  and another one for another seed'

# judged FAULT: the sequences that the judge fails are those whose program fails.
judged() {
    local fault=$1 wanted found='' name
    rm -f "$TMPDIR/db"
    "$ASSAY" run -d "mutants:fault=$fault" "${names[@]}" --search 0 --timeout 20 --db "$TMPDIR/db" >"$TMPDIR/run" 2>&1
    wanted=$(sqlite3 "$TMPDIR/db" "SELECT DISTINCT case_name FROM results WHERE status NOT IN ('pass', 'warn')
        ORDER BY 1" | tr '\n' ' ')
    for name in $(printf '%s\n' "${names[@]}" | sort); do
        program "$name" "mutants.so:fault=$fault" || found+="$name "
    done
    is "$found" "$wanted" "$fault: the programs fail where the judge does"
    is "$([ -n "$wanted" ] && echo some)" "${2-some}" "  which is ${2-some}"
}
for fault in third-input skip-same first-offset share-offset second-program batch-once lean-on-operator one-device \
    one-device-ever success-false another-level latin-name any-type null-message null-crash null-operator lean-crash \
    leave-thread slots-256; do
    judged $fault
done
[ "${1:-}" = all ] && judged full-table # more than a thousand calls, which the judge shrinks for seconds
# Results at the bound of their tolerance need formulas, which few operators do not have.
if [ "$ASSAY" != "$whole" ]; then
    fewer=$ASSAY ASSAY=$whole all=("${names[@]}") names=(interface.lifecycle.mixed-02)
    cp "$TMPDIR/programs/${names[0]}" "$TMPDIR/kept"
    build "${names[0]}"
fi
judged at-bound ''
if [ "${fewer:-}" ]; then
    ASSAY=$fewer names=("${all[@]}")
    mv "$TMPDIR/kept" "$TMPDIR/programs/interface.lifecycle.mixed-02"
fi
program interface.lifecycle.hidden-01 mutants.so:fault=read-late
is $((${?} > 128)) 1 'a device that reads a tensor late ends the program'
program "${names[0]}" mutants.so:fault=batch-once
is "$? $(tail -n 1 "$TMPDIR/out")" '1 fail' 'a wrong device: exit status 1'
like "$(cat "$TMPDIR/out")" '^fail: element [0-9]+ of [A-Za-z]+ is 0x' '  with the element'

# The program leaves out descriptions that a device does not support; a device that supports none of them fails.
program "${names[0]}" reference.so:level=3_0
is "$(tail -n 1 "$TMPDIR/out")" pass 'a device of level 3_0 passes'
like "$(cat "$TMPDIR/out")" 'note: description [0-9] is wrong alone, too, or not supported: it is left out' \
    '  calls that it does not support are left out'
program "${names[0]}" mutants.so:fault=do-nothing
like "$? $(tail -n 2 "$TMPDIR/out" | head -n 1)" '1 fail: .*no operator of the sequence works alone' \
    'a device that does nothing fails'

# An operator stays to be destroyed, also if compiling it fails: a device around another one counts those that are left.
cat >"$TMPDIR/counting.c" <<'END'
#include "device.h"
#include <dlfcn.h>
#include <stdio.h>
static const assay_device_api *inner;
static assay_device_api api;
static int left, all;
static HRESULT create(assay_device *device, const DML_OPERATOR_DESC *desc, assay_operator **out)
{
    HRESULT status = inner->create_operator(device, desc, out);
    left += *out != NULL;
    all += *out != NULL;
    return status;
}
static void destroy(assay_device *device, assay_operator *op)
{
    left -= op != NULL;
    inner->destroy_operator(device, op);
}
static void end(assay_device *device)
{
    inner->destroy_device(device);
    printf("operators: %s, %d left\n", all > 0 ? "some" : "none", left);
}
ASSAY_DEVICE_EXPORT const assay_device_api *assay_device_entry(uint32_t abi)
{
    const assay_device_api *(*entry)(uint32_t abi);
    *(void **)&entry = dlsym(dlopen(MUTANTS, RTLD_NOW | RTLD_LOCAL), "assay_device_entry");
    api = *(inner = entry(abi));
    api.create_operator = create;
    api.destroy_operator = destroy;
    api.destroy_device = end;
    return &api;
}
END
${CC:-cc} -std=gnu11 -Wall -shared -fPIC ${flags:+"$flags"} -DMUTANTS="\"$devices/mutants.so\"" -I "$TMPDIR/include" \
    "$TMPDIR/counting.c" -o "$TMPDIR/counting.so"
for fault in do-nothing reject-late; do
    ASAN_OPTIONS=detect_leaks=0 "$TMPDIR/programs/${names[0]}" "$TMPDIR/counting.so:fault=$fault" >"$TMPDIR/out" 2>&1
    is "$(grep '^operators' "$TMPDIR/out" | tail -n 1)" 'operators: some, 0 left' "$fault: every operator is destroyed"
done

"$TMPDIR/programs/${names[0]}" >"$TMPDIR/out" 2>&1
like "$? $(cat "$TMPDIR/out")" '2 usage: .*LIBRARY' 'the program takes a library'
"$TMPDIR/programs/${names[0]}" "$TMPDIR/none.so" >"$TMPDIR/out" 2>&1
like "$? $(cat "$TMPDIR/out")" '1 fail: .*none.so' '  that is there'

# The other exports are refused, and what a C file cannot judge.
fails 2 'can be exported only as C' repro "${names[0]}" --export json
fails 2 'can be exported only as C' repro "${names[0]}" --export dxdispatch "$TMPDIR/folder"
fails 2 'which a C file does not measure' repro interface.lifecycle.growth-01 --export c
fails 2 'only if it is of the interface' repro "$("$ASSAY" list 'gather.growth.*' | head -n 1)" --export c
fails 2 'exists already; --force' repro "${names[0]}" --export c "$TMPDIR/${names[0]}.c"
fails 3 'No such file' repro "${names[0]}" --export c /nowhere/x.c
tap_done
