#!/bin/bash
# Exports of cases as files of cases, as C and as folders for DxDispatch, and what comes back: test_export.sh [all]
#   all: nothing but the examples of all operators, for test/long/test_export.sh; with SHARD=M/N of every Nth operator. Without it:
#   operators with each kind of field, with arrays of tensors, optional tensors, several outputs and newer levels.
. tools/tap.sh
[ -n "$TMPDIR" ] || exit 1
examples=({gather,scatter_elements,scatter_nd,nonzero_coordinates,join,batch_normalization}.examples
    {fill_value_constant,slice1,reduce,top_k1,random_generator,quantize}.examples)
if [ "${1:-}" = all ]; then
    mapfile -t examples < <("$ASSAY" list '*.examples.*' | cut -d. -f1 | sort -u |
        awk -v part="${SHARD:-1/1}" '{ split(part, of, "/"); if (NR % of[2] + 1 == of[1]) print $1 ".examples" }')
fi
program=$(realpath "$ASSAY")
devices=$(realpath "$ASSAY_DEVICES")
wrong=fault=do-nothing # which no tolerance accepts: outputs stay the complement of what is expected
mkdir "$TMPDIR/programs"
mkdir "$TMPDIR/specs" # mutants at the bound read them beside the program
cp specs/{catalogue,interface,tensor,element_wise*}.lua "$TMPDIR/specs"
nm -D "$devices/reference.so" | grep -q __asan_init && flags=-fsanitize=address # whose library must be loaded first

# runs FOLDER DEVICE: what a user on Windows would do.
runs() { (cd "$1" && "$program" dispatch model.json -d "$2" >dxdispatch.txt 2>&1); }

# build CASE: exports it as C and compiles it.
build() {
    "$ASSAY" repro "$1" --export c "$TMPDIR/case.c" --force &&
        ${CC:-cc} -std=c11 -Wall -Wextra -Werror ${flags:+"$flags"} -I device "$TMPDIR/case.c" -o \
            "$TMPDIR/programs/case"
}
# program DEVICE: runs it on a device of the project.
program() { ASAN_OPTIONS=detect_leaks=0 "$TMPDIR/programs/case" "$devices/$1" >"$TMPDIR/out"; }

# Every documented example as a folder for DxDispatch, which has a file of cases, too. Those that DxDispatch cannot
# express as a file of cases alone.
count=0 folders=0 refused=0
for name in $("$ASSAY" list "${examples[@]}"); do
    count=$((count + 1))
    folder=$TMPDIR/$name
    if "$ASSAY" repro "$name" --export dxdispatch "$folder" 2>"$TMPDIR/err"; then
        folders=$((folders + 1))
    elif grep -q 'cannot express an operator that is newer than feature level 6_2$' "$TMPDIR/err"; then
        refused=$((refused + 1))
        mkdir "$folder" && "$ASSAY" repro "$name" --export json "$folder/case.json"
    else
        echo "# $(cat "$TMPDIR/err")"
    fi
    all+=(--cases "$folder/case.json")
