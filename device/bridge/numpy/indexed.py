"""Operators with indices. A function gets arrays in the documented order, inputs and then outputs, which it writes; and
the attributes by name."""
import numpy as np

from assay_peer import last


def wrap(indices, size):
    """Returns indices as signed numbers. Negative ones count from the end. A too large index stays too large."""
    if indices.dtype.kind == "u":
        return np.minimum(indices, size).astype("i8")
    return np.where(indices < 0, indices.astype("i8") + size, indices)


def gather(x, indices, y, Axis, IndexDimensions):
    found = x.take(wrap(last(indices, IndexDimensions), x.shape[Axis]), Axis, mode="clip")
    y[...] = found.reshape(y.shape)


def gather_elements(x, indices, y, Axis):
    size = x.shape[Axis]
    y[...] = np.take_along_axis(x, wrap(indices, size).clip(0, size - 1), Axis)


def gather_nd(x, indices, y, InputDimensionCount, IndicesDimensionCount, BatchDimensionCount=0):
    x, tuples = last(x, InputDimensionCount), last(indices, IndicesDimensionCount)
    batch = np.indices(tuples.shape[:-1], sparse=True)[:BatchDimensionCount]
    sizes = x.shape[BatchDimensionCount:]
    place = [wrap(tuples[..., k], sizes[k]).clip(0, sizes[k] - 1) for k in range(tuples.shape[-1])]
    y[...] = x[(*batch, *place)].reshape(y.shape)


def scatter_elements(x, indices, updates, y, Axis):
    y[...] = x
    index = wrap(indices, x.shape[Axis])
    inside = np.nonzero((index >= 0) & (index < x.shape[Axis]))
    place = list(inside)
    place[Axis] = index[inside]
    y[tuple(place)] = updates[inside]


def scatter_nd(x, indices, updates, y, InputDimensionCount, IndicesDimensionCount):
    y[...] = x
    y, tuples = last(y, InputDimensionCount), last(indices, IndicesDimensionCount)
    count = tuples.shape[-1]
    place = [wrap(tuples[..., k], y.shape[k]) for k in range(count)]
    inside = np.all([(p >= 0) & (p < size) for p, size in zip(place, y.shape)], axis=0)
    y[tuple(p[inside] for p in place)] = updates.reshape(tuples.shape[:-1] + y.shape[count:])[inside]


def nonzero_coordinates(x, count, coordinates):
    found = np.argwhere(x != 0)
    count[...] = len(found)
    last(coordinates, 2)[:len(found)] = found[:, -coordinates.shape[-1]:]


OPERATORS = {"GATHER": gather, "GATHER_ELEMENTS": gather_elements, "GATHER_ND": gather_nd, "GATHER_ND1": gather_nd,
             "SCATTER_ELEMENTS": scatter_elements, "SCATTER_ND": scatter_nd,
             "NONZERO_COORDINATES": nonzero_coordinates}
