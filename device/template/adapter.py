#!/usr/bin/python3
"""An adapter for assay's bridge: ELEMENT_WISE_ADD, by numpy. To add an operator, write a function of the arrays, inputs
and then outputs, and of the attributes by their documented names, and a line of OPERATORS."""
import sys

sys.dont_write_bytecode = True  # the sandbox denies the folder of compiled modules
import assay_peer  # noqa: E402
import numpy as np  # noqa: E402


def add(a, b, y):
    y[...] = a + b


OPERATORS = {"ELEMENT_WISE_ADD": add}


def run(item):
    OPERATORS[item.type](*assay_peer.arrays(item.tensors), **item.attributes)


np.seterr(all="ignore")  # a NaN or an infinity is a result, no error
assay_peer.serve({"name": "adapter", "driver": "numpy " + np.__version__, "version": "0.1",
                  "data_types": list(assay_peer.DTYPES), "operators": {name: {} for name in OPERATORS},
                  "strides": True, "max_batch": 64}, run)
