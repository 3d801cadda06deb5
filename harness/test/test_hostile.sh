#!/bin/bash
# Devices that compute nothing and want to pass (device/mutants/hostile/): no trick passes more cases than no trick
# does, or than writing zeros, which is all that some cases need.
. tools/tap.sh
hostile=$(realpath "$(dirname "$ASSAY")/hostile.so")
few_operators
filter=('gather.types.*' 'gather.violations.*' 'gather.indices.*' 'scatter_nd.examples.*')
db=$TMPDIR/hostile.db

# try TRICK [ARGUMENT…]: runs it. $passed: how many cases passed, which the file passed lists; $status: the exit status.
try() {
    rm -f "$db"*
    "$ASSAY" run "${filter[@]}" -d "$hostile:$1" --timeout 5 --max-deaths 20 --db "$db" "${@:2}" >"$TMPDIR/out" \
        2>"$TMPDIR/err"
    status=$?
    sqlite3 "$db" "select case_name from results where status = 'pass'" 2>/dev/null | sort >"$TMPDIR/passed"
    passed=$(wc -l <"$TMPDIR/passed")
}
try none
is $status 1 'a device that does nothing fails'
none=$passed
try zero
zero=$passed
planned=$("$ASSAY" list --count "${filter[@]}")
ok $((zero > none && none > 0 && planned > zero * 50 ? 0 : 1)) \
    "of $planned cases $none need nothing, $zero nothing but zeros"
for trick in complement expected write-on clear-inputs reference judge after wire results answers proc ptrace \
    process-vm kill; do
    try $trick
    case $trick in
        write-on | clear-inputs) most=$zero ;;
        *) most=$none ;;
    esac
    if [ "$passed" -gt "$most" ]; then # a guess of one byte is right by chance once in 256: but not with every seed
        mv "$TMPDIR/passed" "$TMPDIR/first"
        try $trick --seed 1
        passed=$(comm -12 "$TMPDIR/first" "$TMPDIR/passed" | wc -l)
    fi
    ok $((passed <= most ? 0 : 1)) "$trick: passes $passed cases, not more than $most"
    is $((status == 1 || status == 6)) 1 '  and the run fails'
    is "$(cat "$TMPDIR/out" "$TMPDIR/err" | grep -c 'reached process')" 0 '  no other process was reached'
done
if [ "$(id -u)" = 0 ]; then # without a sandbox, root reaches every process: the device would say so
    for trick in proc ptrace process-vm; do
        "$ASSAY" run "${filter[@]}" -d "$hostile:$trick" --allow all --timeout 5 --max-deaths 20 >"$TMPDIR/out" 2>&1
        like "$(cat "$TMPDIR/out")" 'hostile: reached process [0-9]' \
            "$trick with --allow all: another process was reached"
    done
fi

# The process that devices run in has few symbols.
host=$(dirname "$ASSAY")/assay-device
is "$(nm "$host" | grep -cE ' [tT] (trial_|judge_|compare_|interpretation|reference_|gather|scatter|spec_)')" 0 \
    'the program that devices run in has no judge, no specs and no reference device'
like "$(nm "$ASSAY" | grep -cE ' [tT] (trial_|compare_)')" '^[1-9]' '  which are in assay itself'
cat >"$TMPDIR/look.c" <<'C'
#include "device/device.h"
#include <stdio.h>
static HRESULT create(const assay_device_config *c, assay_device **out, char *message, size_t size)
{
    (void)c, (void)out, (void)message, (void)size;
    FILE *look = popen("tr '\\0' ' ' </proc/$PPID/cmdline; grep -zc 'look[.]db' /proc/$PPID/environ; "
                       "ls -l /proc/$PPID/fd | grep -oE 'memfd:[a-z]*|socket' | sort | uniq -c | tr -s ' \\n' ' '", "r");
    size_t got = look ? fread(message, 1, size - 1, look) : 0;
    (void)c, (void)out;
    message[got] = 0;
    return E_FAIL;
}
static void destroy(assay_device *d) { (void)d; }
static HRESULT describe(assay_device *d, assay_device_info *i) { (void)d, (void)i; return S_OK; }
static BOOL supports(assay_device *d, DML_TENSOR_DATA_TYPE t) { (void)d, (void)t; return 1; }
static HRESULT create_operator(assay_device *d, const DML_OPERATOR_DESC *desc, assay_operator **out) { (void)d, (void)desc, (void)out; return E_FAIL; }
static void destroy_operator(assay_device *d, assay_operator *o) { (void)d, (void)o; }
static HRESULT compile(assay_device *d, assay_operator *o, DML_EXECUTION_FLAGS f, assay_compiled **out) { (void)d, (void)o, (void)f, (void)out; return E_FAIL; }
static void destroy_compiled(assay_device *d, assay_compiled *c) { (void)d, (void)c; }
static HRESULT dispatch(assay_device *d, const assay_dispatch_item *i, uint32_t n, assay_dispatch_result *out) { (void)d, (void)i, (void)n, (void)out; return E_FAIL; }
static const char *message(assay_device *d) { (void)d; return ""; }
static const assay_device_api api = {ASSAY_DEVICE_ABI, sizeof api, create, destroy, describe, supports, create_operator,
    destroy_operator, compile, destroy_compiled, dispatch, message};
ASSAY_DEVICE_EXPORT const assay_device_api *assay_device_entry(uint32_t abi) { (void)abi; return &api; }
C
${CC:-cc} -shared -fPIC -I. "$TMPDIR/look.c" -o "$TMPDIR/look.so"
ok $? 'a device that looks around compiles'
"$ASSAY" run "${filter[@]}" -d "$TMPDIR/look.so" --db "$TMPDIR/look.db" >"$TMPDIR/out" 2>"$TMPDIR/err"
is $? 6 '  and is not opened'
look=$(cat "$TMPDIR/err")
like "$look" ': assay-device [^ ]*look.so [^ ]*/assay [^ ]*specs' \
    'it finds its name in the arguments, and no database in the environment'
is "$(grep -c 'look\.db' <<<"$look")" 0 '  and none in the arguments'
like "$look" ' 4 memfd:output 2 socket ' \
    'it finds the file for its output, and the socket to the judge, each with a copy, and no other memory'
tap_done
