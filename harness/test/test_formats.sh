#!/bin/bash
# Formats end to end: several at once, files that appear whole, devices that say anything, interruption, full disks.
. tools/tap.sh
filter=(-o GATHER_ND -o GATHER gather_nd.examples gather.examples)
planned=$("$ASSAY" list --count "${filter[@]}")
names=$("$ASSAY" list "${filter[@]}" | sort)
formats='human tap tap14 junit json'

# valid FORMAT FILE: what the format's own tools say.
valid() {
    case $1 in
        tap) prove -e cat "$2" >"$TMPDIR/prove" 2>&1 || ! grep -q 'Parse errors' "$TMPDIR/prove" ;;
        junit) xmllint --noout --nonet --schema harness/test/junit.xsd "$2" >"$TMPDIR/said" 2>&1 ;;
        json) tools/jsonlines reports/lines.schema.json "$2" >"$TMPDIR/said" 2>&1 ;;
        *) LC_ALL=C grep -q . "$2" ;;
    esac
}

# cases FORMAT FILE: the names of the cases in it, sorted, as often as they are there; human: run with --verbose.
cases() {
    case $1 in
        human) sed -nE \
            's/^(pass|fail|warn|crash|timeout|device_lost|unsupported|skip|harness_error|incomplete) ([^ ]+).*/\2/p' \
            "$2" ;;
        tap | tap14) sed -nE 's/^(not )?ok [0-9]+ - ([^ ]+).*/\2/p' "$2" ;;
        junit) sed -nE 's/^ *<testcase name="([^"]*)".*/\1/p' "$2" ;;
        json) sed -nE 's/^\{"type":"result","case":"([^"]*)".*/\1/p' "$2" ;;
    esac | sort
}

# Several at once; a line of a device's is no line of ours.
hostile=mutants:fault=say-anything,every=2
options=()
for format in tap tap14 junit json; do
    options+=(--format "$format=$TMPDIR/hostile.$format")
done
"$ASSAY" run "${filter[@]}" -d "$hostile" -v --format human "${options[@]}" >"$TMPDIR/hostile.human" 2>"$TMPDIR/err"
is $? 1 'a run in five formats fails as it should'
is "$(cat "$TMPDIR/err")" '' '  with nothing on standard error'
for format in $formats; do
    valid "$format" "$TMPDIR/hostile.$format"
    ok $? "$format: valid, whatever the device says"
    is "$(cases "$format" "$TMPDIR/hostile.$format")" "$names" "$format: every case once"
    is "$(LC_ALL=C tr -d '\n\40-\176\200-\377' <"$TMPDIR/hostile.$format" | wc -c)" 0 "$format: no control character"
    LC_ALL=C.UTF-8 grep -qaxv '.*' "$TMPDIR/hostile.$format"
    is $? 1 "$format: UTF-8 throughout"
    like "$(cat "$TMPDIR/hostile.$format")" 'dispatch returned E_FAIL.*title' "$format: the message is there"
done
is "$(find "$TMPDIR" -name 'hostile.*.*' | wc -l)" 0 'no temporary file is left'
is "$(xmllint --xpath 'count(//failure)' "$TMPDIR/hostile.junit")" \
    "$(grep -c '"status":"fail"' "$TMPDIR/hostile.json")" 'JUnit and JSON count the same failures'
is "$(xmllint --xpath 'sum(//testsuite/@tests)' "$TMPDIR/hostile.junit")" "$planned" 'the counts of the suites add up'
is "$(xmllint --xpath 'sum(//testsuite/@failures)' "$TMPDIR/hostile.junit")" \
    "$(xmllint --xpath 'count(//failure)' "$TMPDIR/hostile.junit")" '  of failures, too'
is "$(xmllint --xpath 'count(//testsuite)' "$TMPDIR/hostile.junit")" 2 'a suite for each operator'

