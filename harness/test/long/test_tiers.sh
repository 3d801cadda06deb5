#!/bin/bash
# Every operator has a plan of all tiers together: no case has the name of another one.
. tools/tap.sh

for operator in $("$ASSAY" spec --json | jq -r '.operators[].name'); do
    if in_shard; then
        "$ASSAY" list --tier all -o "$operator" >"$TMPDIR/names" 2>"$TMPDIR/errors"
        is "$?$(<"$TMPDIR/errors")" 0 "$operator: $(wc -l <"$TMPDIR/names") cases of all tiers"
    fi
done
tap_done
