#!/bin/bash
# A run in a control group that allows little memory: a process that the kernel kills for lack of memory is named as such,
# and is not charged to the device if other workers may have taken the memory. test_cgroup.c has the files of such groups.
. tools/tap.sh

# Makes a group with 300 MiB below the one of this process, of version 1 or 2.
group='' limit=memory.limit_in_bytes
below=$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup)
if [ "$below" ]; then
    group=/sys/fs/cgroup/memory$below/assay-$$
else
    below=$(sed -n 's/^0:://p' /proc/self/cgroup)
    group=/sys/fs/cgroup$below/assay-$$ limit=memory.max
fi
if ! mkdir "$group" 2>/dev/null || ! echo $((300 << 20)) 2>/dev/null >"$group/$limit"; then
    rmdir "$group" 2>/dev/null
    echo '1..0 # SKIP this process may make no control group with a limit of memory'
    exit 0
fi

# A machine may have swap.
{ cat "$group/$limit" >"$group/memory.memsw.limit_in_bytes" || echo 0 >"$group/memory.swap.max"; } 2>/dev/null

# within ARGUMENTS…: runs assay in the group; its output goes to $TMPDIR/out.
within() {
    # shellcheck disable=SC2016 # the inner shell expands
    timeout 120 bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$ASSAY" "$@" >"$TMPDIR/out" 2>&1
}

greedy=(run -d mutants:fault=exhaust-memory gather.examples --search 0)
within "${greedy[@]}" -j 1
like "$? $(grep -m1 message "$TMPDIR/out")" '^1 .*used up its limit of 262 MiB' 'a device may have seven eighths of what its group may have'
killed='killed by the kernel, since the control group has no memory left \(300 MiB are allowed\)'
within "${greedy[@]}" -j 1 --allow memory=0
like "$? $(grep -m1 message "$TMPDIR/out")" "^1 .*$killed" 'one that has all of it is killed by the kernel, which the run says'
like "$(cat "$TMPDIR/out")" ' 1 pass, 2 crash' '  a device alone is charged'
within "${greedy[@]}" -j 2 --allow memory=0
like "$? $(grep -m1 message "$TMPDIR/out")" "^3 .*$killed" 'beside another worker, too'
like "$(cat "$TMPDIR/out")" ' 1 pass, 2 harness_error' '  a device that was not alone is not charged'
echo $((90 << 20)) >"$group/$limit"
within run -d reference -o GATHER --search 0 -j 2
ok $(($? < 124 ? 0 : 1)) 'of the processes of a run, the kernel kills assay itself last'
for ((turn = 0; turn < 50; turn++)); do rmdir "$group" 2>/dev/null && break; sleep 0.1; done
[ ! -e "$group" ]
ok $? 'no process is left in the group'
tap_done
