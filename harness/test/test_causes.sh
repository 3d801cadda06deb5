#!/bin/bash
# Failures name the rule that is broken, not only the one that their case tests, and one fault is one group.
. tools/tap.sh
whole=$ASSAY
few_operators

# causes ARGUMENT…: a run into run.db, what it prints into output, its groups into groups.
causes() {
    rm -f "$TMPDIR"/run.db* "$TMPDIR/groups"
    "$ASSAY" run "$@" --search 0 --db "$TMPDIR/run.db" --format human="$TMPDIR/output" --format json="$TMPDIR/lines" \
        --format tap="$TMPDIR/tap" --format junit="$TMPDIR/junit" >/dev/null 2>&1
    "$ASSAY" report "$TMPDIR/run.db" --causes "$TMPDIR/groups"
}
# groups KIND: the groups of that kind, a line each: cause, broken rules.
groups() {
    awk -F'\t' -v kind="$1" '$2 == kind { print $6 ": " $7 }' "$TMPDIR/groups"
}
query() {
    sqlite3 "$TMPDIR/run.db" "$1"
}

# One bug that fails hundreds of cases, which test other rules.
causes -d mutants:fault=minus-zero-counted nonzero_coordinates
is "$(groups failure)" 'signed-zero-counted: signed-zero' 'one bug, one group'
rules=$(query "SELECT count(DISTINCT rule) FROM failures")
[ "$rules" -gt 3 ]
ok $? "  although the failing cases test $rules rules"
is "$(query 'SELECT DISTINCT broken FROM failures')" signed-zero '  column broken has the rule that is broken'
like "$(cat "$TMPDIR/output")" '[0-9]+ failures, one cause:' 'the run says so at its end'
like "$(cat "$TMPDIR/output")" \
    'where +all FLOAT32 or FLOAT16, with -0.0( [(][0-9]+ too large to look at[)])?; none of the others: [0-9]+ of the [0-9]+ ' \
    '  with the property that separates the failing cases'
like "$(cat "$TMPDIR/output")" 'fits +-0.0 is taken for a number other than zero' '  and with each failure'
like "$("$ASSAY" report "$TMPDIR/run.db")" '-0.0 is taken for a number other than zero' 'so does a report'
like "$(cat "$TMPDIR/lines")" '"broken":"signed-zero"' 'JSON has the rule'
like "$(cat "$TMPDIR/tap")" 'broken: .?signed-zero' 'TAP, too'
like "$(cat "$TMPDIR/junit")" 'broken rule: signed-zero' 'and JUnit'
"$ASSAY" report "$TMPDIR/run.db" --json "$TMPDIR/data" --junit "$TMPDIR/junit2" --markdown "$TMPDIR/markdown"
read -r cases title < <(awk -F'\t' '$2 == "failure" { print $3, $10 }' "$TMPDIR/groups")
like "$(grep -F " $title" "$TMPDIR/markdown")" "^ *$cases  " 'Markdown has the group'
is "$(jq -r '.groups[] | select(.kind == "failure") | "\(.cases) \(.members | unique | length) \(.title)"' \
    "$TMPDIR/data")" \
    "$cases $cases $title" '  the page, too, with its cases'
is "$(jq '[.groups[0].members[] as $m | .cases.devices[0].status[$m:$m + 1]] | unique | join("")' "$TMPDIR/data")" \
    '"f"' \
    '  which failed'
for file in junit junit2; do
    is "$(grep -c ">group 1: $title" "$TMPDIR/$file")" "$cases" "  and $file, at each of its cases"
    like "$(grep -m1 'name="group-1"' "$TMPDIR/$file")" "value=\"$cases failures: $title; broken: signed-zero" \
        '    and among the properties'
    xmllint --noout --schema harness/test/junit.xsd "$TMPDIR/$file" 2>/dev/null
    ok $? '    as its schema says'
done
said=$("$ASSAY" spec --trace NONZERO_COORDINATES --db "$TMPDIR/run.db")
like "$(grep -E ' signed-zero ' <<<"$said")" ' fail' 'the sentence about it fails'
is "$(grep -cE ' (rows-enough|row-width|order|not-a-number) .* fail' <<<"$said")" 0 '  and no other one does'

# A device that keeps compiled operators under a key without an attribute.
few=$ASSAY
ASSAY=$whole
causes -d mutants:forget=Alpha,operator=ACTIVATION_HARD_SWISH activation_hard_swish.parts
like "$(groups failure)" '^operator-reused: ' 'an operator that was compiled for another description has a cause of its own'
is "$(query "SELECT count(*) > 3 AND min(case_name LIKE '%-Alpha%') FROM failures")" 1 '  in the cases that differ in the attribute'
causes -d mutants:forget=HasExclusiveSum,operator=CUMULATIVE_SUMMATION cumulative_summation.parts
like "$(groups failure)" '[|]operator-reused: ' '  also where a known mistake of the formula gives the same results'
causes -d mutants:forget=InputWindowOffsets,operator=SLICE1 slice1.parts
like "$(query "SELECT DISTINCT explanations FROM failures")" 'operator-reused' '  also of an operator without formulas'
ASSAY=$few

