#!/bin/bash
# A part of the suite (WHOLE=1: all) on PyTorch behind the bridge: it deviates only as `expected` says. Operators that the
# adapter lacks are unsupported as a whole.
. tools/tap.sh
adapter=$PWD/device/bridge/pytorch/adapter.py
if ! /usr/bin/python3 -c 'import torch' 2>/dev/null; then
    echo '1..0 # SKIP PyTorch is missing: Debian'"'"'s python3-torch has it'
    exit 0
fi
db=$TMPDIR/pytorch.db
part=('gather*.examples.*' 'scatter*.examples.*' 'nonzero*.examples.*' 'gather*.types.*' 'scatter*.types.*'
    'nonzero*.types.*' '*_nd.indices.*' 'element_wise_a*.examples.*' 'fill*.examples.*'
    'element_wise_divide.choices.zero*' 'activation_elu.elements.*' 'join.types.*')
lacks="message like 'the device says that it does not implement %'"
[ -z "${WHOLE:-}" ] || part=()
"$ASSAY" run "${part[@]}" -d "bridge:$adapter" --db "$db" >"$TMPDIR/out" 2>&1
is $? 0 'the suite ends as expected'
grep '^  message' "$TMPDIR/out" | sort | uniq -c | head -5 | sed 's/^/# /'
grep ' cases in ' "$TMPDIR/out" | sed 's/^/# /'
is "$(sqlite3 "$db" 'select count(*) from results')" "$("$ASSAY" list --count "${part[@]}")" '  every case has its row'
is "$(sqlite3 "$db" "select group_concat(distinct rule) from results where status not in ('pass', 'skip') and not ($lacks)
    and status <> 'unsupported' and operator <> 'ELEMENT_WISE_DIVIDE' and rule <> 'out-of-range'")" '' \
    '  only indices out of range deviate, where nothing is divided'
is "$(sqlite3 "$db" "select count(*) > 3, group_concat(distinct message) from results where status = 'fail'
    and operator = 'ELEMENT_WISE_DIVIDE'")" '1|dispatch returned E_FAIL: ZeroDivisionError' '  and integer divisors of 0'
is "$(sqlite3 "$db" "select count(distinct operator) from results where compared and status = 'pass' and device_ns > 0
    and (operator like '%GATHER%' or operator like 'SCATTER%' or operator like 'NONZERO%')")" 7 '  those with indices have run'
is "$(sqlite3 "$db" "select count(distinct operator) > 8 from results where compared and status = 'pass' and device_ns > 0
    and (operator like 'ELEMENT_WISE%' or operator in ('ACTIVATION_ELU', 'JOIN'))")" 1 '  and others, too'
is "$(sqlite3 "$db" "select count(*) from results where $lacks and operator in ('GATHER', 'GATHER_ELEMENTS', 'GATHER_ND',
    'GATHER_ND1', 'SCATTER_ELEMENTS', 'SCATTER_ND', 'NONZERO_COORDINATES')")" 0 '  those with indices'
is "$(sqlite3 "$db" "select group_concat(distinct status) || ' ' || (count(distinct operator) > 1) from results where operator in
    (select operator from results where $lacks)")" 'unsupported 1' '  the others are unsupported as a whole'
is "$(sqlite3 "$db" "select count(*) from results where message like '%is out of bounds%' and message not like
    '%returned E_FAIL: index % is out of bounds for dimension % with size %'")" 0 '  errors are PyTorch'"'"'s own words'
sed -n '/^\[name=PyTorch\]/,$p' device/bridge/expected | grep -c . >"$TMPDIR/lines"
is "$([ "$(cat "$TMPDIR/lines")" -le 10 ]; echo $?)" 0 '  its expectations have at most ten lines'
tap_done
