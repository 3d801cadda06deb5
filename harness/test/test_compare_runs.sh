#!/bin/bash
# Comparing two runs: every kind of change, known times, invalid commands.
. tools/tap.sh
whole=$ASSAY
few_operators
db=$TMPDIR/a.db
other=$TMPDIR/b.db

run() { # DB ARGUMENTS…
    local file=$1
    shift
    "$ASSAY" run "$@" --search 0 --db "$file" >/dev/null 2>&1
}
compare() { # STATUS ARGUMENTS…: its output is in $said and, where it is JSON, parsed
    local status=$1
    shift
    said=$("$ASSAY" compare "$@" 2>"$TMPDIR/err")
    is $? "$status" "compare $* exits with $status"
}
count() { # JQ EXPECTED NAME: of what was said
    is "$(printf '%s' "$said" | jq -c "$1")" "$2" "  $3"
}

# Runs 1 to 6; 1 and 2 in two databases.
run "$db" -d reference gather gather_nd.examples 'gather_nd.violations.*'
run "$other" -d mutants:fault=flip-bit,every=2 gather.types gather_nd.examples 'gather_nd.violations.*' \
    scatter_nd.examples
run "$db" -d reference gather gather_nd.examples 'gather_nd.violations.*'
run "$db" -d mutants:fault=other-error gather_nd
run "$db" -j 1 -d mutants:fault=crash,every=2 gather_nd.examples
run "$db" -d reference:level=2_1 gather_nd

# Nothing differs.
compare 0 "$db#1" "$db#2"
like "$said" ', 0 regressions, ' 'no regressions'
like "$said" 'times: not compared: a case needs 5 samples' 'one sample is not enough for times, and the message says so'
compare 0 "$db" -d reference
like "$said" "before $db#1: .*|after  $db#2: " 'one name: the last run of the device and the one before'
compare 0 --db "$db" 1 2 --json
count '[.v, .before.run, .after.run, .counts.both == .counts.same, .timing.tested]' '[1,1,2,true,0]' 'numbers in --db'

# Two databases, counted by SQL. Cases that a partial run leaves out are not gone.
compare 1 "$db#1" "$other" --json
count '[.counts.gone, (.gone | length), .counts.not_run > 300]' '[0,0,true]' 'what a partial run leaves out is not gone'
sqlite3 "$other" 'update run set whole_plan = 1'
compare 1 "$db#1" "$other" --json
sql() {
    sqlite3 "$db" "attach '$other' as o; with a as (select case_name, status from main.results where run_id = 1),
        b as (select case_name, status from (select test_case.name as case_name, result.status from o.result
              join o.test_case on test_case.id = case_id)), bad(s) as (values ('fail'), ('crash')) $1"
}
regressions=$(sql "select count(*) from a join b using (case_name) where a.status not in bad and b.status in bad")
is "$((regressions > 30))" 1 'there are many regressions'
count .counts.regressions "$regressions" 'and as many are found as SQL finds'
count '.regressions | length' "$regressions" 'and all are listed'
count .counts.new "$(sql "select count(*) from b where case_name not in (select case_name from a)")" 'new'
count .counts.gone "$(sql "select count(*) from a where case_name not in (select case_name from b)")" 'gone'
count .counts.both "$(sql "select count(*) from a join b using (case_name)")" 'in both'
count .counts.new_failing "$(sql \
    "select count(*) from b where status in bad and case_name not in (select case_name from a)")" 'of which fail'
count '.new | map(.case | startswith("scatter_nd.")) | all' true 'what is new is what the first filter left out'
count '.new[0] | has("before")' false 'what is new has no status before'
count '.regressions | map([.before, .after]) | unique' '[["pass","fail"]]' 'from and to'
count '.regressions[0] | .message, (.reproduce | test("mutants:fault=flip-bit"))' \
    "$(printf '%s' "$said" | jq '.regressions[0].message')"$'\ntrue' 'with what is wrong, and how to see it again'
compare 0 "$other" "$db#1" --json
count .counts.fixes "$regressions" 'the other way round they are fixes'
count .counts.regressions 0 'and nothing is a regression'
compare 1 "$db#1" "$other" gather_nd.examples --json
count '.counts.both' "$("$ASSAY" list --count gather_nd.examples)" 'a filter'
count '[.counts.new, .counts.gone]' '[0,0]' 'leaves nothing else'
compare 1 "$db#1" "$other" --json --limit 2
count '[(.regressions | length), .counts.regressions]' "[2,$regressions]" '--limit cuts lists, not counts'
compare 1 "$db#1" "$other" --limit 2
is "$(printf '%s\n' "$said" | grep -c 'pass -> fail')" 2 'for people, too'
like "$said" "and $((regressions - 2)) more: --limit 0" 'and names the cases that are left out'
compare 1 "$db#1" "$other"
is "$(printf '%s\n' "$said" | grep -c 'pass -> fail')" 20 'twenty without'
compare 1 "$db#1" "$other" --limit 0
is "$(printf '%s\n' "$said" | grep -c 'pass -> fail')" "$regressions" 'all with --limit 0'

