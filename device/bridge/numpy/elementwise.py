"""Element-wise operators: a line each, from the documents.

A function of FORMULAS gets the inputs in the documented order and the attributes by name, and returns the output, which
is then rounded once to the tensor's type. Floats are FLOAT64; integers have their own type, in which they wrap. A
function of CHOICES gets floats in their own type, too: it returns elements of its inputs, bit for bit, or truth values.
A ScaleBias has been applied before.
"""
import math

import assay_peer
import numpy as np

from activations import ACTIVATIONS, activate

erf = np.frompyfunc(math.erf, 1, 1)


def is_float(x):
    return x.dtype.kind == "f"


def to_integers(x, dtype):
    """Returns numbers as integers: truncated toward zero, saturated; NaN becomes 0."""
    limits = np.iinfo(dtype)
    whole = np.trunc(np.nan_to_num(np.asarray(x, "f8"), nan=0, posinf=np.inf, neginf=-np.inf))
    above, below = whole >= float(limits.max) + (limits.bits < 64), whole < float(limits.min)
    inside = np.where(above | below, 0, whole).astype(dtype)
    return np.where(above, dtype.type(limits.max), np.where(below, dtype.type(limits.min), inside))


def convert(x, dtype):
    """Converts numbers to another type: floats round to nearest even, integers wrap. The same type keeps its bits."""
    return to_integers(x, dtype) if dtype.kind in "iu" and is_float(x) else x.astype(dtype)


# ---- formulas of integers and floats that need more than a line

def divide(a, b):
    """Divides integers toward zero; a division by 0 gives 0."""
    if is_float(a):
        return a / b
    divisor = np.where(b == 0, b.dtype.type(1), b)
    quotient = a // divisor
    floored = (quotient * divisor != a) & ((a < 0) != (divisor < 0))
    return np.where(b == 0, b.dtype.type(0), quotient + floored.astype(a.dtype))


def mean(a, b):
    return (a + b) / 2 if is_float(a) else divide(a.astype("i8") + b.astype("i8"), np.array(2))


def power_of_integers(x, exponent):
    """Returns a power modulo the type's width; with a negative exponent: 1 / x^|e|, toward zero."""
    result, square = np.ones_like(x), x.copy()
    for bit in range(exponent.dtype.itemsize * 8 - (exponent.dtype.kind == "i")):
        result = np.where(exponent >> exponent.dtype.type(bit) & exponent.dtype.type(1), result * square, result)
        square = square * square
    if exponent.dtype.kind == "u":
        return result
    inverse = np.where(x == 1, 1, np.where(x + x.dtype.type(1) == 0, 1 - 2 * (exponent & 1), 0)).astype(x.dtype)
    return np.where(exponent < 0, inverse if x.dtype.kind == "i" else (x == 1).astype(x.dtype), result)


@np.vectorize
def careful_power(x, exponent):
    """Returns the power in FLOAT64, exact if it can be: numpy's may miss the last bits."""
    try:
        return math.pow(x, exponent)
    except OverflowError:
        return math.inf
    except ValueError:
        return math.nan


def power(x, exponent):
    """Returns the power. An exponent that is an integer keeps its parity, which FLOAT64 may lose."""
    if not is_float(exponent):
        if not is_float(x):
            return power_of_integers(x, exponent)
        size = np.power(np.abs(x), exponent.astype("f8"))
        return np.where((exponent % 2 != 0) & np.signbit(x), -size, size)
    return np.power(x, exponent) if is_float(x) else careful_power(x, exponent).astype("f8")


def round_by_mode(x, RoundingMode):
    return [np.rint, np.trunc, lambda x: np.trunc(x + np.copysign(0.5, x))][RoundingMode](x)


def is_infinity(x, InfinityMode):
    return [np.isinf, np.isposinf, np.isneginf][InfinityMode](x)


def limits(x, *bounds):
    """Returns FLOAT bounds in the tensor's type."""
    return [convert(np.array(bound), x.dtype) for bound in bounds]


def clip(x, low, high):
    return np.maximum(low, np.minimum(x, high))


def clip_gradient(x, gradient, low, high):
    return np.where((x <= low) | (x >= high), gradient.dtype.type(0), gradient)


def bit_count(x):
    octets = np.ascontiguousarray(x).view("u1").reshape(*x.shape, x.itemsize)
    return np.unpackbits(octets, axis=-1).sum(-1, dtype="u1")


def raw(function):
    """Returns a function of the elements' bits."""
    return lambda *arrays: function(*[x.view("u%d" % x.itemsize) for x in arrays]).view(arrays[0].dtype)


