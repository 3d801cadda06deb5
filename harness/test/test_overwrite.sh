#!/bin/bash
# No command overwrites a file that it reads, a device, a spec, or another of its outputs.
. tools/tap.sh
few_operators
[[ $ASSAY == /* ]] || ASSAY=$PWD/$ASSAY
root=$(realpath "$few")
cp "$(dirname "$ASSAY")/devices/reference.so" "$TMPDIR/my.so"
cp -r "$few/specs" "$few/cases" "$TMPDIR/"
cd "$TMPDIR" || exit 1
case=gather_nd.examples.indices-rank.fl2_1.float32-uint32.d4p4q3k4
"$ASSAY" run -d ./my.so gather_nd.examples --db d.db >run.txt
"$ASSAY" run -d ./my.so gather_nd.examples --shard 1/1 --db shard.db >>run.txt
echo 'gather_nd.examples fail # known' >known.txt
"$ASSAY" repro "$case" --export json one.json
ln -s d.db link.db
ln d.db hard.db
mkdir sub
ln -s sub folder
ln -s nowhere.db dangling.db
cp d.db before.db

# refuses PATTERN ARGUMENTS…: as fails 2; no file of this folder has changed or is new.
state() { find . -type f -exec sha256sum {} + | sort -k 2; }
refuses() {
    local before
    before=$(state)
    fails 2 "$@"
    is "$(state)" "$before" '  and all files are as they were'
}

# A database that is read, under any of its names.
for form in html markdown junit csv json; do
    refuses "--$form: 'd.db' is also .*d.db" report d.db "--$form" d.db
done
refuses "'./sub/../d.db' is also" report d.db --html ./sub/../d.db
refuses "'link.db' is also" report d.db --html link.db
refuses "'hard.db' is also" report d.db --html hard.db
refuses "'d.db-wal' is also" report d.db --html d.db-wal
refuses "'d.db' is also" report before.db link.db --csv d.db

# Results of a run.
for form in human tap tap14 junit json; do
    refuses "--format: 'd.db' is also --db" run -d ./my.so gather_nd.examples --db d.db --format "$form=d.db"
done
refuses "'new.db' is also --db" run -d ./my.so gather_nd.examples --db new.db --format json=new.db
refuses "'folder/new.db' is also --db" run -d ./my.so gather_nd.examples --db sub/new.db --format json=folder/new.db
refuses "'nowhere.db' is also --db" run -d ./my.so gather_nd.examples --db dangling.db --format json=nowhere.db
refuses "'new.db-journal' is also --db" run -d ./my.so gather_nd.examples --db new.db --format json=new.db-journal
refuses "--format: 'my.so' is also .*my.so" run -d ./my.so gather_nd.examples --format json=my.so
refuses "--db: 'my.so' is also" run -d ./my.so gather_nd.examples --db my.so
refuses "'known.txt' is also --expect" run -d ./my.so gather_nd.examples --expect known.txt --format json=known.txt
refuses "'one.json' is also --cases" run -d ./my.so --cases one.json --format json=one.json
refuses "'specs/gather.lua' is also" run -d ./my.so gather_nd.examples --specs specs --format "json=specs/gather.lua"
refuses "'cases/types.lua' is also" run -d ./my.so gather_nd.examples --cases cases --format "json=cases/types.lua"
refuses "'$root/specs/gather.lua' is also" run -d ./my.so gather_nd.examples --format "json=$root/specs/gather.lua"
refuses "named twice|is also --format" run -d ./my.so gather_nd.examples --format json=x --format tap=./x
refuses "is also --format" run -d ./my.so gather_nd.examples --format json=sub/x --format tap=folder/x
refuses "'adapter.py' is also" run -d bridge:adapter.py gather_nd.examples --format json=adapter.py
cp my.so beside.so
cp known.txt beside.expected
refuses "'beside.expected' is also" run -d ./beside.so gather_nd.examples --format json=beside.expected
refuses "is also" run --resume --db d.db --format json=d.db

# The other commands.
refuses "--db: 'my.so' is also" fuzz -d ./my.so --count 1 --db my.so
refuses "--db: 'my.so' is also" fingerprint -d ./my.so --db my.so
refuses "--db: 'specs/gather.lua' is also" fuzz -d ./my.so --count 1 --specs specs --db specs/gather.lua
refuses "--db: 'my.so' is also" compare --time -d ./my.so -d ./beside.so gather_nd.examples --db my.so
refuses "--db: 'cases/types.lua' is also" coverage --cases cases --db cases/types.lua
refuses "'known.txt' is also" expect update known.txt --db known.txt
refuses "'link.db' is also" expect update link.db --db d.db
ln shard.db again.db
refuses "OUT.db: 'shard.db' is also IN.db, again.db" merge shard.db again.db
refuses "'new.txt' is also" verify . --db new.txt --format json=new.txt

# dispatch reads the model and the files that it names.
printf '\1\2\3\4' >in.bin
mkdir out
ln in.bin out/hard.bin
model() { # NAME: a model that copies in.bin to a file
    echo '{"resources": {"b": {"initialValuesDataType": "UINT32", "initialValues": {"sourcePath": "in.bin"}}}, "dispatchables": {},
        "commands": [{"type": "writeFile", "resource": "b", "targetPath": "'"$1"'"}]}' >model.json
}
model in.bin
refuses "writeFile: './in.bin' is also sourcePath, .*in.bin" dispatch model.json -d ./my.so
model hard.bin
refuses "writeFile: 'out/hard.bin' is also sourcePath" dispatch model.json -d ./my.so --output out
model model.json
refuses "writeFile: './model.json' is also the model" dispatch model.json -d ./my.so

# A promoted finding goes to the list of cases; an old file beside it is no place for what is being written.
"$ASSAY" fuzz -d mutants:ignore=GATHER/axis-range -o GATHER --count 16384 --db f.db >run.txt
finding=$(sqlite3 f.db 'select min(id) from fuzz_finding')
cp -r cases linked
ln -sf ../f.db linked/regressions.lua
refuses "'linked/regressions.lua' is also --db" fuzz promote "$finding" --db f.db --cases linked
ln -sf ../specs/gather.lua linked/regressions.lua
refuses "'linked/regressions.lua' is also --specs" fuzz promote "$finding" --db f.db --specs specs --cases linked
ln f.db cases/regressions.lua.new
"$ASSAY" fuzz promote "$finding" --db f.db --cases cases >run.txt
is "$? $(sqlite3 f.db 'select count(*) from fuzz_finding where id = '"$finding")" '0 1' \
    'a finding is promoted beside a database'

# Exports overwrite nothing unless asked to.
for form in json c; do
    fails 2 "my.so: exists already; --force overwrites it" repro "$case" --export "$form" my.so
    cmp -s my.so beside.so
    ok $? '  the file is as it was'
    echo old >"out.$form"
    fails 2 "out.$form: exists already" repro "$case" --export "$form" "out.$form"
    is "$(cat "out.$form")" old '  the file is as it was'
    "$ASSAY" repro "$case" --export "$form" "out.$form" --force
    is "$? $(grep -c . "out.$form" | sed 's/^[0-9]*$/lines/')" '0 lines' '  --force overwrites it'
    "$ASSAY" repro "$case" --export "$form" /dev/null
    is $? 0 '  /dev/null needs no --force'
done
refuses "'one.json' is also --cases" repro "$case" --cases one.json --export json one.json --force
refuses "'specs/gather.lua' is also" repro "$case" --specs specs --export json specs/gather.lua --force
refuses '--force is for --export' repro "$case" -d reference --force

# Some files are no conflict.
"$ASSAY" run -d ./my.so gather_nd.examples --db d.db --format json=/dev/null >run.txt
is $? 0 'an output may go to /dev/null'
"$ASSAY" report d.db --html page.html >out.txt
"$ASSAY" report d.db --html page.html >out.txt
is $? 0 'an output of an earlier call is replaced'
mkfifo pipe
"$ASSAY" report d.db --json pipe & cat pipe >from-pipe
wait $!
is "$? $(head -c 1 from-pipe)" '0 {' 'a pipe is written to'
tap_done
