#!/bin/bash
# Databases from strangers. Each attack changes a copy of a good database; then every command that reads one gets it. It
# ends soon with a documented exit status, prints at most one line about an error and nothing that controls a terminal,
# and changes nothing that it only reads. An attack is `refused`, with a text that each message must have, or `any`: the
# file is as a database can be, so commands may do their work on it. `damaged` is refused by all that read the whole
# file.
. tools/tap.sh
few_operators

attacks=0
good=$TMPDIR/good.db
db=$TMPDIR/attack.db
"$ASSAY" run -d reference -d mutants:fault=flip-bit gather.examples nonzero_coordinates --db "$good" >/dev/null 2>&1
"$ASSAY" fuzz -d mutants:ignore=GATHER/axis-range -o GATHER --count 16384 --db "$good" >/dev/null 2>&1
is "$(sqlite3 "$good" 'SELECT count(*) > 0 FROM fuzz_finding; SELECT count(*) > 150 FROM result' | tr '\n' ' ')" \
    '1 1 ' \
    'there is a database to attack'

# Commands that read it, and commands that write it: those get a copy. What refuses a database is the same code in all
# of them, so few of them try what must be refused.
# shellcheck disable=SC2034
readers_of_refused=(
    'status DB' 'report DB' 'compare GOOD DB' 'merge OUT DB' 'expect update EXPECT --db DB' \
        'spec --trace --db DB GATHER'
)
# shellcheck disable=SC2034
readers_of_damaged=("${readers_of_refused[@]}")
# shellcheck disable=SC2034
readers_of_any=(
    "${readers_of_refused[@]}" 'report DB --html OUT' 'report DB --json OUT' 'report DB --csv OUT' \
        'report DB --junit OUT'
    'compare DB --json' 'expect check EXPECT --db DB'
)
writers_of_refused=('run -d reference gather.examples --db DB' 'run --resume --db DB' \
    'fuzz promote 1 --cases CASES --db DB')
# A run only appends: it does not read the whole file first.
# shellcheck disable=SC2034
writers_of_damaged=('run --resume --db DB' 'fuzz promote 1 --cases CASES --db DB')
# shellcheck disable=SC2034
writers_of_any=(
    "${writers_of_refused[@]}" 'run --rerun-failed -d mutants:fault=flip-bit --db DB' \
        'fuzz --replay -d reference --db DB'
    'fuzz -o GATHER -d reference --count 16384 --resume --db DB'
)

# Runs one command on the attack. Prints what is wrong with how it ended, if anything.
try() { # REFUSED PATTERN WORD…
    local refused=$1 pattern=$2 status word words=()
    shift 2
    rm -rf "$TMPDIR/made" "$TMPDIR/expect" "$TMPDIR/cases"
    mkdir "$TMPDIR/cases"
    printf 'return strategy "regressions" { plan = "x", cases = function() end }\n  -- assay fuzz promote: next\n' \
        >"$TMPDIR/cases/regressions.lua"
    echo 'gather.* fail # known' >"$TMPDIR/expect"
    for word in "$@"; do
        case $word in
            DB) words+=("$db") ;;
            GOOD) words+=("$good") ;;
            OUT) words+=("$TMPDIR/made") ;;
            EXPECT) words+=("$TMPDIR/expect") ;;
            CASES) words+=("$TMPDIR/cases") ;;
            *) words+=("$word") ;;
        esac
    done
    timeout 100 "$ASSAY" "${words[@]}" >"$TMPDIR/out" 2>"$TMPDIR/err" </dev/null
    status=$?
    [ $status -le 6 ] || echo "$*: status $status"
    # A command may print its progress: that is no error.
    if [ $status = 3 ] && [ "$(grep -vc '^assay: devices are less\|^[a-z:=./-]*: ' "$TMPDIR/err")" != 0 ] &&
        [ "$(grep -c '^assay: ' "$TMPDIR/err")" != 1 ]; then
        echo "$*: $(grep -c . "$TMPDIR/err") lines: $(head -c 300 "$TMPDIR/err")"
    fi
    if LC_ALL=C grep -q '[^[:print:][:space:]]' \
        <(LC_ALL=C tr -d '\200-\377' <"$TMPDIR/out" | cat - "$TMPDIR/err" | LC_ALL=C tr -d '\200-\377'); then
        echo "$*: prints control characters"
    fi
    if [ "$refused" != any ]; then
        [ $status = 3 ] || echo "$*: status $status, not refused"
        grep -Eq -- "$pattern" "$TMPDIR/err" || echo "$*: says $(head -c 300 "$TMPDIR/err")"
    fi
}

