"""Poolings: for each element of the window, all windows at once; arrays in, arrays out."""
import numpy as np

from quantisation import quantised, wide


def _taps(x, sizes, WindowSize, Strides, Dilations, StartPadding):
    """Yields, for each element of the window, the windows that have it in the input, and the elements."""
    rest = [range(size) for size in x.shape[:2]]
    for offsets in np.ndindex(*WindowSize):
        chosen, places = [], []
        for count, size, k, stride, gap, start in zip(sizes, x.shape[2:], offsets, Strides, Dilations, StartPadding):
            place = np.arange(count, dtype=np.int64) * stride + (k * gap - start)
            inside = np.flatnonzero((place >= 0) & (place < size))
            chosen.append(inside)
            places.append(place[inside])
        yield np.ix_(*rest, *chosen), np.ix_(*rest, *places)


def _gaps(Dilations, DimensionCount):
    return [1] * DimensionCount if Dilations is None else Dilations


def _sums(x, shape, function, DimensionCount, Strides, WindowSize, StartPadding, Dilations):
    """Returns the sums of a function of the elements, and the numbers of elements, of all windows."""
    sums, counts = np.zeros(shape), np.zeros(shape)
    for windows, places in _taps(x, shape[2:], WindowSize, Strides, _gaps(Dilations, DimensionCount), StartPadding):
        sums[windows] += function(x[places])
        counts[windows] += 1
    return sums, counts


def average(x, y, DimensionCount, Strides, WindowSize, StartPadding, EndPadding, IncludePadding, Dilations=None):
    sums, counts = _sums(x, y.shape, np.float64, DimensionCount, Strides, WindowSize, StartPadding, Dilations)
    y[...] = sums / (np.prod(WindowSize, dtype=np.float64) if IncludePadding else counts)


def average_gradient(dy, dx, DimensionCount, Strides, WindowSize, StartPadding, EndPadding, IncludePadding):
    _, counts = _sums(dx, dy.shape, np.float64, DimensionCount, Strides, WindowSize, StartPadding, None)
    shares = dy.astype("f8") / (np.prod(WindowSize, dtype=np.float64) if IncludePadding else counts)
    sums = np.zeros(dx.shape)
    for windows, places in _taps(dx, dy.shape[2:], WindowSize, Strides, _gaps(None, DimensionCount), StartPadding):
        sums[places] += shares[windows]
    dx[...] = sums


def channels(parameter, like):
    """Returns the numbers of a scale or a zero point for an array with channels; an absent one is 0."""
    if parameter is None or parameter.size == 1:
        return wide(parameter if parameter is None else parameter.reshape(()))
    return wide(parameter.reshape([-1] + [1] * (like.ndim - 2)))


def quantised_average(x, x_scale, x_zero, y_scale, y_zero, y, DimensionCount, Strides, WindowSize, StartPadding,
                      EndPadding, Dilations, IncludePadding):
    sums, counts = _sums(wide(x) - channels(x_zero, x), y.shape, np.float64, DimensionCount, Strides, WindowSize,
                         StartPadding, Dilations)
    means = sums / (np.prod(WindowSize, dtype=np.float64) if IncludePadding else counts)
    y[...] = quantised(means * channels(x_scale, x), channels(y_scale, y), channels(y_zero, y), y)


def norm(x, y, DimensionCount, Strides, WindowSize, StartPadding, EndPadding, P, Dilations=None):
    sums, _ = _sums(x, y.shape, lambda values: np.abs(values.astype(np.float64)) ** P, DimensionCount, Strides,
                    WindowSize, StartPadding, Dilations)
    y[...] = np.sqrt(sums) if P == 2 else sums ** (1 / P)


def _greatest(x, shape, DimensionCount, Strides, WindowSize, StartPadding, Dilations):
    """Returns the greatest elements of all windows, their numbers in the input, and the windows without elements."""
    numbers = np.arange(x.size, dtype=np.uint64).reshape(x.shape)
    found, greatest = np.zeros(shape, np.uint64), np.zeros(shape, x.dtype)
    empty = np.ones(shape, bool)
    for windows, places in _taps(x, shape[2:], WindowSize, Strides, _gaps(Dilations, DimensionCount), StartPadding):
        better = empty[windows] | (x[places] > greatest[windows])
        greatest[windows] = np.where(better, x[places], greatest[windows])
        found[windows] = np.where(better, numbers[places], found[windows])
        empty[windows] = False
    return greatest, found, empty


def max_gradient(x, dy, dx, DimensionCount, Strides, WindowSize, StartPadding, EndPadding, Dilations):
    _, found, empty = _greatest(x, dy.shape, DimensionCount, Strides, WindowSize, StartPadding, Dilations)
    sums = np.zeros(dx.size)
    np.add.at(sums, found[~empty].astype("i8"), dy[~empty].astype("f8"))
    dx[...] = sums.reshape(dx.shape)


def maximum(x, y, *indices, DimensionCount, Strides, WindowSize, StartPadding, EndPadding, Dilations=None):
    y[...], found, _ = _greatest(x, y.shape, DimensionCount, Strides, WindowSize, StartPadding, Dilations)
    for index in indices:
        if index is not None:
            index[...] = found


OPERATORS = {
    "MAX_POOLING": maximum,
    "MAX_POOLING1": maximum,
    "MAX_POOLING2": maximum,
    "AVERAGE_POOLING": average,
    "AVERAGE_POOLING1": average,
    "QUANTIZED_LINEAR_AVERAGE_POOLING": quantised_average,
    "AVERAGE_POOLING_GRAD": average_gradient,
    "MAX_POOLING_GRAD": max_gradient,
    "LP_POOLING": norm,
    "LP_POOLING1": norm,
}
