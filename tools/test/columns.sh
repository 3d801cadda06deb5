#!/bin/bash
# tools/columns.lua: which lines are too wide, in code and in Markdown.
. tools/tap.sh
words=$(seq -s' ' 60) # 170 columns
word=$(printf 'é%.0s' {1..130})
# wide FILE: prints the numbers of the lines that are too wide.
wide() {
    ${LUA:-lua5.4} tools/columns.lua "$1" | sed -E 's/^[^:]*:([0-9]+): [0-9]+ columns, at most 120$/\1/' | tr '\n' ' '
}

printf '%s\n' short "$words" '/* clang-format off */' "$words" '/* clang-format on */' "$word" "    $words" \
    "${word:0:120}" >"$TMPDIR/code.c"
is "$(wide "$TMPDIR/code.c")" '2 6 7 ' 'code: what clang-format leaves alone may be wide; characters count, not bytes'
printf '%s\n' "$words" "* $words" "| $words |" "    $words" "$words <!-- source -->" "$word" '```' "$words" '```' \
    "$words" >"$TMPDIR/guide.md"
is "$(wide "$TMPDIR/guide.md")" '1 2 10 ' 'Markdown: what cannot be broken may be wide, too'
${LUA:-lua5.4} tools/columns.lua "$TMPDIR/guide.md" >/dev/null
is $? 1 'a line that is too wide is a failure'
${LUA:-lua5.4} tools/columns.lua README.md CHANGELOG.md >"$TMPDIR/said"
is "$? $(cat "$TMPDIR/said")" '0 ' '  and without one nothing is printed'
tap_done
