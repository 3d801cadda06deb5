#!/bin/bash
# The search for wrong accepts and rejects: none on the reference device, each kind of finding on broken devices, the
# same findings from the same seed, in parts as in one piece. long/test_fuzz.sh searches longer, on more broken devices.
. tools/tap.sh

# fuzz NAME ARGUMENT…: JSON lines to $TMPDIR/NAME.
fuzz() {
    local name=$1
    shift
    timeout 120 "$ASSAY" fuzz --format json "$@" >"$TMPDIR/$name" 2>"$TMPDIR/$name.err"
    local status=$?
    thin "$TMPDIR/$name" >>"$TMPDIR/lines"
    return $status
}
# The schema is checked for some entries of a long matrix, and for one of each form; with FUZZ_WHOLE for all.
thin() {
    if [ "$FUZZ_WHOLE" = 1 ]; then cat "$1"; else
        jq -c 'if .matrix then .matrix |= .[:60] + unique_by(map_values(type)) else . end' "$1"
    fi
}
# last NAME FILTER: applies a jq filter to the last line of $TMPDIR/NAME.
last() { tail -n 1 "$TMPDIR/$1" | jq -r "$2"; }
groups() { jq -r 'select(.type == "finding") | [.kind, .rule, .minimum] | join(" ")' "$TMPDIR/$1"; }
# The lines without what depends on time.
timeless() { jq -S 'del(.seconds, .per_second)' "$TMPDIR/$1"; }

FUZZ_WHOLE=${FUZZ_WHOLE:-0} # 1: as long/test_fuzz.sh does
# The search on the right device has one operator of 12, with FUZZ_WHOLE all.
"$ASSAY" spec --json | jq -r --argjson each $((FUZZ_WHOLE ? 1 : 12)) \
    '.operators | to_entries[] | select(.key % $each == 0) | .value | [.name, .since] | join(" ")' >"$TMPDIR/searched"
operators=$(wc -l <"$TMPDIR/searched")
later=$(awk '$2 > "2_0"' "$TMPDIR/searched" | wc -l)
mapfile -t searched < <(awk '{ print "-o"; print $1 }' "$TMPDIR/searched")
count=$(((FUZZ_WHOLE ? 66000 : 50000) * operators)) # three or four chunks for each
fuzz reference -d reference "${searched[@]}" --count $count -j 2
is $? 0 'the reference device and the rules agree'
is "$(wc -l <"$TMPDIR/reference")" 1 'and nothing is found'
is "$(last reference .type)" summary 'the last line sums up'
is "$(last reference .count)" $count 'the search tried the given number of descriptions'
is "$(last reference 'has("seconds") and .per_second > 0')" true 'it has the time and the rate'
is "$(last reference '[.matrix[] | select(.rule == "") | .right_accept, .right_reject, .open_accept, .open_reject | values] | add')" \
    $count 'the matrix counts every description'
is "$(last reference '[.matrix[] | select(.rule == "" and .broken > 0) | .broken] | unique | join(",")')" 1,2,3,4 \
    'descriptions break from one to four rules'
is "$(last reference '[.matrix[] | select(.rule == "" and .broken == 1)] | length')" "$operators" \
    'every operator has them'
is "$(last reference '[.not_reached[] | select(.rule != "broadcast-limit")] | length')" 0 \
    'every rule is broken alone, except one that some operators cannot break alone'
fuzz low -d reference:level=2_0 "${searched[@]}" --count $count -j 2
is $? 0 'they agree at level 2_0'
is "$(last low '[.matrix[] | select(.rule == "introduced" and .broken == 1)] | length')" "$later" \
    'which lacks later operators'

# The rest is about operators that the program with few operators has, too, but for two of its searches.
complete=$ASSAY
few_operators

