#!/bin/bash
# The Vulkan device on lavapipe under the validation layer, any message of which is a failure: cases of all operators,
# and each way of kernels at the least size that reaches it; and the messages when there is no driver or no layer.
# long/test_lavapipe.sh has larger tensors and a 24th of the suite, and sources this for its functions.
. tools/tap.sh
export ASAN_OPTIONS=detect_leaks=0:${ASAN_OPTIONS:-} # Mesa keeps its compiler's memory
db=$TMPDIR/vulkan.db

# all_pass ARGUMENTS FILE COUNT TITLE: so many cases of $TMPDIR/FILE.json pass on lavapipe with these arguments.
all_pass() {
    "$ASSAY" run -d "vulkan:device=llvmpipe,$1" --cases "$TMPDIR/$2.json" --timeout 60 >"$TMPDIR/out" 2>&1
    is $? 0 "$4"
    like "$(cat "$TMPDIR/out")" " $3 cases in .* $3 pass" '  in all cases'
}

# tiles NAME TYPE SIZES VALUES AXIS K FILL: TOP_K of few long sequences, whose tiles select first.
tiles() {
    printf '{"name": "tiles.%s", "type": "TOP_K", "fill": "%s", "desc": {"Axis": %d, "K": %d,
        "InputTensor": {"DataType": "%s", "Sizes": [%s]}, "OutputValueTensor": {"DataType": "%s", "Sizes": [%s]},
        "OutputIndexTensor": {"DataType": "UINT32", "Sizes": [%s]}}}' "$1" "$7" "$5" "$6" "$2" "$3" "$2" "$4" "$4"
}

# map NAME TYPE COUNT FIELD:DATATYPE…: an element-wise operator of so many elements.
map() {
    printf '{"name": "maps.%s", "type": "%s", "desc": {' "$1" "$2"
    local count=$3 comma='' field
    for field in "${@:4}"; do
        printf '%s"%sTensor": {"DataType": "%s", "Sizes": [%d]}' "$comma" "${field%:*}" "${field#*:}" "$count"
        comma=', '
    done
    printf '}}'
}
# maps COUNT: operators on elements of all sizes.
maps() {
    printf '%s, ' "$(map floats ELEMENT_WISE_ADD "$1" A:FLOAT32 B:FLOAT32 Output:FLOAT32)"
    printf '%s, ' "$(map halves ELEMENT_WISE_IF "$1" Condition:UINT8 A:FLOAT16 B:FLOAT16 Output:FLOAT16)"
    printf '%s, ' "$(map bytes ELEMENT_WISE_MAX "$1" A:INT8 B:INT8 Output:INT8)"
    printf '%s, ' "$(map shorts CAST "$1" Input:UINT16 Output:FLOAT32)" "$(map longs CAST "$1" Input:INT64 Output:INT32)"
    printf '%s, ' "$(map odd ELEMENT_WISE_MULTIPLY $(($1 + 1)) A:FLOAT16 B:FLOAT16 Output:FLOAT16)"
}

# places NAME TYPE INDEXTYPE INPUT INDICES ELEMENTS FIELDS: an operator that gathers or scatters; elements have these
# sizes and are of type DATA; INDICES describes the contents of indices.
places() {
    local type=${DATA:-FLOAT32}
    local input='"InputTensor": {"DataType": "'$type'", "Sizes": ['$4']}'
    local indices='"IndicesTensor": {"DataType": "'$3'", "Sizes": ['$5']}' output=$6 updates=''
    case $2 in SCATTER*)
        output=$4
        updates=', "UpdatesTensor": {"DataType": "'$type'", "Sizes": ['$6']}' ;;
    esac
    output='"OutputTensor": {"DataType": "'$type'", "Sizes": ['$output']}'
    printf '{"name": "places.%s", "type": "%s", "fill": "ordinary", "indices": "%s", "desc": {%s, %s%s, %s%s}}' \
        "$1" "$2" "${INDICES:-any}" "$input" "$indices" "$updates" "$output" ", $7"
}

