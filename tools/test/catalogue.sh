#!/bin/bash
# tools/cataloguegen.lua: specs/catalogue.lua is what the documents' tables make; altered copies of either are noticed.
. tools/tap.sh
tables=../shared/docs/tables
copy=$TMPDIR/tables
catalogue=$TMPDIR/catalogue.lua

# check NAME PATTERN: the catalogue differs from the tables, or they cannot be read: the message matches.
check() {
    local said
    said=$(lua5.4 tools/cataloguegen.lua --check "$catalogue" "$copy" 2>&1)
    is $? 1 "$1: exit status"
    like "$said" "$2" "  and why: $2"
}
# alter NAME FILE SCRIPT PATTERN: check with FILE, of the tables or the catalogue, changed by sed.
alter() {
    local file=$copy/$2
    [ "$2" = catalogue.lua ] && file=$catalogue
    cp "$file" "$TMPDIR/kept"
    sed -i "$3" "$file"
    cmp -s "$file" "$TMPDIR/kept" && ok 1 "sed '$3' changes $2"
    check "$1" "$4"
    cp "$TMPDIR/kept" "$file"
}

lua5.4 tools/cataloguegen.lua --check specs/catalogue.lua "$TMPDIR/absent" 2>"$TMPDIR/err"
is $? 1 'no tables: exit status'
like "$(cat "$TMPDIR/err")" 'absent/enums.tsv: No such file' '  and which'
lua5.4 tools/cataloguegen.lua 2>"$TMPDIR/err"
is $? 2 'no arguments: exit status'
like "$(cat "$TMPDIR/err")" '^usage: ' '  and how it is used'

if [ ! -d "$tables" ]; then
    ok 0 "the documents' tables # SKIP they are not beside the checkout"
    tap_done
    exit
fi

said=$(lua5.4 tools/cataloguegen.lua --check specs/catalogue.lua "$tables" 2>&1)
is $? 0 "specs/catalogue.lua is what the documents' tables make"
is "$said" '' '  and nothing is said'
lua5.4 tools/cataloguegen.lua "$tables" | cmp -s - specs/catalogue.lua
is "${PIPESTATUS[*]}" '0 0' 'twice the same, byte for byte'

cp -r "$tables" "$copy"
chmod -R u+w "$copy"
cp specs/catalogue.lua "$catalogue"

# The catalogue changed.
alter 'a type' catalogue.lua '0,/{ float, 4, 5 }/s//{ float, 4 }/' 'catalogue.lua:[0-9]+: not as the tables make it'
alter 'a relation is gone' catalogue.lua '/"DataType", "InputTensor", "ExponentTensor", before/d' 'tables: .*before'
alter 'the end is gone' catalogue.lua "\$d" 'file:   \(its end\)'
alter 'something follows' catalogue.lua "\$s/\$/\\n-- more/" 'tables: \(its end\)'

