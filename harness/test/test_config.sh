#!/bin/bash
# Configuration files: which values win, what `assay config` prints, mistakes. Output that cannot be written.
. tools/tap.sh
few_operators
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
is "$(here list)" "$("$ASSAY" --no-config list -o GATHER_ND --count 2>/dev/null || "$ASSAY" list --no-config -o \
    GATHER_ND --count)" \
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
like "$(here run $case_name --color never | grep "^operator")" 'mutants:fault=none' 'an option given twice; line ends of DOS'
unset XDG_CONFIG_HOME
echo 'count = yes' >"$HOME/.config/assay/config"
like "$(here list $case_name)" '^1$' 'without XDG_CONFIG_HOME, the folder is ~/.config'
(unset HOME && here list $case_name >/dev/null 2>&1)
is $? 0 'without HOME, there is no user file'
rm "$HOME/.config/assay/config"
printf '[run]\ndevice = nonsense\n' >"$TMPDIR/here/.assay"

# Profiles, and files in parent folders.
printf '%s\n' '[list]' 'count = no' '[profile ci]' 'operator = GATHER' '[profile ci list]' 'count = yes' \
    '[profile night]' \
    'operator = SCATTER_ND' >"$TMPDIR/here/.assay"
is "$(here list --profile-name ci)" "$("$ASSAY" list --no-config -o GATHER --count)" 'a profile wins over other lines'
is "$(here list --profile-name=night | head -n 1)" "$("$ASSAY" list --no-config -o SCATTER_ND | head -n 1)" \
    '  another profile'
is "$(here list | wc -l)" "$("$ASSAY" list --no-config | wc -l)" '  and none without --profile-name'
is "$(here config --profile-name ci | grep -c '^list .*--count *yes')" 1 '  which config prints'
cd "$TMPDIR/here" || exit 1
ASSAY=$program fails 2 "profile-name: neither .assay nor .* has \[profile nigth\]; did you mean night" list \
    --profile-name nigth
cd "$root" || exit 1
user=$HOME/.config/assay/config
printf '[profile ci]\noperator = GATHER\n' >"$user"
printf '[list]\noperator = SCATTER_ND\n' >"$TMPDIR/here/.assay"
is "$(here list --count --profile-name ci)" "$("$ASSAY" list --no-config -o GATHER --count)" \
    '  also the user'"'"'s over the folder'"'"'s lines'
rm "$user"
below() { # runs assay below the folder with .assay
    (cd "$TMPDIR/here/a/b" && "$program" "$@")
}
mkdir -p "$TMPDIR/here/a/b"
is "$(below list --count)" "$("$ASSAY" list --no-config -o SCATTER_ND --count)" 'a .assay in a parent folder counts'
like "$(below config)" "^$(realpath "$TMPDIR/here")/.assay$" '  which config prints'
printf '[list]\noperator = GATHER\n' >"$TMPDIR/here/a/b/.assay"
is "$(below list --count)" "$("$ASSAY" list --no-config -o GATHER --count)" '  the nearest one only'
rm "$TMPDIR/here/a/b/.assay"
chmod o+w "$TMPDIR/here/.assay"
is "$(below list --count 2>"$TMPDIR/err")" "$("$ASSAY" list --no-config --count)" '  but not if others can write to it'
like "$(cat "$TMPDIR/err")" '^assay: .*/here/.assay is ignored: ' '  and the message says so'
chmod o-w "$TMPDIR/here/.assay" && chmod o+w "$TMPDIR/here"
is "$(below list --count 2>/dev/null)" "$("$ASSAY" list --no-config --count)" '  or to its folder'
chmod o-w "$TMPDIR/here"
mkdir -m 777 "$TMPDIR/open"
mv "$TMPDIR/here/.assay" "$TMPDIR/open/settings"
ln -s "$TMPDIR/open/settings" "$TMPDIR/here/.assay"
is "$(below list --count 2>"$TMPDIR/err")" "$("$ASSAY" list --no-config --count)" '  or if it is a link'
like "$(cat "$TMPDIR/err")" '^assay: .*/here/.assay is ignored: it is a link' '  and the message says so'
mv "$TMPDIR/open/settings" "$TMPDIR/here/.assay"
mkdir "$TMPDIR/here/a/.git"
is "$(below list --count 2>"$TMPDIR/err") $(cat "$TMPDIR/err")" "$("$ASSAY" list --no-config --count) " \
    '  nor outside of the repository'
