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

TYPES = {"FLOAT16": "f2", "FLOAT32": "f4", "FLOAT64": "f8", "UINT8": "u1", "UINT16": "u2", "UINT32": "u4",
         "UINT64": "u8", "INT8": "i1", "INT16": "i2", "INT32": "i4", "INT64": "i8"}
DTYPES = {name: np.dtype(code) for name, code in TYPES.items()}
OPERATORS = {**indexed.OPERATORS, **elementwise.OPERATORS, **quantisation.OPERATORS, **folding.OPERATORS,
             **moves.OPERATORS, **picking.OPERATORS, **columns.OPERATORS, **pooling.OPERATORS, **products.OPERATORS,
             **recurrence.OPERATORS, **regions.OPERATORS, **resampling.OPERATORS, **response.OPERATORS,
             **softmaxes.OPERATORS, **normalisation.OPERATORS, **matrices.OPERATORS, **attention.OPERATORS}


def array(tensor):
    """Returns the tensor as an array over its bytes (4-bit elements: a copy); an array of tensors becomes a list."""
    if tensor is None:
        return None
    if isinstance(tensor, list):
        return [array(one) for one in tensor]
    if tensor.data_type in nibbles.LIMITS:
        return nibbles.unpack(tensor)
    dtype = DTYPES[tensor.data_type]
    return np.ndarray(tensor.sizes, dtype, tensor.data, 0, [stride * dtype.itemsize for stride in tensor.strides])


def value(attribute):
    """Returns a DML_SCALAR_UNION as a number of its type, and any other attribute unchanged."""
    if isinstance(attribute, dict) and "Bytes" in attribute:
        return np.frombuffer(attribute["Bytes"], DTYPES[attribute["DataType"]])[0]
    return attribute


def run(item):
    attributes = {name: value(attribute) for name, attribute in item.attributes.items()}
    outputs = [array(tensor) for tensor in item.outputs]
    OPERATORS[item.type](*[array(tensor) for tensor in item.inputs], *outputs, **attributes)
    for tensor, written in zip(item.outputs, outputs):
        if isinstance(written, nibbles.Nibbles):
            nibbles.pack(written, tensor)


np.seterr(all="ignore")  # a NaN or an infinity is a result, no error
assay_peer.serve({"name": "numpy", "driver": "numpy " + np.__version__, "version": "1", "feature_level": "6_4",
                  "data_types": [*TYPES, *nibbles.LIMITS],
                  "operators": {name: {} for name in OPERATORS}, "strides": True,
                  "max_batch": 256}, run)
