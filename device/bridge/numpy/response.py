"""LOCAL_RESPONSE_NORMALIZATION, its gradient and VALUE_SCALE_2D, computed in float64."""
import numpy as np


def _windows(array, cross, before, after):
    """Returns the sums over all windows, of channels or of rows and columns. Elements beyond the tensor count as 0."""
    for axis in [1] if cross else [2, 3]:
        size = array.shape[axis]
        first, last = min(before, size - 1), min(after, size - 1)
        padded = np.pad(array, [(first, last) if i == axis else (0, 0) for i in range(4)])
        shifted = [np.take(padded, range(k, k + size), axis) for k in range(first + last + 1)]
        array = sum(shifted[1:], shifted[0])
    return array


def _base(x, CrossChannel, LocalSize, Alpha, Beta, Bias):
    squares = _windows(x * x, CrossChannel, (LocalSize - 1) // 2, LocalSize // 2)
    return Bias + Alpha / LocalSize * squares


def normalise(source, target, **attributes):
    x = source.astype(np.float64)
    target[...] = x / _base(x, **attributes) ** attributes["Beta"]


def normalise_gradient(source, gradient, target, **attributes):
    x, d = source.astype(np.float64), gradient.astype(np.float64)
    size, beta = attributes["LocalSize"], attributes["Beta"]
    base = _base(x, **attributes)
    terms = _windows(d * x * base ** (-beta - 1), attributes["CrossChannel"], size // 2, (size - 1) // 2)
    target[...] = d * base ** -beta - 2 * attributes["Alpha"] * beta / size * x * terms


def scale_values(source, target, Scale, ChannelCount, Bias):
    target[...] = source.astype(np.float64) * Scale + np.array(Bias).reshape(1, ChannelCount, 1, 1)


OPERATORS = {
    "LOCAL_RESPONSE_NORMALIZATION": normalise,
    "LOCAL_RESPONSE_NORMALIZATION_GRAD": normalise_gradient,
    "VALUE_SCALE_2D": scale_values,
}
