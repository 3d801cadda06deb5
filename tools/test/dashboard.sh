#!/bin/bash
# tools/dashboard: header and page agree, and the policy has the hashes of their parts. A fake package stands in for uPlot.
. tools/tap.sh
box=$TMPDIR/dashboard
mkdir -p "$box/package/dist"
# Text that C, HTML or sed could misread.
# shellcheck disable=SC1003
printf '%s\n' 'var uPlot = "??/ ??= \\ & % é";' >"$box/package/dist/uPlot.iife.min.js"
printf '%s\n' '.uplot { color: "\2014"; }' >"$box/package/dist/uPlot.min.css"
echo 'Permission is granted' >"$box/package/LICENSE"
tar -czf "$box/uplot.tgz" -C "$box" package
: >"$box/none.tgz"
echo '{"a": "</script><b>"}' >"$box/data.json"

tools/dashboard "$box/uplot.tgz" "$box/data.json" >"$box/page.html"
ok $? "it makes a page"
is "$(sed -n '/id="data"/,/<\/script>/p' "$box/page.html" | sed '1d;$d' | base64 -d | gzip -dc)" '{"a": "</script><b>"}' "  data cannot close its element"
is "$(grep -c -e 'var uPlot' -e 'Permission is granted' -e '.uplot {' "$box/page.html")" 3 "  with uPlot, its style and its licence"
for part in script style; do
    hash=$(awk -v end="</$part>" -v begin="<$part>" '$0 == end { on = 0 } on; $0 == begin { on = 1; print "" }' "$box/page.html" | openssl dgst -sha256 -binary | base64)
    is "$(grep -o "$part-src '[^']*'" "$box/page.html")" "$part-src 'sha256-$hash'" "  the policy has the hash of the $part"
done
is "$(sed 's/<script type="application.gzip"//' "$box/page.html" | grep -c '<script')" 1 "  one script"

tools/dashboard "$box/uplot.tgz" >"$box/dashboard.h"
cat >"$box/print.c" <<'END'
#include "dashboard.h"
#include <stdio.h>
int main(void)
{
    fputs(dashboard_before, stdout);
    for (int c; (c = getchar()) != EOF;)
        putchar(c);
    fputs(dashboard_after, stdout);
    return 0;
}
END
"${CC:-cc}" -std=c11 -Wall -Wextra -Werror -o "$box/print" "$box/print.c"
ok $? "it makes a header that compiles"
gzip -9cn "$box/data.json" | base64 | "$box/print" | cmp - "$box/page.html"
ok $? "  with the same page"
tools/dashboard "$box/uplot.tgz" | cmp - "$box/dashboard.h"
ok $? "it makes the same bytes each time"
tools/dashboard "$box/none.tgz" "$box/data.json" >"$box/without.html"
ok $? "it makes a page without uPlot"
is "$(grep -c 'var uPlot' "$box/without.html")" 0 "  which has no uPlot"
tap_done
