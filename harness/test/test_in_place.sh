#!/bin/bash
# Inputs in the memory of an output, as a user meets them: shown, in case files, in exports, in models, on other
# devices, and what a run says of a device that writes before it reads.
. tools/tap.sh
[ -n "$TMPDIR" ] || exit 1
program=$(realpath "$ASSAY")
devices=$(realpath "$ASSAY_DEVICES")
nm -D "$devices/reference.so" | grep -q __asan_init && flags=-fsanitize=address # whose library must be loaded first
cleared=mutants:fault=in-place-cleared
one=$("$ASSAY" list 'element_wise_subtract.in_place.BTensor.fl5_1.float32.*' | head -1)
strided=$("$ASSAY" list 'element_wise_clip.in_place.*.gg' | head -1)
both=$("$ASSAY" list 'element_wise_add.in_place.ATensor-BTensor.fl5_1.*.ggg' | head -1)

is "$("$ASSAY" show "$one" | grep '^in place')" 'in place: BTensor has the memory of OutputTensor' 'show says so'
is "$("$ASSAY" show "$both" | grep -c '^in place')" 2 '  of several inputs, too'
is "$("$ASSAY" show "$both" | grep -o '^  [AB]Tensor  *[-0-9].*' | sed 's/.Tensor//' | sort -u | wc -l)" 1 \
    '  which hold the same'

# Exports, on a right device and on a wrong one.
for name in "$one" "$strided" "$both"; do
    file=$TMPDIR/case.json folder=$TMPDIR/$name
    "$ASSAY" repro "$name" --export json "$file" --force
    like "$(cat "$file")" '"in_place": \{"[A-Za-z]*": "OutputTensor"' "$name is written to a case file"
    "$ASSAY" repro "$name" --cases "$file" --export json | cmp -s - "$file"
    is $? 0 '  and read as it was'
    "$ASSAY" run --cases "$file" -d reference >/dev/null 2>&1
    is $? 0 '  passes on the reference device'
    "$ASSAY" run --cases "$file" -d $cleared >"$TMPDIR/out" 2>&1
    like "$? $(tr '\n' ' ' <"$TMPDIR/out")" '^1 .*the output is cleared before the input' '  and fails on a wrong one'
    "$ASSAY" repro "$name" --export c "$TMPDIR/case.c" --force
    ${CC:-cc} -std=c11 -Wall -Wextra -Werror ${flags:+"$flags"} -I device "$TMPDIR/case.c" -o "$TMPDIR/case"
    ASAN_OPTIONS=detect_leaks=0 "$TMPDIR/case" "$devices/reference.so"
    is $? 0 '  exported as C it exits with 0'
    ASAN_OPTIONS=detect_leaks=0 "$TMPDIR/case" "$devices/mutants.so:fault=in-place-cleared" >/dev/null
    is $? 1 '    and with 1 on the wrong one'
    "$ASSAY" repro "$name" --export dxdispatch "$folder"
    (cd "$folder" && "$program" dispatch model.json -d reference >dxdispatch.txt 2>&1)
    "$ASSAY" verify "$folder" >"$TMPDIR/out" 2>&1
    is "$? $(grep -c '"OutputTensor": "OutputTensor"' "$folder/model.json")" '0 1' \
        '  exported for DxDispatch it passes verify'
    (cd "$folder" && "$program" dispatch model.json -d $cleared >dxdispatch.txt 2>&1)
    is "$? $(sed -n '/^assay:/p' "$folder/dxdispatch.txt")" '0 ' '    it runs on the wrong device'
    "$ASSAY" verify "$folder" >"$TMPDIR/out" 2>&1
    is "$? $(sed -n '/^assay:/p' "$TMPDIR/out")" '1 ' '    and fails there'
done
like "$(tr -d ' \n' <"$TMPDIR/$both/model.json")" '"bindings":\{"ATensor":"OutputTensor","BTensor":"OutputTensor"' \
    'a model binds one buffer'

# Models in which only a part is shared, or what the operator does not support.
model=$TMPDIR/$one/part.json
sed 's/"BTensor": "OutputTensor"/"BTensor": {"name": "OutputTensor", "elementOffset": 4}/; s/"initialValuesDataType"/"sizeInBytes": 4096, &/' \
    "$TMPDIR/$one/model.json" >"$model"
fails 3 'part.json: .*OutputTensor shares memory with BTensor: expected all or none of it' dispatch "$model" -d \
    reference
sed 's/"ATensor": "ATensor"/"ATensor": "OutputTensor"/' "$TMPDIR/$one/model.json" >"$model"
fails 3 'part.json: .*OutputTensor shares memory with BTensor: .*one input at a time' dispatch "$model" -d reference

