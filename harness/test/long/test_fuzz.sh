#!/bin/bash
# The search for wrong accepts and rejects, longer than in harness/test/test_fuzz.sh and on all broken devices there are
# for an operator.
. tools/tap.sh

if in_shard; then
    FUZZ_WHOLE=1 tools/run-test harness/test/test_fuzz.sh >"$TMPDIR/points" 2>"$TMPDIR/errors"
    ok $? "test_fuzz.sh with all of its devices: $(grep -c '^ok' "$TMPDIR/points") points pass"
    grep -hv '^ok' "$TMPDIR/points" "$TMPDIR/errors" | head -n 50 | sed 's/^/# /'
fi
tap_done
