"""Resampling: one dimension after the other, by a gather or by two gathers and their weights, gradients by scatters;
arrays in, arrays out."""
import numpy as np


def _nearest(x, direction):
    """Returns the coordinate of the nearest element; without a direction, halves are rounded up."""
    if direction is None:
        return np.floor(x + 0.5)
    return np.floor(x) if direction else np.ceil(x)


def _along(x, axis, count, scale, offsets, linear, direction):
    """Returns the array with `count` elements along an axis."""
    size = x.shape[axis]
    at = (np.arange(count) - offsets[1]) / scale - offsets[0]
    at = np.clip(at if linear else _nearest(at, direction), 0, size - 1)
    below = np.floor(at).astype("i8")
    first = np.take(x, below, axis)
    if not linear:
        return first
    shape = [1] * x.ndim
    shape[axis] = at.size
    weights = (at - below).reshape(shape)
    second = np.take(x, np.minimum(below + 1, size - 1), axis)
    return np.where(weights == 0, first, first * (1 - weights) + second * weights)


def resample(x, y, InterpolationMode, Scales, InputPixelOffsets=None, OutputPixelOffsets=None, RoundingDirection=None,
             **_):
    linear = InterpolationMode == 1
    made = x.astype("f8") if linear else x
    for axis, scale in enumerate(Scales):
        offsets = (0.5, -0.5) if InputPixelOffsets is None else (InputPixelOffsets[axis], OutputPixelOffsets[axis])
        made = _along(made, axis, y.shape[axis], scale, offsets, linear, RoundingDirection)
    y[...] = np.rint(made) if linear and y.dtype.kind in "iu" else made


def _spread(g, axis, size, scale, offsets, linear, direction):
    """Returns the array with `size` elements along an axis, to which those of `g` are added."""
    at = (np.arange(g.shape[axis]) - offsets[1]) / scale - offsets[0]
    at = np.clip(at if linear else _nearest(at, direction), 0, size - 1)
    below = at.astype("i8")
    after = at - below
    rows = np.moveaxis(g, axis, 0)
    made = np.zeros((size,) + rows.shape[1:])
    columns = (-1,) + (1,) * (g.ndim - 1)
    between = np.flatnonzero(after)
    np.add.at(made, below, rows * (1 - after).reshape(columns))
    np.add.at(made, below[between] + 1, rows[between] * after[between].reshape(columns))
    return np.moveaxis(made, 0, axis)


def gradient(g, y, InterpolationMode, Scales, InputPixelOffsets, OutputPixelOffsets, RoundingDirection=None, **_):
    made = g.astype("f8")
    for axis, scale in enumerate(Scales):
        offsets = InputPixelOffsets[axis], OutputPixelOffsets[axis]
        made = _spread(made, axis, y.shape[axis], scale, offsets, InterpolationMode == 1, RoundingDirection)
    y[...] = made


def upsample(x, y, ScaleSize, InterpolationMode):
    resample(x, y, InterpolationMode, [1] * (x.ndim - 2) + [ScaleSize["Height"], ScaleSize["Width"]])


OPERATORS = {
    "UPSAMPLE_2D": upsample,
    "RESAMPLE": resample,
    "RESAMPLE1": resample,
    "RESAMPLE2": resample,
    "RESAMPLE3": resample,
    "RESAMPLE_GRAD": gradient,
    "RESAMPLE_GRAD1": gradient,
}
