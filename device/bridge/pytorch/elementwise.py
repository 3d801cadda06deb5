"""Element-wise operators and activations: a line each, PyTorch's function of the inputs and the attributes by name. It
computes in the tensors' own type. A ScaleBias has been applied before."""
import torch
import torch.nn.functional as F

from assay_peer import Unsupported, fused


def only(condition, what):
    if not condition:
        raise Unsupported("PyTorch has no " + what)


def divide(a, b):
    return torch.div(a, b, rounding_mode=None if a.is_floating_point() else "trunc")


def rounded(x, RoundingMode):
    only(RoundingMode != 2, "rounding of halves away from zero")
    return torch.round(x) if RoundingMode == 0 else torch.trunc(x)


def wide(x):
    """Returns FLOAT16 as FLOAT32, for formulas of several operations."""
    return x.float() if x.dtype == torch.float16 else x


def celu(x, Alpha):
    only(Alpha != 0, "CELU with an Alpha of 0")
    return F.celu(x, Alpha)


def shrink(x, Bias, Threshold):
    only(Bias == Threshold, "shrink with a bias other than the threshold")
    return F.softshrink(x, Threshold)


def hard_sigmoid(x, Alpha, Beta):
    return torch.clamp(Alpha * wide(x) + Beta, 0, 1)


ACTIVATIONS = {
    "ACTIVATION_IDENTITY": lambda x: x,
    "ACTIVATION_LINEAR": lambda x, Alpha, Beta: Alpha * wide(x) + Beta,
    "ACTIVATION_RELU": torch.relu,
    "ACTIVATION_LEAKY_RELU": lambda x, Alpha: F.leaky_relu(x, Alpha),
    "ACTIVATION_THRESHOLDED_RELU": lambda x, Alpha: F.threshold(x, Alpha, 0),
    "ACTIVATION_SHRINK": shrink,
    "ACTIVATION_HARD_SIGMOID": hard_sigmoid,
    "ACTIVATION_SOFTSIGN": F.softsign,
    "ACTIVATION_ELU": lambda x, Alpha: F.elu(x, Alpha),
    "ACTIVATION_CELU": celu,
    "ACTIVATION_SCALED_ELU": lambda x, Alpha, Gamma: Gamma * F.elu(wide(x), Alpha),
    "ACTIVATION_SIGMOID": torch.sigmoid,
    "ACTIVATION_TANH": torch.tanh,
    "ACTIVATION_SCALED_TANH": lambda x, Alpha, Beta: Alpha * torch.tanh(Beta * wide(x)),
    "ACTIVATION_SOFTPLUS": lambda x, Steepness: F.softplus(wide(x), Steepness),
    "ACTIVATION_PARAMETRIC_SOFTPLUS": lambda x, Alpha, Beta: Alpha * F.softplus(Beta * wide(x)),
    "ACTIVATION_HARD_SWISH": lambda x, Alpha, Beta: wide(x) * hard_sigmoid(x, Alpha, Beta),
    "ACTIVATION_SWISH": lambda x, SigmoidInputScale: wide(x) * torch.sigmoid(SigmoidInputScale * wide(x)),
    "ACTIVATION_GELU": F.gelu,
}

FUNCTIONS = {
    **ACTIVATIONS,
    "ACTIVATION_PARAMETERIZED_RELU": lambda x, slope: torch.where(x < 0, slope * x, x),
    "ELEMENT_WISE_IDENTITY": lambda x: x,
    "ELEMENT_WISE_ABS": torch.abs,
    "ELEMENT_WISE_NEGATE": torch.neg,
    "ELEMENT_WISE_SIGN": torch.sign,
    "ELEMENT_WISE_SQRT": torch.sqrt,
    "ELEMENT_WISE_RECIP": torch.reciprocal,
    "ELEMENT_WISE_EXP": torch.exp,
    "ELEMENT_WISE_LOG": torch.log,
    "ELEMENT_WISE_SIN": torch.sin,
    "ELEMENT_WISE_COS": torch.cos,
    "ELEMENT_WISE_TAN": torch.tan,
    "ELEMENT_WISE_ASIN": torch.asin,
    "ELEMENT_WISE_ACOS": torch.acos,
    "ELEMENT_WISE_ATAN": torch.atan,
    "ELEMENT_WISE_SINH": torch.sinh,
    "ELEMENT_WISE_COSH": torch.cosh,
    "ELEMENT_WISE_TANH": torch.tanh,
    "ELEMENT_WISE_ASINH": torch.asinh,
    "ELEMENT_WISE_ACOSH": torch.acosh,
    "ELEMENT_WISE_ATANH": torch.atanh,
    "ELEMENT_WISE_ERF": torch.erf,
    "ELEMENT_WISE_CEIL": torch.ceil,
    "ELEMENT_WISE_FLOOR": torch.floor,
    "ELEMENT_WISE_ROUND": rounded,
    "ELEMENT_WISE_IS_NAN": torch.isnan,
    "ELEMENT_WISE_IS_INFINITY": lambda x, InfinityMode: [torch.isinf, torch.isposinf, torch.isneginf][InfinityMode](x),
    "ELEMENT_WISE_ADD": torch.add,
    "ELEMENT_WISE_ADD1": lambda a, b, FusedActivation: fused(a + b, FusedActivation, ACTIVATIONS),
    "ELEMENT_WISE_SUBTRACT": torch.sub,
    "ELEMENT_WISE_MULTIPLY": torch.mul,
    "ELEMENT_WISE_DIVIDE": divide,
    "ELEMENT_WISE_DIFFERENCE_SQUARE": lambda a, b: torch.square(a - b),
    "ELEMENT_WISE_MODULUS_TRUNCATE": torch.fmod,
    "ELEMENT_WISE_MODULUS_FLOOR": torch.remainder,
    "ELEMENT_WISE_ATAN_YX": torch.atan2,
    "ELEMENT_WISE_MAX": torch.maximum,
    "ELEMENT_WISE_MIN": torch.minimum,
    "ELEMENT_WISE_IF": lambda condition, a, b: torch.where(condition != 0, a, b),
    "ELEMENT_WISE_LOGICAL_AND": torch.logical_and,
    "ELEMENT_WISE_LOGICAL_OR": torch.logical_or,
    "ELEMENT_WISE_LOGICAL_XOR": torch.logical_xor,
    "ELEMENT_WISE_LOGICAL_NOT": torch.logical_not,
    "ELEMENT_WISE_LOGICAL_EQUALS": torch.eq,
    "ELEMENT_WISE_LOGICAL_GREATER_THAN": torch.gt,
    "ELEMENT_WISE_LOGICAL_LESS_THAN": torch.lt,
    "ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL": torch.ge,
    "ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL": torch.le,
}
