"""GEMM and convolutions, in float64; arrays in, arrays out. An absent tensor is None."""
import numpy as np

from activations import activate
from matrices import wrapped
from quantisation import quantised


def wide(x):
    return 0 if x is None else x.astype("f8")


def _turned(matrix, transform):
    return np.swapaxes(wide(matrix), -1, -2) if transform else wide(matrix)


def gemm(a, b, c, y, TransA, TransB, Alpha, Beta, FusedActivation):
    total = Alpha * np.matmul(_turned(a, TransA == "TRANSPOSE" or TransA == 1),
                              _turned(b, TransB == "TRANSPOSE" or TransB == 1))
    y[...] = activate(total if c is None else total + Beta * wide(c), FusedActivation)


def _slices(size, count, stride, offset):
    """Returns the indices of windows, below `count`, whose element at this offset is inside, and its coordinates."""
    place = np.arange(count, dtype=np.int64) * stride + offset
    inside = np.flatnonzero((place >= 0) & (place < size))
    return inside, place[inside]


def _convolved(x, f, y, Strides, Dilations, StartPadding, GroupCount, backward=False):
    """For each element of the filter: all windows at once. Backward is the same with input and output exchanged."""
    batch, groups = x.shape[0], GroupCount
    source = x.reshape(batch, groups, -1, *x.shape[2:])
    filters = f.reshape(groups, -1, *f.shape[1:])
    total = np.zeros((batch, groups, y.shape[1] // groups, *y.shape[2:]))
    whole, part = (y, x) if backward else (x, y)  # a window of `whole` belongs to each element of `part`
    for taps in np.ndindex(*f.shape[2:]):
        chosen = [_slices(size, count, stride, tap * gap - start) for size, count, stride, tap, gap, start in
                  zip(whole.shape[2:], part.shape[2:], Strides, taps, Dilations, StartPadding)]
        windows, places = np.ix_(*[pair[0] for pair in chosen]), np.ix_(*[pair[1] for pair in chosen])
        from_at, to_at = (windows, places) if backward else (places, windows)
        weights = filters[(slice(None), slice(None), slice(None), *taps)]
        for n in range(batch):
            for g in range(groups):
                matrix = weights[g].T if backward else weights[g]
                values = source[n, g][(slice(None), *from_at)]
                # BLAS may skip zeros, which would hide a NaN or an infinity
                total[n, g][(slice(None), *to_at)] += np.einsum("ij,j...->i...", matrix, values)
    return total.reshape(y.shape)


def convolution(x, f, bias, y, Mode, Direction, DimensionCount, Strides, Dilations, StartPadding, EndPadding,
                OutputPadding, GroupCount, FusedActivation):
    filters = wide(f)
    if Mode in (0, "CONVOLUTION"):
        filters = filters[(..., *[slice(None, None, -1)] * DimensionCount)]
    total = _convolved(wide(x), filters, y, Strides, Dilations, StartPadding, GroupCount, Direction in (1, "BACKWARD"))
    y[...] = activate(total if bias is None else total + wide(bias), FusedActivation)


def _of_channels(parameter, dimension, count):
    """Returns a scale or a zero point, of one element or one for each channel, along a dimension of a tensor."""
    if parameter is None:
        return 0
    return wide(parameter).reshape([-1 if i == dimension else 1 for i in range(count)])


def _integer_sums(x, x_zero, f, f_zero, y, Strides, Dilations, StartPadding, GroupCount):
    return _convolved(wide(x) - _of_channels(x_zero, 1, x.ndim), wide(f) - _of_channels(f_zero, 0, f.ndim), y, Strides,
                      Dilations, StartPadding, GroupCount)


def integer_convolution(x, x_zero, f, f_zero, y, DimensionCount, Strides, Dilations, StartPadding, EndPadding,
                        GroupCount):
    y[...] = wrapped(_integer_sums(x, x_zero, f, f_zero, y, Strides, Dilations, StartPadding, GroupCount))


def quantised_convolution(x, x_scale, x_zero, f, f_scale, f_zero, bias, y_scale, y_zero, y, DimensionCount, Strides,
                          Dilations, StartPadding, EndPadding, GroupCount):
    total = _integer_sums(x, x_zero, f, f_zero, y, Strides, Dilations, StartPadding, GroupCount) + wide(bias)
    scales = _of_channels(x_scale, 1, y.ndim) * _of_channels(f_scale, 1, y.ndim)
    y[...] = quantised(total * scales, _of_channels(y_scale, 1, y.ndim), _of_channels(y_zero, 1, y.ndim), y)


OPERATORS = {
    "CONVOLUTION": convolution,
    "CONVOLUTION_INTEGER": integer_convolution,
    "QUANTIZED_LINEAR_CONVOLUTION": quantised_convolution,
    "GEMM": gemm,
}
