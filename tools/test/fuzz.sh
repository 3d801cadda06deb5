#!/bin/bash
# Replays what is in tools/fuzz/corpus/ through the fuzz targets.
. tools/tap.sh
for program in "$(dirname "$ASSAY")"/test/replay_*; do
    [[ $program == *.[od] ]] && continue
    name=${program##*/replay_}
    "$program" tools/fuzz/corpus/"$name"/* >"$TMPDIR/out" 2>&1
    ok $? "$name: $(ls tools/fuzz/corpus/"$name" | wc -l) inputs" || tail -n 5 "$TMPDIR/out"
done
tap_done
