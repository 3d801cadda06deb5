#!/bin/bash
# tools/run-test: a shell script fails if bash cannot run one of its commands, although the other test points pass.
. tools/tap.sh

# ends STATUS NAME: a script that has standard input between two test points ends with STATUS.
ends() {
    { echo '. tools/tap.sh'; echo 'ok 0 before'; cat; echo 'ok 0 after'; echo 'tap_done'; } >"$TMPDIR/script.sh"
    tools/run-test "$TMPDIR/script.sh" >"$TMPDIR/said" 2>&1
    is $? "$1" "$2"
    is "$(grep -c '^ok' "$TMPDIR/said")" 2 '  its other test points pass'
}
ends 0 'a script without an error passes' <<<'ok=1'
ends 0 'messages of programs are no errors of the script' <<<'ls /nowhere/at/all'
# shellcheck disable=SC2016 # for the script
ends 1 'arithmetic without an operand' <<<'ok $(($(true) > 2 ? 0 : 1)) lost'
ends 1 'a command that does not exist' <<<'no_such_command 1'
# shellcheck disable=SC2016 # for the script
ends 1 'a number that is none' <<<'[ "x$HOME" -gt 2 ] && ok 0 lost'

# A program's messages are printed, as those of a script are.
printf '#!/bin/sh\necho message >&2\n' >"$TMPDIR/program"
chmod +x "$TMPDIR/program"
is "$(tools/run-test "$TMPDIR/program" 2>&1)" message 'a program prints to standard error'
tap_done
