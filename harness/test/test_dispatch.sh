#!/bin/bash
# Models of DxDispatch: what they can contain, what running them prints and writes, and errors in them.
. tools/tap.sh
[ -n "$TMPDIR" ] || exit 1
model=$TMPDIR/model.json

gather='"g": {"type": "DML_OPERATOR_GATHER", "desc": {
    "InputTensor": {"DataType": "FLOAT32", "Sizes": [4]},
    "IndicesTensor": {"Type": "DML_TENSOR_TYPE_BUFFER", "Desc": {"DataType": "DML_TENSOR_DATA_TYPE_UINT32",
        "Flags": "DML_TENSOR_FLAG_NONE", "DimensionCount": 1, "Sizes": [3], "Strides": [1],
        "TotalTensorSizeInBytes": 12, "GuaranteedBaseOffsetAlignment": 0}},
    "OutputTensor": {"DataType": "FLOAT32", "Sizes": [3]}, "Axis": 0, "IndexDimensions": 1}}'
buffers='"in": {"initialValuesDataType": "FLOAT32", "initialValues": [1, 2.5, "nan", "-inf"]},
    "at": {"initialValuesDataType": "UINT32", "initialValues": {"valueStart": 3, "valueDelta": -1, "valueCount": 3}},
    "out": {"initialValuesDataType": "DML_TENSOR_DATA_TYPE_FLOAT32", "initialValues": {"value": 7, "valueCount": 3}}'
buffers=${buffers/-1, \"valueCount/4294967295, \"valueCount}
dispatch='{"type": "dispatch", "dispatchable": "g",
    "bindings": {"InputTensor": "in", "IndicesTensor": "at", "OutputTensor": "out"}}'

# write RESOURCES DISPATCHABLES COMMANDS
write() { printf '{"resources": {%s}, "dispatchables": {%s}, "commands": [%s]}\n' "$1" "$2" "$3" >"$model"; }
# prints RESOURCES COMMANDS: the output of a model without dispatchables, except for its first line.
prints() { write "$1" '' "$2"; "$ASSAY" dispatch "$model" -d reference | tail -n +2; }

