"""Tensors of 4-bit elements: two in a byte, the first in its low half. As arrays they have a byte for each element."""
import numpy as np

LIMITS = {"UINT4": (0, 15), "INT4": (-8, 7)}


class Nibbles(np.ndarray):
    """An array with the `limits` of its elements."""
    limits = None


def _places(tensor):
    """Returns the number of each element in memory."""
    places = np.zeros(tensor.sizes, "i8")
    for axis, (size, stride) in enumerate(zip(tensor.sizes, tensor.strides)):
        places += np.arange(size).reshape([-1] + [1] * (len(tensor.sizes) - 1 - axis)) * stride
    return places


def unpack(tensor):
    places = _places(tensor)
    elements = np.frombuffer(tensor.data, "u1")[places >> 1] >> (places & 1) * 4 & 15
    low, high = LIMITS[tensor.data_type]
    array = np.where(elements > high, elements - 16, elements).astype("i1" if low else "u1").view(Nibbles)
    array.limits = low, high
    return array


def pack(array, tensor):
    """Writes the elements; the other halves of bytes keep their values."""
    places, octets = _places(tensor), np.frombuffer(tensor.data, "u1")
    for half in 0, 1:
        here = places % 2 == half
        at = places[here] >> 1
        octets[at] = octets[at] & 0xF0 >> 4 * half | (np.asarray(array[here]).astype("u1") & 15) << 4 * half