# Choices.
"$ASSAY" fingerprint -d reference gather --db "$TMPDIR/c.db" >/dev/null
"$ASSAY" fingerprint -d mutants:fault=gather-zero gather --db "$TMPDIR/c.db" >/dev/null
"$ASSAY" compare "$TMPDIR/c.db#1" "$TMPDIR/c.db#2" --json >"$TMPDIR/c.json"
is $? 0 'another choice is no regression'
is "$(jq -c '[.counts.regressions, .counts.choices > 0, ([.choices[] | [.before, .after]] | unique)]' \
    "$TMPDIR/c.json")" \
    '[0,true,[["clamped","zero"]]]' 'and is said'
is "$(jq '.choices | length' "$TMPDIR/c.json")" "$(sqlite3 "$TMPDIR/c.db" "select count(*) from results a join results b
    using (case_name) where a.run_id = 1 and b.run_id = 2 and a.outcome <> b.outcome and a.outcome <> '' and
    b.outcome <> ''")" 'for all cases'
like "$("$ASSAY" compare "$TMPDIR/c.db#1" "$TMPDIR/c.db#2")" '  clamped -> zero  gather' 'for people, too'

# Worse and better without failing; across devices of one database.
compare 0 "$db" -d reference -d mutants:fault=other-error --json
count '[.before.device, .after.device, .counts.regressions, .counts.worse > 50, .counts.better]' \
    '["reference","mutants:fault=other-error",0,true,0]' 'pass to warn is for the worse'
count '.worse | map([.before, .after]) | unique' '[["pass","warn"]]' 'from and to'
compare 0 --db "$db" 3 2 --json
count '[.counts.fixes, .counts.better > 50]' '[0,true]' 'warn to pass is for the better'
run "$TMPDIR/third.db" -j 1 -d mutants:fault=flip-bit,every=4 gather_nd.examples
compare 1 "$TMPDIR/third.db" "$db#4" gather_nd.examples --json
count '.regressions + .worse | map(.after) | unique' '["crash"]' 'crashes'
count '.worse | map(.before) | unique' '["fail"]' 'fail to crash is for the worse'
compare 0 "$db#3" "$db#5" 'gather_nd.types.fl6_4' 'gather_nd.types.fl4_1' --json
count '[.worse[].after] | unique' '["skip"]' 'pass to skip is for the worse'

# Since when failures are there: in each run since, as far as the device ran the case.
since=$TMPDIR/since.db
for revision in one two three; do
    run "$since" -d reference gather_nd.examples --revision $revision
done
sqlite3 "$since" "update result set status = 'fail' where run_id >= 2 and case_id <= 2;
    update result set status = 'fail' where run_id <> 2 and case_id = 3; delete from result where run_id = 2 and case_id = 2"
third=$(sqlite3 "$since" 'select name from test_case where id = 3')
compare 1 "$since" --json
count '[.failing_since[] | [.run, .revision, .cases, .case]]' "[[2,\"two\",1,\"$(sqlite3 "$since" \
    'select name from test_case where id = 1')\"],[3,\"three\",2,\"$(printf '%s\n' "$third" "$(sqlite3 "$since" \
    'select name from test_case where id = 2')" | sort | head -1)\"]]" 'failures have the run and the revision where they began'
compare 1 "$since"
like "$said" '^failing since$' 'the text says so, too'
like "$said" '^  run 2, revision two, 20[^ ]*: 1 case, the first gather_nd' '  with the revision'
compare 0 "$since#1" "$since#1" --json
count '[.failing_since[] | [.run, .cases]]' '[[1,1]]' 'later runs do not count'

# Exit statuses.
fails 4 'no case is in both runs' compare "$db#4" "$other" 'scatter_nd.examples'
fails 4 'no case of these runs matches' compare "$db#1" "$other" nonsense
sqlite3 "$db" "update result set status = 'incomplete' where run_id = 2 and case_id in
    (select id from test_case where name like 'gather.types.%')"
