#!/bin/bash
# Expectation files end to end, on deliberately broken devices.
. tools/tap.sh
few_operators
db=$TMPDIR/expect.db
file=$TMPDIR/known.txt
ask() { sqlite3 "$db" "with last as (select max(run_id) as run from runs) $1"; }
# run STATUS NAME ARGUMENTS…: a run that must exit with STATUS; its output is in $out and $err.
out=$TMPDIR/out err=$TMPDIR/err
run() {
    local status=$1 name=$2
    shift 2
    "$ASSAY" run "$@" --db "$db" >"$out" 2>"$err"
    is $? "$status" "$name"
}
broken=mutants:fault=flip-bit sound=mutants:fault=none
filter=(gather_nd.examples 'scatter_nd.examples.*.fl2_1.*')
count=$("$ASSAY" list --count "${filter[@]}")

cat >"$file" <<'END'
# The known failures.
gather_nd.examples  fail  # the first bit, issue 1
[device=mutants level>=3_0]
scatter_nd.examples.*.fl2_1.* fail,crash # the first bit, issue 2
[device=vulkan]
scatter_nd fail # theirs
END
run 1 'without expectations a broken device fails' "${filter[@]}" -d "$broken"
run 0 'expected failures do not fail a run' "${filter[@]}" -d "$broken" --expect "$file"
is "$(cat "$err")" '' '  standard error is empty'
like "$(cat "$out")" "expectations from .*known.txt" '  the output names the file'
like "$(cat "$out")" " $count fail; as expected: $count" '  expected failures are counted'
is "$(grep -c '^fail' "$out")" 0 '  and not printed'
is "$(ask "select distinct status, expectation, reason from results, last where run_id = run order by 3")" \
    'fail|expected|the first bit, issue 1
fail|expected|the first bit, issue 2' '  the rows have the real status and the reason'
is "$(ask "select count(*) from failures, last where run_id = run")" 0 '  and do not count as failures'
run 0 'with -v they are printed' "${filter[@]}" -d "$broken" --expect "$file" -v
is "$(grep -c '^fail .*, expected$' "$out")" "$count" '  as expected'
"$ASSAY" run "${filter[@]}" -d "$broken" --expect "$file" --format tap >"$out"
is "$(grep -c '^not ok .* # TODO the first bit, issue' "$out")" "$count" 'in TAP they are TODO'
prove -e cat "$out" >/dev/null 2>&1
is $? 0 '  prove passes that'

run 1 'an unexpected pass fails the run' "${filter[@]}" -d "$sound" --expect "$file"
like "$(cat "$out")" '^pass gather_nd.examples.*, unexpected$' '  it is printed'
like "$(tail -2 "$out")" "verdict: failed, $count of $count cases, $count of them passed against an expectation" \
    '  the verdict counts it'
like "$(cat "$out")" 'passed; expected fail \(.*known.txt:2\)' '  with file and line'
like "$(cat "$err")" "known.txt:4: device 'mutants:fault=none': none of the [0-9]+ cases that .* decides ended as fail,crash" \
    '  and the stale line is reported'
is "$(ask "select count(*), min(status), max(expectation) from failures, last where run_id = run")" \
    "$count|pass|unexpected" \
    '  the rows are failures'
"$ASSAY" run "${filter[@]}" -d "$sound" --expect "$file" --format tap >"$out" 2>/dev/null
prove -e cat "$out" >/dev/null 2>&1
is $? 1 '  and prove fails that'
run 1 'another failure than expected fails the run' gather_nd.examples -d mutants:fault=crash --expect "$file"
like "$(cat "$out")" 'SIGSEGV.*; expected fail \(.*known.txt:2\)' '  with the expected value'
run 1 'a section for another level does not apply' "${filter[@]}" -d "$broken,level=2_1" --expect "$file"
like "$(cat "$out")" '^fail scatter_nd' '  its cases have no expectation'

