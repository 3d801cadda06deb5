"""Activations: a formula each, of FLOAT64 arrays and the attributes by name."""
import math

import assay_peer
import numpy as np

erf = np.frompyfunc(math.erf, 1, 1)


def softplus(x):
    """ln(1 + e^x), without overflow."""
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


ACTIVATIONS = {
    "ACTIVATION_IDENTITY": lambda x: x,
    "ACTIVATION_LINEAR": lambda x, Alpha, Beta: Alpha * x + Beta,
    "ACTIVATION_RELU": lambda x: np.maximum(x, 0),
    "ACTIVATION_LEAKY_RELU": lambda x, Alpha: np.where(x < 0, Alpha * x, x),
    "ACTIVATION_THRESHOLDED_RELU": lambda x, Alpha: np.where(x > Alpha, x, 0),
    "ACTIVATION_SHRINK": lambda x, Bias, Threshold: np.where(x > Threshold, x - Bias,
                                                             np.where(x < -Threshold, x + Bias, 0)),
    "ACTIVATION_HARD_SIGMOID": lambda x, Alpha, Beta: np.maximum(0, np.minimum(Alpha * x + Beta, 1)),
    "ACTIVATION_SOFTSIGN": lambda x: x / (1 + np.abs(x)),
    "ACTIVATION_ELU": lambda x, Alpha: np.where(x < 0, Alpha * np.expm1(x), x),
    "ACTIVATION_CELU": lambda x, Alpha: np.maximum(0, x) + np.minimum(0, Alpha * np.expm1(x / Alpha)),
    "ACTIVATION_SCALED_ELU": lambda x, Alpha, Gamma: np.where(x > 0, Gamma * x, Gamma * Alpha * np.expm1(x)),
    "ACTIVATION_SIGMOID": lambda x: 1 / (1 + np.exp(-x)),
    "ACTIVATION_TANH": np.tanh,
    "ACTIVATION_SCALED_TANH": lambda x, Alpha, Beta: Alpha * np.tanh(Beta * x),
    "ACTIVATION_SOFTPLUS": lambda x, Steepness: softplus(Steepness * x) / Steepness,
    "ACTIVATION_PARAMETRIC_SOFTPLUS": lambda x, Alpha, Beta: Alpha * softplus(Beta * x),
    "ACTIVATION_HARD_SWISH": lambda x, Alpha, Beta: x * np.maximum(0, np.minimum(Alpha * x + Beta, 1)),
    "ACTIVATION_SWISH": lambda x, SigmoidInputScale: x / (1 + np.exp(-SigmoidInputScale * x)),
    "ACTIVATION_GELU": lambda x: 0.5 * x * (1 + erf(x / math.sqrt(2)).astype("f8")),
}


FUSED = {
    **ACTIVATIONS,
    "ELEMENT_WISE_CLIP": lambda x, ScaleBias, Min, Max: np.maximum(Min, np.minimum(x, Max)),
}


def activate(x, activation):
    return assay_peer.fused(x, activation, FUSED)
