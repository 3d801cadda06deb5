#!/bin/bash
# assay spec without an operator: all documented operators and what there is of each.
. tools/tap.sh

said=$("$ASSAY" spec)
is $? 0 'assay spec: exit status'
is "$(printf '%s\n' "$said" | wc -l)" 179 'a heading, 177 operators and the sum'
like "$said" '^GATHER +1_0 +4 +[0-9]+ +function +[0-9]+  .*/?gather\.lua$' 'an operator with a spec'
like "$said" '^ELEMENT_WISE_ABS +1_0 +4 +[0-9]+ +formula +[0-9]+  .*/?element_wise_sign\.lua$' \
    'one of a file with several'
like "$said" '^REDUCE +1_0 +5 +' 'levels with several tables count once'
specs=$("$ASSAY" list | sed 's/\..*//' | grep -v '^interface$' | sort -u | wc -l)
is "$(printf '%s\n' "$said" | tail -1)" \
    "177 operators: $specs with a spec, $specs with a meaning, $specs with cases" 'the sum'
first=$("$ASSAY" spec | awk '$2 == "1_0" && $6 > 0' | wc -l)
is "$("$ASSAY" spec --level 1_0 | tail -1)" \
    "177 operators: $specs with a spec, $specs with a meaning, $first with cases" \
    'only cases of a level: of operators that were there'
fails 2 "no operator is named 'GATHRE'; did you mean GATHER" spec GATHRE

# A formula says names instead of its long or frequent parts, and cases instead of a choice.
described=$(printf '%s\n' "$said" | awk '$4 ~ /^[0-9]+$/ { print $1 }')
# shellcheck disable=SC2086 # an argument for each operator
"$ASSAY" spec --cases cases/examples.lua $described >"$TMPDIR/all"
is "$(grep -c '^DML_OPERATOR_' "$TMPDIR/all")" "$specs" 'assay spec OPERATOR…: a title for each'
is "$(awk 'length > 120' "$TMPDIR/all")" '' 'assay spec OPERATOR…: no line has more than 120 columns'
is "$(grep -E 'DataType (is|must be) [0-9]|Function must be [0-9]|1: given| $' "$TMPDIR/all")" '' \
    'assay spec OPERATOR…: rules say the names of constants'
results=$(sed -n '/^DML_OPERATOR_LP_NORM/,/^DML_OPERATOR_MAX/p' "$TMPDIR/all")
like "$results" '^    where norm = if P = 1: sum2; otherwise: sqrt\(sum\)$' 'a part with a name of the spec'
like "$results" '^    where sum = the sum of \(InputTensor \* InputTensor\)$' 'a part with a name that it gets'
like "$results" '^    if norm is NaN \(nan\): also .ignored.: InputTensor / Epsilon$' 'a choice of a device'
like "$("$ASSAY" spec ELEMENT_WISE_ADD1)" 'FusedActivation\.Alpha \* \(ATensor \+ BTensor\)' \
    'an attribute of the activation, since the operator may have one of that name'
results=$("$ASSAY" spec AVERAGE_POOLING_GRAD)
like "$results" '^  shares = InputGradientTensor / ' 'a stage'
like "$results" '^  OutputGradientTensor = the sum of shares$' 'a result of a stage, by the name of the stage'

# All commands read the catalogue: it has the fields.
cp -r specs "$TMPDIR/specs"
echo 'this is no Lua' >"$TMPDIR/specs/catalogue.lua"
for command in list spec 'spec GATHER'; do
    # shellcheck disable=SC2086 # words of a command
    fails 3 'catalogue.lua:1: syntax error' $command --specs "$TMPDIR/specs"
done
for text in 'return 1' 'return {}'; do
    echo "$text" >"$TMPDIR/specs/catalogue.lua"
    fails 3 'catalogue.lua: expected { operators = ' spec --specs "$TMPDIR/specs"
done
rm "$TMPDIR/specs/catalogue.lua"
fails 3 'catalogue.lua: No such file' spec --specs "$TMPDIR/specs"

# Specs of one's own need the catalogue, and no rulings and no interface.
mkdir "$TMPDIR/own"
cp specs/{catalogue,tensor}.lua "$TMPDIR/own/"
echo 'return operator "TILE" { parameters = { { "d", dims "InputTensor" } }, rules = { rule "repeats" { at_least(list "Repeats", 1) } } }' \
    >"$TMPDIR/own/tile.lua"
like "$("$ASSAY" spec TILE --specs "$TMPDIR/own" 2>&1)" '^DML_OPERATOR_TILE ' 'a folder without rulings is enough'

# Then other documented operators have no spec.
like "$("$ASSAY" spec --specs "$TMPDIR/own")" '^LSTM +1_0 +[0-9]+ +- +- +-  -$' 'an operator without a spec'
for name in LSTM dml_operator_lstm; do
    fails 2 'no spec describes the operator LSTM; ' spec "$name" --specs "$TMPDIR/own"
done
fails 2 'no spec describes the operator LSTM; ' spec --json LSTM --specs "$TMPDIR/own"
fails 2 'no spec describes the operator LSTM; ' list --operator LSTM --specs "$TMPDIR/own"
tap_done
