#!/bin/bash
# tools/pagecheck: the documents' own pages, if available, a page as published, and altered copies.
# shellcheck disable=SC2016 # the backquotes are those of Markdown
. tools/tap.sh
pages=../shared/docs/pages
page=$TMPDIR/page.md
altered=$TMPDIR/altered
mkdir "$altered"

# alter NAME SCRIPT DIFFERENCES PATTERN: a copy of $from, changed by sed SCRIPT, is to have that many differences, and
# one that matches PATTERN. `compared` checks all copies at once.
names=() counts=() patterns=()
alter() {
    local copy=$altered/${#names[@]}.md
    sed "$2" "$from" >"$copy"
    [ -n "$2" ] && cmp -s "$from" "$copy" && ok 1 "sed '$2' changes nothing"
    names+=("$1") counts+=("$3") patterns+=("$4")
}
compared() {
    local said status i lines
    said=$(tools/pagecheck "$altered"/*.md 2>&1)
    status=$?
    is "$status $(tail -n 1 <<<"$said")" \
        "1 ${#names[@]} pages compared, $(IFS=+ && echo $((${counts[*]}))) differences" 'all altered pages are compared'
    for i in "${!names[@]}"; do
        lines=$(grep -F "$altered/$i.md: " <<<"$said")
        is "$(grep -c ' page says ' <<<"$lines")" "${counts[i]}" "${names[i]}: ${counts[i]} differences"
        [ "${counts[i]}" = 0 ] || like "$lines" "${patterns[i]}" "  of which one matches: ${patterns[i]}"
    done
}
# status EXPECTED NUMBER: the exit status for the copy of this number alone.
status() {
    tools/pagecheck "$altered/$2.md" >"$TMPDIR/said" 2>&1
    is $? "$1" "${names[$2]}: exit status"
}

if [ ! -d "$pages" ]; then
    ok 0 "the documents' pages # SKIP they are not available"
else
    said=$(tools/pagecheck "$pages"/*.md)
    is $? 0 "the specs agree with the documents' pages"
    is "$said" '4 pages compared, 0 differences' '  all four'
    from=$pages/NONZERO_COORDINATES.md
    alter 'a constraint is gone' '/must have the same/d' 1 'same DimensionCount: page says nothing, spec says InputTensor'
    alter 'a pattern is shorter' 's/{ \[1\], 1, 1, M, N }/{ 1, 1, M, N }/' 1 'OutputCoordinatesTensor: dimensions: page says { 1'
    from=$pages/SCATTER_ND.md
    alter 'a member of the struct moved' '/^  UINT *InputDimensionCount;/d' 1 'members of the struct'
    alter 'another level' 's/FEATURE_LEVEL_2_1`/FEATURE_LEVEL_2_0`/' 1 'introduced: page says 2_0, spec says 2_1'
fi

few_operators # from here on, since fewer specs are read faster

# A page as published: front matter, -field headings, a newer level than in the documents' pages.
from=$TMPDIR/published.md
cat >"$from" <<'PAGE'
---
UID: NS:directml.DML_GATHER_ELEMENTS_OPERATOR_DESC
title: DML_GATHER_ELEMENTS_OPERATOR_DESC
req.header: directml.h
---

## -description

Pseudocode, which holds no members:

```
output[i, j, k] = input[index[i, j, k], j, k]
```

## -struct-fields

### -field InputTensor

Type: **const [DML_TENSOR_DESC](/windows/win32/api/directml/ns-directml-dml_tensor_desc)\***

### -field IndicesTensor

Type: **const [DML_TENSOR_DESC](/windows/win32/api/directml/ns-directml-dml_tensor_desc)\***

### -field OutputTensor

Type: **const [DML_TENSOR_DESC](/windows/win32/api/directml/ns-directml-dml_tensor_desc)\***

### -field Axis

Type: [**UINT**](/windows/desktop/winprog/windows-data-types)

## -remarks

## Availability
This operator was introduced in `DML_FEATURE_LEVEL_2_1`.

## Tensor constraints
* `IndicesTensor`, *InputTensor*, and *OutputTensor* must have the same *DimensionCount*.
* *InputTensor* and *OutputTensor* must have the same *DataType*.

## Tensor support

### DML_FEATURE_LEVEL_4_1 and above
| Tensor | Kind | Supported dimension counts | Supported data types |
| ------ | ---- | -------------------------- | -------------------- |
| InputTensor | Input | 1 to 8 | FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16, UINT8 |
| IndicesTensor | Input | 1 to 8 | INT64, INT32, UINT64, UINT32 |
| OutputTensor | Output | 1 to 8 | FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16, UINT8 |

### DML_FEATURE_LEVEL_3_0 and above
| Tensor | Kind | Supported dimension counts | Supported data types |
| ------ | ---- | -------------------------- | -------------------- |
| InputTensor | Input | 1 to 8 | FLOAT32, FLOAT16, INT32, INT16, INT8, UINT32, UINT16, UINT8 |
| IndicesTensor | Input | 1 to 8 | INT64, INT32, UINT64, UINT32 |
| OutputTensor | Output | 1 to 8 | FLOAT32, FLOAT16, INT32, INT16, INT8, UINT32, UINT16, UINT8 |

### DML_FEATURE_LEVEL_2_1 and above
| Tensor | Kind | Supported dimension counts | Supported data types |
| ------ | ---- | -------------------------- | -------------------- |
| InputTensor | Input | 4 | FLOAT32, FLOAT16, INT32, INT16, INT8, UINT32, UINT16, UINT8 |
| IndicesTensor | Input | 4 | UINT32 |
| OutputTensor | Output | 4 | FLOAT32, FLOAT16, INT32, INT16, INT8, UINT32, UINT16, UINT8 |
PAGE
published=${#names[@]}
alter 'the published form' '' 0 ''
alter 'line ends of Windows' 's/$/\r/' 0 ''
alter 'headings of the site' 's/^title:.*/x:/; s/^## -struct-fields/# DML_GATHER_ELEMENTS_OPERATOR_DESC\n## Members/; s/^### -field \(.*\)/### `\1`/' 0 ''
alter 'a type is gone' '0,/INT64, INT32, UINT64, UINT32/s//INT64, INT32, UINT64/' 1 \
    'level 4_1: IndicesTensor: data types: page says INT32, INT64, UINT64, spec says INT32, INT64, UINT32, UINT64$'
alter 'a type is new' 's/| Input | 4 | UINT32 |/| Input | 4 | UINT32, INT4 |/' 1 'level 2_1: IndicesTensor: data types'
alter 'a dimension count' 's/^| OutputTensor | Output | 4 /| OutputTensor | Output | 4 to 5 /' 1 \
    'level 2_1: OutputTensor: dimension counts: page says 4 to 5, spec says 4$'
alter 'another level of a table' 's/_3_0 and/_3_1 and/' 1 'level 3_0: page says nothing, spec says a table'
alter 'a table is gone' '/_3_0 and/,/^$/d' 1 'level 3_0: page says nothing, spec says a table'
alter 'a level below the first' 's/_2_1 and/_2_0 and/' 2 'level 2_0: page says a table, spec says the operator exists'
alter 'a row is gone' '/^| IndicesTensor | Input | 4 /d' 1 'level 2_1: IndicesTensor: page says nothing, spec says a tensor'
alter 'a row of another tensor' 's/^| IndicesTensor | Input | 4 /| IndexTensor | Input | 4 /' 2 'a tensor IndexTensor'
alter 'a kind' 's/^| IndicesTensor | Input /| IndicesTensor | Optional input /' 1 'kind of IndicesTensor: page says optional input'
alter 'a field of another name' 's/^### -field Axis/### -field Axes/' 1 'fields: page says .*, Axes, spec says .*, Axis$'
alter 'two fields change places' 's/^\(### -field\) InputTensor/\1 X/; s/^\(### -field\) IndicesTensor/\1 InputTensor/; s/^\(### -field\) X/\1 IndicesTensor/' \
    1 'fields: page says IndicesTensor, InputTensor'
alter 'another type of field' 's/^Type: \[\*\*UINT.*/Type: **FLOAT**/' 1 'Axis: page says \*\*FLOAT\*\*, spec says uint$'
alter 'a constraint names one more' 's/^\* \*InputTensor\* and/* *IndicesTensor*, *InputTensor*, and/' 1 'same DataType'
alter 'a constraint names one less' 's/`IndicesTensor`, \*InputTensor\*, and/*InputTensor* and/' 1 'same DimensionCount'
alter 'a constraint is new' 's/^\* \*InputTensor\* and.*/&\n* *InputTensor* and *IndicesTensor* must have the same *Sizes*./' 1 'same Sizes'
compared
status 0 "$published"
status 1 "$((published + 3))"

# An altered spec.
cp -r "$few/specs" "$TMPDIR/specs"
sed -i '/name = "GATHER_ELEMENTS"/,/same =/s/"3_0", \(.*\) integer32_64/"3_0", \1 uint32/' "$TMPDIR/specs/catalogue.lua"
! cmp -s specs/catalogue.lua "$TMPDIR/specs/catalogue.lua"
ok $? 'a catalogue can be altered'
like "$(tools/pagecheck --specs "$TMPDIR/specs" "$from")" 'level 3_0: IndicesTensor: data types: page says INT32' 'an altered spec'

# Errata, and pages that cannot be compared.
printf '# DML_SCATTER_OPERATOR_DESC structure\n## Availability\nThis operator was introduced in `DML_FEATURE_LEVEL_1_0`.\n' >"$page"
like "$(tools/pagecheck "$page")" '^[^ ]*: fields: page says nothing' 'an erratum is no difference, missing fields are'
echo '# DML_ABSENT_OPERATOR_DESC structure' >"$page"
said=$(tools/pagecheck "$page" 2>&1)
is $? 2 'a page without a spec: nothing compared'
like "$said" 'no spec is for page ABSENT' '  with the reason'
tools/pagecheck 2>/dev/null
is $? 2 'no page'
tap_done
