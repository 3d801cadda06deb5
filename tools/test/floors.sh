#!/bin/bash
# tools/floors: no file includes a header of a higher floor or of a device that it must not know, and no two modules of
# harness/ include each other.
. tools/tap.sh

said=$(tools/floors)
is "$?$said" 0 'every include is one that the tables of the guides allow'

# plant: makes a copy of the sources. planted FILE HEADER PATTERN: the include is noticed where it is put, and both files
# are named.
plant() {
    rm -rf "$TMPDIR/tree"
    mkdir -p "$TMPDIR/tree/harness"
    cp -r harness/[!t]* harness/trial "$TMPDIR/tree/harness/"
    cp -r device "$TMPDIR/tree/"
}
planted() {
    local said status
    plant
    sed -i "1i #include \"$2\"" "$TMPDIR/tree/$1"
    said=$(tools/floors "$TMPDIR/tree")
    status=$?
    is $status 1 "$1 must not include $2"
    like "$said" "$3" '  both are named'
}
planted harness/base/text.c harness/spec/spec.h \
    'harness/base/text.c:1 includes harness/spec/spec.h: harness/base/ is below harness/spec/'
planted harness/trial/judge_outputs.c harness/cli/cmd.h \
    'harness/trial/judge_outputs.c:1 includes harness/cli/cmd.h: harness/trial/ is below harness/cli/'
planted harness/spec/expr.c harness/load/load.h \
    'harness/spec/expr.c includes harness/load/load.h, which needs harness/spec/expr in turn'
planted harness/run/record.c harness/nowhere/x.h \
    'harness/run/record.c:1 includes harness/nowhere/x.h: harness/nowhere/ is on no floor'
planted harness/trial/arena.c device/common/layout.h \
    'harness/trial/arena.c:1 includes device/common/layout.h: harness/ includes only device.h and dml.h of device/'
planted device/reference/gather.c device/vulkan/plan.h \
    'device/reference/gather.c:1 includes device/vulkan/plan.h: device/README.md does not list it for device/reference/'
planted device/common/layout.c harness/base/text.h \
    'device/common/layout.c:1 includes harness/base/text.h: device/README.md does not list it for device/common/'
planted device/mutants/rules.c harness/run/runner.h \
    'device/mutants/rules.c:1 includes harness/run/runner.h: device/README.md does not list it for device/mutants/'

plant
mkdir "$TMPDIR/tree/harness/attic" "$TMPDIR/tree/device/attic"
said=$(tools/floors "$TMPDIR/tree")
is $? 1 'a folder that no table has'
like "$said" 'harness/attic/ is no floor' '  of harness/'
like "$said" 'device/attic/ is no folder of the table' '  of device/'

plant
sed -i 's/^| folder | also includes/| folder | may include/' "$TMPDIR/tree/device/README.md"
said=$(tools/floors "$TMPDIR/tree" 2>&1)
is $? 2 'a guide without its table'
like "$said" 'device/README.md: expected a table' '  is named'
tap_done
