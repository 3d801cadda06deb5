#!/bin/bash
# Sequences of calls on all operators as C. test_export_sequence.sh has fewer of them, on few operators.
. tools/tap.sh

if in_shard; then
    exec bash harness/test/test_export_sequence.sh all
fi
tap_done
