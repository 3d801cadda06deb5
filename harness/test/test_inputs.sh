#!/bin/bash
# Files that are no files: a command that is to read a pipe, a device or an endless file says so at once. A signal ends
# long work that a file asks for.
. tools/tap.sh
few_operators
program=$(realpath "$ASSAY") one=gather_nd.examples
script=$PWD/harness/test/attacks/scripts/script_insert_front.lua
cd "$TMPDIR" || exit 1
mkdir home suite
mkfifo pipe
ln -s /dev/zero zero
truncate -s 1T endless
"$program" run -d mutants:fault=flip-bit $one --db r.db >/dev/null

# refuses STATUS FILE ARGUMENTS…: `assay ARGUMENTS…` exits with STATUS in time and names the file.
refuses() {
    local status=$1 file=$2 text got
    shift 2
    text=$(timeout 10 "$program" "$@" 2>&1 >/dev/null </dev/null)
    got=$?
    like "$got $text" "^$status assay: .*$file: (not a regular file|larger than [0-9]+ [MG]iB); expected " "$*"
}
for file in pipe zero endless; do
    refuses 2 $file list --case-list $file
    refuses 3 $file run -d reference $one --expect $file
    refuses 3 $file expect update $file --db r.db
    refuses 3 $file bundle --verify $file
    ln -sf ../$file suite/regressions.lua
    ln -sf ../$file suite/case.json
    refuses 3 case.json list --cases suite
    refuses 3 case.json dispatch suite/case.json -d reference
    ln -sf ../$file home/.assay
    (cd home && timeout 10 "$program" list --count $one >../out 2>&1)
    like "$? $(cat out)" '^2 assay: .assay: .*expected a file of settings' "a .assay that is $file"
done
rm home/.assay
is "$(printf '%s\n' $one | "$program" list --count --case-list -)" "$("$program" list --count $one)" \
    'standard input may be a pipe'
like "$("$program" list --count --case-list - </dev/zero 2>&1)" \
    '^assay: --case-list: standard input: larger than 256 MiB' '  but not an endless one'

# Shards that a database only claims to have.
sqlite3 r.db 'update run set shards = 9223372036854775807'
like "$(timeout 10 "$program" merge m.db r.db 2>&1)" '^assay: .*: missing: shard 2/.* and perhaps more$' \
    'merge names the first of very many shards that are missing'
sqlite3 r.db 'update run set shard = 7, shards = 2'
like "$(timeout 10 "$program" merge m.db r.db 2>&1)" '^assay: .*: missing: shard 1/2, 2/2$' '  and takes none of another number'

# An expectation file of 50,000 lines that match no case.
for ((i = 0; i < 50000; i += 5)); do
    printf '%s fail # x\n' "gather.no$i" "gather.no$((i + 1))*" "gather.*.no$((i + 2))" "*no$((i + 3))" \
        "*.no$((i + 4))*.no*"
done >stale.txt
start=$EPOCHREALTIME
like "$("$program" run -d reference $one --expect stale.txt --search 0 2>&1 | tail -1)" '; 50000 stale expectations$' \
    '50,000 stale lines'
echo "# $(bc <<<"$EPOCHREALTIME - $start") s"
ok "$(bc <<<"$EPOCHREALTIME - $start > 20")" '  are found in a short time'
"$program" run -d reference "$one" --db e.db >/dev/null
is "$(timeout 20 "$program" expect check stale.txt --db e.db | tail -1 | sed 's/.*; //')" '50000 stale lines' \
    '  by assay expect check, too'

# SIGTERM to the harness alone, while a child of it computes.
"$program" run -d reference --cases "$script" >out 2>err &
pid=$!
sleep 1
start=$EPOCHREALTIME
kill "$pid"
wait "$pid"
is $? 5 'SIGTERM ends a run that is planning'
ok "$(bc <<<"$EPOCHREALTIME - $start > 1")" '  within a second'
like "$(cat err)" 'script_insert_front.lua: interrupted$' '  and the run says so'
tap_done
