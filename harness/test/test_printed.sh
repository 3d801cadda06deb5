#!/bin/bash
# What a device prints to standard error comes with its failures, in every output.
. tools/tap.sh
few_operators
db=$TMPDIR/p.db out=$TMPDIR/out
mkdir "$TMPDIR/w"
# dispatch() prints, and gives the wrong result if PRINT is wrong; it dies if PRINT is die. PRINT comes with the
# arguments.
cat >"$TMPDIR/printer.c" <<'C'
#include "harness/test/wrapper.h"
#include <stdio.h>
#include <string.h>
static char how[64];
static HRESULT create(const assay_device_config *config, assay_device **out, char *message, size_t size)
{
    assay_device_config plain = *config;
    snprintf(how, sizeof how, "%s", config->arguments);
    plain.arguments = "";
    return inner->create_device(&plain, out, message, size);
}
static HRESULT dispatch(assay_device *device, const assay_dispatch_item *items, uint32_t count, assay_dispatch_result *out)
{
    HRESULT result = inner->dispatch(device, items, count, out);
    for (int i = 0; strstr(how, "much") && i < 100; i++)
        fprintf(stderr, "line %d of many that nobody wants to read\n", i);
    fprintf(stderr, "\x1b[31mkernel 7 & <8>\xff went wrong\nsecond line\n");
    if (strstr(how, "die"))
        abort();
    for (uint32_t i = 0; i < count && !strstr(how, "right"); i++)
        out[i].status = E_FAIL;
    return result;
}
static void wrapper_replace(assay_device_api *api) { api->create_device = create; api->dispatch = dispatch; }
C
${CC:-cc} -shared -fPIC -I. -DINNER="\"$(realpath "$ASSAY_DEVICES/reference.so")\"" "$TMPDIR/printer.c" -o \
    "$TMPDIR/printer.so"
ok $? 'a device that prints compiles'
device=$TMPDIR/printer.so
one=$("$ASSAY" list gather_nd.examples | head -n 1)

"$ASSAY" run -d "$device:wrong" "$one" --db "$db" --format human="$out" --format json="$TMPDIR/j" --format \
    junit="$TMPDIR/x" \
    --format tap="$TMPDIR/t" --format tap14="$TMPDIR/t14"
text='\\x1b\[31mkernel 7 & <8>\\xff went wrong\\nsecond line'
like "$(cat "$out")" "^  printed    $text\$" 'people see it, escaped, without its last line break'
like "$(sqlite3 "$db" 'select printed from failures')" "^$text\$" 'the database has it'
like "$(cat "$TMPDIR/j")" '"printed":"\\u001b\[31mkernel 7 & <8>' 'JSON has it'
like "$(cat "$TMPDIR/t")" '^  printed: ".*went wrong' 'TAP has it'
like "$(cat "$TMPDIR/t14")" '^  printed: ".*went wrong' '  version 14, too'
like "$(cat "$TMPDIR/x")" '<system-err>.*kernel 7 &amp; &lt;8&gt;' 'JUnit has it as system-err'
xmllint --noout --schema harness/test/junit.xsd "$TMPDIR/x" 2>"$TMPDIR/err"
is $? 0 '  which is valid'
"$ASSAY" report "$db" --junit "$TMPDIR/r"
like "$(cat "$TMPDIR/r")" '<system-err>.*went wrong' 'the report of the database, too'
like "$("$ASSAY" repro "$one" -d "$device:wrong")" "  printed    $text" 'and repro'

"$ASSAY" run -d "$device:die" "$one" --db "$db" >"$out"
like "$(sqlite3 "$db" "select printed from failures where status = 'crash'")" "^$text\$" 'a crash has it'
like "$(sqlite3 "$db" "select message from failures where status = 'crash'")" '^killed by SIGABRT$' \
    '  and its message says no more'
"$ASSAY" run -d "$device:right" "$one" --db "$db" >"$out"
is "$? $(grep -c '^  printed' "$out") $(sqlite3 "$db" \
    "select group_concat(printed, '') from results where status = 'pass'")" '0 0 ' \
    'a pass has nothing'

"$ASSAY" run -d "$device:wrong" gather_nd.examples --db "$db" -j 1 >"$out"
count=$("$ASSAY" list --count gather_nd.examples)
is "$(sqlite3 "$db" "select count(*) from failures where run_id = (select max(run_id) from runs) and
    printed glob '[[][1-9]* cases at once]*'")" "$count" 'of several cases at once that is said'
"$ASSAY" run -d "$device:wrong+much" "$one" --db "$db" >"$out"
printed=$(sqlite3 "$db" "select printed from failures where run_id = (select max(run_id) from runs)")
like "$printed" '^….*line 99 of many.*second line$' 'the end of a long output is kept'
[ ${#printed} -le 450 ]
ok $? '  and no more than that'
tap_done
