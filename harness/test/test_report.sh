#!/bin/bash
# `assay report` as people call it: forms, files, several databases, and what it says of what it cannot read.
. tools/tap.sh
few_operators
db=$TMPDIR/results.db
cases=(gather_nd.examples nonzero_coordinates.examples 'gather.violations.data-types.*')
for _ in 1 2; do
    "$ASSAY" run "${cases[@]}" -d reference -d mutants:fault=flip-bit,every=3 -d mutants:fault=crash,every=3 --db \
        "$db" >/dev/null 2>&1
done
"$ASSAY" fuzz -d mutants:ignore=GATHER/axis-range -o GATHER --count 16384 --db "$db" >/dev/null 2>&1
ASSAY=$ASSAY tools/mutation --quick --db "$db" 'ignore=NONZERO_COORDINATES/count-scalar' >/dev/null 2>&1
planned=$("$ASSAY" list --count "${cases[@]}")

"$ASSAY" report "$db" >"$TMPDIR/out" 2>"$TMPDIR/err"
is $? 0 'without a form it prints Markdown'
is "$(cat "$TMPDIR/err")" '' '  and nothing else'
is "$(grep -c "complete.* | $planned | " "$TMPDIR/out")" 3 '  a line a device'
like "$(tr '`' "'" <"$TMPDIR/out")" "^\| 'wrong result' \| 'GATHER_ND' " '  failures by cause'
like "$(cat "$TMPDIR/out")" '✗ fails' '  the supported types are listed'

