#!/bin/bash
# The table of system calls (harness/worker/system_calls.txt): it has every call that the kernel's headers know, and a
# device's process gets the answers that it says.
. tools/tap.sh
few_operators
table=harness/worker/system_calls.txt

rows() { grep -v '^#' $table; }
calls() { rows | awk -F ' *[|] *' -v class="$1" '$1 ~ class { print $3 }' | tr ' ' '\n' | sort; }
is "$(rows | grep -Evc '^(denied|asked|scoped|own|reads|root) \| [^|]{10,} \| [a-z0-9_ ]+$')" 1 \
    'each line has a class, a reason and calls'
calls . >"$TMPDIR/table"
is "$(uniq -d "$TMPDIR/table")" '' 'no call is there twice'
${CC:-cc} -dM -E -include asm/unistd.h -x c /dev/null | sed -n 's/^#define __NR_\([a-z0-9_]*\) .*/\1/p' |
    grep -v '^syscalls$' | sort >"$TMPDIR/headers"
ok "$(($(wc -l <"$TMPDIR/headers") < 200))" 'the kernel headers have calls'
is "$(comm -23 "$TMPDIR/headers" "$TMPDIR/table")" '' '  and the table has each of them'

# The filter's source and the table agree, also on calls that these headers lack.
filter=harness/worker/sandbox_filter.c
is "$(sed -n '/^} refused\[\]/,/^};/p' $filter | grep -oE 'SCMP_SYS\([a-z0-9_]+|/[*] [a-z0-9_]+ [*]/' |
    sed -E 's/SCMP_SYS.//; s/[/* ]//g' | sort)" "$(calls denied)" 'the filter refuses the calls that are denied'
is "$(grep -oE '[{]CALL\([a-z0-9_]+' $filter | sed 's/.CALL.//' | cat - <(printf '%s\n' ioctl move_pages prlimit64) |
    sort)" "$(calls asked)" '  and asks about those that are asked'

# A device makes the calls. It names those that get another answer than the table says.
while read -r call; do
    printf '#ifdef __NR_%s\n{"%s", __NR_%s},\n#endif\n' "$call" "$call" "$call"
done < <(calls denied) >"$TMPDIR/denied.inc"
mkdir "$TMPDIR/out"
cat >"$TMPDIR/caller.c" <<'C'
#define _GNU_SOURCE
#include "device/device.h"
#include <asm/unistd.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static const struct { const char *name; long number; } denied[] = {
#include "denied.inc"
};
static FILE *out;

static void say(const char *who, const char *name, long result)
{
    fprintf(out, "%s %s: %s\n", who, name,
            result >= 0 ? "done" : errno == EPERM || errno == ENOSYS ? "denied" : "refused by the kernel");
}

static void change(const char *who, int pid)
{
    struct sched_param param = {0};
    struct { unsigned size, policy; unsigned long flags; int nice; unsigned priority; unsigned long times[3]; } attr =
        {.size = 48};
    struct rlimit limit;
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    getrlimit(RLIMIT_STACK, &limit);
    say(who, "sched_setaffinity", syscall(__NR_sched_setaffinity, pid, sizeof set, &set));
    say(who, "sched_setscheduler", syscall(__NR_sched_setscheduler, pid, SCHED_OTHER, &param));
    say(who, "sched_setparam", syscall(__NR_sched_setparam, pid, &param));
    say(who, "sched_setattr", syscall(__NR_sched_setattr, pid, &attr, 0));
    say(who, "setpriority", syscall(__NR_setpriority, PRIO_PROCESS, pid, 0));
    say(who, "ioprio_set", syscall(__NR_ioprio_set, 1, pid, 2 << 13 | 4));
    if (pid == 0 || pid == getppid())
        say(who, "prlimit64", syscall(__NR_prlimit64, pid, RLIMIT_STACK, &limit, 0));
}

const assay_device_api *assay_device_entry(uint32_t abi)
{
    (void)abi;
    out = fopen(OUT, "w");
    for (unsigned i = 0; SANDBOX && i < sizeof denied / sizeof *denied; i++)
        say("any", denied[i].name, syscall(denied[i].number, -1L, -1L, -1L, -1L, -1L, -1L));
    if (SANDBOX) {
        say("all", "setpriority", syscall(__NR_setpriority, PRIO_USER, 0, 0));
        say("all", "ioprio_set", syscall(__NR_ioprio_set, 3, 0, 2 << 13 | 4));
    }
    change("harness", getppid());
    change("itself", 0);
    change("thread", (int)syscall(__NR_gettid));
    fclose(out);
    return 0;
}
C
# answers SANDBOX ARGUMENTS…: the device's answers are in $TMPDIR/out/answers.
answers() {
    local sandbox=$1
    shift
    ${CC:-cc} -shared -fPIC -I. -Idevice -I"$TMPDIR" -DSANDBOX="$sandbox" -DOUT="\"$TMPDIR/out/answers\"" \
        "$TMPDIR/caller.c" -o "$TMPDIR/caller$sandbox.so"
    "$ASSAY" run -d "$TMPDIR/caller$sandbox.so" gather_nd.examples "$@" >/dev/null 2>"$TMPDIR/err"
}
answers 1 --allow write="$TMPDIR/out"
is "$(grep '^any' "$TMPDIR/out/answers" | grep -v ': denied$')" '' 'in the sandbox each denied call is denied'
is "$(grep -c '^any' "$TMPDIR/out/answers")" "$(comm -12 <(calls denied) "$TMPDIR/headers" | wc -l)" \
    '  and all were made'
is "$(grep -E '^(harness|all)' "$TMPDIR/out/answers" | grep -v ': denied$')" '' 'no call changes the harness'
is "$(grep -cE '^(harness|all)' "$TMPDIR/out/answers")" 9 '  of nine'
is "$(grep -E '^(itself|thread)' "$TMPDIR/out/answers" | grep -v ': done$')" '' 'a device may change its own threads'
is "$(grep -cE '^(itself|thread)' "$TMPDIR/out/answers")" 13 '  with each of these calls'
like "$(cat "$TMPDIR/err")" 'tried to schedule process [0-9]+' 'assay names what the device tried'
answers 0 --allow all
is "$(grep '^harness' "$TMPDIR/out/answers" | grep -cv ': done$')" 0 'without the sandbox the calls change the harness'
tap_done
