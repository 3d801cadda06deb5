#!/bin/bash
# Completion in real shells, the manual page, and the files that make install installs.
. tools/tap.sh
few_operators
program=$(realpath "$ASSAY")
mkdir -p "$TMPDIR/bin" "$TMPDIR/home"
ln -s "$program" "$TMPDIR/bin/assay"
export PATH=$TMPDIR/bin:$PATH HOME=$TMPDIR/home

# bash: calls the function registered with `complete`, with words split like readline does.
"$ASSAY" completion bash >"$TMPDIR/complete.bash"
shellcheck -s bash "$TMPDIR/complete.bash" >"$TMPDIR/said"
ok $? 'bash: shellcheck passes the script'
# shellcheck source=/dev/null
. "$TMPDIR/complete.bash"
function_of=$(complete -p assay | sed -nE 's/.* -F ([^ ]+) .*/\1/p')

# offered LINE: what bash offers at the end of the line, in COMPREPLY.
offered() {
    local line=$1 rest
    COMP_LINE=$line COMP_POINT=${#line} COMP_WORDS=() COMPREPLY=()
    rest=$(printf '%s' "$line" | sed -E 's/([=:])/ \1 /g')
    read -ra COMP_WORDS <<<"$rest"
    [[ $rest == *' ' ]] && COMP_WORDS+=('')
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    "$function_of" assay "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
}
# completes LINE EXPECTED…: bash offers exactly these words, in any order.
completes() {
    local line=$1 expected
    shift
    expected=$(printf '%s\n' "$@" | sort)
    offered "$line"
    is "$(printf '%s\n' "${COMPREPLY[@]}" | sort)" "$expected" "bash: $line"
}
completes 'assay ru' run
completes 'assay rep' report repro
completes "$TMPDIR/bin/assay ru" run
completes 'assay --v' --version
completes 'assay run --no-' --no-config --no-expect
completes 'assay list --j' --json
completes 'assay run --format j' junit json
completes 'assay run --format=t' tap tap14
completes 'assay run --format junit=x.xml --format js' json
completes 'assay run --color ' always never auto
completes 'assay run --flaky ' fail ok
completes 'assay run --allow ' all memory= network read= write=
mapfile -t shipped < <("$ASSAY" devices | grep -v '^ ')
completes 'assay run -d ' "${shipped[@]}"
completes 'assay run --device=ref' reference
completes 'assay devices vul' vulkan
completes 'assay run -vd ref' reference
completes 'assay list -o GATHER_' GATHER_ELEMENTS GATHER_ND GATHER_ND1
completes 'assay spec NONZERO' NONZERO_COORDINATES
completes 'assay list --level 4' 4_0 4_1
completes 'assay list gather_n' gather_nd. gather_nd1.
completes 'assay list gather_nd.ex' gather_nd.examples. gather_nd.extents.
completes "assay run -d reference 'gather_nd.ex" gather_nd.examples. gather_nd.extents.
completes 'assay show gather_nd.examples.1d' "$("$ASSAY" list -o GATHER_ND gather_nd.examples.1d-remapping)"
completes 'assay adapter new --language ' python node c++
completes 'assay adapter ' new
completes 'assay expect ' check update
completes 'assay expect update ' ''
completes 'assay fuzz pro' promote
db=$TMPDIR/findings.db
"$ASSAY" fuzz -d mutants:ignore=GATHER/axis-range -o GATHER --count 16384 --db "$db" >"$TMPDIR/said"
mapfile -t findings < <(sqlite3 "$db" 'select id from fuzz_findings')
ok $((${#findings[@]} > 0 ? 0 : 1)) "a search stores findings: ${findings[*]}"
before=$(sha256sum <"$db")
completes "assay fuzz --db $db promote " "${findings[@]}"
completes "assay fuzz promote --db=$db " "${findings[@]}"
completes "assay fuzz promote --db=$db ${findings[0]}" "${findings[0]}"
completes "assay fuzz promote --db $TMPDIR/none.db " ''
is "$([ -e "$TMPDIR/none.db" ] && echo exists) $(sha256sum <"$db")" " $before" 'and no database is created or changed'
completes 'assay fuzz promote ' ''
completes 'assay run -d vulkan:v' validation
completes 'assay run -d reference:' level= threads=
# options DEVICE: the arguments that a device has, by its message about one that it does not have.
options() { "$ASSAY" devices "$1:no-such=1" | sed -nE "s/.*(the options are|expected) ([^(]*).*/\2/p" |
    sed -E 's/=[A-Z]+//g; s/ (and|or) /, /; s/, /\n/g; s/ $//'; }
for device in reference vulkan mutants onnxruntime directml; do
    offered "assay run -d $device:"
    is "$(printf '%s\n' "${COMPREPLY[@]%=}" | sort)" "$(options $device | sort)" "the arguments of $device"
done
completes 'assay run -d bridge:' timeout=
completes 'assay explain GATHER_ND/ou' GATHER_ND/output-rank GATHER_ND/output-sizes GATHER_ND/out-of-range \
    GATHER_ND/outside \
    GATHER_ND/output-overlap
completes 'assay explain gather_nd.ex' gather_nd.examples. gather_nd.extents.
completes 'assay completion ' bash zsh fish
completes 'assay list -- --j' ''
completes 'assay nonsense ' ''
completes 'assay run --seed ' ''
completes 'assay run --db ' ''
cp -r "$few/specs" "$TMPDIR/specs"
rm "$TMPDIR/specs/gather_nd.lua" "$TMPDIR/specs/gather_nd1.lua"
completes "assay list --specs $TMPDIR/specs -o GATHER_" GATHER_ELEMENTS
completes "assay list --specs=$TMPDIR/specs gather_" gather_elements.
for name in $("$ASSAY" --help | sed -nE 's/^  ([a-z]+)( .*|$)/\1/p'); do
    completes "assay $name --hel" --help
done

# Tab keys in an interactive bash; the completed command lines are run.
touch "$TMPDIR/home/results-of-mine.db"
printf '%s\n' "PS1='> '; cd $TMPDIR/home; . $TMPDIR/complete.bash" \
    $'assay lis\t--cou\tgather_nd.examp\t >count' $'echo assay run --db resul\t>file' exit |
    script -qec 'bash --norc --noprofile -i' /dev/null >"$TMPDIR/screen" 2>&1
is "$(cat "$TMPDIR/home/count")" "$("$ASSAY" list --count gather_nd.examples)" \
    'bash: a command line completed with tabs runs'
is "$(cat "$TMPDIR/home/file")" 'assay run --db results-of-mine.db' 'bash: file names are completed'

# zsh and fish, through their own completion.
"$ASSAY" completion zsh >"$TMPDIR/_assay"
zsh -n "$TMPDIR/_assay"
ok $? 'zsh: the syntax of the script is correct'
cat >"$TMPDIR/ask.zsh" <<'ZSH'
# Types LINE and a tab into another zsh; prints what it shows.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1='ready> '; stty -echo; fpath=($TMPDIR \$fpath); autoload -Uz compinit; compinit -u -d $TMPDIR/zcompdump"
zpty -w shell "zstyle ':completion:*' list-grouped no; LISTMAX=10000; setopt no_auto_menu; bindkey '^I' complete-word"
zpty -w shell "accept() { print -r -- \"<\$BUFFER>\"; BUFFER=exit; zle accept-line }; zle -N accept; bindkey '^X' accept"
zpty -w -n shell "$1"$'\t\x18'
while zpty -r shell line; do print -r -- "$line"; done
ZSH
like "$(timeout 60 zsh -f "$TMPDIR/ask.zsh" 'assay lis')" '<assay list >' 'zsh: a command'
like "$(timeout 60 zsh -f "$TMPDIR/ask.zsh" 'assay run --format=jun')" '<assay run --format=junit >' 'zsh: a format'
like "$(timeout 60 zsh -f "$TMPDIR/ask.zsh" 'assay show gather_nd.exam')" '<assay show gather_nd.examples.>' \
    'zsh: a case'
fish_offers() { fish --no-config -c "source ('$ASSAY' completion fish | psub); complete -C '$1'" | cut -f1 | tr '\n' \
    ' '; }
is "$(fish_offers 'assay lis')" 'list ' 'fish: a command'
is "$(fish_offers 'assay run --format j')" 'json junit ' 'fish: a format'
is "$(fish_offers 'assay run -o GATHER_N')" 'GATHER_ND GATHER_ND1 ' 'fish: an operator'
is "$(fish_offers 'assay list gather_nd.ex')" 'gather_nd.examples. gather_nd.extents. ' 'fish: cases'
is "$(fish_offers "assay fuzz promote --db $db ")" "${findings[*]} " 'fish: findings'
is "$(fish_offers "assay run --db $TMPDIR/home/resul")" "$TMPDIR/home/results-of-mine.db " 'fish: files'

# The manual page. It has no date, so that builds are reproducible.
"$ASSAY" manual >"$TMPDIR/assay.1"
is "$(mandoc -T lint -W warning "$TMPDIR/assay.1" | grep -v 'missing date')" '' 'manual: mandoc has no warnings'
page=$(mandoc -T utf8 -O width=200 "$TMPDIR/assay.1" | sed 's/.\x08//g')
for name in $("$ASSAY" --help | sed -nE 's/^  ([a-z]+)( .*|$)/\1/p'); do
    like "$page" "assay $name" "manual: $name"
    missing=
    for option in $("$ASSAY" "$name" --help | sed -nE 's/^ +(-., )?(--[a-z-]+).*/\2/p'); do
        grep -qe "$option" <<<"$page" || missing="$missing $option"
    done
    is "$missing" '' '  with its options'
    like "$("$ASSAY" "$name" --help | head -n 1)" '^Examples:' '  whose help begins with examples'
done
like "$page" "assay list 'scatter_\*.violations.\*' --count" 'manual: examples are not changed'

# make install puts the scripts and the page where shells and man look for them; make uninstall removes them.
if [ "$program" = "$(realpath build/assay)" ]; then
    make -s install DESTDIR="$TMPDIR/stage" PREFIX=/usr >"$TMPDIR/said" 2>&1
    ok $? 'make install'
    share=$TMPDIR/stage/usr/share
    for file in bash-completion/completions/assay zsh/site-functions/_assay fish/vendor_completions.d/assay.fish; do
        is "$(grep -c 'complete --' "$share/$file")" 1 "  installs $file"
    done
    cmp -s "$TMPDIR/assay.1" "$share/man/man1/assay.1"
    ok $? '  and the manual page'
    make -s uninstall DESTDIR="$TMPDIR/stage" PREFIX=/usr >"$TMPDIR/said" 2>&1
    is "$(find "$TMPDIR/stage" -type f)" '' 'make uninstall leaves no file'
fi

tap_done
