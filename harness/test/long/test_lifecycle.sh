#!/bin/bash
# Each operator of each device frees what it makes. test_lifecycle.sh tries it with one operator of each kind. Garbage of
# Lua takes seconds of each operator of the device meaning until it levels off.
. tools/tap.sh

for letter in a b c d e f g h i j k l m n o p q r s t u v w x y z; do
    mapfile -t growing < <("$ASSAY" list "$letter*.growth.*" 2>/dev/null)
    [ ${#growing[@]} -gt 0 ] || continue
    all=$((${all:-0} + ${#growing[@]}))
    if in_shard; then
        said=$("$ASSAY" run -d reference -d mutants -d meaning "${growing[@]}" --search 0)
        is $? 0 "${#growing[@]} operators whose names begin with $letter free what they make"
        tried=$((3 * ${#growing[@]}))
        like "$said" "verdict: passed, $tried of $tried cases" '  all of them are tried'
    fi
done
is "$all" "$("$ASSAY" list --count '*.growth.*')" 'each operator is in one of the parts'
tap_done
