"""Normalisations and their gradients, in FLOAT64: arrays in, arrays out."""
import numpy as np

from activations import activate


def wide(array, otherwise=None):
    """Returns the array as FLOAT64; if the tensor is absent, its default."""
    return otherwise if array is None else array.astype(np.float64)


def put(output, values):
    output[...] = np.broadcast_to(values, output.shape).astype(output.dtype)


def over(statistic):
    """Returns the axes along which a tensor of statistics has one element for the whole input."""
    return tuple(axis for axis, size in enumerate(statistic.shape) if size == 1)


def moments(x, axes):
    mean = np.mean(x, axis=axes, keepdims=True) if axes else x
    return mean, np.mean((x - mean) ** 2, axis=axes, keepdims=True) if axes else (x - mean) ** 2


def finish(x, mean, divisor, scale, bias, activation):
    return activate((x - mean) / divisor * wide(scale, 1.0) + wide(bias, 0.0), activation)


def mean_variance(array, scale, bias, output, axes, mean_counts, variance_counts, epsilon, activation):
    x = wide(array)
    mean, variance = moments(x, axes)
    if not mean_counts:
        mean, variance = 0.0, np.mean(x * x, axis=axes, keepdims=True) if axes else x * x
    divisor = np.sqrt(variance + epsilon) if variance_counts else 1.0
    put(output, finish(x, mean, divisor, scale, bias, activation))


def mean_variance_0(array, scale, bias, output, CrossChannel, NormalizeVariance, Epsilon, FusedActivation):
    mean_variance(array, scale, bias, output, (1, 2, 3) if CrossChannel else (2, 3), True, NormalizeVariance, Epsilon,
                  FusedActivation)


def mean_variance_1(array, scale, bias, output, AxisCount, Axes, NormalizeVariance, Epsilon, FusedActivation):
    mean_variance(array, scale, bias, output, tuple(Axes or ()), True, NormalizeVariance, Epsilon, FusedActivation)


def mean_variance_2(array, scale, bias, output, AxisCount, Axes, UseMean, UseVariance, Epsilon, FusedActivation):
    mean_variance(array, scale, bias, output, tuple(Axes or ()), UseMean, UseVariance, Epsilon, FusedActivation)


def lp(array, output, Axis, Epsilon, P):
    x = wide(array)
    sums = np.sum(np.abs(x) if P == 1 else x * x, axis=Axis, keepdims=True)
    put(output, x / np.maximum(sums if P == 1 else np.sqrt(sums), Epsilon))


def batch(array, mean, variance, scale, bias, output, Spatial, Epsilon, FusedActivation):
    put(output, finish(wide(array), wide(mean), np.sqrt(wide(variance) + Epsilon), scale, bias, FusedActivation))


def training(array, scale, bias, added, output, mean_output, variance_output, Epsilon, FusedActivation):
    x = wide(array)
    mean, variance = moments(x, over(scale))
    put(mean_output, mean)
    put(variance_output, variance)
    put(output, finish(x, mean, np.sqrt(variance + Epsilon), scale, wide(bias) + wide(added, 0.0), FusedActivation))


def gradients(depends):
    """`depends`: mean and variance are those of the input, so that it has a gradient through them, too."""
    def run(array, gradient, mean, variance, scale, output, scale_output, bias_output, Epsilon):
        axes = over(mean)
        x, g = wide(array) - wide(mean), wide(gradient)
        inverse = 1 / np.sqrt(wide(variance) + Epsilon)
        put(scale_output, np.sum(g * x, axis=axes, keepdims=True) * inverse)
        put(bias_output, np.sum(g, axis=axes, keepdims=True))
        if depends:
            of_mean, of_variance = ((np.mean(one, axis=axes, keepdims=True) if axes else one) for one in (g, g * x))
            g = g - of_mean - x * of_variance * inverse * inverse
        put(output, g * wide(scale) * inverse)
    return run


OPERATORS = {
    "MEAN_VARIANCE_NORMALIZATION": mean_variance_0,
    "MEAN_VARIANCE_NORMALIZATION1": mean_variance_1,
    "MEAN_VARIANCE_NORMALIZATION2": mean_variance_2,
    "LP_NORMALIZATION": lp,
    "BATCH_NORMALIZATION": batch,
    "BATCH_NORMALIZATION_TRAINING": training,
    "BATCH_NORMALIZATION_GRAD": gradients(False),
    "BATCH_NORMALIZATION_TRAINING_GRAD": gradients(True),
}
