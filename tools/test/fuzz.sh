#!/bin/bash
# Replays tools/fuzz/corpus/ through the fuzz targets.
. tools/tap.sh
for program in "$(dirname "$ASSAY")"/test/replay_*; do
    [[ $program == *.[od] ]] && continue
    name=${program##*/replay_}
    inputs=(tools/fuzz/corpus/"$name"/*)
    "$program" "${inputs[@]}" >"$TMPDIR/out" 2>&1
    status=$?
    ok $status "$name: ${#inputs[@]} inputs"
    [ $status = 0 ] || tail -n 5 "$TMPDIR/out" | sed 's/^/# /'
done
tap_done