fails 5 'the second run is not complete' compare "$db#1" "$db#2"
compare 0 "$db#2" "$db#1"
sqlite3 "$db" "update result set status = 'fail' where run_id = 2 and case_id = 1"
compare 1 "$db#1" "$db#2"

# Text from a database is escaped.
sqlite3 "$other" "update detail set message = 'a' || char(27) || '[2J' || char(10) || '\"b\\' || char(8238)
    where case_id = (select min(case_id) from detail)"
compare 1 "$db#1" "$other" --limit 0
like "$said" 'message    a\\x1b\[2J\\n"b\\\\u202e$' 'control characters show'
compare 1 "$db#1" "$other" --json
count '[.regressions[].message | select(startswith("a"))][0] | explode' '[97,27,91,50,74,10,34,98,92,8238]' \
    'JSON has the earlier state'
is "$(printf '%s' "$said" | LC_ALL=C tr -d '\n' | LC_ALL=C grep -c '[[:cntrl:]]')" 0 'and holds no control characters'

# Wrong commands.
fails 2 'compare takes two runs' compare
fails 2 "'3' names a run, but no database" compare 3
fails 2 "'#3' names a run, but no database" compare '#3'
fails 2 'expected the number of a run after #' compare "$db#"
fails 2 'first run of a database is 1' compare "$db#0"
fails 2 'too long' compare "$db#99999999999999999999" "$db"
fails 2 'clock: expected host or device' compare "$db" --clock sun
fails 2 'fdr: expected 1 to 50' compare "$db" --fdr 0
fails 2 'effect: expected 0 to 1000' compare "$db" --effect 5000
fails 2 'at most two devices' compare "$db" -d a -d b -d c
fails 2 'time measures two devices' compare --time -d reference
fails 2 'repeats: expected 5 to 1000' compare --time -d reference -d reference --repeats 4
for option in '--repeats 9' '--seed 3' '-o GATHER' '--cases cases'; do
    # shellcheck disable=SC2086 # an option and its value
    fails 2 'is for --time' compare "$db" $option
done
program=$(realpath "$ASSAY")
(cd "$TMPDIR" && printf 'specs = none\ncases = none\nrepeats = 9\n' >.assay && "$program" compare "$db" >compared 2>&1)
! grep -qE 'is for --time|none' "$TMPDIR/compared"
ok $? 'settings that only --time needs count with --time only'
fails 2 'timeout' compare --time -d reference -d reference --timeout 0
fails 4 'has no run 77; its last is 5' compare "$db#77" "$db"
fails 4 'has no run of device vulcan' compare "$db" -d vulcan
fails 4 'no run of device mutants:fault=other-error before run 3' compare "$db#3"
fails 4 'run 1 is of device reference, not mutants' compare "$db#3" "$db#1" -d mutants:fault=other-error
fails 4 'no case matches' compare --time -d reference -d reference nonsense
fails 6 'no device is named' compare --time -d reference -d nonsense gather_nd.examples
fails 3 'absent.db: No such file' compare "$TMPDIR/absent.db"
is "$(ls "$TMPDIR/absent.db" 2>/dev/null)" '' '  and none is made'
echo 'not a database' >"$TMPDIR/text.db"
sqlite3 "$TMPDIR/foreign.db" 'create table t(a)'
cp "$db" "$TMPDIR/newer.db"
sqlite3 "$TMPDIR/newer.db" 'pragma user_version = 99'
head -c 100000 "$db" >"$TMPDIR/half.db"
fails 3 'not a database' compare "$TMPDIR/text.db" "$db"
fails 3 'another program' compare "$db" "$TMPDIR/foreign.db"
fails 3 'schema version 99' compare "$TMPDIR/newer.db" "$db"
fails 3 'damaged' compare "$TMPDIR/half.db" "$db"
before=$(sha256sum "$db")
chmod 400 "$db"
compare 0 "$db#2" "$db#1"
is "$(sha256sum "$db")" "$before" '  and only reads'
chmod 600 "$db"

