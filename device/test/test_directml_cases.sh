#!/bin/bash
# The device directml through the stand-ins for Microsoft's libraries, which check its calls and compute with the
# reference device: one case in 1,000 of each operator, `assay devices`, `fingerprint`, `bench`, `fuzz` and `verify`.
# long/test_directml.sh runs all cases.
. tools/tap.sh
if [ ! -e "$ASSAY_DEVICES/directml.so" ]; then
    echo "1..0 # SKIP the device directml is not here: Debian's directx-headers-dev was missing when assay was built"
    exit 0
fi
standin=$(realpath "$ASSAY_DEVICES/../standin")
device=directml:libraries=$standin
db=$TMPDIR/directml.db

# suite DEVICE TITLE ADAPTER ARGUMENTS: runs cases; all pass or are skipped.
suite() {
    rm -f "$db"
    "$ASSAY" run -d "$1" --db "$db" "${@:4}" >"$TMPDIR/out" 2>&1
    is $? 0 "$2"
    sed -n '/^  message/p' "$TMPDIR/out" | sort | uniq -c | head -5 | sed 's/^/# /'
    is "$(sqlite3 "$db" "select count(*) > 0, sum(status not in ('pass', 'skip')) from results")" '1|0' \
        '  without a warning'
    is "$(sqlite3 "$db" "select device_name from runs")" "$3" '  on that adapter'
}
[ "${long:-}" ] && return

"$ASSAY" list | awk -F. 'before[$1]++ % 1000 == 0' >"$TMPDIR/some"
suite "$device,validation" 'one case in 1,000 of each operator passes, and the debug layers are silent' 'Stand-in GPU' \
    --case-list "$TMPDIR/some" --search 0
suite "$device,adapter=npu" '  also others, on an adapter that only computes' 'Stand-in NPU' 'gather*.examples.*'

"$ASSAY" devices -o JOIN "$device" >"$TMPDIR/out" 2>&1
is $? 0 'every data type and dimension count of an operator is tried'
like "$(cat "$TMPDIR/out")" 'feature level +6_4' '  up to the feature level that DirectML names'
"$ASSAY" fingerprint -d "$device" --against reference scatter_nd >"$TMPDIR/out" 2>&1
is $? 0 'where the documents leave a choice, the choices of the implementation behind DirectML are visible'
"$ASSAY" bench -d "$device" --seconds 0 --copy 1 --json gather.examples top_k.examples >"$TMPDIR/out" 2>&1
is $? 0 'operators are measured'
is "$(jq -c '[.devices[].cases[] | select(.measured)] | [length > 0, any(.by_dispatch), all(.device.median_ns > 0)]' "$TMPDIR/out")" \
    '[true,false,true]' '  by timestamps of the queue'
"$ASSAY" fuzz -d "$device" --count 1000 --execute 0.1 -o GATHER -o JOIN >"$TMPDIR/out" 2>&1
is $? 0 'a search finds nothing'

# Outputs of DirectML are judged as those that DxDispatch recorded.
case=$("$ASSAY" list 'gather.examples' | head -1)
"$ASSAY" repro "$case" --export dxdispatch "$TMPDIR/exported" >/dev/null
(cd "$TMPDIR/exported" && "$OLDPWD/$ASSAY" dispatch model.json -d "$device" >dxdispatch.txt 2>&1)
like "$("$ASSAY" verify "$TMPDIR/exported" 2>&1)" 'pass' 'the device runs a model of DxDispatch, and assay verify judges it'
printf '\1' | dd of="$TMPDIR/exported/OutputTensor.npy" bs=1 seek=128 conv=notrunc 2>/dev/null
"$ASSAY" verify "$TMPDIR/exported" >/dev/null 2>&1
is $? 1 '  and a changed byte fails'

fails 6 'needs WSL 2, whose libraries cannot be loaded.*/nowhere' run -d directml:libraries=/nowhere "$case"
fails 6 'no adapter is "tnt"; there are: 0: Stand-in GPU, 1: Stand-in NPU' run -d "$device,adapter=tnt" "$case"
STANDIN_FAIL=RecordDispatch:3:80004005 "$ASSAY" run -d "$device" -j 1 --search 0 gather.examples >"$TMPDIR/out" 2>&1
is $? 1 'a device that DirectML removes'
like "$(cat "$TMPDIR/out")" 'DirectML removed its device' '  is reported as lost'
tap_done
