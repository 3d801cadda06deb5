#!/bin/bash
# device/dml.h is what tools/dmlgen.lua generates.
tables=../shared/docs/tables
echo 1..1
if [ ! -d "$tables" ]; then
    echo "ok 1 # SKIP the documents' tables are not available"
elif lua5.4 tools/dmlgen.lua "$tables" | diff device/dml.h - | sed 's/^/# /' && [ "${PIPESTATUS[*]}" = "0 0 0" ]; then
    echo "ok 1 - device/dml.h agrees with the documents' tables"
else
    echo "not ok 1 - device/dml.h agrees with the documents' tables"
fi