# A model with one of everything.
write "$buffers" "$gather" "{\"type\": \"print\", \"resource\": \"out\"}, $dispatch, {\"type\": \"print\", \"resource\":
    \"out\"}, {\"type\": \"writeFile\", \"resource\": \"out\", \"targetPath\": \"deep/er/out.npy\", \"dimensions\": [1, 3]},
    {\"type\": \"writeFile\", \"resource\": \"out\", \"targetPath\": \"out.dat\"}"
mkdir "$TMPDIR/results"
out=$("$ASSAY" dispatch "$model" -d reference --output "$TMPDIR/results")
is "$?" 0 'a model runs'
is "$(printf '%s\n' "$out" | sed 's/[0-9]*\.[0-9]* ms/N ms/g')" "Running on 'reference'
Resource 'out': 7, 7, 7
Dispatch 'g': 1 iterations, N ms median (CPU), N ms median (GPU)
Resource 'out': -inf, nan, 2.5
Resource 'out' written to '$TMPDIR/results/deep/er/out.npy'
Resource 'out' written to '$TMPDIR/results/out.dat'" '  and prints the same as DxDispatch'
is "$(od -An -tx4 "$TMPDIR/results/out.dat" | tr -d '\n')" ' ff800000 7fc00000 40200000' '  and writes a raw file'
like "$(head -c 128 "$TMPDIR/results/deep/er/out.npy" | tr -d '\0')" "'<f4'.*'shape': \(1, 3\)" \
    '  and a .npy file, in new folders'
like "$("$ASSAY" dispatch "$model" -d reference -i 5 --output "$TMPDIR/results")" "'g': 5 iterations" 'iterations'
for device in meaning vulkan:device=llvmpipe; do
    like "$("$ASSAY" dispatch "$model" -d $device --output "$TMPDIR/results")" "'out': -inf, nan, 2.5" \
        "the same on $device"
done

# Initial values.
show='{"type": "print", "resource": "b"}'
is "$(prints '"b": {"initialValuesDataType": "FLOAT16", "initialValues": [65504, 0.1, "inf", "NaN"]}' "$show")" \
    "Resource 'b': 65504, 0.0999756, inf, nan" 'halves'
is "$(prints '"b": {"initialValuesDataType": "FLOAT32", "initialValues": ["Infinity", "-infinity", "-inf"]}' "$show")" \
    "Resource 'b': inf, -inf, -inf" 'infinities, as the bridge writes them, too'
is "$(prints '"b": {"initialValuesDataType": "INT8", "initialValues": [-128, 127]}' "$show")" \
    "Resource 'b': -128, 127" 'bytes'
is "$(prints '"b": {"initialValuesDataType": "UINT64", "initialValues": [9223372036854775807, "0xffffffffffffffff"]}' \
    "$show")" \
    "Resource 'b': 9223372036854775807, 18446744073709551615" '64-bit integers, also in hexadecimal'
is "$(prints '"b": {"initialValuesDataType": "FLOAT32", "initialValues": {"valueStart": 1, "valueDelta": 2.5, "valueCount": 4}}' "$show")" \
    "Resource 'b': 1, 3.5, 6, 8.5" 'a sequence'
is "$(prints '"b": {"initialValuesDataType": "UINT8", "initialValues": {"valueStart": 254, "valueDelta": 1, "valueCount": 4}}' "$show")" \
    "Resource 'b': 254, 255, 0, 1" 'a sequence wraps'
is "$(prints "\"b\": {\"initialValues\": {\"sourcePath\": \"results/deep/er/out.npy\"}}" "$show")" \
    "Resource 'b': -inf, nan, 2.5" 'a .npy file beside the model'
is "$(prints "\"b\": {\"initialValuesDataType\": \"UINT16\", \"initialValues\": {\"sourcePath\": \"results/out.dat\"}}" "$show")" \
    "Resource 'b': 0, 65408, 0, 32704, 0, 16416" 'a raw file'
is "$(prints '"b": {"initialValuesDataType": "UINT32", "initialValues": [10, 2]}' \
    '{"type": "print", "resource": "b", "verbose": true}')" \
    "Resource 'b':
[0] 10 (0x       A)
[1] 2 (0x       2)" 'a verbose print'
write '"b": {"initialValuesDataType": "UNKNOWN", "initialValues": [{"name": "n", "type": "UINT32", "value": 6},
    {"type": "FLOAT32", "value": 2}, {"type": "UINT8", "value": 255}], "sizeInBytes": 16, "initialValuesOffsetInBytes": 4}' '' \
    '{"type": "writeFile", "resource": "b", "targetPath": "b.bin"}'
"$ASSAY" dispatch "$model" -d reference --output "$TMPDIR/results" >"$TMPDIR/out"
is "$(od -An -tx1 "$TMPDIR/results/b.bin" | tr -d '\n')" ' 00 00 00 00 06 00 00 00 00 00 00 40 ff 00 00 00' \
    'values of several types, at an offset'

# Bindings into the middle of a buffer; names of enumerations and operators without prefix.
write "\"all\": {\"initialValuesDataType\": \"FLOAT32\", \"initialValues\": [0, 0, 0, 0, 1, 2, 3, 4]}, $buffers" \
    "${gather/DML_OPERATOR_/}" \
    "{\"type\": \"Dispatch\", \"dispatchable\": \"g\", \"bindings\": {\"InputTensor\": {\"name\": \"all\", \"elementOffset\": 4},
    \"IndicesTensor\": [\"at\"], \"OutputTensor\": \"out\"}}, {\"type\": \"print\", \"resource\": \"out\"}"
like "$("$ASSAY" dispatch "$model" -d reference)" "'out': 4, 3, 2" 'an offset in elements'

