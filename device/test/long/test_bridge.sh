#!/bin/bash
# The bridge: the whole suite on numpy, and peers that fail in every way. Each failure must be reported in words, must
# not affect other cases, and must leave no process behind.
. tools/tap.sh
peer=$PWD/device/test/bridge_peer.py
numpy=$PWD/device/bridge/numpy/adapter.py
db=$TMPDIR/bridge.db
one=$("$ASSAY" list gather_elements.examples | head -1)
last="run_id = (select max(run_id) from runs)"
export BRIDGE_TEST=$$ # marks the processes of this test

left() {
    grep -lsz "^BRIDGE_TEST=$$\$" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3 | while read -r pid; do
        tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep -q 'bridge_peer[.]py\|adapter[.]py' && echo "$pid"
    done
}

# ends STATUS PATTERN DEVICE [OPTION…]: one case on the device ends with STATUS and a message that matches PATTERN.
ends() {
    local status=$1 pattern=$2 device=$3
    shift 3
    "$ASSAY" run -d "$device" --db "$db" "$@" "$one" >"$TMPDIR/out" 2>&1
    is "$(sqlite3 "$db" "select status from results where $last")" "$status" "$device ends with $status"
    like "$(sqlite3 "$db" "select message from results where $last")" "$pattern" "  with a message like: $pattern"
}

# limit POINT: the time limit for a peer that stalls is short, yet longer than Python takes to start.
limit() {
    [[ $1 = stalls* ]] && echo 3 || echo 60
}

# ---- a working peer

