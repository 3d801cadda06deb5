#!/bin/bash
# The whole suite on the device directml through the stand-ins for Microsoft's libraries, with the debug layers on, and
# each fault of ../standin/faults.
long=1
. device/test/test_directml_cases.sh

suite "$device,validation" 'the suite passes, and the debug layers are silent' 'Stand-in GPU' \
    --shard "${SHARD:-1/1}" --timeout 60
[ "${SHARD:-}" ] || is "$(sqlite3 "$db" 'select count(distinct operator) from results')" \
    "$("$ASSAY" list | cut -d. -f1 | sort -u | wc -l)" '  of every operator'
if in_shard; then
    ALL_FAULTS=1 tools/run-test device/test/test_directml_faults.sh >"$TMPDIR/faults" 2>&1
    is $? 0 'every planted fault is noticed'
    grep -A 5 '^not ok' "$TMPDIR/faults" | sed 's/^/# /'
fi
tap_done
