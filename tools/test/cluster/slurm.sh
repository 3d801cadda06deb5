#!/bin/bash
# tools/cluster/ with a real Slurm of four nodes on this machine, while a node is killed, a task is out of time, a disk is
# full and the controller restarts: the merged run equals the run in one piece, row for row.
. tools/tap.sh
reason=$(tools/cluster/rack possible) || { echo "1..0 # SKIP $reason"; exit 0; }
few_operators
cluster=$PWD/tools/cluster
ASSAY=$(realpath "$ASSAY")
export REAL=$ASSAY
cd "$TMPDIR" || exit 1
rack=$TMPDIR/rack
export SLURM_CONF=$rack/slurm.conf CLUSTER_POLL=1
mkdir -p "$rack/scratch/node3" marks
trap '"$cluster/rack" stop "$rack"; umount "$rack/scratch/node3" 2>/dev/null' EXIT
mount -t tmpfs -o size=40k none "$rack/scratch/node3"
ok $? 'the disk of node3 holds 40 KiB'
"$cluster/rack" start "$rack" 4
ok $? 'Slurm runs' || { tap_done; exit 1; }
rows() {
    sqlite3 "$1" "SELECT device, case_name, attempt, status, rule, message, seed, expected, wrong_tensor, wrong_coordinates,
        wrong_got, wrong_count, reproduce, outcome FROM results ORDER BY 1, 2, 3"
}

# The first attempt at shard 2 stops in the middle, with a part of its results in the database; that at shard 5 hangs.
cat >assay <<'END'
#!/bin/bash
mark=$MARKS/shard-$SHARD
[ "$1" = run ] && [ ! -e "$mark" ] || exec "$REAL" "$@"
database=${!#}
case $SHARD in
    2)
        "$REAL" "$@" -j 1 &
        child=$!
        until [ "$(sqlite3 "$database" 'SELECT count(*) FROM result' 2>/dev/null || echo 0)" -gt 0 ] ||
            ! kill -0 $child 2>/dev/null; do sleep 0.01; done
        kill -STOP $child
        sqlite3 "$database" 'SELECT count(*) FROM result' >"$mark.part"
        echo "$SLURMD_NODENAME" >"$mark.part2" && mv "$mark.part2" "$mark"
        wait
        ;;
    5) touch "$mark"; exec sleep 1000 ;;
    *) exec "$REAL" "$@" ;;
esac
END
chmod +x assay
cat >site <<END
ASSAY=$PWD/assay
export MARKS=$PWD/marks REAL=$REAL
SCRATCH=$rack/scratch/\$SLURMD_NODENAME
SLURM_OPTIONS='--time=1'
END
export SITE=$PWD/site
run=(run -d 'mutants:fault=flip-bit,some=5,level=6_4' -d reference)
"$cluster/shards" start job 8 slurm "${run[@]}" >out 2>&1
is $? 0 'a run of eight shards is submitted' || cat out
await [ -e marks/shard-2 ]
node=$(cat marks/shard-2)
"$cluster/rack" kill "$rack" "$node"
ok $? "$node is killed in the middle of shard 2"
is_down() { sinfo --noheader --Node --nodes="$node" --format=%t | grep -q '^down'; }
await is_down
ok $? '  which Slurm notices'
"$cluster/rack" kill "$rack" controller
ok $? 'the controller is killed'
"$cluster/shards" finish job >finished 2>&1 &
finishing=$!
sleep 2
"$cluster/rack" up "$rack" controller
ok $? '  and starts again, while its answer is awaited'
await [ -e marks/shard-5 ]
"$cluster/rack" up "$rack" "$node" # as when power is back
wait $finishing
status=$?
sed 's/^/# /' finished
is $status 1 'the run is finished, with the failures of its cases'
like "$(cat finished)" '^shard 5/8: failed: .*DUE TO TIME LIMIT' '  after shard 5 was out of time'
like "$(cat finished)" '^shard [0-9]/8: failed: on node3: .*(full|space)' '  and a shard found the disk of node3 full'
like "$(cat job/shard-5.log)" '^complete on node[124], ' '  shard 5 was run again'
like "$(cat job/shard-2.log)" '^complete on node[124], ' '  shard 2, too'
is "$(grep -l 'complete on node3' job/*.log)" '' '  and none on node3'
"$REAL" "${run[@]}" --db whole.db >/dev/null 2>&1
rows whole.db | sed 's| --db [^ ]*||' >whole
rows job/results.db >merged
cmp whole merged
ok $? "the merged run is the run in one piece, row for row: $(wc -l <whole) rows"
is "$(sqlite3 job/results.db 'SELECT count(*), sum(planned) FROM runs WHERE shards = 1')" \
    "$(sqlite3 whole.db 'SELECT count(*), sum(planned) FROM runs')" '  and two whole runs'
"$cluster/shards" collect job >again 2>&1
rows job/results.db | cmp - merged
ok $? 'collected again, nothing counts twice'

# Constraints choose nodes.
sed -i "s/--time=1/--time=1 --constraint=first/" site
"$cluster/shards" start first 3 slurm run -d reference gather.examples >out 2>&1
"$cluster/shards" finish first >out 2>&1
is "$? $(cat first/*.log | grep -c 'complete on node1,')" '0 3' 'with a constraint, the tasks run on the node that has it'

# A search
sed -i 's/ --constraint=first//' site
search=(fuzz -d mutants:ignore=GATHER/axis-range -o GATHER --count 300000)
umount "$rack/scratch/node3"
"$cluster/shards" start search 6 slurm "${search[@]}" >out 2>&1
"$cluster/shards" finish search >out 2>&1
is $? 1 'a search is finished, with findings'
"$REAL" "${search[@]}" --db search.db >/dev/null 2>&1
is "$(tail -n +2 search/findings.tsv | cut -f 1-4)" "$(sqlite3 -separator $'\t' search.db \
    'SELECT operator, rule, kind, sum(count) FROM fuzz_finding GROUP BY 1, 2, 3 ORDER BY 1, 2, 3')" \
    '  those of the search in one piece'
tap_done
