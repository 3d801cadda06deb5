#!/bin/bash
# tools/style.lua: lines that are too wide, comments without a subject, names that two files share, nested conditionals.
. tools/tap.sh
words=$(seq -s' ' 60) # 170 columns
word=$(printf 'é%.0s' {1..130})
# wide FILE: prints the numbers of the lines that are too wide.
wide() {
    ${LUA:-lua5.4} tools/style.lua "$1" | sed -E 's/^[^:]*:([0-9]+): [0-9]+ columns, at most 120$/\1/' | tr '\n' ' '
}

printf '%s\n' short "$words" '/* clang-format off */' "$words" '/* clang-format on */' "$word" "    $words" \
    "${word:0:120}" >"$TMPDIR/code.c"
is "$(wide "$TMPDIR/code.c")" '2 6 7 ' 'code: what clang-format leaves alone may be wide; characters count, not bytes'
printf '%s\n' "$words" "* $words" "| $words |" "    $words" "$words <!-- source -->" "$word" '```' "$words" '```' \
    "$words" >"$TMPDIR/guide.md"
is "$(wide "$TMPDIR/guide.md")" '1 2 10 ' 'Markdown: what cannot be broken may be wide, too'
${LUA:-lua5.4} tools/style.lua "$TMPDIR/guide.md" >/dev/null
is $? 1 'a line that is too wide is a failure'
${LUA:-lua5.4} tools/style.lua README.md CHANGELOG.md >"$TMPDIR/said"
is "$? $(cat "$TMPDIR/said")" '0 ' '  and without one nothing is printed'
# violations FILE: prints line numbers and messages.
violations() {
    (cd "$TMPDIR" && ${LUA:-lua5.4} "$OLDPWD/tools/style.lua" "$@") | tr '\n' ' '
}
mkdir -p "$TMPDIR/harness"
cat >"$TMPDIR/harness/one.c" <<'END'
/* What a comment begins with. */
int shared_name(int a)
{
    /* The value of a, named first. */
    return a ? 1 : a > 2 ? 3 : 4;
}

__attribute__((noreturn)) static void own_name(const char *text)
{
    call(text ? 1 : 2, text ? 3 : 4, "a ? b : c ? d : e"); // How it ends
}
END
printf 'int shared_name(void)\n{\n    return 1;\n}\n\nint main(void)\n{\n    return 0;\n}\n' >"$TMPDIR/harness/two.c"
mkdir -p "$TMPDIR/harness/sub"
cp "$TMPDIR/harness/two.c" "$TMPDIR/harness/sub/one.c"
said=$(violations harness/one.c harness/two.c)
like "$said" 'harness/one.c:1: a comment begins with "What"' 'C: a comment without its subject'
like "$said" 'harness/one.c:10: a comment begins with "How"' '  also at the end of a line'
like "$said" 'harness/one.c:5: .[?]:. in an operand of another one' '  a nested conditional operator'
is "$(grep -o 'operand' <<<"$said" | wc -l)" 1 '  but none in two arguments, or in a text'
like "$said" 'harness/two.c:1: harness/one.c has the function .shared_name., too' '  a function that two files have'
! grep -qE 'main|__attribute__|own_name' <<<"$said"
ok $? '  but no entry point, and no attribute'
like "$(violations harness/one.c harness/sub/one.c)" 'harness/sub/one.c:1: harness/one has the module .one., too' \
    '  a module that two folders have'
printf '%s\n' '-- Whether it is so.' '-- Of one.' 'x = 1' '-- Of two.' >"$TMPDIR/words.lua"
is "$(violations words.lua | grep -o 'words.lua:[0-9]' | tr '\n' ' ')" 'words.lua:1 words.lua:4 ' \
    'Lua: the first line of a comment counts'
tap_done
