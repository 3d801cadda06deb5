#!/bin/bash
# The right devices of device/mutants/legal.c compute otherwise than the harness, and pass; where the documents call a
# result soft, they get a warning. The first argument `whole`: all cases of behaviours, not a sample.
. tools/tap.sh
db=$TMPDIR/legal.db

# runs VARIANTS FILTER…: runs these right devices beside one that computes as the harness does. A device of one operator
# ($only) opens quickly.
runs() {
    local devices=(-d mutants) variant
    for variant in $1; do devices+=(-d "mutants:legal=$variant${only:+,operator=$only}"); done
    shift
    rm -f "$db"*
    "$ASSAY" run "${devices[@]}" --search 0 --db "$db" "$@" >"$TMPDIR/out" 2>&1
}
rows() { sqlite3 "$db" "SELECT $1 FROM results ${2:+WHERE $2}"; }

runs nothing 'gather.examples*'
is $? 6 'a device of another name is refused'
like "$(cat "$TMPDIR/out")" "no right device is named 'nothing'" '  which says so'

sums='forwards reversed pairwise lanes-4 lanes-16 fused in-steps folded'
only=BATCH_NORMALIZATION_TRAINING
runs "$sums" -o BATCH_NORMALIZATION_TRAINING --shard 1/4 '*.elements.*' '*.cover.*'
is $? 0 'sums in other orders pass'
is "$(sqlite3 "$db" 'SELECT count(DISTINCT errors) FROM (SELECT sum(error_ulps) AS errors FROM results GROUP BY run_id)')" 9 \
    '  each has other rounding errors'

functions='functions-high functions-low functions-both'
share=1/4
[ "${1:-}" = whole ] && share=1/1
for only in ELEMENT_WISE_TANH ${1:+ELEMENT_WISE_EXP}; do
    runs "$functions functions-beyond" --shard $share -o "$only" '*.cover.*' '*.elements.*'
    is $? 1 "functions of $only"
    for variant in $functions; do
        of_variant="device LIKE 'mutants:legal=$variant,%'"
        is "$(rows 'count(*)' "$of_variant AND status NOT IN ('pass', 'warn')")" 0 "  $variant: none fails"
        is "$(rows 'max(error_share) > 0.8' "$of_variant")" 1 '  although errors are close to the bound'
    done
    is "$(rows "sum(status = 'fail') > 5" "device LIKE 'mutants:legal=functions-beyond,%'")" 1 \
        '  errors just beyond the bound fail'
done
only=

runs 'nan-plain nan-other flush-inputs flush-outputs flush-signs' --shard $share -o ELEMENT_WISE_IDENTITY -o ELEMENT_WISE_POW \
    '*.choices.*'
is $? 0 'other NaNs and flushed denormals pass'
for variant in flush-inputs flush-outputs flush-signs; do
    is "$(rows "sum(status = 'warn') > 0" "device = 'mutants:legal=$variant'")" 1 "  $variant: some warn"
done
only=CAST
runs 'cast-saturates cast-zero' --shard $share -o CAST '*.choices.*'
is $? 0 'casts of numbers beyond an integer type pass'
is "$(rows "group_concat(DISTINCT device)" "outcome NOT IN ('', 'expected')")" \
    'mutants:legal=cast-saturates,operator=CAST,mutants:legal=cast-zero,operator=CAST' '  although both choose otherwise'
only=

# Intermediate results that overflow or vanish in an order that the documents allow; denormals that stages and extremes
# read as zeros. Each of these cases failed a right device once.
runs 'folded in-steps' batch_normalization.elements.pairs.fl6_4.float32 upsample_2d.elements.pairs-linear.fl1_0.float32 \
    upsample_2d.parts.2-InputTensor-type
is $? 0 'what overflows or vanishes on the way fails no device'
is "$(rows 'count(DISTINCT operator)' "device <> 'mutants' AND error_ulps IS NOT (SELECT error_ulps FROM results AS usual
    WHERE usual.device = 'mutants' AND usual.case_name = results.case_name)")" 2 '  although results differ'
runs 'flush-inputs flush-half' {average_pooling_grad,max_pooling_grad}.elements.pairs gru.elements.denormal-bidirectional \
    average_pooling_grad.elements.denormal dynamic_quantize_linear.elements.denormals
is $? 0 'denormals that count as zeros in stages and extremes fail no device'
is "$(rows 'count(DISTINCT operator)' "status = 'warn'")" 4 '  each operator warns'

# Each result that a behaviour allows, for each operator with a formula. Where an open behaviour allows another result, too,
# a result that a soft one allows needs no warning.
other="outcome NOT IN ('', 'expected')" of_open="device LIKE '%legal=open-%'" of_soft="device LIKE '%legal=soft-%'"
runs 'open-1 open-2 open-3 open-4 soft-1 soft-2 soft-3' \
    --shard "${SHARD:-$([ "${1:-}" = whole ] && echo 1/1 || echo 1/24)}" '*.choices.*'
is $? 0 'every result that a behaviour allows is accepted'
is "$(rows 'count(DISTINCT device)' "$other")" 7 '  all devices choose otherwise than the harness'
is "$(rows 'count(*)' "status <> 'pass' AND $other AND $of_open AND strength = 'open'")" 0 \
    '  those of open behaviours without a warning'
is "$(rows 'count(*)' "status <> 'warn' AND $other AND $of_soft AND strength = 'soft' AND
    case_name NOT IN (SELECT case_name FROM results WHERE $of_open AND $other)")" 0 '  those of soft ones with a warning'
is "$(rows 'count(DISTINCT device)' "status = 'warn' AND $of_soft")" 3 '  which all devices get'
echo "# $(rows "count(DISTINCT operator) || ' operators, ' || count(DISTINCT operator || rule) || ' behaviours'" "$other")"
tap_done
