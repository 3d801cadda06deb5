#!/bin/bash
# `assay bundle`: a claim of conformance in one file, which another party can check; files that are no bundle are
# refused.
. tools/tap.sh
few_operators
db=$TMPDIR/r.db zip=$TMPDIR/claim.zip out=$TMPDIR/out
filter=(gather_nd.examples gather.limits nonzero_coordinates.examples)
printf 'gather_nd.examples.indices-rank*  fail,pass  # known\n' >"$TMPDIR/known"
"$ASSAY" run "${filter[@]}" -d reference --db "$db" --seed 5 >/dev/null
"$ASSAY" run gather.examples -d reference --db "$db" --seed 6 >/dev/null # newer verdicts, with another seed
count=$("$ASSAY" list --count "${filter[@]}" gather.examples)

# Python's zipfile, another program than assay, reads and writes bundles: one process for the whole test. Each request
# is a line with fields between tabs; the answer is a line.
coproc python {
    exec python3 -c '
import re, sys, zipfile
def names(path):
    with zipfile.ZipFile(path) as z:
        return " ".join([*z.namelist(), str(z.testzip())])
def member(path, name, copy):
    with zipfile.ZipFile(path) as z, open(copy, "wb") as out:
        out.write(z.read(name))
    return "done"
def forge(path, copy, script):
    with zipfile.ZipFile(path) as z:
        m = [[n, z.read(n)] for n in z.namelist()]
    exec(script, globals(), {"m": m})
    with zipfile.ZipFile(copy, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in m:
            z.writestr(name, data)
    return "done"
for line in sys.stdin:
    function, *fields = line.rstrip("\n").split("\t")
    try:
        print({"names": names, "member": member, "forge": forge}[function](*fields), flush=True)
    except Exception as error:
        print("failed:", " ".join(str(error).split()), flush=True)
'
} 2>/dev/null
exec {answers}<&"${python[0]}" {requests}>&"${python[1]}" \
    # which, unlike those of a coprocess, are also open in pipelines
ask_python() {
    local IFS=$'\t' answer
    echo "$*" >&"$requests"
    read -r -t 60 answer <&"$answers"
    echo "$answer"
}

"$ASSAY" bundle "$db" -o "$zip"
is $? 0 'a bundle is written'
"$ASSAY" bundle --verify "$zip" >"$out"
is "$(sed -n 2,3p "$out")" "  partial: no whole run of the default plan; nothing is claimed but about the cases that ran
  $(sqlite3 "$db" "SELECT sum(known) || ' known failures, 0 unsupported, ' || sum(status = 'skip') || ' skipped'
    FROM current_results")" '  verifying it says what is not claimed'
"$ASSAY" bundle "$db" -o "$TMPDIR/again.zip"
cmp -s "$zip" "$TMPDIR/again.zip"
ok $? '  the same bytes from the same database'
"$ASSAY" bundle "$db" -o /dev/stdout | cmp -s - "$zip"
is "${PIPESTATUS[*]}" '0 0' '  also through a pipe'
is "$(ask_python names "$zip")" 'manifest.json statement.json expectations.txt results.db None' \
    '  which other programs read'
member() { # NAME: prints the file of the bundle
    [ "$(ask_python member "$zip" "$1" "$TMPDIR/member")" = 'done' ] && cat "$TMPDIR/member"
}
like "$(member manifest.json)" '"feature_level": "6_4"' 'the manifest has the device'
like "$(member manifest.json | tr -d ' \n')" "\"verdicts\":\\{\"pass\":$count\\}" '  the verdicts'
is "$(member manifest.json | grep -cE '"(specs|cases|build|1\.0|results.db|device_hash)": "[0-9a-f]{16}"')" 6 \
    '  and hashes'
is "$(member manifest.json | grep -c '"0000000000000000"')" 0 '  of things that there are'
is "$(member statement.json)" '{"whole_plan": false, "levels": []}' 'some of the cases make no statement'

"$ASSAY" bundle --verify "$zip" >"$out"
is "$? $(tail -n 1 "$out")" '0 verdict: the claim holds, as far as its file shows; -d DEVICE runs a sample again' \
    'it is verified'
"$ASSAY" bundle --verify "$zip" -d reference --sample 1000 >"$out"
is "$? $(tail -n 1 "$out")" '0 verdict: the claim holds' 'all of it is run again'
like "$(cat "$out")" "sample: $count of $count cases on reference: $count verdicts agree, 0 differ" '  with both seeds'
like "$(cat "$out")" 'device: reference is the file of the claim' '  on the same file'
"$ASSAY" bundle --verify "$zip" -d mutants:fault=flip-bit --sample 30 --seed 1 >"$out"
is "$? $(tail -n 1 "$out")" '1 verdict: the claim does not hold' 'a device that is another one does not hold it'
like "$(cat "$out")" 'the bundle has pass, here it is fail' '  each case says so'
like "$(cat "$out")" 'another file than that of the claim' '  and of the file'
sample() { "$ASSAY" bundle --verify "$zip" -d mutants:fault=flip-bit --sample 5 --seed "$1" | grep 'the bundle has' | \
    cut -d: -f1; }
is "$(sample 1)" "$(sample 1)" 'a seed draws the same sample'
[ "$(sample 1)" != "$(sample 2)" ]
ok $? 'another seed draws another sample'
is "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'assay-bundle-*' | wc -l)" 0 'nothing is left behind'

# The whole plan of a program with one operator makes a statement.
cp -r "$(dirname "$ASSAY")/.." "$TMPDIR/one"
find "$TMPDIR/one/specs" -name '*.lua' | grep -Ev '/(gather_nd|tensor|rulings|catalogue).lua$' | xargs rm
rm -rf "$TMPDIR/one/build/plan" "$TMPDIR/one/build/compiled-specs"
find "$TMPDIR/one/cases" -name '*.lua' | grep -Ev '/(examples|limits).lua$' | xargs rm
sed -i 's/, D105[^"]*"/"/; s/page = "D[^"]*", //' "$TMPDIR/one/specs/tensor.lua"
"$TMPDIR/one/build/assay" run -d reference --db "$TMPDIR/one.db" --search 0 >"$out"
"$TMPDIR/one/build/assay" bundle "$TMPDIR/one.db" -o "$TMPDIR/one.zip"
zip=$TMPDIR/one.zip
like "$(member statement.json)" '"whole_plan": true.*"feature_level":"6_4","complete":1,' \
    'the whole plan makes a statement'
"$TMPDIR/one/build/assay" bundle --verify "$zip" -d reference >"$out"
is "$? $(tail -n 1 "$out")" '0 verdict: the claim holds' '  which holds'

# False claims about a device that fails, made of its edited results: lie SQL PATTERN NAME.
broken=mutants:fault=flip-bit,some=3,level=6_4
"$TMPDIR/one/build/assay" run -d "$broken" --db "$TMPDIR/broken.db" --search 0 >"$out"
is $? 1 'a device fails some cases of the whole plan'
lie() {
    cp "$TMPDIR/broken.db" "$TMPDIR/lie.db"
    sqlite3 "$TMPDIR/lie.db" "$1"
    "$TMPDIR/one/build/assay" bundle "$TMPDIR/lie.db" -o "$TMPDIR/lie.zip"
    "$TMPDIR/one/build/assay" bundle --verify "$TMPDIR/lie.zip" -d "$broken" --sample 10000 >"$out"
    is "$? $(tail -n 1 "$out")" '1 verdict: the claim does not hold' "a false claim: $3"
    like "$(cat "$out")" "$2" '  it says why'
}
wrong=$(sqlite3 "$TMPDIR/broken.db" "select count(*) from result where status = 'fail'")
all=$(sqlite3 "$TMPDIR/broken.db" 'select count(*) from result')
lie "delete from result where status = 'fail'" \
    "plan: cases of the whole plan without a verdict in the results: $wrong, the first gather_nd" \
    'failures are deleted'
lie 'delete from result' \
    "plan: cases of the whole plan without a verdict in the results: $all, the first" 'all results are deleted'
like "$(cat "$out")" 'sample: 0 of 0 cases' '  and an empty sample does not hold'
differs="$all of $all cases .* $((all - wrong)) verdicts agree, $wrong differ"
lie "update result set status = 'pass' where status = 'fail'" "$differs" 'failures are passes'
like "$(cat "$out")" 'the bundle has pass, here it is fail' '  each case says so'
lie "update result set status = 'skip' where status = 'fail'" "$differs" 'failures are skips'
lie "update result set status = 'pass' where status = 'fail'; update run set source = 'x'" "$differs" \
    'the cases are from elsewhere'
lie "create temp table more as select * from result where status = 'fail';
    update more set status = 'pass', attempt = attempt + 1; insert into result select * from more" "$differs" \
    'failures were tried again, and are not flaky'
lie "update result set status = 'incomplete' where status = 'fail'" \
    "plan: cases of the whole plan without a verdict in the results: $wrong, the first" \
    'failures were not run'
lie "update test_case set operator = 'GATHER'" \
    "plan: cases with another operator or feature level here: $all, the first" \
    'the cases are of another operator'
lie "update test_case set name = name || '.more' where id = 1" \
    'plan: cases of the results that this suite lacks: 1, the first .*[.]more$' \
    'a case is another one'

# The claimant cannot foresee the sample.
seed() {
    "$TMPDIR/one/build/assay" bundle --verify "$zip" -d reference --sample 1 "$@" | \
        sed -n 's/.*--seed \([0-9]*\).*/\1/p'
}
first=$(seed)
[ "$first" ] && [ "$first" != "$(seed)" ]
ok $? 'each verification draws another sample'
is "$(seed --seed 7)" 7 '  unless a seed is given'
zip=$TMPDIR/claim.zip

# Known failures and their reasons.
"$ASSAY" run gather_nd.examples -d mutants:fault=flip-bit --expect "$TMPDIR/known" --db "$db" >/dev/null
fails 2 'has runs of 2 devices; a bundle is about one: -d ' bundle "$db" -o "$TMPDIR/x.zip"
zip=$TMPDIR/m.zip
"$ASSAY" bundle "$db" -o "$zip" -d mutants:fault=flip-bit
like "$(member expectations.txt)" '^gather_nd.examples.indices-rank[^ ]*  fail  # known$' \
    'known failures have their reasons'
"$ASSAY" bundle --verify "$zip" -d mutants:fault=flip-bit >"$out"
is "$? $(tail -n 1 "$out")" '0 verdict: the claim holds' 'a claim of failures holds, too'

# Flaky cases, known and not, and cases that are skipped as they would hang.
printf '%s\n' 'gather.types.*  fail,pass  # now and then' 'gather.examples.vector*  skip  # hangs' >"$TMPDIR/flaky"
"$ASSAY" run gather.examples gather.types gather_nd.examples -d mutants:fault=flip-bit,every=7 --expect \
    "$TMPDIR/flaky" \
    --repeat 3 -j 1 --search 0 --db "$TMPDIR/flaky.db" >/dev/null
ask() { sqlite3 "$TMPDIR/flaky.db" "select count(*) from results where $1"; }
"$ASSAY" bundle "$TMPDIR/flaky.db" -o "$zip"
ok $(($(ask "flaky and known") > 0 && $(ask "flaky and failed") > 0 ? 0 : 1)) \
    'some cases are flaky, of which some are known'
verdicts=$(sqlite3 "$TMPDIR/flaky.db" "SELECT group_concat(json_quote(verdict) || ':' || cases) FROM (
    SELECT CASE WHEN flaky THEN 'flaky' ELSE status END AS verdict, count(*) AS cases FROM results GROUP BY 1 ORDER BY 1)")
like "$(member manifest.json | tr -d ' \n')" "\"verdicts\":\\{$verdicts\\}" \
    'a flaky case counts as that'
like "$(member manifest.json)" "\"failures\": $(ask failed),\$" '  and those that are not known as failures'
is "$(member expectations.txt | grep -c '  pass,fail  # now and then$')" "$(ask 'flaky and known')" \
    'known flaky cases have all statuses of their attempts'
is "$(member expectations.txt | wc -l)" "$(ask known)" '  and every known failure has a line'
"$ASSAY" bundle --verify "$zip" -d reference --sample 1000 >"$out"
is "$(grep 'the bundle has' "$out" | grep -vc 'has skip')" "$(ask "not flaky and status = 'fail'")" \
    'a flaky case may end in any of its ways, others not'
is "$(grep -c 'the bundle has skip, here it is pass' "$out")" "$(ask "status = 'skip'")" \
    '  and none is skipped by the claim alone'
like "$(cat "$out")" "sample: $(ask true) of $(ask true) cases" '  and skipped cases are run, too'
"$ASSAY" bundle --verify "$zip" -d mutants:fault=crash --sample 5 >"$out"
is $? 1 'one that ends otherwise does not hold it'
like "$(cat "$out")" 'the bundle has (pass|pass,fail), here it is crash' '  each case says so'
zip=$TMPDIR/claim.zip

# forge SCRIPT: a copy of the bundle; SCRIPT, a line, changes the list `m` of names and contents.
forge() {
    rm -f "$TMPDIR/forged.zip"
    [ "$(ask_python forge "$zip" "$TMPDIR/forged.zip" "$1" | tee "$TMPDIR/answer")" = 'done' ] || sed 's/^/# /' \
        "$TMPDIR/answer"
}
refused() {
    forge "$1"
    fails 3 "$2" bundle --verify "$TMPDIR/forged.zip"
}
for member in 'claim": {' 'suite": {' 'files": {'; do
    refused "m[0][1] = m[0][1].replace(b'\"$member', b'\"$member \"more\": 1,')" \
        "its .* has the member 'more', which no bundle of format 1 has"
done
refused 'm[0][1] = m[0][1].replace(b"{", b"{\"more\": 1,", 1)' \
    "its manifest.json has the member 'more', which no bundle of format 1 has"
forge 'm[0][1] = m[0][1].replace(b"\"pass\": ", b"\"pass\": 9")'
"$ASSAY" bundle --verify "$TMPDIR/forged.zip" >"$out"
like "$? $(grep verdicts "$out")" \
    "^1 +claim: verdicts: the bundle has .*\"pass\":9$count.*here it is .*\"pass\":$count" \
    'a claim that does not follow from the results'
forge 'm[0][1] = re.sub(rb"\"specs\": \"[0-9a-f]*\"", b"\"specs\": \"1234\"", m[0][1])'
"$ASSAY" bundle --verify "$TMPDIR/forged.zip" >"$out"
like "$? $(cat "$out")" '^1 .*' 'another suite'
like "$(cat "$out")" 'suite: specs: the bundle has "1234"' '  is named'
forge 'm[0][1] = re.sub(rb"\"build\": \"[0-9a-f]*\"", b"\"build\": \"1234\"", m[0][1])'
"$ASSAY" bundle --verify "$TMPDIR/forged.zip" >"$out"
is "$? $(grep -c 'suite: build' "$out")" '0 1' 'another build of the same suite is named, and no disagreement'

refused 'm[1][1] = b"[]"' 'statement.json is not the file that manifest.json has the hash of'
refused 'm[0][1] = b"{}"' 'manifest.json is not one of a bundle'
refused 'm[0][1] = b"not json"' 'manifest.json is not one of a bundle'
# Names of files elsewhere, in folders that there are: whoever takes them for paths can write there.
mkdir -p "$TMPDIR/a/b"
for name in ../passwd ../../passwd "$TMPDIR/a/passwd"; do
    TMPDIR=$TMPDIR/a/b refused "m[2][0] = '$name'" 'it has a member that no bundle has'
done
is "$(find "$TMPDIR" -name passwd)" '' '  and nothing is written there'
refused 'm[2][0] = "x" * 5000' 'it has a member that no bundle has'
refused 'm[2][0] = "manifest.json"' 'it has manifest.json twice'
refused 'm.append(["more.txt", b"x"])' 'a ZIP file, but no bundle'
refused 'm.pop()' 'a ZIP file, but no bundle'
refused 'm[1][1] = bytes(50 << 20)' 'statement.json has more than 1048576 bytes'
refused 'm[2][1] = bytes(100 << 20)' 'expectations.txt has more than'

# Results that are no database of assay, or say something else, with the right hash.
printf '%s\n' '#include <stdio.h>' '#include <stdlib.h>' '#include <xxhash.h>' \
    'int main(void) { char *b = malloc(1 << 26);' \
    'size_t n = fread(b, 1, 1 << 26, stdin); printf("%016llx\n", (unsigned long long)XXH3_64bits(b, n)); }' \
    >"$TMPDIR/hash.c"
${CC:-cc} -DXXH_INLINE_ALL "$TMPDIR/hash.c" -o "$TMPDIR/hash"
ok $? 'a program that hashes compiles'
# with_results FILE: the bundle with these results.
with_results() {
    forge "m[3][1] = open('$1', 'rb').read(); \
m[0][1] = re.sub(rb'\"results.db\": \"[0-9a-f]*\"', b'\"results.db\": \"$("$TMPDIR/hash" <"$1")\"', m[0][1])"
}
sqlite3 "$TMPDIR/foreign.db" 'create table t (x); insert into t values (1)'
with_results "$TMPDIR/foreign.db"
fails 3 'results.db: a database of another program' bundle --verify "$TMPDIR/forged.zip"
member results.db >"$TMPDIR/own.db"
sqlite3 "$TMPDIR/own.db" 'create view trap as select 1'
with_results "$TMPDIR/own.db"
fails 3 'results.db.*trap' bundle --verify "$TMPDIR/forged.zip"
head -c 5000 /dev/urandom >"$TMPDIR/noise.db"
with_results "$TMPDIR/noise.db"
fails 3 'results.db: ' bundle --verify "$TMPDIR/forged.zip"
member results.db >"$TMPDIR/own.db"
sqlite3 "$TMPDIR/own.db" "update result set status = 'skip' where case_id = 1"
with_results "$TMPDIR/own.db"
"$ASSAY" bundle --verify "$TMPDIR/forged.zip" >"$out"
like "$? $(cat "$out")" '^1 ' 'results with another verdict'
like "$(cat "$out")" 'claim: verdicts' '  do not have the claim follow from them'
member results.db >"$TMPDIR/own.db"
sqlite3 "$TMPDIR/own.db" "update test_case set name = 'gather*' where id = 1"
with_results "$TMPDIR/own.db"
fails 3 'a case whose name is none' bundle --verify "$TMPDIR/forged.zip" -d reference

# Data that other programs see, or do not see: before the ZIP file, after it, and under another name.
strange='its ZIP file has other data than its directory says'
(printf more && cat "$zip") >"$TMPDIR/strange.zip"
fails 3 "$strange" bundle --verify "$TMPDIR/strange.zip"
(cat "$zip" && printf more) >"$TMPDIR/strange.zip"
fails 3 "$strange" bundle --verify "$TMPDIR/strange.zip"
(head -c 30 "$zip" && printf M && tail -c +32 "$zip") >"$TMPDIR/strange.zip"
fails 3 "$strange" bundle --verify "$TMPDIR/strange.zip"

head -c 3000 "$zip" >"$TMPDIR/cut.zip"
fails 3 'no bundle' bundle --verify "$TMPDIR/cut.zip"
python3 -c 'import sys; b = bytearray(open(sys.argv[1], "rb").read()); n = len(b) // 2
for i in range(n, n + 50): b[i] ^= 255
open(sys.argv[2], "wb").write(b)' "$zip" "$TMPDIR/damaged.zip"
fails 3 'is damaged|is not the file' bundle --verify "$TMPDIR/damaged.zip"
head -c 100000 /dev/urandom >"$TMPDIR/noise.zip"
fails 3 'no bundle: not a ZIP file' bundle --verify "$TMPDIR/noise.zip"
fails 3 'nothing.zip: No such file' bundle --verify "$TMPDIR/nothing.zip"

fails 2 'bundle takes one database and the file to write' bundle "$db"
fails 2 'neither a database nor --output' bundle --verify "$zip" "$db"
fails 2 'is also the database' bundle "$db" -o "$db" -d reference
fails 4 'no run|has no' bundle "$db" -o "$TMPDIR/y.zip" -d vulkan
fails 6 'no-such' bundle --verify "$zip" -d ./no-such.so
fails 3 'another program|assay database' bundle "$TMPDIR/foreign.db" -o "$TMPDIR/y.zip"
[ ! -e "$TMPDIR/y.zip" ]
ok $? 'and writes no file'
tap_done
