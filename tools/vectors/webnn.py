#!/usr/bin/python3
"""Makes a case file from the conformance tests of WebNN: tools/vectors/webnn.py TESTS.json… OUT.json

TESTS.json is the list of tests in a file of webnn/conformance_tests of web-platform-tests, which Node.js exports:

    node -e 'const text = require("fs").readFileSync(0, "utf8"), list = /const (\\w+Tests) =/.exec(text)[1], skip = () => {};
      const tests = new Function("navigator", "test", "promise_test", "webnn_conformance_test", text + "; return " + list);
      console.log(JSON.stringify(tests({}, skip, skip, skip), (key, value) => typeof value === "bigint" ||
        (typeof value === "number" && !Number.isFinite(value)) ? String(value) : value))' <abs.https.any.js >abs.json

It runs the file's code. OUT.refused.tsv gets a line for each test that becomes no case: operator, name, reason. A case
is named webnn.OPERATOR.TEST. Its tolerance is that of WebNN, or for operators of which this tool knows none, 4 ULP."""
import json
import os
import sys

import numpy as np

from vectors import Case, Refused, write

USUAL = {"ulp": 4}
NEAR = {"float32": {"abs": 1 / 1024}, "float16": {"abs": 1 / 512}}
# The units in the last place that WebNN's tests allow; for some functions an absolute distance.
ULPS = dict(dict.fromkeys("abs ceil floor neg identity sign cast max min relu expand reshape where equal greater "
                          "greaterOrEqual lesser lesserOrEqual logicalNot logicalAnd logicalOr logicalXor".split(), 0),
            add=1, sub=1, mul=1, div=2, sqrt=1, reciprocal=2, elu=18, hardSigmoid=2, hardSwish=4, leakyRelu=1,
            linear=2, prelu=1, softplus=18, softsign=3)
BY_TYPE = {"pow": (32, 2), "exp": (32, 1), "sigmoid": (34, 3)}  # FLOAT32, FLOAT16

UNARY = {"abs": "ELEMENT_WISE_ABS", "ceil": "ELEMENT_WISE_CEIL", "cos": "ELEMENT_WISE_COS", "erf": "ELEMENT_WISE_ERF",
         "exp": "ELEMENT_WISE_EXP", "floor": "ELEMENT_WISE_FLOOR", "identity": "ELEMENT_WISE_IDENTITY",
         "log": "ELEMENT_WISE_LOG", "neg": "ELEMENT_WISE_NEGATE", "reciprocal": "ELEMENT_WISE_RECIP",
         "sin": "ELEMENT_WISE_SIN", "sqrt": "ELEMENT_WISE_SQRT", "tan": "ELEMENT_WISE_TAN", "cast": "CAST",
         "logicalNot": "ELEMENT_WISE_LOGICAL_NOT", "sign": "ELEMENT_WISE_SIGN", "relu": "ACTIVATION_RELU",
         "sigmoid": "ACTIVATION_SIGMOID", "softsign": "ACTIVATION_SOFTSIGN", "tanh": "ACTIVATION_TANH",
         "gelu": "ACTIVATION_GELU"}
BINARY = {"add": "ADD", "sub": "SUBTRACT", "mul": "MULTIPLY", "div": "DIVIDE", "max": "MAX", "min": "MIN",
          "equal": "LOGICAL_EQUALS", "greater": "LOGICAL_GREATER_THAN", "lesser": "LOGICAL_LESS_THAN",
          "greaterOrEqual": "LOGICAL_GREATER_THAN_OR_EQUAL", "lesserOrEqual": "LOGICAL_LESS_THAN_OR_EQUAL",
          "logicalAnd": "LOGICAL_AND", "logicalOr": "LOGICAL_OR", "logicalXor": "LOGICAL_XOR"}
# For each: the operator, and for each field the option and its default.
OPTIONS = {"elu": ("ACTIVATION_ELU", {"Alpha": ("alpha", 1)}),
           "leakyRelu": ("ACTIVATION_LEAKY_RELU", {"Alpha": ("alpha", 0.01)}),
           "hardSigmoid": ("ACTIVATION_HARD_SIGMOID", {"Alpha": ("alpha", 0.2), "Beta": ("beta", 0.5)}),
           "linear": ("ACTIVATION_LINEAR", {"Alpha": ("alpha", 1), "Beta": ("beta", 0)}),
           "hardSwish": ("ACTIVATION_HARD_SWISH", {"Alpha": ("", 1 / 6), "Beta": ("", 0.5)}),
           "softplus": ("ACTIVATION_SOFTPLUS", {"Steepness": ("", 1)})}
REDUCE = {"reduceL1": "L1", "reduceL2": "L2", "reduceLogSum": "LOG_SUM", "reduceLogSumExp": "LOG_SUM_EXP",
          "reduceMax": "MAX", "reduceMean": "AVERAGE", "reduceMin": "MIN", "reduceProduct": "MULTIPLY",
          "reduceSum": "SUM", "reduceSumSquare": "SUM_SQUARE"}


def array_of(resource):
    """Returns the array of an input or output; a single number is every element."""
    kind = resource["descriptor"]["dataType"]
    if kind in ("int4", "uint4"):
        raise Refused("elements of the type %s" % kind)
    data = resource["data"] if isinstance(resource["data"], list) else [resource["data"]]
    convert = float if kind.startswith("float") else int
    flat = np.array([convert(value) for value in data]).astype(kind)
    shape = resource["descriptor"]["shape"]
    return np.full(shape, flat[0]) if flat.size == 1 else flat.reshape(shape)