# A table changed, where no correction is: the catalogue differs.
alter 'a level' operators.tsv 's/^\(67\tDML_OPERATOR_GATHER\t[^\t]*\t\)1_0/\12_0/' 'GATHER: no table at 2_0'
alter 'a field' operators.tsv 's/attr:IndexDimensions:UINT/attr:IndexDimensions:INT/' 'file: .*"uint", "IndexDimensions"'
alter 'a field of a new type' operators.tsv 's/attr:IndexDimensions:UINT/attr:IndexDimensions:UINT128/' 'type UINT128 is not known'
alter 'a field of another array' operators.tsv 's/attr:RepeatsCount:UINT; //' 'TILE: Repeats: no field before it counts'
alter 'an operator is gone' operators.tsv '/^67\t/d' 'ordinal 68, expected 67'
alter 'a data type' tensor_support.tsv 's/^\(DML_OPERATOR_GATHER\t1_0\t\tIndicesTensor\t.*\)UINT32/\1INT32/' 'tables: .*IndicesTensor = { int32'
alter 'types without a name' tensor_support.tsv 's/^\(DML_OPERATOR_GATHER\t1_0\t\tIndicesTensor\t.*\)UINT32/\1UINT16/' 'the types UINT16 have no name'
alter 'a dimension count' tensor_support.tsv 's/^\(DML_OPERATOR_GATHER\t3_0\t\tIndicesTensor\t.*\)1\t8/\12\t8/' 'tables: .*integer32_64, 2, 8'
alter 'a tensor is gone' tensor_support.tsv '/^DML_OPERATOR_GATHER\t3_0\t\tIndicesTensor\t/d' 'GATHER: level 3_0: no row for IndicesTensor'
alter 'a row twice' tensor_support.tsv 's/^DML_OPERATOR_GATHER\t3_0\t\tIndicesTensor\t.*/&\n&/' 'lists IndicesTensor twice'
alter 'another kind of tensor' tensor_support.tsv 's/^\(DML_OPERATOR_GATHER\t3_0\t\tIndicesTensor\tin\t\)0/\11/' 'GATHER: IndicesTensor becomes required'
alter 'an unknown level' tensor_support.tsv 's/^\(DML_OPERATOR_GATHER\t\)3_0/\13_9/' "'3_9' is no feature level"
alter 'an unknown function' tensor_support.tsv 's/\tMIN and MAX\t/\tMIN and MOST\t/' "the group 'MIN and MOST'"
alter 'a relation' constraints.tsv 's/^\(DML_OPERATOR_GATHER\tsame:\)DataType\t/\1Sizes\t/' 'tables: .*"Sizes", "InputTensor"'
alter 'a relation in words' constraints.tsv 's/^\(DML_OPERATOR_GATHER\t\)same:DataType\t/\1other\t/' 'GATHER: a relation in words'
alter 'a relation twice' constraints.tsv 's/^DML_OPERATOR_GATHER\tsame:DataType\t.*/&\n&/' 'GATHER: a relation is there twice'
alter 'a constant' enums.tsv 's/^DML_PADDING_MODE\tEDGE\t1/DML_PADDING_MODE\tEDGE\t7/' 'tables: .*"EDGE", 7'

# A table changed where a correction is: the correction is out of date.
stale='the correction .* does not apply'
alter 'its level is right now' tensor_support.tsv 's/^\(DML_OPERATOR_TOP_K\t\)2_0/\11_0/' "TOP_K: $stale"
alter 'its types are right now' tensor_support.tsv 's/\(\tTrainingStepTensor\t.*\)FLOAT32,FLOAT16/\1UINT32/' "ADAM_OPTIMIZER: $stale"
alter 'what was beyond a table is in it' tensor_support.tsv 's/^\(DML_OPERATOR_CAST\t1_0\t.*FLOAT16,\)INT16/\1INT32,INT16/' "CAST: $stale"
alter 'its dimension counts as well' tensor_support.tsv 's/^\(DML_OPERATOR_JOIN\t3_0\t.*\t\)4\t5/\11\t8/' "JOIN: $stale"
alter 'its relation is there now' constraints.tsv 's/^\(DML_OPERATOR_TILE\tsame:DataType\)\t/\1+DimensionCount\t/' "TILE: $stale"
alter 'its relation is gone' constraints.tsv '/^DML_OPERATOR_FOLD\t/d' "FOLD: $stale"
alter 'a tensor left the relation' constraints.tsv 's/,PastSequenceLengthsTensor//' "MULTIHEAD_ATTENTION1: $stale"
alter 'its words are gone' constraints.tsv '/^DML_OPERATOR_REDUCE\t/d' "REDUCE: $stale"
alter 'its field is required now' operators.tsv 's/attr:Epsilon?:FLOAT/attr:Epsilon:FLOAT/' "BATCH_NORMALIZATION_GRAD: $stale"
alter 'schema and page agree now' operators.tsv 's/^\(157\t.*\t5_1\t\)1\t0\t/\11\t1\t/' "ACTIVATION_GELU: $stale"
alter 'schema and page disagree elsewhere' operators.tsv 's/^\(158\t.*\t5_1\t\)0\t0\t/\11\t0\t/' 'ACTIVATION_SOFTMAX1: schema and page disagree'
tap_done
