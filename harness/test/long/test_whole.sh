#!/bin/bash
# The tests that take a sample of all cases, operators or damages take all of them here: C tests with sampled.h, and
# test_legal.sh, of which each shard takes its part.
. tools/tap.sh

programs=$(grep -l '"harness/test/sampled.h"' harness/test/test_*.c | sort)
is "$(wc -w <<<"$programs")" "$(grep -l 'sampled_begin(argc, argv)' harness/test/test_*.c | wc -l)" \
    "$(wc -w <<<"$programs") programs can take all"
for source in $programs; do
    if in_shard; then
        name=$(basename "$source" .c)
        "$(dirname "$ASSAY")/test/$name" whole >"$TMPDIR/$name" 2>&1
        ok $? "$name: $(grep -c '^ok' "$TMPDIR/$name") points pass, $(grep -c '^not ok' "$TMPDIR/$name") fail"
        grep -v '^ok' "$TMPDIR/$name" | head -n 50 | sed 's/^/# /'
    fi
done
"$PWD/harness/test/test_legal.sh" whole >"$TMPDIR/legal" 2>&1
ok $? "test_legal: $(grep -c '^ok' "$TMPDIR/legal") points pass, $(grep -c '^not ok' "$TMPDIR/legal") fail"
grep -v '^ok' "$TMPDIR/legal" | head -n 50 | sed 's/^/# /'
tap_done
