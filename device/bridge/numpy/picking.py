"""Operators that place elements by numbers, and random numbers. A function gets arrays in the documented order, inputs
and then outputs, which it writes; and the attributes by name. An absent tensor is None."""
import numpy as np

from elementwise import convert
from indexed import wrap


def apart(y):
    """Returns column - row for each element of the last two dimensions."""
    rows, columns = y.shape[-2:]
    return np.arange(columns, dtype="i8") - np.arange(rows, dtype="i8")[:, None]


def diagonal_matrix(y, Offset, Value):
    y[...] = 0
    value = np.float64(Value)
    y[..., apart(y) == Offset] = convert(value if y.dtype.kind == "f" else np.trunc(value), y.dtype)


def diagonal_matrix1(x, y, Value, DiagonalFillBegin, DiagonalFillEnd, ValueDataType=None):
    from_begin, before_end = apart(y) >= DiagonalFillBegin, apart(y) < DiagonalFillEnd
    inside = from_begin & before_end if DiagonalFillBegin <= DiagonalFillEnd else from_begin | before_end
    y[...] = 0 if x is None else x
    y[..., inside] = Value


def reverse_subsequences(x, lengths, y, Axis):
    size = x.shape[Axis]
    length = np.minimum(lengths, size).astype("i8")
    place = np.arange(size, dtype="i8").reshape([-1 if d == Axis else 1 for d in range(x.ndim)])
    y[...] = np.take_along_axis(x, np.where(place < length, length - 1 - place, place), Axis)


def one_hot(indices, values, y, Axis):
    size = y.shape[Axis]
    place = np.arange(size, dtype="i8").reshape([-1 if d == Axis else 1 for d in range(y.ndim)])
    off, on = values.reshape(-1)[:2]
    y[...] = np.where(place == wrap(indices, size), on, off)


def max_unpooling(x, indices, y):
    flat = np.zeros(y.size, y.dtype)
    inside = indices < y.size
    flat[indices[inside].astype("i8")] = x[inside]
    y[...] = flat.reshape(y.shape)


def philox(counter, key):
    """Does ten rounds on arrays of counters. Returns four arrays of words, in UINT64."""
    word, (k0, k1) = np.uint64(0xFFFFFFFF), key
    c = list(counter)
    for _ in range(10):
        p, r = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(r >> np.uint64(32)) ^ c[1] ^ np.uint64(k0), r & word,
             (p >> np.uint64(32)) ^ c[3] ^ np.uint64(k1), p & word]
        k0, k1 = (k0 + 0x9E3779B9) % 2**32, (k1 + 0xBB67AE85) % 2**32
    return c


def random_generator(state, y, state_after, Type=None):
    words = [int(word) for word in state.reshape(-1)]
    start, key = sum(word << 32 * i for i, word in enumerate(words[:4])), words[4:]
    blocks = -(-y.size // 4)
    low, rest = start % 2**64, start >> 64
    lows = np.uint64(low) + np.arange(blocks, dtype="u8")  # the addition wraps
    carried = lows < np.uint64(low)
    after_carry = (rest + 1) % 2**64
    high = [np.where(carried, np.uint64(after_carry >> shift & 0xFFFFFFFF), np.uint64(rest >> shift & 0xFFFFFFFF))
            for shift in (0, 32)]
    drawn = philox([lows & np.uint64(0xFFFFFFFF), lows >> np.uint64(32), *high], key)
    y[...] = np.stack(drawn, -1).reshape(-1)[:y.size].astype("u4").reshape(y.shape)
    if state_after is not None:
        after = (start + blocks) % 2**128
        state_after[...] = np.array([after >> 32 * i & 0xFFFFFFFF for i in range(4)] + key, "u4").reshape(state.shape)


def order(x, largest):
    """The stable order of each row, with NaNs beyond the infinities: ranks as unsigned numbers, which are inverted for
    the largest first."""
    if x.dtype.kind == "f":
        bits = np.where(x == 0, 0, x).astype(x.dtype).view(f"u{x.itemsize}")
        sign = bits.dtype.type(1 << 8 * x.itemsize - 1)
        ranks = np.where(bits & sign, ~bits, bits | sign)
    else:
        ranks = x
    return np.argsort(~ranks if largest else ranks, -1, kind="stable")


def top_k1(x, values, indices, Axis, K, AxisDirection):
    rows = np.moveaxis(x, Axis, -1)
    found = order(np.ascontiguousarray(rows), AxisDirection == 1)[..., :K]
    np.moveaxis(values, Axis, -1)[...] = np.take_along_axis(rows, found, -1)
    np.moveaxis(indices, Axis, -1)[...] = found


def top_k(x, values, indices, Axis, K):
    top_k1(x, values, indices, Axis, K, 1)


OPERATORS = {"DIAGONAL_MATRIX": diagonal_matrix, "DIAGONAL_MATRIX1": diagonal_matrix1,
             "REVERSE_SUBSEQUENCES": reverse_subsequences, "ONE_HOT": one_hot, "MAX_UNPOOLING": max_unpooling,
             "RANDOM_GENERATOR": random_generator, "TOP_K": top_k, "TOP_K1": top_k1}
