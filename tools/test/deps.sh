#!/bin/bash
# tools/deps against stand-ins for dpkg-query, apt-get and sudo.
# shellcheck disable=SC2016,SC2181
count=0
check() { # STATUS OF WHAT
    count=$((count + 1))
    if [ "$1" = 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; sed 's/^/# /' "$box/said"; fi
}
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
mkdir "$box/bin"
for tool in sh cut tr mktemp rm tail cat grep touch; do ln -s "$(command -v $tool)" "$box/bin/$tool"; done
stub() { printf '#!/bin/sh\n%s\n' "$2" >"$box/bin/$1"; chmod +x "$box/bin/$1"; }
deps() { PATH=$box/bin tools/deps "$@" >"$box/said" 2>&1; }
package() { grep -qx "$1" "$box/said"; }

stub id 'echo 0'
stub dpkg-query 'shift 3; for p; do [ "$p" = gcc ] || [ "$p" = shellcheck ] || printf "installed=%s " "$p"; done'
deps --check
[ $? = 1 ] && package gcc && package shellcheck && [ "$(wc -l <"$box/said")" = 2 ]
check $? "--check prints what is missing"
stub shellcheck true
deps --check; ! package shellcheck
check $? "a command that is there by other means is enough"

stub apt-get "echo \"\$@\" >>$box/apt; echo \"\$DEBIAN_FRONTEND\" >>$box/apt"
deps
[ $? = 0 ] && [ "$(cat "$box/said")" = "installing gcc" ] &&
    [ "$(cat "$box/apt")" = "install -y --no-install-recommends gcc
noninteractive" ]
check $? "installs just what is missing, without questions"

# A machine whose lists are old: the first try fails, the one after update works.
stub apt-get "case \$1 in update) touch $box/updated ;; install) [ -e $box/updated ] ;; esac"
deps
check $? "updates the lists and tries again"
stub apt-get 'echo "E: no network" >&2; exit 100'
deps
[ $? = 1 ] && grep -q '^E: no network' "$box/said" &&
    grep -q '^tools/deps: could not install them. By hand: apt-get install -y --no-install-recommends gcc$' "$box/said"
check $? "says what went wrong and what to type"

stub id 'echo 1000'
deps
[ $? = 1 ] && grep -q 'only root may install them' "$box/said" &&
    grep -q '^    apt-get install -y --no-install-recommends gcc$' "$box/said"
check $? "neither root nor sudo: prints the command"
stub sudo "echo \"\$@\" >$box/sudo"
deps
[ $? = 0 ] && [ "$(cat "$box/sudo")" = "DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends gcc" ]
check $? "uses sudo where there is one"

rm "$box/bin/apt-get" "$box/bin/dpkg-query"
deps
[ $? = 1 ] && grep -q '^tools/deps: no apt-get here. Install what Debian calls: gcc make' "$box/said"
check $? "no apt-get: says what it needs"
stub dpkg-query 'shift 3; for p; do printf "installed=%s " "$p"; done'
deps
[ $? = 0 ] && [ ! -s "$box/said" ]
check $? "nothing to do: nothing said"
deps --list; ! package afl++ && deps --list afl && package afl++ && package gcc
check $? "AFL++ is for those who ask for it"
deps --nonsense
[ $? = 2 ]
check $? "an unknown option is refused"
echo "1..$count"
