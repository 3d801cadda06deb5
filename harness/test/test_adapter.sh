#!/bin/bash
# `assay adapter new`: for each language, the adapter is written, built and run as the command prints it, and everything
# that it has passes.
. tools/tap.sh
few_operators
full=$(dirname "$few")/assay # the operator of adapters is none of the few
db=$TMPDIR/results.db

# adapter LANGUAGE FOLDER: writes the adapter, and follows what is printed.
adapter() {
    local language=$1 folder=$2 line more commands
    rm -f "$db"
    "$full" adapter new --language "$language" "$folder" >"$TMPDIR/out" 2>&1
    is $? 0 "$language: the adapter is written" || sed 's/^/# /' "$TMPDIR/out"
    mapfile -t commands < <(sed -n 's/^  //p' "$TMPDIR/out")
    for line in "${commands[@]}"; do
        more=
        case $line in
            *' devices '*adapter.py) continue ;; # takes as long as the rest, and is tested in Node.js and C++
            *' run '*) more=" -j 1 --db $db element_wise_add.elements element_wise_add.types" ;;
        esac
        bash -c "$line$more" >"$TMPDIR/said" 2>&1
        is $? 0 "$language: $line" || sed 's/^/# /' "$TMPDIR/said"
    done
    is "$(sqlite3 "$db" "select group_concat(distinct status), sum(compared) > 8 from results where status not in
        ('skip', 'unsupported')")" 'pass|1' "$language: its operator is right"
}

adapter python "$TMPDIR/python"
adapter node "$TMPDIR/in a 'new' folder"
adapter c++ "$TMPDIR/c++"
clang++ -std=c++11 -Wall -Wextra -Wpedantic -Wshadow -Werror -fsyntax-only "$TMPDIR/c++/adapter.cpp" >"$TMPDIR/said" 2>&1
ok $? 'another compiler of C++ has no warning' || sed 's/^/# /' "$TMPDIR/said"

# An adapter has a copy of the module, which may become older than the bridge.
sed -i 's/b"ASB2"/b"ASB1"/' "$TMPDIR/python/assay_peer.py"
fails 6 'speaks version 1 of the protocol, the bridge version 2' run -d "bridge:$TMPDIR/python/adapter.py" gather.examples

cp "$TMPDIR/python/adapter.py" "$TMPDIR/kept"
fails 2 "python/adapter.py exists; expected a folder without it" adapter new --language python "$TMPDIR/python"
cmp -s "$TMPDIR/kept" "$TMPDIR/python/adapter.py"
ok $? '  and it stays as it was'
rm "$TMPDIR/python/adapter.py"
fails 2 "assay_peer.py exists" adapter new --language python "$TMPDIR/python"
[ ! -e "$TMPDIR/python/adapter.py" ]
ok $? '  and nothing is written'
fails 2 "assay adapter new --language LANGUAGE DIR" adapter new "$TMPDIR/none"
fails 2 "assay adapter new --language LANGUAGE DIR" adapter --language python "$TMPDIR/none"
fails 2 "did you mean.*python" adapter new --language pyton "$TMPDIR/none"
[ ! -e "$TMPDIR/none" ]
ok $? '  and no folder is made'
fails 3 "no/such: No such file or directory" adapter new --language node "$TMPDIR/no/such"
fails 3 "kept: Not a directory" adapter new --language node "$TMPDIR/kept"
tap_done
