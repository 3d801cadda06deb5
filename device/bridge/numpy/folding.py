"""Reductions, and running sums and products: arrays in, arrays out."""
import numpy as np

from assay_peer import joined

# The names of DML_REDUCE_FUNCTION, in order.
FUNCTIONS = ("argmax", "argmin", "average", "l1", "l2", "log_sum", "log_sum_exp", "max", "min", "multiply", "sum",
             "sum_square")


def places(line, least, last):
    """Returns the index of the first or last extreme. NaNs are no extremes, unless all elements are NaNs."""
    if line.dtype.kind == "f":
        line = np.where(np.isnan(line), line.dtype.type(np.inf if least else -np.inf), line)
    find = np.argmin if least else np.argmax
    if not last:
        return find(line, axis=-1)
    return line.shape[-1] - 1 - find(line[..., ::-1], axis=-1)


def log_sum_exp(line):
    most = np.max(line, axis=-1, keepdims=True)
    most = np.where(np.isfinite(most), most, 0)
    return np.log(np.sum(np.exp(line - most), axis=-1)) + most[..., 0]


def multiply(line):
    """Multiplies factors between 1/2 and 1, so that no partial product leaves the range."""
    if line.dtype.kind != "f":
        return np.prod(line, axis=-1, dtype=line.dtype)
    product, exponent = np.ones(line.shape[:-1]), np.zeros(line.shape[:-1], np.int64)
    for i in range(line.shape[-1]):
        product, more = np.frexp(product * line[..., i])
        exponent += more
    return np.ldexp(product, np.clip(exponent, -100000, 100000).astype(np.int32))


def extreme(line, least):
    if line.dtype.kind == "f":
        return (np.fmin if least else np.fmax).reduce(line, axis=-1)
    return (np.min if least else np.max)(line, axis=-1)


def reduced(function, line, dtype):
    x = line.astype(np.float64) if line.dtype.kind == "f" else line
    if function in ("argmax", "argmin"):
        return places(line, function == "argmin", False)
    if function in ("max", "min"):
        return extreme(line, function == "min")
    if function == "multiply":
        return multiply(x)
    if function == "log_sum_exp":
        return log_sum_exp(x)
    if function == "l1":
        x = np.abs(x)
    if function in ("l2", "sum_square"):
        x = x * x
    total = np.sum(x, axis=-1, dtype=np.float64 if line.dtype.kind == "f" else dtype)
    if function == "average":
        return total / line.shape[-1]
    return {"l2": np.sqrt, "log_sum": np.log}.get(function, lambda same: same)(total)


def put(output, values):
    output[...] = np.asarray(values).reshape(output.shape).astype(output.dtype)


def reduce(array, output, Function, AxisCount, Axes):
    put(output, reduced(FUNCTIONS[int(Function)], joined(array, Axes or []), output.dtype))


def arg(least):
    def run(array, output, AxisCount, Axes, AxisDirection):
        put(output, places(joined(array, Axes or []), least, int(AxisDirection) == 1))
    return run


def running(operation, unit, exclusive):
    def run(array, output, Axis, AxisDirection, **attributes):
        backward = int(AxisDirection) == 1
        rows = np.moveaxis(array, Axis, -1)
        rows = (rows[..., ::-1] if backward else rows).copy()
        if attributes[exclusive]:
            rows[..., 1:] = rows[..., :-1].copy()
            rows[..., 0] = unit
        if rows.dtype.kind == "f" and operation is np.multiply:
            results = products(rows)
        else:
            wide = np.float64 if rows.dtype.kind == "f" else rows.dtype
            results = operation.accumulate(rows, axis=-1, dtype=wide)
        results = results[..., ::-1] if backward else results
        output[...] = np.moveaxis(results, -1, Axis).astype(output.dtype)
    return run


def products(rows):
    results = np.empty(rows.shape)
    product, exponent = np.ones(rows.shape[:-1]), np.zeros(rows.shape[:-1], np.int64)
    for i in range(rows.shape[-1]):
        product, more = np.frexp(product * rows[..., i].astype(np.float64))
        exponent += more
        results[..., i] = np.ldexp(product, np.clip(exponent, -100000, 100000).astype(np.int32))
    return results


OPERATORS = {
    "REDUCE": reduce,
    "ARGMIN": arg(True),
    "ARGMAX": arg(False),
    "CUMULATIVE_SUMMATION": running(np.add, 0, "HasExclusiveSum"),
    "CUMULATIVE_PRODUCT": running(np.multiply, 1, "HasExclusiveProduct"),
}
