#!/bin/bash
# The reference device passes a 36th of the cases of all operators, without a warning, and at each feature level it
# accepts and rejects what that level demands. long/test_reference_cases.sh runs all cases.
. tools/tap.sh
db=$TMPDIR/reference.db

# passes TITLE DEVICE ARGUMENTS: runs cases on the device; all pass or are skipped.
passes() {
    rm -f "$db"
    "$ASSAY" run -d "$2" --db "$db" "${@:3}" >"$TMPDIR/out" 2>&1
    is $? 0 "$1"
    sed -n '/^  message/p' "$TMPDIR/out" | sort | uniq -c | head -5 | sed 's/^/# /'
    is "$(sqlite3 "$db" "select count(*) > 0, sum(status not in ('pass', 'skip')) from results")" '1|0' \
        '  without a warning'
}

[ "${long:-}" ] && return

passes 'a 36th of the cases' reference --shard 1/36
is "$(sqlite3 "$db" 'select count(distinct operator) from results')" \
    "$("$ASSAY" list | cut -d. -f1 | sort -u | wc -l)" '  of every operator'
lua5.4 device/test/large_cases.lua >"$TMPDIR/large.json"
passes "naive operators compute the same as its strips of columns" mutants:fault=none --cases "$TMPDIR/large.json" \
    'large.*_elements*'
for level in 2_0 3_1 5_0 5_1 6_1 6_3; do # the rules of the next level differ
    passes "a device of level $level" "reference:level=$level" '*.corners.*'
done
tap_done
