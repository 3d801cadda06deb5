#!/bin/bash
# What a case file claims: its outputs are held against the reference device and the documents, its numbers keep every
# bit, its files stay beside it, and everything that is wrong with it is reported in one run.
. tools/tap.sh
all=$ASSAY
few_operators
[ -n "$TMPDIR" ] || exit 1
file=$TMPDIR/suite.json

# tensor TYPE SIZES; gather N INDEX_TYPE INDICES [MEMBERS]: a case that gathers from {10, 11, 12, 13}.
tensor() { printf '{"DataType": "%s", "Sizes": [%s]}' "$1" "$2"; }
gather() {
    printf '{"name": "%s", "type": "GATHER", "desc": {"InputTensor": %s, "IndicesTensor": %s, "OutputTensor": %s,
        "Axis": 0, "IndexDimensions": 1}%s, "inputs": {"InputTensor": [10, 11, 12, 13], "IndicesTensor": %s}}' \
        "$1" "$(tensor FLOAT32 4)" "$(tensor "$2" 3)" "$(tensor FLOAT32 3)" "${4:+, $4}" "$3"
}
# scatter NAME INDICES [MEMBERS]: updates {5, 6, 7} go to INDICES of {1, 2, 3, 4}.
scatter() {
    printf '{"name": "%s", "type": "SCATTER_ELEMENTS", "desc": {"InputTensor": %s, "IndicesTensor": %s,
        "UpdatesTensor": %s, "OutputTensor": %s, "Axis": 0}%s, "inputs": {"InputTensor": [1, 2, 3, 4],
        "IndicesTensor": %s, "UpdatesTensor": [5, 6, 7]}}' "$1" "$(tensor FLOAT32 4)" "$(tensor INT32 3)" \
        "$(tensor FLOAT32 3)" "$(tensor FLOAT32 4)" "${3:+, $3}" "$2"
}
# nonzero NAME INPUT [OUTPUTS]: the coordinates of a 2 by 3 input.
nonzero() {
    local given=''
    [ -n "${3:-}" ] && given=", \"outputs\": {$3}"
    printf '{"name": "%s", "type": "NONZERO_COORDINATES", "desc": {"InputTensor": %s, "OutputCountTensor": %s,
        "OutputCoordinatesTensor": %s}, "inputs": {"InputTensor": %s}%s}' "$1" "$(tensor FLOAT32 2,3)" \
        "$(tensor UINT32 1,1)" "$(tensor UINT32 6,2)" "$2" "$given"
}
outputs() { printf '"outputs": {"OutputTensor": %s}' "$1"; }
write() {
    local text=$1
    shift
    for one in "$@"; do text="$text, $one"; done
    printf '{"cases": [%s]}\n' "$text" >"$file"
}
# runs STATUS PATTERN NAME [DEVICE]: the exit status of a run, and what it prints.
runs() {
    local text got
    # shellcheck disable=SC2086 # a device, and options
    text=$("$ASSAY" run --cases "$file" -d ${4:-reference} -v 2>&1)
    got=$?
    like "$got $text" "^$1 " "$3: exit status $1"
    like "$(tr '\n' ' ' <<<"$text")" "$2" "$3"
}
refused() { # PATTERN ENTRY…
    local pattern=$1
    shift
    write "$@"
    fails 3 "suite.json: .*$pattern" run --cases "$file" -d reference
}

# ---- given outputs, where the documents leave something open
write "$(gather good INT32 '[0, 1, 9]' "$(outputs '[10, 11, 77]')")"
runs 0 'pass good' 'an element of an index out of range is open'
write "$(gather bad INT32 '[0, 1, 9]' "$(outputs '[77, 78, 79]')")"
runs 3 'harness_error bad .*the file contradicts the reference: 2 elements of OutputTensor; the first is \{0\}, given as 77 ' \
    'the others are settled'
write "$(gather bad INT32 '[0, 1, 9]' "\"rule\": \"out-of-range\", $(outputs '[10, 78, 79]')")"
runs 3 'contradicts the reference: 1 element of OutputTensor; the first is \{1\}' 'also where the file names the rule'
write "$(gather named INT32 '[0, 1, 9]' "\"rule\": \"out-of-range\", $(outputs '[10, 11, 0]')")"
runs 0 'pass named' 'which leaves open what the rule does'
refused "the documents leave these contents open by the rule 'out-of-range': .* found 'gathers'" \
    "$(gather named INT32 '[0, 1, 9]' '"rule": "gathers"')"
write "$(scatter first '[2, 2, 0]' "$(outputs '[7, 2, 5, 4]')")" \
    "$(scatter last '[2, 2, 0]' "$(outputs '[7, 2, 6, 4]')")"
runs 0 'pass first .*pass last' 'either update of a target may be given'
write "$(scatter bad '[2, 2, 0]' "$(outputs '[7, 2, 8, 4]')")"
runs 3 'duplicates: the outputs given are none that a device may have; the first to differ is OutputTensor \{2\}, given as 8 ' \
    'but nothing else'
write "$(scatter bad '[2, 2, 0]' "$(outputs '[7, 9, 6, 4]')")"
runs 3 'contradicts the reference: 1 element of OutputTensor; the first is \{1\}, given as 9 ' 'nor elsewhere'

