#!/bin/bash
# Wrong commands, names, files, libraries and databases: each gives one clear line and the documented exit status.
. tools/tap.sh
few_operators
one=gather_nd.examples
long=$("$ASSAY" list -o GATHER_ND gather_nd.examples.sizes) # a whole name

# The command line.
fails 2 "no command is named 'runn'; did you mean run" runn
fails 2 'unknown option "--databse"' run --databse x
fails 2 'which device' run
fails 2 'jobs.*got "x"' run -d reference --jobs x
fails 2 'unknown format "tpa"' run -d reference --format tpa $one
fails 2 "color.*'sometimes'" run -d reference --color sometimes $one
fails 2 "expected always, never or auto, not 'alway'; did you mean always" run -d reference --color alway $one
fails 2 "expected bash, zsh or fish, not 'basch'; did you mean bash" completion basch
fails 2 'unknown option "--confg"' run --confg
fails 2 'batch: at most' run -d reference --batch 100000
fails 2 'timeout' run -d reference --timeout 0
fails 2 'timeout: expected 1 to 86400 seconds' repro -d reference --timeout 0 $one
fails 2 'takes the name of one case' show
fails 2 'takes the name of one case' repro -d reference a b

# Names.
fails 6 "no device is named 'vulcan'; did you mean vulkan" run -d vulcan
fails 2 "no operator is named 'GATHERND'; did you mean GATHER_ND" run -d reference --operator GATHERND
fails 2 "no feature level is named '3_9'" list --level 3_9
fails 2 "no feature level is named '6.4'; did you mean 6_4" list --level 6.4
fails 2 "no operator is named 'GATHRE'; did you mean GATHER" spec GATHRE
fails 4 "no case matches 'gather_nd.nothing" run -d reference 'gather_nd.nothing.*'
fails 4 "no case is named 'gather_nd.examples.sizes'" show gather_nd.examples.sizes
fails 4 "did you mean ${long/sizes/[s]izes}" show "${long/sizes/szies}"
fails 4 "did you mean $long" repro "${long/float32/flaot32}" -d reference
fails 4 "no case matches 'gather_nd.exmaples'.*; did you mean 'gather_nd.examples'" list gather_nd.exmaples
fails 4 "; did you mean 'gather_nd.indices.negative.\*'" list gather_nd.types 'gather_nd.indices.negatve.*'
fails 4 "; did you mean 'scatter_nd'" run -d reference scater_nd
fails 4 'no case has these operators and levels' list --operator NONZERO_COORDINATES --level 1_0
fails 2 "--specs: '/nowhere': No such file or directory" list --specs /nowhere

