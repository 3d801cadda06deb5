#!/bin/bash
# --half: devices are told that they may compute FLOAT32 in FLOAT16, arithmetic is judged by what FLOAT16 allows, and
# everything else as without the option. Such a run never stands in for one without it.
. tools/tap.sh
ASSAY=$(realpath "$ASSAY")
ASSAY_DEVICES=$(realpath "$ASSAY_DEVICES")
peer=$PWD/device/bridge
cd "$TMPDIR" || exit 1
sums=(element_wise_add.types element_wise_exp.types element_wise_pow.types element_wise_recip.types \
    element_wise_cos.types)
copies=(gather.types element_wise_identity.types element_wise_negate.types cast.types element_wise_logical_equals.types)
halved=mutants:fault=computed-half

# judged STATUS OPTION…: the exit status of a run of some cases with these options.
judged() {
    local status=$1
    shift
    # One failure is enough.
    "$ASSAY" run --no-expect --search 0 --max-fail 1 "$@" >out 2>err
    is $? "$status" "assay run $*: $status"
}
sql() { sqlite3 "$1" "$2"; }

# ---- what is judged

judged 1 -d "$halved" "${sums[@]}"
judged 0 -d "$halved" "${sums[@]}" --half
for some in "${sums[@]}"; do
    judged 1 -d "$halved" "$some"
done
judged 0 -d "$halved,half" "${sums[@]}"
judged 0 -d "$halved,half" "${sums[@]}" --half
judged 0 -d mutants:fault=at-bound,half "${sums[@]}" --half
judged 0 -d mutants:fault=at-bound "${sums[@]}" --half
judged 1 -d mutants:fault=beyond-bound "${sums[@]}" --half
judged 0 -d mutants:fault=beyond-bound,half "${sums[@]}"
judged 0 -d reference "${sums[@]}" "${copies[@]}" --half
judged 0 -d mutants "${copies[@]}" --half
judged 1 -d mutants:fault=first-of-four "${sums[@]}"
judged 1 -d mutants:fault=first-of-four "${sums[@]}" --half
for some in "${copies[@]:2:2}"; do
    judged 1 -d mutants:fault=result-half "$some"
    judged 1 -d mutants:fault=result-half "$some" --half
done
judged 1 -d mutants:fault=float32-half gather.types --half

# ---- errors are measured in FLOAT16

"$ASSAY" run -d "$halved" --half --search 0 --db half.db element_wise_recip.types >out 2>err
is "$(sql half.db 'select half, partial, purpose from runs')" '1|1|conformance' 'the run has its mode'
is "$(sql half.db "select max(error_share) between 0.01 and 1.001, max(error_ulps) between 0.1 and 100 from results
    where data_types = 'float32'")" '1|1' '  and errors in ULP of FLOAT16, and as a share of its bound'
like "$(cat out)" 'with --half' '  and the output says so'

# ---- it is not the state of a device

one=$("$ASSAY" list element_wise_exp.types | grep float32 | head -1)
"$ASSAY" run -d "$halved" --db state.db "$one" >out 2>err
is $? 1 'a case fails'
"$ASSAY" run -d "$halved" --db state.db --half "$one" >out 2>err
is $? 0 '  and passes with --half'
is "$(sql state.db 'select status from current_results')" fail '  but fails in the current state'
is "$(sql state.db 'select count(*), min(half) from conformance_runs')" '1|0' '  since the run does not count there'
"$ASSAY" run -d "$halved" --db state.db --rerun-failed >out 2>err
is $? 1 'so --rerun-failed runs it again'
"$ASSAY" run -d "$halved" --db state.db --rerun-failed --half >out 2>err
is "$? $(sql state.db 'select status from current_results')" '0 fail' '  also with --half, which mends nothing'
"$ASSAY" compare state.db#1 state.db#2 >out
is "$? $(grep -c 'with --half' out)" '0 1' 'compare says which run was made with it'
is "$("$ASSAY" compare state.db#1 state.db#2 --json | jq -c '[.before.half, .after.half]')" '[false,true]' \
    '  also in JSON'
