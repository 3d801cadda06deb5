#!/bin/bash
# Configuration files: which values win, what `assay config` prints, mistakes. Output that cannot be written.
. tools/tap.sh
program=$(realpath "$ASSAY")
root=$PWD
mkdir -p "$TMPDIR/here" "$TMPDIR/xdg/assay" "$TMPDIR/home/.config/assay"
export XDG_CONFIG_HOME=$TMPDIR/xdg HOME=$TMPDIR/home
user=$XDG_CONFIG_HOME/assay/config
here() { # runs assay in the folder with .assay
    (cd "$TMPDIR/here" && "$program" "$@")
}
case_name=gather_nd.examples.1d-remapping

here config >"$TMPDIR/out"
is "$? $(cat "$TMPDIR/out")" "0 $user (does not exist)
.assay (does not exist)" 'no files: config prints their paths'

printf '%s\n' '# mine' '' 'operator=GATHER_ND' '  [run]  ' 'device = nonsense' 'color = always' >"$user"
printf '%s\n' '[run]' 'device = reference' 'verbose=yes' '[list]' 'count = yes' >"$TMPDIR/here/.assay"
is "$(here list)" "$("$ASSAY" --no-config list -o GATHER_ND --count 2>/dev/null || "$ASSAY" list --no-config -o GATHER_ND --count)" \
    'both files are read'
is "$(here list -o GATHER --count=no $case_name 2>&1)" "$(here list --no-config -o GATHER $case_name 2>&1)" \
    'the command line wins, for a list and for a flag'
like "$(here run $case_name)" "^.\[32mpass.* $case_name" '.assay wins; a section applies only to its command'
is "$(here run $case_name -d meaning --color never | sed -n '1s/:.*//p')" meaning 'the command line replaces a list'
here run --no-config $case_name >/dev/null 2>"$TMPDIR/err"
is "$? $(grep -c 'which device' "$TMPDIR/err")" '2 1' '--no-config ignores both files'
commands='^(/|\.|list|show|run|repro|spec)'
is "$(here config | sed 's/  */ /g' | grep -E "$commands")" "$user
.assay
list --operator GATHER_ND ($user:3)
list --count yes (.assay:5)
show --operator GATHER_ND ($user:3)
run --device reference (.assay:2)
run --verbose yes (.assay:3)
run --color always ($user:6)
run --operator GATHER_ND ($user:3)
repro --operator GATHER_ND ($user:3)
spec --operator GATHER_ND ($user:3)" 'config prints the values that apply, with file and line'
printf 'device = reference\ndevice = mutants:fault=none\r\n' >"$TMPDIR/here/.assay"
like "$(here run $case_name --color never | tail -n 1)" 'mutants:fault=none' 'an option given twice; line ends of DOS'
unset XDG_CONFIG_HOME
echo 'count = yes' >"$HOME/.config/assay/config"
like "$(here list $case_name)" '^1$' 'without XDG_CONFIG_HOME, the folder is ~/.config'
(unset HOME && here list $case_name >/dev/null 2>&1)
is $? 0 'without HOME, there is no user file'
rm "$HOME/.config/assay/config"
printf '[run]\ndevice = nonsense\n' >"$TMPDIR/here/.assay"

# Mistakes: the message has file, line and what was expected; exit status 2 for any command.
wrong() { # PATTERN LINES…
    local pattern=$1
    shift
    printf '%s\n' "$@" >"$TMPDIR/here/.assay"
    cd "$TMPDIR/here" || exit 1
    ASSAY=$program fails 2 "$pattern" list --count
    cd "$root" || exit 1
}
wrong '\.assay:1: expected OPTION = VALUE, got "device"' device
wrong '\.assay:2: no command has an option "devise"; did you mean device\?' '# x' 'devise = x'
wrong '\.assay:3: the command list has no option "device"' '' '[list]' 'device = x'
wrong '\.assay:2: the command run has no option "jbos"; did you mean jobs\?' '[run]' 'jbos = 1'
wrong '\.assay:1: no command is named "rnu"; did you mean run\?' '[rnu]'
wrong '\.assay:1: no command is named "worker"' '[worker]'
wrong '\.assay:1: expected a section, such as \[run\], got "\[run"' '[run'
wrong '\.assay:2: --jobs: expected a whole number.*got "many"' '[run]' 'jobs = many'
wrong '\.assay:2: --verbose: expected yes or no, got "maybe"' '[run]' 'verbose = maybe'
wrong '\.assay:1: no command has an option ""' '= x'
wrong '\.assay:1: no command has an option "help"' 'help = yes'
wrong '\.assay:1: expected OPTION = VALUE, got "\\x1b\[31m\\xff"' $'\e[31m\xff'
printf 'db = \0\n' >"$TMPDIR/here/.assay"
is "$(here list --count 2>&1)" 'assay: .assay:1: the line contains a zero byte' 'a zero byte'
head -c 200000 /dev/urandom >"$TMPDIR/here/.assay"
here list >/dev/null 2>"$TMPDIR/err"
is "$? $(wc -l <"$TMPDIR/err")" '2 1' 'random bytes give one line of error'
here run --help >/dev/null 2>&1
is $? 0 '--help works in spite of them'
here list --no-config --count >/dev/null
is $? 0 '  and so does --no-config'
rm "$TMPDIR/here/.assay" && mkdir "$TMPDIR/here/.assay"
is "$(here list --count 2>&1)" 'assay: .assay: Is a directory' 'a folder with that name'
rmdir "$TMPDIR/here/.assay"

# Standard output: a full disk is reported, a reader that has ended is not.
for words in --help --version 'run --help' list 'list --count' config manual 'completion bash' devices 'spec GATHER'; do
    # shellcheck disable=SC2086 # words on purpose
    text=$("$ASSAY" $words 2>&1 >/dev/full)
    is "$? $text" '3 assay: standard output: cannot be written: No space left on device' "$words, to a full disk"
done
mkfifo "$TMPDIR/pipe"
# shellcheck disable=SC2094 # the writing end outlives the reading one on purpose
exec 3<>"$TMPDIR/pipe" 4>"$TMPDIR/pipe" 3<&-
for words in --help list 'spec GATHER'; do
    # shellcheck disable=SC2086
    text=$("$ASSAY" $words 2>&1 >&4)
    is "$? $text" '5 ' "$words, to a closed pipe"
done
exec 4>&-

# Interrupted while opening a device that hangs.
cat >"$TMPDIR/slow.c" <<'C'
#include "device/device.h"
#include <unistd.h>
const assay_device_api *assay_device_entry(uint32_t abi) { while (abi) pause(); return 0; }
C
${CC:-cc} -shared -fPIC -I. "$TMPDIR/slow.c" -o "$TMPDIR/slow.so"
"$ASSAY" devices "$TMPDIR/slow.so" >"$TMPDIR/asked" 2>"$TMPDIR/err" &
asking=$!
until [ -s "$TMPDIR/asked" ]; do sleep 0.1; done # the device's name is printed before it is opened
kill -INT $asking
wait $asking
is "$? $(cat "$TMPDIR/err")" '5 assay: interrupted' 'devices exits with 5 when interrupted'
tap_done
