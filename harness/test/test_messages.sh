#!/bin/bash
# Mistakes that are easy to make: the message names what is wrong, not what came of it.
. tools/tap.sh
whole=$ASSAY
few_operators
one=gather_nd.examples
db=$TMPDIR/m.db

# The environment and limits.
text=$(TMPDIR=/nonexistent "$ASSAY" run -d reference $one 2>&1 >/dev/null)
like "$? $text" '^3 assay: no scratch folder for a worker process: /nonexistent \(TMPDIR\): No such file' \
    'TMPDIR is named'
text=$("$whole" run -d meaning $one --allow memory=10 2>&1 >/dev/null) # it needs all specs, in the device's process
like "$? $text" "^6 assay: device 'meaning': .*may use 10 MiB \(--allow memory=MIB\)$" \
    'a limit of memory that is too low is named'
fails 2 'max-time: expected whole seconds, got "0.1"' run -d reference --max-time 0.1
fails 2 'timeout: expected whole seconds, got "1e9"' run -d reference --timeout 1e9
like "$("$ASSAY" run --help)" 'default: 0, once' 'the message explains --repeat 0'
like "$("$ASSAY" run --help | tr -s ' \n' ' ')" 'default: 0, what the device asks for' '  and --batch 0'

# A device that hangs while it is opened.
cat >"$TMPDIR/hang.c" <<'C'
#include "device/device.h"
#include <unistd.h>
const assay_device_api *assay_device_entry(uint32_t abi) { while (abi) pause(); return 0; }
C
${CC:-cc} -shared -fPIC -I. "$TMPDIR/hang.c" -o "$TMPDIR/hang.so"
"$ASSAY" run -d "$TMPDIR/hang.so" $one --timeout 1 --slow 1 2>"$TMPDIR/hanging" >/dev/null & # for 12 s
hanging=$!

# Filters.
fails 4 "no case that matches 'gather.examples' has --level 2_0" run -d reference -l 2_0 gather.examples
fails 4 "no case that matches 'gather_nd' has --operator GATHER$" run -d reference -o GATHER gather_nd
is "$("$ASSAY" list -l 9_9 2>&1)" "assay: no feature level is named '9_9'; known: 1_0 to 6_4" 'no level is near 9_9'
fails 2 'nofile.json.: No such file' list --cases nofile.json
fails 2 "nofolder': No such file" list --specs nofolder

# Specs.
cp -r "$few/specs" "$TMPDIR/specs"
sed -i 's/"FLOAT32", { 4 }/"FLOAT33", { 4 }/' "$TMPDIR/specs/gather.lua"
fails 3 "on GATHER \(.*/specs/gather.lua\): .*\"vector\".*not 'FLOAT33'" list --specs "$TMPDIR/specs" gather
cp "$few/specs/gather.lua" "$TMPDIR/specs/"
sed -i 's/{ "FLOAT32", { 4 }, /{ "FLOAT32", { 4 }, strides = { 1, 1 }, /' "$TMPDIR/specs/gather.lua"
fails 3 "on GATHER \(.*/specs/gather.lua\): .*\"vector\".*strides that are not one number for each size" \
    list --specs "$TMPDIR/specs" gather
cp "$few/specs/gather.lua" "$TMPDIR/specs/"
sed -i 's/Axis = 0, IndexDimensions = 1,/Axsi = 0, IndexDimensions = 1,/' "$TMPDIR/specs/gather.lua"
fails 3 "on GATHER \(.*/specs/gather.lua\): .*the field Axis is missing" list --specs "$TMPDIR/specs" gather

# Devices.
library=$ASSAY_DEVICES/reference.so
head -c 20000 "$library" >"$TMPDIR/cut.so"
fails 6 'cut.so.: a damaged library: its 20000 bytes are fewer than its headers say' run -d "$TMPDIR/cut.so" $one
cp "$library" "$TMPDIR/other.so"
case $(uname -m) in aarch64) other='\x3e' name=x86-64 ;; *) other='\xb7' name=AArch64 ;; esac
printf '%b\0' "$other" | dd of="$TMPDIR/other.so" bs=1 seek=18 conv=notrunc 2>/dev/null
fails 6 "other.so.: a library for another machine: $name" run -d "$TMPDIR/other.so" $one
echo text >"$TMPDIR/text.so"
fails 6 'text.so.: not a shared library: it has no ELF header' run -d "$TMPDIR/text.so" $one
cp "$library" "$TMPDIR/with:colon.so"
fails 6 "no such file; ':' begins a device's arguments" run -d "$TMPDIR/with:colon.so" $one
fails 6 "no such file; ':' begins a device's arguments" repro "$("$ASSAY" list $one | head -n 1)" -d \
    "$TMPDIR/with:colon.so"
text=$("$ASSAY" run -d reference -d reference $one 2>&1 >/dev/null)
like "$? $text" "^0 assay: device 'reference' is given twice" 'a device that is given twice is reported'

# Shards, numbers, other commands.
text=$("$ASSAY" run -d reference --shard 1/99999 $one --db "$db" 2>&1 >/dev/null)
is "$? $text" '0 assay: shard 1/99999 has no cases' 'a shard without cases says so'
fails 2 'seconds: expected at least 1' fuzz -d reference --seconds 0
fails 2 'count: expected at least 1' fuzz -d reference --count 0
fails 2 "no operator is named 'FOO'" fuzz -d reference -o FOO
fails 2 "no operator is named 'FOO'" run -d reference -o FOO
fails 2 'expected a description; to try only one operator, -o GATHER' fuzz -d reference GATHER
case_name=$("$ASSAY" list gather.examples | head -n 1)
"$ASSAY" repro "$case_name" --export dxdispatch "$TMPDIR/dxf" >/dev/null
fails 3 'OutputTensor.npy: No such file or directory; DxDispatch writes it: run' verify "$TMPDIR/dxf"
like "$("$ASSAY" run --help)" 'run.tap; prove -e cat run.tap' 'the example for prove names a file, which prove reads'
mkdir "$TMPDIR/cases" && cp "$few/cases/examples.lua" "$TMPDIR/cases/"
like "$("$ASSAY" repro "$case_name" -d mutants:fault=flip-bit --cases "$TMPDIR/cases")" \
    "reproduce .* --cases '$TMPDIR/cases'" \
    'the line of repro that reproduces a failure has --cases'
mkdir -p "$TMPDIR/installed/usr/bin" "$TMPDIR/installed/usr/share/assay"
cp "$ASSAY" "$TMPDIR/installed/usr/bin/assay" && cp -r "$few"/{specs,cases} "$TMPDIR/installed/usr/share/assay/"
"$ASSAY" fuzz -d mutants:ignore=GATHER/axis-range --count 100000 --db "$TMPDIR/found.db" >/dev/null
ASSAY=$TMPDIR/installed/usr/bin/assay fails 2 'share/assay/cases is installed, .*--cases DIR' fuzz promote 1 --db \
    "$TMPDIR/found.db"
is "$("$ASSAY" help run | head -n 20)" "$("$ASSAY" run --help | head -n 20)" 'help run is run --help'
fails 2 "no command is named 'rnu'; did you mean run" help rnu
is "$("$ASSAY" version)" "$("$ASSAY" --version)" 'version is --version'

# The device that hangs ran beside the rest; its output is complete when it has ended.
wait $hanging
status=$?
text=$(cat "$TMPDIR/hanging")
like "$status $text" "^6 assay: SLOW: opening '.*hang.so', for [0-9.]+ s" 'a device that takes long to open is reported'
like "$text" 'no answer within 12000 ms while opening it' '  and its limit is twelve times --timeout'

tap_done
