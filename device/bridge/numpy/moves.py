"""Operators that move elements. A function gets arrays in the documented order, inputs and then outputs, which it
writes; and the attributes by name."""
import numpy as np

from elementwise import convert


def picked(x, places):
    """Returns the elements at the indices along each axis."""
    return x[np.ix_(*places)]


def slice0(x, y, DimensionCount, Offsets, Sizes, Strides):
    y[...] = x[tuple(slice(o, o + s * (n - 1) + 1, s) for o, n, s in zip(Offsets, Sizes, Strides))]


def steps(sizes, offsets, windows, strides):
    """Returns the indices of a window's elements; backwards from its end if the stride is negative."""
    return [o + (w - 1) * (s < 0) + s * np.arange(n) for n, o, w, s in zip(sizes, offsets, windows, strides)]


def slice1(x, y, DimensionCount, InputWindowOffsets, InputWindowSizes, InputWindowStrides):
    y[...] = picked(x, steps(y.shape, InputWindowOffsets, InputWindowSizes, InputWindowStrides))


def slice_grad(x, y, DimensionCount, InputWindowOffsets, InputWindowSizes, InputWindowStrides):
    y[...] = 0
    y[np.ix_(*steps(x.shape, InputWindowOffsets, InputWindowSizes, InputWindowStrides))] = x


def split(x, parts, OutputCount, Axis):
    ends = np.cumsum([part.shape[Axis] for part in parts])
    for part, piece in zip(parts, np.split(x, ends[:-1], Axis)):
        part[...] = piece


def join(parts, y, InputCount, Axis):
    y[...] = np.concatenate(parts, Axis)


def tile(x, y, RepeatsCount, Repeats):
    y[...] = np.tile(x, Repeats)


# Indices of the elements around an axis of n elements, as one period that repeats in both directions; the mode edge has
# none.
PERIODS = {2: lambda n: [*range(n), *range(n - 2, 0, -1)], 3: lambda n: [*range(n), *range(n - 1, -1, -1)],
           4: lambda n: [*range(n)]}


def beside(mode, n, start, end):
    places = np.arange(-start, n + end)
    if mode == 1:
        return places.clip(0, n - 1)
    period = np.array(PERIODS[mode](n))
    return period[places % len(period)]


def padding(x, y, PaddingMode, PaddingValue, DimensionCount, StartPadding, EndPadding, PaddingValueDataType=None):
    if PaddingMode == 0:
        y[...] = convert(np.array(PaddingValue), y.dtype)
        y[tuple(slice(s, s + n) for s, n in zip(StartPadding, x.shape))] = x
    else:
        y[...] = picked(x, [beside(PaddingMode, n, s, e) for n, s, e in zip(x.shape, StartPadding, EndPadding)])


def depth_to_space(x, y, BlockSize, Order=0):
    n, c, h, w = y.shape
    grid = n, *([BlockSize, BlockSize, c] if Order == 0 else [c, BlockSize, BlockSize]), h // BlockSize, w // BlockSize
    y[...] = x.reshape(grid).transpose([0, 3, 4, 1, 5, 2] if Order == 0 else [0, 1, 4, 2, 5, 3]).reshape(y.shape)


def space_to_depth(x, y, BlockSize, Order=0):
    n, c, h, w = x.shape
    grid = x.reshape(n, c, h // BlockSize, BlockSize, w // BlockSize, BlockSize)
    y[...] = grid.transpose([0, 3, 5, 1, 2, 4] if Order == 0 else [0, 1, 3, 5, 2, 4]).reshape(y.shape)


OPERATORS = {"SLICE": slice0, "SLICE1": slice1, "SLICE_GRAD": slice_grad, "SPLIT": split, "JOIN": join, "TILE": tile,
             "PADDING": padding, "PADDING1": padding, "SPACE_TO_DEPTH": space_to_depth,
             "SPACE_TO_DEPTH1": space_to_depth, "DEPTH_TO_SPACE": depth_to_space, "DEPTH_TO_SPACE1": depth_to_space}
