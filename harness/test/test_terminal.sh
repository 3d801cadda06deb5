#!/bin/bash
# Terminals: help in their width, a progress line that fits, no color for a dumb one.
. tools/tap.sh
program=$(realpath "$ASSAY")
widest() { # of the lines of standard input, in characters
    LC_ALL=C.UTF-8 awk '{ if (length > most) most = length } END { print most }'
}
# Examples and option names are not broken.
prose() { "$ASSAY" "$1" --help | sed '1,/^Options/d' | grep -vE '^ +(-.,|   ) --|^  [a-z[#]'; }
for columns in 60 100; do
    for command in run fuzz verify list config dispatch; do
        most=$(COLUMNS=$columns prose $command | widest)
        ok $((most <= columns && most > columns - 14 ? 0 : 1)) "$command --help at $columns columns: $most"
    done
done
ok $(($(COLUMNS=500 prose run | widest) <= 120 ? 0 : 1)) 'lines are at most 120 columns'
COLUMNS=20 "$ASSAY" run --help >"$TMPDIR/narrow"
ok $(($(grep -v -- '--' "$TMPDIR/narrow" | sed '1,/^Options/d' | grep -v '[^ ]\{12\}' | widest) <= 20 ? 0 : 1)) \
    'nor more than 20 on a narrow terminal'
is "$(COLUMNS=nonsense "$ASSAY" run --help | cksum)" "$(env -u COLUMNS "$ASSAY" run --help | cksum)" \
    'nonsense in COLUMNS is ignored'
script -qec "stty cols 64; '$program' run --help" /dev/null </dev/null | tr -d '\r' >"$TMPDIR/help"
ok $(($(sed '1,/^Options/d' "$TMPDIR/help" | grep -vE '^ +(-.,|   ) --' | widest) <= 64 ? 0 : 1)) \
    'the width is that of the terminal'

# The screen in the end: a carriage return goes back to the start of a line of 20 columns, which wraps.
script -qec "stty cols 20; '$program' run -d reference gather scatter_nd -j 1 --format human=/dev/null; '$program' run -d reference gather -j 1" /dev/null </dev/null |
    tr '\n' '\v' >"$TMPDIR/screen"
grep -qE '[0-9]+/[0-9]+  [0-9]' "$TMPDIR/screen" # the rest may be cut
ok $? 'progress is shown at 20 columns'
is "$(tr '\r' '\n' <"$TMPDIR/screen" | tr '\v' '\n' | grep -E '[0-9]+/[0-9]+ ' | LC_ALL=C.UTF-8 grep -cE '^.{20}')" 0 \
    '  and its line never wraps'

# TERM=dumb.
script -qec "TERM=dumb '$program' run -d reference gather_nd.examples -v" /dev/null </dev/null >"$TMPDIR/dumb"
is "$(grep -c "$(printf '\033\\[3')" "$TMPDIR/dumb")" 0 'a dumb terminal gets no color'
text=$("$ASSAY" fingerprint -d reference gather_nd | head -n 1)
like "$text" '^reference: reference, feature level' 'a device without a driver has none in its fingerprint'

tap_done
