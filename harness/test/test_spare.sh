#!/bin/bash
# When a worker dies, a spare one takes its place, which was started before and only then opens the device.
. tools/tap.sh
few_operators
filter=(gather_nd.examples gather.types.fl4_1)
planned=$("$ASSAY" list --count "${filter[@]}")
db=$TMPDIR/run.db folder=$TMPDIR/device
mkdir "$folder"
ln -s "$(realpath "$few")/specs" "$TMPDIR/specs" # a unique path, by which the workers of this test can be found

# Its log has a line for each device that is opened or closed. In each of the first four processes the third dispatch is
# the last thing that it does. All but the first process wait for a spare one before; then, while there is the file
# `hold`, for its end.
cat >"$TMPDIR/dying.c" <<'C'
#include "harness/test/wrapper.h"
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static const char log_path[] = FOLDER "/log";
static int opened_before;
static void note(const char *what, int pid)
{
    FILE *log = fopen(log_path, "a");
    if (log)
        fprintf(log, "%s %d\n", what, pid);
    if (log)
        fclose(log);
}
static int count_opened(void)
{
    char line[64];
    int count = 0;
    FILE *log = fopen(log_path, "r");
    while (log && fgets(line, sizeof line, log))
        count += strncmp(line, "opened", 6) == 0;
    if (log)
        fclose(log);
    return count;
}
/* Another process of a device that has the same parent. */
static int find_spare(void)
{
    DIR *all = opendir("/proc");
    int found = 0;
    for (struct dirent *entry; all && (entry = readdir(all));) {
        char path[300], name[32];
        int pid = atoi(entry->d_name), parent;
        snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
        FILE *file = pid > 0 && pid != getpid() ? fopen(path, "r") : NULL;
        if (file && fscanf(file, "%*d (%30[^)]) %*c %d", name, &parent) == 2 && parent == getppid() &&
            strcmp(name, "assay-device") == 0)
            found = pid;
        if (file)
            fclose(file);
    }
    if (all)
        closedir(all);
    return found;
}
static HRESULT create(const assay_device_config *config, assay_device **out, char *message, size_t size)
{
    opened_before = count_opened();
    note("opened", getpid());
    return inner->create_device(config, out, message, size);
}
static void destroy(assay_device *device)
{
    note("closed", getpid());
    inner->destroy_device(device);
}
static HRESULT dispatch(assay_device *device, const assay_dispatch_item *items, uint32_t count, assay_dispatch_result *out)
{
    static int dispatched;
    int spare = 0;
    if (++dispatched < 3 || opened_before >= 4)
        return inner->dispatch(device, items, count, out);
    for (int i = 0; opened_before > 0 && i < 6000 && !(spare = find_spare()); i++)
        usleep(10000);
    if (opened_before > 0)
        note("spare", spare);
    for (int i = 0; opened_before > 0 && i < 6000 && access(FOLDER "/hold", F_OK) == 0; i++)
        usleep(10000);
    kill(getpid(), SIGKILL);
    return E_FAIL;
}
static void wrapper_replace(assay_device_api *api)
{
    api->create_device = create;
    api->destroy_device = destroy;
    api->dispatch = dispatch;
}
C
${CC:-cc} -shared -fPIC -D_GNU_SOURCE -I. -DINNER="\"$(realpath "$ASSAY_DEVICES/reference.so")\"" \
    -DFOLDER="\"$folder\"" \
    "$TMPDIR/dying.c" -o "$TMPDIR/dying.so"
ok $? 'a device that dies compiles'

run() {
    rm -f "$db" "$folder/log"
    "$ASSAY" run "${filter[@]}" -d "$TMPDIR/dying.so" -j 1 --batch 1 --timeout 100 --specs "$TMPDIR/specs" \
        --allow write="$folder" --db "$db" >"$TMPDIR/out" 2>"$TMPDIR/err"
}
ask() {
    sqlite3 "$db" "select $1 from results"
}
# judged WHAT: what holds of every run.
judged() {
    is "$(ask 'count(*)')" "$planned" "$1: every case has a row"
    is "$(ask "sum(status = 'crash'), sum(status = 'pass')")" "4|$((planned - 4))" \
        '  four have crashed, the others pass'
    is "$(grep -c opened "$folder/log") $(grep -c closed "$folder/log")" '5 1' \
        '  the device was opened once at the start and after each death'
    is "$(cut -d ' ' -f 2 <(grep opened "$folder/log") | sort -u | wc -l)" 5 '  in another process each time'
    is "$(grep -l "$TMPDIR/[s]pecs" /proc/[0-9]*/cmdline 2>/dev/null)" '' '  no process is left behind'
}

run
judged 'a device that dies four times'
is "$(grep -A 1 spare "$folder/log" | awk '/spare/ { spare = $2 } /opened/ { print (spare > 0 && $2 == spare) }' | \
    xargs)" '1 1 1' \
    '  the spare process takes the place of the one that died'

# A spare process that dies while it waits is not missed.
touch "$folder/hold"
rm "$folder/log"
run &
await grep -q spare "$folder/log"
spare=$(awk '/spare/ { print $2; exit }' "$folder/log")
kill -KILL "$spare"
is_dead() { [[ $(awk '{ print $3 }' "/proc/$spare/stat" 2>/dev/null) != [RSD] ]]; }
await is_dead
rm "$folder/hold"
wait
judged 'the first spare process is killed'
is "$(grep -c "opened $spare$" "$folder/log")" 0 '  it never opens the device'
tap_done
