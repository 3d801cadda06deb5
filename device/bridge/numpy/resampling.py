"""Resampling: one dimension after the other, by a gather or by two gathers and their weights; arrays in, arrays out."""
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


def upsample(x, y, ScaleSize, InterpolationMode):
    resample(x, y, InterpolationMode, [1] * (x.ndim - 2) + [ScaleSize["Height"], ScaleSize["Width"]])


OPERATORS = {
    "UPSAMPLE_2D": upsample,
    "RESAMPLE": resample,
    "RESAMPLE1": resample,
    "RESAMPLE2": resample,
    "RESAMPLE3": resample,
}
