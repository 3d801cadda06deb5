#!/usr/bin/python3
"""Makes a case file from the node tests of ONNX: tools/vectors/onnx_node_tests.py [DATA] OUT.json

DATA is the folder that has a folder for each test, with model.onnx and test_data_set_0; by default that of Debian's
libonnx-testdata. It needs python3-onnx. OUT.refused.tsv gets a line for each test that becomes no case: operator, name,
reason. A case is named onnx.OPERATOR.TEST; its tolerance is that of ONNX's own test runner."""
import glob
import os
import sys

import numpy as np
import onnx
from onnx import numpy_helper

from vectors import Case, Refused, packed, write

DATA = "/usr/share/libonnx-testdata/data/node"
TOLERANCE = {"abs": 1e-7, "rel": 1e-3}
# ONNX divides in FLOAT32 before it rounds, so a quotient that is almost a half may round either way.
QUANTIZING = {"QuantizeLinear", "DynamicQuantizeLinear", "QLinearMatMul", "QLinearConv"}


class Node:
    """A test: the attributes of its node, and its tensors by position; None: not given."""

    def __init__(self, node, inputs, outputs, opset):
        self.op, self.opset, self.x, self.y = node.op_type, opset, inputs, outputs
        self.attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}

    def attribute(self, name, default=None):
        value = self.attributes.get(name, default)
        return value.decode() if isinstance(value, bytes) else value

    def input(self, index):
        return self.x[index] if index < len(self.x) else None

    def axis(self, default, rank, name="axis"):
        axis = self.attribute(name, default)
        return axis + rank if axis < 0 else axis


CONVERTERS = {}


def converts(*names):
    def register(function):
        for name in names:
            CONVERTERS[name] = function
        return function
    return register


def one_to_one(operator, **fields):
    def convert(n):
        if len(n.x) != 1:
            raise Refused("other than one input")
        return Case(operator).input("InputTensor", n.x[0]).output("OutputTensor", n.y[0]).set(**fields)
    return convert


for name in "Abs Acos Acosh Asin Asinh Atan Atanh Ceil Cos Cosh Erf Exp Floor Log Sign Sin Sinh Sqrt Tan Tanh".split():
    CONVERTERS[name] = one_to_one("ELEMENT_WISE_" + name.upper())
for name, operator in {"Reciprocal": "ELEMENT_WISE_RECIP", "Neg": "ELEMENT_WISE_NEGATE", "Relu": "ACTIVATION_RELU",
                       "Not": "ELEMENT_WISE_LOGICAL_NOT", "IsNaN": "ELEMENT_WISE_IS_NAN", "Cast": "CAST",
                       "Sigmoid": "ACTIVATION_SIGMOID", "Softsign": "ACTIVATION_SOFTSIGN"}.items():
    CONVERTERS[name] = one_to_one(operator)
CONVERTERS["Softplus"] = one_to_one("ACTIVATION_SOFTPLUS", Steepness=1)
CONVERTERS["Round"] = one_to_one("ELEMENT_WISE_ROUND", RoundingMode="HALVES_TO_NEAREST_EVEN")
CONVERTERS["HardSwish"] = one_to_one("ACTIVATION_HARD_SWISH", Alpha=1 / 6, Beta=0.5)


def with_attributes(operator, **fields):
    """`fields`: for each field the attribute's name and default."""
    def convert(n):
        case = Case(operator).input("InputTensor", n.x[0]).output("OutputTensor", n.y[0])
        return case.set(**{field: n.attribute(*source) for field, source in fields.items()})
    return convert


CONVERTERS["Elu"] = with_attributes("ACTIVATION_ELU", Alpha=("alpha", 1.0))
CONVERTERS["Celu"] = with_attributes("ACTIVATION_CELU", Alpha=("alpha", 1.0))
CONVERTERS["LeakyRelu"] = with_attributes("ACTIVATION_LEAKY_RELU", Alpha=("alpha", 0.01))
CONVERTERS["ThresholdedRelu"] = with_attributes("ACTIVATION_THRESHOLDED_RELU", Alpha=("alpha", 1.0))
CONVERTERS["HardSigmoid"] = with_attributes("ACTIVATION_HARD_SIGMOID", Alpha=("alpha", 0.2), Beta=("beta", 0.5))
CONVERTERS["Selu"] = with_attributes("ACTIVATION_SCALED_ELU", Alpha=("alpha", 1.67326319217681884765625),
                                     Gamma=("gamma", 1.05070102214813232421875))
