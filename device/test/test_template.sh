#!/bin/bash
# Follows the guide of device/template literally: installs, copies, compiles, runs, fixes, runs again. Commands, fragments of
# output and changes come from its README. With WHOLE=1, as in the long test, with all cases of its operator.
. tools/tap.sh
guide=$PWD/device/template/README.md
export PREFIX=$TMPDIR/prefix

# block LANGUAGE NUMBER: the n-th block of that language in the guide.
block() {
    awk -v want='```'"$1" -v n="$2" '$0 == want { if (++seen == n) inside = 1; next } /^```/ { inside = 0 } inside' "$guide"
}

# shows FILE NUMBER: the output has each line of the guide's n-th fragment; … is the rest of a line. The number of
# failures at the beginning of a line is that of the guide only with all cases.
shows() {
    local line missing=
    while IFS= read -r line; do
        case $line in
            *…) grep -Fq -- "${line%…}" "$1" ;;
            *[0-9]"  negative indices are read as 0"* | *[0-9]"  wrong accept: "*)
                if [ "${WHOLE:-}" ]; then grep -Fxq -- "$line" "$1"; else grep -Exq -- " +[1-9][0-9]*  ${line#*[0-9]  }" "$1"; fi
                ;;
            *) grep -Fxq -- "$line" "$1" ;;
        esac || missing+="$line/"
    done < <(block text "$2")
    is "$missing" '' "  fragment $2 of the guide is in the output"
}

make --no-print-directory install PREFIX="$PREFIX" VARIANT="${VARIANT:-release}" >"$TMPDIR/install" 2>&1
ok $? 'make install' || cat "$TMPDIR/install"
mkdir "$TMPDIR/mine"
cd "$TMPDIR/mine" || exit 1
# Few operators are enough: all others are unsupported.
{
    printf '%s\n' '[run]' 'operator = GATHER_ELEMENTS'
    if [ "${WHOLE:-}" ]; then
        echo 'operator = GATHER'
    else
        echo 'search = 0'
        printf 'exclude = *.%s.*\n' cover divisors indices shapes splits strides
    fi
} >.assay

block sh 1 >../commands
is "$(grep -c '^cc ' ../commands)" 1 'one line compiles'
is "$(wc -l <../commands)" 4 'four lines lead to a first run'
bash -e < <(sed '/^cc/ q' ../commands)
ok $? 'the template compiles against the installed headers alone'
bash < <(grep ' devices ' ../commands) >../devices 2>&1
is $? 1 'assay devices finds it broken'
shows ../devices 1
bash < <(grep ' run ' ../commands) >../first 2>&1
is $? 1 'the first run fails'
shows ../first 2
is "$(sqlite3 my.db "select group_concat(distinct operator) from failures")" GATHER_ELEMENTS '  in its one operator'

for change in 1 2; do
    block diff $change | git apply --unidiff-zero -
    ok $? "change $change of the guide applies"
done
cc -shared -fPIC -fvisibility=hidden -Wall -Wextra -Werror -I"$PREFIX"/include/assay mydevice.c -o my.so
ok $? 'it compiles without a warning'
"$PREFIX"/bin/assay devices -o GATHER_ELEMENTS ./my.so >../devices 2>&1
is $? 0 'assay devices finds nothing broken'
"$PREFIX"/bin/assay run -d ./my.so --db my.db >../second 2>&1
is $? 0 'the run ends as expected'
last="run_id = (select max(run_id) from runs)"
is "$(sqlite3 my.db "select count(*) from results where $last and status not in ('pass', 'unsupported', 'skip')")" 0 \
    '  without a failure or a warning'
is "$(sqlite3 my.db "select count(*) > 1000 from results where $last and operator = 'GATHER_ELEMENTS' and status = 'pass'")" \
    1 '  and its operator passes'
is "$(sqlite3 my.db "select count(*) from results where $last and operator = 'GATHER_ELEMENTS' and status = 'unsupported'")" \
    0 '  with nothing unsupported'

# Another compiler, and an option that the device lacks.
"${CLANG:-clang}" -shared -fPIC -fvisibility=hidden -Wall -Wextra -Werror -I"$PREFIX"/include/assay mydevice.c -o my.so
ok $? 'clang compiles it, too'
is "$("$PREFIX"/bin/assay devices ./my.so:option 2>&1 | grep -c 'mydevice has no options')" 1 'an unknown option is an error'
tap_done