# Times, with a device whose clock is set by options: ns=N per item, times `large` if its output is large.
cat <<'C' >"$TMPDIR/clock.c"
#include "harness/test/wrapper.h"
#include <stdio.h>
static unsigned long long ns, large;
static HRESULT create_device(const assay_device_config *config, assay_device **out, char *message, size_t size)
{
    assay_device_config plain = {.size = sizeof plain, .arguments = ""};
    if (sscanf(config->arguments, "ns=%llu,large=%llu", &ns, &large) != 2)
        return E_INVALIDARG;
    return inner->create_device(&plain, out, message, size);
}
static HRESULT dispatch(assay_device *device, const assay_dispatch_item *items, uint32_t count, assay_dispatch_result *out)
{
    HRESULT result = inner->dispatch(device, items, count, out);
    for (uint32_t i = 0; i < count; i++)
        out[i].device_ns = ns * (items[i].outputs[0].size > 64 ? large : 100) / 100;
    return result;
}
static void wrapper_replace(assay_device_api *api)
{
    api->create_device = create_device;
    api->dispatch = dispatch;
}
C
${CC:-cc} -shared -fPIC -I. "$TMPDIR/clock.c" -o "$TMPDIR/clock.so" -ldl || echo '# the clock could not be compiled'
INNER=$(realpath "$ASSAY_DEVICES/mutants.so")
export INNER
clock=$TMPDIR/clock.so
ASSAY=$whole # few cases with large outputs could be large by chance
timed=(--time --clock device -d "$clock:ns=1000,large=100" gather_nd.types.fl4_1 gather.types.fl4_1 --repeats 5)
planned=$("$ASSAY" list --count gather_nd.types.fl4_1 gather.types.fl4_1)

compare 0 "${timed[@]}" -d "$clock:ns=1000,large=100" --json
count '.timing | [.clock, .slower, .faster, .tested > 100, .all.verdict, .all.ratio]' '["device",[],[],true,"same",1]' \
    'the same is the same'
compare 0 "${timed[@]}" -d "$clock:ns=1000,large=130" --json --db "$TMPDIR/t.db"
measured=$(printf '%s' "$said" | jq -c '.timing')
count '.timing.slower_count > 20 and .timing.slower_count < .timing.tested' true 'some are slower'
count '.timing.slower | map(.ratio) | unique' '[1.3]' 'by as much as they are'
count '.timing.slower[0] | [.before_ns, .after_ns, .samples]' '[1000,1300,[5,5]]' 'with their medians'
count '.timing.faster_count' 0 'none is faster'
count '.counts | [.regressions, .both]' "[0,$planned]" 'no status differs'
count '.timing.operators | map(.operator)' '["GATHER","GATHER_ND"]' 'and there is a line for each operator'
is "$(sqlite3 "$TMPDIR/t.db" 'select count(*), count(distinct run_id), max(repeat), min(repeat) from samples')" \
    "$(printf '%s' "$said" | jq -r '"\(.timing.tested * 10)|2|5|1"')" 'the samples are in the database'
is "$(sqlite3 "$TMPDIR/t.db" "select count(*) from results join runs using (run_id) where state = 'complete'")" \
    $((2 * planned)) 'and the results, of two complete runs'
compare 0 "$TMPDIR/t.db#1" "$TMPDIR/t.db#2" --clock device --json
is "$(printf '%s' "$said" | jq -c .timing)" "$measured" '  and say the same when read again'
compare 1 --db "$TMPDIR/t.db" 1 2 --clock device --slower-fails
like "$said" '1.3 x  q [0-9.e-]+  gather' 'for people, too'
like "$said" '^GATHER +[0-9]+ +.* slower$|^GATHER_ND +[0-9]+ .* same$' 'by operator, too'
compare 0 --db "$TMPDIR/t.db" 1 2 --clock device --slower-fails --effect 31
compare 0 --db "$TMPDIR/t.db" 2 1 --clock device --slower-fails --json
count '.timing.faster_count > 20 and (.timing.faster[0].ratio < 0.77)' true 'the other way round: faster'
like "$("$ASSAY" compare --db "$TMPDIR/t.db" 1 2 --clock device --fdr 1)" \
    'too few samples to find a single case among' \
    'too few samples for so many cases: said'
compare 1 --time -d reference -d mutants:fault=flip-bit gather_nd.examples --repeats 5 --json
count '[.counts.regressions > 0, .timing.tested]' '[true,0]' 'what does not pass on both is not timed'

# Interrupted: samples so far are kept.
"$few/build/assay" compare --time -d reference -d reference gather --repeats 1000 --db "$TMPDIR/int.db" >"$TMPDIR/out" \
    2>/dev/null &
harness=$!
while [ "$(sqlite3 "$TMPDIR/int.db" 'select count(*) > 0 from samples' 2>/dev/null)" != 1 ]; do sleep 0.1; done
kill -INT $harness
wait $harness
is $? 5 'interrupted: exit status 5'
is "$(sqlite3 "$TMPDIR/int.db" "select group_concat(distinct state) from runs")" incomplete 'the runs are incomplete'

