#!/bin/bash
# The tests that take a sample of all cases, operators or damages take all of them here: C tests with sampled.h, and shell
# tests with the argument `whole`, of which test_legal.sh divides its cases among the shards.
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

# whole NAME: runs a shell test, whole.
whole() {
    bash "harness/test/$1.sh" whole >"$TMPDIR/$1" 2>&1
    ok $? "$1: $(grep -c '^ok' "$TMPDIR/$1") points pass, $(grep -c '^not ok' "$TMPDIR/$1") fail"
    grep -v '^ok' "$TMPDIR/$1" | head -n 50 | sed 's/^/# /'
}
whole test_legal
if in_shard; then whole test_coverage; fi
tap_done
