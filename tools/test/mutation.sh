#!/bin/bash
# tools/mutation refuses what it does not know. harness/test/long/test_mutation.sh runs it.
. tools/tap.sh

# refused PATTERN ARGUMENTS…: tools/mutation exits with 2 and prints one line that matches PATTERN.
refused() {
    local pattern=$1 said
    shift
    said=$(tools/mutation "$@" 2>&1)
    is $? 2 "tools/mutation $* exits with 2"
    is "$(wc -l <<<"$said")" 1 '  with one line'
    like "$said" "^tools/mutation: $pattern" "  which says: $pattern"
}
refused '--many: expected --quick, ' --many
refused 'limit=GATHER/\*: no mutant has such arguments' 'limit=GATHER/*'
refused 'fault=nothing: no mutant' --quick 'fault=flip-bit' 'fault=nothing'
refused 'ignore=GATHER/axis-range: no mutant' --classes 'ignore=GATHER/axis-range'
refused '--shard: expected M/N with M from 1 to N, not .3/2.' --shard 3/2

# A wrong device that is listed as a right one is a false positive, and a right device that is listed as a bug survives.
operator=DIAGONAL_MATRIX # which has few cases
wrong=fault=diagonal-mirrored,operator=$operator plain=legal=nan-plain,operator=$operator
right=legal=nan-other,operator=$operator
cat >"$TMPDIR/assay" <<END
#!/bin/bash
"$ASSAY" "\$@"
status=\$?
list=\${!#}
[ "\$1" != devices ] ||
    sed -i '/\t$wrong\t/s/\thard\t/\topen\t/; /\t$plain\t/s/\topen\t/\thard\t/' "\${list##*list=}"
exit \$status
END
chmod +x "$TMPDIR/assay"
planted() { EXCUSED=$1 ASSAY=$TMPDIR/assay tools/mutation --quick "$right" "$wrong" "$plain" >"$TMPDIR/planted" 2>&1; }
planted /dev/null
is $? 1 'a false positive and a survivor fail'
planted=$(cat "$TMPDIR/planted")
like "$planted" "$wrong +unjust " '  a right device that fails is unjust'
like "$planted" "$plain +survived " '  a bug that no case fails survives'
like "$planted" "$right +open " '  a right device that does not fail is open'
like "$planted" ' 1 open, 0 excused, 1 survived, 1 false positives' '  both are counted'
is "$(tools/mutation --quick 'legal=flush-zeros,operator=NONZERO_COORDINATES' | grep -cE '^legal=.* open .*\[denormals-flushed\]$')" 1 \
    'the cause of a warning on a right device is not wrong'
printf '%s  # known\n' "$wrong" "$plain" "$right" >"$TMPDIR/excused"
planted "$TMPDIR/excused"
is $? 1 'a known false positive that passes must leave the list'
planted=$(cat "$TMPDIR/planted")
like "$planted" "$right +stale " '  and is stale'
like "$planted" "$wrong +excused .* # known" '  another is excused'
like "$planted" "$plain +excused .* # known" '  and so is a known survivor'
like "$planted" ' 0 open, 2 excused, 1 survived, 0 false positives' '  and all are counted'
tap_done