echo 'no such thing' >"$TMPDIR/model.json.npy"

# Errors are one line with the file and the member.
refused() { # PATTERN RESOURCES DISPATCHABLES COMMANDS
    write "$2" "$3" "$4"
    fails 3 "model.json: .*$1" dispatch "$model" -d reference
}
refused 'resources.b.initialValues\[1\]: expected an integer from 0 to 255, found 256' \
    '"b": {"initialValuesDataType": "UINT8", "initialValues": [1, 256]}'
refused 'resources.b.initialValues\[0\]: expected an integer .* found a fraction' \
    '"b": {"initialValuesDataType": "INT32", "initialValues": [1.5]}'
refused "resources.b.initialValues\[0\]: 'nan': expected a number" \
    '"b": {"initialValuesDataType": "INT32", "initialValues": ["nan"]}'
refused "initialValuesDataType: 'FLOAT31' is not known; did you mean FLOAT3?2" \
    '"b": {"initialValuesDataType": "FLOAT31", "initialValues": [1]}'
refused 'resources.b.initialValues: expected a data type' '"b": {"initialValues": {"value": 1, "valueCount": 1}}'
refused 'resources.b.initialValues: expected an array of values' '"b": {"initialValuesDataType": "INT32"}'
refused 'resources.b.initialValues: expected at least one value' \
    '"b": {"initialValuesDataType": "INT32", "initialValues": []}'
refused 'valueCount: expected an integer from 1' \
    '"b": {"initialValuesDataType": "INT32", "initialValues": {"value": 1, "valueCount": -1}}'
refused 'valueCount: expected at least one value, and at most 4 GiB' \
    '"b": {"initialValuesDataType": "FLOAT64", "initialValues": {"value": 1, "valueCount": 4294967295}}'
refused "no member is named 'valueDetla'; did you mean valueDelta" \
    '"b": {"initialValuesDataType": "INT32", "initialValues": {"valueStart": 1, "valueDetla": 1, "valueCount": 1}}'
refused 'resources.b: its initial values, 8 bytes from byte 0 on, do not fit into 4 bytes' \
    '"b": {"initialValuesDataType": "INT32", "initialValues": [1, 2], "sizeInBytes": 4}'
refused 'sourcePath: .*nothing.npy: No such file' '"b": {"initialValues": {"sourcePath": "nothing.npy"}}'
refused "sourcePath: .*expected a file of NumPy's format" '"b": {"initialValues": {"sourcePath": "model.json.npy"}}'
refused 'sourcePath: .*holds FLOAT32, expected INT32' \
    '"b": {"initialValuesDataType": "INT32", "initialValues": {"sourcePath": "results/deep/er/out.npy"}}'
refused 'sourcePath: .*expected a file of numbers' \
    '"b": {"initialValuesDataType": "INT32", "initialValues": {"sourcePath": "results"}}'
refused 'sourcePath: .*raw bytes of .* have none' '"b": {"initialValues": {"sourcePath": "results/out.dat"}}'
refused 'images are not supported' \
    '"b": {"initialValuesDataType": "FLOAT32", "initialValues": {"sourcePath": "cat.png"}}'
refused 'resources.b.initialValues: deferred values are not supported' '"b": {"initialValues": "deferred"}'
refused 'dispatchables.g.type: hlsl dispatchables are not supported' '' '"g": {"type": "hlsl", "sourcePath": "x.hlsl"}'
refused 'dispatchables.g.type: onnx dispatchables are not supported' '' '"g": {"type": "ONNX", "sourcePath": "x.onnx"}'
refused 'dispatchables.g.type: dmlSerializedGraph dispatchables are not supported' '' \
    '"g": {"type": "dmlSerializedGraph"}'
refused 'dispatchables.g.bindings: bindings at initialisation are not supported' '' \
    "${gather/\"type\"/\"bindings\": \{\}, \"type\"}"