# Libraries that are no devices, or have another ABI.
devices=$TMPDIR/devices
mkdir -p "$devices"
plugin() { # NAME: compiles standard input
    ${CC:-cc} -shared -fPIC -I. -x c - -o "$devices/$1.so" || echo "# $1 could not be compiled"
}
echo 'int nothing;' | plugin noentry
cat <<'C' | plugin refuses
#include "device/device.h"
const assay_device_api *assay_device_entry(uint32_t abi) { return abi == 0 ? (void *)1 : 0; }
C
cat <<'C' | plugin otherabi
#include "device/device.h"
static const assay_device_api api = {.abi = ASSAY_DEVICE_ABI + 1, .size = sizeof api};
const assay_device_api *assay_device_entry(uint32_t abi) { (void)abi; return &api; }
C
cat <<'C' | plugin hollow
#include "device/device.h"
static const assay_device_api api = {.abi = ASSAY_DEVICE_ABI, .size = sizeof api};
const assay_device_api *assay_device_entry(uint32_t abi) { (void)abi; return &api; }
C
cat <<'C' | plugin short
#include "device/device.h"
static const assay_device_api api = {.abi = ASSAY_DEVICE_ABI, .size = 8};
const assay_device_api *assay_device_entry(uint32_t abi) { (void)abi; return &api; }
C
echo '__attribute__((constructor)) static void load(void) { __builtin_trap(); }' | plugin traps
printf '#include <unistd.h>\n__attribute__((constructor)) static void load(void) { _exit(3); }' | plugin exits
printf '#include <unistd.h>\n__attribute__((constructor)) static void load(void) { for (;;) pause(); }' | plugin hangs
# It is given up after 12 seconds, in which the test goes on.
"$ASSAY" devices --timeout 1 "$devices/hangs.so" >"$TMPDIR/hangs" 2>&1 &
hanging=$!
echo 'void other(void); void assay_device_entry(void) { other(); }' | plugin unresolved
echo 'this is text' >"$devices/text.so"
mkdir "$devices/folder.so"
mkfifo "$devices/fifo.so"
head -c 100 "$devices/short.so" >"$devices/cut.so"
fails 6 'no such file' run -d "$devices/absent.so" $one
fails 6 'not a shared library: it has no ELF header' run -d "$devices/text.so" $one
fails 6 'no function assay_device_entry' run -d "$devices/noentry.so" $one
fails 6 'does not speak device ABI' run -d "$devices/refuses.so" $one
fails 6 'has device ABI [0-9]+, expected' run -d "$devices/otherabi.so" $one
fails 6 'a function is missing' run -d "$devices/hollow.so" $one
fails 6 'function table has 8 bytes' run -d "$devices/short.so" $one
fails 6 'killed by SIG(ILL|TRAP) while opening it' run -d "$devices/traps.so" $one
fails 6 'exited with status 3 while opening it' run -d "$devices/exits.so" $one
fails 6 'undefined symbol: other' run -d "$devices/unresolved.so" $one
fails 6 "folder.so': expected a regular file, a shared library" run -d "$devices/folder.so" $one
fails 6 "fifo.so': expected a regular file, a shared library" run -d "$devices/fifo.so" $one
fails 6 'cut.so' run -d "$devices/cut.so" $one
fails 6 'exited with status 3 while opening it' fuzz -d "$devices/exits.so" --count 1
# said_why STATUS TEXT PATTERN DEVICE: `assay devices` has said in one line that the device is not available.
said_why() {
    is "$1" 6 "assay devices $4 exits with 6"
    is "$(wc -l <<<"$2")" 2 '  and says why in one line'
    like "$2" "^  not available: .*$3" "  which is: $3"
}
unavailable() { # PATTERN DEVICE
    text=$("$ASSAY" devices --timeout 1 "$2" 2>&1)
    said_why $? "$text" "$@"
}
unavailable 'it has no function assay_device_entry' "$devices/noentry.so"
unavailable 'expected a regular file, a shared library' "$devices/folder.so"
unavailable 'expected a regular file, a shared library' "$devices/fifo.so"
unavailable 'not a shared library: it has no ELF header' "$devices/text.so"
unavailable 'has device ABI [0-9]+, expected' "$devices/otherabi.so"
unavailable ': killed by SIG(ILL|TRAP) while opening it$' "$devices/traps.so"
unavailable ': exited with status 3 while opening it$' "$devices/exits.so"
fails 6 'is not a feature level' run -d reference:level=9_9 $one
fails 6 "no fault is named 'flipbit'; did you mean flip-bit" run -d mutants:fault=flipbit $one
fails 6 "no rule is named 'GATHER/axisrange'; did you mean axis-range" run -d mutants:ignore=GATHER/axisrange $one
fails 6 "no rule is named 'GATHRE/axis-range'; did you mean GATHER" run -d mutants:ignore=GATHRE/axis-range $one
fails 6 'SIGSEGV.*while opening' run -d mutants:fault=crash-open $one

# Databases.
echo 'not a database' >"$TMPDIR/text.db"
sqlite3 "$TMPDIR/foreign.db" 'create table t(a); insert into t values(1)'
fails 3 'text.db.*not a database' run -d reference --db "$TMPDIR/text.db" $one
fails 3 'foreign.db.*expected an assay database' run -d reference --db "$TMPDIR/foreign.db" $one
fails 3 'nowhere/x.db' run -d reference --db "$TMPDIR/nowhere/x.db" $one
fails 3 'text.db: not a database' spec --trace --db "$TMPDIR/text.db"
fails 3 'foreign.db: a database of another program' spec --trace --db "$TMPDIR/foreign.db"
is "$(cat "$TMPDIR/text.db")" 'not a database' 'a file that is no database is not changed'
is "$(sqlite3 "$TMPDIR/foreign.db" 'select count(*) from t')" 1 'a database of another program is not changed'

