#!/bin/bash
# Devices that behave as implementations did that know nothing of assay: each is judged by what the documents say.
. tools/tap.sh

db=$TMPDIR/results.db
outside=('*.indices.above-*' '*.indices.below-*' '*.indices.far-*')
run() { # DEVICE ARGUMENT…
    rm -f "$db"
    "$ASSAY" run -d "$1" --db "$db" "${@:2}" >"$TMPDIR/out" 2>"$TMPDIR/err"
}
query() { sqlite3 "$db" "$1"; }

# Frameworks check indices and fail. The pages say nothing of that, but for GATHER's.
run mutants:fault=fail-out-of-range "${outside[@]}"
is $? 1 'a device that fails if an index is out of range'
is "$(query "select group_concat(distinct operator || ' ' || rule || ' ' || status) from results where status != 'pass'")" \
    'GATHER out-of-range fail' '  fails by the page of GATHER alone'
is "$(query "select count(*) > 1000 and count(distinct operator) = 5 from results where outcome = 'error'")" 1 \
    '  and is recorded with the outcome "error" elsewhere'
run mutants:fault=fail-dispatch "${outside[@]}" '*.indices.first.*'
is "$(query "select group_concat(distinct status || ' ' || (operator = 'GATHER')) from results where outcome = 'error'")" \
    'pass 0' 'an error is accepted where an index is out of range'
is "$(query "select group_concat(distinct status || ' ' || cause) from results where case_name like '%.first.%'")" \
    'fail wrong error' '  and nowhere else'
like "$("$ASSAY" fingerprint -d mutants:fault=fail-out-of-range)" 'out-of-range +open +error +[1-9]' \
    'the fingerprint has the outcome'

# Memory that belongs to no tensor.
run mutants:fault=gather-foreign "${outside[@]}"
is $? 1 'a device that returns memory of no tensor for an index out of range'
is "$(query "select group_concat(distinct (operator = 'GATHER') || status) from results where outcome = 'foreign memory'")" \
    '1fail,0warn' '  fails where the page says that reads stay inside, and is warned of elsewhere'
is "$(query "select count(*) from results where outcome = 'foreign memory' and message not like
    '%elements of OutputTensor come from no tensor'")" 0 '  which the message says'
is "$(query "select count(*) > 1000 from results where outcome = 'foreign memory'")" 1 '  in most cases with such an index'
tap_done