mkdir "$TMPDIR/few"
cp specs/{catalogue,tensor,rulings,gather}.lua "$TMPDIR/few/"
write '' '"g": {"type": "DML_OPERATOR_LSTM", "desc": {}}' ''
fails 3 'model.json: .*dispatchables.g.type: no spec describes the operator LSTM' dispatch "$model" -d reference \
    --specs "$TMPDIR/few"
refused "dispatchables.g.type: no operator is named 'GATHERND'; did you mean GATHER_ND" '' \
    '"g": {"type": "DML_OPERATOR_GATHERND"}'
refused 'dispatchables.g.desc: expected an object, found nothing' '' '"g": {"type": "GATHER"}'
refused 'dispatchables.g.desc.Axis: the field is missing' '' "${gather/\"Axis\": 0, /}"
refused "dispatchables.g.desc: no member is named 'Axes'; did you mean Axis" '' "${gather/Axis/Axes}"
refused 'dispatchables.g.desc.Axis: expected an integer from 0 to 4294967295, found -1' '' \
    "${gather/Axis\": 0/Axis\": -1}"
refused 'dispatchables.g.desc.InputTensor.Sizes\[0\]: expected an integer' '' "${gather/\[4\]/[\"4\"]}"
refused 'IndicesTensor.Desc.Strides: expected as many strides as there are sizes, 1, found 2' '' \
    "${gather/\[1\]/[1, 1]}"
refused 'IndicesTensor.Desc.Sizes: expected at most 10' '' "${gather/\[3\]/[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]}"
refused "IndicesTensor.Desc.Flags: 'DML_TENSOR_FLAG_NUN' is not known; did you mean NONE" '' \
    "${gather/FLAG_NONE/FLAG_NUN}"
refused 'executionFlags\[0\]: .FAST. is not known' '' "${gather/\"type\"/\"executionFlags\": [\"FAST\"], \"type\"}"
refused "commands\[0\].type: no command is named 'clear'" '' '' '{"type": "clear"}'
refused "commands\[0\].dispatchable: no dispatchable is named 'g'" "$buffers" '' "$dispatch"
refused "commands\[0\].resource: no resource is named 'x'" '' '' '{"type": "print", "resource": "x"}'
refused 'bindings.OutputTensor: nothing is bound' "$buffers" "$gather" "${dispatch/, \"OutputTensor\": \"out\"/}"
refused "bindings: no member is named 'Output'" "$buffers" "$gather" "${dispatch/\"OutputTensor\"/\"Output\"}"
refused "bindings.InputTensor: 'out' has 12 bytes from byte 0 on, InputTensor needs 16" "$buffers" "$gather" \
    "${dispatch/\"in\"/\"out\"}"
refused 'bindings: OutputTensor shares memory with InputTensor' "$buffers" "$gather" "${dispatch/\"out\"/\"in\"}"
refused 'expected an offset that is a multiple of 16' "${buffers/1, 2.5/0, 1, 2.5}" "$gather" \
    "${dispatch/\"in\"/{\"name\": \"in\", \"elementOffset\": 1\}}"
refused 'dimensions: .out. has fewer elements' "$buffers" '' \
    '{"type": "writeFile", "resource": "out", "targetPath": "x.npy", "dimensions": [4]}'
refused 'values of several types cannot be printed' \
    '"b": {"initialValuesDataType": "UNKNOWN", "initialValues": [{"type": "UINT32", "value": 1}]}' '' "$show"
for text in '' '[]' '{' '{"resources": {}, "resources": {}}' '// no comment' '/* no end' '{"resources": {}, /* no end' \
    '{,}' \
    '{"resources": {},,}' '{"resources": {"a":,}}' '{"resources": 1}'; do
    printf '%s' "$text" >"$model"
    fails 3 'model.json:([0-9]+:[0-9]+:)? ' dispatch "$model" -d reference