CONVERTERS["Shrink"] = with_attributes("ACTIVATION_SHRINK", Bias=("bias", 0.0), Threshold=("lambd", 0.5))
CONVERTERS["LRN"] = with_attributes("LOCAL_RESPONSE_NORMALIZATION", LocalSize=("size",), Alpha=("alpha", 0.0001),
                                    Beta=("beta", 0.75), Bias=("bias", 1.0), CrossChannel=("cross", True))


def two(operator, a="ATensor", b="BTensor"):
    def convert(n):
        if len(n.x) != 2:
            raise Refused("other than two inputs")
        shape = n.y[0].shape
        return Case(operator).broadcast(a, n.x[0], shape).broadcast(b, n.x[1], shape).output("OutputTensor", n.y[0])
    return convert


for name, operator in {"Add": "ADD", "Sub": "SUBTRACT", "Mul": "MULTIPLY", "Div": "DIVIDE", "And": "LOGICAL_AND",
                       "Or": "LOGICAL_OR", "Xor": "LOGICAL_XOR", "Equal": "LOGICAL_EQUALS",
                       "Greater": "LOGICAL_GREATER_THAN", "Less": "LOGICAL_LESS_THAN", "Max": "MAX", "Min": "MIN",
                       "GreaterOrEqual": "LOGICAL_GREATER_THAN_OR_EQUAL", "Sum": "ADD", "Mean": "MEAN",
                       "LessOrEqual": "LOGICAL_LESS_THAN_OR_EQUAL"}.items():
    CONVERTERS[name] = two("ELEMENT_WISE_" + operator)
CONVERTERS["PRelu"] = two("ACTIVATION_PARAMETERIZED_RELU", "InputTensor", "SlopeTensor")


@converts("Pow")
def pow_of(n):
    if n.x[0].dtype != n.y[0].dtype:
        raise Refused("an output of another type than the base")
    return two("ELEMENT_WISE_POW", "InputTensor", "ExponentTensor")(n)


@converts("Mod")
def mod(n):
    return two("ELEMENT_WISE_MODULUS_" + ("TRUNCATE" if n.attribute("fmod", 0) else "FLOOR"))(n)


@converts("BitShift")
def bit_shift(n):
    return two("ELEMENT_WISE_BIT_SHIFT_" + n.attribute("direction"))(n)


@converts("CastLike")
def cast_like(n):
    return Case("CAST").input("InputTensor", n.x[0]).output("OutputTensor", n.y[0])


@converts("Where")
def where(n):
    shape = n.y[0].shape
    case = Case("ELEMENT_WISE_IF").broadcast("ConditionTensor", n.x[0], shape).broadcast("ATensor", n.x[1], shape)
    return case.broadcast("BTensor", n.x[2], shape).output("OutputTensor", n.y[0])


@converts("IsInf")
def is_inf(n):
    signs = n.attribute("detect_positive", 1), n.attribute("detect_negative", 1)
    mode = {(1, 1): "EITHER", (1, 0): "POSITIVE", (0, 1): "NEGATIVE"}[signs]
    return one_to_one("ELEMENT_WISE_IS_INFINITY", InfinityMode=mode)(n)


@converts("Clip")
def clip(n):
    low, high = n.input(1), n.input(2)
    info = (np.finfo if n.x[0].dtype.kind == "f" else np.iinfo)(n.x[0].dtype)
    low = (info.min if low is None else low).item() if hasattr(low, "item") else info.min
    high = (info.max if high is None else high).item() if hasattr(high, "item") else info.max
    case = Case("ELEMENT_WISE_CLIP1").input("InputTensor", n.x[0]).output("OutputTensor", n.y[0])
    return case.set(MinMaxDataType=case.desc["InputTensor"]["DataType"], Min=number(low), Max=number(high))


def number(value):
    value = value.item() if hasattr(value, "item") else value
    return value if np.isfinite(value) else "inf" if value > 0 else "-inf"


@converts("Identity", "Reshape", "Flatten", "Squeeze", "Unsqueeze")
def same_elements(n):
    sizes = n.y[0].shape
    return Case("ELEMENT_WISE_IDENTITY").input("InputTensor", n.x[0], sizes).output("OutputTensor", n.y[0])


@converts("Transpose")
def transpose(n):
    x = n.x[0]
    order = n.attribute("perm", list(reversed(range(x.ndim))))
    strides = [packed(x.shape)[axis] for axis in order]
    case = Case("ELEMENT_WISE_IDENTITY").input("InputTensor", x.transpose(order), None, strides)
    return case.output("OutputTensor", n.y[0])


@converts("Expand")
def expand(n):
    return Case("ELEMENT_WISE_IDENTITY").broadcast("InputTensor", n.x[0], n.y[0].shape).output("OutputTensor", n.y[0])