# repeats NAME TYPE SIZES SIZES REPEATS: TILE.
repeats() {
    printf '{"name": "repeats.%s", "type": "TILE", "fill": "ordinary", "desc": {"RepeatsCount": 4, "Repeats": [%s],
        "InputTensor": {"DataType": "%s", "Sizes": [%s]}, "OutputTensor": {"DataType": "%s", "Sizes": [%s]}}}' \
        "$1" "$5" "$2" "$3" "$2" "$4"
}

# columns NAME FUNCTION TYPE SIZES TYPE SIZES AXIS: a reduction, to results of the second type.
columns() {
    printf '{"name": "columns.%s", "type": "REDUCE", "fill": "%s", "desc": {"Function": "%s", "AxisCount": 1, "Axes": [%s],
        "InputTensor": {"DataType": "%s", "Sizes": [%s]}, "OutputTensor": {"DataType": "%s", "Sizes": [%s]}}}' \
        "$1" "${8:-ordinary}" "$2" "$7" "$3" "$4" "$5" "$6"
}

# zeros NAME TYPE SIZES COUNT FILL: NONZERO_COORDINATES of two dimensions.
zeros() {
    printf '{"name": "zeros.%s", "type": "NONZERO_COORDINATES", "fill": "%s", "desc": {
        "InputTensor": {"DataType": "%s", "Sizes": [%s]}, "OutputCountTensor": {"DataType": "UINT32", "Sizes": [1]},
        "OutputCoordinatesTensor": {"DataType": "UINT32", "Sizes": [%s,2]}}}' "$1" "$5" "$2" "$3" "$4"
}

# slices NAME TYPE DATATYPE SIZES FIELDS: an operator on slices of a tensor.
slices() {
    printf '{"name": "slices.%s", "type": "%s", "fill": "ordinary", "desc": {
        "InputTensor": {"DataType": "%s", "Sizes": [%s]}, "OutputTensor": {"DataType": "%s", "Sizes": [%s]}%s}}' \
        "$1" "$2" "$3" "$4" "$3" "$4" "$5"
}

# rows NAME TYPE DATATYPE SIZES FIELDS: like slices, also with special values.
rows() {
    printf '%s, ' "$(slices "$1" "$2" "$3" "$4" "$5")" "$(slices "$1-special" "$2" "$3" "$4" "$5" | sed s/ordinary/special/)"
}
# scaled TYPE SIZES SIZES: the fields of a normalisation with such a scale and such a bias, and an activation.
scaled() {
    printf ', "NormalizeVariance": 1, "Epsilon": 1e-05, "FusedActivation": {"type": "ACTIVATION_RELU"},
        "ScaleTensor": {"DataType": "%s", "Sizes": [%s]}, "BiasTensor": {"DataType": "%s", "Sizes": [%s]}' \
        "$1" "$2" "$1" "$3"
}
rows=', "AxisCount": 1, "Axes": [1]'
mean=', "ScaleTensor": null, "BiasTensor": null, "FusedActivation": null, "NormalizeVariance": 1, "Epsilon": 1e-05'

# row_cases: rows of all operators on slices that a workgroup takes alone.
row_cases() {
    printf '{"cases": [%s' "$(rows soft ACTIVATION_SOFTMAX1 FLOAT32 130,520 "$rows")"
    printf '%s' "$(rows halves ACTIVATION_SOFTMAX1 FLOAT16 3,65536 "$rows")" # the longest
    printf '%s' "$(rows logs ACTIVATION_LOG_SOFTMAX1 FLOAT32 1025,64 "$rows")" # the shortest
    printf '%s' "$(rows hard ACTIVATION_HARDMAX1 FLOAT16 50,1408 "$rows")"
    printf '%s' "$(rows mean MEAN_VARIANCE_NORMALIZATION1 FLOAT32 130,520 "$rows$mean")"
    printf '%s' "$(rows scaled MEAN_VARIANCE_NORMALIZATION1 FLOAT32 130,520 "$rows$(scaled FLOAT32 1,520 130,1)")"
    printf '%s' "$(rows moved MEAN_VARIANCE_NORMALIZATION1 FLOAT16 9,17000 "$rows$(scaled FLOAT16 9,17000 1,1)")"
    printf '%s' "$(rows sums LP_NORMALIZATION FLOAT16 80,1000 ', "Axis": 1, "Epsilon": 1e-05, "P": 1')"
    printf '%s' "$(rows roots LP_NORMALIZATION FLOAT32 9,8000 ', "Axis": 1, "Epsilon": 1e-05, "P": 2')"
    printf '%s]}' "$(slices two ACTIVATION_SOFTMAX1 FLOAT32 31,8,272 ', "AxisCount": 2, "Axes": [1, 2]')"
}