# Reports group the current state, of which a later run updates a part.
"$ASSAY" run -d mutants:fault=minus-zero-counted nonzero_coordinates.types --db "$TMPDIR/run.db" >/dev/null 2>&1
cp "$TMPDIR/groups" "$TMPDIR/before"
"$ASSAY" report "$TMPDIR/run.db" --causes "$TMPDIR/groups"
is "$(cut -f 1-10 "$TMPDIR/groups")" "$(cut -f 1-10 "$TMPDIR/before")" 'a partial run leaves the groups of the state'

# The rule of the case decides about wrong answers to descriptions.
causes -d mutants:ignore=GATHER/axis-range gather.violations
is "$(groups failure)" 'wrong accept: axis-range' 'a wrong accept breaks the rule that it accepts'

# Another operator, another kind of mistake.
ASSAY=$whole
causes -d mutants:fault=negative-as-zero 'gather_nd.indices'
is "$(groups failure)" 'negative-as-zero|negative-lost: negative-indices' \
    'mistakes that predict the same are named together'
causes -d mutants:fault=write-before-start gather_nd.examples
is "$(groups failure | sort)" $'corrupt memory: outside\ncrash: gathers' 'writes outside of a tensor, or of its pages'
# Explaining is bounded, and has a time limit of its own: a failed case stays one, however long its dispatch took.
causes -d mutants:fault=do-nothing --timeout 1 'gather.shapes' 'scatter_nd.shapes' 'gather.values.patterns*'
is "$(query "SELECT DISTINCT status FROM failures")" fail 'large tensors of wrong results are no timeouts'
cat >"$TMPDIR/slow.c" <<'C'
#include "harness/test/wrapper.h"
#include <time.h>
static HRESULT dispatch(assay_device *device, const assay_dispatch_item *items, uint32_t count, assay_dispatch_result *out)
{
    nanosleep(&(struct timespec){.tv_nsec = 800000000}, 0);
    return inner->dispatch(device, items, count, out);
}
static void wrapper_replace(assay_device_api *api)
{
    api->dispatch = dispatch;
}
C
${CC:-cc} -shared -fPIC -I. "$TMPDIR/slow.c" -o "$TMPDIR/slow.so" -ldl || echo '# slow.c could not be compiled'
INNER=$(realpath "$ASSAY_DEVICES/mutants.so")
export INNER
causes -d "$TMPDIR/slow.so:fault=nan-infinity" --timeout 1 'gather.values.patterns-InputTensor-0.fl4_1.float16-uint32*'
is "$(query "SELECT DISTINCT status, explanations FROM failures")" 'fail|nan-infinity' \
    'nor is one whose device needs nearly all of the time'
unset INNER

# Slips in the folds of many elements to one: formulas predict them. test/long/test_causes.sh has them in all rows, and
# what can be ignored in all covers.
of_slip() {
    causes -d "mutants:fault=$1,operator=$2" "${2,,}.rows.$3"
    groups failure | cut -d: -f1
}
is "$(of_slip fold-last-dropped REDUCE 'units-*.float16*')" fold-missed 'a last element that is left out'
is "$(of_slip fold-edge-unseen ARGMAX 'peaks-*')" fold-missed '  or those at the edges of tiles'
is "$(of_slip fold-edge-twice CUMULATIVE_SUMMATION 'units-*')" fold-twice 'elements that count twice'
is "$(of_slip fold-edge-twice REDUCE 'units-*-average.*')" fold-twice '  also in a mean'
if [ -e /usr/lib/python3/dist-packages/numpy ]; then # a device whose other elements are right, but not exact
    cat >"$TMPDIR/sums.py" <<EOF
#!/usr/bin/python3
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, "$PWD/device/bridge")
import assay_peer, numpy as np

def run(item):
    x, y = (np.frombuffer(t.data, np.float32) for t in item.tensors)
    row = x.copy()
    row[256::256] *= 2
    y[...] = np.cumsum(row, dtype=np.float32)

assay_peer.serve({"name": "sums", "data_types": ["FLOAT32"], "operators": {"CUMULATIVE_SUMMATION": {}}}, run)
EOF
    chmod +x "$TMPDIR/sums.py"
    tensor='{"DataType": "FLOAT32", "Sizes": [600]}'
    printf '{"cases": [{"name": "row", "type": "CUMULATIVE_SUMMATION", "desc": {"InputTensor": %s, "OutputTensor": %s,
        "Axis": 0, "AxisDirection": "INCREASING", "HasExclusiveSum": 0}, "inputs": {"InputTensor": [%s]}}]}' \
        "$tensor" "$tensor" "$(seq -s, 1.1 0.1 61)" >"$TMPDIR/row.json"
    causes -d "bridge:$TMPDIR/sums.py" --cases "$TMPDIR/row.json"
    like "$(cat "$TMPDIR/output")" 'fits +elements of a row count twice: ' \
        '  also on a device that rounds each sum to FLOAT32'
