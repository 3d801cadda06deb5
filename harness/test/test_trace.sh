#!/bin/bash
# Every sentence and ruling is traced to cases; a missing source, id, case or reason is reported.
. tools/tap.sh
specs=$TMPDIR/specs
cases=$TMPDIR/cases

said=$("$ASSAY" spec --trace --check)
is $? 0 'nothing is untraced'
printf '%s\n' "$said" | sed 's/^/# /'
like "$said" '^pages 4, sentences 288: ' 'all sentences of the four pages are there'

# broken PATTERN NAME: with the altered copies, --check exits with 1 and has a line that matches.
broken() {
    said=$("$ASSAY" spec --trace --check --specs "$specs" --cases "$cases" 2>"$TMPDIR/err")
    is $? 1 "$2: exits with 1"
    like "$said" "$1" "  and says: $1"
    is "$(printf '%s\n' "$said" | grep -Ev "$1")" '' '  and nothing else'
}
# Few operators, which are planned in a moment, and the rulings about them. Their cases are few, too: each example, each
# rule broken at the lowest level where it can be, and one case for each level and behaviour.
few=$(dirname "$ASSAY")/few
fresh() {
    rm -rf "$specs" "$cases"
    cp -r "$few/specs" "$specs"
    mkdir "$cases"
    cp cases/examples.lua "$cases"
    cat >"$cases/violations.lua" <<'LUA'
return strategy "violations" {
  plan = "Each rule broken at the lowest level; numbers of dimensions that differ at all levels, as few of them can.",
  cases = function(op)
    for i, level in ipairs(op.levels) do
      for _, rule in ipairs(op.rules) do
        if not rule.behaviour and (i == 1 or rule.id == "same-dims") then op:violate(level.name, rule.id) end
      end
    end
  end,
}
LUA
    cat >"$cases/evidence.lua" <<'LUA'
return strategy "evidence" {
  plan = "A case for each level and for each behaviour.",
  cases = function(op)
    local has, types, last = {}, {}, op.levels[#op.levels].name
    for _, rule in ipairs(op.rules) do has[rule.id] = true end
    for _, tensor in ipairs(op.tensors) do if tensor.index then types[tensor.group] = "INT32" end end
    for _, level in ipairs(op.levels) do op:emit { label = "level", level = level.name } end
    for kind, behaviour in pairs { negative = "negative-indices", duplicates = "duplicates", far = "out-of-range" } do
      if has[behaviour] then
        op:emit { label = kind, level = last, types = types, indices = kind, room = 2, tests = behaviour }
      end
    end
    if has["tuple-size"] then op:emit { label = "tuple-size", level = last, tests = "tuple-size" } end
    op:emit { label = "special", level = last, fill = "special" }
    op:emit { label = "slack", level = last, slack = 1, tests = "total-multiple" }
    op:emit { label = "padded", level = last, strides = { [op.tensors[1].name] = "padded" }, tests = "strided" }
  end,
}
LUA
    rm "$specs/interface.lua"
    sed -i 's/, D105[^"]*"/"/; s/page = "D[^"]*", //' "$specs/tensor.lua"
}
# alter FILE SCRIPT: sed, which must change something.
alter() {
    fresh
    cp "$1" "$TMPDIR/before"
    sed -i "$2" "$1"
    cmp -s "$TMPDIR/before" "$1" && echo "# sed '$2' changes nothing in $1"
}

alter "$specs/gather_nd.lua" 's/informative = "104, /informative = "/'
broken '^GATHER_ND: sentence bed83-104 is not classified' 'a sentence is no longer informative'
alter "$specs/gather_elements.lua" 's/page = "ce721-122", //'
broken '^GATHER_ELEMENTS: sentence ce721-122 is not classified' 'a rule has no page'
alter "$specs/scatter_nd.lua" 's/page = "c050c-117", //'
broken '^SCATTER_ND: (sentence c050c-117 is not|example tuples: has no page and no ruling)' 'an example has no page'
alter "$specs/gather_nd1.lua" '/introduced = "bed83-139"/d'
broken '^GATHER_ND: sentence bed83-139 is not' 'a sentence that another operator carries'
alter "$specs/gather_nd.lua" 's/informative = "104,/informative = "104, 116,/'
broken '^GATHER_ND: sentence bed83-116 is informative, but tuple-size carries it$' 'a sentence is two things'
alter "$specs/gather_nd.lua" 's/informative = "104,/informative = "104, 104,/'
broken '^GATHER_ND: sentence bed83-104 is informative twice$' 'a sentence is listed twice'
alter "$specs/gather_nd.lua" 's/informative = "104,/informative = "104, 99..101, x,/'
broken "^GATHER_ND: informative: '(99..101|x)' is not a sentence of bed83-104 to 182$" 'numbers off the page'
alter "$specs/nonzero_coordinates.lua" 's/page = "3d922-106"/page = "3d922-106, 3d922-999"/'
broken "^NONZERO_COORDINATES: behaviour signed-zero: '3d922-999' is not a sentence of a page$" 'an id is off the page'
alter "$specs/nonzero_coordinates.lua" 's/page = "3d922-106"/page = "3d922-106, page 7"/'
broken "^NONZERO_COORDINATES: behaviour signed-zero: '(page|7)' is not a sentence of a page$" 'a source is none'
alter "$specs/gather_nd.lua" 's/ruling = "A4"/ruling = "A4, A99"/'
broken "^GATHER_ND: rule output-rank: 'A99' is not a ruling$" 'a ruling that there is not'
alter "$specs/nonzero_coordinates.lua" 's/, ruling = "A45"//'
broken '^ruling A45: it has no carrier, and no reason is given$' 'a ruling is carried nowhere'
alter "$specs/rulings.lua" 's/^\(  { "A20", "[^"]*"\), unused = "[^"]*"/\1/'
broken '^ruling A20: it has no carrier' 'a reason is taken away'
alter "$specs/rulings.lua" 's/^  { "A40", "[^"]*"/&, unused = "no"/'
broken '^ruling A40: marked as not applicable, but signed-zero of [A-Z_]* carries it' 'a ruling is two things'
alter "$specs/nonzero_coordinates.lua" 's/ruling = "A41"/ruling = ""/; s/fill = "special" }/fill = "special" }/'
broken '^(NONZERO_COORDINATES: behaviour not-a-number: has no page and no ruling as its source|ruling A41: it has no carrier)' 'nobody says so'

# The sentences of device.h.
few_operators
cp -r "$few/specs" "$TMPDIR/interface"
mkdir "$TMPDIR/examples"
cp cases/examples.lua "$TMPDIR/examples"
# interface PATTERN NAME SCRIPT: as broken(), with a copy of interface.lua that sed has altered.
interface() {
    sed "$3" specs/interface.lua >"$TMPDIR/interface/interface.lua"
    cmp -s specs/interface.lua "$TMPDIR/interface/interface.lua" && echo "# sed '$3' changes nothing"
    said=$("$ASSAY" spec --trace --check INTERFACE --specs "$TMPDIR/interface" --cases "$TMPDIR/examples" 2>&1)
    like "$said" "$1" "$2: $1"
}
interface '^INTERFACE: sentence D58 is not classified' 'a promise that nothing carries' 's/page = "D58, /page = "/'
interface '^INTERFACE: sentence D18 assay, but pointers carries it$' 'a sentence is two things' \
    's/page = "D58, /page = "D18, D58, /'
interface "^INTERFACE: behaviour pointers: 'D999' is not a sentence of a page$" 'an id that there is not' \
    's/page = "D58, /page = "D999, D58, /'
interface "interface.lua:[0-9]+: sentences: 'D2' occurs twice" 'an id twice' 's/{ "D1",/{ "D2",/'
interface "interface.lua:[0-9]+: sentences: D1: 'perhaps' is not known" 'an unknown word' '/{ "D1",/s/"says"/"perhaps"/'
said=$("$ASSAY" spec --trace INTERFACE)
like "$said" '^interface: device.h: 204 sentences' 'the interface has a heading'
like "$said" '^D59 +behaviour +pointers +must +[1-9]' 'a sentence with its behaviour and cases'
like "$said" '^D105 +behaviour +outside' 'one that a behaviour of the operators carries'

# Cases.
alter "$cases/examples.lua" 's/op:example(example)/if example.id ~= "batch" then & end/'
broken '^GATHER_ND1: example batch: no case tests it$' 'an example has no case'
alter "$cases/violations.lua" 's/if not rule.behaviour/if not rule.behaviour and rule.id ~= "tuple-size"/'
broken '^(GATHER|SCATTER)_ND1?: rule tuple-size: no case violates it$' 'a rule is not violated'
alter "$specs/nonzero_coordinates.lua" 's/fill = "sparse special zero"/fill = "zero", indices = "last"/'
broken '^NONZERO_COORDINATES: behaviour signed-zero: no case tests it$' 'a behaviour has no case'

# Invalid commands.
alter "$specs/gather_nd.lua" 's/first = 104/first = 0/'
fails 3 'gather_nd.lua:[0-9]+: sentences: expected' spec --specs "$specs"
alter "$specs/gather_nd.lua" 's/\["3_0"\] = {/["3.0"] = {/'
fails 3 "gather_nd.lua:[0-9]+: .*levels: the catalogue has no table of level 3.0" spec --specs "$specs"
alter "$specs/gather.lua" 's/indices = "any negative"/indices = "any negativ"/'
fails 3 "gather.lua:[0-9]+: behaviour \"negative-indices\": shown_by: indices: 'negativ' is not known" spec --specs \
    "$specs"
alter "$specs/rulings.lua" 's/{ "A2",/{ "A1",/'
fails 3 "rulings.lua:[0-9]+: rulings: 'A1' occurs twice" spec --specs "$specs"

# The matrix.
"$ASSAY" run gather_nd -d reference -d mutants:fault=flip-bit --db "$TMPDIR/run.db" >/dev/null
said=$("$ASSAY" spec --trace GATHER_ND --db "$TMPDIR/run.db")
is $? 0 'the matrix is printed'
like "$said" '^bed83-116 +rule +tuple-size +reject +[0-9]+ +[1-9][0-9]* +[1-9][0-9]* ' 'a rule, with its cases'
like "$(printf '%s\n' "$said" | grep -E '^source')" \
    '(mutants:fault=flip-bit +reference|reference +mutants:fault=flip-bit)$' \
    'a column for each device'
like "$(printf '%s\n' "$said" | grep -E ' example 2d-remapping ')" 'pass' 'which passes on one'
like "$(printf '%s\n' "$said" | grep -E ' example 2d-remapping ')" 'fail' 'and fails on the other'
like "$said" '^bed83-139 +rule +introduced of GATHER_ND1' 'rules that carry a sentence of another page are shown'
like "$("$ASSAY" spec --trace)" '^B18 +' 'without operators the rulings follow'
fails 3 'not a database|file is not' spec --trace --db specs/tensor.lua
fails 3 'nowhere' spec --trace --db "$TMPDIR/nowhere.db"
fails 2 'is for --trace' spec --db "$TMPDIR/run.db"
fails 2 "no operator is named 'GATHERND'; did you mean GATHER_ND" spec --trace GATHERND

# JSON, from files with hostile text.
json() { "$ASSAY" spec --json --specs "$specs" "$@"; }
valid() { if command -v python3 >/dev/null; then python3 -m json.tool; else jq .; fi >/dev/null; }
fresh
json | valid
ok $? 'all specs are valid JSON'
is "$(json | grep -c '^ {"name"')" "$(cat "$specs"/*.lua | grep -oE '\boperator "[A-Z0-9_]+"' | wc -l)" \
    'of all operators with a spec'
is "$(json GATHER | grep -c '^ {"name"')" 1 'or of one'
printf 's/text = "values are copied bit for bit"/text = "\\\\"a\\\\\\\\b\\\\1\\\\n\xff\xc2\x85\xc3\xa4"/\n' \
    >"$TMPDIR/script"
LC_ALL=C sed -i -f "$TMPDIR/script" "$specs/gather.lua"
json GATHER >"$TMPDIR/json"
valid <"$TMPDIR/json"
ok $? 'quotes, controls and broken UTF-8 are escaped'
like "$(cat "$TMPDIR/json")" '"exact".*\\"a\\\\b\\u0001\\u000a\\\\xff\\u0085ä"' '  as JSON wants it'

tap_done
