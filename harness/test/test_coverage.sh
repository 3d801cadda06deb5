#!/bin/bash
# Every situation of every spec has a case. Interaction coverage: 100 % of the pairs of every operator, and 95 % of the
# triples of those with indices or a count of rows. Missing combinations are reported. A sample has these seven operators
# and one of 12 others; the first argument `whole`: all operators.
. tools/tap.sh
cases=$TMPDIR/cases
db=$TMPDIR/coverage.db

indexed='GATHER GATHER_ELEMENTS GATHER_ND GATHER_ND1 NONZERO_COORDINATES SCATTER_ELEMENTS SCATTER_ND'
mapfile -t names < <("$ASSAY" spec --json | jq -r '.operators[].name' |
    awk -v whole="${1:-}" -v indexed=" $indexed " 'whole || NR % 12 == 1 || index(indexed, " " $0 " ")')
operators=${#names[@]}
said=$("$ASSAY" coverage "${names[@]}" --db "$db" --json)
is $? 0 'the planned cases cover enough'
printf '%s\n' "$said" | sed 's/^/# /'
is "$(printf '%s\n' "$said" | grep -c '"ways":2,.*"percent":100.00,')" "$operators" 'all pairs of every operator'
covered=$(printf '%s\n' "$said" | grep -cE '"ways":3,.*"percent":(9[5-9]\.|100)')
is $((covered >= $(wc -w <<<"$indexed"))) 1 '95 % of the triples of operators with indices or a count of rows'

is "$(printf '%s\n' "$said" | grep -c '"situation":.*"cases":0}')" 0 'every situation has a case'
several() { # prints how many operators have at least 7 situations
    grep '"situation":' | grep -o '"operator":"[A-Z0-9_]*"' | sort | uniq -c | awk '$1 >= 7' | wc -l
}
is "$(printf '%s\n' "$said" | several)" "$operators" 'every operator with a formula has several situations'

# Situations that ask for more than cases at the highest level.
is "$("$ASSAY" list 'gemm.situations.fused-gelu.*' | grep -o 'fl[0-9]_[0-9]' | sort -u | tr '\n' ' ')" 'fl5_1 fl6_0 fl6_4 ' \
    'a situation has cases at every level that permits them, if it asks for each level'
is "$("$ASSAY" list 'gemm.situations.transposed-both.*' | grep -o 'fl[0-9]_[0-9]' | sort -u)" fl6_4 '  and else at the highest'
like "$("$ASSAY" list 'roi_align1.parts.many-samples-*')" 'many-samples-MaximumSamplesPerOutput' \
    'parts are varied in a situation that asks for pairs'

# The printed figures are stored, with the plan hash that a run of these cases has.
is "$(sqlite3 "$db" "select count(*) from interaction_coverage")" $((2 * operators)) 'a row for each figure'
is "$(sqlite3 "$db" "select distinct printf('{\"v\":1,\"plan_hash\":\"%s\",\"operator\":\"%s\",\"ways\":%d,\"combinable\":%d,\"covered\":%d,\"missed\":%d,\"undecided\":%d,\"impossible\":%d,\"percent\":%.2f', plan_hash, operator, ways, combinable, covered, missed, undecided, impossible, percent) from interaction_coverage")" \
    "$(printf '%s\n' "$said" | grep '"ways"' | sed 's/,"first_holes.*//')" 'with the printed figures'
is "$(sqlite3 "$db" "select count(*) from interaction_coverage where measured glob '20[0-9][0-9]-*Z' and version <> ''")" \
    $((2 * operators)) 'with time and version'
is "$(sqlite3 "$db" "select count(distinct measured) from interaction_coverage")" 1 'as one measurement'
"$ASSAY" run -d reference -o nonzero_coordinates --search 0 --db "$db" >/dev/null
"$ASSAY" coverage nonzero_coordinates --db "$db" >/dev/null
is "$(sqlite3 "$db" 'select count(*) from runs join interaction_coverage using (plan_hash)')" 2 \
    'a run and the coverage of its cases have the same hash'

# With some strategies left out.
few_operators
only() {
    rm -rf "$cases"
    mkdir -p "$cases"
    for strategy in "$@"; do cp "cases/$strategy.lua" "$cases"; done
}
only cover situations
"$ASSAY" coverage gather --cases "$cases" >/dev/null
is $? 0 'the covering array and the situations are enough'
only cover
said=$("$ASSAY" coverage gather --cases "$cases")
is $? 1 'without the cases of the situations, the coverage is too low'
like "$said" '^GATHER +sit\. .* too low$' '  and it says so'
like "$said" '^  missed situation indices-at-ends: .*: 0 cases$' '  and names a situation without a case'
only types strides
said=$("$ASSAY" coverage gather --cases "$cases" --verbose)
is $? 1 'types and strides alone are not enough'
like "$said" '^GATHER +2 .* [0-9]+\.[0-9]+ %  too low$' '  and it says which figure is too low'
like "$said" '^  missed: .*, ' '  and names the missed combinations'
like "$said" '^  … [0-9]+ more$' '  and how many more there are'
only violations
"$ASSAY" coverage nonzero_coordinates --cases "$cases" >/dev/null
is $? 1 'violations and their twins alone are not enough'
only cover
sed -i 's/op:cover(.*) end/op:cover(2) end/' "$cases/cover.lua"
said=$("$ASSAY" coverage gather_elements --cases "$cases")
is $? 1 'an array of pairs has too few triples'
like "$said" '^GATHER_ELEMENTS +2 .* 100\.00 %$' '  but all pairs'
# Bad input.
fails 2 "no operator is named 'GATHERND'; did you mean GATHER_ND" coverage GATHERND
fails 2 "unknown option" coverage --level 3_0
fails 3 'nowhere' coverage gather --db "$TMPDIR/nowhere/x.db"

tap_done
