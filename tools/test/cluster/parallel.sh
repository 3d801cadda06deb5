#!/bin/bash
# tools/cluster/ with GNU parallel over ssh: two machines are two sshd of this one, on loopback. One of them dies in the
# middle; the merged run equals the run in one piece, row for row.
. tools/tap.sh
for program in parallel sshd ssh; do
    command -v $program >/dev/null || { echo "1..0 # SKIP $program is not installed: tools/deps cluster"; exit 0; }
done
[ "$(id -u)" = 0 ] || { echo '1..0 # SKIP only root can start sshd'; exit 0; }
few_operators
cluster=$PWD/tools/cluster
ASSAY=$(realpath "$ASSAY")
export ASSAY CLUSTER_POLL=1
cd "$TMPDIR" || exit 1
mkdir -p /run/sshd marks
ssh-keygen -q -t ed25519 -N '' -f host && ssh-keygen -q -t ed25519 -N '' -f user
ok $? 'keys are made'
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
cat >sshd_config <<END
HostKey $PWD/host
AuthorizedKeysFile $PWD/user.pub
PermitRootLogin prohibit-password
StrictModes no
UsePAM no
END
printf '%s\n' "Port $port" "IdentityFile $PWD/user" 'StrictHostKeyChecking no' "UserKnownHostsFile $PWD/hosts" \
    'ConnectTimeout 5' 'LogLevel ERROR' >ssh_config
# A machine is a namespace of processes, which dies as a whole.
machine() {
    unshare --pid --mount-proc --fork --kill-child "$(command -v sshd)" -D -f sshd_config -o "ListenAddress=$1:$port" \
        -o PidFile=none 2>"$1.log" &
}
machine 127.0.0.1
first=$!
machine 127.0.0.2
second=$!
trap 'kill -KILL $first $second 2>/dev/null' EXIT
for address in 127.0.0.1 127.0.0.2; do
    await ssh -F ssh_config $address true
    ok $? "$address answers"
done
# The first task on the second machine waits until the machine dies.
cat >assay <<END
#!/bin/bash
[[ \${SSH_CONNECTION:-} != *' 127.0.0.2 '* ]] || { echo "\$SHARD" >$PWD/marks/dying; sleep 1000; }
exec "$ASSAY" "\$@"
END
chmod +x assay
cat >site <<END
ASSAY=$PWD/assay
SCRATCH=$PWD/scratch
PARALLEL_OPTIONS='--ssh $PWD/ssh --sshlogin 1/127.0.0.1,1/127.0.0.2 --retries 3'
END
printf '#!/bin/sh\nexec ssh -F %s/ssh_config "$@"\n' "$PWD" >ssh
chmod +x ssh
export SITE=$PWD/site
run=(run -d 'mutants:fault=flip-bit,some=5,level=6_4')
"$cluster/shards" start job 6 parallel "${run[@]}" >out 2>&1
is $? 0 'six shards are started' || cat out
await [ -s marks/dying ]
shard=$(cat marks/dying)
is "$("$cluster/parallel" active job | grep -cx "$shard")" 1 "shard $shard runs on 127.0.0.2"
"$cluster/shards" collect job >collected
is "$? $(grep -c "^shard $shard/6: waits or runs" collected)" '5 1' '  and collecting says so'
kill -KILL $second
"$cluster/shards" finish job >finished 2>&1
is $? 1 'the machine dies; the run is finished, with the failures of its cases' || cat finished
[ -e "job/shard-$shard.db" ]
ok $? "  shard $shard, too"
is "$(find job -name 'shard-*.db' | wc -l)" 6 '  with six results'
rows() {
    sqlite3 "$1" "SELECT device, case_name, attempt, status, rule, message, seed, expected, wrong_tensor, wrong_coordinates,
        wrong_got, wrong_count, reproduce, outcome FROM results ORDER BY 1, 2, 3"
}
"$ASSAY" "${run[@]}" --db whole.db >/dev/null 2>&1
rows whole.db | sed 's| --db [^ ]*||' >whole
rows job/results.db >merged
cmp whole merged
ok $? "the merged run is the run in one piece, row for row: $(wc -l <whole) rows"
tap_done
