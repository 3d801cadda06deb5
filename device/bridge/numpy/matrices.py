"""Products of matrices of integers, and ADAM_OPTIMIZER. A function gets arrays in the documented order,
inputs and then outputs, which it writes; and the attributes by name. An absent tensor is None. Arithmetic is in
float64, which holds sums of products of 8-bit integers exactly."""
import numpy as np

from quantisation import quantised, wide


def along_rows(parameter):
    """Returns a parameter of rows, which may be a vector, as a column."""
    if parameter is not None and parameter.ndim == 1:
        return parameter.reshape(-1, 1)
    return parameter


def product(a, a_zero, b, b_zero):
    return np.matmul(wide(a) - wide(along_rows(a_zero)), wide(b) - wide(b_zero))


def wrapped(total):
    """Returns integers modulo 2^32, as INT32."""
    return (total.astype("i8") & 0xffffffff).astype("u4").view("i4")


def integer(a, a_zero, b, b_zero, y):
    y[...] = wrapped(product(a, a_zero, b, b_zero))


def to_float(a, a_scale, a_zero, b, b_scale, b_zero, bias, y):
    scaled = product(a, a_zero, b, b_zero) * wide(along_rows(a_scale)) * wide(b_scale)
    y[...] = (scaled + wide(bias)).astype(y.dtype)


def quantised_product(a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero, y):
    scaled = product(a, a_zero, b, b_zero) * wide(along_rows(a_scale)) * wide(b_scale)
    y[...] = quantised(scaled, wide(along_rows(y_scale)), wide(along_rows(y_zero)), y)


def adam(x, m, v, gradient, step, new_x, new_m, new_v, LearningRate, Beta1, Beta2, Epsilon):
    x, m, v, gradient = (array.astype("f8") for array in (x, m, v, gradient))
    t = np.float64(step.flat[0])
    first = Beta1 * m + (1 - Beta1) * gradient
    second = Beta2 * v + (1 - Beta2) * gradient * gradient
    rate = LearningRate * np.sqrt(1 - np.power(np.float64(Beta2), t)) / (1 - np.power(np.float64(Beta1), t))
    new_x[...] = (x - rate * first / (np.sqrt(second) + Epsilon)).astype(new_x.dtype)
    new_m[...], new_v[...] = first.astype(new_m.dtype), second.astype(new_v.dtype)


OPERATORS = {
    "MATRIX_MULTIPLY_INTEGER": integer,
    "MATRIX_MULTIPLY_INTEGER_TO_FLOAT": to_float,
    "QUANTIZED_LINEAR_MATRIX_MULTIPLY": quantised_product,
    "ADAM_OPTIMIZER": adam,
}
