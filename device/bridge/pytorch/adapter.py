#!/usr/bin/python3
"""PyTorch behind the bridge: assay run -d bridge:device/bridge/pytorch/adapter.py

The bridge packs tensors. PyTorch computes with indexing, gather, scatter_, index_put_ and nonzero. It has
no unsigned integers above 8 bits: data that is only moved is passed as signed numbers of the same size, since no
operator here does arithmetic on it. Indices become int64; one that is too large for it stays out of range.
"""
import os
import sys

import numpy as np
import torch

sys.dont_write_bytecode = True  # the sandbox denies the folder of compiled modules
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
import assay_peer  # noqa: E402

TYPES = {"FLOAT16": "f2", "FLOAT32": "f4", "FLOAT64": "f8", "UINT8": "u1", "UINT16": "i2", "UINT32": "i4",
         "UINT64": "i8", "INT8": "i1", "INT16": "i2", "INT32": "i4", "INT64": "i8"}
INDEX_TYPES = {"UINT32": "u4", "UINT64": "u8", "INT32": "i4", "INT64": "i8"}


def tensor_of(tensor):
    """Returns a tensor of PyTorch's on the same bytes."""
    return torch.from_numpy(np.ndarray(tensor.sizes, TYPES[tensor.data_type], tensor.data))


def indices_of(tensor):
    array = np.ndarray(tensor.sizes, INDEX_TYPES[tensor.data_type], tensor.data)
    if array.dtype == np.uint64:
        array = np.minimum(array, np.uint64(2**63 - 1))
    return torch.from_numpy(array.astype(np.int64))


def window(tensor, rank):
    """Returns the last `rank` dimensions; those before have size 1."""
    return tensor.reshape(tensor.shape[tensor.dim() - rank:])


def wrap(indices, size):
    """Makes negative indices positive, for gather() and scatter_(). An index below -size stays out of range."""
    return torch.where(indices < 0, indices + size, indices)


def gather(x, indices, y, Axis, IndexDimensions):
    y.copy_(x[(slice(None),) * Axis + (window(indices, IndexDimensions),)].reshape(y.shape))


def gather_elements(x, indices, y, Axis):
    y.copy_(torch.gather(x, Axis, wrap(indices, x.shape[Axis])))


def gather_nd(x, indices, y, InputDimensionCount, IndicesDimensionCount, BatchDimensionCount=0):
    x, tuples = window(x, InputDimensionCount), window(indices, IndicesDimensionCount)
    batch = []
    for i in range(BatchDimensionCount):
        shape = [1] * (tuples.dim() - 1)
        shape[i] = tuples.shape[i]
        batch.append(torch.arange(tuples.shape[i]).reshape(shape))
    y.copy_(x[(*batch, *tuples.unbind(-1))].reshape(y.shape))


def scatter_elements(x, indices, updates, y, Axis):
    y.copy_(x)
    y.scatter_(Axis, wrap(indices, x.shape[Axis]), updates)


def scatter_nd(x, indices, updates, y, InputDimensionCount, IndicesDimensionCount):
    y.copy_(x)
    y, tuples = window(y, InputDimensionCount), window(indices, IndicesDimensionCount)
    y.index_put_(tuples.unbind(-1), updates.reshape(tuples.shape[:-1] + y.shape[tuples.shape[-1]:]))


def nonzero_coordinates(x, count, coordinates):
    found = torch.nonzero(x)
    count.fill_(len(found))
    window(coordinates, 2)[:len(found)] = found[:, found.shape[1] - coordinates.shape[-1]:].to(coordinates.dtype)


OPERATORS = {"GATHER": gather, "GATHER_ELEMENTS": gather_elements, "GATHER_ND": gather_nd, "GATHER_ND1": gather_nd,
             "SCATTER_ELEMENTS": scatter_elements, "SCATTER_ND": scatter_nd,
             "NONZERO_COORDINATES": nonzero_coordinates}


def run(item):
    tensors = [indices_of(t) if t.name == "IndicesTensor" else tensor_of(t) for t in item.tensors]
    OPERATORS[item.type](*tensors, **item.attributes)


torch.set_num_threads(1)  # the tensors are small
assay_peer.serve({"name": "PyTorch", "driver": "PyTorch " + torch.__version__, "version": "1",
                  "data_types": list(TYPES), "operators": {name: {} for name in OPERATORS}, "max_batch": 64}, run)