# Stale lines.
echo 'gather_nd.exampels fail # gone' | cat "$file" - >"$TMPDIR/stale.txt"
run 0 'a stale line of a section for another device is ignored' "${filter[@]}" -d "$broken" --expect "$TMPDIR/stale.txt"
sed -i '1i gather_nd.exampels fail # gone' "$TMPDIR/stale.txt"
run 1 'a line that no case matches is an error' "${filter[@]}" -d "$broken" --expect "$TMPDIR/stale.txt"
like "$(cat "$err")" "stale.txt:1: device '.*': no case matches 'gather_nd.exampels'; did you mean gather_nd.examples" \
    '  with file, line and a suggestion'
printf 'gather_nd.types fail # known\ngather.types fail # known\n' >"$TMPDIR/other.txt"
run 0 'lines about cases that were filtered out are not stale' "${filter[@]}" -d "$broken" --expect "$file" --expect \
    "$TMPDIR/other.txt"
echo 'gather_nd pass # none of it, from here on' >"$TMPDIR/all.txt"
run 1 'later files decide' "${filter[@]}" -d "$broken" --expect "$file" --expect "$TMPDIR/all.txt"
like "$(cat "$err")" "known.txt:2: .*: later lines decide all cases that 'gather_nd.examples' matches" \
    '  and a line all of whose cases they decide is stale'

echo 'gather.large fail # of another tier' >"$TMPDIR/tier.txt"
run 0 'a line about a tier that is not run is not stale' "${filter[@]}" -d "$broken" --expect "$file" --expect \
    "$TMPDIR/tier.txt"

# Cases that must not be run.
one=$("$ASSAY" list gather_nd.examples | head -1)
printf 'gather_nd.examples crash # known\n%s skip # hangs the GPU, issue 9\n' "$one" >"$TMPDIR/skip.txt"
run 0 'a case with the status skip is not run' gather_nd.examples -d mutants:fault=crash --expect "$TMPDIR/skip.txt" \
    --retries 2
is "$(ask "select group_concat(distinct status) from results, last where run_id = run and case_name = '$one'")" skip \
    '  it is skipped'
like "$(ask "select message from results, last where run_id = run and case_name = '$one'")" \
    '^hangs the GPU, issue 9 \(.*skip.txt:2\)$' '  with reason, file and line'
is "$(ask "select count(*) from results, last where run_id = run and status = 'crash'")" \
    $(($("$ASSAY" list --count gather_nd.examples) - 1)) '  the others are run'
is "$(cat "$err")" '' '  and the line is not stale'
"$ASSAY" run gather_nd.examples -d mutants:fault=crash --expect "$TMPDIR/skip.txt" --format tap >"$out"
like "$(cat "$out")" "^ok [0-9]+ - $one # SKIP hangs the GPU, issue 9" '  in TAP, it is skipped'
"$ASSAY" run gather_nd.examples -d mutants:fault=none --db "$db" --no-config >/dev/null
printf '[device=mutants]\n%s skip # hangs\n' "$one" >"$TMPDIR/skip.txt"
"$ASSAY" expect update "$TMPDIR/skip.txt" --db "$db" >"$out"
is $? 0 'update leaves such a line alone'
like "$(cat "$TMPDIR/skip.txt")" "^$one skip # hangs" '  even if its case passes'
printf '%s skip # hangs\ngather_nd.exampels skip # gone\n' "$one" >"$TMPDIR/skip.txt"
run 1 'a skip line that no case matches is stale' gather_nd.examples -d mutants:fault=none --expect "$TMPDIR/skip.txt"
printf '%s skip,fail # hangs\n' "$one" >"$TMPDIR/skip.txt"
run 3 'skip goes with no other status' gather_nd.examples -d reference --expect "$TMPDIR/skip.txt"
like "$(cat "$err")" 'skip.txt:1: .*expected skip alone' '  which the message says'

# Flaky cases, and attempts.
echo 'gather_nd.types fail,pass # now and then' >"$TMPDIR/flaky.txt"
run 0 'a case that may fail or pass may be flaky' gather_nd.types -d mutants:fault=flip-bit,every=7 --repeat 3 \
    --expect "$TMPDIR/flaky.txt"
is "$(ask "select count(*) > 9 from results, last where run_id = run and flaky and expectation = 'expected'")" 1 \
    '  flaky, as expected'
