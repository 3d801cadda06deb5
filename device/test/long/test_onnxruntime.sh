#!/bin/bash
# The whole suite on ONNX Runtime, of two versions and with two threads: the deviations are those that `expected` lists.
# The messages when the library is missing or is another; and that no file is left in the home folder.
. tools/tap.sh
device=${1:-}
if [ ! -e "$device" ]; then
    echo '1..0 # SKIP ONNX Runtime is not here: make onnxruntime'
    exit 0
fi
unset CI # with CI set, there is no telemetry anyway
export HOME=$TMPDIR/home XDG_CACHE_HOME=
mkdir "$HOME"
db=$TMPDIR/onnxruntime.db

[ -e "${device%.so}.expected" ]
deviates=$? # exit status 0: the file beside the device expects all deviations

# suite DEVICE NAME: the whole suite, a section. It does not search, which would find again what `expected` says: a file
# of expectations is about cases.
suite() {
    in_shard || return 0
    "$ASSAY" run -d "$1" --search 0 --db "$db" >"$TMPDIR/out" 2>&1
    is $? $deviates "the suite ends as expected $2"
    grep '^  message' "$TMPDIR/out" | sort | uniq -c | head -5 | sed 's/^/# /'
    run="run_id = (select max(run_id) from runs)"
    is "$(sqlite3 "$db" "select count(*) from results where $run")" "$("$ASSAY" list --count)" '  every case has its row'
    indexed="operator in ('GATHER', 'GATHER_ELEMENTS', 'GATHER_ND', 'GATHER_ND1', 'SCATTER_ELEMENTS', 'SCATTER_ND',
        'NONZERO_COORDINATES')"
    is "$(sqlite3 "$db" "select group_concat(distinct status || ' ' || rule) from results where $run and $indexed
        and status not in ('pass', 'unsupported', 'skip')")" 'fail out-of-range' \
        '  operators with indices: but for indices out of range all passes'
    is "$(sqlite3 "$db" "select count(*) from results where $run and $indexed and status = 'fail'
        and message not like '%dispatch returned E_FAIL: ONNX Runtime: %'")" 0 '  which it says itself'
    is "$(sqlite3 "$db" "select group_concat(distinct operator) from results where $run and $indexed
        and status = 'unsupported'")" NONZERO_COORDINATES '  only NonZero lacks types'
    is "$(sqlite3 "$db" "select count(*) from results where $run and status = 'unsupported'
        and message not like '%ONNX Runtime: Could not find an implementation for %'
        and message not like '%ONNX Runtime: Failed to find kernel for %'
        and message not like '%ONNX Runtime: This is an invalid model. Type Error: %'
        and message not like '%DXGI_ERROR_UNSUPPORTED: ONNX%'
        and message not like 'the device says that it does not implement %'")" 0 \
        '  what is unsupported is said in ONNX Runtime'"'"'s own words, or is what ONNX lacks'
    is "$(sqlite3 "$db" "select group_concat(operator) from (select operator from results where $run group by operator
        having sum(status = 'pass' and expected like '%outputs%') = 0 and max(message) not like 'the device says%')")" '' \
        '  every operator has run'
}

devices=(onnxruntime onnxruntime:threads=2)
suite onnxruntime 'with one thread'
suite onnxruntime:threads=2 'with two threads'
other=build/onnxruntime/lib/other/libonnxruntime.so
if [ -e "$other" ]; then
    devices+=("onnxruntime:library=$other")
    suite "onnxruntime:library=$other" 'with another version of the library'
fi

if in_shard; then
    for name in "${devices[@]}"; do
        "$ASSAY" run -d "$name" --db "$TMPDIR/names.db" gather.examples >"$TMPDIR/out" 2>&1
    done
    is "$(sqlite3 "$TMPDIR/names.db" 'select count(distinct device_driver) from runs')" ${#devices[@]} \
        'the runs say which version it was, and how many threads'
fi

if in_shard; then
    one=gather.examples
    fails 6 'needs a number from 1' run -d onnxruntime:threads=0 $one
    fails 6 'needs a number from 1' run -d onnxruntime:threads=two $one
    fails 6 'cannot be loaded.*/nowhere.so' run -d onnxruntime:library=/nowhere.so $one
    fails 6 'no OrtGetApiBase' run -d "onnxruntime:library=$(dirname "$device")/reference.so" $one
    fails 6 'unknown option "level"' run -d onnxruntime:level=3_0 $one

    # Without its library the device is missing, and its message says so.
    cp "$device" "$TMPDIR/alone.so"
    fails 6 'cannot be loaded: libonnxruntime.so.1' run -d "$TMPDIR/alone.so" $one
fi

[ "$tap_count" = 0 ] || is "$(find "$HOME" -mindepth 1)" \
    '' 'nothing is left in the home folder: there is no telemetry'
tap_done
