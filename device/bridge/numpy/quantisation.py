"""Quantisation. A function gets arrays in the documented order, inputs and then outputs, which it writes; and the
attributes by name. An absent tensor is None. All arithmetic is in FLOAT64, which holds every stored value of up to 32
bits."""
import numpy as np

from elementwise import convert, to_integers


def wide(x):
    return 0 if x is None else x.astype("f8")


def quantised(x, scale, zero, like):
    """Rounds half to even, adds the zero point, then saturates to the type of `like`, or to 4 bits."""
    low, high = limits_of(like)
    return to_integers(np.clip(np.rint(x / scale) + zero, low, high), like.dtype)


def limits_of(y):
    return getattr(y, "limits", None) or (np.iinfo(y.dtype).min, np.iinfo(y.dtype).max)


def quantize_linear(x, scale, zero, y):
    x = x.astype("f4") if x.dtype.kind == "i" else x  # FLOAT32 has a fraction of 24 bits
    y[...] = quantised(wide(x), wide(scale), wide(zero), y)


def dequantize_linear(x, scale, zero, y):
    y[...] = convert((wide(x) - wide(zero)) * wide(scale), y.dtype)


def quantized_linear_add(a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero, y):
    total = (wide(a) - wide(a_zero)) * wide(a_scale) + (wide(b) - wide(b_zero)) * wide(b_scale)
    y[...] = quantised(total, wide(y_scale), wide(y_zero), y)


def dynamic_quantize_linear(x, y, scale, zero):
    """Chooses the scale, and uses it as it is stored. The range includes 0, but no NaN; an empty range has scale 1."""
    low, high = limits_of(y)
    least, most = min(0.0, float(np.fmin.reduce(x, axis=None))), max(0.0, float(np.fmax.reduce(x, axis=None)))
    scale[...] = (most - least) / (high - low) if most > least else 1
    stored = np.float64(scale.flat[0])  # the scale of a range of denormals can be 0: then quotients are not finite
    zero[...] = to_integers(np.clip(np.rint(low - least / stored), low, high), zero.dtype)
    y[...] = quantised(wide(x), stored, float(zero.flat[0]), y)


def spread(small, sizes):
    """Repeats each element over its block."""
    if small is None:
        return 0
    places = [np.minimum(np.arange(size) // max(1, size // count), count - 1)
              for size, count in zip(sizes, small.shape)]
    return wide(small[np.ix_(*places)])


def quantize(x, tensors, y, **_):
    scale, zero = (tensors + [None])[:2]
    y[...] = quantised(wide(x), spread(scale, x.shape), spread(zero, x.shape), y)


def dequantize(x, tensors, y, **_):
    scale, zero = (tensors + [None])[:2]
    y[...] = convert((wide(x) - spread(zero, x.shape)) * spread(scale, x.shape), y.dtype)


OPERATORS = {"ELEMENT_WISE_QUANTIZE_LINEAR": quantize_linear, "ELEMENT_WISE_DEQUANTIZE_LINEAR": dequantize_linear,
             "ELEMENT_WISE_QUANTIZED_LINEAR_ADD": quantized_linear_add,
             "DYNAMIC_QUANTIZE_LINEAR": dynamic_quantize_linear, "QUANTIZE": quantize, "DEQUANTIZE": dequantize}
