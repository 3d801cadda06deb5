# shellcheck shell=bash
# tap.sh: TAP for shell tests. Source it; end the test with `tap_done`. It is not a test itself.
tap_count=0
tap_failed=0

# ok STATUS NAME: prints a test point, which passes if STATUS is 0. This and the other functions return 0 if it passes.
ok() {
    tap_count=$((tap_count + 1))
    if [ "$1" = 0 ]; then
        echo "ok $tap_count - $2"
    else
        tap_failed=$((tap_failed + 1))
        echo "not ok $tap_count - $2"
        return 1
    fi
}

# is GOT EXPECTED NAME: passes if both are equal.
is() {
    if [ "$1" = "$2" ]; then
        ok 0 "$3"
    else
        ok 1 "$3"
        printf '# got:      %s\n# expected: %s\n' "$1" "$2"
        return 1
    fi
}

# like TEXT PATTERN NAME: passes if TEXT matches PATTERN, an extended regular expression.
like() {
    if printf '%s' "$1" | grep -Eq -- "$2"; then
        ok 0 "$3"
    else
        ok 1 "$3"
        printf '%s\n' "$1" | head -5 | sed 's/^/# got: /'
        echo "# expected: $2"
        return 1
    fi
}

# fails STATUS PATTERN ARGUMENTS…: `assay ARGUMENTS…` exits with STATUS and prints one line that matches PATTERN to
# standard error.
fails() {
    local status=$1 pattern=$2 text got
    shift 2
    text=$("$ASSAY" "$@" 2>&1 >/dev/null </dev/null)
    got=$?
    is "$got" "$status" "assay $* exits with $status"
    is "$(printf '%s\n' "$text" | wc -l)" 1 "  with an error message of one line"
    like "$text" "^assay: .*$pattern" "  that matches: $pattern"
}

# await COMMAND…: waits until the command succeeds, for two minutes at most. Then it says so and fails.
await() {
    local turn
    for ((turn = 0; turn < 2400; turn++)); do
        "$@" 2>/dev/null && return
        sleep 0.05
    done
    echo "# in two minutes this has not succeeded: $*"
    return 1
}

# few_operators: sets $ASSAY to a copy of the program with few operators (tools/few), which starts in a short time. $few
# has its specs and cases. All tests share it: a test that alters a file of it copies it first.
few_operators() {
    few=$(dirname "$ASSAY")/few
    ASSAY=$few/build/assay
}

# in_shard: for `if in_shard; then …` around each section of a long test. Without SHARD, all sections run; with SHARD=M/N
# every Nth does, so that the shards 1/N to N/N run each section once. A test may divide its cases or mutants instead.
shard_section=$(cksum <<<"${0##*/}" | cut -d' ' -f1) # the first sections of tests are in different shards
in_shard() {
    [ "${SHARD:-}" ] || return 0
    shard_section=$((shard_section + 1))
    [ $((shard_section % ${SHARD#*/} + 1)) = "${SHARD%/*}" ]
}

tap_done() {
    if [ "$tap_count" = 0 ] && [ "${SHARD:-}" ]; then
        echo "1..0 # SKIP nothing of it is in shard $SHARD"
        return
    fi
    echo "1..$tap_count"
    [ "$tap_failed" = 0 ] && [ "$tap_count" -gt 0 ]
}
