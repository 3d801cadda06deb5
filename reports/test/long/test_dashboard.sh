#!/bin/bash
# All tests of the dashboard in each browser, with every width and scheme, and with 100,000 cases on 10 devices.
. tools/tap.sh
for browser in chromium firefox; do
    in_shard || continue
    bash reports/test/test_dashboard.sh "$browser" whole >"$TMPDIR/out" 2>&1
    status=$?
    if grep '^1\.\.0 # SKIP' "$TMPDIR/out" >"$TMPDIR/skip"; then
        ok 0 "$browser # SKIP $(sed 's/.*SKIP //' "$TMPDIR/skip")"
        continue
    fi
    ok $status "the dashboard in $browser: $(grep -c '^ok' "$TMPDIR/out") points"
    [ $status = 0 ] || sed -n '/^ok/d; s/^/# /p' "$TMPDIR/out"
done
tap_done