def tolerance_of(operator, kind, count):
    """Returns the tolerance; `count`: the elements of a reduction."""
    if operator in ("cos", "erf", "log", "sin", "tan", "tanh"):
        return NEAR.get(kind, {"ulp": 0})
    if operator in BY_TYPE:
        return {"ulp": BY_TYPE[operator][kind == "float16"]}
    extra = {"reduceL2": (2, 1), "reduceMean": (1, 2), "reduceLogSum": (1, 18), "reduceLogSumExp": (2, 18),
             "reduceSumSquare": (2, 0), "reduceMax": (0, 0), "reduceMin": (0, 0)}
    if operator in REDUCE:
        times, more = extra.get(operator, (1, 0))
        return {"ulp": count * times + more}
    if operator == "softmax":
        return {"ulp": count * 3 + 3}
    return {"ulp": ULPS[operator]} if operator in ULPS else USUAL


def convert(test):
    """Returns the operator, the case and its tolerance. Raises Refused with the operator as its second argument."""
    graph = test["graph"]
    if len(graph["operators"]) != 1:
        raise Refused("a graph of several operators", "(graph)")
    node = graph["operators"][0]
    operator = node["name"]
    try:
        arguments = {name: value for argument in node["arguments"] for name, value in argument.items()}
        options = arguments.pop("options", None) or {}
        x = [array_of(graph["inputs"][name]) for name in arguments.values()
             if isinstance(name, str) and name in graph["inputs"]]
        y = [array_of(resource) for resource in graph["expectedOutputs"].values()]
        case, count = make(operator, x, y[0], arguments, options)
        return operator, case, tolerance_of(operator, y[0].dtype.name, count)
    except Refused as refused:
        raise Refused(refused.args[0], operator) from None


def make(operator, x, y, arguments, options):
    """Returns the case, and the number of elements of a reduction."""
    if operator in UNARY or operator in OPTIONS:
        name, fields = OPTIONS.get(operator, (UNARY.get(operator), {}))
        case = Case(name).input("InputTensor", x[0]).output("OutputTensor", y)
        return case.set(**{field: options.get(*source) for field, source in fields.items()}), 1
    if operator in BINARY or operator in ("pow", "prelu"):
        name, a, b = {"pow": ("ELEMENT_WISE_POW", "InputTensor", "ExponentTensor"),
                      "prelu": ("ACTIVATION_PARAMETERIZED_RELU", "InputTensor", "SlopeTensor")}.get(
                          operator, ("ELEMENT_WISE_%s" % BINARY.get(operator), "ATensor", "BTensor"))
        return Case(name).broadcast(a, x[0], y.shape).broadcast(b, x[1], y.shape).output("OutputTensor", y), 1
    if operator == "where":
        case = Case("ELEMENT_WISE_IF").broadcast("ConditionTensor", x[0], y.shape)
        return case.broadcast("ATensor", x[1], y.shape).broadcast("BTensor", x[2], y.shape).output("OutputTensor", y), 1
    if operator == "expand":
        return Case("ELEMENT_WISE_IDENTITY").broadcast("InputTensor", x[0], y.shape).output("OutputTensor", y), 1
    if operator == "reshape":
        return Case("ELEMENT_WISE_IDENTITY").input("InputTensor", x[0], y.shape).output("OutputTensor", y), 1
    if operator == "softmax":
        axis = arguments.get("axis", x[0].ndim - 1)
        return Case("ACTIVATION_SOFTMAX1").input("InputTensor", x[0]).output("OutputTensor", y).set(
            AxisCount=1, Axes=[axis]), x[0].shape[axis]
    if operator in REDUCE:
        axes = options.get("axes", list(range(x[0].ndim)))
        if not axes:
            raise Refused("no axes")
        sizes = [1 if axis in axes else size for axis, size in enumerate(x[0].shape)]
        case = Case("REDUCE").set(Function=REDUCE[operator]).input("InputTensor", x[0])
        return case.output("OutputTensor", y, sizes).set(AxisCount=len(axes), Axes=sorted(axes)), x[0].size // y.size
    raise Refused("no converter for this operator")


def main(arguments):
    if arguments in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    if len(arguments) < 2:
        print(__doc__.split("\n\n", maxsplit=1)[0], file=sys.stderr)
        return 2
    cases, refused = [], []
    for path in arguments[:-1]:
        with open(path, encoding="utf-8") as file:
            tests = json.load(file)
        if not isinstance(tests, list) or not all(isinstance(test, dict) and "graph" in test for test in tests):
            print("%s: expected a list of objects with a graph" % path, file=sys.stderr)
            return 1
        stem = os.path.basename(path).split(".")[0]
        for index, test in enumerate(tests):
            name = test.get("name", "%s_%d" % (stem, index))
            try:
                operator, case, tolerance = convert(test)
                label = name.replace(".", "_").strip()
                cases.append(case.as_json("webnn.%s.%s" % (operator, label), tolerance=tolerance))
            except Refused as why:
                refused.append((why.args[1], name, why.args[0]))
    write(arguments[-1], cases, USUAL, refused)
    print("%d tests: %d cases, %d not converted" % (len(cases) + len(refused), len(cases), len(refused)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