# ---- rows below the count
row='"OutputCountTensor": [3], "OutputCoordinatesTensor"'
write "$(nonzero all '[1, 0, 2, 0, 3, 0]' "$row: [0, 0, 0, 2, 1, 1]")"
runs 0 'pass all' 'all rows below the count'
runs 1 'fail all .*OutputCoordinatesTensor' 'are held' mutants:fault=coordinates-flat
write "$(nonzero more '[1, 0, 2, 0, 3, 0]' "$row: [0, 0, 0, 2, 1, 1, 9, 9]")"
runs 0 'pass more' 'rows past the count are undefined'
write "$(nonzero rows '[1, 0, 2, 0, 3, 0]' '"OutputCoordinatesTensor": [0, 0, 0, 2]')"
runs 3 'OutputCoordinatesTensor has 6 defined elements, and 4 are given' \
    'without a count, that of the reference is held'
write "$(nonzero bad '[1, 0, 2, 0, 3, 0]' "$row: [0, 0, 0, 2, 1, 0]")"
runs 3 'contradicts the reference: 1 element of OutputCoordinatesTensor; the first is \{2,1\}, given as 0 ' \
    'a wrong row'
write "$(nonzero bad '[1, 0, 2, 0, 3, 0]' '"OutputCountTensor": [2]')"
runs 3 'contradicts the reference: 1 element of OutputCountTensor; the first is \{0,0\}, given as 2 ' 'a wrong count'
refused 'OutputCoordinatesTensor: expected 3 rows, as OutputCountTensor says, found 2' \
    "$(nonzero a '[1, 0, 2, 0, 3, 0]' "$row: [0, 0, 0, 2]")"
refused 'OutputCoordinatesTensor: expected whole rows of 2 elements, found 5' \
    "$(nonzero a '[1, 0, 2, 0, 3, 0]' "$row: [0, 0, 0, 2, 1]")"
refused 'OutputCoordinatesTensor: expected 3 rows, as OutputCountTensor says, found 0' \
    "$(nonzero a '[1, 0, 2, 0, 3, 0]' "$row: []")"
refused 'no rows are given, and no count: expected OutputCountTensor' \
    "$(nonzero a '[1, 0, 2, 0, 3, 0]' '"OutputCoordinatesTensor": []')"
write "$(nonzero none '{"value": 0, "valueCount": 6}' '"OutputCountTensor": [0], "OutputCoordinatesTensor": []')"
runs 0 'pass none' 'no rows, of a count of 0'

# ---- a denormal that may be flushed
write "$(nonzero kept '["0x00000001", 0, 2, 0, 3, 0]' "$row: [0, 0, 0, 2, 1, 1]")" \
    "$(nonzero flushed '["0x00000001", 0, 2, 0, 3, 0]' \
    '"OutputCountTensor": [2], "OutputCoordinatesTensor": [0, 2, 1, 1]')" \
    "$(nonzero ours '["0x00000001", 0, 2, 0, 3, 0]')"
runs 0 'pass kept .*pass flushed .*pass ours' 'a denormal counts or does not, whichever the file says'
runs 0 'pass kept .*pass flushed .*pass ours' 'whichever the device does' mutants:fault=denormals-missed
write "$(nonzero bad '["0x00000001", 0, 2, 0, 3, 0]' '"OutputCountTensor": [1], "OutputCoordinatesTensor": [1, 1]')"
runs 3 'denormals: the outputs given are none that a device may have; .*OutputCountTensor' 'but nothing else'

# ---- a file that contradicts the reference
write "$(gather bad INT32 '[3, 0, -3]' "$(outputs '[13, 10, 13]')")" \
    "$(gather good INT32 '[3, 0, -3]' "$(outputs '[13, 10, 11]')")"
runs 3 'harness_error bad .*the file contradicts the reference: 1 element of OutputTensor; the first is \{2\}, given as 13 .*; the reference computes 11 .*pass good' \
    'a file that contradicts the reference'
runs 3 'harness_error bad .*contradicts' 'whatever the device does' mutants
"$ASSAY" run --cases "$file" -d reference --db "$TMPDIR/db" >"$TMPDIR/out" 2>&1
is "$(sqlite3 "$TMPDIR/db" "select status, cause from results where name = 'bad'" 2>/dev/null ||
    sqlite3 "$TMPDIR/db" "select status, cause from results where case_name = 'bad'")" 'harness_error|case file' \
        'its cause'
runs 1 'harness_error bad .*fail good' 'a device that fails as well fails the run' mutants:fault=flip-bit
write "$(gather nan INT32 '[3, 0, -3]' "$(outputs '[13, 10, "nan"]')" | sed \
    's/10, 11, 12, 13/10, "0x7fc00001", 12, 13/')"
runs 0 'pass nan' 'a NaN that is given stands for any NaN'