# The device has too few rounds of loops for sums of 2^32 terms. The cases only create these operators.
few="status = 'unsupported' and case_name like '%.extents.%' and message like '%loops with as many rounds%'"

[ "${long:-}" ] && return

# One worker runs these, since each worker compiles most of their pipelines; and lavapipe optimises nothing, since its
# compiler takes most of the time. `make validation` runs all cases, optimised, as are those below.
"$ASSAY" list | awk -F. 'before[$1]++ % 4000 == 0' >"$TMPDIR/some"
GALLIVM_PERF=nopt "$ASSAY" run -d vulkan:device=llvmpipe,validation -j 1 --case-list "$TMPDIR/some" --search 0 --db "$db" \
    >"$TMPDIR/out" 2>&1
is $? 0 'one case in 4,000 of each operator passes on lavapipe under the validation layer'
sed -n '/^  message/p' "$TMPDIR/out" | sort | uniq -c | head -5 | sed 's/^/# /'
planned=$(sqlite3 "$db" 'select planned from runs')
is "$(sqlite3 "$db" 'select count(*) from results')" "$planned" 'every planned case has its row'
is "$planned" "$(wc -l <"$TMPDIR/some")" '  as many as are in the list'
is "$(sqlite3 "$db" 'select count(distinct operator) from results')" "$("$ASSAY" list | cut -d. -f1 | sort -u | wc -l)" \
    '  of every operator'
is "$(sqlite3 "$db" "select count(*) from results where status not in ('pass', 'skip') and not ($few)")" 0 \
    'all pass or are skipped, but for sums of 2^32 terms'
is "$(sqlite3 "$db" "select count(*) > 100 from results where device_ns > 0")" 1 'the device has a clock'

{
    printf '{"cases": [%s, ' "$(tiles levels FLOAT32 2500007 100 0 100 ordinary)" # lists of lists
    printf '%s, ' "$(tiles ties FLOAT32 300007 1000 0 1000 sparse)" "$(tiles short INT8 40961 3 0 3 patterns)"
    printf '%s, ' "$(tiles columns INT64 16387,3 700,3 0 700 ordinary)" "$(tiles nans FLOAT16 2,30011 2,41 1 41 special)"
    printf '%s, ' "$(tiles all FLOAT32 30001 30000 0 30000 ordinary)"
    printf '%s]}' "$(tiles last UINT16 8193 2 0 2 zero)"
} >"$TMPDIR/tiles.json"
all_pass validation tiles 7 'TOP_K selects from tiles, and from what these have selected'
printf '{"cases": [%s]}' "$(tiles most FLOAT32 900001 900000 0 900000 ordinary)" >"$TMPDIR/tiles.json"
text=$("$ASSAY" run -d vulkan:device=llvmpipe --cases "$TMPDIR/tiles.json" tiles 2>&1)
like "$text" 'the device lacks loops with as many rounds as this K needs' '  or says that it cannot'

{
    printf '{"cases": [%s, ' "$(tiles even FLOAT32 33,2064 33,64 1 64 ordinary)"
    printf '%s, ' "$(tiles nans FLOAT32 600,128 600,32 1 32 special)" "$(tiles signs INT32 2,9,4096 2,9,1 2 1 patterns)"
    printf '%s, ' "$(tiles ties FLOAT32 20,4096 20,50 1 50 sparse)" "$(tiles same UINT32 2,65536 2,31 1 31 zero)"
    printf '%s]}' "$(tiles last INT32 1,65536 1,50 1 50 special | sed 's/TOP_K"/TOP_K1"/; s/"Axis"/"AxisDirection": "INCREASING", &/')"
} >"$TMPDIR/top.json"
all_pass validation top 6 '  or a workgroup of a processor selects from a row, as texels'
LP_NATIVE_VECTOR_WIDTH=128 "$ASSAY" run -d vulkan:device=llvmpipe --cases "$TMPDIR/top.json" --timeout 60 tiles \
    >"$TMPDIR/out" 2>&1
