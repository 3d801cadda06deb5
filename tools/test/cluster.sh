#!/bin/bash
# tools/cluster/ without an engine: stand-ins for sbatch and squeue run the tasks here. `make check-cluster` runs the
# engines themselves.
. tools/tap.sh
few_operators
cluster=$PWD/tools/cluster
ASSAY=$(realpath "$ASSAY")
export ASSAY
cd "$TMPDIR" || exit 1
shards() { "$cluster/shards" "$@" >out 2>&1; }
# rows DB: the rows of the last run in a database, without times.
rows() {
    sqlite3 "$1" "SELECT device, case_name, attempt, status, rule, message, seed, expected, wrong_tensor, wrong_coordinates,
        wrong_got, wrong_count, reproduce, outcome FROM results WHERE run_id = (SELECT max(run_id) FROM runs) ORDER BY 1, 2, 3"
}
# refused STATUS PATTERN ARGUMENTS…: tools/cluster/shards exits with STATUS and prints one line that matches PATTERN.
refused() {
    local status=$1 pattern=$2
    shift 2
    shards "$@"
    is $? "$status" "shards $* exits with $status"
    is "$(wc -l <out)" 1 '  with one line'
    like "$(cat out)" "^tools/cluster/shards: $pattern" "  which says: $pattern"
}

# sbatch runs each task of the array that FAIL does not name; squeue knows none of them, or those of the file queue.
mkdir bin
cat >bin/sbatch <<'END'
#!/bin/bash
cat >script
for SLURM_ARRAY_TASK_ID in $(sed -n 's/^#SBATCH --array=//p' script | tr , ' '); do
    export SLURM_ARRAY_TASK_ID
    log=$(sed -n 's/^#SBATCH --output=//p' script)
    [[ " ${GONE:-} " == *" $SLURM_ARRAY_TASK_ID "* ]] && continue
    [[ " ${FULL:-} " == *" $SLURM_ARRAY_TASK_ID "* ]] && export FULL_NOW=1
    SLURMD_NODENAME=node$SLURM_ARRAY_TASK_ID sh script >"${log//%a/$SLURM_ARRAY_TASK_ID}" 2>&1
    unset FULL_NOW
done
END
printf '#!/bin/sh\ncat "%s/queue"\n' "$PWD" >bin/squeue
printf '#!/bin/sh\nprintf "node%%s\\n" 1 2 3 4 5\n' >bin/sinfo
printf '#!/bin/sh\necho "$*" >>%s/cancelled; : >%s/queue\n' "$PWD" "$PWD" >bin/scancel
chmod +x bin/*
: >queue
export PATH=$PWD/bin:$PATH

refused 2 'expected start '
refused 2 'expected start ' begin job
refused 2 "N: expected a number of shards from 2 to 99999, not 'x'" start job x slurm run
refused 2 "N: expected a number of shards from 2 to 99999, not '1'" start job 1 slurm run
refused 2 "ENGINE: expected slurm or parallel, not 'task'" start job 3 task run
refused 2 "COMMAND: expected 'run …' or 'fuzz …', not 'bench'" start job 3 slurm bench
refused 2 "COMMAND: the tasks set --shard and --db; not '--db=x'" start job 3 slurm run -d reference --db=x
refused 2 'COMMAND: a search needs --count or --seconds' start job 3 slurm fuzz -d reference
SITE=$PWD/none refused 2 "SITE: cannot be read: $PWD/none" start job 3 slurm run -d reference
ASSAY=/none refused 2 "ASSAY: expected a program, not '/none'" start job 3 slurm run -d reference
[ ! -e job ]
ok $? '  and nothing is left'
refused 2 '--dry-run is for start and again' collect --dry-run job
refused 2 'job: has no job; expected the folder of tools/cluster/shards start' collect job

# The scripts
cat >site <<END
SCRATCH=\${FULL_NOW:+/proc/none}
SCRATCH=\${SCRATCH:-$PWD/scratch}
SLURM_OPTIONS='--constraint=gpu --time=30'
END
export SITE=$PWD/site
run=(run -d 'mutants:fault=flip-bit,some=5,level=6_4' gather.types gather_nd.examples)
shards start --dry-run job 5 slurm "${run[@]}"
is $? 0 'a dry run prints the script'
like "$(cat out)" '^#SBATCH --array=1,2,3,4,5$' '  with a task for each shard'
like "$(cat out)" '^#SBATCH --constraint=gpu$' '  with the options of the site'
like "$(cat out)" "^exec $cluster/task $PWD/job .SLURM_ARRAY_TASK_ID$" '  which starts a shard'
is "$(ls -d job 2>/dev/null)" '' '  and leaves nothing'

# A shard is missing, another one has failed on a node whose disk is full.
GONE=2 FULL=4 shards start job 5 slurm "${run[@]}"
is $? 0 'five tasks are submitted'
is "$(find job -name 'shard-*.db' -printf '%f\n' | sort | xargs)" 'shard-1.db shard-3.db shard-5.db' '  of which three have a result'
shards collect job
is $? 5 'they are not collected'
is "$(cat out)" "shard 2/5: missing: no task has written its log
shard 4/5: failed: on node4: /proc/none: no folder can be made in it" '  and the two others are named'
[ ! -e job/results.db ]
ok $? '  and nothing is merged'
echo '2 7_2 Resources' >queue
shards collect job
like "$(cat out)" '^shard 2/5: waits or runs$' 'a task that waits is named as such'
shards again --dry-run job
is "$(grep -E 'array|exclude' out)" $'#SBATCH --array=4\n#SBATCH --exclude=node4' \
    '  and is not submitted again; a failed one is, to another node'
echo '2 7_2 launch failed requeued held' >queue
before=$(stat -c %Y.%i job/shard-1.db)
CLUSTER_POLL=0 shards finish job
is $? 1 'what lacks is run again, and the failures of cases are the exit status'
is "$(cat cancelled)" 7_2 '  a task that Slurm holds is cancelled first'
is "$(sed -n 's/^#SBATCH --array=//p' script)" 2,4 '  nothing else is run'
is "$(stat -c %Y.%i job/shard-1.db)" "$before" '  and the other results are the same'
"$ASSAY" "${run[@]}" --db whole.db >/dev/null 2>&1
rows whole.db >whole
sed -i 's/ --db [^ ]*//' whole
rows job/results.db >merged
cmp whole merged
ok $? 'merged, they are row for row the run in one piece'
[ -s job/results.html ]
ok $? '  with a page'
shards again job
is "$(cat out)" 'nothing to submit: each shard has a result or a task' 'nothing is left to submit'
"$cluster/task" job 3 >out
is "$? $(cat out)" '0 the shard has a result already' 'a second task for a shard does nothing'
GONE='1 2 3' CLUSTER_POLL=0 shards start lost 3 slurm "${run[@]}"
GONE='1 2 3' CLUSTER_POLL=0 shards finish lost 1
is "$? $(grep -c 'missing' out)" '5 6' 'a rack that runs nothing is tried as often as asked, and incomplete'