# ---- a tolerance of the case or the file, instead of the bounds of the documents
# tanh NAME OUTPUTS [MEMBERS]: of 0.5, 1 and 2, which is 0.46211716, 0.76159416, 0.96402758
tanh() {
    printf '{"name": "%s", "type": "ACTIVATION_TANH", "desc": {"InputTensor": %s, "OutputTensor": %s},
        "inputs": {"InputTensor": [0.5, 1, 2]}, "outputs": {"OutputTensor": [%s]}%s}' \
        "$1" "$(tensor FLOAT32 3)" "$(tensor FLOAT32 3)" "$2" "${3:+, $3}"
}
few_assay=$ASSAY ASSAY=$all
write "$(tanh right '0.46211716, 0.76159416, 0.96402758')" "$(tanh printed '0.4621, 0.7616, 0.964')" \
    "$(tanh wrong '0.5, 0.7616, 0.964')"
runs 3 'pass right .*warn printed .*the file gives 3 elements of OutputTensor beyond the soft bound; the largest error is 576 ULP, 0\.02.* of the must bound .*harness_error wrong .*; the reference computes 0\.462117165 \(0x3eec9a9f\); the largest error is .* ULP, [0-9.]+ of the bound' \
    'without a tolerance, the bounds of the documents hold the file'
"$ASSAY" run --cases "$file" -d reference --db "$TMPDIR/printed.db" >/dev/null 2>&1
is "$(sqlite3 "$TMPDIR/printed.db" "select group_concat(status || ' ' || cause) from results where cause <> ''")" \
    'warn case file,harness_error case file' 'whose cause is the file, not the device'
write "$(tanh printed '0.4621, 0.7616, 0.964' '"tolerance": {"abs": 1e-4}')" \
    "$(tanh tight '0.4621, 0.7616, 0.964' '"tolerance": {"rel": 1e-6, "ulp": 2}')"
runs 3 'pass printed .*harness_error tight .*expected   the outputs in the case file, within its tolerance .*3 elements of OutputTensor; .*; the largest error is 576 ULP, 37.* of the tolerance' \
    'with a tolerance, it alone holds the file'
like "$("$ASSAY" repro tight --cases "$file" -d reference 2>&1)" \
    '^  OutputTensor +reference  0\.462117165, .*
 +given      0\.462099999, .*
 +ULP        576, ' 'repro shows the outputs of both'
write "$(tanh exact '0.46211716, 0.76159416, 0.96402758' '"tolerance": {"ulp": 0}')" \
    "$(tanh near '0.46211716, 0.76159416, 0.96402758' '"tolerance": {"ulp": 1}')"
runs 1 'fail exact .*within its tolerance .*1 of 3 elements of OutputTensor are wrong; the largest error is 1 ULP +wrong .*pass near' \
    'devices are held to the file by the tolerance' mutants:fault=flip-bit
{ printf '{"tolerance": {"abs": 1e-4}, "cases": ['; tanh file '0.4621, 0.7616, 0.964'; printf ', '
    tanh own '0.4621, 0.7616, 0.964' '"tolerance": {"abs": 1e-6}'; printf ']}'; } >"$file"
runs 3 'pass file .*harness_error own .*of the tolerance' 'the tolerance of a file is for the cases without their own'
"$ASSAY" repro file --cases "$file" --export json "$TMPDIR/tolerant.json" >/dev/null 2>&1
is "$(jq -c '.cases[0].tolerance' "$TMPDIR/tolerant.json")" '{"abs":0.0001,"rel":0,"ulp":0}' 'an export keeps it'
fails 2 'file: the case file gives a tolerance, which a C file does not express; export it as json' \
    repro file --cases "$file" --export c
for member in '{"abs": -1}|.abs: expected a number that is not negative' '{"ulps": 1}|.*ulps' \
    '{}|: expected at least one of abs, rel and ulp' '{"rel": "a"}|.rel: expected a number' '7|: expected an object'; do
    refused "cases\[0\].tolerance${member#*|}" "$(tanh bad '0, 0, 0' "\"tolerance\": ${member%%|*}")"
done
refused 'cases\[0\].tolerance: a tolerance is given, but no outputs' \
    "$(tanh none '' '"tolerance": {"abs": 1}' | sed 's/"outputs": {[^}]*}, //')"
ASSAY=$few_assay
write "$(gather near INT32 '[3, 0, 1]' "\"tolerance\": {\"rel\": 0.1}, $(outputs '[13, 10.5, 11]')")"
runs 0 'pass near' 'also of an operator that copies'
runs 1 'fail near' 'whose outputs are held, too' mutants:fault=zero-output

# ---- a soft rule whose call fails
write "$(scatter outside '[0, 1, 2147483647]')" "$(scatter twice '[2, 2, 0]')"
runs 0 'pass outside .*warn twice .*dispatch returned E_FAIL' \
    'a dispatch that fails for what a soft rule is about is accepted, or a warning' mutants:fault=fail-dispatch
write "$(gather outside INT32 '[0, 1, 9]')"
runs 1 'fail outside .*dispatch returned E_FAIL' 'a rule that is not soft makes it a failure' \
    mutants:fault=fail-dispatch
write "$(gather nan INT32 '[0, 1, 2]' '"rule": "nan-payloads"')"
runs 1 'fail nan .*dispatch returned E_FAIL' 'and so does a soft rule about the payloads of NaNs' \
    mutants:fault=fail-dispatch

# ---- outputs that could not be held
given=$(outputs '[13, 10, 11]')
refused "cases\[0\].outputs: outputs are given, but the input IndicesTensor is not" \
    "$(gather a INT32 '[]' "$given" | sed 's/, "IndicesTensor": \[\]//')"
