#!/bin/bash
# Where the kernel lacks a part of what the sandbox needs, the rest holds, the run goes on, and one line says so.
. tools/tap.sh
"$ASSAY" devices | grep -q '^  sandbox .*Landlock .*seccomp' || { echo \
    '1..0 # SKIP this kernel lacks Landlock or seccomp'; exit 0; }
cat >"$TMPDIR/without.c" <<'C'
/* without WHAT PROGRAM ARGUMENTS…: l: no Landlock; n: seccomp already has a listener; s: no seccomp. */
#include <errno.h>
#include <seccomp.h>
#include <string.h>
#include <unistd.h>
int main(int count, char **words)
{
    enum { NEW_LISTENER = 8 };
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    if (count < 3)
        return 9;
    if (strchr(words[1], 'l'))
        seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), 444, 0);
    if (strchr(words[1], 'n'))
        seccomp_rule_add(filter, SCMP_ACT_ERRNO(EBUSY), SCMP_SYS(seccomp), 1,
                         SCMP_A1(SCMP_CMP_MASKED_EQ, NEW_LISTENER, NEW_LISTENER));
    if (strchr(words[1], 's'))
        seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(seccomp), 0);
    if (seccomp_load(filter) == 0)
        execv(words[2], words + 2);
    return 9;
}
C
${CC:-cc} "$TMPDIR/without.c" -o "$TMPDIR/without" -lseccomp
ok $? 'the program that hides parts of the kernel compiles'
export MUTANT_FILE=$TMPDIR/target

# with WHAT FAULT: runs two cases without WHAT. $status is the exit status, $file the target's content and mode.
with() {
    echo mine >"$MUTANT_FILE"
    chmod 600 "$MUTANT_FILE"
    "$TMPDIR/without" "$1" "$ASSAY" run gather.examples.vector gather.examples.columns -d "mutants:fault=$2" \
        >"$TMPDIR/out" 2>"$TMPDIR/err"
    status=$?
    file="$(cat "$MUTANT_FILE") $(stat -c %a "$MUTANT_FILE")"
}
# holds WHAT STATUS SAID FAULT…: no fault changes the file; one line on standard error matches SAID.
holds() {
    local what=$1 wanted=$2 said=$3 fault
    shift 3
    for fault in "$@"; do
        with "$what" "$fault"
        is "$status $file" "$wanted mine 600" "without $what: $fault does nothing"
        is "$(grep -c "$said" "$TMPDIR/err")" 1 "  and one line says: $said"
    done
}
holds l 1 'files may be written by a race: the kernel has no Landlock$' write-file cut-file change-mode connect
holds n 0 'denials are not reported: seccomp already has another listener$' \
    write-file write-file-child cut-file change-mode connect
holds ln 0 'seccomp already has another listener; files may be written$' change-mode connect
holds s 0 'sockets may be opened: the kernel takes no seccomp filter$' write-file cut-file remove-file
with ls write-file
is "$status $file" '0 here 600' 'without both, files are written'
is "$(wc -l <"$TMPDIR/err")" 1 '  which one line says'
like "$(cat "$TMPDIR/err")" 'less restricted .*files may be written: .*; sockets may be opened: ' '  naming both'
like "$("$TMPDIR/without" ls "$ASSAY" devices reference -o GATHER)" '^  sandbox +files may be written: ' \
    '  as does the command devices'

# A run inside a run: the inner sandbox is not watched, but holds.
echo mine >"$MUTANT_FILE"
"$ASSAY" run gather.examples -d \
    "bridge:sh -c '$ASSAY run gather.examples -d mutants:fault=cut-file --allow memory=4096 >&2'" >"$TMPDIR/out" 2>&1
is "$(cat "$MUTANT_FILE")" mine 'in a sandbox in a sandbox nothing is written'
tap_done
