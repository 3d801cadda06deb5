#!/bin/bash
# Cases from a file: planned, run, stored and shown like any other. An error in the file is reported in one line.
. tools/tap.sh
[ -n "$TMPDIR" ] || exit 1
file=$TMPDIR/foreign.json

desc='"desc": {"InputTensor": {"DataType": "FLOAT32", "Sizes": [4]}, "IndicesTensor": {"DataType": "INT32", "Sizes": [3]},
    "OutputTensor": {"DataType": "FLOAT32", "Sizes": [3]}, "Axis": 0, "IndexDimensions": 1}'
inputs='"inputs": {"InputTensor": [1, 2, 3, 4], "IndicesTensor": [3, 0, -3]}'

# entry NAME [MEMBERS]: prints one case. write ENTRY…: writes the file.
entry() { printf '{"name": "%s", "type": "GATHER", %s%s}' "$1" "$desc" "${2:+, $2}"; }
write() {
    local text=$1
    shift
    for one in "$@"; do text="$text, $one"; done
    printf '{"cases": [%s]}\n' "$text" >"$file"
}

write "$(entry suite.right "$inputs, \"outputs\": {\"OutputTensor\": [4, 1, 2]}")" \
    "$(entry suite.reference "$inputs")" "$(entry suite.filled)" \
    "$(entry suite.level '"level": "5_0"')" "$(entry suite.again '"again": true')" \
    "$(entry other.counting '"fill": "counting", "indices": "negative"')"
"$ASSAY" run --cases "$file" -d reference --db "$TMPDIR/db" >"$TMPDIR/out"
is $? 0 'cases of a file run'
like "$(cat "$TMPDIR/out")" '^reference: 6 cases .* 6 pass' 'and pass'
is "$(sqlite3 "$TMPDIR/db" 'select count(*) from results where status = "pass"')" 6 'each is a row'
is "$("$ASSAY" list --cases "$file" 'suite.*' | tr '\n' ' ')" \
    'suite.right suite.reference suite.filled suite.level suite.again ' 'they are listed, in order, and filtered'
is "$("$ASSAY" list --cases "$file" --count 'other')" 1 'also by the first parts of a name'
like "$("$ASSAY" show --cases "$file" suite.right)" 'OutputTensor +4, 1, 2' 'they are shown'
like "$("$ASSAY" show --cases "$file" suite.level)" 'feature level 4_1' \
    'a level without a table means the newest table below it'
like "$("$ASSAY" show --cases "$file" suite.right)" 'tables of feature level 3_0' \
    'the default is the lowest level at which it is legal'
is "$("$ASSAY" list --cases "$file" --operator SCATTER_ND --count 2>&1 | grep -c 'no case has these')" 1 \
    'operators are filtered'
"$ASSAY" run --cases "$file" -d mutants:fault=flip-bit suite.right >"$TMPDIR/out"
like "$? $(grep wrong "$TMPDIR/out" | tail -1)" '^1 .*OutputTensor \{0\}: got 4.0*[1-9]' 'a wrong device fails them'
line=$(sed -n 's/^  reproduce  [^ ]* //p' "$TMPDIR/out")
eval "\"\$ASSAY\" $line" >"$TMPDIR/out"
like "$? $(grep -m1 ^fail "$TMPDIR/out")" '^1 fail ' 'the printed line reproduces the failure'

# Outputs in the file are held against the reference device.
write "$(entry a "$inputs, \"outputs\": {\"OutputTensor\": [4, 1, 3]}")"
"$ASSAY" run --cases "$file" -d reference >"$TMPDIR/out"
like "$? $(grep message "$TMPDIR/out" | tail -1)" \
    '^3 .*the file contradicts the reference: .*\{2\}, given as 3 .* computes 2' \
    'given outputs that contradict the reference are a harness error'

# Given indices that the documents leave open are recognised.
write "$(entry a "${inputs/-3/9}")"
like "$("$ASSAY" show --cases "$file" a)" '^tests: out-of-range' 'indices out of range'
write "$(entry a "${inputs/-3/9}")" "$(entry b "$inputs")"
like "$("$ASSAY" show --cases "$file" b | grep -c '^tests')" 0 'indices in range leave nothing open'

# Rejections: the broken rule is found, or the given one is checked.
write "$(entry a '"expect": "rejected"' | sed 's/"Axis": 0/"Axis": 1/')"
"$ASSAY" run --cases "$file" -d reference -v >"$TMPDIR/out"
is "$? $(grep -c '^pass a' "$TMPDIR/out")" '0 1' 'a rejection passes'
like "$("$ASSAY" show --cases "$file" a)" '^tests: axis-range' 'the broken rule is found'