# Case files that are wrong. subtract IN_PLACE [STRIDES OF A [INPUTS]]
subtract() {
    local tensor='"DataType": "FLOAT32", "Sizes": [1, 1, 2, 2]'
    printf '{"cases": [{"name": "a", "type": "ELEMENT_WISE_%s", "desc": {"ATensor": {%s%s}, "BTensor": {%s}, "OutputTensor": {%s}},
        "in_place": %s%s}]}' "${4:-SUBTRACT}" "$tensor" "${2:+, \"Strides\": $2}" "$tensor" "$tensor" "$1" "${3:+, \"inputs\": $3}" >"$TMPDIR/wrong.json"
}
refused() { fails 3 "wrong.json: cases\[0\]$1" run --cases "$TMPDIR/wrong.json" -d reference; }
subtract '{"ATensor": "OutputTensor"}'
"$ASSAY" run --cases "$TMPDIR/wrong.json" -d reference >/dev/null 2>&1
is $? 0 'a case file may say so'
subtract '{"ATensor": "OutputTensor"}' '[4, 4, 2, 1]'
"$ASSAY" run --cases "$TMPDIR/wrong.json" -d reference >/dev/null 2>&1
is $? 0 '  packed strides are as good as none'
subtract '{}'
"$ASSAY" run --cases "$TMPDIR/wrong.json" -d reference >/dev/null 2>&1
is $? 0 '  and no input is as good as no member'
subtract '["ATensor"]' && refused '.in_place: expected an object'
subtract '{"CTensor": "OutputTensor"}' && refused ".in_place: no member is named 'CTensor'"
subtract '{"ATensor": "BTensor"}' && refused ".in_place.ATensor: 'BTensor' is not known"
subtract '{"ATensor": "OutputTensor", "BTensor": "OutputTensor"}' && refused '.in_place: .*one input at a time'
subtract '{"ATensor": "OutputTensor"}' '[4, 4, 1, 2]' && refused \
    '.in_place: .*the tensors differ in type, sizes, strides'
subtract '{"ATensor": "OutputTensor"}' '' '' POW && sed -i 's/ATensor/InputTensor/g; s/BTensor/ExponentTensor/g' \
    "$TMPDIR/wrong.json"
sed -i 's/"in_place": {"InputTensor"/"in_place": {"ExponentTensor"/' "$TMPDIR/wrong.json"
refused '.in_place: .*does not support it for this input'
subtract '{"ATensor": "OutputTensor"}' '' '' LOGICAL_EQUALS
sed -i 's/"OutputTensor": {"DataType": "FLOAT32"/"OutputTensor": {"DataType": "UINT32"/' "$TMPDIR/wrong.json"
refused '.in_place: .*the operator does not support it .case'
subtract '{"ATensor": "OutputTensor", "BTensor": "OutputTensor"}' '' \
    '{"ATensor": [1, 2, 3, 4], "BTensor": [1, 2, 3, 5]}' ADD
refused '.inputs: ATensor and BTensor have the same memory'
subtract '{"ATensor": "OutputTensor", "BTensor": "OutputTensor"}' '' '{"BTensor": [1, 2, 3, 5]}' ADD
refused '.inputs: ATensor and BTensor have the same memory'

# A run says how the device treats the output.
for fault in cleared:cleared copied:written pairs:written tail:written; do
    text=$("$ASSAY" run '*.in_place.*' -o ELEMENT_WISE_SUBTRACT -d "mutants:fault=in-place-${fault%:*}" --search 0 \
        2>/dev/null)
    like "$? ${text//$'\n'/ }" \
        "^1 .* failures?, one cause:.*the output is ${fault#*:} before the input that has its memory is read" \
        "in-place-${fault%:*}: one cause is named"
    like "$text" 'in-place, must .DML_ELEMENT_WISE_SUBTRACT, (D[0-9]+, )*B9' '  and the rule'
    "$ASSAY" run element_wise_subtract.strides element_wise_subtract.types -d "mutants:fault=in-place-${fault%:*}" \
        --search 0 >/dev/null 2>&1
    is $? 0 '  elsewhere the device is right'
done

# Two inputs in one memory.
text=$("$ASSAY" run element_wise_multiply -d mutants:fault=skip-one-memory --search 0 2>/dev/null)
is $? 1 'a device that is wrong if two inputs have one memory fails'
like "$text" '^fail element_wise_multiply\.one_memory\.' '  in the cases with such inputs'
"$ASSAY" run element_wise_multiply not element_wise_multiply.one_memory -d mutants:fault=skip-one-memory --search 0 \
    >/dev/null 2>&1
is $? 0 '  and in no other'

# Other devices.
for device in meaning mutants bridge:device/bridge/numpy/adapter.py vulkan:device=llvmpipe onnxruntime; do
    "$ASSAY" run '*.in_place.*' -o ELEMENT_WISE_ADD -o ELEMENT_WISE_NEGATE -o ELEMENT_WISE_SQRT -d "$device" --search \
        0 >"$TMPDIR/out" 2>&1
    status=$?
    if [ $status = 6 ]; then
        ok 0 "$device # SKIP not available"
    else
        is "$status" 0 "$device binds in place: $(tail -1 "$TMPDIR/out")"
    fi
done
tap_done
