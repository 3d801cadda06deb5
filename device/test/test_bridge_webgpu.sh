#!/bin/bash
# A part of the suite on ONNX Runtime's WebGPU provider, in Node.js, behind the bridge: it deviates only as `expected`
# says, and a shader that kills its process affects no other case. The adapter has the operators with indices except
# NONZERO_COORDINATES, which has no kernel; the others are unsupported as a whole. WHOLE=indices runs all cases with
# indices, as device/test/long/test_bridge_webgpu.sh does, WHOLE=1 the whole suite.
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

examples=('gather*.examples.*' 'scatter*.examples.*' 'nonzero*.examples.*' 'element_wise_a*.examples.*' 'fill*.examples.*')
lacks="message like 'the device says that it does not implement %'"
list=$TMPDIR/cases
case ${WHOLE:-} in
    '') # Each operator and label has a few cases with indices, more where `expected` knows of deviations, and fewer of
        # the types that shaders lack. GATHER's reads below a tensor vary: too few of its cases deviate surely.
        "$ASSAY" list "${examples[@]}" >"$list"
        "$ASSAY" list '*.indices.*' not 'gather.indices.below-*' | awk -F. '
            function step(kind) {
                return kind ~ /^(scatter_elements far|gather far.* uint8-)/ ? 4 : kind ~ / u?int32-| float32-/ ? 24 : 96
            }
            { by = step($1 " " $3 " " $5); if (seen[$1, $3, by]++ % by == 0) print }' >>"$list" ;;
    indices) "$ASSAY" list "${examples[@]}" '*.indices.*' >"$list" ;;
    *) "$ASSAY" list >"$list" ;;
esac
# SwiftShader sometimes dies of a whole batch, but of no single case: these cases are flaky.
"$ASSAY" run --case-list "$list" -d "bridge:$adapter" --db "$db" --timeout 60 --flaky ok >"$TMPDIR/out" 2>&1
is $? 0 'the suite ends as expected'
grep ', unexpected$' "$TMPDIR/out" | head -5 | sed 's/^/# /'
is "$(count "flaky and message not like '%with its batch of %'")" 0 '  flaky at most where a whole batch died'
grep '^  message' "$TMPDIR/out" | sort | uniq -c | head -5 | sed 's/^/# /'
grep ' cases in ' "$TMPDIR/out" | sed 's/^/# /'
is "$(count true)" "$("$ASSAY" list --count --case-list "$list")" '  every case has its row'
is "$(sqlite3 "$db" "select group_concat(distinct rule) from results
    where status not in ('pass', 'unsupported', 'skip')")" out-of-range '  everything passes except indices out of range'
is "$(sqlite3 "$db" "select count(distinct operator) from results where status = 'pass' and expected like '%outputs%'
    and device_ns > 0")" 6 '  six operators have run'
is "$(sqlite3 "$db" "select group_concat(distinct operator) from results where case_name like '%.examples.%float32%'
    and status = 'unsupported' and operator in ('GATHER', 'GATHER_ELEMENTS', 'GATHER_ND', 'GATHER_ND1', 'SCATTER_ELEMENTS',
    'SCATTER_ND', 'NONZERO_COORDINATES')")" NONZERO_COORDINATES '  of those with indices one has no kernel'
is "$(sqlite3 "$db" "select group_concat(distinct status) || ' ' || (count(distinct operator) > 5) from results where operator in
    (select operator from results where $lacks)")" 'unsupported 1' '  those that the adapter lacks are unsupported as a whole'
is "$(count "not ($lacks) and operator not like '%GATHER%' and operator not like 'SCATTER%'")" 0 '  which is all others'
is "$(count "status = 'warn' and operator = 'SCATTER_ELEMENTS' and case_name not like '%.indices.far-%'")" 0 \
    '  SCATTER_ELEMENTS warns only where it uses half of an index'
is "$([ "$(count "status = 'warn' and operator = 'SCATTER_ELEMENTS'")" -gt 5 ]; echo $?)" 0 '  and those cases are found'
is "$(count "status = 'device_lost' and message not like 'dispatch: the device is lost: the peer was killed by SIGSEGV%'")" 0 \
    '  a device is lost only if it crashes'

fails 6 "the peer says: Cannot find module '/nowhere/node_modules/onnxruntime-node'" run -d "bridge:$adapter /nowhere" \
    gather.examples
tap_done
