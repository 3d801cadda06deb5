#!/bin/bash
# The guide of device/template with all cases of its operator: then the numbers of failures are those of the guide.
. tools/tap.sh
if in_shard; then
    WHOLE=1
    . device/test/test_template.sh
else
    tap_done
fi