refused "cases\[0\].outputs: outputs are given, but 'expect' is accepted" \
    "$(gather a INT32 '[3, 0, 1]' "\"expect\": \"accepted\", $given")"
refused "cases\[0\].outputs: outputs are given, but 'expect' is either" \
    "$(gather a INT32 '[3, 0, 1]' "\"expect\": \"either\", $given")"
refused "cases\[0\].outputs: outputs are given, but 'expect' is rejected" \
    "$(gather a INT32 '[3, 0, 1]' "\"expect\": \"rejected\", $given" | sed 's/"Axis": 0/"Axis": 1/')"

# ---- names
rule="expected 1 to 200 letters, digits, '_' and '-', in parts with one dot between them"
refused "cases\[0\].name: case name '': $rule" "$(gather '' INT32 '[3, 0, 1]')"
refused "cases\[0\].name: case name '.': $rule" "$(gather . INT32 '[3, 0, 1]')"
refused "cases\[0\].name: case name 'a.': $rule" "$(gather a. INT32 '[3, 0, 1]')"
refused "cases\[0\].name: case name '.a': $rule" "$(gather .a INT32 '[3, 0, 1]')"
refused "cases\[0\].name: case name 'a..b': $rule" "$(gather a..b INT32 '[3, 0, 1]')"
long=$(printf 'n%.0s' {1..200})
refused "cases\[0\].name: case name 'n{60}' …: $rule" "$(gather "${long}n" INT32 '[3, 0, 1]')"
write "$(gather "$long" INT32 '[3, 0, 1]')"
runs 0 "pass $long" 'a name of 200 bytes'

# ---- a description that breaks only a soft rule
soft() { # NAME OUTPUT [MEMBERS]: the leading size of the indices is not 1, against a soft rule
    printf '{"name": "%s", "type": "GATHER", "desc": {"InputTensor": %s, "IndicesTensor": %s, "OutputTensor": %s,
        "Axis": 1, "IndexDimensions": 1}%s, "inputs": {"InputTensor": [10, 11, 12, 13], "IndicesTensor": [3, 0, 1, 2]},
        "outputs": {"OutputTensor": %s}}' "$1" "$(tensor FLOAT32 1,4)" "$(tensor INT32 2,2)" "$(tensor FLOAT32 1,2)" \
        "${3:+, $3}" "$2"
}
# The reference device, but create_operator accepts a GATHER that it rejects, and its outputs are {13, 10}.
cat >"$TMPDIR/lax.c" <<'END'
#include "harness/test/wrapper.h"
#include <string.h>
static HRESULT create_operator(assay_device *device, const DML_OPERATOR_DESC *desc, assay_operator **out)
{
    (void)device, (void)desc;
    *out = malloc(1);
    return S_OK;
}
static void destroy_operator(assay_device *device, assay_operator *op) { (void)device, free(op); }
static HRESULT compile_operator(assay_device *device, assay_operator *op, DML_EXECUTION_FLAGS flags, assay_compiled **out)
{
    (void)device, (void)op, (void)flags;
    *out = malloc(1);
    return S_OK;
}
static void destroy_compiled(assay_device *device, assay_compiled *compiled) { (void)device, free(compiled); }
static HRESULT dispatch(assay_device *device, const assay_dispatch_item *items, uint32_t count, assay_dispatch_result *out)
{
    static const float result[] = {13, 10};
    (void)device;
    for (uint32_t i = 0; i < count; i++) {
        memcpy((char *)items[i].outputs[0].base + items[i].outputs[0].offset, result, sizeof result);
        out[i] = (assay_dispatch_result){.status = S_OK};
    }
    return S_OK;
}
static void wrapper_replace(assay_device_api *api)
{
    api->create_operator = create_operator;
    api->destroy_operator = destroy_operator;
    api->compile_operator = compile_operator;
    api->destroy_compiled = destroy_compiled;
    api->dispatch = dispatch;
}
END
INNER=$(realpath "$ASSAY_DEVICES/reference.so")
export INNER
${CC:-cc} -shared -fPIC -I. "$TMPDIR/lax.c" -o "$TMPDIR/lax.so" -ldl || echo '# lax.c could not be compiled'
write "$(soft soft '[13, 10]')"
runs 0 'pass soft' 'a device that rejects it passes'
runs 0 'warn soft .*accepted, although .*; the outputs are those given' 'one that accepts it deviates softly' \
    "$TMPDIR/lax.so"
write "$(soft soft '[13, 11]')"
runs 0 'warn soft .*1 of 2 elements of OutputTensor are wrong.*got 10' 'the given outputs are held' "$TMPDIR/lax.so"
runs 0 'pass soft' 'not those of the reference device, which rejects it'
write "$(soft soft '[13, 10]' '"rule": "indices-leading-ones"')"
runs 0 'pass soft' 'the rule may be named'
"$ASSAY" repro soft --cases "$file" -d reference --export json "$TMPDIR/again.json" >/dev/null 2>&1
like "$("$ASSAY" run --cases "$TMPDIR/again.json" -d "$TMPDIR/lax.so" -v 2>&1)" 'the outputs are those given' \
    'it is exported with its outputs'