# Results that do not belong together are refused, and nothing is left.
spoil() {
    local name=$1 pattern=$2
    rm -rf bad && cp -r job bad && rm bad/results.*
    sed -i "s|/job|/bad|" bad/job
    cp "$3" bad/shard-2.db
    shards collect bad
    is $? 2 "$name is refused"
    like "$(cat out)" "^assay: .*$pattern" "  which says: $pattern"
    is "$(find bad -name 'results*')" '' '  and nothing is merged'
}
spoil 'a shard that is there twice' 'both have shard 3/5' job/shard-3.db
"$ASSAY" "${run[@]}" --seed 3 --shard 2/5 --db seed.db >/dev/null 2>&1
spoil 'a shard with another seed' 'different seed' seed.db
"$ASSAY" run -d 'mutants:fault=flip-bit,some=5,level=6_4' gather.types --shard 2/5 --db plan.db >/dev/null 2>&1
spoil 'a shard of another plan' 'different plan of cases' plan.db
"$ASSAY" "${run[@]}" --shard 2/4 --db other.db >/dev/null 2>&1
spoil 'a shard of another number' 'different number of shards' other.db

# A task that a signal ends leaves no result.
mkdir slow
sed 's/^shards=.*/shards=1/; s|/job$|/slow|' job/job >slow/job
printf '#!/bin/sh\ntouch %s/begun\nexec sleep 60\n' "$PWD" >sleeper
chmod +x sleeper
echo "ASSAY=$PWD/sleeper" >>slow/job
"$cluster/task" slow 1 >out 2>&1 &
await [ -e begun ]
kill $!
wait $!
is "$? $(ls slow scratch)" $'143 scratch:\n\nslow:\njob' 'a task that a signal ends leaves nothing'

# A search
search=(fuzz -d mutants:ignore=GATHER/axis-range -o GATHER --count 150000)
GONE=2 shards start search 3 slurm "${search[@]}"
shards collect search
is "$? $(cat out)" '5 shard 2/3: missing: no task has written its log' 'a search without one of its shards is not collected'
CLUSTER_POLL=0 shards finish search
is $? 1 '  with it, it is, and has findings'
like "$(cat out)" '^3 shards, 150000 descriptions, 1 findings' '  of all descriptions'
"$ASSAY" "${search[@]}" --db onesearch.db >/dev/null 2>&1
is "$(tail -n +2 search/findings.tsv | cut -f 1-4)" "$(sqlite3 -separator $'\t' onesearch.db \
    'SELECT operator, rule, kind, sum(count) FROM fuzz_finding GROUP BY 1, 2, 3 ORDER BY 1, 2, 3')" \
    '  and those of the search in one piece'
cp search/shard-1.db search/shard-2.db
refused 5 'shard-2.db: it has 1 searches; expected one of shard 2/3' collect search
"$ASSAY" "${search[@]}" --seed 5 --shard 2/3 --db seed5.db >/dev/null 2>&1
cp seed5.db search/shard-2.db
refused 5 'the shards are of different searches' collect search
tap_done