# The largest errors of computed outputs: those that grew, before a case fails.
errors=$TMPDIR/errors.db
run "$errors" -d mutants:fault=none 'element_wise_sin.types.*'
run "$errors" -d mutants:fault=at-bound 'element_wise_sin.types.*'
count_of_types=$("$ASSAY" list --count 'element_wise_sin.types.*')
compare 0 "$errors#1" "$errors#2"
like "$said" "^cases whose largest error grew: $count_of_types\$" '  names the errors that grew'
like "$said" '^  0 -> .* ULP, 0 -> (0\.9[0-9]*|1) of the bound  element_wise_sin\.types' \
    '  with both errors of each case'
compare 0 "$errors#1" "$errors#2" --json
count '.errors_grew | map(.before_share == 0 and .after_share > 0.9 and .after_share <= 1) | all, length' "true
$count_of_types" 'shares of the bound'
compare 0 "$errors#2" "$errors#1" --json
count '.errors_grew' '[]' 'none that shrank'

# --rerun-failed and --new.
ASSAY=$few/build/assay
run "$TMPDIR/r.db" -d mutants:fault=flip-bit,every=5 gather_nd.types --seed 7
failed=$(sqlite3 "$TMPDIR/r.db" 'select count(*) from failures')
is "$((failed > 10))" 1 'some fail'
"$ASSAY" run -d mutants:fault=flip-bit,every=5 --rerun-failed --db "$TMPDIR/r.db" >/dev/null
is $? 1 '--rerun-failed'
is "$(sqlite3 "$TMPDIR/r.db" 'select count(*), count(distinct seed) from results where run_id = 2 and
    (case_name, seed) in (select case_name, seed from failures where run_id = 1)')" "$failed|$failed" \
    '  runs the failed cases, with the same seeds'
is "$(sqlite3 "$TMPDIR/r.db" 'select planned from runs where run_id = 2')" "$failed" '  and nothing else'
sqlite3 "$TMPDIR/r.db" "update result set status = 'incomplete' where run_id = 2;
    update result set status = 'pass' where run_id = 2 and case_id % 2"
half=$(sqlite3 "$TMPDIR/r.db" "select count(*) from results where run_id = 2 and status = 'incomplete'")
"$ASSAY" run -d mutants:fault=flip-bit,every=5 --rerun-failed --db "$TMPDIR/r.db" >/dev/null
is "$(sqlite3 "$TMPDIR/r.db" 'select planned from runs where run_id = 3')" "$half" \
    '  cases that were not run count as well'
fails 4 'has no run of device reference' run -d reference --rerun-failed --db "$TMPDIR/r.db"
run "$TMPDIR/r.db" -d reference gather_nd.types
fails 4 'no such case fails in the current state' run -d reference --rerun-failed --db "$TMPDIR/r.db"
fails 2 'need a database: --db' run -d reference --rerun-failed
fails 2 'need a database: --db' run -d reference --new
fails 3 'No such file' run -d reference --rerun-failed --db "$TMPDIR/no.db"
fails 3 'not a database' run -d reference --new --db "$TMPDIR/text.db"
"$ASSAY" run -d reference gather_nd.types gather_nd.examples --new --db "$TMPDIR/r.db" >/dev/null
is $? 0 '--new'
is "$(sqlite3 "$TMPDIR/r.db" "select group_concat(distinct substr(case_name, 1, 19)) from results where run_id = 5")" \
    gather_nd.examples. '  runs the cases that no run has run'
fails 4 'no such case is new' run -d vulkan gather_nd.types --new --db "$TMPDIR/r.db"
"$ASSAY" run -d reference gather_nd.examples --new --db "$TMPDIR/n.db" >/dev/null
is $? 0 '  which is all if there is no database yet'
"$ASSAY" run -d reference -d mutants:fault=flip-bit,every=5 --rerun-failed --new gather_nd.types gather_nd.limits \
    --db "$TMPDIR/r.db" >"$TMPDIR/out" 2>&1
is "$(sqlite3 "$TMPDIR/r.db" 'select count(*) from runs where run_id > 5')" 2 'both, on two devices'
is "$(sqlite3 "$TMPDIR/r.db" "select count(*) from results where run_id = 7 and case_name like 'gather_nd.types.%'")" \
    "$(sqlite3 "$TMPDIR/r.db" "select count(*) from failures where run_id = 3")" '  each has its own failures'
is "$(sqlite3 "$TMPDIR/r.db" "select count(*) from results where run_id = 6")" \
    "$("$ASSAY" list --count gather_nd.limits)" \
    '  and the new failures'

tap_done