refused "the description is not legal: .*rule axis-range" "$(soft soft '[13, 10]' | sed 's/"Axis": 1/"Axis": 2/')"

# ---- numbers keep every bit
# copies NAME TYPE ELEMENTS OUTPUTS [MORE]: gathers the four elements in order; the outputs must have the same bits.
copies() {
    write "$(printf '{"name": "%s", "type": "GATHER", "desc": {"InputTensor": %s, "IndicesTensor": %s, "OutputTensor": %s,
        "Axis": 0, "IndexDimensions": 1}, "inputs": {"InputTensor": %s, "IndicesTensor": [0, 1, 2, 3]},
        "outputs": {"OutputTensor": %s}}' numbers "$(tensor "$2" 4)" "$(tensor UINT32 4)" "$(tensor "$2" 4)" "$3" "$4")"
    runs 0 'pass numbers' "$1"
}
copies 'an integer -0 is -0.0' FLOAT32 '[-0, -0.0, 0, 0.0]' '["0x80000000", "0x80000000", "0x00000000", "0x00000000"]'
copies 'as FLOAT16' FLOAT16 '[-0, -0.0, 0, -0e5]' '["0x8000", "0x8000", "0x0000", "0x8000"]'
copies 'and 0 for integers' INT32 '[-0, 0, -0.0, -0]' '["0x00000000", "0x0", "0x0", "0x0"]'
copies 'integers beyond 53 bits' INT64 \
    '[9007199254740993, -9007199254740993, 9223372036854775807, -9223372036854775808]' \
    '["0x20000000000001", "0xffdfffffffffffff", "0x7fffffffffffffff", "0x8000000000000000"]'
copies 'integers beyond 63 bits' UINT64 \
    '[9223372036854775808, 18446744073709551615, 1.8446744073709551615e19, 9007199254740993.0]' \
    '["0x8000000000000000", "0xffffffffffffffff", "0xffffffffffffffff", "0x20000000000001"]'
copies 'FLOAT32 integers are rounded once' FLOAT32 '[9007199791611905, 16777217, 16777219, 36893488147419103231]' \
    '["0x5a000001", "0x4b800000", "0x4b800002", "0x60000000"]'
copies 'and so are fractions' FLOAT32 \
    '[1.00000005960464477539062500000001, 1.000000059604644775390625, -1.00000005960464477539062500000001, 1e-46]' \
    '["0x3f800001", "0x3f800000", "0xbf800001", 0]'
copies 'to FLOAT16, too' FLOAT16 \
    '[1.00048828125000000000000000000001, 1.00048828125, 65519.999999999999999999999999, 2.98023223876953126e-8]' \
    '["0x3c01", "0x3c00", "0x7bff", "0x0001"]'
copies 'FLOAT64' FLOAT64 '[0.1, 1e308, 4.9e-324, 9007199254740993]' \
    '["0x3fb999999999999a", "0x7fe1ccf385ebc8a0", "0x0000000000000001", "0x4340000000000000"]'
copies 'one large number leaves the others alone' INT64 '[9007199254740993, 1, 2, 3]' '[9007199254740993, 1, 2, 3]'
malformed() { # ENTRY
    write "$1"
    fails 3 'suite.json:[0-9]+:[0-9]+: ' run --cases "$file" -d reference
}
write "$(gather good INT32 '[0, 1, 2]' '"outputs": {"OutputTensor": [10, 11, 12]}' | sed \
    's/13\]/100000000000000000000]/')" \
    "$(gather other INT32 '[0, 1, 2]' '"outputs": {"OutputTensor": [10, 11, 12]}' | sed 's/"Axis": 0/"Axis": -0/')"
runs 0 'pass good .*pass other' 'nor in other cases'
number() { # TYPE NUMBER
    gather a INT32 '[0, 1, 2]' | sed "s/FLOAT32/$1/g; s/13\]/$2]/"
}
refused 'cases\[0\].inputs.InputTensor\[3\]: 1e300 is out of range for FLOAT32; "inf" is an infinity' \
    "$(number FLOAT32 1e300)"
refused 'InputTensor\[3\]: 340282356779733661637539395458142568448 is out of range for FLOAT32' \
    "$(number FLOAT32 340282356779733661637539395458142568448)"
refused 'InputTensor\[3\]: 1e5 is out of range for FLOAT16' "$(number FLOAT16 1e5)"
refused 'InputTensor\[3\]: 65520 is out of range for FLOAT16' "$(number FLOAT16 65520)"
refused 'InputTensor\[3\]: -1e999 is out of range for FLOAT64' "$(number FLOAT64 -1e999)"
refused 'InputTensor\[3\]: expected an integer from 0 to 18446744073709551615, found 18446744073709551616' \
    "$(number UINT64 18446744073709551616)"
refused 'InputTensor\[3\]: expected an integer from -9223372036854775808 to 9223372036854775807, found 9223372036854775808' "$(number INT64 9223372036854775808)"
refused 'InputTensor\[3\]: expected an integer from -9223372036854775808 to 9223372036854775807, found a fraction' \
    "$(number INT64 9007199254740992.5)"
