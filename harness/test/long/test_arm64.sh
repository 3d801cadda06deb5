#!/bin/bash
# The program built for ARM, in an emulator: the plan is the same, the reference device has the same verdicts, and one
# line says what the emulator denies the sandbox.
. tools/tap.sh
in_shard || { tap_done; exit; }
tools/deps arm64 >"$TMPDIR/log" 2>&1 || { echo '1..0 # SKIP packages of tools/deps arm64 are missing'; exit 0; }
emulator=$(command -v qemu-aarch64-static)
make --no-print-directory VARIANT=arm64 build/arm64/assay build/arm64/assay-device build/arm64/devices/reference.so \
    build/arm64/devices/mutants.so >"$TMPDIR/log" 2>&1
ok $? 'make VARIANT=arm64 builds program and devices' || { tail "$TMPDIR/log"; tap_done; exit; }
aarch64-linux-gnu-gcc -D_GNU_SOURCE -DEMULATOR="\"$emulator\"" -shared -fPIC tools/emulated.c -o "$TMPDIR/emulated.so"
ok $? 'the library for the emulator compiles'
few_operators
native=$ASSAY
mkdir -p "$TMPDIR/few/build"
cp -r "$few/specs" "$few/cases" "$TMPDIR/few/"
cp build/arm64/assay build/arm64/assay-device "$TMPDIR/few/build/"
ln -s "$PWD/build/arm64/devices" "$TMPDIR/few/build/devices"
arm() { "$emulator" -E LD_PRELOAD="$TMPDIR/emulated.so" "$TMPDIR/few/build/assay" "$@"; }

arm plan-cache --no-config "$TMPDIR/few/build/compiled-specs" "$TMPDIR/few/build/plan"
ok $? 'it compiles specs and plans in the emulator'
# Bytes 17 to 32 are the key, which each build has for itself, and the head's hash, which depends on it.
same_plan() {
    cmp "$1" "$few/build/plan" -n 16 && cmp -i 32 "$1" "$few/build/plan"
}
same_plan "$TMPDIR/few/build/plan"
ok $? 'the plan is the same, but for the key of the build'
sed '$ s/.$/#/' "$TMPDIR/few/build/plan" >"$TMPDIR/other"
! same_plan "$TMPDIR/other" >/dev/null
ok $? '  and a plan that differs would be found'

# verdicts COMMAND…: prints case and status of each result.
verdicts() {
    rm -f "$TMPDIR/results.db"
    "$@" run -d reference -d mutants:fault=flip-bit --shard 1/200 --timeout 120 --search 0 --db "$TMPDIR/results.db" \
        >"$TMPDIR/out" 2>"$TMPDIR/err"
    sqlite3 "$TMPDIR/results.db" 'SELECT device, case_name, status FROM results ORDER BY 1, 2'
}
verdicts "$native" >"$TMPDIR/native"
verdicts arm >"$TMPDIR/arm"
diff "$TMPDIR/native" "$TMPDIR/arm" | sed 's/^/# /'
cmp -s "$TMPDIR/native" "$TMPDIR/arm" && grep -q '|pass$' "$TMPDIR/arm" && grep -q '|fail$' "$TMPDIR/arm"
ok $? "the verdicts on $(wc -l <"$TMPDIR/native") cases are the same, right devices and wrong ones"
is "$(grep -c 'less restricted than they should be: files may be written: .*; sockets may be opened: ' "$TMPDIR/err")" 1 \
    'one line says what the sandbox lacks in the emulator'
tap_done
