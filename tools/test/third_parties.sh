#!/bin/bash
# tools/third-parties: the table of operator × library, and its arguments.
. tools/tap.sh
few_operators
db=$TMPDIR/some.db
"$ASSAY" run -d reference --db "$db" gather.examples >"$TMPDIR/said" 2>&1
"$ASSAY" run -d reference -d mutants:fault=flip-bit --db "$db" gather.examples gather_nd.examples >"$TMPDIR/said" 2>&1
is $? 1 'one device deviates' || sed 's/^/# /' "$TMPDIR/said"
compared() { sqlite3 "$db" "select sum(compared) from results where operator = '$1' and device = 'reference' and run_id > 1"; }
tools/third-parties --table "$db" | tr -s ' ' >"$TMPDIR/table"
is "$(grep -c . "$TMPDIR/table")" 3 'the table has a line for each operator'
like "$(head -n 1 "$TMPDIR/table")" '^operator broken: .* reference' '  and a column for each library'
# The column of mutants comes first, by name.
like "$(grep '^GATHER ' "$TMPDIR/table")" "^GATHER [0-9]+ of $(compared GATHER) differ $(compared GATHER) agree" '  which count the last run'
like "$(grep '^GATHER_ND ' "$TMPDIR/table")" "^GATHER_ND [0-9]+ of $(compared GATHER_ND) differ $(compared GATHER_ND) agree" '  of each'
tools/third-parties --table "$TMPDIR/none.db" >"$TMPDIR/said" 2>&1
is "$? $(cat "$TMPDIR/said")" '2 tools/third-parties: --table: expected a database' 'a missing database is an error'
tools/third-parties --tabel "$db" >"$TMPDIR/said" 2>&1
is $? 2 'an unknown option is an error'
is "$(tools/deps --list third-parties | grep -c torch) $(tools/deps --list | grep -c torch)" '1 0' \
    'only third-parties needs PyTorch'
tap_done
