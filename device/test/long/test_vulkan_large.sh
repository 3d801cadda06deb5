#!/bin/bash
# Large tensors (../large_cases.lua) on the Vulkan device, on lavapipe under the validation layer, any message of which
# is a failure; and as planned for a GPU, which also has the rows and slices of the plan.
long=1
. device/test/test_lavapipe.sh

for round in 1 2 3 4; do
    in_shard || continue
    lua5.4 device/test/large_cases.lua $round >"$TMPDIR/large.json"
    arguments=validation
    ((round > 2)) && arguments=validation,tuning=gpu
    all_pass $arguments large "$(grep -c '"name"' "$TMPDIR/large.json")" "large tensors, round $round: $arguments"
done

if in_shard; then
    # A dispatch has more workgroups than fit into one dimension.
    printf '{"cases": [%s]}' "$(map far CAST 35000001 Input:UINT8 Output:FLOAT32)" >"$TMPDIR/far.json"
    all_pass tuning=gpu far 1 'a dispatch of 35 million elements, as planned for a GPU'
fi

if in_shard; then
    "$(dirname "$ASSAY")/test/test_vulkan" "$ASSAY_DEVICES/vulkan.so" device=llvmpipe 1 whole >"$TMPDIR/out" 2>&1
    ok $? 'more random cases of operators with indices than test_vulkan has'
    grep -v '^ok' "$TMPDIR/out" | head -5 | sed 's/^/# /'
fi

for part in 1 2 3; do
    in_shard || continue
    "$ASSAY" run -d vulkan:device=llvmpipe,tuning=gpu '*.rows.*' '*.slices.*' --shard $part/24 --timeout 60 \
        >"$TMPDIR/out" 2>&1
    is $? 0 "a 24th of the rows and slices, as planned for a GPU: part $part"
    sed -n '/^  message/p' "$TMPDIR/out" | sort | uniq -c | head -5 | sed 's/^/# /'
done
tap_done
