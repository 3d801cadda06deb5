#!/bin/bash
# How a run ends: after some failures, with a verdict and the next commands, with the slowest cases; failed cases first.
. tools/tap.sh
few_operators
db="$TMPDIR/a b.db" out=$TMPDIR/out err=$TMPDIR/err
broken=mutants:fault=flip-bit
ask() { sqlite3 "$db" "with last as (select max(run_id) as run from runs) $1"; }

# The verdict is one line, and what follows can be pasted into a shell.
"$ASSAY" run -d reference gather_nd.examples >"$out"
like "$(tail -n 1 "$out")" '^verdict: passed, [0-9]+ of [0-9]+ cases as expected$' 'a verdict ends the output'
"$ASSAY" run -d $broken gather_nd.examples --db "$db" >"$out"
is "$(grep -c '^verdict: failed, ' "$out")" 1 'a failed run has one, too'
like "$(grep '^verdict: failed, ' "$out")" \
    "^verdict: failed, $("$ASSAY" list --count gather_nd.examples) of $("$ASSAY" list --count \
    gather_nd.examples) cases$" \
    '  which counts'
report=$(sed -n 's/^  report  *//p' "$out")
is "$(bash -c "$report" | head -c 1)" '#' '  the command that reports works in a shell'
is "$(grep -c '^  resume' "$out")" 0 '  nothing is left to resume'
"$ASSAY" run -d reference:level=2_1 gather_nd.examples.*.fl3_0.* 'gather_nd.violations.*' >"$out" 2>/dev/null
like "$(tail -n 1 "$out")" '^verdict: (passed|nothing was judged).*skipped' 'skipped cases are counted'
"$ASSAY" run -d reference:level=1_0 gather_nd.examples >"$out"
is "$? $(tail -n 1 "$out")" "6 verdict: nothing was judged, all $("$ASSAY" list --count \
    gather_nd.examples) cases were skipped or are unsupported" \
    'a run without a verdict says so'

# Twenty failures in full; -v prints all.
"$ASSAY" run -d $broken gather_nd.types >"$out"
count=$("$ASSAY" run -d $broken gather_nd.types -v | grep -c '^fail ')
is "$(grep -c '^fail ' "$out") $(grep -c '^  reproduce' "$out")" '20 20' 'a run prints 20 failures'
is "$(grep ' more failure' "$out")" "$((count - 20)) more failures; -v prints every one" \
    '  and says how many there are more'
is "$(sed -nE 's/^([0-9]+) failures, .*/\1/p' "$out")" "$count" '  all of them are in the groups'
like "$(grep -m 1 '^  rule ' "$out")" 'gathers, must \(bed83-105, bed83-106\): each output block is' \
    'a rule comes with its text'
is "$(grep -m 1 '^  broken ' "$out")" '  broken     exact: values are copied bit for bit' \
    '  so does the one that is broken'

# The other formats have both texts, too.
texts=('each output block is the input block at its index tuple' 'values are copied bit for bit')
"$ASSAY" run -d $broken gather_nd.examples --format "json=$TMPDIR/texts.json" --format "tap=$TMPDIR/texts.tap" \
    --format "junit=$TMPDIR/texts.junit" >"$out" 2>&1
like "$(grep -m 1 '"status":"fail"' "$TMPDIR/texts.json")" \
    "\"rule_text\":\"${texts[0]}\",\"broken_text\":\"${texts[1]}\"" \
    'JSON has the texts of both rules'
for format in tap:rule_text:broken_text 'junit:it says:that says'; do
    IFS=: read -r format tested broken_one <<<"$format"
    like "$(grep -m 1 "^ *$tested" "$TMPDIR/texts.$format")" "${texts[0]}" "$format has the text of the rule"
    like "$(grep -m 1 "^ *$broken_one" "$TMPDIR/texts.$format")" "${texts[1]}" '  and of the one that is broken'
done