if [ -e /usr/lib/python3/dist-packages/numpy ]; then
    share=${SHARD:-1/1}
    "$ASSAY" run -d "bridge:$numpy" --db "$db" -j 2 --shard "$share" >"$TMPDIR/out" 2>&1
    is $? 0 "the suite passes on numpy, shard $share of it"
    grep '^  message' "$TMPDIR/out" | sort | uniq -c | head -5 | sed 's/^/# /'
    planned=$(sqlite3 "$db" "select planned from runs where $last")
    is "$(sqlite3 "$db" "select count(*) from results where $last")" "$planned" '  every case has its row'
    all=$(("$("$ASSAY" list --count)" / ${share#*/}))
    ok $((planned > all * 7 / 8 && planned < all * 9 / 8 && (planned == all || ${share#*/} > 1) ? 0 : 1)) '  of the share'
    is "$(sqlite3 "$db" "select group_concat(distinct status) from results where $last and status != 'skip'")" pass \
        '  and passes'
    is "$(sqlite3 "$db" "select operator from results where $last and operator != 'INTERFACE' group by operator
        having sum(status = 'pass' and device_ns > 0) = 0")" '' '  all operators have run, with device times'
    is "$(sqlite3 "$db" "select count(distinct operator) from results where $last and operator != 'INTERFACE'")" \
        "$("$ASSAY" list not interface | cut -d. -f1 | sort -u | wc -l)" '  all operators are in the share'
    like "$(sqlite3 "$db" "select device_driver from runs where $last")" '^numpy [0-9]' '  its driver is recorded'
    like "$(cat "$TMPDIR/out")" "$(sqlite3 "$db" "select ': ' || sum(status = 'pass') || ' pass \\(' || sum(compared) || ' compared, '
        || sum(status = 'pass' and not compared) || ' by assay.s validation\\), ' from results where $last")" \
        '  passes that compared outputs are counted apart from those by the validation of the bridge'
    is "$(sqlite3 "$db" "select count(*) from results where $last and compared <> (status = 'pass' and expects = 'results')")" \
        0 '  also in the view'
    like "$("$ASSAY" report "$db")" "\\| $(sqlite3 "$db" "select sum(status = 'pass') || ' \\| ' || sum(compared) || ' \\| 0'
        from results where $last")" '  and in the report'
    if in_shard; then
        "$ASSAY" devices "bridge:$numpy" >"$TMPDIR/out" 2>&1
        is $? 0 'assay devices finds nothing broken'
        # shellcheck disable=SC2016 # the backquotes are the guide's
        sed -n '/^```python$/,/^```$/{//!p}' device/bridge/README.md | sed "s|/usr/local/share/assay/device/bridge|$PWD/device/bridge|" \
            >"$TMPDIR/mine.py"
        "$ASSAY" run -d "bridge:/usr/bin/python3 $TMPDIR/mine.py" --db "$db" gather_elements.examples gather.examples \
            gather_elements.types gather.violations >"$TMPDIR/out" 2>&1
        is "$?" 0 'the peer of the guide runs'
        is "$(sqlite3 "$db" "select group_concat(way) from (select distinct operator || ' ' || status as way from results
            where $last and status <> 'skip' and case_name not like '%.fl4_1.%' order by 1)")" 'GATHER unsupported,GATHER_ELEMENTS pass,GATHER_ELEMENTS unsupported' \
            '  and has one operator'
        env -u ASSAY_BRIDGE_IN "$numpy" >"$TMPDIR/out" 2>&1
        is "$? $(cat "$TMPDIR/out")" "1 ASSAY_BRIDGE_IN is not set: assay's bridge starts this program, as in \`assay run -d bridge:PROGRAM\`" \
            'a peer that is started by hand says what starts it'
    fi
else
    ok 0 'numpy # SKIP python3-numpy is not installed'
fi

# ---- the arguments

if in_shard; then
    fails 6 'bridge:COMMAND' run -d bridge "$one"
    fails 6 'bridge:COMMAND' run -d 'bridge: ' "$one"
    fails 6 'bridge:COMMAND' run -d bridge:timeout=5, "$one"
    fails 6 'timeout needs a number of seconds.*not "0"' run -d bridge:timeout=0,true "$one"
    fails 6 'timeout needs a number of seconds.*not "1s"' run -d bridge:timeout=1s,true "$one"
    fails 6 'exit status 127; it printed: .*no-such-command' run -d bridge:no-such-command "$one"
    fails 6 'exit status 0' run -d bridge:true "$one"
    fails 6 'does not speak the protocol.*"a,b:c"' run -d "bridge:sh -c 'head -c 16 <&\$ASSAY_BRIDGE_IN >/dev/null; printf a,b:c >&\$ASSAY_BRIDGE_OUT'" "$one"
    fails 6 'does not speak the protocol.*"timeout=1,d"' run \
        -d "bridge:timeout=9,sh -c 'head -c 16 <&\$ASSAY_BRIDGE_IN >/dev/null; printf timeout=1,d >&\$ASSAY_BRIDGE_OUT'" "$one"
fi

# ---- peers that fail in hello: there is no device

if in_shard; then
    for point in 'exits|ended with exit status 3; it printed: that was too much for me' 'crashes|was killed by SIGSEGV' \
        'exits-midway|ended with exit status 0' 'closes|closed ASSAY_BRIDGE_OUT' 'stalls|stalled: in 3 s.*; version 2 of the protocol has requests in ASSAY_BRIDGE_IN' \
        'stalls-midway|stalled: in 3 s' 'rubbish|begins with "Traceback: hello", not "ASB2"' 'rubbish-short|begins with "hi"' \
        'other-version|speaks version 1 of the protocol, the bridge version 2' 'no-json|not a JSON object: .*oops' 'no-object|not a JSON object: another value' \
        'zero-json|not a JSON object' 'huge-json|announces 4294967295 bytes of JSON' 'huge-data|announces 4611686018427387904' \
        'too-much|bytes without a request: "more"' 'own-type|"FLOAT33" is not a data type' 'own-level|"best" is not a feature' \
        'no-such-level|0x9900, which is not a feature level' 'own-operator|"GATHR" is not an operator' 'own-tensor|GATHER has no tensor "Indices"' \
        'own-tensor-type|InputTensor: "FLOAT33" is not a data type' 'own-rank|GATHER: max_rank must be from 1 to 8' \
        'own-limit|GATHER: .*min_rank' 'list-of-operators|operators is not an object' 'no-operators|operators' 'own-key|max_bacth' 'no-name|name' 'no-batch|max_batch 1 or more' \
        'gives-up|the peer says: the card fell off'; do
        fails 6 "${point#*|}" run -d "bridge:timeout=$(limit "$point"),$peer hello ${point%%|*}" "$one"
    done
fi

# ---- the reproduce line quotes the command for a shell

if in_shard; then
    "$ASSAY" run -d "bridge:sh -c 'exec $peer dispatch fails'" --db "$db" "$one" >"$TMPDIR/out" 2>&1
    sh -c "$(sqlite3 "$db" "select reproduce from results where $last")" >"$TMPDIR/again" 2>&1
    is $? 1 'the reproduce line of a failure is quoted correctly'
    like "$(cat "$TMPDIR/again")" 'dispatch returned E_FAIL: not today' '  and reproduces the failure'
fi

# ---- peers that fail in compile

if in_shard; then
    ends unsupported 'CompileOperator returned DXGI_ERROR_UNSUPPORTED: no such kernel' "bridge:$peer compile refuses"
    ends device_lost 'ended with exit status 3' "bridge:$peer compile exits"
    ends device_lost 'announces 4611686018427387904 bytes of data' "bridge:$peer compile huge-data"
    ends device_lost 'without a request: "more"' "bridge:$peer compile too-much"
    ends device_lost 'stalled' "bridge:timeout=3,$peer compile stalls"
fi

# ---- peers that fail in dispatch

if in_shard; then
    for point in 'exits|ended with exit status 3; it printed: that was too much for me' 'crashes|was killed by SIGSEGV' \
        'exits-midway|ended with exit status 0' 'closes|closed ASSAY_BRIDGE_OUT' 'stalls|stalled: in 3 s' \
        'stalls-midway|stalled: in 3 s' 'rubbish|begins with "Traceback: hello", not "ASB2"' 'rubbish-short|begins with "hi"' \
        'no-json|not a JSON object: .*oops' 'huge-json|announces 4294967295 bytes of JSON' \
        'huge-data|announces 4611686018427387904 bytes of outputs' 'too-much|without a request: "more"' \
        'one-byte-more|announces [0-9]+ bytes of outputs, expected' 'one-byte-less|announces [0-9]+ bytes of outputs, expected' \
        'no-results|0 results for 1 items' 'no-list|0 results for 1 items' 'two-results|2 results for 1 item' 'own-status|"S_FINE" is not a status' \
        'no-status|status' 'own-member|colour' 'before-time|device_ns is negative' 'gives-up|the card fell off'; do
        ends device_lost "dispatch: the device is lost: .*${point#*|}" "bridge:timeout=$(limit "$point"),$peer dispatch ${point%%|*}"
    done
    ends fail 'dispatch returned E_FAIL: not today' "bridge:$peer dispatch fails"
    ends unsupported 'dispatch returned DXGI_ERROR_UNSUPPORTED: not here' "bridge:$peer dispatch lacks"
    ends fail 'elements of OutputTensor were never written' "bridge:$peer dispatch writes-nothing"
fi

# ---- items that fail together: each has its own message

if in_shard; then
    "$ASSAY" run -d "bridge:$peer dispatch own-words" --db "$db" --level 2_1 gather.memory gather_nd.memory scatter_nd.memory \
        scatter_nd.types >"$TMPDIR/out" 2>&1
    is "$(sqlite3 "$db" "select count(*) > 10 and count(distinct operator) = 3 from results where $last and status = 'fail'")" 1 \
        'items of several operators fail'
    is "$(sqlite3 "$db" "select count(*) from results where $last and status = 'fail'
        and message <> 'dispatch returned E_FAIL: no ' || operator")" 0 '  each message is about its own item'
fi

# ---- operators that the peer lacks by its own account are unsupported, and pass no case

if in_shard; then
    "$ASSAY" run -d "bridge:$peer dispatch few" --db "$db" gather_elements gather.violations scatter_nd.violations \
        scatter_nd.examples >"$TMPDIR/out" 2>&1
    is "$(sqlite3 "$db" "select group_concat(distinct status) from results where $last and operator = 'SCATTER_ND'
        and status <> 'skip'")" unsupported 'an operator that the peer lacks passes no case'
    is "$(sqlite3 "$db" "select group_concat(distinct message) from results where $last and operator = 'SCATTER_ND'
        and status = 'unsupported'")" 'the device says that it does not implement SCATTER_ND' \
        '  and the message says so'
    is "$(sqlite3 "$db" "select count(*) > 10 from results where $last and operator = 'GATHER' and status = 'pass'")" 1 \
        '  one that it has is validated'
    is "$(sqlite3 "$db" "select sum(compared) || ' ' || max(shared_validation) from results join runs using (run_id)
        where $last and status = 'pass'")" '0 1' '  which is no pass of its outputs'
    like "$("$ASSAY" run -d "bridge:$peer dispatch few" --format json gather.violations | tail -n 2)" '"compared":0,' \
        '  in JSON, too'
    is "$(sqlite3 "$db" "select count(*) from results where $last and status = 'fail' and data_types not like '%-int32'
        and operator = 'GATHER_ELEMENTS'")" 0 \
        '  data types by tensor'
    like "$(sqlite3 "$db" "select group_concat(distinct message) from results where $last and status = 'unsupported'")" \
        'does not support IndicesTensor of UINT32.*|supports up to 3 dimensions, not 4' '  with a message'
    is "$(sqlite3 "$db" "select count(*) > 0 from results where $last and message like '%: the peer supports up to 3 dimensions, not 4'")" \
        1 '  and a limit of the rank'
fi

# ---- the output of libraries disturbs nothing

if in_shard; then
    ends fail 'dispatch returned E_FAIL: called' "bridge:$peer dispatch prints"
    fails 6 'ended with exit status 3; it printed: .*no card.*that was too much for me' run \
        -d "bridge:sh -c 'echo no card; exec $peer hello exits'" "$one"
    fails 6 'exit status 0; it printed: 0 \(stdin\)' run -d "bridge:sh -c 'wc -c <&0 >&2; echo \"(stdin)\"'" "$one"
fi

# ---- peers that fail in one case of a batch: the other cases keep their results

if in_shard; then
    "$ASSAY" run -d "bridge:$peer dispatch exits-on-scatter-nd" --db "$db" --level 2_1 scatter_nd.memory gather_nd.memory \
        gather.memory scatter_nd.types >"$TMPDIR/out" 2>&1
    is "$(sqlite3 "$db" "select group_concat(distinct operator || ' ' || status) from results where $last
        and status not in ('pass', 'skip', 'unsupported')")" 'SCATTER_ND device_lost' 'a peer that dies of one operator loses only its cases'
    is "$(sqlite3 "$db" "select count(*) > 5 from results where $last and status = 'device_lost'")" 1 '  all its cases'
    is "$(sqlite3 "$db" "select count(*) from results where $last and status = 'device_lost'
        and message not like 'dispatch: the device is lost: the peer ended with exit status 1;%'")" 0 '  each with its own death'
    is "$(sqlite3 "$db" "select count(*) > 5 from results where $last and operator = 'GATHER_ND' and status = 'unsupported'")" \
        1 '  and no others'
fi

# ---- a request that exceeds a pipe's buffer, read and not read

if in_shard; then
    one=gather.large.past-128-mib-InputTensor-1-any.fl4_1.float32-int32.d8a6i3
    ends device_lost 'stalled: in 3 s it did not take a byte' "bridge:timeout=3,$peer data -" --tier large --timeout 60
    if [ -e /usr/lib/python3/dist-packages/numpy ]; then
        "$ASSAY" run -d "bridge:$numpy" --tier large --timeout 60 "$one" >"$TMPDIR/out" 2>&1
        is $? 0 'numpy reads it'
    fi
fi

# ---- no process is left: neither a peer that stalls beyond the case's time limit, nor one that ignores the end of its
# input

if in_shard; then
    one=gather_elements.examples
    "$ASSAY" run -d "bridge:$peer dispatch stalls" --timeout 1 --db "$db" "$one" >"$TMPDIR/out" 2>&1
    is "$(sqlite3 "$db" "select group_concat(distinct status) from results where $last and status != 'pass'")" timeout \
        'the time limit of the case is reached first'
    "$ASSAY" run -d "bridge:$peer dispatch stays" --db "$db" "$one" >"$TMPDIR/out" 2>&1
    is "$(sqlite3 "$db" "select group_concat(distinct status) from results where $last and status != 'pass'")" fail 'a peer that ignores the end of its input'
fi
is "$(left)" '' 'no process is left'
ASSAY_BRIDGE_IN=0 ASSAY_BRIDGE_OUT=1 "$peer" dispatch stays </dev/null &
for _ in {1..50}; do [ -z "$(left)" ] && sleep 0.1; done # until it has exec'ed
like "$(left)" "(^| )$!\$" '  (the check would see one)'
kill $!
tap_done
