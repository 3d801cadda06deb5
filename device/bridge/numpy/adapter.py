#!/usr/bin/python3
"""numpy behind the bridge: assay run -d bridge:device/bridge/numpy/adapter.py"""
import json
import struct
import sys
import time

import numpy as np

TYPES = {"FLOAT16": "f2", "FLOAT32": "f4", "FLOAT64": "f8", "UINT8": "u1", "UINT16": "u2", "UINT32": "u4",
         "UINT64": "u8", "INT8": "i1", "INT16": "i2", "INT32": "i4", "INT64": "i8"}
HELLO = {"name": "numpy", "driver": "numpy " + np.__version__, "version": "1", "feature_level": "6_4",
         "data_types": list(TYPES), "strides": True, "max_batch": 256}


# ---- operators: their arguments are arrays in the order of the documented fields, then the attributes

def window(array, rank):
    """A writable view of the last `rank` dimensions; those before have size 1."""
    return array[(0,) * (array.ndim - rank) + (...,)]


def wrap(indices, size):
    """Indices as signed numbers. Negative ones count from the end. An index that is too large stays too large."""
    if indices.dtype.kind == "u":
        return np.minimum(indices, size).astype("i8")
    return np.where(indices < 0, indices.astype("i8") + size, indices)


def gather(x, indices, y, Axis, IndexDimensions):
    found = x.take(wrap(window(indices, IndexDimensions), x.shape[Axis]), Axis, mode="clip")
    y[...] = found.reshape(y.shape)


def gather_elements(x, indices, y, Axis):
    size = x.shape[Axis]
    y[...] = np.take_along_axis(x, wrap(indices, size).clip(0, size - 1), Axis)


def gather_nd(x, indices, y, InputDimensionCount, IndicesDimensionCount, BatchDimensionCount=0):
    x, tuples = window(x, InputDimensionCount), window(indices, IndicesDimensionCount)
    batch = np.indices(tuples.shape[:-1], sparse=True)[:BatchDimensionCount]
    sizes = x.shape[BatchDimensionCount:]
    place = [wrap(tuples[..., k], sizes[k]).clip(0, sizes[k] - 1) for k in range(tuples.shape[-1])]
    y[...] = x[(*batch, *place)].reshape(y.shape)


def scatter_elements(x, indices, updates, y, Axis):
    y[...] = x
    index = wrap(indices, x.shape[Axis])
    inside = np.nonzero((index >= 0) & (index < x.shape[Axis]))
    place = list(inside)
    place[Axis] = index[inside]
    y[tuple(place)] = updates[inside]


def scatter_nd(x, indices, updates, y, InputDimensionCount, IndicesDimensionCount):
    y[...] = x
    y, tuples = window(y, InputDimensionCount), window(indices, IndicesDimensionCount)
    count = tuples.shape[-1]
    place = [wrap(tuples[..., k], y.shape[k]) for k in range(count)]
    inside = np.all([(p >= 0) & (p < size) for p, size in zip(place, y.shape)], axis=0)
    y[tuple(p[inside] for p in place)] = updates.reshape(tuples.shape[:-1] + y.shape[count:])[inside]


def nonzero_coordinates(x, count, coordinates):
    found = np.argwhere(x != 0)
    count[...] = len(found)
    window(coordinates, 2)[:len(found)] = found[:, -coordinates.shape[-1]:]


OPERATORS = {"GATHER": gather, "GATHER_ELEMENTS": gather_elements, "GATHER_ND": gather_nd, "GATHER_ND1": gather_nd,
             "SCATTER_ELEMENTS": scatter_elements, "SCATTER_ND": scatter_nd,
             "NONZERO_COORDINATES": nonzero_coordinates}


# ---- the protocol

def run(items, data):
    """The results, and the outputs of the items that succeeded."""
    results, outputs, offset = [], [], 0
    for item in items:
        arrays, attributes, written = [], {}, []
        for name, value in item["Desc"].items():
            if not name.endswith("Tensor"):
                attributes[name] = value
                continue
            dtype, size = np.dtype(TYPES[value["DataType"]]), value["TotalTensorSizeInBytes"]
            strides = [stride * dtype.itemsize for stride in value["Strides"]]
            arrays.append(np.ndarray(value["Sizes"], dtype, data, offset, strides))
            if name.startswith("Output"):
                written.append(data[offset:offset + size])
            offset += size
        start = time.perf_counter_ns()
        try:
            OPERATORS[item["Type"]](*arrays, **attributes)
            results.append({"status": "S_OK", "device_ns": time.perf_counter_ns() - start})
            outputs += written
        except Exception as error:  # whatever it is, other items may succeed
            results.append({"status": "E_FAIL", "message": repr(error)})
    return {"results": results}, outputs


def read(size):
    data = memoryview(bytearray(size))
    done = 0
    while done < size:
        got = sys.stdin.buffer.readinto(data[done:])
        if not got:
            sys.exit()
        done += got
    return data


while True:
    magic, json_size, data_size = struct.unpack("<4sIQ", read(16))
    request = json.loads(bytes(read(json_size)))
    tensors = read(data_size)
    if magic != b"ASB1":
        reply, parts = {"error": "this adapter speaks version 1 of the protocol"}, []
    elif request["request"] == "hello":
        reply, parts = HELLO, []
    else:
        reply, parts = run(request["items"], tensors)
    text = json.dumps(reply).encode()
    sys.stdout.buffer.writelines([struct.pack("<4sIQ", b"ASB1", len(text), sum(map(len, parts))), text, *parts])
    sys.stdout.buffer.flush()
