#!/bin/bash
# A case that fails only after others: bisect finds these, and the line that it prints reproduces the failure.
. tools/tap.sh
few_operators
device=mutants:fault=leave-mode
filter=(gather.types nonzero_coordinates.types scatter_nd.types)
name=$("$ASSAY" list scatter_nd.types.fl4_1 | tail -1)
first=$("$ASSAY" list 'gather.types.*.float64-*' | head -1)
second=$("$ASSAY" list nonzero_coordinates.types | head -1)
out=$TMPDIR/out
bisect() { "$ASSAY" bisect "$@" >"$out" 2>"$TMPDIR/err"; }

"$ASSAY" repro "$name" -d "$device" >/dev/null
is $? 0 'the case passes alone'
is "$("$ASSAY" run "${filter[@]}" -d "$device" -j 1 -v | grep -c "^fail $name")" 1 'and fails in a run'
bisect "$name" "${filter[@]}" -d "$device"
is $? 1 'bisect finds that it fails'
is "$(cat "$TMPDIR/err")" '' '  and prints nothing to standard error'
like "$(cat "$out")" "^$name: pass alone\$" '  says that it passes alone'
like "$(cat "$out")" "^$name fails after 2 of the [0-9]+ cases before it" '  and after how many it fails'
is "$(sed -n 's/^needed: //p' "$out")" "$second
$first" '  and which they are, the last one first'
line=$(sed -n 's/^ *reproduce *[^ ]* //p' "$out")
eval "\"\$ASSAY\" $line" >"$TMPDIR/repro"
is $? 1 '  the line that it prints reproduces the failure'
is "$(grep -E -c '^(pass|fail) ' "$TMPDIR/repro")" 3 '  of three cases'
like "$(cat "$TMPDIR/repro")" "^fail $name" '  the last one fails'
eval "\"\$ASSAY\" ${line% --after*}" >/dev/null
is $? 0 '  without the other cases it passes'
cp "$out" "$TMPDIR/again"
bisect "$name" "${filter[@]}" -d "$device"
cmp -s "$out" "$TMPDIR/again"
ok $? 'a second time, it prints the same'

# Another order: a case that runs before may be planned after it.
late=$("$ASSAY" list gather.violations | grep float64 | tail -1)
order=("$second" "$late" "$name")
seed=1
until [ "$("$ASSAY" run "${order[@]}" -d "$device" --shuffle $seed -v | grep -c '^fail')" = 1 ] || [ $seed = 60 ]; do
    seed=$((seed + 1))
done
bisect "$name" "${order[@]}" -d "$device" --shuffle $seed
is $? 1 "a case fails after others in the order of --shuffle $seed"
is "$(sed -n 's/^needed: //p' "$out")" "$second
$late" '  which bisect finds'
line=$(sed -n 's/^ *reproduce *[^ ]* //p' "$out")
eval "\"\$ASSAY\" $line" >/dev/null
is $? 1 '  and its line reproduces, in that order'

# Where there is nothing to search for.
bisect "$name" "${filter[@]}" -d reference
is $? 0 'a case that passes even after all others'
like "$(cat "$out")" '^no earlier case makes it fail' '  is reported as such'
bisect "$name" "${filter[@]}" -d mutants:fault=flip-bit
is $? 1 'a case that fails alone'
like "$(cat "$out")" "^$name: fail alone" '  is reported as such'
like "$(cat "$out")" "reproduce .* repro $name " '  with the line that reproduces it'
bisect "$name" "${filter[@]}" -d mutants:level=3_0
is $? 6 'a case that is skipped'
# The mode that the fault leaves dies with the process, so that cases before the death do not count.
bisect "$name" "${filter[@]}" -d mutants:fault=crash,every=500
is $? 0 'a device that dies on the way, but not at the case, lets it pass'

fails 2 'bisect takes the name' bisect
fails 2 'which device' bisect "$name"
fails 4 'no case is named' bisect gather.nothing -d reference
fails 4 "no case is named '$name'" bisect "$name" gather.types -d reference
fails 6 'no device is named' bisect "$name" scatter_nd.types -d referenc
fails 4 'no case is named' repro "$name" -d reference --after gather.nothing
tap_done