run 0 'an expected failure is not tried again' gather_nd.examples -d "$broken" --expect "$file" --retries 3
is "$(ask "select max(attempt) from result, last where run_id = run")" 1 '  one attempt'

# A file beside a device.
mkdir "$TMPDIR/devices"
cp "$(dirname "$ASSAY")/devices/mutants.so" "$TMPDIR/devices/mine.so"
sed 's/=mutants/=*mine.so/' "$file" >"$TMPDIR/devices/mine.expected"
mine=$TMPDIR/devices/mine.so:fault=flip-bit
run 0 'a file beside a device is used' "${filter[@]}" -d "$mine"
like "$(cat "$out")" 'expectations from .*/mine.expected \(beside the device; --no-expect leaves it out\)' \
    '  which the output says'
cp "$TMPDIR/devices/mine.so" "$TMPDIR/devices/other.so"
sed -n '/^\[/,$p' "$TMPDIR/devices/mine.expected" >"$TMPDIR/devices/other.expected" # without lines for all devices
run 1 'a file beside a device without a line for it expects nothing' "${filter[@]}" \
    -d "$TMPDIR/devices/other.so:fault=flip-bit"
is "$(grep -c 'expectations from' "$out")" 0 '  and the output does not mention it'
run 1 'but not with --no-expect' "${filter[@]}" -d "$mine" --no-expect
is "$(grep -c 'expectations from' "$out")" 0 '  and then the output does not mention it'
mkdir "$TMPDIR/cases" && cp cases/examples.lua "$TMPDIR/cases/"
echo '[]
gather_nd.types fail # not among the cases' >>"$TMPDIR/devices/mine.expected"
run 0 'with other cases its lines may match nothing' "${filter[@]}" -d "$mine" --cases "$TMPDIR/cases"

# Updates.
new=$TMPDIR/new.txt
update() { "$ASSAY" expect update "$@" --db "$db" >"$out" 2>"$err"; }
all=mutants:fault=index-last-lost
some=(gather_nd.indices gather_nd.types gather_nd.values gather_nd.strides)
run 1 'a device with a bug in indices' "${some[@]}" -d "$all"
update "$new"
is $? 0 'update makes a file of the failures'
like "$(cat "$out")" '0 kept, 0 changed, 0 removed, [2-9] added' '  with a summary, and few lines'
is "$(grep -cvE ' (fail|pass,fail) # new: [0-9]+ cases?: .*elements' "$new")" 0 \
    '  with numbers and messages in place of reasons'
run 0 'with it the device is as expected' "${some[@]}" -d "$all" --expect "$new"
like "$(cat "$err")" "[0-9]+ expectations are still marked 'new:'" '  but the run asks for reasons'
sed -i 's/# new: .*/# issue 7/; 1i # Mine.' "$new"
echo 'gather_nd.types.fl4_1.*int64* fail,pass # issue 7' >>"$new"
printf '[device=vulkan]\ngather_nd fail # theirs\n[]\ngather_nd.types.fl4_1 fail,pass # perhaps\n' >>"$new"
cp "$new" "$TMPDIR/before"
update "$new"
like "$(cat "$out")" '0 changed, [1-9][0-9]* removed, 0 added' 'lines whose cases later lines decide are removed'
update "$new"
like "$(cat "$out")" '0 changed, 0 removed, 0 added' '  once'
grep -v '^gather_nd\.types\.fl4_1\..*# issue 7' "$TMPDIR/before" | cmp -s - "$new"
ok $? '  all else is as it was: order, comments, reasons, others'"'"' sections'
run 1 'with another bug it is not as expected' "${some[@]}" -d mutants:fault=negative-as-zero --expect "$new"
update "$new"
is $? 0 '  until the file is updated'
run 0 '  then it is as expected' "${some[@]}" -d mutants:fault=negative-as-zero --expect "$new"
ok $(($(grep -c '# issue 7' "$new") > 0 ? 0 : 1)) '  and reasons are kept'
is "$(head -1 "$new")" '# Mine.' '  and comments'
run 1 'once the device is fixed, all lines are stale' "${some[@]}" -d "$sound" --expect "$new"
update "$new"
is "$(cat "$new")" '# Mine.
[device=vulkan]
gather_nd fail # theirs
[]' '  and removed, except comments and others'"'"' sections'
printf 'nonzero_coordinates fail # A\nnonzero_coordinates.types crash # B\n' >"$new"
run 1 'a removed line leaves its cases to the line before it' -o NONZERO_COORDINATES -d mutants:fault=flip-bit \
    --expect "$new"
