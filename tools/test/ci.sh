#!/bin/bash
# The recipes of tools/ci/, each step as it stands, with few operators: a job passes with the template's device, whose
# failures are known, and fails with failures that are not known; both leave the page and the other artifacts. The steps
# that install packages are replaced here; `make check-bare` runs them.
. tools/tap.sh
few_operators

# An installed assay, with few operators and one device, is in the recipes' cache. It is small, since each job of a recipe
# copies or packs it.
prefix=$TMPDIR/assay
make --no-print-directory install PREFIX="$prefix" VARIANT="${VARIANT:-release}" >"$TMPDIR/install" 2>&1
ok $? 'make install' || cat "$TMPDIR/install"
rm -r "$prefix/share/assay/specs" "$prefix/share/assay/cases"
cp -r "$few/specs" "$few/cases" "$prefix/share/assay/"
cp "$few"/build/{plan,compiled-specs} "$prefix/share/assay/"
find "$prefix/lib/assay/devices" -type f -not -name reference.so -delete
strip "$prefix/bin/assay" "$prefix/lib/assay/devices/reference.so"
mkdir "$TMPDIR/bin"
printf '#!/bin/sh\necho "apt-get $*"\n' >"$TMPDIR/bin/apt-get"
chmod +x "$TMPDIR/bin/apt-get"
export PATH=$TMPDIR/bin:$PATH

mkdir "$TMPDIR/driver"
cp device/template/mydevice.c "$TMPDIR/driver/"
cc -shared -fPIC -fvisibility=hidden -Idevice device/template/mydevice.c -o "$TMPDIR/mydevice.so"
cases='gather_elements.examples gather_elements.indices gather_elements.types'
# shellcheck disable=SC2086 # words on purpose
"$prefix/bin/assay" run -d "$TMPDIR/mydevice.so" $cases --db "$TMPDIR/first.db" >"$TMPDIR/first" 2>&1
is $? 1 "the template's device fails some cases"
"$prefix/bin/assay" expect update "$TMPDIR/driver/known.txt" --db "$TMPDIR/first.db" >"$TMPDIR/update" 2>&1
ok $? '  which an expectation file can list'

# play RECIPE FOLDER [REVISION NUMBER]: plays a recipe, as pipeline NUMBER; leaves its output in FOLDER.steps.
play() {
    local name
    for name in debian12-9.8 debian12-archive; do
        [ -e "$2/cache/assay-$name" ] && continue
        mkdir -p "$2/cache/assay-$name"
        cp -rl "$prefix" "$2/cache/assay-$name/"
    done
    tools/ci/play "tools/ci/$1.yml" "$TMPDIR/driver" "$2" "CASES=$cases" ASSAY_ARCHIVE=archive ASSAY_VERSION=9.8 \
        "GITHUB_SHA=${3:-}" "CI_COMMIT_SHA=${3:-}" "GITHUB_RUN_ID=${4:-1}" >"$2.steps" 2>"$2.said"
}

# The libraries that the program links, by the names of Debian's packages; a bare image has libc6.
linked=$(readelf -d "$ASSAY" | sed -n 's|.*(NEEDED).*\[\(.*\)\]|*/\1|p' | xargs -d '\n' dpkg -S |
    sed '/^libc6/d; s/:.*//' | sort -u)
# installing FILE: the commands of a recipe that install any of these libraries, a line each.
installing() { sed -e ':a' -e '/\\$/N; s/ *\\\n */ /; ta' "tools/ci/$1" | grep -Fw "$linked"; }
for file in Dockerfile github.yml gitlab.yml; do
    like "$(installing $file)" lib "$file: it installs libraries"
    while IFS= read -r line; do
        is "$(tr ' ' '\n' <<<"$line" | grep -Fx "$linked" | sort)" "$linked" '  all that the program links'
    done < <(installing $file)
done

for recipe in github gitlab; do
    folder=$TMPDIR/$recipe
    play $recipe "$folder" one 1
    is $? 0 "$recipe: passes" || sed 's/^/# /' "$folder.said"
    is "$(grep -vc ': 0$' "$folder.steps")" 0 '  every step'
    is "$(grep -c '^run-[123]: ' "$folder.steps")" "$(case $recipe in github) echo 6 ;; *) echo 3 ;; esac)" \
        '  in three shards'
    is "$(grep -c 'Build assay' "$folder.steps")" 0 '  with assay from the cache'
    kept=$folder/artifacts/conformance
    [ $recipe = gitlab ] && kept=$folder/artifacts/report
    for file in results.db results.html junit.xml; do
        [ -s "$kept/$file" ]
        ok $? "  keeps $file"
    done
    # shellcheck disable=SC2086 # words on purpose
    is "$(sqlite3 "$kept/results.db" 'select count(*) from results where run_id = (select max(run_id) from runs)')" \
        "$("$ASSAY" list $cases | wc -l)" '  with every case'
    xmllint --noout "$kept/junit.xml"
    ok $? '  and a JUnit file that is XML'
    more=
    [ $recipe = gitlab ] && more='codequality.json '
    is "$(cd "$kept" && echo *)" "${more}junit.xml results.db results.html" '  and nothing else'