# Results show while the run goes on: the first one at once, the next ones soon, though the device then hangs.
filter=(gather.types gather_nd.types)
for format in tap tap14 json; do
    exec {lines}< <(exec "$ASSAY" run "${filter[@]}" -j 1 --batch 1 -d mutants:fault=hang,every=20 --timeout 600 \
        --format "$format" 2>/dev/null)
    harness=$!
    for ((shown = 0; shown < 3;)); do
        read -r -t 60 line <&"$lines" || break
        [[ $line =~ ^ok|^\{\"type\":\"result\" ]] && shown=$((shown + 1))
    done
    is $shown 3 "$format: results show before the next ones are there"
    kill -INT $harness
    exec {lines}<&-
done

# Two devices, interrupted at the first: every case of both, once.
filter=(-o GATHER_ND -o GATHER gather.types gather_nd.types)
twice=$("$ASSAY" list "${filter[@]}" | sed p | sort)
options=()
for format in tap tap14 junit json; do
    options+=(--format "$format=$TMPDIR/cut.$format")
done
"$ASSAY" run "${filter[@]}" -d mutants:fault=hang,every=40 -d reference --timeout 60 --db "$TMPDIR/cut.db" \
    -v --format human "${options[@]}" >"$TMPDIR/cut.human" 2>"$TMPDIR/err" &
harness=$!
while [ "$(sqlite3 "$TMPDIR/cut.db" 'select count(*) from runs' 2>/dev/null)" != 1 ]; do sleep 0.1; done
is "$(find "$TMPDIR" -name 'cut.json' -o -name 'cut.junit' | wc -l)" 0 'no file has its name while the run goes on'
kill -INT $harness
wait $harness
is $? 5 'an interrupted run exits with 5'
is "$(sqlite3 "$TMPDIR/cut.db" "select count(*) from results")" "$(printf '%s\n' "$twice" | wc -l)" \
    'every case has its row'
for format in $formats; do
    valid "$format" "$TMPDIR/cut.$format"
    ok $? "$format: valid after an interruption"
    is "$(cases "$format" "$TMPDIR/cut.$format")" "$twice" "$format: every case of each device once"
    like "$(cat "$TMPDIR/cut.$format")" 'incomplete.*|not run: interrupted' "$format: which were not run"
done
is "$(tail -n 1 "$TMPDIR/cut.json")" "{\"type\":\"end\",\"results\":$(printf '%s\n' "$twice" | wc -l)}" \
    'JSON has its end'

# Killed: no file under the name, and what was there before is still there.
echo before >"$TMPDIR/killed.json"
"$ASSAY" run "${filter[@]}" -d mutants:fault=hang,every=40 --timeout 60 --db "$TMPDIR/killed.db" \
    --format "junit=$TMPDIR/killed.xml" --format "json=$TMPDIR/killed.json" >/dev/null 2>&1 &
harness=$!
while [ "$(sqlite3 "$TMPDIR/killed.db" 'select count(*) from runs' 2>/dev/null)" != 1 ]; do sleep 0.1; done
disown $harness # the shell need not say how it ended
kill -KILL $harness
while kill -0 $harness 2>/dev/null; do sleep 0.1; done
ok "$(test ! -e "$TMPDIR/killed.xml"; echo $?)" 'a run that is killed leaves no file'
is "$(cat "$TMPDIR/killed.json")" before '  nor half of one over another'

# A run that cannot be done leaves no file either.
filter=(-o GATHER_ND gather_nd.examples)
"$ASSAY" run "${filter[@]}" -d reference -d mutants:fault=crash-open --format "junit=$TMPDIR/aborted.xml" >/dev/null \
    2>&1
is $? 6 'a second device that cannot be opened'
is "$(find "$TMPDIR" -name 'aborted.xml*' | wc -l)" 0 '  leaves no file'
like "$("$ASSAY" run "${filter[@]}" -d reference -d mutants:fault=crash-open --format tap 2>/dev/null | tail -1)" \
    '^Bail out! ' '  and a last line in TAP'

# Names of files.
ln -s real.xml "$TMPDIR/link.xml"
: >"$TMPDIR/real.xml"
chmod 640 "$TMPDIR/real.xml"
"$ASSAY" run "${filter[@]}" -d reference --format "junit=$TMPDIR/link.xml" >"$TMPDIR/out"
is $? 0 'a link as file'
is "$(cat "$TMPDIR/out")" '' '  and nothing on standard output that was not asked for'
is "$(readlink "$TMPDIR/link.xml") $(stat -c %a "$TMPDIR/real.xml")" 'real.xml 640' '  which stays one, with its mode'
valid junit "$TMPDIR/real.xml"
ok $? '  and holds the results'
(umask 027 && "$ASSAY" run "${filter[@]}" -d reference --format "json=$TMPDIR/new.json")
is "$(stat -c %a "$TMPDIR/new.json")" 640 'a new file has the mode that the umask leaves'
is "$("$ASSAY" run "${filter[@]}" -d reference --format json=/dev/stdout | tail -1)" \
    "$("$ASSAY" run "${filter[@]}" -d reference --format json | tail -1)" 'what is no regular file is written in place'
fails 2 'only one can go to standard output' run "${filter[@]}" -d reference --format tap --format json
fails 2 'expected a file after the =' run "${filter[@]}" -d reference --format json=
fails 2 'named twice' run "${filter[@]}" -d reference --format "json=$TMPDIR/a" --format "junit=$TMPDIR/a"
fails 2 'unknown format "jnuit": did you mean junit' run "${filter[@]}" -d reference --format "jnuit=$TMPDIR/a"
fails 3 'nowhere/x: No such file' run "${filter[@]}" -d reference --format "json=$TMPDIR/nowhere/x"
is "$(find "$TMPDIR" -name 'a' -o -name 'a.*' | wc -l)" 0 'a wrong command line leaves no file'

# A full disk and a closed pipe, for a short output and for one longer than any buffer.
mkfifo "$TMPDIR/pipe"
# shellcheck disable=SC2094 # the writing end outlives the reading one on purpose
exec 3<>"$TMPDIR/pipe" 4>"$TMPDIR/pipe" 3<&-
for format in $formats; do
    for operator in GATHER_ND.examples GATHER; do
        filter=(-o "${operator%.*}" "$(tr '[:upper:]' '[:lower:]' <<<"$operator")")
        text=$("$ASSAY" run "${filter[@]}" -v -d reference --format "$format" 2>&1 >/dev/full)
        is "$? $(printf '%s\n' "$text" | wc -l)" '3 1' \
            "$format: a full disk under $operator is a harness error, in one line"
        like "$text" '^assay: standard output: cannot be written: No space left on device$' \
            '  which says so'
        text=$("$ASSAY" run "${filter[@]}" -v -d reference --format "$format=/dev/full" 2>&1)
        is "$? $text" '3 assay: /dev/full: cannot be written: No space left on device' \
            '  as it does in a file'
        text=$("$ASSAY" run "${filter[@]}" -v -d reference --format "$format" 2>&1 >&4)
        is "$? $text" '5 ' '  and a closed pipe ends the run quietly'
    done
done
exec 4>&-
text=$("$ASSAY" run gather_nd.examples -d reference -v --format human --db "$TMPDIR/full.db" 2>&1 >/dev/full)
is "$? $text $(sqlite3 "$TMPDIR/full.db" 'select count(*) from runs')" \
    '3 assay: standard output: cannot be written: No space left on device; the database has the results so far 1' \
    'the run is in a database that keeps its results'

# The reason is that of the write, not that of a later call.
"$ASSAY" run gather.strides -d mutants:fault=flip-bit --search 0 --db "$TMPDIR/large.db" >/dev/null
for form in json csv junit html markdown causes; do
    text=$("$ASSAY" report "$TMPDIR/large.db" --$form /dev/full 2>&1)
    is "$? $text" "3 assay: /dev/full: cannot be written: No space left on device" "report --$form names the full disk"
done

# Color: the option, then NO_COLOR, then the terminal.
colored() { # EXPECTED NAME COMMAND: on a terminal
    script -qec "$3" /dev/null </dev/null >"$TMPDIR/screen" 2>&1
    is "$(grep -c "$(printf '\033\\[3')" "$TMPDIR/screen" | sed 's/^[1-9].*/some/;s/^0$/none/')" "$1" "$2"
}
unset NO_COLOR
run="'$ASSAY' run -o GATHER_ND gather_nd.examples -d reference"
colored some 'color on a terminal' "$run"
colored none 'not with NO_COLOR' "NO_COLOR=1 $run"
colored some 'but with an empty one' "NO_COLOR= $run"
colored some '--color always is stronger' "NO_COLOR=1 $run --color always"
colored none '--color never is stronger' "$run --color never"
colored none 'not in a pipe' "$run | cat"
colored some 'unless asked for' "$run --color always | cat"
colored none 'not in a file' "$run --format human=$TMPDIR/plain; cat $TMPDIR/plain"
repro="'$ASSAY' repro $("$ASSAY" list -o GATHER_ND gather_nd.examples | head -n 1) -d reference"
colored some 'repro is colored, too' "$repro"
colored none '  unless NO_COLOR' "NO_COLOR=1 $repro"
colored none 'only human has colors' "$run --format json --color always"

tap_done
