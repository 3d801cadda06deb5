#!/bin/bash
# The Vulkan device on lavapipe under the validation layer, any message of which is a failure: a 24th of the suite
# (`make validation` runs all of it), tensors that are too large for ../test_lavapipe.sh, and more of its cases.
long=1
. device/test/test_lavapipe.sh
programs=$(dirname "$ASSAY")/test

# Part K/N has every Nth case of this 24th: shard M of 24 is shards M, M + 24, M + 48 and so on of 24 N.
shard=1/24
[ "${SHARD:-}" ] && shard=$((24 * (${SHARD%/*} - 1) + 1))/$((24 * ${SHARD#*/}))
"$ASSAY" run -d vulkan:device=llvmpipe,validation --shard $shard --search 0 --db "$db" >"$TMPDIR/out" 2>&1
is $? 0 "shard $shard of the suite passes on lavapipe under the validation layer"
sed -n '/^  message/p' "$TMPDIR/out" | sort | uniq -c | head -5 | sed 's/^/# /'
planned=$(sqlite3 "$db" 'select planned from runs')
is "$(sqlite3 "$db" 'select count(*) from results')" "$planned" 'every planned case has its row'
all=$(($("$ASSAY" list --count) / ${shard#*/}))
ok $((planned > all * 7 / 8 && planned < all * 9 / 8 ? 0 : 1)) "  which are one of ${shard#*/} parts"
is "$(sqlite3 "$db" "select count(*) from results where status not in ('pass', 'skip') and not ($few)")" 0 \
    'all pass or are skipped, but for sums of 2^32 terms'
[ "${SHARD:-}" ] || is "$(sqlite3 "$db" 'select count(distinct operator) from results')" \
    "$("$ASSAY" list | cut -d. -f1 | sort -u | wc -l)" '  of every operator'

if in_shard; then
    {
        printf '{"cases": [%s' "$(maps 4194308)" # a GPU's invocation takes four elements at once
        printf '%s]}' "$(map staged ELEMENT_WISE_SUBTRACT 9000004 A:UINT32 B:UINT32 Output:UINT32)" # over 32 MiB each
    } >"$TMPDIR/maps.json"
    all_pass validation,tuning=gpu,staging=1 maps 7 \
        'large tensors go through staging buffers and several at a time through invocations'
    printf '{"cases": [%s]}' "$(slices gelus ACTIVATION_GELU FLOAT16 4194308 '')" >"$TMPDIR/gelus.json"
    all_pass validation,tuning=gpu gelus 1 '  those of an activation, too'
fi

if in_shard; then
    # This case takes more rounds of loops than lavapipe has for a workgroup of one vector.
    printf '{"cases": [%s]}' "$(tiles long FLOAT32 8388608 100 0 100 ordinary)" >"$TMPDIR/tiles.json"
    all_pass validation tiles 1 'TOP_K selects from tiles of a very long sequence'
    printf '{"cases": [%s]}' "$(map far CAST 134217736 Input:INT8 Output:UINT8)" >"$TMPDIR/far.json"
    all_pass validation far 1 'a processor stores at addresses what is too long for a buffer'
fi

if in_shard; then
    row_cases >"$TMPDIR/rows.json"
    LP_NATIVE_VECTOR_WIDTH=128 "$ASSAY" run -d vulkan:device=llvmpipe --cases "$TMPDIR/rows.json" --timeout 60 slices \
        >"$TMPDIR/out" 2>&1
    is $? 0 'a workgroup of four invocations of a processor takes a row, as texels'
fi

if in_shard; then
    "$ASSAY" bench -d vulkan:device=llvmpipe,validation --seconds 0 --copy 1 --json --cases cases gather.examples \
        nonzero_coordinates.examples top_k.examples reduce.examples scatter_nd.examples >"$TMPDIR/out" 2>&1
    is $? 0 'what runs again and again on the device has the right results'
    is "$(jq -c '[.devices[].cases[] | select(.measured)] | [length > 20, any(.by_dispatch), all(.device.median_ns > 0)]' "$TMPDIR/out")" \
        '[true,false,true]' '  and is measured by the device, by its clock'
fi

if in_shard; then
    "$programs/test_vulkan" "$ASSAY_DEVICES/vulkan.so" device=llvmpipe 1 large >"$TMPDIR/out" 2>&1
    ok $? 'large random cases have the results of a naive model'
    grep -v '^ok' "$TMPDIR/out" | head -5 | sed 's/^/# /'
fi
tap_done
