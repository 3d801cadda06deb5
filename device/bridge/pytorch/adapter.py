#!/usr/bin/python3
"""PyTorch behind the bridge: assay run -d bridge:device/bridge/pytorch/adapter.py

The bridge packs tensors. PyTorch has no unsigned integers above 8 bits: an operator that only moves data gets signed
numbers of the same size, and element-wise operators lack these types. Indices become int64; one that is too large for
it stays out of range. What PyTorch says that it does not implement is unsupported.
"""
import os
import sys

import torch

sys.dont_write_bytecode = True  # the sandbox denies the folder of compiled modules
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
import assay_peer  # noqa: E402
import elementwise  # noqa: E402
from assay_peer import Unsupported, last, scaled  # noqa: E402


def tensor_of(tensor):
    """Returns a tensor of PyTorch's on the same bytes, or of a copy of indices."""
    if tensor.name == "IndicesTensor":
        return torch.from_numpy(tensor.indices())
    array = tensor.array()
    is_signed = array.dtype.kind != "u" or array.itemsize == 1
    return torch.from_numpy(array if is_signed else array.view("i%d" % array.itemsize))


def wrap(indices, size):
    """Makes negative indices positive, for gather() and scatter_(). An index below -size stays out of range."""
    return torch.where(indices < 0, indices + size, indices)


def gather(x, indices, y, Axis, IndexDimensions):
    y.copy_(x[(slice(None),) * Axis + (last(indices, IndexDimensions),)].reshape(y.shape))


def gather_elements(x, indices, y, Axis):
    y.copy_(torch.gather(x, Axis, wrap(indices, x.shape[Axis])))


def gather_nd(x, indices, y, InputDimensionCount, IndicesDimensionCount, BatchDimensionCount=0):
    x, tuples = last(x, InputDimensionCount), last(indices, IndicesDimensionCount)
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
    y, tuples = last(y, InputDimensionCount), last(indices, IndicesDimensionCount)
    y.index_put_(tuples.unbind(-1), updates.reshape(tuples.shape[:-1] + y.shape[tuples.shape[-1]:]))


def nonzero_coordinates(x, count, coordinates):
    found = torch.nonzero(x)
    count.fill_(len(found))
    last(coordinates, 2)[:len(found)] = found[:, found.shape[1] - coordinates.shape[-1]:].to(coordinates.dtype)


def join(parts, y, InputCount, Axis):
    torch.cat(parts, Axis, out=y)


def split(x, parts, OutputCount, Axis):
    for part, piece in zip(parts, torch.split(x, [part.shape[Axis] for part in parts], Axis)):
        part.copy_(piece)


def tile(x, y, RepeatsCount, Repeats):
    y.copy_(torch.tile(x, Repeats))


def elementwise_of(function):
    """Returns an operator for PyTorch's function of tensors."""
    def write(*tensors, ScaleBias=None, **attributes):
        x, *others, y = tensors
        if ScaleBias is not None:
            x = scaled(x.double(), ScaleBias).to(x.dtype)
        y.copy_(function(x, *others, **attributes))
    return write


MOVES = {"GATHER": gather, "GATHER_ELEMENTS": gather_elements, "GATHER_ND": gather_nd, "GATHER_ND1": gather_nd,
         "SCATTER_ELEMENTS": scatter_elements, "SCATTER_ND": scatter_nd,
         "NONZERO_COORDINATES": nonzero_coordinates, "JOIN": join, "SPLIT": split, "TILE": tile}
OPERATORS = {**MOVES, **{name: elementwise_of(function) for name, function in elementwise.FUNCTIONS.items()}}
LACKED = {"UINT16", "UINT32", "UINT64"}


def run(item):
    lacked = [tensor.data_type for tensor in item.tensors if item.type not in MOVES and tensor.data_type in LACKED]
    if lacked:
        raise Unsupported("PyTorch has no " + lacked[0])
    try:
        OPERATORS[item.type](*assay_peer.arrays(item.tensors, tensor_of), **item.attributes)
    except RuntimeError as error:
        raise Unsupported(str(error)) if "not implemented for" in str(error) else error


torch.set_num_threads(1)  # the tensors are small
assay_peer.serve({"name": "PyTorch", "driver": "PyTorch " + torch.__version__, "version": "1",
                  "data_types": list(assay_peer.DTYPES), "operators": {name: {} for name in OPERATORS},
                  "max_batch": 64}, run)
