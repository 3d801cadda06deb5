#!/bin/bash
# tools/vectors: vectors of other suites become cases with the same elements, and the table counts what became of them.
. tools/tap.sh
cd tools/vectors || exit 1
python=/usr/bin/python3
python() { PYTHONDONTWRITEBYTECODE=1 $python "$@"; }

# ---- what converters share
like "$(python - <<'PYTHON'
import numpy as np
from vectors import Case, Refused
case = Case("ELEMENT_WISE_ADD").broadcast("ATensor", np.array([[1.5], [np.inf]], "f4"), (2, 2))
case.input("BTensor", np.array([[1, 2], [3, np.nan]], "f4")).output("OutputTensor", np.zeros((2, 2), "f4"))
print(case.as_json("a suite/b"))
for array in (np.zeros((0, 2), "f4"), np.array(["a"]), np.zeros([1] * 9, "f4")):
    try:
        Case("X").input("InputTensor", array)
    except Refused as why:
        print(why)
PYTHON
)" "^\{'name': 'a_suite_b', 'type': 'ELEMENT_WISE_ADD', 'desc': \{'ATensor': \{'DataType': 'FLOAT32', 'Sizes': \[2, 2\], 'Strides': \[1, 0\]\}, .*'inputs': \{'ATensor': \[1.5, 1.5, 'inf', 'inf'\], 'BTensor': \[1.0, 2.0, 3.0, 'nan'\]\}, .*
a tensor without elements
elements of the type str.*
more than 8 dimensions$" 'tensors, broadcasts, special values and refusals'

# ---- the table
sqlite3 "$TMPDIR/results.db" "create table results (case_name, status, cause, message);
insert into results values ('onnx.Abs.a', 'pass', '', ''), ('onnx.Abs.b', 'fail', 'wrong result', 'wrong'),
('onnx.Add.c', 'harness_error', 'case file', 'the file contradicts the reference: 1 element'),
('onnx.Add.d', 'harness_error', 'case file', 'x.json: cases[3].desc: too small'), ('onnx.Add.e', 'crash', 'crash', '')"
printf 'Add\tf\tno axes\nLoop\tg\tno axes\n' >"$TMPDIR/refused.tsv"
text=$(python table.py "$TMPDIR/results.db" "$TMPDIR/refused.tsv")
is $? 1 'a failure is the exit status'
is "$(tr -s ' ' <<<"$text" | head -n 5)" "operator vectors pass warn fail contradicts illegal other unconverted
Abs 2 1 . 1 . . . .
Add 4 . . . 1 1 1 1
Loop 1 . . . . . . 1
all 7 1 . 1 1 1 1 2" 'a row for each operator'
like "$text" '
 +2  no axes
 +1  too small

cases that did not pass:
  onnx.Abs.b: fail: wrong
  onnx.Add.c: .*
  onnx.Add.e: ' 'the reasons, and what did not pass'

# ---- WebNN: a file of tests, exported as the help says
cat >"$TMPDIR/abs.https.any.js" <<'END'
'use strict';
const tolerance = () => ({metricType: 'ULP', value: 0});
const tensor = (shape, data) => ({'data': data, 'descriptor': {shape: shape, dataType: 'float32'}});
const one = (name, operator, inputs, output, more = []) => ({'name': name, 'graph': {'inputs': inputs,
  'operators': [{'name': operator, 'arguments': Object.keys(inputs).map((key) => ({[key]: key})).concat(more)}],
  'expectedOutputs': {'out': output}}});
const absTests = [
  one('abs 1D. tensor', 'abs', {'input': tensor([3], [-1.5, Infinity, NaN])}, tensor([3], [1.5, Infinity, NaN])),
  one('sum', 'reduceSum', {'input': tensor([2, 2], [1, 2, 3, 4])}, tensor([2], [3, 7]), [{'options': {'axes': [1]}}]),
  one('wrong', 'div', {'a': tensor([2, 2], [1, 2, 3, 4]), 'b': tensor([], 2)}, tensor([2, 2], [0.5, 1, 1.5, 3])),
  one('gru', 'gru', {}, tensor([1], [1])),
];
if (navigator.ml)
  absTests.forEach((test) => webnn_conformance_test(tolerance, test));
else
  test(() => assert_implements(navigator.ml, 'missing'));
END
python webnn.py --help | sed -n '/^ *node -e/,/abs\.json$/p' >"$TMPDIR/export.sh"
(cd "$TMPDIR" && sh export.sh)
run() { (cd ../.. && tools/vectors/run "$@"); }
text=$(run "$TMPDIR/webnn" reference tools/vectors/webnn.py "$TMPDIR/abs.json")
is "$? $(tr -s ' ' <<<"$text" | grep '^all')" '1 all 4 2 . . 1 . . 1' 'tests of WebNN become cases'
like "$text" 'webnn.div.wrong: harness_error: the file contradicts the reference: 1 element .* of the tolerance' \
    'with the tolerances of WebNN'
is "$(jq -c '[.cases[].tolerance.ulp]' "$TMPDIR/webnn/cases.json")" '[0,2,2]' 'which depend on the operator'
is "$(cat "$TMPDIR/webnn/cases.refused.tsv")" "$(printf 'gru\tgru\tno converter for this operator')" \
    'an operator without a converter is listed'

# ---- ONNX
if ! python -c 'import onnx' 2>/dev/null; then
    for name in 'tests of ONNX become cases' 'a wrong one contradicts' 'the others are listed'; do
        ok 0 "$name # SKIP python3-onnx is not installed"
    done
    tap_done
    exit
fi
python - "$TMPDIR/node" <<'PYTHON'
import os, sys
import numpy as np
from onnx import TensorProto, helper, numpy_helper
def test(name, op, inputs, output, **attributes):
    folder = os.path.join(sys.argv[1], name, "test_data_set_0")
    os.makedirs(folder)
    names = ["x%d" % index for index in range(len(inputs))]
    declare = lambda name, array: helper.make_tensor_value_info(name, TensorProto.FLOAT, array.shape)
    graph = helper.make_graph([helper.make_node(op, names, ["y"], **attributes)], name,
                              [declare(*pair) for pair in zip(names, inputs)], [declare("y", output)])
    with open(os.path.join(sys.argv[1], name, "model.onnx"), "wb") as file:
        file.write(helper.make_model(graph).SerializeToString())
    for side, arrays in (("input", inputs), ("output", [output])):
        for index, array in enumerate(arrays):
            with open(os.path.join(folder, "%s_%d.pb" % (side, index)), "wb") as file:
                file.write(numpy_helper.from_array(array).SerializeToString())
x = np.array([[1, -2, 3], [4, 5, -6]], "f4")
test("abs", "Abs", [x], np.abs(x))
test("add", "Add", [x, x[:1]], x + x[:1])
test("softmax", "Softmax", [x[:, :1]], np.ones((2, 1), "f4"), axis=1)
test("transpose", "Transpose", [x], x.T)
test("wrong", "Neg", [x], x)
test("det", "Det", [x], x)
PYTHON
text=$(run "$TMPDIR/out" reference tools/vectors/onnx_node_tests.py "$TMPDIR/node")
is "$? $(tr -s ' ' <<<"$text" | grep '^all')" '1 all 6 4 . . 1 . . 1' 'tests of ONNX become cases'
like "$text" 'onnx.Neg.wrong: harness_error: the file contradicts the reference: 6 elements' 'a wrong one contradicts'
is "$(cat "$TMPDIR/out/cases.refused.tsv")" "$(printf 'Det\tdet\tno converter for this operator')" \
    'the others are listed'
tap_done
