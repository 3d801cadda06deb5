"""Regions of pictures: a slice of the picture for each bin; arrays in, arrays out."""
import math

import numpy as np


def _rounded(x):
    """Rounds halves away from zero."""
    return int(math.copysign(math.floor(abs(x) + 0.5), x))


def _bins(first, last, count, size):
    """Returns the slices of a dimension of a picture for the bins of a region between two corners."""
    begin, length = _rounded(first), max(_rounded(last) - _rounded(first) + 1, 1)
    ends = [(begin + b * length // count, begin - (b + 1) * length // -count) for b in range(count)]
    return [slice(min(max(low, 0), size), min(max(past, 0), size)) for low, past in ends]


def pooling(x, regions, y, SpatialScale, PooledSize):
    scale = float(np.float32(SpatialScale))
    y[...] = 0
    for region, (batch, *corners) in enumerate(regions.reshape(-1, 5).astype("f8")):
        corners = np.clip(np.multiply(corners, scale), -2.0 ** 24, 2.0 ** 24)
        if not 0 <= batch < x.shape[0] or np.isnan(corners).any():
            continue
        left, top, right, bottom = corners
        for row, rows in enumerate(_bins(top, bottom, y.shape[2], x.shape[2])):
            for column, columns in enumerate(_bins(left, right, y.shape[3], x.shape[3])):
                if rows.start < rows.stop and columns.start < columns.stop:
                    y[region, :, row, column] = x[int(batch), :, rows, columns].max(axis=(1, 2))


def _samples(first, last, bins, least, most, offsets, corners):
    """Returns the coordinates of the samples of each bin of a region between two edges, an array of rows."""
    length = last - first
    wanted = math.ceil(min(max(length / bins, 0), 256)) if math.isfinite(length) else 0
    count = min(max(least, min(most, wanted)), 256)
    at = np.arange(bins * count) - offsets[1]
    if corners:
        at = at * length / (bins * count - 1) if bins * count > 1 else np.array([length / 2])
    else:
        at = at * length / (bins * count)
    return (at + first - offsets[0]).reshape(bins, count)


def _weights(at, size, linear):
    """Returns the weights of the elements of a dimension in each sample, and which samples are outside."""
    inside = np.clip(np.nan_to_num(at), 0, size - 1)[..., None]
    places = np.arange(size)
    if linear:
        weights = np.maximum(0, 1 - np.abs(inside - places))
    else:
        weights = (np.floor(inside + 0.5) == places).astype("f8")
    return weights, ~((at >= -1) & (at <= size))


def align1(x, regions, batches, y, ReductionFunction, InterpolationMode, SpatialScaleX, SpatialScaleY,
           OutOfBoundsInputValue, MinimumSamplesPerOutput, MaximumSamplesPerOutput, InputPixelOffset=0.5,
           OutputPixelOffset=-0.5, AlignRegionsToCorners=False):
    offsets = InputPixelOffset, OutputPixelOffset
    limits = MinimumSamplesPerOutput, MaximumSamplesPerOutput, offsets, AlignRegionsToCorners
    reduce = np.max if ReductionFunction == 7 else np.mean
    y[...] = 0
    rows = regions.reshape(-1, 4).astype("f8")
    for region, (batch, (left, top, right, bottom)) in enumerate(zip(batches.reshape(-1), rows)):
        if not 0 <= batch < x.shape[0]:
            continue
        down, above = _weights(_samples(top * SpatialScaleY, bottom * SpatialScaleY, y.shape[2], *limits),
                               x.shape[2], InterpolationMode == 1)
        across, beside = _weights(_samples(left * SpatialScaleX, right * SpatialScaleX, y.shape[3], *limits),
                                  x.shape[3], InterpolationMode == 1)
        values = np.einsum("akh,chw,blw->cabkl", down, x[batch].astype("f8"), across, optimize=True)
        outside = above[:, None, :, None] | beside[None, :, None, :]
        values = np.where(outside, OutOfBoundsInputValue, values)
        y[region] = reduce(values, axis=(3, 4))


OPERATORS = {
    "ROI_POOLING": pooling,
    "ROI_ALIGN": align1,
    "ROI_ALIGN1": align1,
}