refused 'InputTensor\[3\]: expected an integer from 0 to .*, found -1' "$(number UINT64 -1)"
refused 'Axis: expected an integer from 0 to 4294967295, found 18446744073709551616' \
    "$(gather a INT32 '[0, 1, 2]' | sed 's/"Axis": 0/"Axis": 18446744073709551616/')"
malformed "$(number FLOAT32 01.5)"
malformed "$(number FLOAT32 '1.5 2.5')"
malformed "$(number FLOAT32 '1.')"
refused 'InputTensor\[3\]: .1.5.: expected a number' "$(number FLOAT32 '"1.5"')"

# ---- how many elements there are
before=$(date +%s%N)
refused 'cases\[0\].inputs.InputTensor: expected 4 elements, found 1000000000' \
    "$(gather a INT32 '[0, 1, 2]' | sed 's/\[10, 11, 12, 13\]/{"value": 1, "valueCount": 1000000000}/')"
refused 'InputTensor: expected 4 elements, found 1000000000' \
    "$(gather a INT32 '[0, 1, 2]' | sed \
    's/\[10, 11, 12, 13\]/{"valueStart": 1, "valueDelta": 0, "valueCount": 1000000000}/')"
ok $((($(date +%s%N) - before) / 1000000 > 5000)) 'which is known before any memory is taken'

# ---- files
npy() { # SHAPE NUMBER…: a .npy of FLOAT32 on standard output
    local shape=$1 header
    shift
    header="{'descr': '<f4', 'fortran_order': False, 'shape': ($shape), }"
    printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "$header"
    floats "$@"
}
floats() { for one; do printf '%b' "\\x00\\x00\\x$(printf '%02x' $((one * 32 % 256)))\\x$(printf '%02x' \
    $((65 + one / 8)))"; done; }
named() { # FILE [SIZES]: gathers from the elements of a file: 8, 10, 12, 14
    gather a INT32 '[0, 1, 2]' | sed "s#\[10, 11, 12, 13\]#{\"sourcePath\": \"$1\"}#; s/\[4\]/[${2:-4}]/"
}
matrix() { # FILE: gathers columns 0 and 1 of a 2 by 3 input
    printf '{"name": "m", "type": "GATHER", "desc": {"InputTensor": %s, "IndicesTensor": %s, "OutputTensor": %s,
        "Axis": 1, "IndexDimensions": 1}, "inputs": {"InputTensor": {"sourcePath": "%s"}, "IndicesTensor": [0, 1]}}' \
        "$(tensor FLOAT32 2,3)" "$(tensor UINT32 1,2)" "$(tensor FLOAT32 2,2)" "$1"
}
mkdir "$TMPDIR/in" "$TMPDIR/out-of"
npy 2,3 0 1 2 3 4 5 >"$TMPDIR/2x3.npy"
npy 3,2 0 1 2 3 4 5 >"$TMPDIR/3x2.npy"
npy 6, 0 1 2 3 4 5 >"$TMPDIR/6.npy"
npy 2,2 0 1 2 3 >"$TMPDIR/2x2.npy"
npy 1,2,3 0 1 2 3 4 5 >"$TMPDIR/1x2x3.npy"
write "$(matrix 2x3.npy)"
runs 0 'pass m' 'a .npy with the sizes of the tensor'
write "$(matrix 6.npy)"
runs 0 'pass m' 'or with one dimension'
refused 'InputTensor.sourcePath: expected the sizes of the tensor, or one dimension; found \(3, 2\)' "$(matrix 3x2.npy)"
refused 'InputTensor.sourcePath: expected the sizes of the tensor, or one dimension; found \(1, 2, 3\)' \
    "$(matrix 1x2x3.npy)"
refused 'InputTensor.sourcePath: expected 6 elements, found 4' "$(matrix 2x2.npy)"
floats 0 1 2 3 >"$TMPDIR/16.raw"
{ cat "$TMPDIR/16.raw"; printf x; } >"$TMPDIR/17.raw"
{ cat "$TMPDIR/16.raw"; printf xyz; } >"$TMPDIR/19.raw"
head -c 12 "$TMPDIR/16.raw" >"$TMPDIR/12.raw"
truncate -s 9G "$TMPDIR/9g.raw"
write "$(named 16.raw)"
runs 0 'pass a' 'a raw file of the size of the tensor'
for size in 17 19 12; do refused "sourcePath: .*/$size.raw: expected 16 bytes, found $size" "$(named $size.raw)"; done
refused 'sourcePath: .*/9g.raw: expected 16 bytes, found 9663676416' "$(named 9g.raw)"
rm "$TMPDIR/9g.raw"

# ---- which files
cp "$TMPDIR/16.raw" "$TMPDIR/in/16.raw"
cp "$TMPDIR/16.raw" "$TMPDIR/out-of/16.raw"
ln -s ../out-of/16.raw "$TMPDIR/in/link.raw"
ln -s 16.raw "$TMPDIR/in/near.raw"
file=$TMPDIR/in/suite.json
for name in 16.raw near.raw ./16.raw ../in/16.raw; do
    write "$(named "$name")"
    runs 0 'pass a' "$name is in the folder of the file"
