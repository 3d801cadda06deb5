"""Regions of pictures: a slice of the picture for each bin; arrays in, arrays out."""
import functools
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


def _rates(first, last, bins, least, most, offsets, corners):
    """Returns how fast each sample grows with the last edge of its region: it is linear in both edges."""
    at = _samples(first, last, bins, least, most, offsets, corners)
    count = at.size
    number = np.arange(count) - offsets[1]
    rates = number / max(count - 1, 1) if corners else number / count
    return (np.array([0.5]) if corners and count == 1 else rates).reshape(at.shape)


def _slopes(at, size):
    """Returns the derivatives of the weights of the elements of a dimension: -1 before and 1 behind each sample."""
    inside = np.clip(np.nan_to_num(at), 0, size - 1)[..., None]
    places = np.arange(size)
    return (places == np.ceil(inside)).astype("f8") - (places == np.floor(inside))


def _gathered(picture, down, across):
    """Returns the sums by sample of the elements, times their weights."""
    by_column = np.tensordot(picture, across, ([2], [2]))
    return np.tensordot(down, by_column, ([2], [1])).transpose(2, 0, 3, 1, 4)


def _spread(passed, down, across):
    """Returns the sums by element of what each sample passes on, times its weights. tensordot() finds no order of the
    products, for which einsum() takes longer than for a small region."""
    by_column = np.tensordot(passed, across, ([2, 4], [0, 1]))
    return np.tensordot(by_column, down, ([1, 2], [0, 1])).swapaxes(1, 2)


@functools.lru_cache(maxsize=64)  # thousands of regions may be one, of strides of 0
def _sampled(size, is_linear, *edges):
    """Returns the samples between two edges, their weights, and which of them are outside of the picture."""
    at = _samples(*edges)
    return at, *_weights(at, size, is_linear)


def align_gradient(x, dy, regions, batches, dx, dregions, ReductionFunction, InterpolationMode, SpatialScaleX,
                   SpatialScaleY, InputPixelOffset, OutputPixelOffset, MinimumSamplesPerOutput,
                   MaximumSamplesPerOutput, AlignRegionsToCorners):
    picture = x if dx is None else dx
    limits = (MinimumSamplesPerOutput, MaximumSamplesPerOutput, (InputPixelOffset, OutputPixelOffset),
              AlignRegionsToCorners)
    is_max, moves_regions = ReductionFunction == 7, dregions is not None and InterpolationMode == 1
    sums, moves = np.zeros(picture.shape), np.zeros((dy.shape[0], 4))
    rows = regions.reshape(-1, 4).astype("f8")

    @functools.lru_cache(maxsize=64)  # regions may also share their batch
    def prepared(batch, vertical, horizontal):
        """Returns the weights of the elements, which samples take a gradient, and how those move with the edges."""
        y, down, above = _sampled(picture.shape[2], InterpolationMode == 1, *vertical)
        x_at, across, beside = _sampled(picture.shape[3], InterpolationMode == 1, *horizontal)
        inside = ~(above[:, None, :, None] | beside[None, :, None, :])[None]
        element = x[batch].astype("f8") if is_max or moves_regions else None
        if is_max:
            values = _gathered(element, down, across)
            values = np.where(inside, values, -np.inf).reshape(*values.shape[:3], -1)
            shares = np.arange(values.shape[-1]) == values.argmax(axis=-1)[..., None]
            inside = inside & shares.reshape(*shares.shape[:3], y.shape[1], x_at.shape[1])
        if not moves_regions:
            return down, across, inside, None
        steep, wide = _slopes(y, picture.shape[2]), _slopes(x_at, picture.shape[3])
        return down, across, inside, (
            _gathered(element, steep, across), _gathered(element, down, wide),
            _rates(*vertical)[None, :, None, :, None], _rates(*horizontal)[None, None, :, None, :])

    for region, (batch, (left, top, right, bottom)) in enumerate(zip(batches.reshape(-1), rows)):
        if not 0 <= batch < picture.shape[0]:
            continue
        vertical = top * SpatialScaleY, bottom * SpatialScaleY, dy.shape[2], *limits
        horizontal = left * SpatialScaleX, right * SpatialScaleX, dy.shape[3], *limits
        down, across, inside, moving = prepared(batch, vertical, horizontal)
        gradients = dy[region].astype("f8")[:, :, :, None, None]
        if not is_max:
            gradients = gradients / (down.shape[1] * across.shape[1])
        passed = np.where(inside, gradients, 0)
        if dx is not None:
            finite = np.isfinite(passed)
            sums[batch] += _spread(np.where(finite, passed, 0), down, across)
            if not finite.all():  # an infinity that is multiplied by 0 elsewhere must not spread
                sums[batch][_spread((~finite).astype("f8"), down, across) > 0] = np.nan
        if not moving:
            continue
        slopes_y, slopes_x, rate_y, rate_x = moving
        along_y, along_x = slopes_y * passed, slopes_x * passed
        moves[region] = [(along_x * (1 - rate_x)).sum() * SpatialScaleX, (along_y * (1 - rate_y)).sum() * SpatialScaleY,
                         (along_x * rate_x).sum() * SpatialScaleX, (along_y * rate_y).sum() * SpatialScaleY]
    if dx is not None:
        dx[...] = sums
    if dregions is not None:
        dregions[...] = moves.reshape(dregions.shape)


OPERATORS = {
    "ROI_POOLING": pooling,
    "ROI_ALIGN": align1,
    "ROI_ALIGN1": align1,
    "ROI_ALIGN_GRAD": align_gradient,
}
