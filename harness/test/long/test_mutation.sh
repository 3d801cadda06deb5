#!/bin/bash
# Broken devices are noticed, a sample of them (`make mutation` runs all), and so is a broken comparator by its own
# test.
. tools/tap.sh

tools/mutation --quick --sample ${SHARD:+--shard "$SHARD"} >"$TMPDIR/matrix" 2>"$TMPDIR/errors"
status=$?
while read -r mutant verdict rest; do
    case $verdict,$rest in
        open,* | excused,*) ok 0 "$mutant: $verdict" ;;
        *WRONG:*) ok 1 "$mutant: $verdict, but explained wrongly: $rest" ;;
        killed,* | warned,*) ok 0 "$mutant: $verdict" ;;
        *) ok 1 "$mutant: $verdict, $rest" ;;
    esac
done < <(sed 1d "$TMPDIR/matrix" | head -n -4)
is $status 0 "$(tail -n 4 "$TMPDIR/matrix")"
many='[0-9]{3,4}'
[ "${SHARD:-}" ] && many='[0-9]{2,4}' # a twelfth of the sample may have fewer than a hundred
like "$(tail -n 4 "$TMPDIR/matrix" | head -n 1)" "^$many of $many mutants killed" 'there are many of them'
# The causes that runs name. Bugs of numbers have few explanations yet, so only that none is wrong is asked of them.
causes=$(tail -n 2 "$TMPDIR/matrix" | head -n 1)
like "$causes" '^causes of [1-9][0-9]* bugs of numbers: .*; 0 mutants explained wrongly$' 'no cause is wrong for a bug of numbers'
echo "# $causes"
echo "# $(tail -n 1 "$TMPDIR/matrix")"
causes=$(tail -n 3 "$TMPDIR/matrix" | head -n 1)
like "$causes" '^causes of [0-9]{2,} other .*; 0 mutants explained wrongly$' 'no cause is wrong for other mutants'
read -r explained grouped < <(grep -oE '[0-9]+ %' <<<"$causes" | tr -d '%' | tr '\n' ' ')
[ "${explained:-0}" -ge 80 ]
ok $? "$causes: most are explained"
[ "${grouped:-0}" -ge 80 ]
ok $? '  and most are one group'
is "$(cat "$TMPDIR/errors")" '' 'nothing went wrong on the way'

# comparator NAME PATTERN: harness/trial/compare.c changed by sed must make test_compare fail.
build=$(dirname "$ASSAY")
eval "compile=($(cat "$build/flags"))"
comparator() {
    local program=$TMPDIR/test_compare
    sed "$2" harness/trial/compare.c >"$TMPDIR/compare.c"
    ! cmp -s harness/trial/compare.c "$TMPDIR/compare.c"
    ok $? "comparator, $1: can still be made"
    # shellcheck disable=SC2154 # set by eval
    "${compile[@]}" -w -o "$program" "$TMPDIR/compare.c" harness/test/test_compare.c "$build/harness/harness.a" -lm
    ok $? '  and compiled'
    ! "$program" >"$TMPDIR/output"
    ok $? "  and is noticed: $(grep -c '^not ok' "$TMPDIR/output") points fail"
}
comparator 'always equal' 's/c->expected, c->got, c->count))/c->expected, c->got, c->count) || true)/'
comparator 'a tolerance of one unit' \
    's/return type == DML_TENSOR_DATA_TYPE_FLOAT32/return got - expected + 1 <= 2 || type == DML_TENSOR_DATA_TYPE_FLOAT32/'
comparator 'NaN equals all' 's/return datatype_is_nan(type, got);/return true;/'
comparator 'a NaN where none is expected' \
    's/if (datatype_is_nan(type, expected))/if (datatype_is_nan(type, expected) || datatype_is_nan(type, got)) return true; if (false)/'
comparator 'the last element is not looked at' 's/number >= c->count)/number + 1 >= c->count)/'
tap_done