@converts("Concat")
def concat(n):
    case = Case("JOIN").set(InputCount=len(n.x))
    return arrays(case, "InputTensors", "inputs", n.x).output("OutputTensor", n.y[0]).set(
        Axis=n.axis(0, n.y[0].ndim))


@converts("Split")
def split(n):
    case = Case("SPLIT").input("InputTensor", n.x[0]).set(OutputCount=len(n.y))
    return arrays(case, "OutputTensors", "outputs", n.y).set(Axis=n.axis(0, n.x[0].ndim))


def arrays(case, name, side, tensors):
    """Adds an array of tensors."""
    for index, array in enumerate(tensors):
        case.tensor(side, "%s[%d]" % (name, index), array)
    return case.set(**{name: [case.desc.pop("%s[%d]" % (name, index)) for index in range(len(tensors))]})


@converts("Slice")
def slice_of(n):
    x = n.x[0]
    starts, ends = (np.ravel(n.input(i)).tolist() for i in (1, 2))
    axes = list(range(len(starts))) if n.input(3) is None else np.ravel(n.input(3)).tolist()
    steps = [1] * len(starts) if n.input(4) is None else np.ravel(n.input(4)).tolist()
    offsets, sizes, strides = [0] * x.ndim, list(x.shape), [1] * x.ndim
    for start, end, axis, step in zip(starts, ends, axes, steps):
        picked = range(x.shape[axis])[start:end:step]
        if not picked:
            raise Refused("a tensor without elements")
        offsets[axis], strides[axis] = min(picked[0], picked[-1]), step
        sizes[axis] = abs(picked[-1] - picked[0]) + 1
    return Case("SLICE1").input("InputTensor", x).output("OutputTensor", n.y[0]).set(
        DimensionCount=x.ndim, InputWindowOffsets=offsets, InputWindowSizes=sizes, InputWindowStrides=strides)


@converts("Pad")
def pad(n):
    pads, rank = np.ravel(n.x[1]).tolist(), n.x[0].ndim
    if n.input(3) is not None:
        raise Refused("axes of a padding")
    mode = {"constant": "CONSTANT", "edge": "EDGE", "reflect": "REFLECTION"}[n.attribute("mode", "constant")]
    value = 0 if n.input(2) is None else number(n.x[2])
    case = Case("PADDING1").input("InputTensor", n.x[0]).output("OutputTensor", n.y[0])
    return case.set(PaddingMode=mode, PaddingValueDataType=case.desc["InputTensor"]["DataType"], PaddingValue=value,
                    DimensionCount=rank, StartPadding=pads[:rank], EndPadding=pads[rank:])


@converts("Tile")
def tile(n):
    repeats = np.ravel(n.x[1]).tolist()
    return Case("TILE").input("InputTensor", n.x[0]).output("OutputTensor", n.y[0]).set(
        RepeatsCount=len(repeats), Repeats=repeats)


@converts("Gather")
def gather(n):
    """The tensors of GATHER have the same rank: leading sizes of 1 are added."""
    x, indices, y = n.x[0], n.x[1], n.y[0]
    axis, rank = n.axis(0, x.ndim), max(x.ndim, indices.ndim, y.ndim, 1)
    case = Case("GATHER").input("InputTensor", x, wide(x, rank)).input("IndicesTensor", indices, wide(indices, rank))
    return case.output("OutputTensor", y, wide(y, rank)).set(Axis=axis + rank - x.ndim,
                                                             IndexDimensions=indices.ndim)


def wide(array, rank):
    return [1] * (rank - array.ndim) + list(array.shape)


@converts("GatherElements")
def gather_elements(n):
    case = Case("GATHER_ELEMENTS").input("InputTensor", n.x[0]).input("IndicesTensor", n.x[1])
    return case.output("OutputTensor", n.y[0]).set(Axis=n.axis(0, n.x[0].ndim))


@converts("GatherND")
def gather_nd(n):
    x, indices, y = n.x[0], n.x[1], n.y[0]
    rank, batch = max(x.ndim, indices.ndim, y.ndim), n.attribute("batch_dims", 0)
    case = Case("GATHER_ND1").input("InputTensor", x, wide(x, rank)).input("IndicesTensor", indices, wide(indices, rank))
    return case.output("OutputTensor", y, wide(y, rank)).set(
        InputDimensionCount=x.ndim, IndicesDimensionCount=indices.ndim, BatchDimensionCount=batch)