is $? 0 '  one of four invocations, too'

{
    printf '{"cases": [%s' "$(maps 33800)" # more elements than a processor's invocation takes one by one
    printf '%s, ' "$(map roots ELEMENT_WISE_SQRT 70008 Input:FLOAT16 Output:FLOAT16)"
    printf '%s]}' "$(map signs ACTIVATION_RELU 70008 Input:FLOAT32 Output:FLOAT32)"
} >"$TMPDIR/texels.json"
all_pass validation texels 8 'a processor reads large tensors as texels'
printf '{"cases": [%s]}' "$(map four ELEMENT_WISE_ADD 17408 A:FLOAT32 B:FLOAT32 Output:FLOAT32)" >"$TMPDIR/four.json"
LP_NATIVE_VECTOR_WIDTH=128 "$ASSAY" run -d vulkan:device=llvmpipe --cases "$TMPDIR/four.json" maps >"$TMPDIR/out" 2>&1
is $? 0 '  or element by element, where those of a workgroup of four do not come in eights'

{
    # This is the least count at which a GPU's invocation takes four elements at once.
    printf '{"cases": [%s, ' "$(map halves ELEMENT_WISE_IF 4194308 Condition:UINT8 A:FLOAT16 B:FLOAT16 Output:FLOAT16)"
    printf '%s, ' "$(map bytes ELEMENT_WISE_MAX 4194308 A:INT8 B:INT8 Output:INT8)"
    printf '%s]}' "$(map odd ELEMENT_WISE_MULTIPLY 4194309 A:FLOAT16 B:FLOAT16 Output:FLOAT16)"
} >"$TMPDIR/maps.json"
all_pass validation,tuning=gpu,staging=1 maps 3 'elements go through staging buffers, and four at a time through invocations'

"$(dirname "$ASSAY")/test/test_choices" "$ASSAY_DEVICES/vulkan.so" device=llvmpipe,validation >"$TMPDIR/out" 2>&1
ok $? 'where the documents leave a choice, the device has the choices of the reference device'
grep -v '^ok' "$TMPDIR/out" | head -5 | sed 's/^/# /'

for arguments in validation validation,tuning=gpu,staging=1; do
    "$(dirname "$ASSAY")/test/test_many_items" "$ASSAY_DEVICES/vulkan.so" "device=llvmpipe,$arguments" >"$TMPDIR/out" 2>&1
    ok $? "two batches of a dispatch are on their way at a time: $arguments"
    grep -v '^ok' "$TMPDIR/out" | head -5 | sed 's/^/# /'
done

"$(dirname "$ASSAY")/test/test_long_sums" "$ASSAY_DEVICES/vulkan.so" device=llvmpipe,validation >"$TMPDIR/out" 2>&1
ok $? 'gradients are added up along one dimension after the other, and in parts, where one element gets too many'
grep -v '^ok' "$TMPDIR/out" | head -5 | sed 's/^/# /'

{
    ranks='"InputDimensionCount": 2, "IndicesDimensionCount": 2'
    printf '{"cases": [%s, ' "$(places rows GATHER_ELEMENTS INT64 130,1032 130,1032 130,1032 '"Axis": 1')"
    printf '%s, ' "$(places columns GATHER_ELEMENTS INT32 77,1032 130,1032 130,1032 '"Axis": 0')"
    printf '%s, ' "$(places tuples GATHER_ND INT64 131,257 80008,2 1,80008 "$ranks")"
    printf '%s, ' "$(places pairs GATHER_ND UINT32 131,257 80008,2 1,80008 "$ranks")"
    printf '%s, ' "$(places back SCATTER_ELEMENTS INT64 130,1032 130,1032 130,1032 '"Axis": 1')"
    printf '%s]}' "$(places all SCATTER_ND INT32 300,300 80008,2 1,80008 "$ranks")"
} >"$TMPDIR/places.json"
all_pass validation places 6 'a processor reads indices as texels'

