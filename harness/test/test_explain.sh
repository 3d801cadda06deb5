#!/bin/bash
# `assay explain`: every id that an output prints leads to its text, its sources and its cases.
. tools/tap.sh
few_operators
explain() { "$ASSAY" explain "$@"; }

# Rules, of one operator and of all.
said=$(explain GATHER_ND/indices-rank) # an example has this name, too
is "$(head -n 1 <<<"$said")" 'GATHER_ND/indices-rank, rule' 'a rule of an operator'
like "$said" 'must be from 1 to IndicesTensor.DimensionCount' '  with its text'
like "$said" 'a device must reject a description that breaks it' '  what its strength means'
like "$said" 'ruling +A7: Q counts the dimension of the tuple' '  the text of its ruling'
like "$said" 'page +bed83-131' '  and its sentence'
count=$("$ASSAY" spec GATHER_ND | awk '$1 == "indices-rank" { print $3 + $4 }')
is "$(sed -nE 's/^ +cases +([0-9]+) legal, ([0-9]+) at a limit, ([0-9]+) violating.*/\1 \2 \3/p' <<<"$said" |
    awk '{ print $1 + $2 + $3 }')" "$count" '  and as many cases as spec counts'
named=$(sed -nE 's/^ +(legal|at a limit|violating) +(gather_nd\..*)/\2/p' <<<"$said")
is "$("$ASSAY" list --case-list - <<<"$named" | wc -l)" "$(wc -l <<<"$named")" 'the cases that explain names exist'
is "$(explain -v GATHER_ND/indices-rank | grep -cE '^ +(legal|at a limit|violating) ')" "$count" '  -v names all of them'
like "$(explain indices-rank)" 'operators +2: GATHER_ND SCATTER_ND|of SCATTER_ND' 'a rule of all operators that have it'
like "$(explain 3_0)" 'level 3_0 of GATHER' 'a feature level'

# Sentences, pages, rulings, device.h, mistakes, operators.
like "$(explain 3d922-106)" 'behaviour signed-zero of NONZERO_COORDINATES' 'a sentence leads to what carries it'
like "$(explain 3d922-109)" 'informative' 'an informative sentence says so'
like "$(explain 3d922-107..110)" 'rule rows-enough' 'a range of sentences'
like "$(explain DML_BUFFER_TENSOR_DESC)" 'rule total-size' 'a page'
like "$(explain A40)" '^A40, ruling: negative zero is zero$' 'a ruling'
like "$(explain D13)" '^D13, sentence of device.h: A compiled operator must keep no state' 'a sentence of device.h'
like "$(explain D13)" 'behaviour independent of INTERFACE' '  with its behaviour'
like "$(explain D24)" 'a promise of assay' '  or why it has none'
like "$(explain signed-zero-counted)" 'behaviour signed-zero of NONZERO' 'a mistake leads to what it breaks'
like "$(explain GATHER)" 'rule axis-range of GATHER' 'an operator'
one=$("$ASSAY" list gather_nd.violations.indices-rank | head -n 1)
like "$(explain "$one")" 'rule indices-rank of GATHER_ND' 'a case'

# Every id of a failure, as it is printed, and as the database has it.
"$ASSAY" run -d mutants:fault=flip-bit gather_nd.examples --db "$TMPDIR/f.db" >"$TMPDIR/out"
line=$(grep -m 1 '^  rule ' "$TMPDIR/out")
like "$line" '\(bed83-' 'a failure prints sources'
# shellcheck disable=SC2046 # words
explain $(grep -m 1 -o '(bed83-.*)' <<<"$line") >"$TMPDIR/said"
is "$? $(grep -cE '^bed83-[0-9]+, sentence' "$TMPDIR/said")" "0 $(grep -o 'bed83-[0-9]*' <<<"$line" | wc -l)" \
    '  which explain takes with brackets and commas'
# all_known NAME: explain knows each of the ids that standard input has, and there are some.
all_known() {
    local id seen=0 unknown=
    while read -r id; do
        seen=$((seen + 1))
        explain "$id" >/dev/null 2>&1 || unknown="$unknown $id"
    done
    is "$unknown" '' "$1"
    [ $seen -gt 0 ]
    ok $? '  of which there are some'
}
all_known 'all ids in a database are known' < <(sqlite3 "$TMPDIR/f.db" "select distinct rule from results union
    select broken from results union select explanations from results where explanations not like '%,%'" | grep .)
all_known 'all sources that spec --trace prints are known' < <("$ASSAY" spec --trace GATHER_ND |
    awk 'NR > 2 && $1 ~ /^[A-Zb]/ { print $1 }' | sort -u | head -n 40)

# JSON.
explain --json A40 D24 GATHER_ND/indices-rank >"$TMPDIR/json"
is "$(lua5.4 -e 'local t = dofile("tools/json.lua")(io.read("a")).explained
    print(#t, t[1].kind, t[1].parts[1].id, #t[2].parts, t[3].parts[1].cases.violating > 0)' <"$TMPDIR/json")" \
    $'3\truling\tsigned-zero\t0\ttrue' '--json prints one object'

fails 2 'explain takes 1 to' explain
fails 4 "id 'GATHER/axis-rnage'; did you mean axis-range" explain GATHER/axis-rnage
fails 2 'gather_nd.examples.nothing: a case is explained alone' explain A37 gather_nd.examples.nothing
fails 4 "no case is named 'gather_nd.examples.nothing'" explain gather_nd.examples.nothing
fails 4 "has the id '3d922-9999'" explain 3d922-9999
tap_done