done
fails 3 'nowhere.json: No such file' dispatch "$TMPDIR/nowhere.json" -d reference
fails 3 'expected a JSON file' dispatch "$TMPDIR" -d reference
fails 2 'dispatch takes one model' dispatch -d reference
fails 2 'which device' dispatch "$model"
fails 2 'expected 1 to' dispatch "$model" -d reference -i 0
fails 6 "no device is named 'refrence'; did you mean reference" dispatch "$model" -d refrence

# Like DxDispatch: comments and trailing commas are accepted, and text after the end is ignored.
cat >"$model" <<'END'
// first line, "with quotes" and { brackets
{
    "resources": {
        "b": {"initialValuesDataType": "FLOAT32", /* “three” */ "initialValues": [1, 2, 3,],}, // the last
        "// no comment /* nor this */ ,]": {"initialValuesDataType": "UINT8", "initialValues": [1
            /* another, // in two
               lines */ , // and a comma
            ]},
    },
    "dispatchables": {},
    "commands": [
        {"type": "print", "resource": "b"},
        {"type": "print", "resource": "// no comment /* nor this */ ,]"},
    ],
}
and what comes after it
END
is "$("$ASSAY" dispatch "$model" -d reference | tail -n 2)" "Resource 'b': 1, 2, 3
Resource '// no comment /* nor this */ ,]': 1" 'comments and trailing commas are accepted'
printf '{ // one
  "resources": {}, /* “two”
 three */ "dispatchables": {,},
' >"$model"
fails 3 'model.json:3:29: ' dispatch "$model" -d reference
printf '{"resources": {"b": {"initialValuesDataType": "UINT8", "initialValues": [1,,]}}}' >"$model"
fails 3 "model.json:1:76: unexpected token near ','" dispatch "$model" -d reference

# No file is written outside the folder.
mkdir "$TMPDIR/inside" "$TMPDIR/outside"
ln -s ../outside "$TMPDIR/inside/link"
ln -s ../outside/file "$TMPDIR/inside/file"
for path in ../outside/x "$TMPDIR/outside/x" a/../../outside/x link/x file '' . .. a/.. '..\\outside\\x' x/; do
    write "$buffers" '' "{\"type\": \"writeFile\", \"resource\": \"out\", \"targetPath\": \"$path\"}"
    fails 3 'writeFile: ' dispatch "$model" -d reference --output "$TMPDIR/inside"
done
is "$(ls -A "$TMPDIR/outside")" '' 'nothing was written outside'
write "$buffers" '' '{"type": "writeFile", "resource": "out", "targetPath": "x.png"}'
fails 3 'commands\[0\].targetPath: images are not supported' dispatch "$model" -d reference
write "$buffers" '' '{"type": "writeFile", "resource": "out", "targetPath": "x.npy"}'
fails 3 'writeFile: .*nowhere/x.npy: No such file' dispatch "$model" -d reference --output "$TMPDIR/nowhere"

# Devices that refuse a description, are wrong, crash or hang.
write "$buffers" "${gather/Axis\": 0/Axis\": 1}" "$dispatch"
fails 1 "ERROR creating dispatchable 'g': CreateOperator returned E_INVALIDARG \(0x80070057\)" dispatch "$model" -d \
    reference
