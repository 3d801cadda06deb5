#!/bin/bash
# The main commands as users run them: list, run, TAP read by prove, the database, feature levels, repro.
. tools/tap.sh
few_operators
db=$TMPDIR/run.db

count=$("$ASSAY" list --count)
like "$count" '^[0-9]+$' 'list --count prints a number'
ok $((count >= 2000 ? 0 : 1)) "there are at least 2,000 cases: $count"
is "$("$ASSAY" list | sort | uniq -d | wc -l)" 0 'no name occurs twice'
is "$("$ASSAY" list | wc -l)" "$count" 'list prints as many names'
is "$("$ASSAY" list --json | grep -c '"case"')" "$count" 'list --json prints as many objects'
is "$("$ASSAY" list --json | jq -r .expect | sort -u | paste -sd ' ')" 'accepted either rejected results' \
    '  with the expectation of each case'
is "$("$ASSAY" list --json '*.violations.*' | jq -r 'select(.expect == "rejected") | .case' | grep -vc '\.rejected$')" \
    0 \
    '  which agrees with the names'
is "$("$ASSAY" list scatter_elements | grep -c 'fl2_0\.')" \
    "$("$ASSAY" list --count --level 2_0 --operator SCATTER_ELEMENTS)" \
    '--level and --operator restrict the list'

"$ASSAY" run -d reference --db "$db" >"$TMPDIR/human" 2>"$TMPDIR/err"
is $? 0 'the reference device passes everything'
is "$(cat "$TMPDIR/err")" '' '  and nothing is printed on standard error'
is "$(grep -c '^operator' "$TMPDIR/human")" 0 '  and a run of one device without failures needs no table'
table=$("$ASSAY" run -d reference -d mutants:fault=negative-twice gather.indices gather_nd.examples --search 0 | sed -n '/^operator/,/^all/p')
like "$(head -n 1 <<<"$table")" '^operator  reference +mutants:fault=negative$' '  one of two has a column for each'
like "$(sed -n 2p <<<"$table")" '^GATHER +[0-9]+ pass +[0-9]+ pass, [0-9]+ fail$' '  a line for an operator that fails'
is "$(sed -n '3,$p' <<<"$table" | cut -d ' ' -f 1)" all '  and none for others'
table=$("$ASSAY" run -d reference gather.examples gather_nd.examples --search 0 -v | sed -n '/^operator/,/^all/p')
is "$(cut -d ' ' -f 1 <<<"$table" | paste -sd ' ')" 'operator GATHER GATHER_ND all' '  which -v prints'
is "$(sqlite3 "$db" 'select count(distinct operator) from results')" \
    "$("$ASSAY" list | cut -d. -f1 | sort -u | wc -l)" \
    'every operator with cases is in the database'
is "$(sqlite3 "$db" 'select count(*) from results')" "$count" 'every planned case has its row'
is "$(sqlite3 "$db" "select count(*) from results where status not in ('pass', 'skip')")" 0 'all pass or are skipped'
is "$(sqlite3 "$db" "select count(*) from results where status = 'skip' and message not like '%feature level%'")" 0 \
    'skipped cases do not apply at the feature level'
is "$(sqlite3 "$db" 'pragma integrity_check; pragma foreign_key_check')" ok 'the database is intact'
is "$(sqlite3 "$db" "select group_concat(name) from pragma_table_info('results') where cid < 10")" \
    run_id,device,case_name,operator,feature_level,status,rule,message,host_ns,device_ns 'the view has its columns'
is "$(find "$TMPDIR" -name 'run.db-*' | wc -l)" 0 'the database is one file at the end'

"$ASSAY" run '*.types.*' '*.violations.*' -d mutants:fault=none >/dev/null 2>&1
is $? 0 'a mutant without a fault passes, too'

# The same seed gives the same output; another seed passes, too.
"$ASSAY" run gather.types --format tap -d reference >"$TMPDIR/a.tap"
"$ASSAY" run gather.types --format tap -d reference -j 2 --batch 3 >"$TMPDIR/b.tap"
cmp -s "$TMPDIR/a.tap" "$TMPDIR/b.tap"
ok $? 'two workers and another batch size print the same'
"$ASSAY" run gather.types scatter_nd.types -d reference --seed 12345 >/dev/null
is $? 0 'another seed passes'

# TAP, as prove reads it.
prove -e cat "$TMPDIR/a.tap" >/dev/null 2>&1
ok $? 'prove passes a run that passes'
"$ASSAY" run gather_nd.examples --format tap -d mutants:fault=flip-bit >"$TMPDIR/bad.tap"
is $? 1 'a run that fails exits with 1'
prove -e cat "$TMPDIR/bad.tap" >/dev/null 2>&1
is $? 1 'prove fails it'
like "$(cat "$TMPDIR/bad.tap")" 'assay repro gather_nd' 'its diagnostics have a command that reproduces it'
like "$("$ASSAY" run gather_nd.examples --format tap14 -d reference | head -1)" '^TAP version 14' \
    'TAP 14 has its version line'