@converts("Scatter", "ScatterElements")
def scatter(n):
    if n.attribute("reduction", "none") != "none":
        raise Refused("a reduction of updates")
    case = Case("SCATTER_ELEMENTS").input("InputTensor", n.x[0]).input("IndicesTensor", n.x[1])
    return case.input("UpdatesTensor", n.x[2]).output("OutputTensor", n.y[0]).set(Axis=n.axis(0, n.x[0].ndim))


@converts("ScatterND")
def scatter_nd(n):
    if n.attribute("reduction", "none") != "none":
        raise Refused("a reduction of updates")
    rank = max(array.ndim for array in n.x)
    case = Case("SCATTER_ND")
    for field, array in zip(("InputTensor", "IndicesTensor", "UpdatesTensor"), n.x):
        case.input(field, array, wide(array, rank))
    return case.output("OutputTensor", n.y[0], wide(n.y[0], rank)).set(
        InputDimensionCount=n.x[0].ndim, IndicesDimensionCount=n.x[1].ndim)


def axes_of(n, rank, attribute=True):
    """Returns the reduced axes: of the second input or the attribute; all by default."""
    axes = n.input(1) if n.input(1) is not None else n.attribute("axes")
    axes = None if axes is None else np.ravel(axes).tolist()
    if axes == [] or axes is None:
        if n.attribute("noop_with_empty_axes", 0):
            raise Refused("no axes")
        axes = range(rank)
    return sorted(axis + rank if axis < 0 else axis for axis in axes)


def reduced(shape, axes):
    return [1 if axis in axes else size for axis, size in enumerate(shape)]


for name, function in {"L1": "L1", "L2": "L2", "LogSum": "LOG_SUM", "LogSumExp": "LOG_SUM_EXP", "Max": "MAX",
                       "Mean": "AVERAGE", "Min": "MIN", "Prod": "MULTIPLY", "Sum": "SUM",
                       "SumSquare": "SUM_SQUARE"}.items():
    def reduce_of(n, function=function):
        x = n.x[0]
        axes = axes_of(n, x.ndim)
        return Case("REDUCE").set(Function=function).input("InputTensor", x).output(
            "OutputTensor", n.y[0], reduced(x.shape, axes)).set(AxisCount=len(axes), Axes=axes)
    CONVERTERS["Reduce" + name] = reduce_of


@converts("ArgMax", "ArgMin")
def arg(n):
    x = n.x[0]
    axes = [n.axis(0, x.ndim)]
    last = n.attribute("select_last_index", 0)
    return Case(n.op.upper()).input("InputTensor", x).output("OutputTensor", n.y[0], reduced(x.shape, axes)).set(
        AxisCount=1, Axes=axes, AxisDirection="DECREASING" if last else "INCREASING")


@converts("Softmax", "LogSoftmax", "Hardmax")
def softmax(n):
    x = n.x[0]
    axis = n.axis(-1 if n.opset >= 13 else 1, x.ndim)
    axes = [axis] if n.opset >= 13 else list(range(axis, x.ndim))
    operator = {"Softmax": "SOFTMAX1", "LogSoftmax": "LOG_SOFTMAX1", "Hardmax": "HARDMAX1"}[n.op]
    return Case("ACTIVATION_" + operator).input("InputTensor", x).output("OutputTensor", n.y[0]).set(
        AxisCount=len(axes), Axes=axes)


@converts("TopK")
def top_k(n):
    x = n.x[0]
    if not n.attribute("sorted", 1):
        raise Refused("an unsorted output")
    direction = "DECREASING" if n.attribute("largest", 1) else "INCREASING"
    return Case("TOP_K1").input("InputTensor", x).output("OutputValueTensor", n.y[0]).output(
        "OutputIndexTensor", n.y[1].astype(np.uint32)).set(
            Axis=n.axis(-1, x.ndim), K=int(np.ravel(n.x[1])[0]), AxisDirection=direction)


@converts("OneHot")
def one_hot(n):
    indices, values, y = n.x[0], n.x[2], n.y[0]
    axis = n.axis(-1, y.ndim)
    if indices.dtype.kind == "f":
        raise Refused("indices that are floats")
    sizes = list(indices.shape)
    sizes.insert(axis, 1)
    return Case("ONE_HOT").input("IndicesTensor", indices, sizes).input("ValuesTensor", values, wide(values, y.ndim))\
        .output("OutputTensor", y).set(Axis=axis)


@converts("CumSum")
def cumsum(n):
    axis = int(np.ravel(n.x[1])[0])
    direction = "DECREASING" if n.attribute("reverse", 0) else "INCREASING"
    return Case("CUMULATIVE_SUMMATION").input("InputTensor", n.x[0]).output("OutputTensor", n.y[0]).set(
        Axis=axis + n.x[0].ndim if axis < 0 else axis, AxisDirection=direction,
        HasExclusiveSum=bool(n.attribute("exclusive", 0)))


