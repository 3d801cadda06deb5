#!/bin/bash
# Choices that the documents leave open are recorded, and different choices of two devices are reported.
. tools/tap.sh

fingerprint() { "$ASSAY" fingerprint -d "$@" 2>"$TMPDIR/err"; }

own=$(fingerprint reference)
is $? 0 'the fingerprint of the reference device'
while read -r choice strength outcome; do
    like "$own" "^$choice +$strength +$outcome +[1-9]" "$choice, $strength: $outcome"
done <<'END'
out-of-range open clamped
out-of-range soft ignored
duplicates soft last
nan-payloads soft kept
denormals soft kept
total-multiple open accepted
output-overlap open E_INVALIDARG when created
input-leading-ones soft E_INVALIDARG when created
indices-leading-ones soft E_INVALIDARG when created
rejections reject E_INVALIDARG when created
END
like "$own" '^indices-sizes .* [0-9]+  GATHER_ELEMENTS  SCATTER_ELEMENTS$' 'the operators in which the choice is made'
like "$own" '^total-multiple .*(  [A-Z][A-Z0-9_]+){4}  and [1-9][0-9]+ more$' '  if there are many, the first four'
same=$(fingerprint reference --against reference gather_nd)
is $? 0 'the same device twice: exit status 0'
like "$same" 'choose the same in all [1-9][0-9]* cases' '  and the message says so'
fails 4 'no choice' fingerprint -d reference 'element_wise_*.types.*' 'gather*.types.*'
whole=$ASSAY
few_operators

# differs MUTANT CHOICE STRENGTH OUTCOME OWN
differs() {
    local lines
    lines=$(fingerprint "mutants:$1" --against reference ${6:+"$6"} | grep -E "^$2 +$3 +$4 +$5 +[1-9]")
    ok $? "$1: $2 ($3) is '$4', not '$5'"
    printf '%s\n' "$lines" | sed 's/^/# /'
}
differs fault=gather-zero out-of-range open zero clamped
ASSAY=$whole
differs fault=index-32-bits out-of-range open truncated clamped 'gather.indices.far*'
differs fault=index-signed out-of-range open signed clamped 'gather.indices.far*'
ASSAY=$few/build/assay
differs fault=scatter-clamps out-of-range soft clamped ignored
differs fault=scatter-first-wins duplicates soft first last
differs fault=nan-quiet nan-payloads soft quieted kept
differs fault=nan-canonical nan-payloads soft canonical kept
differs fault=denormals-flushed denormals soft flushed kept
differs fault=denormals-missed denormals soft flushed kept nonzero_coordinates
differs fault=reject-ragged total-multiple open 'E_INVALIDARG when created' accepted
differs ignore=GATHER/output-overlap output-overlap open accepted 'E_INVALIDARG when created' gather
differs ignore=GATHER_ND/input-leading-ones input-leading-ones soft accepted 'E_INVALIDARG when created' gather_nd
differs ignore=GATHER_ND/indices-leading-ones indices-leading-ones soft accepted 'E_INVALIDARG when created' gather_nd
differs fault=other-error rejections reject 'E_FAIL when created' 'E_INVALIDARG when created'
differs fault=reject-late total-multiple open 'E_INVALIDARG when compiled' accepted
fingerprint mutants:fault=gather-zero --against reference >/dev/null
is $? 1 'the exit status is 1 if they differ'

database=$TMPDIR/results.db
ASSAY=$whole fingerprint mutants:fault=scatter-clamps --db "$database" scatter_nd >/dev/null
is $? 0 'results go to a database'
is "$(sqlite3 "$database" "SELECT group_concat(outcome, ' ') FROM (SELECT DISTINCT outcome FROM fingerprint
    WHERE rule = 'out-of-range' ORDER BY outcome)")" 'clamped ignored' '  whose view says the same'

# An open choice does not excuse other errors.
"$ASSAY" run -d mutants:fault=last-lost 'gather*.indices.above-*' >"$TMPDIR/out" 2>&1
is $? 1 'a wrong element with a valid index fails beside others that are open'
like "$(cat "$TMPDIR/out")" 'never written|wrong where the documents are definite' '  and the message says so'

fails 2 'which device' fingerprint
fails 4 'no case matches' fingerprint -d reference nonsense
fails 6 'nonsense' fingerprint -d nonsense
fails 2 'timeout' fingerprint -d reference --timeout 0
tap_done
