#!/bin/bash
# Reductions and cumulative operators of the Vulkan device, on lavapipe under the validation layer, any message of which
# is a failure; and as planned for a GPU.
. tools/tap.sh
programs=$(dirname "$ASSAY")/test

# check PROGRAM ARGUMENTS: a section, see in_shard() of tools/tap.sh.
check() {
    in_shard || return 0
    "$programs/$1" "$ASSAY_DEVICES/vulkan.so" "$2" >"$TMPDIR/out" 2>&1
    ok $? "$1 $2"
    grep -v '^ok' "$TMPDIR/out" | head -40 | sed 's/^/# /'
}

check test_reduce device=llvmpipe,validation
check test_reduce device=llvmpipe,tuning=gpu
check test_cumulate device=llvmpipe,validation
check test_cumulate device=llvmpipe,tuning=gpu
check test_softmax device=llvmpipe,validation
check test_softmax device=llvmpipe,tuning=gpu
tap_done
