#!/bin/bash
# Every output gives one answer about a failure: human text, TAP, JUnit, JSON lines, the database, the page, CSV and the
# JUnit of a report name the same broken rule, the same expectation and the same cause, and the groups at the end of a
# run are those of the report.
. tools/tap.sh
few_operators

# answers SOURCE: what a source says of each failure, a line each: case, status, broken rule, expected, fits.
# Sources that have no sentences give the names of the explanations instead.
human_answers() {
    awk 'function finish() {
             if (name != "") print name "|" status "|" broken "|" expected "|" fits
             name = broken = expected = fits = ""
         }
         /^  broken     / { sub(/^  broken +/, ""); sub(/:.*/, ""); broken = $0; next }
         /^  expected   / { sub(/^  expected +/, ""); expected = $0; next }
         /^  fits       / { sub(/^  fits +/, ""); fits = $0; next }
         /^[^ ]/ { finish() }
         /^(fail|warn|crash|timeout|device_lost) [^ ]+$/ { name = $2; status = $1 }
         END { finish() }' "$TMPDIR/human"
}
tap_answers() {
    perl -ne 'if (/^(not )?ok \d+ - (\S+)/) { $name = $2; %v = () }
        elsif (/^  (status|broken|expected|fits): "(.*)"$/) { $v{$1} = $2 }
        elsif (/^  \.\.\.$/ && $v{status} && $v{status} !~ /^(pass|skip|unsupported)$/) {
            print join("|", $name, map { $v{$_} // "" } qw(status broken expected fits)), "\n"
        }' "$TMPDIR/tap"
}
junit_answers() { # FILE
    perl -0777 -ne 'while (/<testcase name="([^"]*)".*?<\/testcase>/gs) {
        my ($name, $text, %v) = ($1, $&);
        my ($status) = $text =~ /<(?:failure|error) type="([^"]*)"/ or next;
        $text =~ /^$_: (.*)$/m and $v{$_} = $1 for "broken rule", "expected", "fits";
        s/&apos;/\x27/g, s/&lt;/</g, s/&gt;/>/g, s/&quot;/"/g, s/&amp;/&/g for values %v;
        print join("|", $name, $status, map { $v{$_} // "" } "broken rule", "expected", "fits"), "\n" }' "$1"
}
lines_answers() {
    jq -r 'select(.type == "result" and (.status | IN("pass", "skip", "unsupported") | not)) |
        "\(.case)|\(.status)|\(.broken)|\(.expected)|\(.cause)|\(.explanations)"' "$TMPDIR/lines"
}
database_answers() {
    sqlite3 "$TMPDIR/run.db" "SELECT case_name, status, broken, expected, cause, explanations FROM results
        WHERE status NOT IN ('pass', 'skip', 'unsupported')"
}
# The names of cases, whose words the data has apart: 0 stands for the word of the case before.
# shellcheck disable=SC2016 # the variables are jq's
names='[foreach (.cases.parts | transpose)[] as $words ([]; [$words, .] | transpose | map(if .[0] == 0 then .[1] else .[0] end);
    map(strings) | join("."))]'
page_answers() {
    jq -r "$names"' as $names | .details[] | select(.status | IN("pass", "skip", "unsupported") | not) |
        "\($names[.case])|\(.status)|\(.broken)|\(.expected)|\(.cause)|\(.explanations)"' "$TMPDIR/page"
}
# agree NAME ANSWERS OTHER: two lists of answers are the same; the first difference is shown. Human text has the first
# failures of a run alone, and the page samples of what is no failure: the other list is compared for these.
agree() {
    local other="$TMPDIR/$3"
    case $2 in *.human | *.page)
        cut -d'|' -f1 "$TMPDIR/$2" >"$TMPDIR/names"
        grep -wFf "$TMPDIR/names" "$other" >"$TMPDIR/other"
        other=$TMPDIR/other
        ;;
    esac
    diff <(sort "$TMPDIR/$2") <(sort "$other") >"$TMPDIR/difference"
    is "$(head -n 4 "$TMPDIR/difference")" '' "$1"
}

# compare FAULT FILTER…: runs a mutant and compares what all outputs say.
compare() {
    local fault=$1
    shift
    rm -f "$TMPDIR"/run.db*
    "$ASSAY" run -d "mutants:fault=$fault" "$@" --search 0 --db "$TMPDIR/run.db" --format human="$TMPDIR/human" \
        --format json="$TMPDIR/lines" --format tap="$TMPDIR/tap" --format junit="$TMPDIR/junit" >/dev/null 2>&1
    "$ASSAY" report "$TMPDIR/run.db" --json "$TMPDIR/page" --junit "$TMPDIR/junit2" --causes "$TMPDIR/causes" \
        >/dev/null 2>&1
    human_answers >"$TMPDIR/a.human"
    tap_answers >"$TMPDIR/a.tap"
    junit_answers "$TMPDIR/junit" >"$TMPDIR/a.junit"
    junit_answers "$TMPDIR/junit2" >"$TMPDIR/a.junit2"
    lines_answers >"$TMPDIR/a.lines"
    database_answers >"$TMPDIR/a.database"
    page_answers >"$TMPDIR/a.page"
    cut -d'|' -f1-4 "$TMPDIR/a.human" >"$TMPDIR/short.human"
    cut -d'|' -f1-4 "$TMPDIR/a.lines" >"$TMPDIR/short.lines"
    local failures
    failures=$(wc -l <"$TMPDIR/a.lines")
    [ "$failures" -gt 0 ]
    ok $? "$fault: $failures results that are no passes"
    agree '  human text and TAP' a.human a.tap
    # JUnit knows no warnings: it gives their text as output of a pass.
    grep -v '|warn|' "$TMPDIR/a.human" >"$TMPDIR/failures.human"
    agree '  human text and JUnit' failures.human a.junit
    agree '  JUnit of the run and of a report' a.junit a.junit2
    agree '  human text and JSON lines' short.human short.lines
    agree '  JSON lines and the database' a.lines a.database
    agree '  the page and the database' a.page a.database
    is "$(jq -r 'select(.type == "total") | .causes[] | "\(.cases) \(.cause) \(.broken)"' "$TMPDIR/lines" | sort)" \
        "$(awk -F'\t' 'NR > 1 { print $3, $6, $7 }' "$TMPDIR/causes" | sort)" '  groups of the run and of a report'
    # Each broken rule of a group is the broken rule of some failure, and the other way round.
    is "$(jq -r 'select(.type == "total") | .causes[].broken' "$TMPDIR/lines" | tr -d ' ' | tr ',' '\n' | grep . | sort -u)" \
        "$(cut -d'|' -f3 "$TMPDIR/a.lines" | grep . | sort -u)" '  broken rules of failures and of groups'
}

for fault in negative-as-zero indices-packed input-packed; do
    compare "$fault" 'gather.indices' nonzero_coordinates
done
compare other-error 'gather.violations.*'         # wrong error
compare reject-permuted 'gather.strides'          # wrong reject
compare write-past-end,every=7 'gather.shapes'    # corrupt memory
compare crash,every=40 nonzero_coordinates        # no symptoms
compare denormals-16-flushed nonzero_coordinates gather # warnings
# A planted correction: one broken rule in the database is not what was printed.
sqlite3 "$TMPDIR/run.db" "UPDATE detail SET broken = 'planted' WHERE case_id = (SELECT min(case_id) FROM detail WHERE broken <> '')"
database_answers >"$TMPDIR/a.database"
! diff -q <(sort "$TMPDIR/a.lines") <(sort "$TMPDIR/a.database") >/dev/null
ok $? 'a correction of the database alone is seen'
tap_done
