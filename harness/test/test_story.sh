#!/bin/bash
# A history of eight runs: full, partial, fingerprint, shards and merge, rerun, flaky, crash, fixed. After each of them
# compare, report, status, --rerun-failed and SQL tell the same story.
. tools/tap.sh
db=$TMPDIR/story.db

# A run of everything is short with four operators and few strategies.
tree=$TMPDIR/tree
cp -r "$(dirname "$ASSAY")/few" "$tree"
rm "$tree"/specs/{gather_elements,gather_nd1,scatter_elements}.lua
find "$tree/cases" -name '*.lua' | grep -Ev '/(examples|indices|types|values).lua$' | xargs rm
ASSAY=$tree/build/assay
"$ASSAY" plan-cache --no-config "$tree/build/compiled-specs" "$tree/build/plan"
INNER=$(realpath "$ASSAY_DEVICES/mutants.so")
device=$TMPDIR/device.so

# The device under test is one path, whose file changes: `build ARGUMENTS` makes it the mutant with these arguments.
cat >"$TMPDIR/device.c" <<'C'
#include "harness/test/wrapper.h"
static HRESULT create_device(const assay_device_config *config, assay_device **out, char *message, size_t size)
{
    assay_device_config own = {.size = sizeof own, .arguments = *config->arguments ? config->arguments : ARGUMENTS};
    return inner->create_device(&own, out, message, size);
}
static void wrapper_replace(assay_device_api *api) { api->create_device = create_device; }
C
build() {
    ${CC:-cc} -shared -fPIC -Wl,--build-id -I. "-DINNER=\"$INNER\"" "-DARGUMENTS=\"$1\"" "$TMPDIR/device.c" \
        -o "$device.new" -ldl && mv "$device.new" "$device" || echo '# the device could not be compiled'
}
sql() {
    sqlite3 "$db" "$@"
}
run() { # STATUS NAME ARGUMENTS…
    local status=$1 name=$2
    shift 2
    "$ASSAY" run -d "$device" --db "$db" "$@" >"$TMPDIR/out" 2>"$TMPDIR/err"
    is $? "$status" "$name"
}