FORMULAS = {
    **ACTIVATIONS,
    "ACTIVATION_PARAMETERIZED_RELU": lambda x, slope: np.where(x < 0, slope * x, x),
    "ELEMENT_WISE_SQRT": np.sqrt,
    "ELEMENT_WISE_RECIP": lambda x: 1 / x,
    "ELEMENT_WISE_EXP": np.exp,
    "ELEMENT_WISE_LOG": np.log,
    "ELEMENT_WISE_SIN": np.sin,
    "ELEMENT_WISE_COS": np.cos,
    "ELEMENT_WISE_TAN": np.tan,
    "ELEMENT_WISE_ASIN": np.arcsin,
    "ELEMENT_WISE_ACOS": np.arccos,
    "ELEMENT_WISE_ATAN": np.arctan,
    "ELEMENT_WISE_SINH": np.sinh,
    "ELEMENT_WISE_COSH": np.cosh,
    "ELEMENT_WISE_TANH": np.tanh,
    "ELEMENT_WISE_ASINH": np.arcsinh,
    "ELEMENT_WISE_ACOSH": np.arccosh,
    "ELEMENT_WISE_ATANH": np.arctanh,
    "ELEMENT_WISE_ERF": lambda x: erf(x).astype("f8"),
    "ELEMENT_WISE_CEIL": np.ceil,
    "ELEMENT_WISE_FLOOR": np.floor,
    "ELEMENT_WISE_ROUND": round_by_mode,
    "ELEMENT_WISE_ADD": lambda a, b: a + b,
    "ELEMENT_WISE_ADD1": lambda a, b, FusedActivation: activate(a + b, FusedActivation),
    "ELEMENT_WISE_SUBTRACT": lambda a, b: a - b,
    "ELEMENT_WISE_MULTIPLY": lambda a, b: a * b,
    "ELEMENT_WISE_DIVIDE": divide,
    "ELEMENT_WISE_MEAN": mean,
    "ELEMENT_WISE_DIFFERENCE_SQUARE": lambda a, b: (a - b) * (a - b),
    "ELEMENT_WISE_MODULUS_TRUNCATE": np.fmod,
    "ELEMENT_WISE_MODULUS_FLOOR": np.mod,
    "ELEMENT_WISE_ATAN_YX": np.arctan2,
    "ELEMENT_WISE_POW": power,
    "ELEMENT_WISE_CONSTANT_POW": lambda x, Exponent: power(x, np.array(Exponent)),
}

CHOICES = {
    "ELEMENT_WISE_IDENTITY": lambda x: x,
    "CAST": lambda x: x,
    "ELEMENT_WISE_ABS": np.abs,
    "ELEMENT_WISE_NEGATE": np.negative,
    "ELEMENT_WISE_SIGN": lambda x: (x > 0).astype("i1") - (x < 0),
    "ELEMENT_WISE_IS_NAN": np.isnan,
    "ELEMENT_WISE_IS_INFINITY": is_infinity,
    "ELEMENT_WISE_MAX": np.maximum,
    "ELEMENT_WISE_MIN": np.minimum,
    "ELEMENT_WISE_CLIP": lambda x, Min, Max: clip(x, *limits(x, Min, Max)),
    "ELEMENT_WISE_CLIP1": lambda x, MinMaxDataType, Min, Max: clip(x, Min, Max),
    "ELEMENT_WISE_THRESHOLD": lambda x, Min: np.maximum(x, *limits(x, Min)),
    "ELEMENT_WISE_CLIP_GRAD": lambda x, g, Min, Max: clip_gradient(x, g, *limits(x, Min, Max)),
    "ELEMENT_WISE_CLIP_GRAD1": lambda x, g, MinMaxDataType, Min, Max: clip_gradient(x, g, Min, Max),
    "ACTIVATION_RELU_GRAD": lambda x, gradient: np.where(x > 0, gradient, gradient.dtype.type(0)),
    "ELEMENT_WISE_IF": lambda condition, a, b: np.where(condition != 0, a, b),
    "ELEMENT_WISE_LOGICAL_AND": np.logical_and,
    "ELEMENT_WISE_LOGICAL_OR": np.logical_or,
    "ELEMENT_WISE_LOGICAL_XOR": np.logical_xor,
    "ELEMENT_WISE_LOGICAL_NOT": np.logical_not,
    "ELEMENT_WISE_LOGICAL_EQUALS": np.equal,
    "ELEMENT_WISE_LOGICAL_GREATER_THAN": np.greater,
    "ELEMENT_WISE_LOGICAL_LESS_THAN": np.less,
    "ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL": np.greater_equal,
    "ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL": np.less_equal,
    "ELEMENT_WISE_BIT_AND": raw(np.bitwise_and),
    "ELEMENT_WISE_BIT_OR": raw(np.bitwise_or),
    "ELEMENT_WISE_BIT_XOR": raw(np.bitwise_xor),
    "ELEMENT_WISE_BIT_NOT": raw(np.invert),
    "ELEMENT_WISE_BIT_COUNT": bit_count,
    "ELEMENT_WISE_BIT_SHIFT_LEFT": np.left_shift,
    "ELEMENT_WISE_BIT_SHIFT_RIGHT": np.right_shift,
}


# ---- operators that need the outputs: their functions get the outputs after the inputs, and write them

def fill_constant(y, ValueDataType, Value):
    y[...] = Value


def fill_sequence(y, ValueDataType, ValueStart, ValueDelta):
    """Writes start + number * step for each element, by its row-major number. Integers wrap."""
    numbers = np.arange(y.size, dtype="f8" if is_float(y) else y.dtype).reshape(y.shape)
    start, delta = (np.array([v], numbers.dtype) for v in (ValueStart, ValueDelta))
    y[...] = convert(start + numbers * delta, y.dtype)


WRITERS = {"FILL_VALUE_CONSTANT": fill_constant, "FILL_VALUE_SEQUENCE": fill_sequence}


# ---- rows of formulas become functions that write

def scaled(x, scale_bias):
    """Returns x * Scale + Bias, computed in FLOAT64, in the type of x."""
    return x if scale_bias is None else convert(assay_peer.scaled(x.astype("f8"), scale_bias), x.dtype)


def widened(x, scale_bias):
    """Returns the same as scaled(), but floats stay FLOAT64."""
    return assay_peer.scaled(x.astype("f8"), scale_bias) if is_float(x) else scaled(x, scale_bias)


def writer(function, prepare):
    def write(*arrays, ScaleBias=None, **attributes):
        *inputs, y = arrays
        inputs = [prepare(x, None if i else ScaleBias) for i, x in enumerate(inputs)]
        y[...] = convert(function(*inputs, **attributes), y.dtype)
    return write


OPERATORS = {**{name: writer(function, widened) for name, function in FORMULAS.items()},
             **{name: writer(function, scaled) for name, function in CHOICES.items()}, **WRITERS}
