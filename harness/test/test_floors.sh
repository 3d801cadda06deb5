#!/bin/bash
# No file includes a header of a higher floor, and no two modules include each other.
. tools/tap.sh

said=$(tools/floors)
is "$?$said" 0 'every include points down or stays on its floor'

# planted FILE HEADER PATTERN: the include is noticed where it is put, and both files are named.
planted() {
    rm -rf "$TMPDIR/tree"
    mkdir -p "$TMPDIR/tree/harness"
    cp -r harness/[!t]* harness/trial "$TMPDIR/tree/harness/"
    sed -i "1i #include \"harness/$2\"" "$TMPDIR/tree/harness/$1"
    local said status
    said=$(tools/floors "$TMPDIR/tree")
    status=$?
    is $status 1 "$1 must not include $2"
    like "$said" "$3" '  both are named'
}
planted base/text.c spec/spec.h 'harness/base/text.c:1 includes harness/spec/spec.h: base/ is below spec/'
planted trial/judge_outputs.c cli/cmd.h \
    'harness/trial/judge_outputs.c:1 includes harness/cli/cmd.h: trial/ is below cli/'
planted spec/expr.c load/load.h 'harness/spec/expr.c includes harness/load/load.h, which needs spec/expr in turn'
planted run/record.c nowhere/x.h 'harness/run/record.c:1: harness/nowhere/x.h is on no floor'

mkdir "$TMPDIR/tree/harness/attic"
said=$(tools/floors "$TMPDIR/tree")
like "$said" 'harness/attic/ is no floor' 'a folder that the README does not list'
tap_done
