#!/bin/bash
# Scripts from strangers that compute without end: test_attack_scripts.sh has one, this test has those of other kinds.
. tools/tap.sh

scripts=harness/test/attacks/scripts
slow='ran for more than 5 seconds \(an endless loop\?\)$'

# ends TEXT ARGUMENT…: the command ends with exit status 3 and one line that has the text.
ends() {
    local text=$1
    shift
    timeout 120 "$ASSAY" "$@" >"$TMPDIR/out" 2>"$TMPDIR/err" </dev/null
    is "$? $(wc -l <"$TMPDIR/err")" '3 1' "assay $* exits with 3"
    like "$(cat "$TMPDIR/err")" "$text" '  and says what, and where'
}

if in_shard; then
    ends "strategy_emit_labels.lua: $slow" list --cases $scripts/strategy_emit_labels.lua
fi
if in_shard; then
    mkdir "$TMPDIR/specs"
    cp specs/catalogue.lua $scripts/spec_expression_tree.lua "$TMPDIR/specs/"
    ends "spec_expression_tree.lua: ($slow|needs more than 64 MiB of memory)" run -d reference --specs "$TMPDIR/specs" \
        --db "$TMPDIR/never.db"
    [ ! -e "$TMPDIR/never.db" ]
    ok $? '  no database is made'
fi
tap_done
