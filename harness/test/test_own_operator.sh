#!/bin/bash
# An operator that DirectML does not have, MIX of own/mix.lua, through every command; and on a device that computes it.
. tools/tap.sh
few=$(dirname "$ASSAY")/few # whose specs lack MIX, as those of the program do
specs=$TMPDIR/specs
mkdir "$specs"
cp specs/{catalogue,tensor,gather}.lua harness/test/own/mix.lua "$specs"
# own ARGUMENTS…: runs assay with these specs, and without a search.
own() { "$ASSAY" "$@" --specs "$specs"; }
[ "$(nm -D "$ASSAY_DEVICES/reference.so" | grep -c __asan_init)" = 0 ] || flags=-fsanitize=address
# shellcheck disable=SC2086 # no argument if there are no flags
${CC:-cc} -std=c11 -Wall -Wextra -Werror $flags -shared -fPIC -fvisibility=hidden -I. harness/test/mix_device.c \
    -o "$TMPDIR/mix.so"
ok $? 'a device of the operator compiles'

# assay describes it as it does the documented ones.
said=$(own spec MIX)
like "$said" '^DML_OPERATOR_MIX \(1234\), from feature level 1_0 on; page Our operators, page 3; [0-9]+ cases$' 'assay spec'
like "$said" '^  WeightCount +uint$' 'with its fields'
like "$said" '^  mode +reject +[1-9][0-9]* +[1-9][0-9]*  Mode must be SUM or MEAN$' 'with the constants of its enumeration'
like "$said" '\[Our operators, page 3,$' 'without a page of DirectML'
said=$(own spec)
like "$said" '^MIX +1_0 +2 +[0-9]+ +formula +[1-9][0-9]*  .*/mix\.lua$' 'the list of operators has it'
like "$(tail -n 1 <<<"$said")" '^178 operators: 2 with a spec' 'and counts it'
is "$(own spec --json MIX | grep -o '"type": [0-9]*')" '"type": 1234' 'assay spec --json'
said=$(own list -o MIX)
for strategy in examples cover elements strides in_place violations corners parts; do
    like "$said" "^mix\\.$strategy\\." "cases of the strategy $strategy"
done
case=$(own list mix.examples)
is "$(grep -c '^mix\.examples' <<<"$said")" 1 'one example'
like "$(own show "$case")" '^  Weights +\[2,3\]' 'assay show: an array'
like "$(own show "$case")" '^  Mode +MEAN$' 'assay show: a constant'

# Devices: one that computes it, one that is wrong, one that does not have it, although it promises every level.
said=$(own run -d "$TMPDIR/mix.so" --search 0 mix.examples mix.elements mix.shapes)
is $? 0 'the device passes the cases that it can run'
like "$said" ' [1-9][0-9]* pass' 'and there are some'
said=$(own run -d "$TMPDIR/mix.so:wrong" --search 0 mix.examples)
is $? 1 'a wrong device fails'
like "$said" '^  wrong +OutputTensor \{0,0\}: got 3\.5 .*, expected 7\.5 ' 'with the element that the formula demands'
like "$said" "^  reproduce .* repro $case -d " 'and the command that repeats it'
said=$(own repro "$case" -d "$TMPDIR/mix.so:wrong")
is $? 1 'assay repro'
like "$said" '^  Bias +0\.5$' 'prints the description'
for device in reference "$TMPDIR/mix.so:older"; do
    said=$(own run -d "$device" --search 0 -o MIX 2>&1)
    is $? 6 "no level promises the operator: ${device##*/}"
    like "$said" 'all [0-9]+ cases were skipped or are unsupported$' 'it is unsupported'
done
said=$(own run -d meaning --search 0 -o MIX)
is $? 0 'the device meaning computes it'
like "$said" '^verdict: passed' 'and is right'

# Broken devices: the rules and the formula of its spec with one fault.
said=$(own run -d "mutants:specs=$specs" --search 0 mix.examples mix.elements mix.shapes)
is $? 0 'a mutant without a fault passes'
for fault in ignore=MIX/{same-sizes,weights,mode} reject=MIX/{weights,dimension-counts} \
    fault={attribute-misread,input-as-zero,dimension-reversed}; do
    own run -d "mutants:specs=$specs,$fault" --search 0 --max-fail 1 mix.examples mix.elements mix.violations \
        >"$TMPDIR/out"
    is $? 1 "$fault is found"
done
own run -d mutants --search 0 mix.examples >"$TMPDIR/out" 2>&1
is $? 6 'mutants of other specs do not have the operator'

# The conformance statement is about documented operators alone.
own run -d meaning --search 0 mix.examples gather.examples --db "$TMPDIR/some.db" >"$TMPDIR/out"
is $? 0 'an operator of each kind runs'
is "$(sqlite3 "$TMPDIR/some.db" "select count(*) from results where operator = 'MIX'")" 1 'the results have the operator'
"$few/build/assay" report "$TMPDIR/some.db" --json "$TMPDIR/data.json" >"$TMPDIR/out"
is $? 0 'a report of them'

# The search.
said=$(own fuzz -d "$TMPDIR/mix.so" -o MIX --count 20000)
is $? 1 'a search on a device that rejects nothing has findings'
for rule in same-sizes weights mode weights-given; do
    like "$said" "^wrong accept MIX $rule: [0-9]+ descriptions" "such as $rule"
done
like "$said" '^  smallest +MIX .*Mode=MEAN|^  smallest +MIX .*Mode=SUM' 'with the smallest description'
text=$(printf '%s\n' "$said" | sed -n "s/^  reproduce .* fuzz '\(MIX [^']*\)'.*/\1/p" | head -n 1)
own fuzz "$text" -d "$TMPDIR/mix.so" >"$TMPDIR/out"
is $? 1 'a finding is repeated from its text'
own fuzz -d meaning -o MIX --count 20000 >"$TMPDIR/out"
is $? 0 'a right device has none'

# Exports.
own repro "$case" --export json "$TMPDIR/case.json" >"$TMPDIR/out"
like "$(own run --cases "$TMPDIR/case.json" -d "$TMPDIR/mix.so")" '^verdict: passed, 1 of 1' 'a case file'
own repro "$case" --export c "$TMPDIR/case.c" >"$TMPDIR/out"
# shellcheck disable=SC2086
${CC:-cc} -std=c11 -Wall -Wextra -Werror $flags -I device "$TMPDIR/case.c" -o "$TMPDIR/case"
ok $? 'a C file has the struct, and compiles'
is "$(grep -c '^    MIX_MODE Mode;$' "$TMPDIR/case.c")" 1 'with its enumeration'
ASAN_OPTIONS=detect_leaks=0 "$TMPDIR/case" "$TMPDIR/mix.so" >"$TMPDIR/out"
is $? 0 'it passes on the device'
ASAN_OPTIONS=detect_leaks=0 "$TMPDIR/case" "$TMPDIR/mix.so:wrong" >"$TMPDIR/out"
is $? 1 'and fails on the wrong one'
fails 2 'cannot express an operator that DirectML does not have' repro "$case" --export dxdispatch "$TMPDIR/dx" \
    --specs "$specs"

# A script that outlives the loading of the specs cannot add to them.
sed 's/^  examples = /  meaning = function() struct "LATE" { number = 1235 } end,\n&/' \
    harness/test/own/mix.lua >"$specs/mix.lua"
said=$(own run -d meaning --search 0 mix.examples 2>&1)
like "$said" 'struct: expected a table, while the specs are read' 'a meaning cannot call struct'
tap_done