write "$buffers" "${gather/4\]/4], \"Flags\": [\"OWNED_BY_DML\"]}" "$dispatch"
fails 3 'bindings.InputTensor: a tensor that is OWNED_BY_DML' dispatch "$model" -d reference
write "$buffers" "$gather" "$dispatch, {\"type\": \"print\", \"resource\": \"out\"}"
plugin() { # NAME BODY-OF-DISPATCH: a device that does nothing else
    printf '%s\n' '#include "device/device.h"' '#include <signal.h>' '#include <unistd.h>' '#include <string.h>' \
        'static HRESULT open(const assay_device_config *c, assay_device **o, char *m, size_t n) { (void)c; (void)m; (void)n; *o = (assay_device *)1; return 0; }' \
        'static void close1(assay_device *d) { (void)d; }' \
        'static HRESULT describe(assay_device *d, assay_device_info *i) { (void)d; strcpy(i->name, "bad"); return 0; }' \
        'static BOOL supports(assay_device *d, DML_TENSOR_DATA_TYPE t) { (void)d; (void)t; return 1; }' \
        'static HRESULT create(assay_device *d, const DML_OPERATOR_DESC *e, assay_operator **o) { (void)d; (void)e; *o = (assay_operator *)1; return 0; }' \
        'static void destroy(assay_device *d, assay_operator *o) { (void)d; (void)o; }' \
        'static HRESULT compile(assay_device *d, assay_operator *o, DML_EXECUTION_FLAGS f, assay_compiled **c) { (void)d; (void)o; (void)f; *c = (assay_compiled *)1; return 0; }' \
        'static void destroy2(assay_device *d, assay_compiled *o) { (void)d; (void)o; }' \
        "static HRESULT run(assay_device *d, const assay_dispatch_item *i, uint32_t n, assay_dispatch_result *r) { (void)d; (void)i; (void)n; r->status = 0; $2 return 0; }" \
        'static const char *message(assay_device *d) { (void)d; return "said"; }' \
        'static const assay_device_api api = {ASSAY_DEVICE_ABI, sizeof api, open, close1, describe, supports, create, destroy, compile, destroy2, run, message};' \
        'const assay_device_api *assay_device_entry(uint32_t abi) { (void)abi; return &api; }' |
        ${CC:-cc} -shared -fPIC -I. -x c - -o "$TMPDIR/$1.so" || echo "# $1 could not be compiled"
}
plugin dies 'raise(SIGKILL);'
plugin hangs 'for (;;) pause();'
plugin past '((char *)i->outputs[0].base)[i->outputs[0].offset + 12] = 1;'
plugin far '((char *)i->outputs[0].base)[i->outputs[0].offset + 4096] = 1;'
plugin null '*(volatile int *)0 = 1;'
plugin lost 'r->status = DXGI_ERROR_DEVICE_REMOVED;'
fails 1 'killed by SIGKILL while commands\[0\] \(dispatch\)' dispatch "$model" -d "$TMPDIR/dies.so"
fails 1 'no answer within 1 s while commands\[0\] \(dispatch\)' dispatch "$model" -d "$TMPDIR/hangs.so" --timeout 1
interrupted() { # PROCESS: a debugger or a shell stops it and lets it go on
    for _ in 1 2 3 4 5; do
        sleep 0.2
        kill -STOP "$1" && kill -CONT "$1"
    done
}
"$ASSAY" dispatch "$model" -d "$TMPDIR/hangs.so" --timeout 3 2>"$TMPDIR/err" &
start=$EPOCHREALTIME
interrupted $!
wait $!
like "$(cat "$TMPDIR/err")" 'no answer within 3 s while' 'a device that hangs is late'
ok "$(awk "BEGIN { print $EPOCHREALTIME - $start < 3 }")" '  and not sooner if signals interrupt the wait'
fails 1 "the device wrote past the end of the buffer 'out'" dispatch "$model" -d "$TMPDIR/past.so"
fails 1 "killed by SIGSEGV while commands\[0\] \(dispatch\): touched 4084 bytes past the end of 'out'" dispatch \
    "$model" -d "$TMPDIR/far.so"
fails 1 'killed by SIGSEGV .*touched a null pointer' dispatch "$model" -d "$TMPDIR/null.so"
fails 1 'dispatch returned DXGI_ERROR_DEVICE_REMOVED \(0x887a0005\): said' dispatch "$model" -d "$TMPDIR/lost.so"
like "$("$ASSAY" dispatch "$model" -d mutants:fault=flip-bit)" "Resource 'out': (3.40282e\+38|-?nan|-inf)" \
    'the outputs of a wrong device are printed, not judged'
tap_done
