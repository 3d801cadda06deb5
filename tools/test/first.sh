#!/bin/bash
# tools/first: the page is there after the first device, and after an interruption.
. tools/tap.sh
cat >"$TMPDIR/assay" <<'A'
#!/bin/sh
echo "$*" >>"$0.calls"
[ "$1 $3" != "run $STOP" ] || { kill -INT "$PPID"; exit 5; }
[ "$1 $3" != "run $FAIL" ] || exit 1
A
chmod +x "$TMPDIR/assay"
first() { rm -f "$TMPDIR/assay.calls"; STOP=${1:-} FAIL=${2:-} tools/first "$TMPDIR/assay" r.db >"$TMPDIR/out"; }
first; is "$? $(cut -d' ' -f1 "$TMPDIR/assay.calls" | xargs)" '0 run report run report' 'each device has its page'
is "$(sed -n 2p "$TMPDIR/assay.calls")" 'report r.db --html r.html' '  beside the database'
first '' reference; is "$? $(wc -l <"$TMPDIR/assay.calls")" '1 4' 'after failures the other device runs'
first reference; is "$? $(wc -l <"$TMPDIR/assay.calls")" '5 2' 'Ctrl-C ends it with 5, after the page'
is "$(tail -n 1 "$TMPDIR/out")" 'The page is partial: r.html' '  which it calls partial'
tap_done
