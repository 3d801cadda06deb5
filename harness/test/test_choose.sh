#!/bin/bash
# Choosing cases: not, --exclude, case lists, mustpass lists.
. tools/tap.sh
whole=$ASSAY
few_operators
all=$("$ASSAY" list --count gather) violations=$("$ASSAY" list --count gather.violations)
list=$TMPDIR/list.txt db=$TMPDIR/choose.db

# not, - and --exclude.
is "$("$ASSAY" list --count gather not gather.violations)" $((all - violations)) 'not leaves cases out'
is "$("$ASSAY" list --count -- gather -gather.violations)" $((all - violations)) '  and so does - behind --'
is "$("$ASSAY" list --count gather --exclude gather.violations)" $((all - violations)) '  and --exclude'
is "$("$ASSAY" list gather not '*.violations.*' not gather.types | grep -cE '\.(violations|types)\.')" 0 \
    'several, with wildcards'
is "$("$ASSAY" list --count not gather not scatter_nd)" \
    "$("$ASSAY" list --count | head -1 | xargs -I{} expr {} - "$all" - "$("$ASSAY" list --count scatter_nd)")" \
    'without a filter, all others are chosen'
is "$("$ASSAY" list gather.examples not gather | wc -l)" 0 'a case that is left out stays out'
fails 4 "every case that matches 'gather.examples' is left out by the exclusions" list gather.examples not gather
fails 4 "leave out all cases" list not '*'
fails 2 "not: expected a FILTER after it" list gather not
fails 4 "no case that matches 'gather.examples' has --level 2_0" list -l 2_0 gather.examples
fails 4 "no case that matches 'gather_nd' has --operator GATHER" list -o GATHER gather_nd
fails 4 "no case that matches 'gather_nd.exmaples' has|; did you mean 'gather_nd.examples'" list -o GATHER_ND \
    gather_nd.exmaples
"$ASSAY" run -d reference --db "$db" gather.examples not '*.fl3_0.*' >/dev/null
is "$(sqlite3 "$db" "select count(*) from results where case_name like '%.fl3_0.%'")" 0 'a run leaves them out'
like "$(sqlite3 "$db" 'select * from run')" "gather.examples' 'not'|gather.examples not" '  and the database says so'

# Case lists.
"$ASSAY" list gather.examples scatter_nd.examples >"$list"
is "$("$ASSAY" list --case-list "$list")" "$(cat "$list")" '--case-list reads the output of list'
is "$("$ASSAY" list --case-list - <"$list")" "$(cat "$list")" '  from standard input, too'
is "$("$ASSAY" list --case-list "$list" scatter_nd)" "$(grep ^scatter "$list")" '  a filter restricts it'
is "$("$ASSAY" run -d reference --case-list "$list" --format json | grep -o '"case":"[^"]*"' | sort)" \
    "$(sed 's/.*/"case":"&"/' "$list" | sort)" '  a run runs them'
printf '# two\n\n  gather.examples\nscatter_nd.exa* # all\n-scatter_nd.examples\n' >"$list"
is "$("$ASSAY" list --case-list "$list")" "$("$ASSAY" list gather.examples)" 'patterns, comments, cases left out'
echo 'gather.exampels' >>"$list"
fails 4 "list.txt:6: no case matches 'gather.exampels'" list --case-list "$list"
echo 'gather examples' >"$list"
fails 2 "list.txt:1: 'gather examples' is neither" run -d reference --case-list "$list"
: >"$list"
fails 4 'list.txt names no case' list --case-list "$list"
fails 2 '/nowhere: No such file' list --case-list /nowhere
fails 2 'cannot both read standard input' list --case-list - --cases -
"$ASSAY" list >"$list"
is "$("$ASSAY" list --case-list "$list" | cmp - "$list" && echo same)" same 'all cases, listed'
mkdir "$TMPDIR/cases" && cp cases/examples.lua "$TMPDIR/cases/"
"$ASSAY" list --cases "$TMPDIR/cases" gather >"$list"
is "$("$ASSAY" list --cases "$TMPDIR/cases" --case-list "$list")" "$(cat "$list")" 'with other cases, which are planned'

# Mustpass lists: each is what it was when it was published, and the cases that it names still exist.
is "$("$ASSAY" mustpass | sed 's/ .*//')" \
    "$(find cases/mustpass -name '*.txt.gz' -printf '%f\n' | sed 's/\.txt\.gz$//' | sort -V)" \
    'the lists are shown'
"$ASSAY" mustpass 1.0 >"$list"
is "$(sha256sum <"$list" | head -c 16)" 3e1cbb976c005ca6 "mustpass 1.0 is as it was published"
is "$("$whole" list --json --case-list "$list" | grep -c '"soft":true')" 0 '  none of its cases tests a soft rule'
"$ASSAY" mustpass 1.1 >"$TMPDIR/1.1.txt"
is "$(sha256sum <"$TMPDIR/1.1.txt" | head -c 16)" 750f64f7836c59fe "mustpass 1.1 is as it was published"
is "$(grep -Fxc -f "$list" "$TMPDIR/1.1.txt")" "$(grep -vc '^# Mustpass' "$list")" '  has all cases of 1.0'
is "$("$whole" list --case-list "$TMPDIR/1.1.txt" | sort | cmp - <(grep -v '^#' "$TMPDIR/1.1.txt" | sort) && echo same)" \
    same '  all of which exist'
is "$(sed -n 's/^#   //p' "$TMPDIR/1.1.txt" | tr ' ' '\n' | sort -u)" \
    "$("$whole" spec | sed -n 's/^\([A-Z][A-Z_0-9]*\) .*/\1/p' | sort)" '  of every operator'
cp -r "$few" "$TMPDIR/damaged"
head -c 9999 cases/mustpass/1.1.txt.gz >"$TMPDIR/damaged/cases/mustpass/1.1.txt.gz"
ASSAY=$TMPDIR/damaged/build/assay fails 3 '1.1.txt.gz: the compressed list is damaged' mustpass
"$ASSAY" list | grep -Fxf - "$list" >"$TMPDIR/planned.txt"
cp "$few"/cases/*.lua "$TMPDIR/cases/"
sed 's/strategy "examples"/strategy "more"/' cases/examples.lua >"$TMPDIR/cases/more.lua"
"$ASSAY" list --cases "$TMPDIR/cases" >"$TMPDIR/added.txt"
more=$("$ASSAY" list --count '*.examples.*')
is "$(wc -l <"$TMPDIR/added.txt") $(grep -c '\.more\.' "$TMPDIR/added.txt")" \
    "$(($("$ASSAY" list --count) + more)) $more" \
    'cases are added'
ok $(($(wc -l <"$TMPDIR/planned.txt") > 1000 ? 0 : 1)) '  to a program that has many cases of the list'
is "$("$ASSAY" list --cases "$TMPDIR/cases" --case-list "$TMPDIR/planned.txt" | sort | cmp - \
    <(sort "$TMPDIR/planned.txt") && echo same)" \
    same '  and the list chooses the same ones'
fails 4 "no mustpass list is named '9.9'; expected 1.0 or 1.1" mustpass 9.9
ASSAY=$ASSAY tools/mustpass 1.0 >/dev/null 2>&1
is $? 1 'a published list is not made again'

tap_done
