#!/bin/bash
# A device may say which operators it implements: what it denies is unsupported and is never created. Plugins of the
# time before supports_operator have a shorter table, and implement everything.
. tools/tap.sh
reference=$(realpath "$ASSAY_DEVICES/reference.so")

# wrap NAME FLAG…: a plugin around the reference device.
wrap() {
    local name=$1
    shift
    ${CC:-cc} -shared -fPIC -I. -DREFERENCE="\"$reference\"" "$@" -x c - -o "$TMPDIR/$name.so" -ldl <<'C' || echo \
        "# $name could not be compiled"
#include "device/device.h"
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
static assay_device_api api;
static HRESULT (*create)(assay_device *, const DML_OPERATOR_DESC *, assay_operator **);
#ifdef OLD
static BOOL supports(assay_device *d, DML_OPERATOR_TYPE type) { (void)d; (void)type; abort(); }
#else
static BOOL supports(assay_device *d, DML_OPERATOR_TYPE type) { (void)d; return type != DML_OPERATOR_GATHER_ND; }
#endif
static HRESULT create_operator(assay_device *d, const DML_OPERATOR_DESC *desc, assay_operator **out)
{
#ifndef OLD
    if (desc->Type == DML_OPERATOR_GATHER_ND)
        abort(); /* it is not asked for what it denied */
#endif
#ifdef LITTLE
    if (desc->Type != DML_OPERATOR_GATHER_ELEMENTS) {
        *out = NULL;
        return DXGI_ERROR_UNSUPPORTED;
    }
#endif
    return create(d, desc, out);
}
ASSAY_DEVICE_EXPORT const assay_device_api *assay_device_entry(uint32_t abi)
{
    void *library = dlopen(REFERENCE, RTLD_NOW | RTLD_LOCAL);
    const assay_device_api *(*entry)(uint32_t) = NULL;
    if (library)
        *(void **)&entry = dlsym(library, "assay_device_entry");
    const assay_device_api *reference = entry ? entry(abi) : NULL;
    if (!reference)
        return NULL;
    api = *reference;
    create = api.create_operator;
    api.create_operator = create_operator;
    api.supports_operator = supports;
#ifdef OLD
    api.size = offsetof(assay_device_api, supports_operator);
#endif
    return &api;
}
C
}

run() { # DEVICE PATTERN…: its statuses by operator are in $said
    rm -f "$TMPDIR/run.db"
    "$ASSAY" run -d "$TMPDIR/$1.so" "${@:2}" --search 0 --db "$TMPDIR/run.db" >"$TMPDIR/out" 2>&1
    status=$?
    said=$(sqlite3 "$TMPDIR/run.db" 'select operator, status, count(*) from results group by 1, 2')
}
cases=(gather.examples gather_nd.examples 'gather_nd.violations.same-type.*')
of() { "$ASSAY" list "${cases[@]}" | grep -c "^$1\\."; } # cases of an operator

wrap new
run new "${cases[@]}"
is $status 0 'a device that denies an operator is as expected'
is "$said" "GATHER|pass|$(of gather)
GATHER_ND|unsupported|$(of gather_nd)" 'all cases of that operator are unsupported, those of others are run'
like "$(sqlite3 "$TMPDIR/run.db" "select distinct message from results where status = 'unsupported'")" GATHER_ND \
    '  and say why'
"$ASSAY" devices "$TMPDIR/new.so" -o GATHER -o GATHER_ND >"$TMPDIR/out" 2>&1
is $? 0 'assay devices is not broken by it'
like "$(grep GATHER_ND "$TMPDIR/out" | head -1)" ' no +no ' '  and answers no for it'

wrap old -DOLD
run old "${cases[@]}"
is $status 0 'a plugin with the shorter table works'
is "$said" "GATHER|pass|$(of gather)
GATHER_ND|pass|$(of gather_nd)" '  and all its operators are run'

# A plugin that cannot say what it lacks, and has one operator of many: sequences of calls find it.
wrap little -DOLD -DLITTLE
run little interface
is "$status $said" "0 INTERFACE|pass|$("$ASSAY" list --count interface)" 'sequences use what such a plugin has'

tap_done
