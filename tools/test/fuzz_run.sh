#!/bin/bash
# tools/fuzz/run with fake fuzzers.
# shellcheck disable=SC2016
. tools/tap.sh
box=$TMPDIR/box
mkdir -p "$box"/tools/fuzz/corpus/{good,bad,none} "$box"/build/fuzz
cp tools/fuzz/run "$box/tools/fuzz/"
touch "$box"/tools/fuzz/corpus/{good,bad,none}/seed
fuzzer() { printf '#!/bin/bash\nfor a; do case $a in -artifact_prefix=*) found=${a#*=} ;; -max*) limit=$a ;; /*) ;; build/*) grown=$a ;; esac; done\n%s\n' "$2" >"$box/build/fuzz/fuzz_$1"; chmod +x "$box/build/fuzz/fuzz_$1"; }
fuzzer good 'touch "$grown/1" "$grown/2"; echo "stat::number_of_executed_units: 1234" >&2; [ "$limit" = -max_total_time=7 ]'
fuzzer bad 'touch "${found}crash-1"; echo "stat::number_of_executed_units: 5" >&2; exit 77'
run() { "$box/tools/fuzz/run" "$@" >"$TMPDIR/out" 2>&1; }

run 7 libfuzzer good
is "$? $(cat "$TMPDIR/out")" '0 libfuzzer good: ok, 1234 executions, corpus 1 -> 2' 'a verdict for a target'
run -j 2 7 libfuzzer good bad
is "$? $(grep -c '^libfuzzer bad: FAILED, 1 inputs in build/found/bad-libfuzzer-\*, 5 executions' "$TMPDIR/out")" '1 1' \
    'a finding makes it fail, and is kept'
is "$(grep -c '^libfuzzer good: ok' "$TMPDIR/out")" 1 'other targets go on'
run 7 libfuzzer good
is $? 0 'findings of an earlier run do not make it fail'
run 7
is "$? $(grep -c 'libfuzzer none: DID NOT RUN' "$TMPDIR/out")" '1 1' 'by default it runs all targets that have a corpus'
run 7 libfuzzer none
is $? 3 'a fuzzer that does not run is reported'
run many
is "$? $(grep -c usage: "$TMPDIR/out")" '2 1' 'bad arguments print the usage'
tap_done
