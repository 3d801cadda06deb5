#!/bin/bash
# The Python module that reads results, against `assay report --json` of the same database.
. tools/tap.sh
few_operators
root=$PWD
db=$TMPDIR/results.db
printf 'gather_nd.examples fail # known\n' >"$TMPDIR/known.txt"
"$ASSAY" run -d reference -d mutants:fault=flip-bit gather_nd.examples gather.types --expect "$TMPDIR/known.txt" --db "$db" \
    >"$TMPDIR/said" 2>&1
"$ASSAY" run -d reference:level=2_1 gather.examples nonzero_coordinates.examples --db "$db" >"$TMPDIR/said" 2>&1
"$ASSAY" run -d reference gather.types --db "$db" >"$TMPDIR/said" 2>&1
"$ASSAY" report "$db" --json "$TMPDIR/report.json" || cat "$TMPDIR/said"
is "$(sed -n 's/^SCHEMA_VERSION = //p' reports/assay_results.py)" "$(sed -n 's/^PRAGMA user_version = \(.*\);/\1/p' reports/schema.sql)" \
    'the module is of the version of the schema'
mkdir "$TMPDIR/scratch"
/usr/bin/python3 reports/test/results_module.py "$db" "$TMPDIR/report.json" "$TMPDIR/scratch" >"$TMPDIR/module" 2>&1
ok $? 'the module reads what the report says' || cat "$TMPDIR/module"
grep '^not ok' -A 2 "$TMPDIR/module" | sed 's/^/# /'

# The example of the README.
# shellcheck disable=SC2016 # a fence of Markdown
sed -n '/^```python$/,/^```$/{//!p}' reports/README.md >"$TMPDIR/example.py"
(cd "$TMPDIR" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$root/reports /usr/bin/python3 example.py) >"$TMPDIR/printed" 2>&1
ok $? "the README's example runs" || cat "$TMPDIR/printed"
is "$(wc -l <"$TMPDIR/printed")" "$(sqlite3 "$db" 'select count(*) from current_results where failed')" '  and prints every failure'
tap_done