# Somebody else may be writing the database: its -shm and -wal files are SQLite's.
digest() { [ ! -f "$db" ] || [ -c "$(readlink -f "$db")" ] || md5sum <"$db"; }

# Tries every command on $db.
try_all() { # WHAT REFUSED PATTERN
    local what=$1 kind=$2 pattern=$3 command before problems=
    local -n readers=readers_of_$kind writers=writers_of_$kind
    attacks=$((attacks + 1))
    in_shard || return
    before=$(digest)
    for command in "${readers[@]}"; do
        # shellcheck disable=SC2086
        problems+=$(try "$kind" "$pattern" $command)
    done
    [ "$before" = "$(digest)" ] || problems+='a file was changed by reading'
    for command in "${writers[@]}"; do
        cp -a "$db" "$TMPDIR/kept"
        # shellcheck disable=SC2086
        problems+=$(try "$kind" "$pattern" $command)
        rm -f "$db" "$db"-*
        mv "$TMPDIR/kept" "$db"
    done
    is "$problems" '' "$what"
}

# An attack by SQL that SQLite itself would not allow.
attack() { # WHAT refused|damaged|any PATTERN SQL
    rm -f "$db"*
    cp "$good" "$db"
    sqlite3 "$db" '.dbconfig defensive off' '.dbconfig writable_schema on' "$4" >/dev/null 2>&1
    try_all "$@"
}

# An attack by bytes.
patch() { # WHAT refused|damaged|any PATTERN OFFSET BYTES
    rm -f "$db"*
    cp "$good" "$db"
    printf '%b' "$5" | dd of="$db" bs=1 seek="$4" conv=notrunc status=none
    try_all "$@"
}

page=$(sqlite3 "$good" 'PRAGMA page_size')
root() { sqlite3 "$good" "SELECT rootpage FROM sqlite_schema WHERE name = '$1'"; }
ours='is not what this assay makes|tables and views of schema version|schema cannot be read|malformed'
bad='damaged|malformed|not a database|is not what this assay makes|cannot be read'

# ---- schemas

forever='WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)'
for table in run result test_case detail fuzz_finding device invocation; do
    columns=$(sqlite3 "$good" "SELECT group_concat('n AS ' || name) FROM pragma_table_info('$table')")
    attack "a view without end in place of table $table" refused "$ours" \
        "DROP TABLE $table; CREATE VIEW $table AS $forever SELECT $columns FROM r"
done
attack 'a view without end in place of a view' refused "$ours" \
    "DROP VIEW runs; CREATE VIEW runs AS $forever SELECT n AS run_id FROM r"
attack 'a view that reads itself' refused "$ours|circular" \
    "UPDATE sqlite_schema SET sql = 'CREATE VIEW runs AS SELECT * FROM runs' WHERE name = 'runs'"
attack 'a view with one letter changed' refused "$ours" \
    "UPDATE sqlite_schema SET sql = replace(sql, 'conformance', 'Conformance') WHERE name = 'conformance_runs'"
