#!/bin/bash
# The meaning of each operator frees what it makes. test_lifecycle.sh tries it with one operator of each kind.
. tools/tap.sh

for letter in a b c d e f g h i j k l m n o p q r s t u v w x y z; do
    mapfile -t growing < <("$ASSAY" list "$letter*.growth.*" 2>/dev/null)
    [ ${#growing[@]} -gt 0 ] || continue
    all=$((${all:-0} + ${#growing[@]}))
    if in_shard; then
        said=$("$ASSAY" run -d meaning "${growing[@]}" --search 0)
        is $? 0 "the meanings of ${#growing[@]} operators whose names begin with $letter free what they make"
        like "$said" "verdict: passed, ${#growing[@]} of ${#growing[@]} cases" '  all of them are tried'
    fi
done
is "$all" "$("$ASSAY" list --count '*.growth.*')" 'each operator is in one of the parts'
tap_done
