#!/bin/bash
# tools/npm with a fake npm.
. tools/tap.sh
box=$TMPDIR/npm
mkdir -p "$box/bin" "$box/none"
for tool in sh sed mktemp rm mkdir mv timeout grep; do ln -s "$(command -v $tool)" "$box/none/$tool"; done
fetch() { PATH=$box/bin:$PATH tools/npm "$box/to" "$@" 2>&1; }
stub() { printf '#!/bin/sh\n%s\n' "$1" >"$box/bin/npm"; chmod +x "$box/bin/npm"; }

# shellcheck disable=SC2016
stub 'for package; do :; done; echo "$package" | sed "s/^@//; s/\//-/; s/@/-/; s/\$/.tgz/" | while read -r name; do echo "$@" >"$name"; echo "$name"; done'
is "$(fetch one@1.2.3 @scope/two@4)" "fetching one@1.2.3
fetching @scope/two@4" "it prints what it fetches"
is "$(cd "$box/to" && echo ./*)" "./one-1.2.3.tgz ./scope-two-4.tgz" "  each package becomes an archive"
like "$(cat "$box/to/one-1.2.3.tgz")" '^pack .*--ignore-scripts.* one@1.2.3$' "  scripts are not run"
stub 'echo "npm error code ENOTFOUND" >&2; echo "npm error more" >&2; exit 1'
is "$(fetch one@1.2.3)" "" "an existing archive is not fetched again"
text=$(fetch three@1)
is "$?" 1 "it exits with 1 if a package cannot be fetched"
is "$text" "fetching three@1
tools/npm: npm could not fetch three@1: npm error code ENOTFOUND" "  with a message of one line"
stub 'exit 1'
like "$(fetch three@1)" "could not fetch three@1: no answer" "  even if npm prints nothing"
is "$(PATH=$box/none tools/npm "$box/to" three@1 2>&1)" \
    "tools/npm: npm is missing, three@1 comes from its registry (Debian: apt-get install npm)" "it reports that npm is missing"
fetch >/dev/null
is "$?" 2 "without a package it prints the usage"
is "$(echo "$box"/to/*)" "$box/to/one-1.2.3.tgz $box/to/scope-two-4.tgz" "a failure leaves no file"
tap_done