# repro: the verdict first, then the case, with the rule marked.
one=$("$ASSAY" list gather_nd.types | head -n 1)
"$ASSAY" repro "$one" -d $broken >"$out"
is "$? $(sed -n 2p "$out")" "1 fail $one" 'repro begins with the verdict'
is "$(grep -c '^! *exact ' "$out") $(grep -c '^ → *gathers ' "$out")" '1 1' \
    '  and marks the rules that are broken and tested'
is "$("$ASSAY" show "$one" | grep -c '^!')" 0 'show marks none as broken'
first=$("$ASSAY" list gather_nd.examples | head -n 1)
"$ASSAY" repro "$one" -d $broken --after "$first" --allow memory=4096 >"$out"
again=$(sed -n "s/^  reproduce  *//p" "$out" | tail -n 1)
like "$again" " --allow 'memory=4096' --after $first\$" 'the line that reproduces has the options'
bash -c "$again" >"$TMPDIR/again"
is "$(sed 's/ in [0-9.]* s//' "$TMPDIR/again")" "$(sed 's/ in [0-9.]* s//' "$out")" '  and gives the same'
one=$("$ASSAY" list gather_nd.examples | head -n 1)
"$ASSAY" run -d mutants:fault=hang "$one" --timeout 1 >"$out"
like "$(sed -n 's/^  reproduce  *//p' "$out")" ' --timeout 1$' 'the limit of a case that was late is printed, too'

# --max-fail: the same number of failures, however many workers.
for jobs in 1 2 auto; do
    "$ASSAY" run -d $broken gather_nd --max-fail 3 --db "$db" -j $jobs >"$out"
    is "$? $(grep -c '^fail ' "$out")" '1 3' "--max-fail 3 with -j $jobs ends after 3 failures"
    is "$(ask "select count(*) from results, last where run_id = run and status = 'fail'")" 3 '  also in the database'
    is "$(ask "select count(*) from results, last where run_id = run")" "$("$ASSAY" list --count gather_nd)" \
        '  every case has a row'
done
like "$(grep '^verdict: failed, ' "$out")" '^verdict: failed, 3 of [0-9]+ cases; ([0-9]+ skipped; )?[0-9]+ not run$' \
    '  the verdict says that cases were not run'
resume=$(sed -n 's/^  resume  *//p' "$out")
bash -c "$resume" >"$out"
is "$? $(ask "select count(*) from results, last where run_id = run and status = 'incomplete'")" '1 0' \
    '  the command that resumes runs the rest'