attack 'a view more' refused "its view 'more' $ours" 'CREATE VIEW more AS SELECT 1'
attack 'a table more' refused "its table 'more' $ours" 'CREATE TABLE more (a)'
attack 'an index more' refused "its index 'more' $ours" 'CREATE INDEX more ON run (started)'
attack 'a column more' refused "$ours" 'ALTER TABLE run ADD COLUMN more'
attack 'a generated column' refused "$ours" 'ALTER TABLE run ADD COLUMN more AS (randomblob(1000000000))'
attack 'a virtual table' refused "$ours" 'CREATE VIRTUAL TABLE more USING fts5(a)'
attack 'an eponymous virtual table' refused "$ours" 'CREATE VIRTUAL TABLE more USING rtree(a, b, c)'
for event in 'INSERT ON run' 'UPDATE ON run' 'INSERT ON result' 'DELETE ON fuzz_hunt'; do
    attack "a trigger without end on $event" refused "its trigger 'more' $ours" \
        "CREATE TRIGGER more AFTER $event BEGIN SELECT count(*) FROM ($forever SELECT n FROM r); END"
done
attack 'a trigger that changes its own table' refused "its trigger 'more' $ours" \
    'CREATE TRIGGER more AFTER UPDATE ON run BEGIN UPDATE run SET seed = seed || 1; END'
attack 'no table' refused "$ours" 'DROP TABLE result'
attack 'no view' refused "$ours" 'DROP VIEW results'
attack 'tables that are not strict' refused "$ours" \
    "UPDATE sqlite_schema SET sql = replace(sql, 'STRICT', '') WHERE type = 'table'"
attack 'a schema that is no SQL' refused "$bad" "UPDATE sqlite_schema SET sql = 'CREATE nothing' WHERE name = 'runs'"
attack 'a schema without SQL' refused "$bad" "UPDATE sqlite_schema SET sql = NULL WHERE name = 'runs'"
attack 'a schema of blobs' refused "$bad|$ours" "UPDATE sqlite_schema SET sql = randomblob(100) WHERE name = 'result'"
attack 'a table named so that it controls the terminal' refused "$ours" \
    "CREATE TABLE \"$(printf '\033[2J\033]0;owned\007')\" (a)"
attack 'a huge schema' refused 'schema' \
    "CREATE TABLE more (a DEFAULT '$(printf 'x%.0s' {1..50000})')"
attack 'an expression deeper than SQLite can read' refused "$bad|$ours" \
    "CREATE VIEW more AS SELECT 1; UPDATE sqlite_schema SET sql = 'CREATE VIEW more AS SELECT $(printf '(%.0s' \
    {1..5000})1$(printf ')%.0s' {1..5000})' WHERE name = 'more'"
attack 'statistics that mislead' refused "$ours" "ANALYZE; UPDATE sqlite_stat1 SET stat = '9223372036854775807 1 1'"
attack 'another application' refused 'of (another|some other) program' 'PRAGMA application_id = 7'
attack 'another version' refused 'schema version 99' 'PRAGMA user_version = 99'
attack 'exchanged root pages of tables' damaged "$bad" \
    "UPDATE sqlite_schema SET rootpage = $(root run) + $(root \
    fuzz_finding) - rootpage WHERE name IN ('run', 'fuzz_finding')"
attack 'a table and an index with exchanged root pages' damaged "$bad" \
    "UPDATE sqlite_schema SET rootpage = $(root result) + $(root \
    judgement) - rootpage WHERE name IN ('result', 'judgement')"
attack 'two tables in one page' damaged "$bad" \
    "UPDATE sqlite_schema SET rootpage = $(root run) WHERE name = 'result'"
attack 'a root page behind the end' damaged "$bad" "UPDATE sqlite_schema SET rootpage = 999999 WHERE name = 'run'"
attack 'the schema as a table' damaged "$bad" "UPDATE sqlite_schema SET rootpage = 1 WHERE name = 'run'"

# ---- pages

