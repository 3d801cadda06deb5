#!/bin/bash
# A part of the suite (WHOLE=1: all) on ONNX Runtime's WebGPU provider, in Node.js, behind the bridge: it deviates only as
# `expected` says, and a shader that kills its process affects no other case.
. tools/tap.sh
adapter=$PWD/device/bridge/webgpu/adapter.js
lacks() {
    echo "1..0 # SKIP $1"
    exit 0
}
command -v node >/dev/null 2>&1 || lacks 'node is not installed'
[ -e build/onnxruntime/node_modules ] || lacks 'ONNX Runtime is missing: make onnxruntime'
[ -e /usr/lib/chromium/libvk_swiftshader.so ] || lacks 'SwiftShader is missing: Debian'"'"'s chromium-common has it'
db=$TMPDIR/webgpu.db
count() {
    sqlite3 "$db" "select count(*) from results where $1"
}

part=('*.examples.*' '*.indices.*')
[ -z "${WHOLE:-}" ] || part=()
"$ASSAY" run "${part[@]}" -d "bridge:$adapter" --db "$db" --timeout 60 >"$TMPDIR/out" 2>&1
status=$?
# SwiftShader sometimes dies of a whole batch, but of none of its cases alone: that is reported and fails the run.
if [ $status = 1 ] && [ "$(sqlite3 "$db" 'select count(*) from failures')" = 0 ]; then
    like "$(cat "$TMPDIR/out")" 'died as a whole, while each of their cases ended well alone' 'every case ends as expected'
else
    is $status 0 'the suite ends as expected'
fi
grep '^  message' "$TMPDIR/out" | sort | uniq -c | head -5 | sed 's/^/# /'
grep ' cases in ' "$TMPDIR/out" | sed 's/^/# /'
is "$(count true)" "$("$ASSAY" list --count "${part[@]}")" '  every case has its row'
is "$(sqlite3 "$db" "select group_concat(distinct rule) from results
    where status not in ('pass', 'unsupported', 'skip')")" out-of-range '  everything passes except indices out of range'
is "$(sqlite3 "$db" "select count(distinct operator) from results where status = 'pass' and expected like '%outputs%'
    and device_ns > 0")" 6 '  six operators have run'
is "$(sqlite3 "$db" "select group_concat(distinct operator) from results where case_name like '%.examples.%float32%'
    and status = 'unsupported'")" NONZERO_COORDINATES '  one has no kernel'
is "$(count "status = 'warn' and operator = 'SCATTER_ELEMENTS' and case_name not like '%.indices.far-%'")" 0 \
    '  SCATTER_ELEMENTS warns only where it uses half of an index'
is "$([ "$(count "status = 'warn' and operator = 'SCATTER_ELEMENTS'")" -gt 5 ]; echo $?)" 0 '  and those cases are found'
is "$(count "status = 'device_lost' and message not like 'dispatch: the device is lost: the peer was killed by SIGSEGV%'")" 0 \
    '  a device is lost only if it crashes'

fails 6 "the peer says: Cannot find module '/nowhere/node_modules/onnxruntime-node'" run -d "bridge:$adapter /nowhere" \
    gather.examples
tap_done