# The expected state is kept here, by other means than the program's: bad CASE if it fails now, good CASE if not.
: >"$TMPDIR/state"
follow() { # RUN: its results replace what was known of their cases
    cp "$TMPDIR/state" "$TMPDIR/before"
    sql -separator ' ' "select iif(failed, 'bad', 'good'), case_name from results where run_id = $1" >"$TMPDIR/new"
    awk 'NR == FNR { now[$2] = $1; next } !($2 in now) { print } END { for (c in now) print now[c], c }' \
        "$TMPDIR/new" "$TMPDIR/before" >"$TMPDIR/state"
}
bad() {
    grep -c '^bad' "$TMPDIR/state"
}
# Cases of the last run that went from $1 to $2.
turned() {
    awk -v from="$1" -v to="$2" \
        'FILENAME == ARGV[1] { old[$2] = $1; next } old[$2] == from && $1 == to { n++ } END { print n + 0 }' \
        "$TMPDIR/before" "$TMPDIR/new"
}
# told RUN CASES LABEL: all commands agree on the state after the run, the last that counts, which has so many cases of
# it.
told() {
    local last=$1 ran=$2 label=$3 all failing partial state causes changes
    all=$(wc -l <"$TMPDIR/state")
    failing=$(bad)
    partial=$([ "$ran" = "$all" ] || echo partial)
    is "$(sql "select count(*), sum(failed), sum(run_id = $last), min(as_of) from current_results")" \
        "$all|$failing|$ran|$last" '  SQL: current_results'
    is "$(sql -separator ' ' "select iif(failed, 'bad', 'good'), case_name from current_results" | sort | cmp - \
        <(sort "$TMPDIR/state") && echo same)" same '  SQL: each case'
    "$ASSAY" status "$db" >"$TMPDIR/said"
    like "$(cat "$TMPDIR/said")" \
        "^current state of .*: $all cases, $failing failures${partial:+; $ran of $all cases in run $last, }" \
        '  status'
    like "$(cat "$TMPDIR/said")" "label $label, revision r-$label, build [0-9a-f]+${partial:+, partial}" \
        '  status: label, revision, build'
    "$ASSAY" report "$db" --markdown "$TMPDIR/m.md" --json "$TMPDIR/d.json" --csv "$TMPDIR/c.csv" --junit \
        "$TMPDIR/j.xml"
    is "$(grep "^| .$device" "$TMPDIR/m.md" | head -1 | tr -d ' ' | cut -d'|' -f6,9)" "$all|$failing" \
        '  report: Markdown'
    like "$(cat "$TMPDIR/m.md")" \
        "label .$label., revision .r-$label., branch .main.${partial:+; the last run is partial: $ran of $all cases in run $last, }" \
        '  report: label, revision, partial'
    { read -r state; read -r causes; read -r changes; } < <(jq -c '.devices[0] as $d |
        [$d.state.cases, $d.state.failures, $d.state.ran, .runs[$d.current].run, .runs[$d.current].label,
        .runs[$d.current].revision, .runs[$d.current].partial], ([.causes[].count] | add // 0),
        (.changes[0].counts | [.regressions, .fixes, .both])' "$TMPDIR/d.json")
    is "$state" "[$all,$failing,$ran,$last,\"$label\",\"r-$label\",${partial:+true}$([ "$partial" ] || echo false)]" \
        '  report: JSON'
    is "$causes" "$failing" '  report: JSON, by cause'
    is "$(/usr/bin/python3 -c 'import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="", encoding="utf-8")))
print(len(rows), sum(r["failed"] == "1" for r in rows))' "$TMPDIR/c.csv")" "$all $failing" '  report: CSV'
    is "$(xmllint --xpath 'concat(count(//testcase), " ", count(//failure) + count(//error))' "$TMPDIR/j.xml")" \
        "$all $failing" \
        '  report: JUnit'
    cp "$db" "$TMPDIR/copy.db"
    "$ASSAY" run -d "$device" --db "$TMPDIR/copy.db" --rerun-failed --max-time 1 >/dev/null 2>&1
    is "$(sqlite3 "$TMPDIR/copy.db" "select max(planned) from runs where purpose = 'rerun' and run_id > $last")" \
        "$([ "$failing" = 0 ] || echo "$failing")" '  --rerun-failed'
    [ "$last" = 1 ] && return
    "$ASSAY" compare "$db" --json >"$TMPDIR/compare.json"
    is $? "$([ "$(turned good bad)" = 0 ] && echo 0 || echo 1)" '  compare: exit status'
    is "$(jq -c '[.counts.regressions, .counts.fixes, .counts.both, .counts.new, .counts.gone, .after.run, .after.label,
        .after.device_state.failures]' "$TMPDIR/compare.json")" \
        "[$(turned good bad),$(turned bad good),$ran,0,0,$last,\"$label\",$failing]" '  compare'
    is "$changes" "[$(turned good bad),$(turned bad good),$ran]" '  report: changes'
}
about() {
    echo --label "$1" --revision "r-$1" --branch main
}
all=$("$ASSAY" list --count)
examples=$("$ASSAY" list --count gather_nd.examples)

# 1: everything, on a device that fails now and then. Only this run also searches, which adds nothing to its state.
build fault=flip-bit,some=2,level=6_4
# shellcheck disable=SC2046
run 1 'run 1, full: fails' $(about one)
follow 1
ok $(($(bad) > 200 ? 0 : 1)) '  hundreds of cases'
told 1 "$all" one
first=$(bad)

# 2: a part, on a device that fails there always.
build fault=flip-bit,level=6_4
# shellcheck disable=SC2046
run 1 'run 2, partial: more failures' gather_nd.examples $(about two)
follow 2
ok $(($(bad) > first ? 0 : 1)) '  there are more'
like "$(head -1 "$TMPDIR/out")" ', label two, revision r-two, partial$' '  and the run says that it is partial'
told 2 "$examples" two
like "$("$ASSAY" status "$db")" \
    "; $examples of $all cases in run 2, the others since run 1, $((all - examples)) of them on another build" \
    '  status: the other verdicts are of another build'

# 3: a fingerprint is no conformance run, whatever device it is of.
build fault=crash,level=6_4
"$ASSAY" fingerprint -d "$device" gather --db "$db" >/dev/null 2>&1
is "$(sql 'select purpose, partial from runs where run_id = 3')" 'fingerprint|1' 'run 3, fingerprint'
told 2 "$examples" two
like "$("$ASSAY" status "$db")" "complete, .*, made for fingerprint, build" '  status lists it'

# 4: two shards in one database, merged; twice.
build fault=flip-bit,some=5,level=6_4
for shard in 1/2 2/2; do
    # shellcheck disable=SC2046
    "$ASSAY" run -d "$device" --shard $shard --search 0 --db "$TMPDIR/shards.db" $(about four) >/dev/null 2>&1
    is $? 1 "shard $shard"
done
is "$(sqlite3 "$TMPDIR/shards.db" 'select sum(cases), sum(failed), count(*) from
    (select count(*) as cases, sum(failed) as failed from current_results group by run_id)')" \
    "$all|$(sqlite3 "$TMPDIR/shards.db" 'select count(*) from failures')|2" '  unmerged, both count'
"$ASSAY" merge "$db" "$TMPDIR/shards.db" >"$TMPDIR/out" 2>&1
is "$? $(cut -d: -f2 "$TMPDIR/out" | head -1)" "0  2 shards, $all cases" 'run 4, merged'
"$ASSAY" merge "$db" "$TMPDIR/shards.db" >"$TMPDIR/out" 2>&1
is "$? $(sql 'select count(*) from runs') $(grep -c 'already merged, as run 4; not added again' "$TMPDIR/out")" \
    '0 4 1' '  once'
is "$(sql 'select partial, whole_plan, shards from runs where run_id = 4')" '0|1|1' '  as a whole run'
follow 4
told 4 "$all" four

# 5: what failed again, on a device that is right in part.
build fault=flip-bit,some=15,level=6_4
failing=$(bad)
# shellcheck disable=SC2046
run 1 'run 5, rerun: some still fail' --rerun-failed $(about five)
follow 5
ok $(($(bad) > 0 && $(bad) < failing ? 0 : 1)) '  and some do not'
told 5 "$failing" five

# An empty shard of nothing is no run.
sound=$(awk '$1 == "good" { print $2; exit }' "$TMPDIR/state")
"$ASSAY" run -d "$device" --shard 1/2 --rerun-failed "$sound" --db "$db" >/dev/null 2>&1
is "$? $(sql 'select count(*) from runs')" '4 5' 'an empty shard of failed cases is not kept'
told 5 "$failing" five

# 6: flaky. The device is right at every second call.
build fault=flip-bit,every=2,level=6_4
# shellcheck disable=SC2046
run 1 'run 6, flaky' --retries 5 --batch 1 scatter_nd.examples scatter_nd.values $(about six)
follow 6
ok $(($(sql 'select count(*) > 0 from results where run_id = 6 and flaky') == 1 ? 0 : 1)) '  there are flaky cases'
is "$(turned good bad)" "$(sql "select count(*) from failures where run_id = 6 and case_name in (select case_name from
    state_results where as_of = 5 and not failed)")" '  pass to flaky is a regression'
told 6 "$("$ASSAY" list --count scatter_nd.examples scatter_nd.values)" six
like "$("$ASSAY" compare "$db")" '^  pass -> flaky +scatter_nd' '  and compare prints it'

# 7: crashes.
build fault=crash,every=3,level=6_4
# shellcheck disable=SC2046
run 1 'run 7, crash' gather.examples $(about seven)
follow 7
told 7 "$("$ASSAY" list --count gather.examples)" seven
is "$(sql "select count(*) > 0 from current_results where status = 'crash'")" 1 '  crashes are in the state'

# A run that is interrupted says nothing about cases that it does not come to.
build fault=hang,level=6_4
cp "$db" "$TMPDIR/kept.db"
# shellcheck disable=SC2046
"$ASSAY" run -d "$device" --db "$TMPDIR/kept.db" gather_nd.examples --timeout 9 --max-time 1 $(about late) >/dev/null \
    2>&1
is "$? $(sqlite3 "$TMPDIR/kept.db" "select count(*) from current_results where status = 'incomplete'")" '5 0' \
    'interrupted: earlier verdicts stay'
"$ASSAY" compare "$TMPDIR/kept.db" >/dev/null 2>&1
is $? 5 '  and compare says that the run is not complete'

# 8: all is right.
build level=6_4
failing=$(bad)
# shellcheck disable=SC2046
run 0 'run 8, fixed' --search 0 $(about eight)
follow 8
is "$(bad) $(turned bad good)" "0 $failing" '  every failure is a fix'
told 8 "$all" eight

# A row is gone if a whole run does not have its case any more, and only then.
sql "delete from result where run_id = 8 and case_id = 1; update run set planned = planned - 1 where id = 8"
is "$(sql 'select count(*) from current_results')" $((all - 1)) 'a case that a whole run does not have is gone'
"$ASSAY" compare "$db" --json >"$TMPDIR/compare.json"
is "$(jq -c '[.counts.gone, .gone[0].case]' "$TMPDIR/compare.json")" \
    "[1,\"$(sql 'select name from test_case where id = 1')\"]" \
    '  which compare says'

# The purpose and the filters of each run are stored.
is "$(sql "select group_concat(purpose || '/' || partial, ' ') from (select * from runs order by run_id)")" \
    'conformance/0 conformance/1 fingerprint/1 conformance/0 rerun/1 conformance/1 conformance/1 conformance/0' \
    'purposes'
is "$(sql "select filters from runs where run_id = 2")" "'gather_nd.examples'" 'filters'
is "$(sql "select count(distinct device_hash), count(distinct device_build), count(distinct machine), min(branch) from runs
    where run_id <> 3")" '7|7|1|main' 'each build has its hash and build id'
is "$(sql 'select device_build from runs where run_id = 8')" "$(readelf -n "$device" | sed -n 's/ *Build ID: //p')" \
    '  that of the file'

# Where revision and branch come from.
of_environment() { # VARIABLE=VALUE…
    rm -f "$TMPDIR/e.db"
    env -u GITHUB_SHA -u GITHUB_REF_NAME -u CI_COMMIT_SHA -u CI_COMMIT_REF_NAME "$@" "$ASSAY" run gather_nd.examples \
        -d reference \
        --db "$TMPDIR/e.db" >/dev/null 2>&1
    sqlite3 -separator ' ' "$TMPDIR/e.db" 'select revision, branch, label from runs'
}
is "$(of_environment GITHUB_SHA=1a GITHUB_REF_NAME=main)" '1a main ' 'revision and branch from GitHub'
is "$(of_environment CI_COMMIT_SHA=2b CI_COMMIT_REF_NAME=dev)" '2b dev ' '  GitLab'
is "$(of_environment GIT_COMMIT=3c GIT_BRANCH=x)" '3c x ' '  Jenkins'
is "$(of_environment BUILDKITE_COMMIT=4d BUILDKITE_BRANCH=y)" '4d y ' '  Buildkite'
is "$(of_environment)" '  ' '  nowhere'
GITHUB_SHA=1a "$ASSAY" run gather_nd.examples -d reference --revision own --format json="$TMPDIR/lines" >/dev/null 2>&1
is "$(jq -c 'select(.type == "run") | [.revision, .partial, .purpose, (.device_hash | length)]' "$TMPDIR/lines")" \
    '["own",true,"conformance",16]' '--revision counts for more; JSON lines have it'
"$ASSAY" run gather_nd.examples -d bridge:device/bridge/numpy/adapter.py -d meaning --db "$TMPDIR/b.db" >/dev/null 2>&1
is "$(sqlite3 "$TMPDIR/b.db" 'select count(distinct device_hash), min(length(device_hash)) from runs')" '2|16' \
    'the bridge and a device of assay have hashes'

# --new counts conformance runs only; timing runs stand in for nothing.
"$ASSAY" fingerprint -d reference gather_nd.indices --db "$TMPDIR/n.db" >/dev/null 2>&1
"$ASSAY" run -d reference gather_nd.indices --new --db "$TMPDIR/n.db" >/dev/null 2>&1
is "$? $(sqlite3 "$TMPDIR/n.db" 'select planned from runs where run_id = 2')" \
    "0 $("$ASSAY" list --count gather_nd.indices)" \
    '--new: a fingerprint has run nothing'
"$ASSAY" compare --time -d reference -d reference:level=6_4 gather_nd.examples --repeats 5 --db "$TMPDIR/t.db" \
    >/dev/null 2>&1
like "$("$ASSAY" report "$TMPDIR/t.db")" 'There are no runs' 'timing runs are no current runs'
like "$("$ASSAY" status "$TMPDIR/t.db")" 'made for timing' '  status names them'
fails 4 'has no run that tests conformance' compare "$TMPDIR/t.db"
tap_done