patch 'a header that is none' refused 'not a database' 0 'SQLite format 4'
patch 'a page size of 0' refused "$bad" 16 '\0\0'
patch 'pages with reserved bytes' refused "$bad" 20 '\377'
patch 'a newer file format' refused "$bad|cannot be (read|written)" 18 '\7\7'
patch 'a header in WAL mode without one' any '' 18 '\2\2'
patch 'a huge page count' refused "$bad" 28 '\177\377\377\377'
patch 'a list of free pages that is a circle' any '' 32 '\0\0\0\1\0\0\0\1'
patch 'another text encoding' refused "$bad|$ours" 56 '\0\0\0\2'
patch 'a text encoding that is none' any '' 56 '\0\0\0\11'
patch 'a page of zeros' damaged "$bad" $((($(root result) - 1) * page)) "$(printf '\\0%.0s' {1..200})"
patch 'a page of another kind' damaged "$bad" $((($(root run) - 1) * page)) '\2'
patch 'a huge number of cells' damaged "$bad" $((($(root run) - 1) * page + 3)) '\377\377'
patch 'a page that is its own child' damaged "$bad" $((($(root run) - 1) * page)) \
    "\\5\\0\\0\\0\\1\\037\\360\\0\\0\\0\\0\\0$(printf '\\%o' $(($(root run)))) \\037\\360"
rm -f "$db"
head -c $((page * 3)) "$good" >"$db"
try_all 'a file that ends early' refused "$bad"
: >"$db"
cp "$good" "$db" && printf '%4096s' '' | tr ' ' '\377' | dd of="$db" bs=1 seek=$((page * 2)) conv=notrunc status=none
try_all 'a page of ones' any ''

# ---- values

big=9223372036854775807
attack 'huge ids' any '' \
    "UPDATE run SET id = $big - id; UPDATE result SET run_id = $big - run_id; UPDATE detail SET run_id = $big - run_id"
attack 'negative ids' any '' \
    'UPDATE run SET id = -id; UPDATE result SET run_id = -run_id; UPDATE detail SET run_id = -run_id; UPDATE test_case SET id = -id; UPDATE result SET case_id = -case_id; UPDATE fuzz_finding SET hunt_id = -hunt_id'
attack 'ids that nothing has' any '' 'UPDATE result SET case_id = case_id + 1000000; UPDATE run SET device_id = 77'
attack 'huge counts' any '' \
    "UPDATE run SET planned = $big, shards = $big, shard = $big; UPDATE fuzz_hunt SET next = $big, tried = $big; UPDATE invocation SET runs = $big"
attack 'texts that control the terminal' any '' \
    "$(for column in 'device device' 'run started' 'run ended' 'run command' 'run label' \
    'run revision' 'run branch' 'run device_name' 'run device_driver' 'run version' 'run purpose' 'run machine' \
    'run cpu' \
    'run device_build' 'run device_hash' 'detail message' 'detail reproduce' 'judgement rule' 'judgement pages' \
    'fuzz_hunt device' 'fuzz_hunt ended' \
    'fuzz_finding message' 'fuzz_finding rule' 'fuzz_finding operator'; do
    # shellcheck disable=SC2086
    set -- $column
    printf "UPDATE %s SET %s = %s || char(27) || ']0;owned' || char(7) || char(27) || '[2J' || char(13, 10, 8, 127, 155);" "$1" "$2" "$2"
done)"
attack 'names of cases that control the terminal' any '' \
    "UPDATE test_case SET name = name || char(27) || '[2J' || char(10) || 'ok 1'"
attack 'states that control the terminal' any '' "UPDATE run SET state = char(27) || '[31m'"
attack 'broken UTF-8' any '' \
    "UPDATE test_case SET name = name || CAST(x'c3ff80f0' AS TEXT); UPDATE detail SET message = CAST(x'80fe00c1' AS TEXT)"
attack 'marks of the formats' any '' \
    "UPDATE detail SET message = ']]><script>alert(1)</script>|\`*_[x](y) \"'' # SKIP'; UPDATE device SET device = '</script><b>&'"
attack 'a status that is none' any '' "UPDATE result SET status = 'great'"
attack 'an expectation and a cause that are none' any '' \
    "UPDATE detail SET cause = 'x', expectation = 'x'; UPDATE judgement SET expects = 'x', strength = 'x'"