# Spec and case files: those of few operators, an operator that is a list of two, and two strategies.
specs=$TMPDIR/specs
cases=$TMPDIR/cases
fresh() {
    rm -rf "$specs" "$cases"
    cp -r "$few/specs" "$specs"
    cp specs/element_wise_clip.lua "$specs"
    mkdir "$cases"
    cp "$few"/cases/{examples,types}.lua "$cases"
}
fresh && echo 'return operator "GATHER" {' >"$specs/gather.lua"
fails 3 'gather.lua:[0-9]+: .*expected' list --specs "$specs"
fresh && sed -i 's/introduced = /introducd = /' "$specs/gather_nd.lua"
fails 3 "gather_nd.lua:[0-9]+: operator \"GATHER_ND\": unknown key 'introducd'" list --specs "$specs"
fresh && cp "$specs/gather.lua" "$specs/gather_again.lua"
fails 3 'operator "GATHER" is also in' list --specs "$specs"
fresh && cp "$specs/element_wise_clip.lua" "$specs/element_wise_clips.lua"
fails 3 'element_wise_clips.lua:[0-9]+: operator "ELEMENT_WISE_CLIP" is also in .*element_wise_clip.lua' list --specs \
    "$specs"
fresh && echo 'return { operator "GEMM" { parameters = {}, rules = {} }, 7 }' >"$specs/gemm.lua"
fails 3 'gemm.lua:1: expected the file to return operator "NAME" .*, or a list of them' list --specs "$specs"
fresh && echo 'return {}' >"$specs/gemm.lua"
fails 3 'gemm.lua:1: expected the file to return operator "NAME" .*, or a list of them' list --specs "$specs"
fresh && sed -i 's/operator "ELEMENT_WISE_CLIP1" (clip(/operator "ELEMENT_WISE_CLIP1" (elementwise({ sqrt(7), tex = 1 }), clip(/' \
    "$specs/element_wise_clip.lua"
fails 3 "element_wise_clip.lua:[0-9]+: elementwise: unknown key 'tex'" list --specs "$specs"
fresh && sed -i 's/rule "same-type"/rule "same-dims"/' "$specs/gather.lua"
fails 3 'gather.lua:[0-9]+: rule "same-dims": the name is used twice' list --specs "$specs"
fresh && echo 'while true do end' >"$cases/cover.lua"
fails 3 'cover.lua:1: .*endless loop' list --cases "$cases"
fresh && echo 'local t = {} while true do t[#t + 1] = ("x"):rep(1000000) .. #t end' >"$cases/cover.lua"
fails 3 'cover.lua: needs more than [0-9]+ MiB' list --cases "$cases"
fresh && echo 'return strategy "cover" { plan = "x", cases = function(op) op:emit { levell = "3_0" } end }' \
    >"$cases/cover.lua"
fails 3 "cover.lua:1: .*no 'levell'" list --cases "$cases"
fresh && echo 'return strategy "cover" { plan = "x", cases = function(op) for _ = 1, 2 do op:emit { label = "a" } end end }' >"$cases/cover.lua"
fails 3 "cover.lua:1: two cases are named '[a-z_]+.cover.a" list --cases "$cases"
fresh && echo 'return 7' >"$cases/cover.lua"
fails 3 'cover.lua:1: expected the file to return strategy' list --cases "$cases"
fresh && cp "$cases/types.lua" "$cases/types_again.lua"
fails 3 'types' list --cases "$cases"

# More cases than fit into memory.
rm -r "${cases:?}"/*
echo 'return strategy "many" { plan = "x", cases = function(op) for i = 1, 40000 do op:emit { label = "n" .. i } end end }' >"$cases/many.lua"
said=$(ulimit -v 60000 && "$ASSAY" list --cases "$cases" 2>&1 >/dev/null)
is $? 3 'more cases than fit into memory: exits with 3'
like "$said" '^assay: .*out of memory' '  and says so'
is "$(printf '%s\n' "$said" | wc -l)" 1 '  in one line'

wait $hanging
said_why $? "$(cat "$TMPDIR/hangs")" ': no answer within 12 s while opening it$' "$devices/hangs.so"
tap_done
