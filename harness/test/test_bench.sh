#!/bin/bash
# assay bench: what is measured, how devices measure themselves, and what a device cannot claim. No time is tested.
. tools/tap.sh
reference=$(realpath "$ASSAY_DEVICES/reference.so")
cases=$TMPDIR/cases.json
out=$TMPDIR/out

cat >"$cases" <<'JSON'
{"cases": [
  {"name": "mine.copy", "type": "DML_OPERATOR_ELEMENT_WISE_IDENTITY", "desc": {
    "InputTensor": {"DataType": "FLOAT32", "Sizes": [64, 64]}, "OutputTensor": {"DataType": "FLOAT32", "Sizes": [64, 64]}}},
  {"name": "mine.rows", "type": "DML_OPERATOR_GATHER", "desc": {
    "InputTensor": {"DataType": "FLOAT16", "Sizes": [1024, 256]}, "IndicesTensor": {"DataType": "UINT32", "Sizes": [1, 32]},
    "OutputTensor": {"DataType": "FLOAT16", "Sizes": [32, 256]}, "Axis": 0, "IndexDimensions": 1}},
  {"name": "mine.in-place", "type": "DML_OPERATOR_ELEMENT_WISE_ADD", "in_place": {"ATensor": "OutputTensor"}, "desc": {
    "ATensor": {"DataType": "FLOAT32", "Sizes": [8]}, "BTensor": {"DataType": "FLOAT32", "Sizes": [8]},
    "OutputTensor": {"DataType": "FLOAT32", "Sizes": [8]}}},
  {"name": "mine.wrong", "type": "DML_OPERATOR_ELEMENT_WISE_IDENTITY", "expect": "rejected", "desc": {
    "InputTensor": {"DataType": "FLOAT32", "Sizes": [8]}, "OutputTensor": {"DataType": "FLOAT32", "Sizes": [9]}}}]}
JSON

# bench DEVICE WORD…: measures as shortly as it can; the output is in $out, the status in $status.
bench() {
    "$ASSAY" bench --cases "$cases" --seconds 0 --copy 0 -d "$@" >"$out" 2>"$TMPDIR/err"
    status=$?
}
row() { grep -E " (mine\.)?$1(,|:|\$)" "$out"; }

# wrap NAME FLAG…: a plugin around the reference device that measures by itself.
wrap() {
    local name=$1
    shift
    ${CC:-cc} -shared -fPIC -I. -DREFERENCE="\"$reference\"" "$@" -x c - -o "$TMPDIR/$name.so" -ldl <<'C' || echo \
        "# $name could not be compiled"
#include "device/device.h"
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <stdlib.h>
#include <unistd.h>
static assay_device_api api;
#ifndef RUNS
#define RUNS 1
#endif
static HRESULT measure(assay_device *d, const assay_dispatch_item *item, assay_measurement *m)
{
    assay_dispatch_result result = {0};
#ifdef FAILS
    return FAILS;
#endif
    for (uint32_t i = 0; i < m->count; i++) {
        if (RUNS && FAILED(api.dispatch(d, item, 1, &result)))
            return E_FAIL;
        m->device_ns[i] = 100;
#ifdef CLAIM
        m->device_ns[i] = CLAIM;
#endif
    }
    m->host_ns = 150 * m->count;
    strcpy(m->state, "1980 MHz, P0");
    return S_OK;
}
static BOOL denies(assay_device *d, DML_OPERATOR_TYPE type) { (void)d; return type != DML_OPERATOR_GATHER; }
ASSAY_DEVICE_EXPORT const assay_device_api *assay_device_entry(uint32_t abi)
{
    void *library = dlopen(REFERENCE, RTLD_NOW | RTLD_LOCAL);
    const assay_device_api *(*entry)(uint32_t) = NULL;
    if (library)
        *(void **)&entry = dlsym(library, "assay_device_entry");
    const assay_device_api *reference = entry ? entry(abi) : NULL;
    if (!reference)
        return NULL;
    api = *reference;
    api.measure = measure;
    api.size = sizeof api;
#ifdef DENIES
    api.supports_operator = denies;
#endif
#ifdef OLD
    api.size = offsetof(assay_device_api, measure);
#endif
    return &api;
}
C
}

# ---- a device that measures

