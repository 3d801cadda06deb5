#!/bin/bash
# tools/npm against a stand-in for npm.
. tools/tap.sh
box=$TMPDIR/npm
mkdir -p "$box/bin" "$box/none"
for tool in sh sed mktemp rm mkdir mv timeout grep; do ln -s "$(command -v $tool)" "$box/none/$tool"; done
fetch() { PATH=$box/bin:$PATH tools/npm "$box/to" "$@" 2>&1; }
stub() { printf '#!/bin/sh\n%s\n' "$1" >"$box/bin/npm"; chmod +x "$box/bin/npm"; }

# shellcheck disable=SC2016
stub 'for package; do :; done; echo "$package" | sed "s/^@//; s/\//-/; s/@/-/; s/\$/.tgz/" | while read -r name; do echo "$@" >"$name"; echo "$name"; done'
is "$(fetch one@1.2.3 @scope/two@4)" "fetching one@1.2.3
fetching @scope/two@4" "says what it fetches"
is "$(cd "$box/to" && echo ./*)" "./one-1.2.3.tgz ./scope-two-4.tgz" "  which becomes an archive each"
like "$(cat "$box/to/one-1.2.3.tgz")" '^pack .*--ignore-scripts.* one@1.2.3$' "  nothing of it is run"
stub 'echo "npm error code ENOTFOUND" >&2; echo "npm error more" >&2; exit 1'
is "$(fetch one@1.2.3)" "" "what is there is not fetched again"
text=$(fetch three@1)
is "$?" 1 "exits with 1 when one cannot be had"
is "$text" "fetching three@1
tools/npm: npm could not fetch three@1: npm error code ENOTFOUND" "  and says why in a line"
stub 'exit 1'
like "$(fetch three@1)" "could not fetch three@1: no answer" "  also where npm says nothing"
is "$(PATH=$box/none tools/npm "$box/to" three@1 2>&1)" \
    "tools/npm: npm is missing, three@1 comes from its registry (Debian: apt-get install npm)" "says that npm is missing"
fetch >/dev/null
is "$?" 2 "no package: usage"
is "$(echo "$box"/to/*)" "$box/to/one-1.2.3.tgz $box/to/scope-two-4.tgz" "what failed leaves nothing"
tap_done
