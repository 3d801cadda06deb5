#!/bin/bash
# Mistakes in all rows of an operator, and in all of its covers, are explained alike. test_causes.sh tries some of each.
. tools/tap.sh

# groups ARGUMENT…: a run of the arguments; the groups of its failures, a line each: cause, broken rules.
groups() {
    rm -f "$TMPDIR"/run.db*
    "$ASSAY" run "$@" --search 0 --db "$TMPDIR/run.db" >/dev/null 2>&1
    "$ASSAY" report "$TMPDIR/run.db" --causes "$TMPDIR/groups"
    awk -F'\t' '$2 == "failure" { print $6 ": " $7 }' "$TMPDIR/groups"
}

while read -r fault operator cause; do
    if in_shard; then
        is "$(groups -d "mutants:fault=$fault,operator=$operator" "${operator,,}.rows.units-*" | cut -d: -f1)" \
            "$cause" \
            "$fault in $operator: $cause"
    fi
done <<'END'
fold-last-dropped REDUCE fold-missed
fold-unit-zero CUMULATIVE_PRODUCT fold-unit-zero
fold-direction CUMULATIVE_SUMMATION fold-direction
END

# A tensor, Scale and Bias, and a fused activation can be ignored. A tensor that must be there can count as zero. These
# are known mistakes, and most of their cases show the general one, too.
while read -r fault cause; do
    if in_shard; then
        said=$(groups -d "mutants:fault=$fault,operator=BATCH_NORMALIZATION_TRAINING" \
            'batch_normalization_training.cover*')
        like "$said" "^$fault: computes" "$fault is a known mistake"
        is "$(wc -l <<<"$said")" 1 '  is the only group'
        is "$(sqlite3 "$TMPDIR/run.db" "SELECT 2 * sum(explanations LIKE '%$cause%') > count(*) FROM failures")" 1 \
            "  of the kind $cause"
    fi
done <<'END'
normal-added-lost optional-ignored
normal-activation-none optional-ignored
normal-bias-ignored input-as-zero
END
tap_done