# Values that the schema forbids: it is weaker while they are written.
weaken() { # TABLE WHAT SQL
    rm -f "$db"*
    cp "$good" "$db"
    sqlite3 "$db" '.dbconfig defensive off' '.dbconfig writable_schema on' \
        "CREATE TABLE old AS SELECT * FROM sqlite_schema;
        UPDATE sqlite_schema SET sql = replace(sql, '$2', '') WHERE name = '$1'" >/dev/null
    sqlite3 "$db" '.dbconfig defensive off' '.dbconfig writable_schema on' "$3;
        UPDATE sqlite_schema SET sql = (SELECT sql FROM old WHERE old.name = '$1') WHERE name = '$1'; DROP TABLE old" >/dev/null
}
weaken fuzz_finding 'NOT NULL' 'UPDATE fuzz_finding SET minimum = NULL, kind = NULL, rule = NULL'
try_all 'texts that are null' damaged 'damaged .*NULL'
weaken run STRICT "UPDATE run SET started = x'1b5b324a', seed = 7"
try_all 'other types than those of the schema' damaged "damaged .*run"
attack 'a finding of no operator' any '' \
    "UPDATE fuzz_finding SET operator = 'X', minimum = 'X', original = '', kind = 'x'"
attack 'a finding of another shape' any '' \
    "UPDATE fuzz_finding SET minimum = 'GATHER InputTensor=FLOAT32[1,1,1,1,1,1,1,1,1,1,1,1,1,1]', fill = 'x', indices = 'x', seed = -1"
attack 'a text of 20 MB' any '' \
    "UPDATE detail SET message = printf('%.*c', 20000000, 'x') WHERE rowid IN (SELECT rowid FROM detail LIMIT 1)"
attack 'many texts of 1 MB' any '' \
    "UPDATE detail SET message = printf('%.*c', 1000000, 'x') WHERE rowid IN (SELECT rowid FROM detail LIMIT 40)"
attack 'a blob as argument' any '' "UPDATE argument SET word = zeroblob(1000000)"
attack 'a million arguments' any '' \
    "DELETE FROM argument; $forever INSERT INTO argument SELECT 1, n, x'78' FROM r LIMIT 300000; UPDATE run SET state = 'incomplete'"
attack 'many devices' any '' \
    "$forever INSERT INTO device (id, device) SELECT n + 100, 'd' || n FROM r LIMIT 20000; INSERT INTO run SELECT $(
    sqlite3 "$good" "SELECT group_concat(CASE name WHEN 'id' THEN 'd.id' WHEN 'device_id' THEN 'd.id' ELSE 'run.' || name END) FROM pragma_table_info('run')") FROM run, device d WHERE run.id = 1 AND d.id > 100"

# ---- files

rm -f "$db"
mkfifo "$db"
try_all 'a pipe' refused 'not a plain file|No such device'
rm -f "$db"
mkdir "$db"
problems=
for command in "${readers_of_refused[@]}"; do
    # shellcheck disable=SC2086
    problems+=$(try refused 'not a plain file' $command)
done
is "$problems" '' 'a folder'
rmdir "$db"
ln -s attack.db "$db"
try_all 'a link to itself' any ''
rm -f "$db"
ln -s /dev/zero "$db"
try_all 'a device' refused 'not a plain file'
rm -f "$db"
echo 'just text' >"$db"
try_all 'a text' refused 'not a database'
head -c 100000 /dev/urandom >"$db"
try_all 'noise' refused 'not a database'
cp "$good" "$db"
head -c 5000 /dev/urandom >"$db-wal"
try_all 'noise as WAL' any ''
rm -f "$db"*
cp "$good" "$db"
head -c 5000 /dev/urandom >"$db-journal"
try_all 'noise as journal' any ''

[ $attacks -ge 60 ]
ok $? "there are $attacks attacks"
! pgrep -P $$ -x assay >/dev/null
ok $? 'no process is left'
tap_done
