"""UNFOLD and FOLD: for each element of the window, all windows at once; arrays in, arrays out."""
import numpy as np


def taps(picture, windows, strides, dilations, starts, ends):
    """Yields the number of each element of the window, the windows that have it in the picture, and its coordinates."""
    counts = [(size + start + end - gap * (window - 1) - 1) // stride + 1 for size, window, stride, gap, start, end in
              zip(picture.shape[2:], windows, strides, dilations, starts, ends)]
    rest = [range(picture.shape[0]), range(picture.shape[1])]
    yield counts
    for number, offsets in enumerate(np.ndindex(*windows)):
        chosen, places = [], []
        for count, size, k, stride, gap, start in zip(counts, picture.shape[2:], offsets, strides, dilations, starts):
            window = np.arange(count, dtype=np.int64)
            place = window * stride + (k * gap - start)
            inside = (place >= 0) & (place < size)
            chosen.append(window[inside])
            places.append(place[inside])
        yield number, np.ix_(*rest, *chosen), np.ix_(*rest, *places)


def unfold(x, y, DimensionCount, WindowSizes, Strides, Dilations, StartPadding, EndPadding):
    found = taps(x, WindowSizes, Strides, Dilations, StartPadding, EndPadding)
    columns = np.zeros((*x.shape[:2], int(np.prod(WindowSizes, dtype=np.int64)), *next(found)), x.dtype)
    for number, windows, places in found:
        columns[:, :, number][windows] = x[places]
    y[...] = columns.reshape(y.shape)


def fold(x, y, DimensionCount, WindowSizes, Strides, Dilations, StartPadding, EndPadding):
    found = taps(y, WindowSizes, Strides, Dilations, StartPadding, EndPadding)
    columns = x.reshape((*y.shape[:2], -1, *next(found)))
    picture = np.zeros(y.shape, np.float64 if y.dtype.kind == "f" else y.dtype)
    for number, windows, places in found:
        picture[places] += columns[:, :, number][windows]
    y[...] = picture.astype(y.dtype)


OPERATORS = {"UNFOLD": unfold, "FOLD": fold}
