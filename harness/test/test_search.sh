#!/bin/bash
# A run of whole operators ends with a short search, whose findings count.
. tools/tap.sh
whole=$ASSAY
few_operators

db=$TMPDIR/found.db
# No case reaches this fault, but with this seed the first chunk of a search does, which any search completes.
corner=mutants:fault=crash-corner
searching=(-d "$corner" nonzero_coordinates.examples -j 1 --search 1 --seed 36)
"$whole" run -d "$corner" -o NONZERO_COORDINATES --search 0 >"$TMPDIR/none" 2>&1
is $? 0 'no case finds the fault'
is "$(grep -c 'search of' "$TMPDIR/none")" 0 '--search 0: there is no search'
"$ASSAY" run "${searching[@]}" --db "$db" >"$TMPDIR/found" 2>&1
is $? 1 'the search does, and fails the run'
like "$(cat "$TMPDIR/found")" 'crash NONZERO_COORDINATES' 'the finding is printed'
like "$(cat "$TMPDIR/found")" 'search of 1 of 1 operators: [0-9]+ descriptions in .* 1 finding' 'and counted'
is "$(sqlite3 "$db" 'select kind, operator from fuzz_findings')" 'crash|NONZERO_COORDINATES' 'and stored'
like "$(cat "$TMPDIR/found")" ': finding nonzero_coordinates.search.[a-z-]+.crash' '  a finding has a name'

# expect update lists it, once.
"$ASSAY" expect update "$TMPDIR/updated" --db "$db" >"$TMPDIR/out"
name=$(sed -n 's/.*: finding //p' "$TMPDIR/found")
like "$(cat "$TMPDIR/updated")" "^$name crash # new: found by the search: NONZERO_COORDINATES" 'expect update lists it'
cp "$TMPDIR/updated" "$TMPDIR/again"
"$ASSAY" expect update "$TMPDIR/again" --db "$db" >"$TMPDIR/out"
cmp "$TMPDIR/updated" "$TMPDIR/again"
ok $? '  once'
"$ASSAY" run "${searching[@]}" --expect "$TMPDIR/updated" >"$TMPDIR/out" 2>&1
is $? 0 '  so that it is known'
"$ASSAY" run -d "$corner" nonzero_coordinates.examples --search 0 --db "$db" >"$TMPDIR/out" 2>&1
"$ASSAY" expect update "$TMPDIR/later" --db "$db" >"$TMPDIR/out"
is "$? $(grep -c '0 added$' "$TMPDIR/out")" '0 1' '  but not after a run without a search'

# An expectation file may list findings. Such a line is never stale, since a search need not find them again.
printf '%s\n' 'nonzero_coordinates.search.*.crash  crash  # known' >"$TMPDIR/known"
"$ASSAY" run "${searching[@]}" --expect "$TMPDIR/known" --db "$TMPDIR/known.db" \
    >"$TMPDIR/out" 2>&1
is $? 0 'a known finding does not fail the run'
like "$(cat "$TMPDIR/out")" "known finding nonzero_coordinates.search.[a-z-]+.crash: known [(]$TMPDIR/known:1[)]" \
    '  which prints its reason'
is "$(sqlite3 "$TMPDIR/known.db" "select reason from fuzz_findings where failure" | sort -u)" known \
    '  and stores it with the finding'
is "$("$ASSAY" report "$TMPDIR/known.db" --json - | jq -r '[.fuzz.findings[] | select(.failure).reason] | unique | .[]')" known \
    '  for the page, too'
like "$(tail -n 2 "$TMPDIR/out")" 'verdict: passed, .*; 1 known finding' '  and counts it'
sed -i 's/ crash  #/ fail  #/' "$TMPDIR/known"
"$ASSAY" run "${searching[@]}" --expect "$TMPDIR/known" >"$TMPDIR/out" 2>&1
is $? 1 '  but one of another kind does'
"$ASSAY" run -d reference -j 1 nonzero_coordinates.examples --search 1 --expect "$TMPDIR/known" >"$TMPDIR/out" 2>&1
is $? 0 '  and a search that does not find it passes'
"$ASSAY" run -d reference gather.examples >"$TMPDIR/some" 2>&1
is "$(grep -c 'search of' "$TMPDIR/some")" 0 'a run of some cases does not search by default'
"$ASSAY" run -d reference -j 1 gather.examples --search 1 --format tap >"$TMPDIR/tap" 2>"$TMPDIR/err"
is "$(grep -c 'search of' "$TMPDIR/tap")" 0 'another format is not disturbed'
like "$(cat "$TMPDIR/err")" 'reference: search of 1 of 1 operators: .* nothing found' 'the search is reported beside it'
"$ASSAY" run -d reference -j 1 gather gather_nd >"$TMPDIR/named" 2>&1
like "$(cat "$TMPDIR/named")" 'search of 2 of 2 operators' 'filters that name operators are a run of these operators'
"$ASSAY" run -d reference -j 1 'gather.*' gather_nd >"$TMPDIR/named" 2>&1
like "$(cat "$TMPDIR/named")" 'search of 2 of 2 operators' '  also with patterns of all their cases'
"$ASSAY" run -d reference gather gather_nd.examples >"$TMPDIR/some" 2>&1
is "$(grep -c 'search of' "$TMPDIR/some")" 0 '  but not if one names a part'
next() { sqlite3 "$db" "SELECT max(next) FROM fuzz_hunt WHERE device = 'reference'"; }
"$ASSAY" run -d reference -j 1 gather_elements --db "$db" >/dev/null 2>&1
first=$(next)
"$ASSAY" run -d reference -j 1 gather_elements --db "$db" >/dev/null 2>&1
ok $((!(first > 0 && $(next) > first))) 'the next run of a database continues the search'
"$ASSAY" run -d reference gather.examples --search x >/dev/null 2>&1
is $? 2 'a wrong number is an error'
tap_done