"$ASSAY" compare state.db >out
is "$? $(grep -c 'with --half' out)" '0 0' '  and by default leaves it out'
like "$("$ASSAY" status state.db)" 'with --half' 'status says it, too'
"$ASSAY" run -d "$halved" --db only.db --half "$one" >out 2>err
fails 4 'has no run.* that tests conformance' compare only.db
"$ASSAY" run -d reference --half --search 0 --format json=lines "$one" >out 2>err
is "$(jq -c 'select(.type == "run") | .half' lines)" true 'JSON lines have it'
"$ASSAY" run -d reference --half --search 0 --format junit=xml --format tap=tap "$one" >out 2>err
is "$(grep -c 'property name="half" value="yes"' xml) $(grep -c '^# half: yes' tap)" '1 1' 'so have JUnit and TAP'

# ---- the mode is kept

"$ASSAY" run -d mutants:fault=first-of-four --half --search 0 "$one" >out 2>err
line=$(sed -n 's/^  reproduce  //p' out | head -1)
like "$line" ' --half$' 'the line that reproduces a failure has the option'
"$ASSAY" repro "$one" -d "$halved" >out 2>err
is $? 1 'repro fails without it'
"$ASSAY" repro "$one" -d "$halved" --half >out 2>err
is $? 0 '  and passes with it'
"$ASSAY" run -d "$halved" --half --search 0 --shard 1/2 --db one.db element_wise_exp.types >out 2>err
"$ASSAY" run -d "$halved" --half --search 0 --shard 2/2 --db two.db element_wise_exp.types >out 2>err
"$ASSAY" run -d "$halved" --search 0 --shard 2/2 --db normal.db element_wise_exp.types >out 2>err
"$ASSAY" merge merged.db one.db two.db >out 2>err
is "$? $(sql merged.db 'select half, shards from runs')" '0 1|1' 'shards are merged to a run of the same mode'
fails 2 'different precision' merge mixed.db one.db normal.db
"$ASSAY" run -d "$halved" --half --search 0 --db part.db "${sums[@]}" >out 2>err
sqlite3 part.db "delete from detail; delete from result where case_id % 2; update run set state = 'incomplete'"
"$ASSAY" run -d "$halved" --search 0 --db whole.db --max-fail 1 "${sums[@]}" >out 2>err
fails 2 "--half: the run that --resume goes on with has 'no', not 'yes'" run --resume --db whole.db --half
"$ASSAY" run --resume --db part.db >out 2>err
is "$? $(sql part.db "select group_concat(distinct half), sum(failed) from runs join results using (run_id)")" '0 1|0' \
    'a run is resumed in its mode'

# ---- other ways to a device

"$ASSAY" repro "$one" --export dxdispatch folder --half
is "$(jq -c '[.dispatchables[].executionFlags]' folder/model.json)" \
    '[["DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION"]]' 'an exported model has the flag'
(cd folder && "$ASSAY" dispatch model.json -d "$halved,half" >dxdispatch.txt 2>&1)
"$ASSAY" verify folder >out 2>err
is $? 1 '  the recorded outputs fail without --half, since dispatch has passed the flag on'
"$ASSAY" verify folder --half >out 2>err
is $? 0 '  and passes with it'
fails 2 'only the export dxdispatch' repro "$one" --export c --half
if [ -e /usr/lib/python3/dist-packages/numpy ]; then
    cat >peer.py <<EOF
#!/usr/bin/python3
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, "$peer")
import assay_peer, numpy as np

def run(item):
    half = item.flags == ["ALLOW_HALF_PRECISION_COMPUTATION"]
    a, b, y = (np.frombuffer(t.data, np.float32).reshape(t.sizes) for t in item.tensors)
    y[...] = (a.astype(np.float16) + b.astype(np.float16)) if half else a + b

assay_peer.serve({"name": "half", "data_types": ["FLOAT32"], "operators": {"ELEMENT_WISE_ADD": {}}}, run)
EOF
    chmod +x peer.py
    judged 0 -d "bridge:./peer.py" element_wise_add.types element_wise_add.examples
    like "$(cat out)" '[0-9] pass' '  on a peer'
    judged 0 -d "bridge:./peer.py" element_wise_add.types --half
    sed -i 's/half = .*/half = item.flags == []/' peer.py
    judged 1 -d "bridge:./peer.py" element_wise_add.types
    judged 0 -d "bridge:./peer.py" element_wise_add.types --half
fi
tap_done