done
is "$(head -n 1 "$TMPDIR/github/summary/.summary")" '# assay report' 'github: the summary of the job is the report'

# From the second revision on one failure is not known. The third finds the history, or one that is damaged.
sed -i '$d' "$TMPDIR/driver/known.txt"
for recipe in github gitlab; do
    folder=$TMPDIR/$recipe
    play $recipe "$folder" two 2
    is $? 1 "$recipe: an unknown failure makes it fail"
    like "$(cat "$folder.steps")" '^run-[123]: .*: 1$' '  in a shard'
    like "$(tail -n 1 "$folder.steps")" '^report: .*: 1$' '  and when the merged results are held against the file'
    kept=$folder/artifacts/conformance
    [ $recipe = gitlab ] && kept=$folder/artifacts/report
    [ -s "$kept/results.html" ] && [ -s "$kept/junit.xml" ]
    ok $? '  and the page is there'
    is "$(tools/ci/since "$kept/results.html")" two '  which names the revision since which there is a failure'
    case $recipe in
        github)
            is "$(grep -c '^::error title=' "$folder.said")" 1 '  and an annotation is printed'
            expected='one two three' bad=two
            ;;
        gitlab)
            is "$(jq length "$kept/codequality.json")" 1 '  and Code Quality has an issue'
            tools/jsonlines reports/codequality.schema.json "$kept/codequality.json"
            ok $? '    as its schema says'
            dd if=/dev/zero of="$folder/cache/assay-history-main/history.db" bs=1024 seek=8 count=32 conv=notrunc \
                2>/dev/null
            expected=three bad=three
            ;;
    esac
    play $recipe "$folder" three 3
    is "$(tools/ci/since "$kept/results.html")" "$bad" "  the next page says since $bad"
    is "$(sqlite3 "$(find "$folder"/cache/assay-history-* -name history.db | sort | tail -n 1)" \
        'select revision from runs order by run_id' | xargs)" "$expected" "  in the history of $expected"
    is "$(sqlite3 "$kept/results.db" 'select revision from runs')" three '    and the results are of the last run'
done

# Without merge-multiple each shard's results have a folder of their own, where nothing looks for them.
sed '/merge-multiple/d' tools/ci/github.yml >"$TMPDIR/apart.yml"
mkdir -p "$TMPDIR/apart/cache" && cp -rl "$TMPDIR"/github/cache/assay-debian12-* "$TMPDIR/apart/cache/"
tools/ci/play "$TMPDIR/apart.yml" "$TMPDIR/driver" "$TMPDIR/apart" "CASES=$cases" ASSAY_ARCHIVE=archive \
    >"$TMPDIR/apart.steps" 2>"$TMPDIR/apart.said"
is $? 1 'github: results that are not merged into one folder are not found'
like "$(cat "$TMPDIR/apart.said")" 'shard-.*\.db' '  which is said'

# The device does not compile.
echo '#error broken' >>"$TMPDIR/driver/mydevice.c"
for recipe in github gitlab; do
    folder=$TMPDIR/$recipe-broken
    play $recipe "$folder"
    is $? 1 "$recipe: a device that does not compile makes it fail"
    is "$(grep -c '^run' "$folder.steps")" 0 '  and no case is run'
done

# In a container each step of GitHub has a shell of its own, which does not look into pipes; a job of GitLab has one bash.
cat >"$TMPDIR/shells-github.yml" <<'END'
jobs:
  shells:
    steps:
      - {name: one, run: "false | true; kept=1"}
      - {name: two, run: '[ -z "$kept" ]'}
      - {name: three, run: "false; true"}
END
tools/ci/play "$TMPDIR/shells-github.yml" "$TMPDIR/driver" "$TMPDIR/shells" >"$TMPDIR/steps" 2>"$TMPDIR/said"
is "$(cat "$TMPDIR/steps")" $'shells: one: 0\nshells: two: 0\nshells: three: 1' \
    'each step of GitHub has a shell of its own' || cat "$TMPDIR/said"
for pipe in true false; do
    cat >"$TMPDIR/shells-gitlab.yml" <<END
stages: [only]
variables: {}
shells:
  stage: only
  before_script: [kept=1]
  script: ['[ "\$kept" = 1 ]', "$pipe | true", touch kept]
  artifacts: {paths: [kept]}
END
    tools/ci/play "$TMPDIR/shells-gitlab.yml" "$TMPDIR/driver" "$TMPDIR/shells-$pipe" >"$TMPDIR/steps" 2>"$TMPDIR/said"
    is "$?: $(cat "$TMPDIR/steps")" "$($pipe; echo $?): shells: script: $($pipe; echo $?)" \
        "all lines of a job of GitLab have one shell: $pipe | true" || cat "$TMPDIR/said"
done

echo 'jobs: [' >"$TMPDIR/broken.yml"
like "$(tools/ci/play "$TMPDIR/broken.yml" "$TMPDIR/driver" "$TMPDIR/none" 2>&1 >/dev/null)" \
    "^tools/ci/play: $TMPDIR/broken.yml: " 'a broken recipe is an error'
tap_done
