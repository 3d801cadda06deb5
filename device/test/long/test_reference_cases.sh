#!/bin/bash
# The reference device passes all cases without a warning, and larger ones (../large_cases.lua).
long=1
. device/test/test_reference_cases.sh

passes 'all cases' reference --shard "${SHARD:-1/1}"
for round in 1 2 3; do
    in_shard || continue
    lua5.4 device/test/large_cases.lua $round >"$TMPDIR/large.json"
    passes "large tensors, round $round" reference --cases "$TMPDIR/large.json" --timeout 60
done
tap_done
