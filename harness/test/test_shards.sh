#!/bin/bash
# Shards are disjoint and complete. Merged, they equal the whole run row for row. Shards that do not fit are refused.
. tools/tap.sh
few_operators
ASSAY=$(realpath "$ASSAY")
ASSAY_DEVICES=$(realpath "$ASSAY_DEVICES")
cd "$TMPDIR" || exit 1
filter=(gather.types.fl4_1 gather_nd.examples nonzero_coordinates.examples)
devices=(-d "mutants:fault=flip-bit,some=5,level=6_4" -d reference:level=3_0)
columns='device, case_name, operator, feature_level, status, rule, message, seed, pages, expected, wrong_tensor,
    wrong_coordinates, wrong_got, wrong_expected, wrong_count, reproduce, attempt, strength, outcome, flaky, expectation,
    reason, slow'
run() {
    "$ASSAY" run "${filter[@]}" "${devices[@]}" --seed 9 "$@" >out 2>err
}
# differing A B: numbers of rows that only one of the databases has, by SQL; all attempts count.
differing() {
    sqlite3 "$1" "attach '$2' as b" \
        "select count(*) from (select $columns from main.results except select $columns from b.results)" \
        "select count(*) from (select $columns from b.results except select $columns from main.results)" \
        "select (select count(*) from main.result) - (select count(*) from b.result)" \
        "select (select count(*) from main.detail) - (select count(*) from b.detail)" | paste -sd ' '
}

# Three shards, with retries, so that cases have several attempts.
run --retries 1 --db whole.db
is $? 1 'the whole fails'
for shard in 1 2 3; do
    run --retries 1 --shard $shard/3 --db s$shard.db
    is $? 1 "shard $shard/3 fails"
done
planned=$("$ASSAY" list --count "${filter[@]}")
for i in 1 2 3; do sqlite3 s$i.db 'select distinct case_name from results'; done | sort >names
is "$(wc -l <names) $(uniq -d names | wc -l)" "$planned 0" 'together they have every case, and none of them twice'
for i in 1 2 3; do sqlite3 s$i.db "select count(distinct case_name) > $planned / 6 from results"; done >share
is "$(sort -u share)" 1 '  each its share'
"$ASSAY" merge merged.db s3.db s1.db s2.db >out 2>&1
is $? 0 'they are merged'
is "$(grep -c ": 3 shards, $planned cases: [0-9]* pass, " out)" 2 '  and the message names it'
is "$(differing merged.db whole.db)" '0 0 0 0' '  row for row the whole'
is "$(differing whole.db s1.db | cut -d' ' -f1 | grep -c '^0$')" 0 '  which a shard is not'
is "$(sqlite3 merged.db 'select distinct planned, shard, shards, state, seed, plan_hash from runs')" \
    "$(sqlite3 whole.db 'select distinct planned, shard, shards, state, seed, plan_hash from runs')" '  and a whole run'
is "$(sqlite3 merged.db 'pragma integrity_check; pragma foreign_key_check')" ok '  in a sound database'
"$ASSAY" compare whole.db merged.db -d reference:level=3_0 >out
is $? 0 '  that compares with the other'
"$ASSAY" merge merged.db s1.db s2.db s3.db >out
is "$? $(sqlite3 merged.db 'select count(*) from runs')" '0 2' \
    'merged again into the same file, the runs are not added again'
is "$(grep -c ': these shards are already merged, as run [12]; not added again$' out)" 2 '  and the message says so'
run --retries 1 --db merged.db
"$ASSAY" merge merged.db s1.db s2.db s3.db >out
is "$? $(sqlite3 merged.db 'select count(*) from runs')" '0 4' '  also after other runs'
for shard in 1 2 3; do run --retries 1 --shard $shard/3 --db all.db; done
"$ASSAY" merge both.db all.db >out 2>&1
is "$? $(differing both.db whole.db)" '0 0 0 0 0' 'one database with all shards is merged'
"$ASSAY" merge merged.db all.db >out
is "$? $(sqlite3 merged.db 'select count(*) from runs')" '0 6' 'other runs of the same shards are added'
run --retries 1 --shard 2/3 --db all.db
"$ASSAY" merge newer.db all.db >out
is "$? $(sqlite3 newer.db 'select count(distinct run_id), max(started) from results join runs using (run_id)')" \
    "0 2|$(sqlite3 all.db 'select min(started) from runs where device like '\''reference%'\''')" \
    '  of a shard that was run twice, the newer one'
cp s2.db onlytwo.db
run --retries 1 --shard 1/3 --db onlytwo.db
fails 5 'missing: shard 3/3' merge out.db onlytwo.db