cd "$TMPDIR" || exit 1
program=$OLDPWD/$ASSAY
[[ $ASSAY == /* ]] && program=$ASSAY
GITHUB_STEP_SUMMARY=untouched.md "$program" report results.db --html page.html --markdown m.md --junit j.xml \
    --csv c.csv --github g --codequality q.json --json - >d.json
is $? 0 'all forms at once'
is "$(grep -c '^::notice ' g) $(grep -vc '^::\(notice\|error\|warning\) ' g)" '3 0' '  annotations for each device'
is "$(grep -c '^::error ' g)" "$(jq '[.groups[] | select(.kind == "failure")] | length' d.json)" '  one for each cause'
"$OLDPWD/tools/jsonlines" "$OLDPWD/reports/codequality.schema.json" q.json
ok $? '  Code Quality is as its schema says'
is "$(jq -r 'map(.location.path) | unique | join(" ")' q.json)" 'mutants' '  each issue has the device as its place'
[ ! -e untouched.md ]
ok $? '  a report leaves the summary of the job to its form Markdown'
echo '# others' >summary.md
GITHUB_STEP_SUMMARY=summary.md "$program" run gather_nd.examples -d mutants:fault=flip-bit --search 0 --format github >g
is $? 1 'a run prints annotations, too'
is "$(grep -c '^::error title=mutants%3Afault=flip-bit%3A elements differ' g)" 1 '  its cause'
like "$(cat summary.md)" $'^# others\n## assay: `mutants:fault=flip-bit`\n\n6 fail\n\n    6 failures, one cause:' \
    '  and adds to the summary of the job'
ASSAY=$program GITHUB_STEP_SUMMARY=/nowhere/x fails 3 '/nowhere/x: No such file.*GITHUB_STEP_SUMMARY' run gather_nd.examples \
    -d reference --format github
ASSAY=$program GITHUB_STEP_SUMMARY=/dev/full fails 3 '/dev/full: the job.s summary cannot be written' run gather_nd.examples \
    -d reference --search 0 --format github
is "$(cmp m.md out && echo same)" same '  Markdown is the same in a file'
xmllint --noout --schema "$OLDPWD/harness/test/junit.xsd" j.xml 2>said
ok $? '  Jenkins reads the JUnit file'
is "$(xmllint --xpath 'count(//testcase)' j.xml)" $((3 * planned)) '  every case of every device is in it'
is "$(xmllint --xpath 'count(//failure) + count(//error)' j.xml)" "$(sqlite3 results.db \
    "select count(*) from failures where run_id in (select run_id from current_runs)")" '  and every failure'
is "$(/usr/bin/python3 -c '
import csv
rows = list(csv.DictReader(open("c.csv", newline="", encoding="utf-8")))
print(len(rows), len({(r["device"], r["case_name"]) for r in rows}), sum(r["failed"] == "1" for r in rows))')" \
    "$((3 * planned)) $((3 * planned)) $(sqlite3 results.db \
    "select count(*) from failures where run_id in (select run_id from current_runs)")" \
    '  CSV has a row a case'
# The names of cases, whose words the data has apart: 0 stands for the word of the case before.
# shellcheck disable=SC2016 # the variables are jq's
names='[foreach (.cases.parts | transpose)[] as $words ([]; [$words, .] | transpose | map(if .[0] == 0 then .[1] else .[0] end);
    map(strings) | join("."))]'
is "$(jq '[(.runs | length), (.cases.parts[0] | length), (.devices | length)] | @csv' -r d.json)" "6,$planned,3" \
    '  the data is JSON'
/usr/bin/python3 - "$OLDPWD/reports/dashboard/data.schema.json" d.json >said 2>&1 <<'END'
import json, sys
import jsonschema
jsonschema.Draft7Validator(json.load(open(sys.argv[1]))).validate(json.load(open(sys.argv[2])))
END
ok $? '    as its schema says'
sed 's/^/# /' said | head -20
is "$(jq -r '[.texts.rules | length > 0, all(.[]; . != "")] + [.texts.rulings | length > 0, keys - $named == []] | join(",")' \
    --argjson named "$(jq -c '[.trace[].sentence]' d.json)" d.json)" \
    true,true,true,true '  it has the texts of rules, and of the rulings that are named'
is "$(jq -r '.texts.pages | [.bed83, .DML_TENSOR_DESC // "no operator"] | join(",")' d.json)" 'GATHER_ND,no operator' \
    '  and the operators that sentences are about'
is "$(jq -c '[.texts.cases[].case] - [.details[].case] | length' d.json)" 0 '  descriptions are of cases with details'
is "$(jq '[.texts.cases[] | select(.fill == null)] | length' d.json)" 0 '  they name the contents of inputs'
"$program" run 'gather.violations.data-types.*' -d mutants:ignore=GATHER/data-types --search 0 --db v.db >said 2>&1
is "$("$program" report v.db --json - | jq -c '[.texts.cases[] | .fill, .indices, .inputs] | unique')" '[null,[]]' \
    '  but those of a case that is not dispatched'
# The first elements of the inputs of failing cases, and of no others: those that `assay show` prints, and more.
failing=$(jq -c '[.details[] | select(.status == "fail" or .status == "crash").case]' d.json)
is "$(jq -c --argjson failing "$failing" '[.texts.cases[] | select(.inputs != []).case] | [length > 3, . - $failing]' \
    d.json)" \
    '[true,[]]' '  failing cases have inputs'
same=0
while IFS=$'\t' read -r name tensor elements; do
    shown=$("$program" show "$name" | sed -n '/^inputs/,/^[^ ]*:/s/^  '"$tensor"'  *//p')
    [[ -n $shown && $elements == "${shown%, …}"* ]] && ((++same))
done < <(jq -r "$names"' as $names | [.texts.cases[] | select(.inputs != [])][:3][] | $names[.case] as $name
    | .inputs[] | [$name, .tensor, .elements] | @tsv' d.json)
is "$same" "$(jq '[[.texts.cases[] | select(.inputs != [])][:3][].inputs[]] | length' d.json)" \
    '  as assay show prints them'
first=$(jq '.texts.cases[0].case' d.json)
is "$("$program" fuzz "$(jq -r '.texts.cases[0].description' d.json)" -d reference >said 2>&1; echo $?) $(jq \
    "$names | .[$first]" d.json | grep -c .)" \
    '0 1' '  as assay fuzz takes them'
is "$(grep -c '<script type="application/gzip" id="data">' page.html)" 1 '  the page holds it'
is "$(/usr/bin/python3 -c '
import base64, gzip, re
page = open("page.html", encoding="utf-8").read()
data = re.search(r"<script type=\"application/gzip\" id=\"data\">(.*?)</script>", page, re.S).group(1)
print(gzip.decompress(base64.b64decode(data)) == open("d.json", "rb").read(), data.count("<"))')" 'True 0' '    whole, and nothing in it ends the element'

is "$(jq -c '[(.fuzz.searches | length), [.fuzz.findings[] | [.kind, .operator, .rule]], (.fuzz.matrix | length > 10),
    [.mutation[] | [.mutant, .verdict]]]' d.json)" \
    '[1,[["wrong accept","GATHER","axis-range"]],true,[["ignore=NONZERO_COORDINATES/count-scalar","killed"]]]' \
    '  searches and mutants are in it'

mkdir other
cp results.db other/
"$program" report results.db other/results.db --json both.json
is "$(jq -r '[(.databases | length), (.runs | length)] | @csv' both.json)" '2,12' 'two databases are read as one'
is "$(jq -r '[.runs[] | .database + "#" + (.run | tostring)] | join(" ")' both.json)" \
    'results.db#1 other/results.db#1 results.db#2 other/results.db#2 results.db#3 other/results.db#3 results.db#4 other/results.db#4 results.db#5 other/results.db#5 results.db#6 other/results.db#6' \
    '  their runs in the order in which they began'
"$program" report results.db --baseline results.db#2 --baseline '#1' --json base.json
is "$(jq -r '[.devices[].baseline] | join(",")' base.json)" 0,1,2 '--baseline chooses the run to compare with'

"$program" report results.db --issues 'https://tracker.example/?n={}' --json issues.json
is "$(jq -r .issues issues.json)" 'https://tracker.example/?n={}' '--issues is where issues are'

ASSAY=$program
fails 2 'report takes a database' report
fails 2 'expected the name of a file' report results.db --html ''
fails 2 "only one can go to standard output" report results.db --html - --csv -
fails 2 "'x' is named twice" report results.db --html x --csv x
for url in 'javascript:alert({})' 'https://{}' 'https://x/' 'https://x/{}/{}' 'https://x/{}"' 'https://x /{}' \
    'ftp://x/{}' ''; do
    fails 2 'expected an address that begins with http:// or https:// and has \{\} once' report results.db --html x \
        --issues "$url"
done
fails 2 'it takes --html or --json' report results.db --issues 'https://x/{}' --csv x
fails 2 "expected a run, as in results.db#3, not 'x'" report results.db --baseline x
fails 2 'of which database\?' report results.db other/results.db --baseline 1
fails 4 'there is no run 77 in results.db' report results.db --baseline 77
fails 4 'there is no run 1 in nowhere.db' report results.db --baseline nowhere.db#1
fails 3 'nowhere.db: No such file' report nowhere.db
fails 3 'not a plain file' report .
fails 3 'nowhere/page.html: No such file' report results.db --html nowhere/page.html
fails 3 'cannot be written: No space' report results.db --html /dev/full
echo 'this is no database, whatever its name says' >text.db
fails 3 'text.db: not a database' report text.db
sqlite3 foreign.db 'create table run (id)'
fails 3 'foreign.db: a database of another program' report results.db foreign.db

echo before >page.html
head -c 40000 results.db >cut.db
fails 3 'damaged' report cut.db --html page.html
is "$(cat page.html)" before '  and the page that was there stays'
is "$(find . -name 'page.html.*')" '' '  nothing is left beside it'
rm -f empty.db
sqlite3 empty.db <"$OLDPWD/reports/schema.sql"
"$program" report empty.db --html empty.html --json - --markdown empty.md | jq -c '[.runs, .cases.parts]' >said
is "$(cat said)" '[[],[]]' 'a database without runs is shown as that'
is "$(sed -n 3p empty.md)" 'There are no runs.' '  in words, too'

# Queries take no minutes over two whole runs: one that is quadratic in the number of cases does.
for device in reference mutants:fault=flip-last; do
    "$program" run -d $device 'gather.*' --search 0 --db history.db >/dev/null 2>&1
done
sqlite3 history.db 'UPDATE run SET device_id = 1'
for query in "$OLDPWD"/reports/*.sql; do
    name=$(basename "$query")
    [ "$name" = schema.sql ] || timeout 20 sqlite3 history.db <"$query" >"$name.rows"
    ok $? "$name answers on whole runs"
done
is "$(wc -l <changes.sql.rows)" "$(sqlite3 history.db 'SELECT count(*) FROM results AS new
    JOIN results AS old USING (case_name) WHERE new.run_id = 2 AND old.run_id = 1 AND new.status <> old.status')" \
    '  and finds all changes'

# The page of a device that supports one operator is small: what it does not support is counted, and shown by example.
${CC:-cc} -shared -fPIC -I"$OLDPWD" -I"$OLDPWD/device" "$OLDPWD/device/template/mydevice.c" -o mydevice.so
ok $? 'the template is compiled'
"$program" run -d ./mydevice.so --search 0 --db one.db >/dev/null 2>&1
"$program" report one.db --html one.html
size=$(stat -c %s one.html)
ok $((size < 1 << 19 ? 0 : 1)) "the page of a device with one operator has $size bytes, less than 512 KiB"

# A copy whose pages were damaged here and there is read, or refused in one line; never a crash. More damage is done by
# test/long/test_attack_databases.sh.
size=$(stat -c %s results.db) bad=0 refused=0
for i in {1..20}; do
    cp results.db damaged.db
    printf '\xff\x00\xee' | dd of=damaged.db bs=1 seek=$((i * 15838 % size)) conv=notrunc 2>/dev/null
    "$program" report damaged.db --html damaged.html --csv damaged.csv >said 2>&1
    status=$?
    [ $status = 3 ] && [ "$(wc -l <said)" = 1 ] && refused=$((refused + 1)) && continue
    if [ $status != 0 ] || [ -s said ]; then
        bad=$((bad + 1))
        sed 's/^/# /' said | head -3
    fi
done
is $bad 0 "of 20 damaged databases $refused are refused in a line, the others read"
ok $((refused > 0 ? 0 : 1)) "  some are refused"
tap_done
