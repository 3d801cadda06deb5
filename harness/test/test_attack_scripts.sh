#!/bin/bash
# Scripts from strangers, as users meet them: whatever command reads one ends soon, with one line and exit status 3,
# changes no file and leaves no process behind. test_attack_scripts.c tries every file of attacks/scripts/.
. tools/tap.sh
few_operators # since a strategy is read after all specs

scripts=harness/test/attacks/scripts
mkdir "$TMPDIR/specs"

# ends STATUS WHAT TEXT ARGUMENT…: the command ends with the status, and its only line has the text.
ends() {
    local status=$1 what=$2 text=$3
    shift 3
    timeout 120 "$ASSAY" "$@" >"$TMPDIR/out" 2>"$TMPDIR/err" </dev/null
    is "$? $(wc -l <"$TMPDIR/err")" "$status 1" "$what: $1"
    like "$(cat "$TMPDIR/err")" "$text" '  the message says what is wrong, and where'
}
refused() { ends 3 "$@"; } # WHAT TEXT ARGUMENT…

use() { # FILE: as the only spec
    rm -f "$TMPDIR"/specs/*
    cp specs/catalogue.lua "$scripts/$1" "$TMPDIR/specs/"
}

slow='ran for more than 5 seconds \(an endless loop\?\)$'
refused 'C calls without end' "script_insert_front.lua: $slow" run -d reference --cases $scripts/script_insert_front.lua
use spec_gc_of_expression.lua
before=$(ls "$TMPDIR")
refused 'a finalizer' 'spec_gc_of_expression.lua:3: attempt' run -d reference --specs "$TMPDIR/specs" --db \
    "$TMPDIR/never.db"
is "$(ls "$TMPDIR")" "$before" '  no database is made'
for command in 'list' 'spec' 'spec --json' 'run -d reference' 'fuzz -d reference --count 1' 'show gather.x' \
    'repro gather.x -d reference' 'coverage' 'devices reference' 'fingerprint -d reference'; do
    # shellcheck disable=SC2086
    refused "a finalizer" "spec_gc_of_expression.lua:3: attempt to index a nil value" $command --specs "$TMPDIR/specs"
done

# Files that are none.
mkfifo "$TMPDIR/specs/a.lua" "$TMPDIR/cases.lua" "$TMPDIR/cases.json"
refused 'a pipe as spec' 'a.lua: not a regular file; expected a script' list --specs "$TMPDIR/specs"
ends 2 'a pipe as strategy' 'cases.lua' list --cases "$TMPDIR/cases.lua"
ends 2 'a pipe as case file' 'cases.json' list --cases "$TMPDIR/cases.json"
mkdir "$TMPDIR/loop"
ln -s loop.lua "$TMPDIR/loop/loop.lua"
refused 'a link to itself' 'loop.lua: Too many levels of symbolic links; expected a script' list --cases "$TMPDIR/loop"
ln -sf /dev/zero "$TMPDIR/loop/loop.lua"
refused 'a device' 'loop.lua: not a regular file; expected a script' list --cases "$TMPDIR/loop"

# The catalogue is a script, too.
rm "$TMPDIR"/specs/*
cp specs/*.lua "$TMPDIR/specs/"
echo 'local t = {} while true do t[#t + 1] = ("x"):rep(1 << 20) end' >"$TMPDIR/specs/catalogue.lua"
refused 'a catalogue that fills memory' 'catalogue.lua: needs more than 128 MiB of memory' spec --specs "$TMPDIR/specs"

# await_script PID: $child is the process that PID has started to read a script, and which has computed for one second:
# it reads the specs first, for a tenth of that.
await_script() {
    local words
    child=
    for _ in {1..400}; do
        [ "$child" ] || child=$(pgrep -P "$1")
        { read -ra words <"/proc/$child/stat" || child=; } 2>/dev/null
        [ "$child" ] && [ $((words[13] + words[14])) -ge 100 ] && break
        sleep 0.05
    done
}
# Ctrl-C ends the child and is no mistake of the script.
"$ASSAY" list --cases $scripts/script_insert_front.lua 2>"$TMPDIR/err" &
pid=$!
await_script $pid
kill -INT "$child"
wait $pid
is $? 5 'a planning process that is interrupted'
like "$(cat "$TMPDIR/err")" 'script_insert_front.lua: interrupted$' '  is reported as such'

# The child dies with its parent.
"$ASSAY" list --cases $scripts/script_insert_front.lua 2>/dev/null &
pid=$!
await_script $pid
kill -KILL $pid
wait $pid 2>/dev/null
for _ in {1..100}; do
    [ -d "/proc/$child" ] || break
    sleep 0.05
done
[ -n "$child" ] && [ ! -d "/proc/$child" ]
ok $? 'a planning process ends with assay'
tap_done
