#!/bin/bash
# Failures name the rule that is broken, not only the one that their case tests, and one fault is one group.
. tools/tap.sh

# causes ARGUMENT…: a run into run.db, what it prints into output, its groups into groups.
causes() {
    rm -f "$TMPDIR"/run.db*
    "$ASSAY" run "$@" --db "$TMPDIR/run.db" --format human="$TMPDIR/output" --format json="$TMPDIR/lines" \
        --format tap="$TMPDIR/tap" --format junit="$TMPDIR/junit" >/dev/null 2>&1
    "$ASSAY" report "$TMPDIR/run.db" --causes "$TMPDIR/groups"
}
# groups KIND: the groups of that kind, a line each: cause, broken rules.
groups() {
    awk -F'\t' -v kind="$1" '$2 == kind { print $6 ": " $7 }' "$TMPDIR/groups"
}
query() {
    sqlite3 "$TMPDIR/run.db" "$1"
}

# One bug that fails hundreds of cases, which test other rules.
causes -d mutants:fault=minus-zero-counted nonzero_coordinates
is "$(groups failure)" 'signed-zero-counted: signed-zero' 'one bug, one group'
rules=$(query "SELECT count(DISTINCT rule) FROM failures")
[ "$rules" -gt 3 ]
ok $? "  although the failing cases test $rules rules"
is "$(query "SELECT DISTINCT broken FROM failures WHERE explanations LIKE '%signed-zero-counted%'")" signed-zero \
    '  column broken has the rule that is broken'
[ "$(query "SELECT 100 * sum(broken = 'signed-zero') / count(*) FROM failures")" -ge 95 ]
ok $? '  in nearly all failures'
like "$(cat "$TMPDIR/output")" '[0-9]+ failures, one cause:' 'the run says so at its end'
like "$(cat "$TMPDIR/output")" 'where +all (NONZERO_COORDINATES, )?FLOAT32 or FLOAT16: [0-9]+ of the [0-9]+ such cases' '  with what separates the failing cases'
like "$(cat "$TMPDIR/output")" 'fits +-0.0 is taken for a number other than zero' '  and with each failure'
like "$("$ASSAY" report "$TMPDIR/run.db")" '-0.0 is taken for a number other than zero' 'so does a report'
like "$(cat "$TMPDIR/lines")" '"broken":"signed-zero"' 'JSON has the rule'
like "$(cat "$TMPDIR/tap")" 'broken: .?signed-zero' 'TAP, too'
like "$(cat "$TMPDIR/junit")" 'broken rule: signed-zero' 'and JUnit'
said=$("$ASSAY" spec --trace NONZERO_COORDINATES --db "$TMPDIR/run.db")
like "$(grep -E ' signed-zero ' <<<"$said")" ' fail' 'the sentence about it fails'
is "$(grep -cE ' (rows-enough|row-width|order|not-a-number) .* fail' <<<"$said")" 0 '  and no other one does'

# The rule of the case decides about wrong answers to descriptions.
causes -d mutants:ignore=GATHER/axis-range gather.violations
is "$(groups failure)" 'wrong accept: axis-range' 'a wrong accept breaks the rule that it accepts'

# Another operator, another kind of mistake.
causes -d mutants:fault=negative-as-zero 'gather_nd.indices'
is "$(groups failure)" 'negative-as-zero|negative-lost: negative-indices' 'mistakes that predict the same are named together'
causes -d mutants:fault=write-before-start gather_nd.examples
is "$(groups failure)" 'corrupt memory: outside' 'writes outside of a tensor'
causes -d reference gather_nd.examples
is "$(wc -l <"$TMPDIR/groups")" 1 'a device without failures has no group'
tap_done