fi
is "$(of_slip fold-unit-zero CUMULATIVE_PRODUCT 'units-*.uint32*')" fold-unit-zero 'a product that begins with 0'
like "$(query "SELECT DISTINCT explanations FROM failures")" fold-from-zero '  as other products and extremes may'
is "$(of_slip fold-direction CUMULATIVE_SUMMATION 'units-*.float32*')" fold-direction \
    'a constant that is taken for another one'
like "$(query "SELECT DISTINCT explanations FROM failures")" attribute-misread '  as any attribute may be'

# An attribute that is misread changes the sizes that the output should have, but the caller has given others.
causes -d mutants:fault=convolve-undilated,operator=CONVOLUTION 'convolution.elements.ordinary*'
is "$(groups failure)" 'convolve-undilated: convolves' 'dilations that count as 1'
causes -d mutants:fault=compared-negated,operator=ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL \
    'element_wise_logical_less_than_or_equal.elements.pairs*'
is "$(groups failure)" 'compared-negated: elements' 'a known mistake: a comparison that holds for NaNs'
# In 64 bits, products of rounded integers wrap to 0; a device that leaves zeros need not have computed them.
causes -d mutants:fault=reported-tail-unwritten 'element_wise_multiply.cover*'
is "$(groups failure | cut -d: -f1 | sort -u | tr '\n' ' ')" 'not-written zeros ' 'zeros are no products of rounded integers'

# No value breaks a rule that leaves a choice: what fails is none of the choices.
causes -d mutants:fault=pool-window-first,operator=AVERAGE_POOLING average_pooling.choices.settled
is "$(query 'SELECT DISTINCT rule, broken FROM failures')" 'empty|averages' 'an open rule is tested, but not broken'
causes -d mutants:fault=response-radius,operator=LOCAL_RESPONSE_NORMALIZATION \
    local_response_normalization.elements.{pairs,dyadic}
is "$(query 'SELECT DISTINCT rule, broken FROM failures')" 'denormals|normalises' '  nor is a soft one'

causes -d reference gather_nd.examples
is "$(wc -l <"$TMPDIR/groups")" 1 'a device without failures has no group'
# An optional part can be ignored: a tensor, Scale and Bias, a fused activation. A required part can count as zero.
for fault in normal-added-lost normal-activation-none normal-bias-ignored; do
    causes -d mutants:fault=$fault,operator=BATCH_NORMALIZATION_TRAINING \
        'batch_normalization_training.cover*.'{float16.d4,float32.d5}'*'
    [ $fault = normal-bias-ignored ] && wanted=input-as-zero || wanted=optional-ignored
    like "$(groups failure)" "^$fault: computes" "$fault is a known mistake"
    is "$(query "SELECT min(explanations LIKE '%$wanted%') FROM failures")" 1 "  of the kind $wanted"
    is "$(groups failure | wc -l)" 1 '  is the only group'
done
causes -d mutants:fault=scale-bias-ignored,operator=ELEMENT_WISE_EXP 'element_wise_exp.cover*'
like "$(groups failure)" '^scale-bias-ignored: ' 'Scale and Bias, too'
is "$(query "SELECT max(explanations LIKE '%optional-ignored%') FROM failures")" 1 '  of the same kind'

# Mistakes that others look like in a few cases: the cause is the one that all failures have.
of_mistake() {
    causes -d "mutants:fault=$1" "$2"
    groups "${3:-failure}" | cut -d: -f1
}
like "$(of_mistake hot-clamped,operator=ONE_HOT 'one_hot.indices.above-*')" '^index-clamped' \
    'an index that is clamped is not read as another type'
is "$(of_mistake index-end-clamped 'one_hot.indices.above-*')" index-clamped '  nor is one just past the end'
like "$(of_mistake index-wrapped 'one_hot.indices.above-*')" '^index-wrapped' '  nor one that counts modulo the size'
like "$(of_mistake reverse-long-kept,operator=REVERSE_SUBSEQUENCES 'reverse_subsequences.indices.above-*')" \
    '^index-outside-first' 'a length beyond the sequence that is taken as 0'
like "$(of_mistake attribute-nearest 'element_wise_clip.*')" '^attribute-nearest' \
    'limits that are rounded are not taken for usual numbers'
is "$(of_mistake pool-divisor-undilated,operator=AVERAGE_POOLING1 'average_pooling1.cover')" pool-divisor-undilated \
    'a divisor without Dilations is no missing division'
is "$(of_mistake block-modulo,operator=QUANTIZE 'quantize.situations.zero-points-of-pairs-*')" block-modulo \
    'blocks that are counted modulo their number'
is "$(of_mistake softmax-unshifted,operator=ACTIVATION_LOG_SOFTMAX 'activation_log_softmax.situations')" powers-overflow \
    'powers that overflow, although all results are infinite'
is "$(of_mistake activation-by-tanh,operator=ACTIVATION_GELU 'activation_gelu.elements' warning)" activation-by-tanh \
    'a known mistake that only warns'
causes -d mutants:fault=activation-by-tanh,operator=ACTIVATION_GELU 'activation_gelu.memory.*again*'
is "$(query "SELECT DISTINCT status || ' ' || rule || ' ' || broken FROM results")" 'warn outside elements' \
    'a warning breaks no must rule that its case tests'
tap_done
