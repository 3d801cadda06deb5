#!/bin/bash
# What a killed run leaves behind is removed by a later one, and nothing else is.
. tools/tap.sh
export HOME=$TMPDIR/home XDG_CACHE_HOME=$TMPDIR/home/.cache
mkdir -p "$HOME"
scratch() { find "$TMPDIR" -maxdepth 1 -name 'assay-run-??????' | wc -l; }
hang() { # starts a run that hangs, and waits until its worker has a scratch folder, $live
    touch "$TMPDIR/start" && sleep 0.1
    "$ASSAY" run -d mutants:fault=hang gather_nd.examples --timeout 300 >/dev/null 2>&1 &
    running=$!
    live=
    until [ -n "$live" ]; do
        sleep 0.2
        live=$(find "$TMPDIR" -maxdepth 1 -name 'assay-run-??????' -newer "$TMPDIR/start")
    done
}
run() { "$ASSAY" run -d reference gather_nd.examples >/dev/null; }

hang
kill -9 $running
wait $running 2>/dev/null
is "$(scratch)" 1 'a killed run leaves its scratch folder'
killed=$live
mkdir -p "$killed/sub/sub" && echo x >"$killed/sub/file"
run
is "$(scratch)" 1 'a folder that is new is left alone: its owner may not have locked it yet'
touch -d '5 minutes ago' "$killed"
hang
is "$(scratch) $([ -e "$killed" ] || echo gone)" '1 gone' 'the next run removes it, with what is in it'
touch -d '5 minutes ago' "$live"
mkdir "$TMPDIR/assay-run-abcdefg" "$TMPDIR/assay-run-ab.def" && ln -s "$HOME" "$TMPDIR/assay-run-abcdef"
touch -d '5 minutes ago' "$TMPDIR"/assay-run-*
echo kept >"$HOME/kept"
run
ok $? 'a run'
[ -d "$live" ]
ok $? '  leaves the folder of a live run alone, however old'
is "$(cat "$HOME/kept") $(find "$TMPDIR" -maxdepth 1 -name 'assay-run-ab*' | wc -l)" 'kept 3' \
    '  and a text that only looks like one'
kill $running
wait $running
is "$([ -e "$live" ] || echo gone)" gone 'a run that ends removes its own'

# Caches of others, and links, are left alone: what a device leaves in its cache must not go anywhere else.
cache=$XDG_CACHE_HOME/assay
keeping="bridge:sh -c 'echo x >\$XDG_CACHE_HOME/kept'"
keep() { "$ASSAY" run -d "$keeping" gather_nd.examples >/dev/null 2>"$TMPDIR/err"; }
keep
own=$(dirname "$(find "$cache" -name kept)")
mkdir "$TMPDIR/elsewhere"
refused() { # NAME: the next run leaves nothing there, and says why
    keep
    is "$(find "$TMPDIR/elsewhere" "$own/" -name kept 2>/dev/null)" '' "$1"
    is "$(grep -c "^assay: devices have no cache: $cache.* is a link, or others" "$TMPDIR/err")" 1 '  and assay says so'
}
rm -r "$own"
ln -s "$TMPDIR/elsewhere" "$own"
refused 'a cache that is a link'
rm "$own"
mkdir -m 777 "$own"
refused 'a cache that others can write'
rm -r "$cache"
mkdir "$TMPDIR/elsewhere/0123456789abcdef"
touch -d '40 days ago' "$TMPDIR/elsewhere/0123456789abcdef"
ln -s "$TMPDIR/elsewhere" "$cache"
refused 'a folder of caches that is a link'
is "$(ls "$TMPDIR/elsewhere")" 0123456789abcdef '  and nothing old is removed there'
rm "$cache"

# Caches.
mkdir -p "$cache/0123456789abcdef" "$cache/fedcba9876543210" "$cache/mine"
echo x >"$cache/0123456789abcdef/shader"
touch -d '40 days ago' "$cache/0123456789abcdef" "$cache/mine"
touch -d '20 days ago' "$cache/fedcba9876543210"
run
is "$([ -e "$cache/0123456789abcdef" ] || echo gone)" gone 'a cache that was not used for a month is removed'
is "$(find "$cache" -mindepth 1 -maxdepth 1 \( -name fedcba9876543210 -o -name mine \) | wc -l)" 2 '  others are not'
is "$(find "$cache" -mindepth 1 -maxdepth 1 | wc -l)" 2 '  and a device that keeps nothing leaves no folder'
hang
used=$(find "$cache" -mindepth 1 -maxdepth 1 ! -name fedcba9876543210 ! -name mine)
touch "$used/shader" && kill $running
wait $running
touch -d '40 days ago' "$used"
hang
is "$(find "$used" -maxdepth 0 -mtime -1 | wc -l)" 1 'a cache that is used again is new' # it was made anew, or kept
kill $running
wait $running

tap_done
