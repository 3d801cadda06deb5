#!/bin/bash
# make dist: the same bytes from two checkouts, with every file of the commit and what would have to be fetched.
. tools/tap.sh
if ! git rev-parse HEAD >/dev/null 2>&1; then
    echo '1..0 # SKIP no checkout of git'
    exit 0
fi
for copy in one two; do
    git clone -q . "$TMPDIR/$copy/checkout" 2>"$TMPDIR/said" && mkdir -p "$TMPDIR/$copy/checkout/build" &&
        cp -r build/npm "$TMPDIR/$copy/checkout/build/"
    ok $? "a clone of the repository, $copy" || cat "$TMPDIR/said"
done
made() { # COPY: makes the archive there
    (cd "$TMPDIR/$1/checkout" && PATH=$TMPDIR/bin:$PATH make --no-print-directory dist) >"$TMPDIR/said" 2>&1
    ok $? "make dist, $1" || sed 's/^/# /' "$TMPDIR/said"
}
# The best compression of xz takes most of the time, and no assertion needs it: xz gets all options but the level.
mkdir "$TMPDIR/bin"
cat >"$TMPDIR/bin/xz" <<END
#!/bin/bash
echo "\$*" >>"$TMPDIR/xz"
exec $(command -v xz) "\${@/#-6/-0}"
END
chmod +x "$TMPDIR/bin/xz"
version=$(sed -n 's/^VERSION := //p' Makefile)
umask 022
made one
# Another user, another day, another configuration.
umask 077
find "$TMPDIR/two" -exec touch -d 2001-01-01 {} +
git -C "$TMPDIR/two/checkout" config tar.umask 0007
TZ=Asia/Tokyo LC_ALL=C XZ_DEFAULTS=-T4 made two
umask 022
cmp "$TMPDIR"/{one,two}/checkout/build/dist/"assay-$version.tar.xz" >"$TMPDIR/said" 2>&1
ok $? 'both archives have the same bytes' || cat "$TMPDIR/said"
is "$(cat "$TMPDIR/xz")" $'-T1 -6\n-T1 -6' '  of one thread and the usual level'

tar -C "$TMPDIR" -xJf "$TMPDIR/one/checkout/build/dist/assay-$version.tar.xz"
ok $? 'the archive can be unpacked'
unpacked=$TMPDIR/assay-$version
is "$(cd "$unpacked" && find . -type f -not -path './build/*' | sort)" "$(git ls-tree -r --name-only HEAD | sed 's|^|./|' | sort)" \
    '  it has the files of the commit'
is "$(cd "$unpacked" && find build -type f)" "$(echo build/npm/uplot-*.tgz)" '  and what would have to be fetched'
is "$(cd "$unpacked" && make -s -n all 2>&1 | grep -c 'tools/npm')" 0 '  so that building it needs no network'
is "$(sed -n '1s/.*(\(.*\)).*/\1/p' tools/debian/changelog)" "$version" 'the package has the version of the archive'
is "$(sed -n 's/^## //p' CHANGELOG.md | head -n 1)" "$version" '  and so has the changelog'

: >"$(echo "$TMPDIR"/one/checkout/build/npm/uplot-*.tgz)"
(cd "$TMPDIR/one/checkout" && make --no-print-directory dist) >"$TMPDIR/said" 2>&1
is $? 2 'without what could not be fetched there is no archive'
like "$(grep -v '^make\[' "$TMPDIR/said" | head -n 1)" '^make dist: the archive needs build/npm/uplot' '  and a message that says so'
tap_done
