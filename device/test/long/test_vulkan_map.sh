#!/bin/bash
# Element-wise operators and normalisations of the Vulkan device, on lavapipe under the validation layer, any message of
# which is a failure: examples, values, layouts, quantisation, response normalisation. Layouts also as planned for a
# GPU, with more than 65,535 workgroups.
. tools/tap.sh
programs=$(dirname "$ASSAY")/test

# check PROGRAM ARGUMENTS: a section, see in_shard() of tools/tap.sh.
check() {
    in_shard || return 0
    "$programs/$1" "$ASSAY_DEVICES/vulkan.so" "$2" >"$TMPDIR/out" 2>&1
    ok $? "$1 $2"
    grep -v '^ok' "$TMPDIR/out" | head -40 | sed 's/^/# /'
}

check test_map device=llvmpipe,validation
check test_map_reals device=llvmpipe,validation
check test_map_integers device=llvmpipe,validation
check test_map_layout device=llvmpipe,validation
check test_map_layout device=llvmpipe,tuning=gpu
check test_quantise device=llvmpipe,validation
check test_activation device=llvmpipe,validation
check test_normalise device=llvmpipe,validation
check test_normalise device=llvmpipe,tuning=gpu
check test_response device=llvmpipe,validation
check test_quantise_layout device=llvmpipe,validation
check test_quantise_layout device=llvmpipe,tuning=gpu
tap_done