# Every level that a device may declare.
for level in 1_0 2_0 2_1 3_0 3_1 4_0 4_1 5_0 6_4; do
    "$ASSAY" run 'gather*' 'scatter*' '*.types.*' '*.violations.*' -d "reference:level=$level" --db \
        "$TMPDIR/levels.db" >"$TMPDIR/human" 2>&1
    is $? 0 "a reference device of level $level passes the cases that apply to it"
done
is "$(sqlite3 "$TMPDIR/levels.db" "select count(distinct status) from results where device = 'reference:level=2_1'")" \
    2 \
    'at level 2_1 some pass and some are skipped'
is "$(sqlite3 "$TMPDIR/levels.db" \
    "select count(*) > 60, count(distinct operator) from results where device = 'reference:level=2_1'
    and case_name like '%.data-types.%rejected' and feature_level = '2_1' and status = 'pass'")" '1|3' \
    'types that are not in the tables of level 2_1 are rejected there, by each operator that is new there'

# --profile, with workers that end normally and ones that are killed.
"$ASSAY" run gather.types -d mutants:fault=crash,every=20 -j 2 --profile --db "$TMPDIR/profile.db" >/dev/null \
    2>"$TMPDIR/profile"
is "$(sqlite3 "$TMPDIR/profile.db" "select count(*) > 1 from results where status = 'crash'")" 1 'workers are killed'
like "$(cat "$TMPDIR/profile")" \
    '^assay: profile: workers +[0-9.]+ s, [0-9.]+ MiB: waiting .*planning .*tensors .*device .*oracle .*watching .*other [0-9.]+ %$' \
    '--profile prints the stages on which workers spend their time'
like "$(cat "$TMPDIR/profile")" \
    '^assay: profile: assay itself +[0-9.]+ s, [0-9.]+ MiB: waiting .*planning .*store .*formats .*other [0-9.]+ %$' \
    '  and on work of assay itself'
is "$(tr ',:' '\n' <"$TMPDIR/profile" | awk '/%$/ { all += $(NF - 1) } END { print (all > 199 && all < 201) }')" 1 \
    '  and the shares add up to 100 %'
is "$("$ASSAY" run gather.examples -d reference 2>&1 >/dev/null)" '' '  and without the option nothing is printed'

# The first device is opened early. If it turns out to have nothing to run, the second device is not affected.
both=(gather_nd.examples -d reference -d mutants:fault=flip-bit --db "$TMPDIR/ahead.db")
"$ASSAY" run "${both[@]}" >/dev/null 2>&1
"$ASSAY" run "${both[@]}" --rerun-failed >"$TMPDIR/ahead" 2>"$TMPDIR/err"
is "$? $(cat "$TMPDIR/err")" '1 ' '--rerun-failed runs only the second device if only that one has failures'
is "$(grep -c '^reference' "$TMPDIR/ahead")" 0 '  and prints nothing about the first'

# One case alone.
name=$("$ASSAY" list 'scatter_nd.indices.negative.*' | head -1)
shown=$("$ASSAY" show "$name")
like "$shown" 'UpdatesTensor' 'show prints the description'
like "$shown" 'c050c-118' '  and the page sentences of the rules'
like "$("$ASSAY" repro "$name" -d reference)" "pass $name" 'repro runs it'
like "$("$ASSAY" repro "$name" -d reference)" 'expected +[-0-9]' '  and prints outputs'
line=$("$ASSAY" run "$name" -d mutants:fault=flip-bit | sed -n 's/^ *reproduce *[^ ]* //p')
eval "\"\$ASSAY\" $line" >"$TMPDIR/repro"
is $? 1 'the command of the line "reproduce" fails again'
like "$(cat "$TMPDIR/repro")" 'got' '  and prints the outputs'
like "$("$ASSAY" spec GATHER_ND)" 'negative-indices' 'spec prints rules and behaviours'
like "$("$ASSAY" --help)" 'repro' 'help lists the commands'
for command in devices list show run repro compare spec expect bisect; do
    is "$("$ASSAY" $command --help | awk 'length($0) > 80' | wc -l)" 0 "the help of $command fits 80 columns"
done

# An interrupted run keeps its results; the remaining cases are incomplete.
"$ASSAY" run gather.types gather_nd.types -d mutants:fault=hang,every=40 --timeout 60 --db "$TMPDIR/int.db" >/dev/null \
    2>&1 &
harness=$!
for ((i = 0; i < 1200; i++)); do
    [ "$(sqlite3 "$TMPDIR/int.db" 'select count(*) from runs' 2>/dev/null)" = 1 ] && break
    sleep 0.05
done
kill -INT $harness
wait $harness
is $? 5 'an interrupted run exits with 5'
is "$(sqlite3 "$TMPDIR/int.db" "select count(*) from results")" \
    "$("$ASSAY" list --count gather.types gather_nd.types)" \
    'every case has its row'
is "$(sqlite3 "$TMPDIR/int.db" "select count(*) > 0 from results where status = 'incomplete'")" 1 'some are incomplete'

tap_done