# Cases that fail while an earlier one takes long do not count. The first process is slow at first, the others fail.
cat >"$TMPDIR/slow.c" <<'C'
#include "harness/test/wrapper.h"
#include <fcntl.h>
#include <unistd.h>
static int slow;
static HRESULT create(const assay_device_config *config, assay_device **device, char *message, size_t size)
{
    slow = open(FOLDER "/first", O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0;
    return inner->create_device(config, device, message, size);
}
static HRESULT dispatch(assay_device *device, const assay_dispatch_item *items, uint32_t count, assay_dispatch_result *out)
{
    static int calls;
    HRESULT result = inner->dispatch(device, items, count, out);
    if (slow && calls++ == 0)
        usleep(1000000);
    for (uint32_t i = 0; i < count && !slow; i++)
        out[i].status = E_FAIL;
    return result;
}
static void wrapper_replace(assay_device_api *api) { api->create_device = create; api->dispatch = dispatch; }
C
mkdir "$TMPDIR/w"
${CC:-cc} -shared -fPIC -I. -DINNER="\"$(realpath "$ASSAY_DEVICES/reference.so")\"" -DFOLDER="\"$TMPDIR/w\"" \
    "$TMPDIR/slow.c" -o "$TMPDIR/slow.so"
"$ASSAY" run -d "$TMPDIR/slow.so" --allow write="$TMPDIR/w" gather_nd.types --batch 1 --max-fail 1 --db "$db" -j 2 \
    >"$out"
is "$? $(ask "select count(*) from results, last where run_id = run and status = 'fail'")" '1 1' \
    'failures behind a slow case do not count'
"$ASSAY" run -d $broken gather_nd.examples --max-fail 1 >"$out"
is "$? $(grep -c '^fail ' "$out")" '1 1' '--max-fail 1 within one batch'
# A worker that is in the middle of a batch is ended at once. The first process fails after a second; the others, each
# with a child of its device, take longer than a device has for closing.
rm "$TMPDIR/w/first"
cat >"$TMPDIR/child.c" <<'C'
#include "harness/test/wrapper.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
static int is_first;
static pid_t child;
static HRESULT create(const assay_device_config *config, assay_device **device, char *message, size_t size)
{
    is_first = open(FOLDER "/first", O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0;
    child = fork();
    if (child == 0)
        _exit(execl("/bin/sleep", "sleep", "60", NULL));
    return inner->create_device(config, device, message, size);
}
static void destroy(assay_device *device)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    inner->destroy_device(device);
}
static HRESULT dispatch(assay_device *device, const assay_dispatch_item *items, uint32_t count, assay_dispatch_result *out)
{
    HRESULT result = inner->dispatch(device, items, count, out);
    sleep(is_first ? 1 : 8);
    for (uint32_t i = 0; i < count && is_first; i++)
        out[i].status = E_FAIL;
    return result;
}
static void wrapper_replace(assay_device_api *api)
{
    api->create_device = create;
    api->destroy_device = destroy;
    api->dispatch = dispatch;
}
C
${CC:-cc} -shared -fPIC -I. -DINNER="\"$(realpath "$ASSAY_DEVICES/reference.so")\"" -DFOLDER="\"$TMPDIR/w\"" \
    "$TMPDIR/child.c" -o "$TMPDIR/child.so"
"$ASSAY" run -d "$TMPDIR/child.so" --allow write="$TMPDIR/w" gather_nd.types --batch 1 --max-fail 1 -j 2 >"$out" 2>"$err"
is "$? $(grep -c '^verdict: failed, 1 of .* not run$' "$out")" '1 1' \
    '--max-fail does not blame a device for a worker that it ends'
is "$(grep -c 'behind' "$err")" 0 '  nor for the children that it leaves'
"$ASSAY" run -d reference gather_nd.examples --max-fail 1 >/dev/null
is $? 0 'without failures it changes nothing'

# --durations.
"$ASSAY" run -d reference gather_nd.examples --durations 3 >/dev/null 2>"$err"
is "$(grep -cE '^ +[0-9]+\.[0-9]{3} ms  gather_nd\.examples\.' "$err")" 3 '--durations 3 prints three cases'
sed -n 's/^ *\([0-9.]*\) ms.*/\1/p' "$err" >"$TMPDIR/times"
is "$(sort -rn "$TMPDIR/times")" "$(cat "$TMPDIR/times")" '  the slowest first'

# --failed-first.
rm -f "$db"
"$ASSAY" run -d mutants:fault=negative-first-only gather_nd --db "$db" --failed-first >/dev/null
is "$? $(ask "select count(*) > 0 from failures, last where run_id = run")" '1 1' \
    '--failed-first without an earlier run'
failed=$(ask "select case_name from failures, last where run_id = run order by 1")
"$ASSAY" run -d mutants:fault=negative-first-only gather_nd --db "$db" --failed-first --format json >"$out"
is "$(grep '"case":' "$out" | head -n "$(wc -l <<<"$failed")" | sed 's/.*"case":"\([^"]*\)".*/\1/' | LC_ALL=C sort)" \
    "$(LC_ALL=C sort <<<"$failed")" '  then the failed cases come first'
is "$(grep -c '"case":' "$out")" "$("$ASSAY" list --count gather_nd)" '  and all others after them'
"$ASSAY" run -d mutants:fault=negative-first-only gather_nd --db "$db" --failed-first --max-fail 1 >"$out"
is "$(ask "select count(*) from results, last where run_id = run and status = 'pass'")" 0 '  with --max-fail at once'
"$ASSAY" run --resume --db "$db" >"$out"
is "$? $(ask "select count(*) from results, last where run_id = run and status = 'incomplete'")" '1 0' '  and resumed'
fails 2 'failed-first needs a database' run -d reference --failed-first
fails 2 'failed-first and --shuffle' run -d reference --failed-first --db "$db" --shuffle 1

# Limits for some cases.
fails 2 'jobs: expected a number from 1 on, or auto, got "0"' run -d reference -j 0
fails 2 'jobs: expected a whole number or auto, got "many"' run -d reference -j many
fails 2 'timeout: expected whole seconds, got "0.5"' run -d reference --timeout 'gather.*=0.5'
fails 2 'timeout: expected 1 to 86400 seconds' run -d reference --timeout 'gather.*=0'
fails 2 'timeout: expected a pattern before the =' run -d reference --timeout '=5'
one=$("$ASSAY" list gather_nd.examples | head -n 1)
"$ASSAY" run -d mutants:fault=hang "$one" --timeout 30 --timeout "gather_nd.*=1" >"$out"
like "$(cat "$out")" 'no answer within 1[0-9]{3} ms' 'a time limit for some cases'
"$ASSAY" run -d $broken gather_nd.examples --retries "$one=2" --db "$db" >/dev/null
is "$(ask "select max(attempt) from result join test_case on test_case.id = case_id, last where run_id = run and name = '$one'")" 3 \
    'retries for some cases'
is "$(ask "select count(*) from result, last where run_id = run")" $(($("$ASSAY" list --count \
    gather_nd.examples) + 2)) '  not for others'

# Ended early, and nobody who reads. What is waited for must not be in the file before.
rm "$out"
"$ASSAY" run -d mutants:fault=hang gather_nd.examples --timeout 60 --db "$db" >"$out" 2>"$err" &
running=$!
until grep -qs 'gather_nd\|feature' "$out"; do sleep 0.1; done
kill -INT $running
wait $running
is $? 5 'an interrupted run'
like "$(cat "$out")" '^verdict: interrupted, 0 of [0-9]+ cases were run$' '  says so'
like "$(cat "$out")" "^  resume     .* run --resume --db '.*a b.db'$" '  and how to go on'
"$ASSAY" run -d mutants:fault=hang gather_nd.examples --timeout 60 --max-time 1 --db "$db" --format tap >"$out" 2>"$err"
like "$? $(cat "$err")" '^5 assay: verdict: out of time, 0 of [0-9]+ cases were run' \
    'with another format, on standard error'
like "$(cat "$err")" "^  resume     .* --db '.*a b.db'$" '  with the command that resumes'
"$ASSAY" run -d $broken 2>"$err" | head -n 1 >/dev/null
is "${PIPESTATUS[0]} $(cat "$err")" '5 ' 'a reader that ends ends the run quietly'
"$ASSAY" report "$db" 2>"$err" | head -n 1 >/dev/null
is "$(cat "$err")" '' '  and a report'

# Another file takes the place of the database during the run.
"$ASSAY" run -d mutants:fault=hang,every=10,level=6_4 gather_nd.examples gather.examples --batch 1 --timeout 2 \
    --db "$TMPDIR/moved.db" >"$out" 2>"$err" &
run_id=$!
has_rows() { [ "$(sqlite3 "$TMPDIR/moved.db" 'select count(*) from results' 2>/dev/null)" -gt 0 ]; }
await has_rows
mv "$TMPDIR/moved.db" "$TMPDIR/gone.db"
echo x >"$TMPDIR/moved.db"
wait $run_id
is "$? $(tail -1 "$err")" "3 assay: $TMPDIR/moved.db: another file took its place, or none is there; expected it to stay \
during a run" 'a database that is replaced'
like "$(cat "$out")" '^verdict: failed, [1-9][0-9]* of [0-9]+ cases' '  takes no verdict away'
tap_done