# The human format, and the reproduce line.
"$ASSAY" fuzz -d mutants:ignore=GATHER/axis-range -o GATHER --count 33000 >"$TMPDIR/human"
is $? 1 'a finding fails the search'
like "$(cat "$TMPDIR/human")" 'wrong accept GATHER axis-range: [0-9]+ descriptions' 'it names kind, operator and rule'
smallest='GATHER InputTensor=FLOAT32[1] IndicesTensor=UINT32[1] OutputTensor=FLOAT32[1] Axis=1 IndexDimensions=0'
is "$(grep -c "smallest   ${smallest//[/\\[}, after" "$TMPDIR/human")" 1 'and the smallest description'
bash -c "$(sed -n 's/^  reproduce  //p' "$TMPDIR/human")" >"$TMPDIR/again"
is $? 1 'the reproduce line fails, too'
is "$(head -n 1 "$TMPDIR/again")" "$smallest" 'on the same description'
like "$(cat "$TMPDIR/again")" 'verdict    wrong accept' 'with the same verdict'
odd='GATHER InputTensor=null IndicesTensor=99[?,?]:total=7:align=3:flags=2:type=0 OutputTensor=FLOAT16[2,0]:strides[1,5] Axis=7 IndexDimensions=0'
is "$("$ASSAY" fuzz "$odd" -d reference | head -n 1)" "$odd" 'a description is printed as it is read'

# The same seed gives the same findings; parts add up to the whole.
permuted=(-d mutants:fault=reject-permuted -o SCATTER_ND -o GATHER_ND)
fuzz one "${permuted[@]}" --count 49152 --seed 7 # three chunks
fuzz two "${permuted[@]}" --count 49152 --seed 7 -j 2
is "$(timeless one)" "$(timeless two)" 'two workers find the same as one'
fuzz other "${permuted[@]}" --count 49152 --seed 8
[ "$(timeless one)" != "$(timeless other)" ]
ok $? 'another seed makes other descriptions'
whole=$(last one '[.matrix[] | select(.rule == "") | .right_accept // 0] | add')
sum=0
for shard in 1/2 2/2; do
    fuzz part "${permuted[@]}" --count 49152 --seed 7 --shard $shard
    sum=$((sum + $(last part '[.matrix[] | select(.rule == "") | .right_accept // 0] | add')))
done
is $sum "$whole" 'two shards add up to the whole'
sum=0
for first in 0 2; do
    fuzz part "${permuted[@]}" --count $((first ? 16384 : 32768)) --seed 7 --first $first
    sum=$((sum + $(last part '[.matrix[] | select(.rule == "") | .right_accept // 0] | add')))
done
is $sum "$whole" 'and so do a search and one that continues where it ended'

# Devices that harm their process.
fuzz crash -d mutants:fault=crash-reject -o GATHER_ELEMENTS --count 16384 --timeout 20
is $? 1 'a device that crashes fails'
like "$(groups crash)" 'crash axis-range GATHER_ELEMENTS InputTensor=FLOAT32\[1\] .* Axis=1' \
    'crashes are found per rule'
is "$(last crash .count)" 16384 'the search continues after them'
is "$(last crash '[.matrix[] | select(.rule == "") | .left_out // 0] | add > 0')" true \
    'and skips descriptions like those that keep crashing'
fuzz hang -d mutants:fault=hang -o GATHER --count 16384 --execute 0.01 --timeout 1
like "$(groups hang)" '^hang .* IndexDimensions=0$' 'a hang is found and shrunk'
is "$(jq -r 'select(.type == "finding").message' "$TMPDIR/hang")" 'no answer in time' 'with a message that says so'
fuzz everywhere -d mutants:fault=write-everywhere -o GATHER --count 16384 --execute 0.005
like "$(groups everywhere)" '^crash .* IndexDimensions=0$' \
    'a device that writes over the harness'"'"'s memory is a crash'
fuzz daemon -d mutants:fault=leave-daemon-crash -o GATHER --count 16384 --execute 0.005
like "$(groups daemon)" '^crash ' 'so is one that leaves a process behind as it crashes'
fuzz corrupt -d mutants:fault=write-past-end -o GATHER --count 32768 --execute 0.01
like "$(groups corrupt)" 'corrupt_memory' 'a write outside a tensor is found where descriptions are executed'
fuzz failing -d mutants:fault=fail-and-log -o GATHER --count 16384 --execute 0.01
is "$(jq -r 'select(.type == "finding") | [.kind, .message] | join(": ")' "$TMPDIR/failing" | sort -u)" \
    'wrong_result: dispatch returned E_FAIL: the kernel wrote a log' \
    'a dispatch that fails is a wrong result, whatever its message'
fuzz wrong -d mutants:fault=flip-bit -o SCATTER_ND --count 16384 --execute 0.1
like "$(groups wrong)" '^wrong_result ' 'so is a wrong result'
is "$(jq -c 'select(.type == "finding") | [.data.fill, .data.indices]' "$TMPDIR/wrong")" '["zero","first"]' \
    'with contents shrunk to zeros and first indices'
fuzz denormal -d mutants:fault=denormals-16-flushed -o GATHER --count 16384 --execute 0.2
is "$(jq -c 'select(.type == "finding") | .data.fill' "$TMPDIR/denormal")" '"denormal"' 'unless it needs other contents'
fuzz right -d reference -o SCATTER_ND --count 16384 --execute 0.1
is "$? $(last right '.executed > 100')" '0 true' 'the reference device has no wrong result'
fuzz harm -d mutants:fault=set-locale -o GATHER --count 16384
is "$? $(jq -r 'select(.type == "finding") | [.kind, .rule, .message] | join(" ")' "$TMPDIR/harm")" \
    '1 harmed_process  changed the locale, which belongs to the process' 'a changed locale is one finding'
bash -c "$(jq -r 'select(.type == "finding").reproduce' "$TMPDIR/harm")" >"$TMPDIR/again"
like "$(cat "$TMPDIR/again")" 'verdict    harmed process' 'which its reproduce line shows'

"$ASSAY" fuzz -d mutants:fault=flip-bit --allow write="$TMPDIR" -o GATHER --count 16384 --execute 0.01 >"$TMPDIR/human"
like "$(grep reproduce "$TMPDIR/human")" "--allow '?write=$TMPDIR'? --execute 1" 'a reproduce line repeats --allow'

# Rules of an operator: each ignored or taken too strictly, in turn; with FUZZ_WHOLE=1 both. FUZZ_OPERATORS="GATHER …"
# for other operators.
"$ASSAY" devices --allow write="$TMPDIR" "mutants:list=$TMPDIR/list" >/dev/null 2>&1
# No level is below the one that introduced GATHER. Descriptions below are of the two devices that are taken always.
awk -F'\t' -v whole="$FUZZ_WHOLE" -v operators=" ${FUZZ_OPERATORS:-NONZERO_COORDINATES} " '
    ($1 != "ignored" && $1 != "limit") || !index(operators, " " $3 " ") || $4 == "ignore=GATHER/introduced" { next }
    { turn = n++ % 4 }
    whole == 1 || turn == 0 || turn == 3 || $4 ~ /^ignore=.*\/(sizes-nonzero|element-limit)$/' \
    "$TMPDIR/list" >"$TMPDIR/chosen"
judged=()
while IFS=$'\t' read -r group strength operator arguments _; do
    while [ "$(jobs -rp | wc -l)" -ge 2 ]; do wait -n; done
    timeout 120 "$ASSAY" fuzz --format json -d "mutants:$arguments" -o "$operator" --count $((FUZZ_WHOLE ? 65536 : 32768)) \
        >"$TMPDIR/mutant.${#judged[@]}" 2>/dev/null &
    kind=wrong_reject
    [ "$group" = ignored ] && kind=wrong_accept
    if [ "$strength" = open ] && [ "$group" = ignored ]; then kind=; fi
    judged+=("$arguments $kind")
done <"$TMPDIR/chosen"
wait
missed=
for ((i = 0; i < ${#judged[@]}; i++)); do
    read -r arguments kind <<<"${judged[i]}"
    rule=${arguments#*/}
    found=$(jq -r --arg rule "${rule%%,*}" 'select(.type == "finding")
        | .kind + (if .rule == $rule or (.also | split(", ") | index($rule)) then "" else " " + .rule end)' "$TMPDIR/mutant.$i")
    [ "$found" = "$kind" ] || missed+=" $arguments(${found//$'\n'/;})"
done
is "$missed" '' 'every rule that a device ignores or takes too strictly is found, as one group with that rule'
ok $((${#judged[@]} > (FUZZ_WHOLE ? 30 : 15) ? 0 : 1)) "on ${#judged[@]} such devices"
# The smallest description deviates in one place only, if that suffices.
described=0
for i in "${!judged[@]}"; do
    case ${judged[i]%% *} in
        ignore=NONZERO_COORDINATES/sizes-nonzero) like "$(groups "mutant.$i")" \
            'InputTensor=FLOAT32\[0\] OutputCountTensor=UINT32\[1\]' 'one size is 0' ;;
        ignore=NONZERO_COORDINATES/element-limit) like "$(groups "mutant.$i")" \
            'OutputCoordinatesTensor=UINT32\[2147483648,2\]' 'one element too many' ;;
        *) continue ;;
    esac
    described=$((described + 1))
done
[ "${FUZZ_OPERATORS:-}" ] || is $described 2 'two smallest descriptions are known'

# Findings in a database: stored, replayed, resumed from, promoted to cases.
db=$TMPDIR/fuzz.db
"$ASSAY" fuzz -d mutants:ignore=GATHER/axis-range -o GATHER --count 32768 --db "$db" >/dev/null
is "$? $(sqlite3 "$db" 'select kind, operator, rule, minimum from fuzz_findings')" \
    "1 wrong accept|GATHER|axis-range|$smallest" 'a finding is stored'
is "$(sqlite3 "$db" "select sum(count) from fuzz_count where rule = ''")" 32768 'and the matrix'
"$ASSAY" fuzz -d mutants:ignore=GATHER/axis-range --replay --db "$db" >"$TMPDIR/replay"
is "$? $(sed -n 's/ and [0-9]* kept.*//p' "$TMPDIR/replay")" '1 2 findings' \
    'a replay finds both the original and the smallest'
fuzz replay.json -d mutants:ignore=GATHER/axis-range --replay --db "$db"
is "$? $(jq -r .kind "$TMPDIR/replay.json" | sort -u)" '1 wrong_accept' 'also in JSON'
kept=$(sqlite3 "$db" "select count(*) from fuzz_corpus where reached = 'rules'")
ok $((kept > 100 ? 0 : 1)) "the corpus has $kept descriptions that broke new sets of rules"
"$ASSAY" fuzz -d reference --replay --db "$db" >/dev/null
is $? 0 'a replay on the reference device finds nothing'
"$ASSAY" fuzz -d mutants:ignore=GATHER/axis-range -o GATHER --count 16384 --db "$db" --resume >/dev/null
is "$(sqlite3 "$db" 'select group_concat(first) from (select first from fuzz_hunt order by id)')" 0,2 \
    'a later search continues where the first ended'
is "$(sqlite3 "$db" 'select count(*) from (select 1 from fuzz_corpus group by description having count(*) > 1)')" 0 \
    'and adds nothing to the corpus twice'
is "$(sqlite3 "$db" 'select distinct declared, feature_level from fuzz_hunt')" '6_4|6_4' \
    'a search has the level that its device declares'
${CC:-cc} -shared -fPIC -I. -Idevice device/template/mydevice.c -o "$TMPDIR/mydevice.so"
for device in "$TMPDIR/mydevice.so" reference:level=2_1; do
    "$ASSAY" fuzz -d "$device" -o GATHER_ELEMENTS --count 1000 --db "$TMPDIR/level.db" >/dev/null
done
is "$(sqlite3 "$TMPDIR/level.db" 'select declared, feature_level from fuzz_hunt order by id' | tr '\n' ' ')" \
    'none|6_4 2_1|2_1 ' \
    'and by which level it was judged'
"$ASSAY" run gather.examples -d reference --db "$db" >/dev/null
is "$? $("$ASSAY" compare "$db" 2>&1 | grep -c damaged)" '0 0' 'runs go into the same database'
mkdir "$TMPDIR/cases"
cp cases/regressions.lua "$TMPDIR/cases/"
"$ASSAY" fuzz promote 1 --db "$db" --cases "$TMPDIR/cases" >/dev/null
is $? 0 'a finding can be promoted'
"$ASSAY" run 'gather.regressions.axis-range*' --cases "$TMPDIR/cases" -d reference -d mutants:ignore=GATHER/axis-range \
    >"$TMPDIR/human"
is $? 1 'to a case that the device fails'
is "$(grep -c '^fail gather.regressions.axis-range' "$TMPDIR/human")" 1 'and the reference device passes'
"$ASSAY" fuzz promote 1 --db "$db" --cases "$TMPDIR/cases" >/dev/null
added() { diff cases/regressions.lua "$TMPDIR/cases/regressions.lua" | grep -c "^>.*$1"; }
is "$(added 'Axis=1')" 1 'once'
"$ASSAY" fuzz -d mutants:fault=denormals-16-flushed -o GATHER --count 16384 --execute 0.2 --db "$db" >/dev/null
"$ASSAY" fuzz promote "$(sqlite3 "$db" 'select max(id) from fuzz_finding')" --db "$db" --cases "$TMPDIR/cases" \
    >/dev/null
"$ASSAY" run 'gather.regressions.legal*' --cases "$TMPDIR/cases" -d mutants:fault=denormals-16-flushed >"$TMPDIR/human"
is "$? $(added 'fill = "denormal"')" '1 1' 'one that depends on contents is promoted with these'

# A stranger's findings: what promote adds can be planned, or nothing is added.
cp "$db" "$TMPDIR/forged.db"
forge() { sqlite3 "$TMPDIR/forged.db" "update fuzz_finding set $1 where id = 1"; }
promoted() { "$ASSAY" fuzz promote 1 --db "$TMPDIR/forged.db" --cases "$TMPDIR/cases"; }
before=$(<"$TMPDIR/cases/regressions.lua")
ones='[1,1,1,1,1,1,1,1]:strides[4294967295,4294967295,4294967295,4294967295,4294967295,4294967295,4294967295,4294967295]'
long='BATCH_NORMALIZATION_GRAD Epsilon=1' # longer than any that a search stores
for tensor in {Input,InputGradient,Mean,Variance,Scale,OutputGradient,OutputScaleGradient,OutputBiasGradient}Tensor; do
    long+=" $tensor=FLOAT32$ones"
done
forge "operator = 'BATCH_NORMALIZATION_GRAD', rule = '', minimum = '$long'"
text=$(ASSAY=$complete promoted 2>&1 >/dev/null)
is $? 3 'a finding that makes no case'
like "$text" '^assay: [^ ]*/cases/regressions.lua is as it was, .*regressions.lua:[0-9]+: example "legal-[0-9a-f]+": ' \
    '  is refused'
is "$(<"$TMPDIR/cases/regressions.lua")" "$before" '  and the list is as it was'
forge "operator = 'GATHER', executed = 1, minimum = 'GATHER InputTensor=FLOAT32[1] IndicesTensor=UINT32[1]'
    || ' OutputTensor=FLOAT32[1] Axis=1 IndexDimensions=0'"
promoted >/dev/null
is "$? $(added 'rejected = "axis-range", fill = ')" '0 1' 'a broken rule and contents go into one case'
"$ASSAY" list --count 'gather.regressions' --cases "$TMPDIR/cases" >/dev/null
is $? 0 '  which can be planned'

# Killed: the findings until then are stored, and the search can be resumed.
killed=$TMPDIR/killed.db
"$ASSAY" fuzz -d mutants:ignore=GATHER/axis-range -o GATHER -j 1 --seconds 300 --db "$killed" >/dev/null 2>&1 &
for ((i = 0; i < 600; i++)); do
    next=$(sqlite3 "$killed" "select next from fuzz_hunt where state = 'running' and seconds > 3" 2>/dev/null)
    [ -n "$next" ] && break
    sleep 0.1
done
kill -9 $!
wait $! 2>/dev/null
is "$(sqlite3 "$killed" 'select count(*) from fuzz_findings')" 1 'the findings of a killed search are stored'
fuzz resumed -d mutants:ignore=GATHER/axis-range -o GATHER --count 16384 --db "$killed" --resume
ok "$(($(last resumed .next) > next ? 0 : 1))" 'and it is resumed'
"$ASSAY" fuzz -d reference --seconds 300 --format json >"$TMPDIR/stopped" &
sleep 1
kill -INT $!
wait $!
is "$? $(last stopped .interrupted)" '5 true' 'an interrupted search prints its summary'
thin "$TMPDIR/stopped" >>"$TMPDIR/lines"

# A device that reports which of its code is reached.
if command -v clang >/dev/null; then
    # The functions that read descriptions have counters. The kernels are those of the build, which also says how to
    # link.
    ASSAY=$complete
    build=$(dirname "$ASSAY")
    eval "link=($(cat "$build/flags"))"
    mkdir "$TMPDIR/counted"
    for source in device/common/*.c device/reference/reference.c; do
        clang -c -fPIC -O0 -fsanitize-coverage=inline-8bit-counters -I. -Ibuild "$source" \
            -o "$TMPDIR/counted/$(basename "$source").o" || break
    done
    # shellcheck disable=SC2046,SC2154 # names without spaces; set by eval
    "${link[@]}" -shared "$TMPDIR"/counted/*.o $(find "$build/device/reference" -name '*.o' ! -name reference.o) -lm -o \
        "$TMPDIR/counted.so"
    ok $? 'the reference device builds with coverage counters'
    counted=(-d "$TMPDIR/counted.so" -o GATHER_ND -o SCATTER_ND -o SLICE1 -o REDUCE --count 65536) # a chunk each
    for name in code again; do
        fuzz $name "${counted[@]}" --db "$TMPDIR/$name.db"
        sqlite3 "$TMPDIR/$name.db" 'select reached, description from fuzz_corpus order by id' >"$TMPDIR/$name.kept"
    done
    ok $(($(last code .places) > 200 ? 0 : 1)) "$(last code .places) places of its code are reached"
    ok $(($(grep -c '^code' "$TMPDIR/code.kept") > 20 ? 0 : 1)) 'descriptions that reach one first are kept'
    is "$(timeless code) $(md5sum <"$TMPDIR/code.kept")" "$(timeless again) $(md5sum <"$TMPDIR/again.kept")" \
        'the same seed keeps the same descriptions'
    fuzz more "${counted[@]}" --db "$TMPDIR/code.db"
    ok $(($(sqlite3 "$TMPDIR/code.db" "select count(*) from fuzz_corpus where hunt_id = 2 and reached = 'code'") < \
        $(grep -c '^code' "$TMPDIR/code.kept") ? 0 : 1)) 'a later search varies these, and keeps only new ones'
else
    ok 0 'code coverage # SKIP no clang'
fi
ASSAY=$few/build/assay
[ "$(wc -l <"$TMPDIR/lines")" -gt 40 ] && tools/jsonlines reports/fuzz.schema.json "$TMPDIR/lines"
ok $? 'all lines of JSON conform to reports/fuzz.schema.json'

fails 4 'there is no chunk to try' fuzz -d reference --count 100 --shard 2/2
fails 2 '--count: expected at most' fuzz -d reference --count 18446744073709551615
fails 4 'expected a database with findings' fuzz -d reference --replay --db "$TMPDIR/none.db"
fails 4 'no finding 99' fuzz promote 99 --db "$db"
fails 2 '--db FILE' fuzz -d reference --replay
fails 2 'which device' fuzz --count 1
fails 2 'FLOAT32.1,.*expected a tensor' fuzz 'GATHER InputTensor=FLOAT32[1,' -d reference
fails 2 '--execute: expected a share' fuzz -d reference --execute 2
fails 2 '--fill: expected ordinary, ' fuzz -d reference --fill nothing
fails 2 '--shard: expected M/N' fuzz -d reference --shard 3/2
fails 2 'no operator' fuzz -d reference -o NOTHING
fails 6 'nothing.so' fuzz -d ./nothing.so

"$ASSAY" fuzz -d mutants:fault=leave-daemon-crash,every=7 -o GATHER --execute 1 --count 4096 -j 2 >/dev/null 2>&1
is "$(pgrep -fc 'assay worker .*leave-daemon-crash,every=[7]')" 0 'no process that a device left behind remains'

# ---- operators that the device says it lacks are not searched

lacking="bridge:$PWD/device/test/bridge_peer.py dispatch few"
fails 4 'implements none of the operators' fuzz -d "$lacking" -o SCATTER_ND --count 256

tap_done
