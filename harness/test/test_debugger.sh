#!/bin/bash
# --debugger: the device's process is started by another program, without time limits, on the terminal.
. tools/tap.sh
few_operators
one=$("$ASSAY" list gather_nd.examples | head -n 1)
out=$TMPDIR/out

# A wrapper gets the program and its arguments; its own words are split as a shell does.
"$ASSAY" repro "$one" -d reference --debugger env >"$out"
is "$? $(sed -n 2p "$out")" "0 pass $one" 'under env a case passes'
"$ASSAY" repro "$one" -d reference --debugger "sh -c 'printf \"%s\n\" \"\$@\" >$TMPDIR/words; exec \"\$@\"' sh" >"$out"
is "$? $(sed -n 2p "$out")" "0 pass $one" 'under a shell, too'
like "$(head -n 2 "$TMPDIR/words" | tr '\n' ' ')" 'assay-device reference $' \
    '  which gets the program and its arguments'
cat >"$TMPDIR/wrap" <<'SH'
#!/bin/sh
echo started >>"$(dirname "$0")/starts"
read -r line
echo "read: $line" >>"$(dirname "$0")/starts"
exec "$@"
SH
chmod +x "$TMPDIR/wrap"
echo hello | "$ASSAY" run -d reference gather_nd.examples --debugger "$TMPDIR/wrap" >"$out"
is "$? $(cat "$TMPDIR/starts")" $'0 started\nread: hello' \
    'run starts one process, which has the standard input of assay'
rm "$TMPDIR/starts"
"$ASSAY" repro interface.lifecycle.mixed-01 -d mutants:fault=lean-crash --debugger "$TMPDIR/wrap" >"$out" </dev/null
is "$? $(grep -c started "$TMPDIR/starts")" '1 1' 'calls that end the process are not shrunk: the debugger starts once'
"$ASSAY" run -d meaning "$one" --debugger env >"$out"
like "$? $(tail -n 1 "$out")" '^0 verdict: passed' 'a device that is part of assay'

# No time limit: what ends the case is the wrapper, after three times the limit.
"$ASSAY" run -d mutants:fault=hang "$one" --timeout 1 --debugger 'timeout -s KILL 3' >"$out" 2>"$TMPDIR/err"
is "$? $(grep -c '^crash ' "$out") $(cat "$TMPDIR/err")" '1 1 ' 'a case that takes longer than its limit is not ended'
like "$(cat "$out")" 'message +killed by SIGKILL' '  but by the wrapper'

# The terminal: the wrapper reads from it.
if command -v script >/dev/null; then
    cat >"$TMPDIR/ask" <<'SH'
#!/bin/sh
read -r line </dev/tty && echo "terminal: $line" >"$(dirname "$0")/tty"
exec "$@"
SH
    chmod +x "$TMPDIR/ask"
    line="$ASSAY repro $one -d reference --color never --debugger $TMPDIR/ask"
    (sleep 2; echo typed) | timeout 60 script -qec "$line" /dev/null >"$out"
    is "$(cat "$TMPDIR/tty")" 'terminal: typed' 'the wrapper reads from the terminal'
    like "$(cat "$out")" "pass $one" '  and the case passes'
fi

# gdb itself.
if command -v gdb >/dev/null; then
    "$ASSAY" repro "$one" -d mutants:fault=crash --debugger 'gdb -q -batch -ex run -ex bt --args' >"$out" 2>&1
    is "$?" 1 'a crash under gdb'
    like "$(cat "$out")" 'received signal SIGSEGV' '  is caught by gdb'
    like "$(cat "$out")" '^#[0-9]+ .*dispatch' '  which prints where it was'
    like "$(cat "$out")" 'message +ended under the debugger' '  and the verdict says so'
    "$ASSAY" run -j 1 -d reference gather_nd.examples --debugger 'gdb -q -batch -ex run -ex bt --args' >"$out" 2>&1
    like "$? $(tail -n 1 "$out")" '^0 verdict: passed' 'a run under gdb passes'
fi

fails 2 'expected one process, -j 1' run -d reference "$one" --debugger env -j 2
fails 2 "'no-such-debugger': no such program" run -d reference "$one" --debugger 'no-such-debugger --args'
fails 2 "'/tmp': no such program" run -d reference "$one" --debugger /tmp
ln -s "$(command -v env)" "$TMPDIR/a-debugger"
here=$(realpath "$ASSAY")
said=$(cd "$TMPDIR" && PATH=/nowhere: "$here" repro "$one" -d none --debugger a-debugger 2>&1)
is "$(grep -c 'no such program' <<<"$said")" 0 \
    'an empty part of PATH is the current folder'
fails 2 "'no-such-debugger': no such program" repro "$one" -d reference --debugger 'no-such-debugger --args'
fails 2 "expected a program with its options" repro "$one" -d reference --debugger "'"
tap_done
