#!/bin/bash
# `assay devices`: what a device reports and what it does; "not supported" and "broken" are distinguished.
. tools/tap.sh
whole=$ASSAY
few_operators

# rows DEVICE…: the table's rows for GATHER, data and index types, with single spaces.
rows() {
    "$ASSAY" devices -o GATHER "$@" | grep -A1 '^  GATHER  ' | tr -s ' ' | tr '\n' '/'
}
yes='yes yes yes yes yes yes yes yes yes yes yes'
is "$(rows reference)" " GATHER data $yes/ index . . yes . . yes . . . yes yes/" \
    'the reference device supports all types'
is "$(ASSAY=$whole rows reference:level=2_1)" " GATHER data ${yes:0:31}/ index . . yes . . . . ./" \
    'a lower level has its own tables'
like "$("$ASSAY" devices reference:level=2_1)" '^  GATHER_ND1 +from feature level 3_0 on' \
    '  and later operators are listed'

text=$("$ASSAY" devices reference)
is $? 0 'a device that supports everything: exit status 0'
like "$text" '^  interface       ABI [0-9]+$' '  its interface is printed'
like "$text" '^  feature level   6_4$' '  its feature level is printed'
like "$text" '^  ([0-9]+) small legal cases tried: \1 pass$' '  all cases pass'
is "$(printf '%s\n' "$text" | grep -c ' $')" 0 '  no line ends with a space'
# A case with zero points would be a second one of its combination, so their types stay untried.
is "$("$whole" devices reference | grep -F '?' | grep -vE '^ +QuantizationTensors ')" '' \
    'each data type of each operator is tried, also of those with tensors of few ranks'
text=$("$ASSAY" devices)
is $? 0 'without arguments: exit status 0'
like "$text" '^reference$' '  the shipped devices are opened'
is "$(printf '%s\n' "$text" | grep -c 'tried')" 0 '  and not tried'

# broken STATUS PATTERN FAULT: a fault is found in GATHER: cases end with STATUS and a message that matches PATTERN.
broken() {
    local text status
    text=$("$ASSAY" devices --timeout 1 -o GATHER "mutants:$3")
    status=$?
    is "$status" 1 "$3: exit status 1"
    is "$(printf '%s\n' "$text" | awk '$1 == "GATHER" { print $3; exit }')" bad '  the types are bad'
    like "$text" "^  GATHER: [0-9]+ $1, the first gather.types" "  by $1"
    like "$text" "^    .*$2" "  which is: $2"
    like "$text" '^    reproduce  .* repro gather.types.* -d ' '  with a command that reproduces it'
}
# One data type is broken: that type is bad, not every rank and the other tensors that are tested with it.
text=$("$whole" devices -o NONZERO_COORDINATES mutants:fault=minus-zero-counted)
like "$text" '^  NONZERO_COORDINATES +data +bad +bad +yes +yes' 'a bug of floating-point numbers is one of two types'
like "$text" '^ +count +\. +\. +yes' '  not of the type of the count'
is "$(grep -c 'DimensionCount.*bad' <<<"$text")" 0 '  nor of a rank'
broken fail 'elements of OutputTensor are wrong' fault=flip-bit,level=6_4
broken fail 'the declared feature level 6_4 promises it' fault=support-nothing,level=6_4
broken fail 'rejected, although legal' fault=reject-all,level=6_4
broken crash 'SIGSEGV' fault=crash,level=6_4
broken timeout 'no answer' fault=hang,level=6_4
broken device_lost 'device is lost' fault=lose-device,level=6_4
like "$("$ASSAY" devices -o GATHER mutants:fault=crash-create)" 'given up, [0-9]+ of [0-9]+ cases were not tried' \
    'an operator that always crashes is given up'

# A plugin without a feature level, which may support nothing, and does.
cat >"$TMPDIR/half.c" <<'C'
#include "device/device.h"
#include <stddef.h>
static HRESULT create(const assay_device_config *c, assay_device **out, char *message, size_t size)
{ (void)c; (void)message; (void)size; static int device; *out = (assay_device *)&device; return S_OK; }
static void destroy(assay_device *d) { (void)d; }
static HRESULT describe(assay_device *d, assay_device_info *i) { (void)d; i->max_batch = 1; i->name[0] = 'h'; return S_OK; }
static BOOL supports(assay_device *d, DML_TENSOR_DATA_TYPE t) { (void)d; return t != DML_TENSOR_DATA_TYPE_INT8; }
static HRESULT create_operator(assay_device *d, const DML_OPERATOR_DESC *desc, assay_operator **out)
{ (void)d; (void)desc; *out = NULL; return DXGI_ERROR_UNSUPPORTED; }
static void destroy_operator(assay_device *d, assay_operator *o) { (void)d; (void)o; }
static HRESULT compile(assay_device *d, assay_operator *o, DML_EXECUTION_FLAGS f, assay_compiled **out)
{ (void)d; (void)o; (void)f; *out = NULL; return E_FAIL; }
static void destroy_compiled(assay_device *d, assay_compiled *c) { (void)d; (void)c; }
static HRESULT dispatch(assay_device *d, const assay_dispatch_item *i, uint32_t n, assay_dispatch_result *out)
{ (void)d; (void)i; (void)n; (void)out; return E_FAIL; }
static const char *message(assay_device *d) { (void)d; return "not \"yet\"\033[31m"; }
ASSAY_DEVICE_EXPORT const assay_device_api *assay_device_entry(uint32_t abi)
{
    static const assay_device_api api = {ASSAY_DEVICE_ABI, sizeof api, create, destroy, describe, supports, create_operator,
        destroy_operator, compile, destroy_compiled, dispatch, message};
    return abi == ASSAY_DEVICE_ABI ? &api : NULL;
}
C
${CC:-cc} -shared -fPIC -I. "$TMPDIR/half.c" -o "$TMPDIR/half.so" || echo '# half.c could not be compiled'
is "$(rows "$TMPDIR/half.so")" ' GATHER data no no no no no no no no no no no/ index . . no . . no . . . no no/' \
    'types that a device reports as unsupported are "no"'
