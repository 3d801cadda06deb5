#!/bin/bash
# tools/mutation refuses what it does not know. harness/test/long/test_mutation.sh runs it.
. tools/tap.sh

# refused PATTERN ARGUMENTS…: tools/mutation exits with 2 and prints one line that matches PATTERN.
refused() {
    local pattern=$1 said
    shift
    said=$(tools/mutation "$@" 2>&1)
    is $? 2 "tools/mutation $* exits with 2"
    is "$(wc -l <<<"$said")" 1 '  with one line'
    like "$said" "^tools/mutation: $pattern" "  which says: $pattern"
}
refused '--many: expected --quick, ' --many
refused 'limit=GATHER/\*: no mutant has such arguments' 'limit=GATHER/*'
refused 'fault=nothing: no mutant' --quick 'fault=flip-bit' 'fault=nothing'
refused 'ignore=GATHER/axis-range: no mutant' --classes 'ignore=GATHER/axis-range'
refused '--shard: expected M/N with M from 1 to N, not .3/2.' --shard 3/2
tap_done
