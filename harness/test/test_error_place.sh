#!/bin/bash
# The place of the largest error is stored for every case, also if it passes.
. tools/tap.sh

# The device gives the next larger FLOAT32 for element 5, and one three steps away for element 3.
cat >"$TMPDIR/off.c" <<'C'
#include "harness/test/wrapper.h"
static HRESULT dispatch(assay_device *device, const assay_dispatch_item *items, uint32_t count, assay_dispatch_result *out)
{
    HRESULT result = inner->dispatch(device, items, count, out);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *bits = (uint32_t *)(void *)((char *)items[i].outputs[0].base + items[i].outputs[0].offset);
        bits[5] += 1;
        bits[3] += OFF;
    }
    return result;
}
static void wrapper_replace(assay_device_api *api) { api->dispatch = dispatch; }
C
device() {
    ${CC:-cc} -shared -fPIC -I. "-DOFF=$2" "-DINNER=\"$(realpath "$ASSAY_DEVICES/reference.so")\"" "$TMPDIR/off.c" -o \
        "$TMPDIR/$1.so" -ldl
}
device near 3
device far 3000

cat >"$TMPDIR/case.json" <<'J'
{"cases": [{"name": "exp", "type": "DML_OPERATOR_ELEMENT_WISE_EXP",
  "desc": {"InputTensor": {"DataType": "FLOAT32", "Sizes": [1, 1, 2, 4]},
           "OutputTensor": {"DataType": "FLOAT32", "Sizes": [1, 1, 2, 4]}, "ScaleBias": null},
  "inputs": {"InputTensor": [0, 1, 2, 0.5, 4, 0.25, 6, 7]}}]}
J
judge() { "$ASSAY" run --cases "$TMPDIR/case.json" exp -d "$TMPDIR/$1.so" --db "$TMPDIR/$1.db" >"$TMPDIR/out" 2>&1; }
stored() { sqlite3 "$TMPDIR/$1.db" 'SELECT status, error_place FROM results'; }

judge near
is "$?" 0 'errors within the bound pass'
like "$(stored near)" '^pass\|OutputTensor \{0,0,0,3\}: got 1\.6487.* \(0x3fd3094f\), exact 1\.6487.* \(0x3fd3094c\), ' \
    '  the place of the largest is stored'
like "$(stored near)" 'InputTensor 0\.5 \(0x3f000000\)$' '  with the operand'
like "$("$ASSAY" run --cases "$TMPDIR/case.json" exp -d "$TMPDIR/near.so" --format json)" \
    '"error_place":"OutputTensor \{0,0,0,3\}' '  and in JSON'
judge far
is "$?" 1 'an error beyond the bound fails'
like "$(stored far)" '^fail\|OutputTensor \{0,0,0,3\}: got ' '  its place is stored, too'
# A longer output is judged in blocks.
cat >"$TMPDIR/long.json" <<'J'
{"cases": [{"name": "long", "type": "DML_OPERATOR_ELEMENT_WISE_EXP", "fill": "one",
  "desc": {"InputTensor": {"DataType": "FLOAT32", "Sizes": [1, 3, 50, 70]},
           "OutputTensor": {"DataType": "FLOAT32", "Sizes": [1, 3, 50, 70]}, "ScaleBias": null}}]}
J
"$ASSAY" run --cases "$TMPDIR/long.json" long -d "$TMPDIR/near.so" --db "$TMPDIR/long.db" >"$TMPDIR/out" 2>&1
is "$?" 0 'errors of a long output pass'
like "$(stored long)" '^pass\|OutputTensor \{0,0,0,3\}: got 2\.718.*, InputTensor 1 \(0x3f800000\)$' '  with their place'
"$ASSAY" run --cases "$TMPDIR/long.json" long -d "$TMPDIR/far.so" --db "$TMPDIR/long_far.db" >"$TMPDIR/out" 2>&1
is "$?" 1 'an error beyond the bound fails there'
is "$(sqlite3 "$TMPDIR/long_far.db" 'SELECT wrong_count, wrong_coordinates FROM results')" '1|{0,0,0,3}' \
    '  with the one wrong element'

"$ASSAY" run --cases "$TMPDIR/case.json" exp -d reference --db "$TMPDIR/right.db" >"$TMPDIR/out" 2>&1
is "$(stored right)" 'pass|' 'without an error there is no place'
is "$(sqlite3 "$TMPDIR/right.db" 'SELECT count(*) FROM detail')" 0 '  and no row of details'

# The documents leave integers beyond their type open, so the distance from the exact result is no error there.
cat >"$TMPDIR/beyond.json" <<'J'
{"cases": [{"name": "beyond", "type": "DML_OPERATOR_CAST",
  "desc": {"InputTensor": {"DataType": "FLOAT32", "Sizes": [1, 1, 1, 4]},
           "OutputTensor": {"DataType": "UINT8", "Sizes": [1, 1, 1, 4]}},
  "inputs": {"InputTensor": [300, -5, 1e30, 7]}}]}
J
"$ASSAY" run --cases "$TMPDIR/beyond.json" beyond -d reference --db "$TMPDIR/beyond.db" >"$TMPDIR/out" 2>&1
is "$(sqlite3 "$TMPDIR/beyond.db" 'SELECT status, error_share FROM results')|$(stored beyond)" 'pass|0.0|pass|' \
    'an integer beyond its type has no error'

few_operators # a report plans all cases
"$ASSAY" report "$TMPDIR/near.db" --json "$TMPDIR/near.json" --markdown "$TMPDIR/near.md"
is "$(jq -r '.largest_errors[] | [.operator, .data_types, .cases, .error_ulps > 2.4, .error_share < 1] | @csv' \
    "$TMPDIR/near.json")" '"ELEMENT_WISE_EXP","float32",1,true,true' 'a report shows it by operator and device'
like "$(jq -r '.largest_errors[0].element' "$TMPDIR/near.json")" '^OutputTensor \{0,0,0,3\}' '  with the element'
like "$(tr -d '\140' <"$TMPDIR/near.md")" \
    '\| ELEMENT_WISE_EXP \| float32 \| [23]\.?[0-9]* \| 0\.0[0-9]* \| OutputTensor' \
    '  in Markdown, too'
tap_done
