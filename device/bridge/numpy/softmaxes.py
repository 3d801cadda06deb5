"""SOFTMAX and its relatives: arrays in, arrays out. A slice is all elements that differ along some axes only."""
import numpy as np

from assay_peer import joined, parted


def distances(rows):
    """Returns each element minus the greatest of its row: no power of the difference overflows."""
    wide = rows.astype(np.float64)
    return wide - np.fmax.reduce(wide, axis=-1, keepdims=True)


def softmax(rows):
    powers = np.exp(distances(rows))
    return powers / np.sum(powers, axis=-1, keepdims=True)


def log_softmax(rows):
    below = distances(rows)
    return below - np.log(np.sum(np.exp(below), axis=-1, keepdims=True))


def hardmax(rows):
    numbers = np.where(np.isnan(rows), -np.inf, rows)
    ones = np.zeros(rows.shape)
    np.put_along_axis(ones, np.argmax(numbers, axis=-1, keepdims=True), 1, -1)
    return ones


def over_last(function):
    return lambda array, output: over_axes(function)(array, output, 1, [array.ndim - 1])


def over_axes(function):
    def run(array, output, AxisCount, Axes):
        output[...] = parted(function(joined(array, Axes or [])), Axes or [], array.shape).astype(output.dtype)
    return run


OPERATORS = {"ACTIVATION_" + name + suffix: make(function)
             for name, function in (("SOFTMAX", softmax), ("LOG_SOFTMAX", log_softmax), ("HARDMAX", hardmax))
             for suffix, make in (("", over_last), ("1", over_axes))}