done
[ "$count" -ge $((${#examples[@]} * 3 / 2)) ]
ok $? "there are $count examples of ${#examples[@]} operators"
after_6_2='^(quantize|dequantize|fold|unfold|mean_variance_normalization2|resample3|multihead_attention1)\.'
newer=$("$ASSAY" list "${examples[@]}" | grep -cE "$after_6_2")
is "$refused $folders" "$newer $((count - newer))" \
    "each is exported as a folder, but for the $newer of operators that DxDispatch does not know"
"$ASSAY" run "${all[@]}" -d reference >"$TMPDIR/out"
like "$? $(grep -o "$count pass" "$TMPDIR/out")" "^0 $count pass\$" 'each passes on the reference as a file of cases'

# One example for each list of fields, null pointers and types of outputs: as a file of cases again, as C, and as a
# folder that was run; all on a correct device and on a wrong one.
names=$(awk '{
    shape = ""
    sub(/, "level": .*/, "")
    while (match($0, /"[A-Z][A-Za-z0-9]*": (null)?/)) {
        key = substr($0, RSTART, RLENGTH)
        $0 = substr($0, RSTART + RLENGTH)
        if (key ~ /^"Output/ && match($0, /^\{"DataType": "(FLOAT16|FLOAT|U?INT)/))
            key = key substr($0, RLENGTH - 2, 3) # "T16", "OAT" or "INT"
        if (key !~ /^"(DataType|Sizes|TotalTensorSizeInBytes)"/)
            shape = shape key
    }
    if (shape != "" && !seen[shape]++) {
        sub(/\/case\.json$/, "", FILENAME)
        sub(/.*\//, "", FILENAME)
        print FILENAME
    }
}' "$TMPDIR"/*.examples.*/case.json)
shapes=0 again=0 built=0 right=0 caught=0 verified=0 found=0 results=0 run=0 judged=0
for name in $names; do
    shapes=$((shapes + 1))
    folder=$TMPDIR/$name
    "$ASSAY" repro "$name" --cases "$folder/case.json" --export json | cmp -s - "$folder/case.json" && \
        again=$((again + 1))
    build "$name" && built=$((built + 1))
    program reference.so && right=$((right + 1))
    if grep -q '"outputs"' "$folder/case.json"; then
        results=$((results + 1))
        program "mutants.so:$wrong"
        [ $? = 1 ] && caught=$((caught + 1))
    fi
    [ -e "$folder/model.json" ] || continue
    run=$((run + 1))
    runs "$folder" reference
    "$ASSAY" verify "$folder" >"$TMPDIR/out" && verified=$((verified + 1))
    grep -q '"outputs"' "$folder/case.json" || continue
    judged=$((judged + 1))
    runs "$folder" "mutants:$wrong"
    "$ASSAY" verify "$folder" >"$TMPDIR/out"
    [ $? = 1 ] && grep -q '^  wrong ' "$TMPDIR/out" && found=$((found + 1))
done
like "$shapes" '^[1-9][0-9]{1,2}$' "there are $shapes shapes of examples"
is "$again" "$shapes" 'a file of cases exports the same file'
is "$built $right" "$shapes $shapes" 'C compiles without warnings and exits with 0 on the reference'
is "$verified" "$run" "$run folders pass verify after a run"
is "$((results > shapes - 4)) $caught $found" "1 $results $judged" \
    'on a wrong device, the C program and verify exit with 1; verify prints the element'

if [ "${1:-}" = all ]; then
    tap_done
    exit
fi

# Outputs that formulas judge: C and verify accept what is within the bound, and nothing beyond it.
tolerated() { # CASE FAULT STATUS
    local folder=$TMPDIR/bound
    rm -rf "$folder"
    build "$1" && "$ASSAY" repro "$1" --export dxdispatch "$folder"
    program "mutants.so:fault=$2"
    local c=$?
    runs "$folder" "mutants:fault=$2"
    "$ASSAY" verify "$folder" >"$TMPDIR/out"
    is "$c $?" "$3 $3" "${1%%.*}, ${2%%,*}: C and verify exit with $3"
}
for op in add sin; do
    name=$("$ASSAY" list "element_wise_$op.cover.*float32*" | head -1)
    tolerated "$name" "at-bound,operator=ELEMENT_WISE_${op^^}" 0
    tolerated "$name" "beyond-bound,operator=ELEMENT_WISE_${op^^}" 1
done
tolerated "$name" flip-bit 0
name=$("$ASSAY" list 'element_wise_logical_not.examples.*' | head -1)
tolerated "$name" flip-bit 1
is "$(grep -c ranges "$TMPDIR/case.c")" 0 'a C file has no ranges where only the expected bits are right'

# A device that needs the specs and finds none says so, and accepts no operator.
mkdir -p "$TMPDIR/alone/in/a/folder"
cp "$TMPDIR/programs/case" "$TMPDIR/alone/in/a/folder"
ASAN_OPTIONS=detect_leaks=0 "$TMPDIR/alone/in/a/folder/case" "$devices/mutants.so" >"$TMPDIR/out"
is "$?" 1 'a device without its specs fails'
like "$(cat "$TMPDIR/out")" "create_operator returned .*the folder 'specs' is neither" 'the message names the folder'

# Cases of other kinds pass as files of cases and in verify.
kinds=0 good=0
for pattern in gather.values.special-1 gather_elements.values.denormal-1 gather.indices.far-50 \
    scatter_nd.indices.above-50 \
    scatter_nd.repeats scatter_elements.indices.duplicates gather_nd.strides.padded-OutputTensor \
    gather_nd1.strides.broadcast \
    gather.memory.slack-1 nonzero_coordinates.zeros nonzero_coordinates.values.denormal-1 gather.memory.owned \
    gather.violations.axis-range gather.violations.output-overlap scatter_nd.violations.same-type; do
    for name in $("$ASSAY" list "$pattern*" | awk 'NR % 20 == 1' | head -2); do
        kinds=$((kinds + 1))
        rm -rf "$TMPDIR/folder"
        "$ASSAY" repro "$name" --export dxdispatch "$TMPDIR/folder" && cp "$TMPDIR/folder/case.json" \
            "$TMPDIR/$kinds.json" &&
            others+=(--cases "$TMPDIR/$kinds.json") && runs "$TMPDIR/folder" reference
        # Dispatch fails if the operator is rejected; that is recorded as well.
        if "$ASSAY" verify "$TMPDIR/folder" >"$TMPDIR/out"; then
            good=$((good + 1))
        else
            echo "# $name: $(head -3 "$TMPDIR/out" | tr '\n' ' ')"
        fi
    done
done
like "$kinds" '^[2-9][0-9]$' "$kinds cases of other kinds"
is "$good" "$kinds" 'all of them pass in verify'
"$ASSAY" run "${others[@]}" -d reference >"$TMPDIR/out"
like "$? $(grep -o "$kinds pass" "$TMPDIR/out")" "^0 $kinds pass\$" '  and as files of cases'

# Outputs that the documents leave open, and bytes that were never written.
name=$("$ASSAY" list 'gather.indices.above-4096.fl3_0.int8-uint32.*' | head -1) # its first element is settled
rm -rf "$TMPDIR/folder"
"$ASSAY" repro "$name" --export dxdispatch "$TMPDIR/folder"
runs "$TMPDIR/folder" "mutants:$wrong"
"$ASSAY" verify "$TMPDIR/folder" >"$TMPDIR/out"
is $? 1 'if part of the outputs is left open, verify judges the rest'
fails 2 'the documents leave its outputs open' repro "$name" --export c
name=gather.examples.vector.fl3_0.float32-uint32.d1a0i1
folder=$TMPDIR/$name
cp "$folder/OutputTensor.before.npy" "$folder/OutputTensor.npy"
"$ASSAY" verify "$folder" >"$TMPDIR/out"
like "$? $(cat "$TMPDIR/out")" '3 of 3 elements of OutputTensor were never written' \
    'elements that were not written are found'
like "$(cat "$folder/model.json")" '"type": "DML_OPERATOR_GATHER"' 'the model has the documented name of the operator'
renamed=$("$ASSAY" list 'scatter_elements.examples.*' | head -1)
like "$(cat "$TMPDIR/$renamed/model.json")" '"DML_OPERATOR_SCATTER"' \
    '  or for a renamed one the old name, which DxDispatch knows'

# verify has the output formats and the database of a run.
cp "$folder/OutputTensor.expected.npy" "$folder/OutputTensor.npy"
is "$("$ASSAY" verify "$folder" --db "$TMPDIR/db" -q | tail -1 | grep -o '1 pass')" '1 pass' 'verify accepts --db'
is "$(sqlite3 "$TMPDIR/db" 'select case_name, status from results')" "$name|pass" '  and stores the result'
like "$("$ASSAY" verify "$folder" --format tap)" "^ok 1 - $name" '  and prints TAP'
printf "Running on 'A card'\r\n" >"$folder/dxdispatch.txt"
fails 3 'dxdispatch.txt: does not report that OutputTensor was written; expected the output of the run' verify "$folder"
printf "Resource 'OutputTensor' written to 'OutputTensor.npy'\r\n" >>"$folder/dxdispatch.txt"
like "$("$ASSAY" verify "$folder")" '^recorded:.*: A card, recorded by DxDispatch' \
    'verify prints the adapter that DxDispatch ran on'

"$ASSAY" verify "$folder" --level 2_1 >"$TMPDIR/out"
like "$? $(tail -1 "$TMPDIR/out")" '^6 .*1 skip' 'a case beyond the feature level of --level is skipped'
fails 2 "expected a feature level, such as 5_0, not '9'" verify "$folder" --level 9
fails 6 'unknown feature level; expected level=5_0,FOLDER' run -d "recorded:level=9,$folder" gather.examples

# A rejection in the log of DxDispatch.
name=$("$ASSAY" list 'gather.violations.axis-range.*' | grep rejected | head -1)
rejected=$TMPDIR/rejected
"$ASSAY" repro "$name" --export dxdispatch "$rejected"
fails 3 'dxdispatch.txt: no such file; expected the output of DxDispatch' verify "$rejected"
echo 'Failed to parse the model' >"$rejected/dxdispatch.txt"
fails 3 'dxdispatch.txt: reports neither acceptance nor an error' verify "$rejected"
log() { # LINE: writes the log as a Windows shell does, in UTF-16
    printf '\377\376' >"$rejected/dxdispatch.txt"
    printf '%s\r\n' "$1" | sed 's/./&\x00/g; s/$/\x00/' >>"$rejected/dxdispatch.txt"
}
log "Failed to execute the model: ERROR creating dispatchable 'gather': Exception(1) tid(2a4) 80070057 The parameter is incorrect."
"$ASSAY" verify "$rejected" >"$TMPDIR/out"
like "$? $(tail -1 "$TMPDIR/out")" '^0 .*1 pass' 'E_INVALIDARG passes'
log "Failed to execute the model: ERROR creating dispatchable 'gather': Exception(1) tid(2a4) 8007000E Out of memory."
"$ASSAY" verify "$rejected" >"$TMPDIR/out"
like "$? $(grep message "$TMPDIR/out")" '^0 .*not with E_INVALIDARG.*8007000E Out of memory' \
    'another error is a warning'
echo "Resource 'accepted': 1" >"$rejected/dxdispatch.txt"
"$ASSAY" verify "$rejected" >"$TMPDIR/out"
like "$? $(grep message "$TMPDIR/out")" '^1 .*accepted, although' 'acceptance fails'

# Errors are one line each.
fails 2 'expected json, c or dxdispatch' repro "$name" --export xml
fails 2 'takes the name of a new folder' repro "$name" --export dxdispatch
fails 2 'expected a new or empty folder' repro "$name" --export dxdispatch "$rejected"
fails 3 'No such file' repro "$name" --export json /nowhere/x.json
fails 3 'No such file' repro "$name" --export c /nowhere/x.c
fails 3 'No such file' repro "$name" --export dxdispatch /nowhere/x
fails 4 'no case is named' repro gather.nothing --export json
fails 2 'cannot express a null pointer in place of a tensor that is not optional' repro \
    "$("$ASSAY" list 'gather.violations.tensor-present.*' | head -1)" \
    --export dxdispatch "$TMPDIR/null"
fails 2 'MiB, more than' repro "$("$ASSAY" list --tier large gather | head -1)" --export json
fails 2 'verify takes one folder' verify
mkdir "$TMPDIR/empty"
fails 3 'case.json: No such file' verify "$TMPDIR/empty"
echo x >"$folder/OutputTensor.npy"
fails 3 "OutputTensor.npy: expected a file of NumPy's format" verify "$folder"
cp "$folder/IndicesTensor.npy" "$folder/OutputTensor.npy"
fails 3 'expected elements of type FLOAT32, found UINT32' verify "$folder"
cp "$folder/InputTensor.npy" "$folder/OutputTensor.npy"
fails 3 'expected 12 bytes of elements, found 16' verify "$folder"
rm "$folder/OutputTensor.npy"
fails 3 'OutputTensor.npy: No such file' verify "$folder"
fails 6 'another|No such file' run -d "recorded:$folder" gather.examples
cp "$folder/OutputTensor.expected.npy" "$folder/OutputTensor.npy"
"$ASSAY" run -d "recorded:$folder" gather.examples >"$TMPDIR/out"
like "$(cat "$TMPDIR/out")" 'the recording is of another description' 'a recording supports only its own case'
tap_done