{
    printf '{"cases": [%s, ' "$(places slices SCATTER_ELEMENTS INT64 1030,260 1030,200 1030,200 '"Axis": 1')"
    printf '%s, ' "$(places planes SCATTER_ELEMENTS UINT32 1024,3,100 1024,2,100 1024,2,100 '"Axis": 1')"
    printf '%s, ' "$(places rounds SCATTER_ELEMENTS INT32 1030,1000 1030,1000 1030,1000 '"Axis": 1')"
    printf '%s, ' "$(places one SCATTER_ELEMENTS UINT64 1030,260 1030,1 1030,1 '"Axis": 1')"
    printf '%s, ' "$(INDICES=duplicates places much SCATTER_ELEMENTS INT32 1030,256 1030,600 1030,600 '"Axis": 1')"
    printf '%s, ' "$(places same SCATTER_ELEMENTS INT32 1024,3,100 '1024,2,100], "Strides": [2,1,0' 1024,2,100 '"Axis": 1')"
    printf '%s, ' "$(DATA=FLOAT16 places halves SCATTER_ELEMENTS INT64 1030,520 1030,90 1030,90 '"Axis": 1')"
    printf '%s, ' "$(DATA=UINT8 places bytes SCATTER_ND INT32 4000,80 300,1 300,80 "$ranks")"
    printf '%s, ' "$(DATA=INT64 places longs SCATTER_ND UINT32 4000,18 300,1 300,18 "$ranks")"
    printf '%s, ' "$(places rows SCATTER_ND INT32 4000,20 300,1 300,20 "$ranks")"
    printf '%s, ' "$(places wide SCATTER_ND INT64 50,60,32 1,700,2 1,700,32 '"InputDimensionCount": 3, "IndicesDimensionCount": 2')"
    printf '%s, ' "$(places few SCATTER_ND UINT32 4000,20 30,1 30,20 "$ranks")"
    printf '%s]}' "$(places strips GATHER_ND INT64 300,512 400,1 400,512 "$ranks")"
} >"$TMPDIR/gpu-places.json"
all_pass validation,tuning=gpu gpu-places 13 'a GPU scatters into slices that it has just copied, and gathers rows in strips'

{
    printf '{"cases": [%s, ' "$(repeats rows FLOAT16 1,2,100,36 1,2,300,720 1,1,3,20)"
    printf '%s, ' "$(repeats all FLOAT32 3,5,7,11 6,15,28,55 2,3,4,5)"
    printf '%s]}' "$(repeats bytes UINT8 1,1,1,16 1,1,300,320 1,1,300,20)"
} >"$TMPDIR/repeats.json"
all_pass validation,tuning=gpu repeats 3 'a large TILE is a move'

{
    printf '{"cases": [%s, ' "$(columns sums SUM FLOAT32 70,1032 FLOAT32 1,1032 0)"
    printf '%s, ' "$(columns halves AVERAGE FLOAT16 999,68 FLOAT16 1,68 0 special)"
    printf '%s, ' "$(columns tiles L2 FLOAT32 9000,32 FLOAT32 1,32 0)"
    printf '%s, ' "$(columns inner ARGMIN FLOAT32 5,300,64 UINT32 5,1,64 1 special)"
    printf '%s, ' "$(columns bytes MAX INT8 700,100 INT8 1,100 0)"
    printf '%s, ' "$(columns wraps SUM INT32 4500,48 INT32 1,48 0)"
    printf '%s]}' "$(columns odd MIN FLOAT32 700,101 FLOAT32 1,101 0)"
} >"$TMPDIR/columns.json"
all_pass validation,tuning=gpu columns 7 "a GPU's invocation reduces four columns"

