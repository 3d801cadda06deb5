"""SOFTMAX and its relatives: arrays in, arrays out. A slice is all elements that differ along some axes only."""
import numpy as np


def rows_of(array, axes):
    """Returns a copy with a row for each slice, in row-major order, and a function that restores the array's shape."""
    kept = [axis for axis in range(array.ndim) if axis not in axes]
    order = kept + sorted(axes)
    turned = np.transpose(array, order)
    length = int(np.prod([array.shape[axis] for axis in axes], dtype=np.int64))

    def restore(rows):
        return np.transpose(rows.reshape(turned.shape), np.argsort(order))

    return turned.reshape(-1, length), restore


def distances(rows):
    """Returns each element minus the greatest of its row: no power of the difference overflows."""
    wide = rows.astype(np.float64)
    return wide - np.fmax.reduce(wide, axis=1, keepdims=True)


def softmax(rows):
    powers = np.exp(distances(rows))
    return powers / np.sum(powers, axis=1, keepdims=True)


def log_softmax(rows):
    below = distances(rows)
    return below - np.log(np.sum(np.exp(below), axis=1, keepdims=True))


def hardmax(rows):
    numbers = np.where(np.isnan(rows), -np.inf, rows)
    ones = np.zeros(rows.shape)
    ones[np.arange(len(rows)), np.argmax(numbers, axis=1)] = 1
    return ones


def over_last(function):
    return lambda array, output: over_axes(function)(array, output, 1, [array.ndim - 1])


def over_axes(function):
    def run(array, output, AxisCount, Axes):
        rows, restore = rows_of(array, set(Axes or []))
        output[...] = restore(function(rows)).astype(output.dtype)
    return run


OPERATORS = {"ACTIVATION_" + name + suffix: make(function)
             for name, function in (("SOFTMAX", softmax), ("LOG_SOFTMAX", log_softmax), ("HARDMAX", hardmax))
             for suffix, make in (("", over_last), ("1", over_axes))}