# A folder with strategies and case files; a single strategy.
mkdir "$TMPDIR/folder"
cp cases/examples.lua "$file" "$TMPDIR/folder"
is "$("$ASSAY" list --cases "$TMPDIR/folder" --count)" $(($("$ASSAY" list --count '*.examples.*') + 1)) \
    'a folder may hold both'
is "$("$ASSAY" list --cases cases/examples.lua --count)" "$("$ASSAY" list --count '*.examples.*')" \
    'a single strategy file may be named'
mv "$TMPDIR/folder/foreign.json" "$TMPDIR/folder/zz.json"
cp cases/large.lua "$TMPDIR/folder"
large=$("$ASSAY" list gather --tier large --count)
is "$("$ASSAY" list gather --cases "$TMPDIR/folder" --tier large --count)" "$large" \
    'cases of a file have no tier'
is "$("$ASSAY" list gather a --cases "$TMPDIR/folder" --tier all --count)" \
    $(($("$ASSAY" list --count 'gather.examples.*') + large + 1)) \
    'but are among those of all tiers'

# Numbers as other programs write them.
write "$(entry a "${inputs/\[1, 2,/[1e30, 1000000000000000000000000000000,}, \"outputs\": {\"OutputTensor\": [4, 1e30, 1e30]}" |
    sed 's/"Axis": 0/"Axis": 0.0/')"
like "$("$ASSAY" run --cases "$file" -d reference)" ' 1 pass' 'large integers, exponents and fractions are read'

# Errors in the file.
refused() { # PATTERN ENTRY…
    local pattern=$1
    shift
    write "$@"
    fails 3 "foreign.json: .*$pattern" run --cases "$file" -d reference
}
refused 'cases\[0\].name: expected a text, found nothing' '{"type": "GATHER"}'
refused "cases\[0\].name: case name 'a b': expected 1 to 200" "$(entry 'a b')"
refused "cases\[1\]: two cases are named 'a'" "$(entry a)" "$(entry a)"
refused "cases\[0\]: no member is named 'input'; did you mean inputs" "$(entry a '"input": {}')"
refused "cases\[0\].inputs: no member is named 'Input'" "$(entry a '"inputs": {"Input": [1]}')"
refused 'cases\[0\].inputs.InputTensor: expected 4 elements, found 2' "$(entry a '"inputs": {"InputTensor": [1, 2]}')"
refused 'cases\[0\].outputs.OutputTensor: expected 3 elements, found 4' \
    "$(entry a '"outputs": {"OutputTensor": [1, 2, 3, 4]}')"
refused 'cases\[0\].inputs.InputTensor.sourcePath: .*x.npy: No such' \
    "$(entry a '"inputs": {"InputTensor": {"sourcePath": "x.npy"}}')"
refused "inputs.InputTensor\[0\]: '0x1234567890': expected at most 8" \
    "$(entry a '"inputs": {"InputTensor": ["0x1234567890", 0, 0, 0]}')"
refused "cases\[0\].expect: 'result' is not known; did you mean results" "$(entry a '"expect": "result"')"
refused "cases\[0\].fill: 'odd' is not known" "$(entry a '"fill": "odd"')"
refused 'cases\[0\].again: expected true or false' "$(entry a '"again": 1')"
refused "cases\[0\].rule: GATHER has no rule 'axis'" "$(entry a '"rule": "axis"')"
refused "cases\[0\].level: expected a feature level such as \"3_0\", found '9_9'" "$(entry a '"level": "9_9"')"
refused 'cases\[0\]: the description is not legal: Axis must be below .*rule axis-range' \
    "$(entry a | sed 's/"Axis": 0/"Axis": 1/')"
refused 'cases\[0\]: the description is not legal: .*rule data-types' "$(entry a '"level": "1_0"')"
refused 'cases\[0\]: expected a description that breaks a rule' "$(entry a '"expect": "rejected"')"
refused "cases\[0\]: the description breaks the rule 'axis-range', not 'same-dims'" \
    "$(entry a '"expect": "rejected", "rule": "same-dims"' | sed 's/"Axis": 0/"Axis": 1/')"
refused 'cases\[0\]: expected an object, found an integer' 1
echo '{"cases": {}}' >"$file"
fails 3 'foreign.json: cases: expected an array, found an object' run --cases "$file" -d reference
echo '{"case": []}' >"$file"
fails 3 "foreign.json: no member is named 'case'; did you mean cases" run --cases "$file" -d reference
echo '{"cases": [' >"$file"
fails 3 'foreign.json:[0-9]+:[0-9]+: ' run --cases "$file" -d reference
echo '{"cases": []}' >"$file"
fails 4 'foreign.json has no cases' run --cases "$file" -d reference
fails 2 'expected a folder, or a file NAME.lua or NAME.json' run --cases tools/deps -d reference
fails 2 "'/nowhere': No such file or directory" run --cases /nowhere -d reference
tap_done
