#!/usr/bin/python3
"""numpy behind the bridge: assay run -d bridge:device/bridge/numpy/adapter.py"""
import os
import sys

import numpy as np

sys.dont_write_bytecode = True  # the sandbox denies the folder of compiled modules
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
import assay_peer  # noqa: E402
import attention  # noqa: E402
import columns  # noqa: E402
import elementwise  # noqa: E402
import folding  # noqa: E402
import indexed  # noqa: E402
import matrices  # noqa: E402
import moves  # noqa: E402
import nibbles  # noqa: E402
import normalisation  # noqa: E402
import picking  # noqa: E402
import pooling  # noqa: E402
import quantisation  # noqa: E402
import products  # noqa: E402
import recurrence  # noqa: E402
import resampling  # noqa: E402
import regions  # noqa: E402
import response  # noqa: E402
import softmaxes  # noqa: E402

OPERATORS = {**indexed.OPERATORS, **elementwise.OPERATORS, **quantisation.OPERATORS, **folding.OPERATORS,
             **moves.OPERATORS, **picking.OPERATORS, **columns.OPERATORS, **pooling.OPERATORS, **products.OPERATORS,
             **recurrence.OPERATORS, **regions.OPERATORS, **resampling.OPERATORS, **response.OPERATORS,
             **softmaxes.OPERATORS, **normalisation.OPERATORS, **matrices.OPERATORS, **attention.OPERATORS}


def array(tensor):
    """Returns the tensor as an array over its bytes; 4-bit elements: a copy."""
    return nibbles.unpack(tensor) if tensor.data_type in nibbles.LIMITS else tensor.array()


def run(item):
    outputs = assay_peer.arrays(item.outputs, array)
    OPERATORS[item.type](*assay_peer.arrays(item.inputs, array), *outputs, **item.attributes)
    for tensor, written in zip(item.outputs, outputs):
        if isinstance(written, nibbles.Nibbles):
            nibbles.pack(written, tensor)


np.seterr(all="ignore")  # a NaN or an infinity is a result, no error
assay_peer.serve({"name": "numpy", "driver": "numpy " + np.__version__, "version": "1", "feature_level": "6_4",
                  "data_types": [*assay_peer.DTYPES, *nibbles.LIMITS],
                  "operators": {name: {} for name in OPERATORS}, "strides": True,
                  "max_batch": 256}, run)