rmdir "$TMPDIR/here/a/.git"
is "$(cd "$TMPDIR/here/a/b" && HOME=$TMPDIR/here/a "$program" list --count)" "$("$ASSAY" list --no-config --count)" \
    '  nor above the home folder'
mkdir "$TMPDIR/here/a/lib" && cp "$ASSAY_DEVICES/reference.so" "$TMPDIR/here/a/lib/mine.so"
printf '%s\n' '[run]' 'device = ./a/lib/mine.so:level=3_0' 'format = json=out.json' 'db = ~/r.db' >"$TMPDIR/here/.assay"
below run $case_name >/dev/null
is "$? $(stat -c %n "$HOME/r.db" "$TMPDIR/here/out.json")" "0 $HOME/r.db
$TMPDIR/here/out.json" 'paths begin in the folder of the file, or in the home folder'
is "$(cd "$TMPDIR/here" && "$program" config | grep -c '(.assay:4)')" 1 '  config has file and line'
rm -r "$TMPDIR/here/a" "$TMPDIR/here/out.json"
printf 'db = mine.db\n' >"$TMPDIR/here/.assay"
here coverage GATHER_ND >/dev/null 2>"$TMPDIR/err"
is "$(cat "$TMPDIR/err")" 'assay: --db is mine.db, as .assay:1 says' 'a database for all commands is named'
rm -f "$TMPDIR/here/.assay" "$TMPDIR"/here/mine.db*

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
is "$(here list --count 2>&1)" 'assay: .assay: Is a directory; expected a file of settings' 'a folder with that name'
rmdir "$TMPDIR/here/.assay"

# Standard output: a full disk is reported, a reader that has ended is not.
for words in --help --version 'run --help' list 'list --count' config manual 'completion bash' devices 'spec GATHER'; do
    # shellcheck disable=SC2086 # words on purpose
    text=$("$ASSAY" $words 2>&1 >/dev/full)
    is "$? $text" '3 assay: standard output: cannot be written: No space left on device' "$words, to a full disk"
done
# A reader that made the pipe non-blocking, as Node.js does, and that begins to read when the pipe is full.
cat >"$TMPDIR/unblocked.pl" <<'END'
use Fcntl;
pipe(my $reader, my $writer);
fcntl($writer, F_SETFL, O_WRONLY | O_NONBLOCK);
my $child = fork;
if (!$child) { close $reader; open STDOUT, '>&', $writer; open STDERR, '>&', $writer; exec @ARGV }
close $writer;
sleep 1;
print while sysread $reader, $_, 4096;
waitpid $child, 0;
exit $? >> 8;
END
names=$("$ASSAY" list 'gather.*')
is "$(perl "$TMPDIR/unblocked.pl" "$ASSAY" list 'gather.*' | cksum)" "$(cksum <<<"$names")" \
    'a list of cases waits for a reader whose pipe does not block'
is "$(perl "$TMPDIR/unblocked.pl" "$ASSAY" run 'gather.*' --search 0 -d reference --format tap | grep -c '^ok')" \
    "$(wc -l <<<"$names")" '  and so does a run'

# A byte-order mark, which editors of other systems write, is no part of any file.
mark=$'\xef\xbb\xbf'
mkdir "$TMPDIR/marked"
printf '%s[list]\ncount = yes\n' "$mark" >"$TMPDIR/marked/.assay"
printf '%sgather.examples.vector\n' "$mark" >"$TMPDIR/marked/names"
printf '%sgather.examples.vector fail # known\n' "$mark" >"$TMPDIR/marked/expected"
printf '%s{"cases": []}' "$mark" >"$TMPDIR/marked/cases.json"
printf '{"cases": []}' >"$TMPDIR/marked/plain.json"
program=$(realpath "$ASSAY")
is "$(cd "$TMPDIR/marked" && "$program" list --case-list names 2>&1)" 1 'a byte-order mark in .assay and in a case list'
like "$(cd "$TMPDIR/marked" && "$program" run -d mutants:fault=flip-bit gather.examples.vector --expect expected 2>&1)" \
    '^verdict: passed.* 1 known failure' \
    '  in an expectation file'
is "$(cd "$TMPDIR/marked" && "$program" list --cases cases.json 2>&1)" \
    "$(cd "$TMPDIR/marked" && "$program" list --cases plain.json 2>&1 | sed 's/plain/cases/')" '  and in JSON'
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