run 1 '  where they pass' -o NONZERO_COORDINATES -d mutants:fault=crash,every=1000000 --expect "$new"
update "$new"
run 0 '  which update changes, too' -o NONZERO_COORDINATES -d mutants:fault=crash,every=1000000 --expect "$new"

# Mistakes on the command line or in a file.
printf 'gather fial # x\n' >"$TMPDIR/bad.txt"
fails 3 "bad.txt:1: 'fial' is not a status; did you mean fail" run -d reference --expect "$TMPDIR/bad.txt"
printf 'gather_nd.large fail # of another tier\n' >"$new"
run 1 'a line about another tier' gather_nd.examples -d "$broken" --expect "$new"
update "$new"
is "$(head -1 "$new")" 'gather_nd.large fail # of another tier' '  is left alone by an update'
run 0 '  and by the next run' gather_nd.examples -d "$broken" --expect "$new"

# Checks of a run in a database.
run 1 'a run without expectations' "${filter[@]}" -d "$broken" --no-expect
run_id=$(ask 'select run from last')
check() { "$ASSAY" expect check "$@" --db "$db" --run "$run_id" >"$out" 2>"$err"; }
check "$file"
is "$? $(wc -l <"$out")" '0 1' 'check: a run that is as expected is one line'
like "$(cat "$out")" "^run $run_id on '$broken', $count cases: $count as expected, 0 unexpected, 0 failed without a line; 0 stale lines$" \
    '  that counts all cases'
sed 's/^gather_nd.examples/gather_nd.types/; s/fail,crash/crash/' "$file" >"$TMPDIR/checked.txt"
echo 'gather_nd.exampels fail # gone' >"$TMPDIR/gone.txt"
check "$TMPDIR/checked.txt" "$TMPDIR/gone.txt"
is $? 1 'check: another run is an error'
like "$(cat "$out")" '^scatter_nd.examples.*; expected crash \(.*checked.txt:4\)$' '  with the case and the line'
like "$(cat "$out")" '^gather_nd.examples.*: fail, which no line expects: ' '  and failures that no line expects'
like "$(cat "$out")" "^.*gone.txt:1: no case matches 'gather_nd.exampels'" '  and stale lines'
like "$(cat "$out")" 'checked.txt:4: none of the [0-9]+ cases .* ended as crash$' '  of both kinds'
like "$(tail -1 "$out")" ': 0 as expected, [1-9][0-9]* unexpected, [1-9][0-9]* failed without a line; 2 stale lines$' \
    '  counted'
fails 3 "bad.txt:1: 'fial'" expect check "$TMPDIR/bad.txt" --db "$db"
fails 2 'expected .* or .assay expect check FILE' expect check --db "$db"
fails 2 'expect needs a run' expect check "$file"

fails 3 "bad.txt:1: 'fial'" expect update "$TMPDIR/bad.txt" --db "$db"
is "$(cat "$TMPDIR/bad.txt")" 'gather fial # x' 'a malformed file is left as it was'
fails 2 'nowhere.txt: No such file' run -d reference --expect "$TMPDIR/nowhere.txt"
fails 2 'expected .assay expect update FILE' expect
fails 2 'expected .assay expect update FILE' expect updat x
fails 2 'expect needs a run' expect update "$new"
fails 4 'has no run 99; its last is [0-9]+' expect update "$new" --db "$db" --run 99
fails 3 'expected an assay database' expect update "$new" --db "$TMPDIR/bad.txt"
fails 3 'nowhere.db' expect update "$new" --db "$TMPDIR/nowhere.db"
fails 3 'nowhere/x' expect update "$TMPDIR/nowhere/x" --db "$db" --run 1
is "$(find "$TMPDIR" -name 'new.txt.*' | wc -l)" 0 'no other file is left'
tap_done