text=$("$ASSAY" devices -o GATHER "$TMPDIR/half.so")
is $? 0 'a device with unsupported types is not broken'
like "$text" '^    CreateOperator returned DXGI_ERROR_UNSUPPORTED: not "yet"\\x1b' \
    '  with its message, control characters visible'
is "$(printf '%s\n' "$text" | grep '^  data types' | grep -cw INT8)" 0 'only supported data types are listed'

# Wrong for all of FLOAT16, and for INT8 at rank 3: each type is bad, and no rank is.
if [ -e /usr/lib/python3/dist-packages/numpy ]; then
    cat >"$TMPDIR/peer.py" <<EOF
#!/usr/bin/python3
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, "$PWD/device/bridge")
import assay_peer, numpy as np

def run(item):
    x, index, y = (np.frombuffer(t.data, t.data_type.lower()).reshape(t.sizes) for t in item.tensors)
    type, rank = item.tensors[0].data_type, len(y.shape)
    y[...] = np.take_along_axis(x, index.astype(np.int64), item.attributes["Axis"])
    if type == "FLOAT16" or (type == "INT8" and rank == 3):
        y += np.array(1, y.dtype)

assay_peer.serve({"name": "peer", "operators": {"GATHER_ELEMENTS": {}}, "data_types": ["FLOAT32", "FLOAT16", "INT8",
                  "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32", "UINT64"]}, run)
EOF
    chmod +x "$TMPDIR/peer.py"
    "$whole" devices --json -o GATHER_ELEMENTS "bridge:$TMPDIR/peer.py" >"$TMPDIR/json"
    is "$(jq -c '.devices[0].operators[0] | [.types[], .dimension_counts] | map(to_entries[] | select(.value == "bad") | .key)' "$TMPDIR/json")" \
        '["FLOAT16","INT8"]' 'a failure has one cause: failures of FLOAT16 do not blame a rank for one of INT8'
fi

# JSON, read by another program.
json() { # PATH: that value of $TMPDIR/json
    sqlite3 :memory: "select json_extract(readfile('$TMPDIR/json'), '$1')"
}
"$whole" devices --json -o GATHER -o NONZERO_COORDINATES "$TMPDIR/half.so" reference:level=2_1 /nowhere.so \
    >"$TMPDIR/json"
is $? 6 'a missing device gives exit status 6, after the others were tried'
is "$(json '$.devices[0].operators[0].types.data.FLOAT32')" no 'JSON has the answers'
is "$(json '$.devices[0].operators[0].first[0].message')" \
    "$(printf 'CreateOperator returned DXGI_ERROR_UNSUPPORTED: not "yet"\033[31m')" \
    '  and messages with all their bytes'
is "$(json '$.devices[0].feature_level')" '' '  no feature level if the device declares none'
is "$(json '$.devices[1].operators[0].types.index.UINT32')" yes '  the answers of the second device'
is "$(json '$.devices[1].operators[1].level')" '' '  no level for an operator of later feature levels'
is "$(json '$.devices[2].open')" 0 '  that a device could not be opened'
like "$(json '$.devices[2].message')" 'no such file' '  and the reason is given'

text=$("$ASSAY" devices mutants:fault=crash-open)
is $? 6 'a device that crashes while being opened is not available'
like "$text" 'not available: .*SIGSEGV' '  and the signal is printed'
fails 2 'timeout' devices --timeout 0 reference
fails 2 "no operator is named 'GATHR'" devices -o GATHR reference
# Address sanitizer reserves more than any limit allows.
if nm -D "$ASSAY_DEVICES/reference.so" | grep -q __asan_init; then
    ok 0 'a limit of address space # SKIP address sanitizer'
else
    said=$(ulimit -v 1536000; "$ASSAY" run -d reference gather.examples 2>&1)
    is "$? $said" '3 assay: no address space for the tensors: a worker reserves 32 GiB, and may have 1500 MiB; to lift the limit: ulimit -v unlimited' \
        'a limit of address space is named, with the need'
fi

# Without /proc. A mount namespace needs the right to make one.
# shellcheck disable=SC2016 # the inner shell expands
said=$(unshare -rm bash -c 'mount -t tmpfs none /proc || exit 77; exec "$0" devices reference' "$ASSAY" 2>&1)
status=$?
if [ $status = 77 ] || grep -q '^unshare' <<<"$said"; then
    ok 0 'without /proc # SKIP this process may make no mount namespace'
else
    is "$status $said" '3 assay: /proc is not mounted: by /proc/self/exe, assay finds its files and starts its workers' \
        'a machine without /proc is told so'
fi
tap_done
