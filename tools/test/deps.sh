#!/bin/bash
# tools/deps with fake dpkg-query, apt-get and sudo.
# shellcheck disable=SC2016,SC2181
count=0
check() { # STATUS NAME
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
check $? "--check prints the missing packages"
stub shellcheck true
deps --check; ! package shellcheck
check $? "a command that no package installed is enough"

stub apt-get "echo \"\$@\" >>$box/apt; echo \"\$DEBIAN_FRONTEND\" >>$box/apt"
deps
[ $? = 0 ] && [ "$(cat "$box/said")" = "installing gcc" ] &&
    [ "$(cat "$box/apt")" = "install -y --no-install-recommends gcc
noninteractive" ]
check $? "it installs only what is missing, without questions"

# Outdated package lists: installing fails before apt-get update and succeeds after it.
stub apt-get "case \$1 in update) touch $box/updated ;; install) [ -e $box/updated ] ;; esac"
deps
check $? "it updates the lists and tries again"
stub apt-get 'echo "E: no network" >&2; exit 100'
deps
[ $? = 1 ] && grep -q '^E: no network' "$box/said" &&
    grep -q '^tools/deps: could not install them. By hand: apt-get install -y --no-install-recommends gcc$' "$box/said"
check $? "a failure is reported, with the command to type"

stub id 'echo 1000'
deps
[ $? = 1 ] && grep -q 'only root may install them' "$box/said" &&
    grep -q '^    apt-get install -y --no-install-recommends gcc$' "$box/said"
check $? "neither root nor sudo: it prints the command"
stub sudo "echo \"\$@\" >$box/sudo"
deps
[ $? = 0 ] && [ "$(cat "$box/sudo")" = "DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends gcc" ]
check $? "it uses sudo if available"

rm "$box/bin/apt-get" "$box/bin/dpkg-query"
deps
[ $? = 1 ] && grep -q '^tools/deps: no apt-get here. Install what Debian calls: gcc make' "$box/said"
check $? "no apt-get: it prints what it needs"
stub dpkg-query 'shift 3; for p; do printf "installed=%s " "$p"; done'
deps
[ $? = 0 ] && [ ! -s "$box/said" ]
check $? "nothing to do: it prints nothing"
deps --list; ! package afl++ && deps --list afl && package afl++ && package gcc
check $? "AFL++ is only listed on request"
deps --list; ! package libsqlite3-dev:arm64 && deps --list arm64 && package libsqlite3-dev:arm64 && package gcc
check $? "the libraries for ARM are only listed on request"
deps --list build; package gcc && package glslang-tools && ! package shellcheck && ! package chromium
check $? "what building needs can be asked for alone"
deps --list run; package gcc && package mesa-vulkan-drivers && ! package chromium && ! package fish
check $? "running needs none of the packages that only tests need"
make -n deps >"$box/said"; grep -qx 'tools/deps run' "$box/said" &&
    make -n check >"$box/said" && grep -qx 'tools/deps' "$box/said"
check $? "make deps installs what running needs, make check what tests need"
# gcc, make, libc6-dev are build-essential, which every package of Debian is built with.
sed -n '/^Build-Depends: /,/^S/ { /^S/d; s/^[^:]*: //; s/,/\n/g; p }' tools/debian/control |
    sed 's/^ *//; s/ (.*//; /^$/d; /^debhelper/d' | sort >"$box/depends"
deps --list build; grep -vx 'gcc\|make\|libc6-dev' "$box/said" | sort | diff - "$box/depends" >"$box/diff"
status=$?; mv "$box/diff" "$box/said"
check $status "the Debian package is built with the same"
deps --nonsense
[ $? = 2 ]
check $? "an unknown option is an error"
echo "1..$count"