# More shards than cases: shards without cases are merged too.
filter=(nonzero_coordinates.examples)
devices=(-d reference)
run --db few.db
for i in 1 2 3 4 5 6 7 8 9; do
    run --shard $i/9 --db f$i.db || break
done
is $? 0 'a shard without cases passes'
"$ASSAY" merge fewmerged.db f?.db >out
is "$? $(differing fewmerged.db few.db)" '0 0 0 0 0' '  and is merged'

# Expectations: only the merged run shows whether a line about cases of several shards is stale.
filter=(gather.types.fl4_1)
devices=(-d 'mutants:fault=flip-bit,some=5,level=6_4')
run --db plain.db
is "$(sqlite3 plain.db "select count(distinct failed) from results where case_name like '%.float%'")" 2 \
    'of the cases of a line some fail, others do not'
other=$(sqlite3 plain.db "select case_name from results where case_name like '%.uint%' limit 1")
cat >known.txt <<END
gather.types fail,pass # now and then
gather.types.fl4_1.float* fail # some do
gather.types.fl4_1.uint* crash # none does
$other timeout # nor this one
END
for shard in 1 2; do
    run --shard $shard/2 --expect known.txt --db k$shard.db
    cat err >>stale
done
is "$(for i in 1 2; do sqlite3 k$i.db "select count(*) > 1 from results where case_name like '%.uint%'"; done | \
    xargs)" '1 1' \
    '  each shard has some of the cases of another'
is "$(grep -c . stale) $(grep -c "known.txt:4: .*none of the 1 cases that '$other' decides ended as timeout" stale)" \
    '1 1' \
    '  a stale line is said by the shard that has all of its cases, by no other'
fails 2 'run 1 is shard 1/2; .assay merge' expect check known.txt --db k1.db
"$ASSAY" merge k.db k1.db k2.db >out
"$ASSAY" expect check known.txt --db k.db >checked
is "$? $(grep -c 'known.txt:[0-9]: ' checked)" '1 2' 'merged, they are checked'
like "$(cat checked)" \
    "known.txt:3: none of the [0-9]+ cases that 'gather.types.fl4_1.uint\\*' decides ended as crash$" \
    '  and a line that no shard could judge is stale'
run --expect known.txt --db wholly.db
is "$(grep -o 'known.txt:.*' err | sed "s/device '[^']*': //" | sort)" \
    "$(grep -o 'known.txt:[0-9]: .*' checked | sort)" \
    '  as is the output of a run in one piece'

for bad in 0/3 4/3 1/0 3 a/b 1/3x '' 1/1000000000 /3 1/; do
    fails 2 "--shard: expected M/N, as 2/3 for the second of three, not '$bad'" run -d reference --shard "$bad"
done
fails 2 'merge takes databases' merge out.db
fails 2 "OUT.db: 's1.db' is also IN.db, s1.db" merge s1.db s1.db s2.db
fails 3 'nothing.db: No such file' merge out.db s1.db nothing.db
fails 2 "few.db: its run on 'reference' is whole" merge out.db few.db
fails 5 "missing: shard 1/3, 3/3" merge out.db s2.db
fails 2 's1.db and copy.db: both have shard 1/3' merge out.db s1.db s2.db "$(cp s1.db copy.db && echo copy.db)" s3.db
cp s2.db other.db
refuses() {
    sqlite3 other.db "$2"
    fails "$3" "$1" merge out.db s1.db other.db s3.db
    cp s2.db other.db
}
refuses 'different plan of cases' 'update run set plan_hash = 5' 2
refuses 'different seed' 'update run set seed = 5' 2
refuses 'different number of shards' 'update run set shards = 4' 2
refuses 'different driver' "update device set driver = 'new'" 2
refuses 'different version of assay' "update run set version = '0'" 2
refuses 'has no run' 'delete from run' 4
refuses '5 of its [0-9]+ cases have no result; .assay run --resume' \
    'delete from result where case_id in (select id from test_case limit 5)' 5
refuses '1 of its [0-9]+ cases have no result' \
    "update result set status = 'incomplete' where case_id = (select max(case_id) from result)" 5
is "$(ls out.db* 2>/dev/null)" '' 'refused shards leave no file'
"$ASSAY" merge out.db s1.db other.db s3.db >out
is $? 0 'the copy itself is merged'
sqlite3 other.db "update test_case set name = name || char(27) where id = 2"
"$ASSAY" merge hostile.db s1.db other.db s3.db >out
is "$? $(sqlite3 hostile.db "select sum(name glob '*' || char(27) || '*'), sum(name like '%\\x1b') from test_case")" \
    '0 0|1' \
    'what cannot be printed is made visible'
tap_done