@converts("DepthToSpace", "SpaceToDepth")
def depth(n):
    operator = {"DepthToSpace": "DEPTH_TO_SPACE1", "SpaceToDepth": "SPACE_TO_DEPTH1"}[n.op]
    order = {"DCR": "DEPTH_COLUMN_ROW", "CRD": "COLUMN_ROW_DEPTH"}[n.attribute("mode", "DCR")]
    return Case(operator).input("InputTensor", n.x[0]).output("OutputTensor", n.y[0]).set(
        BlockSize=n.attribute("blocksize"), Order=order)


@converts("Gemm")
def gemm(n):
    """The matrices of GEMM have four dimensions; C is broadcast."""
    sizes = [[1, 1] + list(array.shape) for array in (n.x[0], n.x[1], n.y[0])]
    case = Case("GEMM").input("ATensor", n.x[0], sizes[0]).input("BTensor", n.x[1], sizes[1])
    case.broadcast("CTensor", n.input(2), sizes[2]).output("OutputTensor", n.y[0], sizes[2])
    transforms = ["TRANSPOSE" if n.attribute(name, 0) else "NONE" for name in ("transA", "transB")]
    return case.set(TransA=transforms[0], TransB=transforms[1], Alpha=n.attribute("alpha", 1.0),
                    Beta=n.attribute("beta", 1.0), FusedActivation=None)


def matrices(case, n, a, b, between=(), zeros=()):
    """Adds the inputs of a matrix product: broadcast, with at least four dimensions."""
    if n.x[0].ndim < 2 or n.x[b].ndim < 2:
        raise Refused("a vector in place of a matrix")
    rank = max(4, n.y[0].ndim)
    batch = wide(n.y[0], rank)[:-2]
    case.broadcast("ATensor", n.x[a], batch + list(n.x[a].shape[-2:]))
    for field, array in between:
        case.input(field, array, None if array is None else wide(array, rank))
    case.broadcast("BTensor", n.x[b], batch + list(n.x[b].shape[-2:]))
    for field, array in zeros:
        case.input(field, array, None if array is None else wide(array, rank))
    return case.output("OutputTensor", n.y[0], wide(n.y[0], rank))


@converts("MatMul")
def matmul(n):
    case = matrices(Case("GEMM"), n, 0, 1)
    output = case.desc.pop("OutputTensor")
    return case.set(CTensor=None, OutputTensor=output, TransA="NONE", TransB="NONE", Alpha=1, Beta=0,
                    FusedActivation=None)


@converts("MatMulInteger")
def matmul_integer(n):
    return matrices(Case("MATRIX_MULTIPLY_INTEGER"), n, 0, 1, [("AZeroPointTensor", n.input(2))],
                    [("BZeroPointTensor", n.input(3))])


@converts("QLinearMatMul")
def qlinear_matmul(n):
    x = n.x
    return matrices(Case("QUANTIZED_LINEAR_MATRIX_MULTIPLY"), n, 0, 3,
                    [("AScaleTensor", x[1]), ("AZeroPointTensor", x[2])],
                    [("BScaleTensor", x[4]), ("BZeroPointTensor", x[5]), ("OutputScaleTensor", x[6]),
                     ("OutputZeroPointTensor", x[7])])