wrap whole
bench "$TMPDIR/whole.so"
is $status 0 'a device that measures itself passes'
like "$(row copy)" '^ +100 ns +150 ns +0.0 % +0/[0-9]+ +32.0 KiB +328 +-  mine.copy(, not steady)?$' \
    '  and its times are those that it says'
like "$(row rows)" ' 32.1 KiB ' 'a table has no more counts than the output'
like "$(row in-place)" '^ +pass +.*mine.in-place: not measured: it runs in place$' \
    'a case that runs in place is not measured'
like "$(row wrong)" '^ +pass +.*mine.wrong: not measured: it is not dispatched$' \
    'nor is a rejected description measured'
is "$(tail -n 1 "$out")" 'clocks and power: 1980 MHz, P0' 'the state of the device is told'

bench reference mine.copy --copy 1 --db "$TMPDIR/copies.db"
like "$(row copy.1-mib)" '% +[0-9]+/[0-9]+ +2.00 MiB +[0-9.]+ +100 %  copy.1-mib(, not steady)?$' \
    'a copy is measured first'
like "$(row copy)" ' [0-9]+ %  mine.copy(, not steady)?$' '  and the others are compared with it'
share=$(sqlite3 "$TMPDIR/copies.db" "select name, cast(round(100 * share) as integer) || ' %' from copy_share
    join test_case on id = case_id")
is "$share" "mine.copy|$(row copy | grep -oE '[0-9]+ %  mine' | sed 's/  mine//')" '  in the database, too'
is "$("$ASSAY" report "$TMPDIR/copies.db" --json - | jq '[.copies[].share > 0] | all and length == 1')" true '  and in the report'

# ---- cases that no --cases names

"$ASSAY" bench -d reference --seconds 0 --copy 0 llm.logits-top-50 gather.examples.vector >"$out" 2>&1
is $? 0 'a filter chooses from the shipped shapes and all strategies'
is "$(sed -n '3,4p' "$out" | grep -cE ' (llm.logits-top-50|gather.examples.vector.fl[^ ]+)(, not steady)?$')" 2 \
    '  one of either'
is "$("$ASSAY" list --cases cases/bench/transformer.json --cases cases/bench/copy.json | cut -d. -f1 | sort | uniq -c |
    tr -s ' \n' ' ')" ' 4 copy 16 llm ' 'the shapes and the copies are cases like others'

jq '{cases: [.cases[1]]}' "$cases" >"$TMPDIR/rows.json"
"$(dirname "$ASSAY")/few/build/assay" bench -d reference --cases "$TMPDIR/rows.json" --seconds 0 --copy 0 >"$out" 2>&1
is $? 0 'without a copy, the specs need not have its operator'

# ---- devices that do not

wrap old -DOLD
bench "$TMPDIR/old.so" mine.copy
is $status 0 'a device that was built against an older header passes'
like "$(row copy)" ' mine.copy, by dispatch' '  and is measured by dispatch'
wrap denying -DFAILS=DXGI_ERROR_UNSUPPORTED
bench "$TMPDIR/denying.so" mine.copy
is $status 0 'a device that cannot measure an item passes'
like "$(row copy)" ' mine.copy, by dispatch' '  and is measured by dispatch'
is "$(tail -n 1 "$out")" 'clocks and power: not known' '  and has said nothing of its state'

# ---- what fails

# fails_with PATTERN NAME: the case mine.copy has failed.
fails_with() {
    is $status 1 "$2 fails"
    like "$(row copy)" "^ +fail +.*mine.copy: $1" '  and the row says why'
}
wrap idle -DRUNS=0
bench "$TMPDIR/idle.so" mine.copy
fails_with '4096 of 4096 elements of OutputTensor were never written' 'measure() that runs nothing'
wrap failing -DFAILS=E_OUTOFMEMORY
bench "$TMPDIR/failing.so" mine.copy
fails_with 'dispatch returned E_OUTOFMEMORY' 'measure() that fails'
wrap forging '-DCLAIM=1000000000000000ull'
bench "$TMPDIR/forging.so" mine.copy
fails_with 'the runs took [0-9]+ ns by device_ns; the call took [0-9]+ ns' 'a device that claims more time than passed'
bench mutants:fault=flip-bit mine.copy
fails_with '1 of 4096 elements of OutputTensor are wrong' 'a device with wrong results'
bench mutants:fault=claim-time mine.copy
fails_with 'the runs took' 'a device that claims it of a dispatch'
bench mutants:fault=crash mine.copy mine.rows
is $status 1 'a device that crashes fails'
like "$(row rows)" '^ +crash +.*mine.rows: ' '  and the next case is measured all the same'
wrap lacking -DDENIES
bench "$TMPDIR/lacking.so" mine.copy mine.rows
is $status 0 'an operator that is missing does not fail'
like "$(row rows)" '^ *unsupported +.*mine.rows: .*GATHER' '  and the row says so'
bench "$TMPDIR/lacking.so" mine.rows
is $status 6 'without any other case, nothing was judged'

