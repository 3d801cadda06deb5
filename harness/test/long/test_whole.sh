#!/bin/bash
# The C tests that take a sample of all cases, operators or damages (sampled.h) take all of them here.
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
tap_done