done
for name in ../out-of/16.raw link.raw "$TMPDIR/out-of/16.raw" "$TMPDIR/in/16.raw" /etc/hostname; do
    refused "sourcePath: $name: expected a file in the folder of the case file; --allow read=PATH permits others" \
        "$(named "$name")"
done
cp "$TMPDIR/16.raw" only-here.raw
refused 'sourcePath: .*only-here.raw: No such file' "$(named only-here.raw)"
rm only-here.raw
write "$(named ../out-of/16.raw)"
"$ASSAY" run --cases "$file" -d reference --allow read="$TMPDIR/out-of" >/dev/null 2>&1
is $? 0 'which it does'
is "$("$ASSAY" list --cases "$file" --allow read="$TMPDIR/out-of" 2>&1)" a 'also for list'
like "$("$ASSAY" show a --cases "$file" --allow read="$TMPDIR/out-of/16.raw" 2>&1)" '^operator' 'and show'
fails 3 'expected a file in the folder' run --cases "$file" -d reference --allow read="$TMPDIR/in"
fails 2 'allow read=PATH: "/nowhere"' run --cases "$file" -d reference --allow read=/nowhere
file=$TMPDIR/suite.json

# ---- all that is wrong, in one run
other=$TMPDIR/other.json
write "$(gather suite.good INT32 '[0, 1, 2]')" "$(gather suite.short INT32 '[0, 1]')" \
    "$(gather suite.word INT32 '[0, 1, 2]' '"expect": "result"')" "$(gather suite.good INT32 '[0, 1, 2]')" 7
text=$("$ASSAY" run --cases "$file" -d reference 2>&1 >/dev/null)
is $? 3 'a file with wrong cases does not run'
like "$text" "^assay: .*suite.json: cases\[1\].inputs.IndicesTensor: expected 3 elements, found 2 \(case 'suite.short'\)$" 'each is listed'
like "$text" "^assay: .*suite.json: cases\[2\].expect: 'result' is not known.* \(case 'suite.word'\)$" \
    'by index and name'
like "$text" "^assay: .*suite.json: cases\[3\]: two cases are named 'suite.good'.* \(case 'suite.good'\)$" \
    'also a name that is taken'
like "$text" '^assay: .*suite.json: cases\[4\]: expected an object, found an integer$' 'or that has none'
like "$text" '^assay: 4 cases of case files are wrong; --keep-going runs the others$' 'and how many there are'
is "$(wc -l <<<"$text")" 5 'each once'
"$ASSAY" run --cases "$file" -d reference --keep-going --db "$TMPDIR/going.db" --format human \
    --format tap="$TMPDIR/going.tap" --format junit="$TMPDIR/going.xml" --format json="$TMPDIR/going.json" \
    >"$TMPDIR/out" 2>"$TMPDIR/errors"
is $? 3 '--keep-going has the same exit status'
like "$(cat "$TMPDIR/out")" '^reference: 5 cases .* 1 pass, 4 harness_error' 'and runs the others'
like "$(cat "$TMPDIR/out")" '^verdict: failed, 4 of 5 cases' 'and counts the wrong ones'
is "$(wc -l <"$TMPDIR/errors")" 4 'and lists them'
is "$(sqlite3 "$TMPDIR/going.db" "select case_name || ' ' || operator || ' ' || cause from results where status = 'harness_error'")" \
    "suite.short GATHER case file
suite.word GATHER case file
suite.entry-3 GATHER case file
suite.entry-4  case file" 'each is a row of the database'
like "$(sqlite3 "$TMPDIR/going.db" "select message from results where case_name = 'suite.short'")" \
    'suite.json: cases\[1\].inputs.IndicesTensor: expected 3 elements, found 2$' 'with its place and error'
is "$(grep -c '^not ok' "$TMPDIR/going.tap") $(grep -c '<error type="harness_error"' "$TMPDIR/going.xml")" '4 4' \
    'of TAP and JUnit'
is "$(jq -r 'select(.status == "harness_error") | .cause' "$TMPDIR/going.json" | uniq -c | tr -s ' ')" ' 4 case file' \
    'and of JSON'
"$ASSAY" run --cases "$file" -d mutants:fault=flip-bit --keep-going >/dev/null 2>&1
is $? 1 'a device that fails counts more'
is "$("$ASSAY" list --cases "$file" --keep-going 2>/dev/null | tr '\n' ' ')" \
    'suite.good suite.short suite.word suite.entry-3 suite.entry-4 ' 'list --keep-going'
like "$("$ASSAY" repro suite.short --cases "$file" -d reference 2>&1)" \
    "suite.json: cases\[1\].inputs.IndicesTensor: .* found 2" 'and repro shows its error'
"$ASSAY" run suite.good --cases "$file" -d reference >/dev/null 2>&1
is $? 3 'a wrong case of a wanted name is an error'
write "$(gather suite.good INT32 '[0, 1, 2]')" "$(gather suite.short INT32 '[0, 1]')"
runs 3 "suite.json: cases\[1\].inputs.IndicesTensor: .* \(case 'suite.short'\)" 'one wrong case is the error itself'
text=$("$ASSAY" repro suite.good --cases "$file" -d reference 2>&1)
is $? 0 'one that is not wanted is not'
write "$(gather suite.short INT32 '[0, 1]')"
runs 3 'harness_error suite.short' 'all of them may be wrong' 'reference --keep-going'
write "$(gather suite.good INT32 '[0, 1, 2]')" "$(gather suite.new INT32 '[0, 1, 2]' | sed s/GATHER/DML_OPERATOR_NEWER/)" \
    "$(gather suite.newer INT32 '[0, 1]' | sed s/GATHER/NEWER/)"