# ---- JSON

query() { jq -c "$1" "$out"; }
bench "$TMPDIR/whole.so" --json
is "$(query '[.v, .devices[0].clocks, .devices[0].run, .devices[0].copy]')" '[1,"1980 MHz, P0",0,null]' \
    '--json describes the device'
is "$(query '.devices[0].cases | map([.case, .status, .measured])')" \
    '[["mine.copy","pass",true],["mine.rows","pass",true],["mine.in-place","pass",false],["mine.wrong","pass",false]]' \
    '  the results of the cases'
is "$(query '.devices[0].cases[0] | [.by_dispatch, .bytes, .device.median_ns, .device.quartiles_ns, .host.median_ns,
    .device.outliers, .share_of_copy, (.gb_per_s * 100 | round)]')" '[false,32768,100,[100,100],150,0,null,32768]' '  and their figures'
is "$(query '.devices[0].cases[0] | (.samples_ns | length) >= 5 and (.samples_ns | unique) == [[150,100]]')" true \
    '  and all samples'
bench "$TMPDIR/whole.so" mine.copy --json -d "$TMPDIR/old.so"
is "$(query '.devices | map(.cases[0].by_dispatch)')" '[false,true]' '  of each device'

# ---- the database, and a gate for CI

wrap slow '-DCLAIM=150' # by the device's clock alone
db=$TMPDIR/bench.db
bench "$TMPDIR/whole.so" -d "$TMPDIR/whole.so" -d "$TMPDIR/slow.so" --db "$db" --label night
is $status 0 'three runs are stored'
is "$(sqlite3 "$db" 'select run_id, purpose, state, partial, planned, clocks, label from runs')" \
    '1|bench|complete|1|4|1980 MHz, P0|night
2|bench|complete|1|4|1980 MHz, P0|night
3|bench|complete|1|4|1980 MHz, P0|night' '  with their purpose, and the clocks of the device'
is "$(sqlite3 "$db" "select case_name, status, (select count(*) >= 5 from samples where samples.run_id = results.run_id and
    samples.case_name = results.case_name) from results where run_id = 3 order by 1")" \
    'mine.copy|pass|1
mine.in-place|pass|0
mine.rows|pass|1
mine.wrong|pass|0' '  with the results, and five samples or more'
is "$(sqlite3 "$db" "select distinct host_ns, device_ns from samples where run_id = 3")" '150|150' '  by both clocks'
is "$(sqlite3 "$db" 'select count(*) from current_results')" 0 '  and nothing of it is the state of a device'
gate() { "$ASSAY" compare "$db#$1" "$db#$2" --clock device --slower-fails >"$out" 2>&1; }
gate 1 2
is $? 0 'an equally fast device passes the gate'
gate 1 3
is $? 1 'a slower device does not'
like "$(cat "$out")" 'mine.copy' '  and the case is named'
gate 3 1
is $? 0 'a faster device passes'
bench mutants:fault=flip-bit mine.copy --db "$db"
gate 1 4
is $? 1 'a benchmark that fails does not pass'
"$ASSAY" compare "$db#1" "$db#3" --clock host --slower-fails >"$out" 2>&1
is $? 0 'the clocks are apart'

# ---- what is wrong

fails 2 "--db: .*whole.so' is also device" bench --cases "$cases" -d "$TMPDIR/whole.so" --db "$TMPDIR/whole.so"

fails 2 'which device' bench --cases "$cases"
fails 2 '--seconds: expected 0 to 3600' bench -d reference --seconds 3601
fails 2 '--copy: expected 0 to 256 MiB' bench -d reference --copy 257
fails 2 '--timeout: expected 1 to 86400 seconds' bench -d reference --timeout 0
fails 4 "no case matches 'mine.nothing'" bench --cases "$cases" -d reference mine.nothing
fails 6 'no device is named' bench --cases "$cases" -d referenc
tap_done