def window(n, sizes, kernel, ceil_output=None):
    """Returns strides, dilations and both paddings of a window over the last dimensions."""
    rank = len(kernel)
    strides = n.attribute("strides", [1] * rank)
    dilations = n.attribute("dilations", [1] * rank)
    pads = n.attribute("pads", [0] * 2 * rank)
    start, end = list(pads[:rank]), list(pads[rank:])
    auto = n.attribute("auto_pad", "NOTSET")
    for i in range(rank):
        span = (kernel[i] - 1) * dilations[i] + 1
        if auto.startswith("SAME"):
            total = max(0, (-(-sizes[i] // strides[i]) - 1) * strides[i] + span - sizes[i])
            start[i] = total // 2 if auto == "SAME_UPPER" else total - total // 2
            end[i] = total - start[i]
        elif ceil_output is not None:
            end[i] += max(0, (ceil_output[i] - 1) * strides[i] + span - sizes[i] - start[i] - end[i])
    return list(strides), list(dilations), start, end


@converts("Conv", "ConvInteger", "QLinearConv")
def conv(n):
    x, w = (n.x[0], n.x[3]) if n.op == "QLinearConv" else (n.x[0], n.x[1])
    kernel = list(w.shape[2:])
    strides, dilations, start, end = window(n, x.shape[2:], kernel)
    fields = dict(DimensionCount=len(kernel), Strides=strides, Dilations=dilations, StartPadding=start,
                  EndPadding=end, GroupCount=n.attribute("group", 1))
    scalar = lambda array: None if array is None else [1] * (x.ndim - 1) + [array.size]  # noqa: E731
    if n.op == "Conv":
        bias = n.input(2)
        case = Case("CONVOLUTION").input("InputTensor", x).input("FilterTensor", w)
        case.input("BiasTensor", bias, None if bias is None else [1, bias.size] + [1] * len(kernel))
        return case.output("OutputTensor", n.y[0]).set(
            Mode="CROSS_CORRELATION", Direction="FORWARD", OutputPadding=[0] * len(kernel), FusedActivation=None,
            **fields)
    if n.op == "ConvInteger":
        case = Case("CONVOLUTION_INTEGER").input("InputTensor", x)
        case.input("InputZeroPointTensor", n.input(2), scalar(n.input(2))).input("FilterTensor", w)
        case.input("FilterZeroPointTensor", n.input(3), scalar(n.input(3)))
        return case.output("OutputTensor", n.y[0]).set(**fields)
    case = Case("QUANTIZED_LINEAR_CONVOLUTION").input("InputTensor", x)
    for index, field in ((1, "InputScaleTensor"), (2, "InputZeroPointTensor")):
        case.input(field, n.x[index], scalar(n.x[index]))
    case.input("FilterTensor", w)
    for index, field in ((4, "FilterScaleTensor"), (5, "FilterZeroPointTensor")):
        array = n.x[index]
        case.input(field, array, [1, array.size] + [1] * len(kernel))
    case.input("BiasTensor", n.input(8), None if n.input(8) is None else [1, n.x[8].size] + [1] * len(kernel))
    for index, field in ((6, "OutputScaleTensor"), (7, "OutputZeroPointTensor")):
        case.input(field, n.x[index], scalar(n.x[index]))
    return case.output("OutputTensor", n.y[0]).set(**fields)


@converts("ConvTranspose")
def conv_transpose(n):
    x, w = n.x[0], n.x[1]
    kernel = list(w.shape[2:])
    rank = len(kernel)
    strides, dilations = n.attribute("strides", [1] * rank), n.attribute("dilations", [1] * rank)
    pads, extra = n.attribute("pads", [0] * 2 * rank), n.attribute("output_padding", [0] * rank)
    start, end = list(pads[:rank]), list(pads[rank:])
    auto = n.attribute("auto_pad", "NOTSET")
    if n.attribute("output_shape") or auto.startswith("SAME"):
        for i in range(rank):
            total = strides[i] * (x.shape[2 + i] - 1) + extra[i] + (kernel[i] - 1) * dilations[i] + 1 \
                - n.y[0].shape[2 + i]
            if total < 0:
                raise Refused("an output that is larger than its input reaches")
            start[i] = total // 2 if auto == "SAME_UPPER" else total - total // 2
            end[i] = total - start[i]
    bias = n.input(2)
    case = Case("CONVOLUTION").input("InputTensor", x).input("FilterTensor", w)
    case.input("BiasTensor", bias, None if bias is None else [1, bias.size] + [1] * rank)
    return case.output("OutputTensor", n.y[0]).set(
        Mode="CROSS_CORRELATION", Direction="BACKWARD", DimensionCount=rank, Strides=list(strides),
        Dilations=list(dilations), StartPadding=start, EndPadding=end, OutputPadding=list(extra),
        GroupCount=n.attribute("group", 1), FusedActivation=None)


@converts("AveragePool", "MaxPool", "LpPool", "GlobalAveragePool", "GlobalMaxPool")
def pool(n):
    x, y = n.x[0], n.y[0]
    if x.ndim == 3: # pooling has two dimensions or more
        if len(n.y) > 1 or "pads" in n.attributes or "strides" in n.attributes:
            raise Refused("one dimension with strides or padding")
        x, y = (array.reshape(array.shape[:2] + (1,) + array.shape[2:]) for array in (x, y))
        n.attributes["kernel_shape"] = [1] + list(n.attribute("kernel_shape"))
    kernel = list(x.shape[2:]) if n.op.startswith("Global") else list(n.attribute("kernel_shape"))
    ceil = list(y.shape[2:]) if n.attribute("ceil_mode", 0) else None
    strides, dilations, start, end = window(n, x.shape[2:], kernel, ceil)
    fields = dict(DimensionCount=len(kernel), Strides=strides, WindowSize=kernel, StartPadding=start, EndPadding=end,
                  Dilations=dilations)
    if "Max" in n.op:
        case = Case("MAX_POOLING2").input("InputTensor", x).output("OutputTensor", y)
        if n.attribute("storage_order", 0):
            raise Refused("indices in column-major order")
        case.output("OutputIndicesTensor", n.y[1].astype(np.uint64) if len(n.y) > 1 else None)
        return case.set(**fields)
    return Case("AVERAGE_POOLING1").input("InputTensor", x).output("OutputTensor", y).set(
        IncludePadding=bool(n.attribute("count_include_pad", 0)), **fields)


def channels(array, rank):
    return [1, array.size] + [1] * (rank - 2)


@converts("BatchNormalization")
def batch_normalization(n):
    if n.attribute("training_mode", 0):
        raise Refused("the training mode, whose running mean has no counterpart")
    x = n.x[0]
    case = Case("BATCH_NORMALIZATION").input("InputTensor", x)
    for field, index in (("MeanTensor", 3), ("VarianceTensor", 4), ("ScaleTensor", 1), ("BiasTensor", 2)):
        case.input(field, n.x[index], channels(n.x[index], x.ndim))
    return case.output("OutputTensor", n.y[0]).set(Spatial=True, Epsilon=n.attribute("epsilon", 1e-5),
                                                   FusedActivation=None)


@converts("InstanceNormalization", "MeanVarianceNormalization")
def instance_normalization(n):
    x = n.x[0]
    scales = [(field, n.x[index] if n.op[0] == "I" else None) for field, index in (("ScaleTensor", 1),
                                                                                   ("BiasTensor", 2))]
    case = Case("MEAN_VARIANCE_NORMALIZATION1").input("InputTensor", x)
    for field, array in scales:
        case.broadcast(field, array if array is None else array.reshape(channels(array, x.ndim)), x.shape)
    axes = list(range(2, x.ndim)) if n.op[0] == "I" else list(n.attribute("axes", [0, 2, 3]))
    return case.output("OutputTensor", n.y[0]).set(AxisCount=len(axes), Axes=axes, NormalizeVariance=True,
                                                   Epsilon=n.attribute("epsilon", 1e-5 if n.op[0] == "I" else 1e-9),
                                                   FusedActivation=None)


@converts("LayerNormalization")
def layer_normalization(n):
    """The mean and the inverse deviation, which ONNX returns, too, have no counterpart."""
    x = n.x[0]
    axes = list(range(n.axis(-1, x.ndim), x.ndim))
    case = Case("MEAN_VARIANCE_NORMALIZATION1").input("InputTensor", x).broadcast("ScaleTensor", n.x[1], x.shape)
    return case.broadcast("BiasTensor", n.input(2), x.shape).output("OutputTensor", n.y[0]).set(
        AxisCount=len(axes), Axes=axes, NormalizeVariance=True, Epsilon=n.attribute("epsilon", 1e-5),
        FusedActivation=None)


@converts("QuantizeLinear", "DequantizeLinear")
def quantize_linear(n):
    x, operator = n.x[0], "ELEMENT_WISE_" + n.op[:-6].upper() + "_LINEAR"
    case = Case(operator).input("InputTensor", x)
    for field, array in (("ScaleTensor", n.x[1]), ("ZeroPointTensor", n.input(2))):
        if array is not None and array.ndim == 1:
            axis = n.axis(1, x.ndim)
            array = array.reshape([array.size if i == axis else 1 for i in range(x.ndim)])
        case.broadcast(field, array, x.shape)
    return case.output("OutputTensor", n.y[0])


@converts("DynamicQuantizeLinear")
def dynamic_quantize_linear(n):
    rank = n.x[0].ndim
    return Case("DYNAMIC_QUANTIZE_LINEAR").input("InputTensor", n.x[0]).output("OutputTensor", n.y[0]).output(
        "OutputScaleTensor", n.y[1], [1] * rank).output("OutputZeroPointTensor", n.y[2], [1] * rank)


@converts("ReverseSequence")
def reverse_sequence(n):
    x, rank = n.x[0], n.x[0].ndim
    batch, time = n.attribute("batch_axis", 1), n.attribute("time_axis", 0)
    sizes = [x.shape[batch] if axis == batch else 1 for axis in range(rank)]
    return Case("REVERSE_SUBSEQUENCES").input("InputTensor", x).input(
        "SequenceLengthsTensor", n.x[1].astype(np.uint32), sizes).output("OutputTensor", n.y[0]).set(Axis=time)


@converts("RoiAlign")
def roi_align(n):
    offset = 0.5 if n.attribute("coordinate_transformation_mode", "half_pixel") == "half_pixel" else 0.0
    case = Case("ROI_ALIGN1").input("InputTensor", n.x[0]).input("ROITensor", n.x[1])
    case.input("BatchIndicesTensor", n.x[2].astype(np.uint32)).output("OutputTensor", n.y[0])
    scale, samples = n.attribute("spatial_scale", 1.0), n.attribute("sampling_ratio", 0)
    return case.set(ReductionFunction={"avg": "AVERAGE", "max": "MAX"}[n.attribute("mode", "avg")],
                    InterpolationMode="LINEAR", SpatialScaleX=scale, SpatialScaleY=scale, InputPixelOffset=offset,
                    OutputPixelOffset=-0.5, OutOfBoundsInputValue=0.0, MinimumSamplesPerOutput=samples or 1,
                    MaximumSamplesPerOutput=samples or 4294967295, AlignRegionsToCorners=False)


@converts("NonZero")
def non_zero(n):
    """ONNX has a column for each coordinate tuple, DirectML a row."""
    rows = n.y[0].T.astype(np.uint32)
    room = np.zeros((n.x[0].size, n.x[0].ndim), np.uint32)
    room[:len(rows)] = rows
    return Case("NONZERO_COORDINATES").input("InputTensor", n.x[0]).output(
        "OutputCountTensor", np.array([len(rows)], np.uint32).reshape([1] * n.x[0].ndim)).output(
            "OutputCoordinatesTensor", room)


# ---- reading


def load(path):
    with open(path, "rb") as file:
        tensor = onnx.TensorProto.FromString(file.read())
    if tensor.data_type in (onnx.TensorProto.STRING, onnx.TensorProto.BFLOAT16):
        raise Refused("elements of the type %s" % onnx.TensorProto.DataType.Name(tensor.data_type))
    return numpy_helper.to_array(tensor)


def tensors(folder, model, node, side):
    """Returns the tensors of a node in the order of its inputs or outputs."""
    graph = model.graph
    for value in list(graph.input) + list(graph.output):
        if value.type.tensor_type.elem_type == onnx.TensorProto.BFLOAT16: # its elements are stored as another type
            raise Refused("elements of the type BFLOAT16")
    values = {initial.name: numpy_helper.to_array(initial) for initial in graph.initializer}
    declared = graph.input if side == "input" else graph.output
    for index, value in enumerate(declared):
        if value.type.WhichOneof("value") != "tensor_type":
            raise Refused("a sequence or an optional value")
        values[value.name] = load(os.path.join(folder, "test_data_set_0", "%s_%d.pb" % (side, index)))
    return [values.get(name) if name else None for name in getattr(node, side)]


def convert(folder):
    """Returns the operator and the case of a test. Raises Refused with the operator as its second argument."""
    model = onnx.load(os.path.join(folder, "model.onnx"))
    if len(model.graph.node) != 1:
        raise Refused("a graph of several nodes", "(graph)")
    node = model.graph.node[0]
    opset = max([entry.version for entry in model.opset_import if entry.domain == ""] or [1])
    try:
        if node.op_type not in CONVERTERS:
            raise Refused("no converter for this operator")
        n = Node(node, tensors(folder, model, node, "input"), tensors(folder, model, node, "output"), opset)
        if n.op == "LRN":
            n.attributes["cross"] = True
        return n.op, CONVERTERS[n.op](n)
    except Refused as refused:
        raise Refused(refused.args[0], node.op_type) from None


def main(arguments):
    if arguments in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    if len(arguments) not in (1, 2):
        print(__doc__.split("\n\n", maxsplit=1)[0], file=sys.stderr)
        return 2
    data, out = arguments if len(arguments) == 2 else (DATA, arguments[0])
    folders = sorted(os.path.dirname(path) for path in glob.glob(os.path.join(data, "*", "model.onnx")))
    if not folders:
        print("%s: expected a folder for each test, with a model.onnx" % data, file=sys.stderr)
        return 1
    cases, refused = [], []
    for folder in folders:
        name = os.path.basename(folder)
        try:
            operator, case = convert(folder)
            own = {"tolerance": dict(TOLERANCE, ulp=1)} if operator in QUANTIZING else {}
            cases.append(case.as_json("onnx.%s.%s" % (operator, name), **own))
        except Refused as why:
            refused.append((why.args[1], name, why.args[0]))
    write(out, cases, TOLERANCE, refused)
    print("%d tests: %d cases, %d not converted" % (len(folders), len(cases), len(refused)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