{
    printf '{"cases": [%s, ' "$(zeros floats FLOAT32 300,301 90300 sparse)"
    printf '%s, ' "$(zeros bytes UINT8 257,259 66563 sparse)" "$(zeros halves FLOAT16 261,263 68643 special)"
    printf '%s]}' "$(zeros words INT32 256,256 65536 one)"
} >"$TMPDIR/zeros.json"
all_pass validation zeros 4 'a processor looks for non-zero elements in texels'

{
    printf '{"cases": [%s, ' "$(slices soft ACTIVATION_SOFTMAX1 FLOAT16 64,1030 "$rows")"
    printf '%s, ' "$(slices fours ACTIVATION_SOFTMAX1 FLOAT16 65,1036 "$rows")"
    printf '%s, ' "$(slices logs ACTIVATION_LOG_SOFTMAX1 FLOAT32 33,2052 "$rows")"
    printf '%s, ' "$(slices even MEAN_VARIANCE_NORMALIZATION1 FLOAT32 33,4012 "$rows$mean")"
    printf '%s, ' "$(slices wide ACTIVATION_SOFTMAX1 FLOAT32 9,7999 "$rows")"
    printf '%s, ' "$(slices columns ACTIVATION_LOG_SOFTMAX1 FLOAT16 2,211,200 "$rows")"
    printf '%s, ' "$(slices few ACTIVATION_SOFTMAX1 FLOAT32 3,2052,40 "$rows")"
    printf '%s, ' "$(slices two ACTIVATION_SOFTMAX1 FLOAT32 31,67,41 ', "AxisCount": 2, "Axes": [0, 2]')"
    printf '%s, ' "$(slices hard ACTIVATION_HARDMAX1 FLOAT16 50,1400 "$rows")"
    printf '%s, ' "$(slices mean MEAN_VARIANCE_NORMALIZATION1 FLOAT32 33,4001 "$rows$mean")"
    printf '%s, ' "$(slices means MEAN_VARIANCE_NORMALIZATION1 FLOAT16 7,103,201 ', "AxisCount": 2, "Axes": [0, 2]'"$mean")"
    printf '%s, ' "$(slices sums LP_NORMALIZATION FLOAT16 80,1000 ', "Axis": 1, "Epsilon": 1e-05, "P": 1')"
    printf '%s]}' "$(slices roots LP_NORMALIZATION FLOAT32 8001,9 ', "Axis": 0, "Epsilon": 1e-05, "P": 2')"
} >"$TMPDIR/slices.json"
all_pass validation,tuning=gpu slices 13 'invocations of a GPU keep their elements of a slice'

row_cases >"$TMPDIR/rows.json"
all_pass validation rows 19 'a workgroup of a processor takes a row, as texels'
LP_NATIVE_VECTOR_WIDTH=128 "$ASSAY" run -d vulkan:device=llvmpipe --cases "$TMPDIR/rows.json" --timeout 60 slices.logs \
    slices.scaled slices.sums >"$TMPDIR/out" 2>&1
is $? 0 '  of four invocations, too'

"$ASSAY" bench -d vulkan:device=llvmpipe,validation --seconds 0 --copy 1 --json --cases cases gather.examples.columns \
    nonzero_coordinates.examples.matrix nonzero_coordinates.examples.narrowest top_k.examples.rows \
    reduce.examples.sum-rows reduce.examples.multiply-int64 scatter_nd.examples.tuples >"$TMPDIR/out" 2>&1
is $? 0 'what runs again and again on the device has the right results'
is "$(jq -c '[.devices[].cases[] | select(.measured)] | [length, any(.by_dispatch), all(.device.median_ns > 0)]' "$TMPDIR/out")" \
    '[7,false,true]' '  and is measured by the device, by its clock'

text=$(VK_ICD_FILENAMES=/nowhere VK_DRIVER_FILES=/nowhere "$ASSAY" run gather_nd.examples -d vulkan 2>&1)
is $? 6 'without a driver the device is missing'
is "$(printf '%s\n' "$text" | wc -l)" 1 'which one line says'
text=$("$ASSAY" devices vulkan:device=nosuch)
is $? 6 'a device that is not there is missing'
like "$text" 'llvmpipe' 'and those that are there are named'
tap_done
