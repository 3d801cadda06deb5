#!/bin/bash
# Text from a device can have any bytes and any length. It must not harm terminals, reports or parsers.
. tools/tap.sh
few_operators
cat >"$TMPDIR/loud.c" <<'C'
#define _GNU_SOURCE
#include "device/device.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
struct assay_device { int crashes, accepts, leaves; };
static const char loud[] = "\x1b]0;t\x07\x1b[31mRED\r\nnot ok 1 - forged\n\xff\xc3( \xe2\x80\xae <b>&\"' ]]> \xc2\x9b ";
static char more[1 << 20];
static void fill(char *to, size_t size) { for (size_t i = 0; i < size; i++) to[i] = loud[i % (sizeof loud - 1)]; }
static HRESULT create(const assay_device_config *c, assay_device **out, char *message, size_t size)
{
    if (strstr(c->arguments, "absent")) { fill(message, size); return DXGI_ERROR_UNSUPPORTED; }
    fill(more, sizeof more - 1);
    *out = calloc(1, sizeof **out);
    (*out)->crashes = strcmp(c->arguments, "crash") == 0;
    (*out)->accepts = strcmp(c->arguments, "accept") == 0;
    (*out)->leaves = strcmp(c->arguments, "leave") == 0;
    return S_OK;
}
static void destroy(assay_device *d)
{
    if (d && d->leaves && fork() == 0) { prctl(PR_SET_NAME, loud); setsid(); for (;;) pause(); }
    if (d && d->leaves) usleep(100000);
    free(d);
}
static HRESULT describe(assay_device *d, assay_device_info *i)
{
    (void)d;
    fill(i->name, sizeof i->name); fill(i->driver, sizeof i->driver); fill(i->version, sizeof i->version);
    return S_OK;
}
static BOOL supports(assay_device *d, DML_TENSOR_DATA_TYPE t) { (void)d; return t < 12; }
static HRESULT create_operator(assay_device *d, const DML_OPERATOR_DESC *desc, assay_operator **out)
{
    (void)desc;
    if (d->crashes) { fwrite(more, 1, sizeof more, stderr); abort(); }
    *out = d->accepts ? malloc(1) : NULL;
    return d->accepts ? S_OK : E_FAIL;
}
static void destroy_operator(assay_device *d, assay_operator *o) { (void)d; free(o); }
static HRESULT compile(assay_device *d, assay_operator *o, DML_EXECUTION_FLAGS f, assay_compiled **out)
{ (void)d; (void)o; (void)f; *out = malloc(1); return S_OK; }
static void destroy_compiled(assay_device *d, assay_compiled *c) { (void)d; free(c); }
static HRESULT dispatch(assay_device *d, const assay_dispatch_item *items, uint32_t n, assay_dispatch_result *out)
{ (void)d; (void)items; for (uint32_t i = 0; i < n; i++) out[i].status = E_FAIL; return S_OK; }
static const char *message(assay_device *d) { (void)d; return more; }
static const assay_device_api api = {ASSAY_DEVICE_ABI, sizeof api, create, destroy, describe, supports, create_operator,
    destroy_operator, compile, destroy_compiled, dispatch, message};
ASSAY_DEVICE_EXPORT const assay_device_api *assay_device_entry(uint32_t abi) { (void)abi; return &api; }
C
cc -shared -fPIC -I. "$TMPDIR/loud.c" -o "$TMPDIR/loud.so"
ok $? 'a device with messages of 1 MiB of arbitrary bytes compiles'

# harms FILE: the numbers of control characters, of lines that are no UTF-8, of lines with other characters that control
# a terminal or the direction of text, and of forged lines. One process counts them: it is asked a hundred times.
harms() {
    perl -ne '
        $controls += tr/\0-\x09\x0b-\x1f\x7f//;
        $forged += /^not ok 1 - forged/;
        utf8::decode($_) ? $other += /[\x{202e}\x{80}-\x{9f}]/ : $bad++;
        END { printf "%d %d %d %d\n", $controls, $bad, $other, $forged }' "$1"
}

# quiet MAX ARGUMENTS…: standard output and error together have no control characters, no invalid UTF-8, no line that
# the device forged, and fewer than MAX bytes.
quiet() {
    local max=$1 all=$TMPDIR/all size
    shift
    "$ASSAY" "$@" >"$all" 2>&1
    is "$(harms "$all")" '0 0 0 0' "$*"
    size=$(stat -c %s "$all")
    [ "$size" -gt 0 ] && [ "$size" -lt "$max" ]
    ok $? "  and prints from 1 to $max bytes"
}
case=$("$ASSAY" list gather.examples | head -n 1)
"$ASSAY" repro "$case" --export dxdispatch "$TMPDIR/model"
cases=(gather.examples gather.violations.axis-range)
for how in fail crash accept absent leave; do
    device=$TMPDIR/loud.so:$how
    for format in human tap tap14 junit json; do
        quiet 60000 run "${cases[@]}" -d "$device" --format $format
    done
    quiet 5000 devices -o GATHER "$device"
    quiet 5000 devices -o GATHER "$device" --json
    quiet 8000 repro "$case" -d "$device"
    quiet 2000 dispatch "$TMPDIR/model/model.json" -d "$device"
    quiet 2000 fingerprint gather.indices -d "$device"
    quiet 4000 bisect "$case" gather.examples -d "$device"
    # Each description may end a process, and each finding is shrunk over dozens of processes.
    quiet 25000 fuzz -d "$device" -o GATHER --count 5
    quiet 25000 fuzz -d "$device" -o GATHER --count 5 --format json
    quiet 5000 compare --time gather.examples -d "$device" -d reference --repeats 5
    for _ in 1 2; do quiet 9000 run gather.examples -d "$device" --db "$TMPDIR/$how.db"; done
    [ $how = absent ] && continue
    quiet 6000 compare "$TMPDIR/$how.db"
    quiet 6000 compare "$TMPDIR/$how.db" --json
    quiet 2000 status "$TMPDIR/$how.db"
    quiet 3000 expect update "$TMPDIR/$how.expected" --db "$TMPDIR/$how.db"
done
# Items that fail together without words of their own: message() may be about any of them, so it is about none.
device=$TMPDIR/loud.so:accept
is "$("$ASSAY" run gather.examples -d "$device" | grep -o '^  message    dispatch returned E_FAIL.*' | sort -u)" \
    '  message    dispatch returned E_FAIL' 'a message that may be about another item is left out'
is "$("$ASSAY" run gather.examples -d "$device" --batch 1 | grep -o '^  message    dispatch returned E_FAIL[^ ]*' | \
    sort -u)" \
    '  message    dispatch returned E_FAIL:' '  alone, each has its own'
is "$(pgrep -fc "$TMPDIR/loud.so:leave")" 0 'no command leaves a process that the device has started'
tap_done