runs 0 "cases\[1\].type: no operator is named 'NEWER' \(case 'suite.new'\); cases of this operator are skipped .*pass suite.good skip suite.new .*skip suite.newer .*NEWER +2 skip" \
    'cases of an operator that this version does not know are skipped'
is "$("$ASSAY" run --cases "$file" -d reference 2>&1 | grep -c 'cases of this operator')" 1 'which is said once'
is "$("$ASSAY" list --cases "$file" 2>/dev/null | tr '\n' ' ')" 'suite.good suite.new suite.newer ' 'they are listed'
is "$("$ASSAY" list --cases "$file" -o GATHER 2>/dev/null)" suite.good 'unless other operators are chosen'
text=$("$ASSAY" repro suite.new --cases "$file" -d reference 2>&1)
is "$? $text" "3 assay: $file: cases[1].type: no operator is named 'NEWER'" 'and cannot be shown'

# ---- open rules: a rejection is right, and so are the outputs of a device that accepts
top_k() { # NAME INDICES MORE
    local tensor='"DataType": "FLOAT32", "Sizes": [3]'
    echo "{\"name\": \"$1\", \"type\": \"TOP_K\", \"desc\": {\"InputTensor\": {$tensor},
        \"OutputValueTensor\": {$tensor}, \"OutputIndexTensor\": {\"DataType\": \"UINT32\", \"Sizes\": [3]},
        \"Axis\": 0, \"K\": 3}, \"inputs\": {\"InputTensor\": [1, 3, 2]},
        \"outputs\": {\"OutputValueTensor\": [3, 2, 1], \"OutputIndexTensor\": [$2]} $3}"
}
write "$(top_k whole '1, 2, 0')" "$(top_k either '1, 2, 0' ', "expect": "either"')"
like "$("$all" run --cases "$file" -d reference 2>&1)" '2 cases .* 2 pass' 'outputs of a description that breaks an open rule'
like "$("$all" run --cases "$file" -d mutants:fault=reject-all 2>&1)" '2 cases .* 2 pass' '  or its rejection'
like "$("$all" run --cases "$file" -d mutants:fault=last-lost 2>&1)" '2 cases .* 2 fail' '  but no other outputs'
write "$(top_k whole '0, 2, 1' ', "expect": "either"')"
"$all" run --cases "$file" -d reference >/dev/null 2>&1
is $? 3 '  which the reference device must not contradict'

# ---- several sources
write "$(gather one INT32 '[0, 1, 2]')"
cp "$file" "$other"
write "$(gather two INT32 '[0, 1, 2]')" "$(gather three INT32 '[0, 1, 9]')"
is "$("$ASSAY" list --cases "$other" --cases "$file" | tr '\n' ' ')" 'one two three ' 'several --cases add up, in order'
is "$("$ASSAY" list --cases "$file" --cases "$few/cases" --count)" "$(($("$ASSAY" list --count) + 2))" \
    'also to the strategies'
fails 3 "other.json: cases\[0\]: two cases are named 'one'" list --cases "$other" --cases "$other"
"$ASSAY" run --cases "$other" --cases "$file" -d mutants:fault=flip-bit >"$TMPDIR/out" 2>&1
line=$(sed -n 's/^  reproduce  [^ ]* //p' "$TMPDIR/out" | sed -n 2p)
eval "\"\$ASSAY\" $line" >"$TMPDIR/out" 2>&1
like "$? $(grep -m1 ^fail "$TMPDIR/out")" '^1 fail ' 'the printed line reproduces a failure'
like "$("$ASSAY" run --cases - --cases "$other" -d reference <"$file" 2>&1)" '^reference: 3 cases .* 3 pass' \
    '- is standard input'
is "$("$ASSAY" list --cases - 'tow*' <"$file" 2>&1 >/dev/null | grep -c "did you mean 'two'")" 1 \
    'which is planned twice for a hint'
text=$(echo '{"cases": [7]}' | "$ASSAY" run --cases - -d reference 2>&1)
like "$text" '^assay: standard input: cases\[0\]: expected an object, found an integer$' 'and named in errors'
text=$(echo '{"cases": [' | "$ASSAY" run --cases - -d reference 2>&1)
like "$text" '^assay: standard input:2:[01]: ' 'failures have all kinds'
echo '{"cases": []}' >"$file"
fails 4 'suite.json has no cases' run --cases "$file" -d reference
is "$("$ASSAY" list --cases "$file" --cases "$other")" one 'a file without cases beside another'
mkdir "$TMPDIR/folder.json"
cp "$few/cases/examples.lua" "$TMPDIR/folder.json"
is "$("$ASSAY" list --cases "$TMPDIR/folder.json" --cases "$other" | grep -Ec '^(gather.examples\..*|one)$')" \
    "$(($("$ASSAY" list gather.examples --count) + 1))" 'a folder of strategies may be named like a file'

tap_done
