"""The protocol of assay's bridge for peers in Python; README.md beside this file describes both.

    import assay_peer
    assay_peer.serve({"name": "mine", "data_types": ["FLOAT32"], "operators": {"GATHER": {}}}, run)

calls run(item) for each operator to run. It writes into the arrays of item.outputs, or raises: Unsupported,
MemoryError, or anything else, which fails the item. The text of the exception is the item's message.
"""
import json
import math
import mmap
import os
import struct
import time

import numpy as np

VERSION = b"ASB2"
HEADER = struct.Struct("<4sIQ")

# The data types of a whole number of bytes. Of INT4 and UINT4, two elements share a byte.
DTYPES = {name: np.dtype(code) for name, code in {
    "FLOAT16": "f2", "FLOAT32": "f4", "FLOAT64": "f8", "UINT8": "u1", "UINT16": "u2", "UINT32": "u4", "UINT64": "u8",
    "INT8": "i1", "INT16": "i2", "INT32": "i4", "INT64": "i8"}.items()}


class Unsupported(Exception):
    """The peer lacks what the item needs: DXGI_ERROR_UNSUPPORTED."""


class Tensor:
    """A tensor of an item: `sizes` and `strides` (in elements; None: row-major), and its bytes as a memoryview."""

    def __init__(self, name, description, data):
        self.name, self.data = name, data
        self.data_type, self.sizes = description["DataType"], description["Sizes"]
        self.strides = description["Strides"]

    def array(self):
        """Returns the elements as an array over the bytes: what is written to it is written to the tensor."""
        dtype = DTYPES[self.data_type]
        strides = None if self.strides is None else [stride * dtype.itemsize for stride in self.strides]
        return np.ndarray(self.sizes, dtype, self.data, 0, strides)

    def indices(self):
        """Returns the elements as INT64. A UINT64 that does not fit becomes the largest: both are out of range."""
        array = self.array()
        return (np.minimum(array, array.dtype.type(2**63 - 1)) if self.data_type == "UINT64" else array).astype("i8")


class Item:
    """An operator to run: `type`, such as "GATHER"; the tensors in the documented order, inputs and outputs; the
    other members as `attributes` by documented name; and `flags`, the names of DML_EXECUTION_FLAGS, such as
    "ALLOW_HALF_PRECISION_COMPUTATION". An absent tensor is None, an array of tensors is a list. Of the attributes, a
    DML_SCALAR_UNION is a numpy scalar of its data type, a DML_SCALE_BIAS is a dictionary, and an operator such as
    FusedActivation is an Activation."""

    def __init__(self, operator, data=None, offset=0):
        self.type, members = operator["Type"], operator["Desc"]
        self.flags = operator.get("ExecutionFlags", [])
        self.device_ns = None  # run() may set it; None: the time of the whole call of run()
        self.size = 0
        self.inputs = [self._tensor(name, members[name], data, offset) for name in operator["Inputs"]]
        self.outputs = [self._tensor(name, members[name], data, offset) for name in operator["Outputs"]]
        tensors = operator["Inputs"] + operator["Outputs"]
        self.attributes = {name: _attribute(value) for name, value in members.items() if name not in tensors}

    def _tensor(self, name, description, data, offset):
        if isinstance(description, list):
            return [self._tensor(name, one, data, offset) for one in description]
        if description is None:
            return None
        at, size = offset + self.size, description["TotalTensorSizeInBytes"]
        self.size += size
        return Tensor(name, description, None if data is None else data[at:at + size])

    @property
    def tensors(self):
        """Inputs, then outputs."""
        return self.inputs + self.outputs


class Activation:
    """An operator within an operator: its `type` and its `attributes`; its tensors are those around it."""

    def __init__(self, operator):
        self.type = operator["Type"]
        self.attributes = {name: _attribute(value) for name, value in operator["Desc"].items()
                           if not name.endswith("Tensor")}


def _attribute(value):
    """Returns a member in Python. A FLOAT that JSON lacks is text."""
    if isinstance(value, str):
        return float(value)
    if isinstance(value, list):
        return [_attribute(one) for one in value]
    if not isinstance(value, dict):
        return value
    if "Bytes" in value:
        return np.frombuffer(bytes(value["Bytes"]), DTYPES[value["DataType"]])[0]
    if "Type" in value:
        return Activation(value)
    return {name: _attribute(member) for name, member in value.items()}


# ---- words that most adapters need

def arrays(tensors, array=Tensor.array):
    """Returns the array of each tensor; None where one is absent, a list where there is an array of tensors."""
    return [arrays(one, array) if isinstance(one, list) else one if one is None else array(one) for one in tensors]


def last(array, rank):
    """Returns a view of the last `rank` dimensions of an array, numpy's or PyTorch's. Those before have size 1."""
    return array.reshape(array.shape[array.ndim - rank:])


def _joined_order(rank, axes):
    return [axis for axis in range(rank) if axis not in axes] + sorted(set(axes))


def joined(array, axes):
    """Returns the array with the axes behind the others, joined to one: a row for each slice along them."""
    turned = array.transpose(_joined_order(array.ndim, axes))
    kept = array.ndim - len(set(axes))
    return turned.reshape(*turned.shape[:kept], math.prod(turned.shape[kept:]))


def parted(rows, axes, sizes):
    """Returns what joined() made of an array of these sizes to its shape."""
    order = _joined_order(len(sizes), axes)
    return rows.reshape([sizes[axis] for axis in order]).transpose(np.argsort(order))


def scaled(x, scale_bias):
    """Returns x * Scale + Bias, in the type that x has; x itself without a DML_SCALE_BIAS."""
    return x if scale_bias is None else x * scale_bias["Scale"] + scale_bias["Bias"]


def fused(x, activation, functions):
    """Applies an Activation to x, by a dictionary of functions of x and the attributes; returns x if it is None. An
    activation that the dictionary lacks is unsupported."""
    if activation is None:
        return x
    if activation.type not in functions:
        raise Unsupported("the adapter cannot fuse " + activation.type)
    return functions[activation.type](x, **activation.attributes)


# ---- the protocol


def _flat(tensors):
    """Yields the tensors that are present."""
    for tensor in tensors:
        yield from _flat(tensor) if isinstance(tensor, list) else [] if tensor is None else [tensor]


def failure(error):
    """Returns the status and the message for an exception."""
    status = ("DXGI_ERROR_UNSUPPORTED" if isinstance(error, Unsupported) else
              "E_OUTOFMEMORY" if isinstance(error, MemoryError) else "E_FAIL")
    return {"status": status, "message": str(error) or repr(error)}


def _dispatch(run, operators, data):
    results, outputs, offset = [], [], 0
    for operator in operators:
        item = Item(operator, data, offset)
        offset += item.size
        start = time.perf_counter_ns()
        try:
            run(item)
        except Exception as error:  # any exception: other items may succeed
            results.append(failure(error))
            continue
        took = time.perf_counter_ns() - start
        results.append({"status": "S_OK", "device_ns": took if item.device_ns is None else item.device_ns})
        outputs += [tensor.data for tensor in _flat(item.outputs)]
    return {"results": results}, outputs


def _compile(compile_, operator):
    try:
        compile_(Item(operator))
    except Exception as error:
        return failure(error)
    return {"status": "S_OK"}


def _open(variable, mode):
    if variable not in os.environ:
        raise SystemExit(variable + " is not set: assay's bridge starts this program, as in "
                         "`assay run -d bridge:PROGRAM`")
    return os.fdopen(int(os.environ[variable]), mode, buffering=0)


def _read(stream, size):
    """Reads exactly `size` bytes. Ends the program at the end of the requests."""
    data = memoryview(bytearray(size))
    done = 0
    while done < size:
        got = stream.readinto(data[done:])
        if not got:
            raise SystemExit
        done += got
    return data


class _Shared:
    """The memory that bridge and peer share."""

    def __init__(self, descriptor):
        self.descriptor, self.data = descriptor, memoryview(b"")

    def view(self):
        """Returns all of it. The bridge may have made it larger."""
        if os.fstat(self.descriptor).st_size != len(self.data):
            self.data = memoryview(mmap.mmap(self.descriptor, 0))
        return self.data


def _write(stream, data):
    while data:
        data = data[stream.write(data):]


def serve(hello, run, compile_=None):
    """Answers requests until the bridge closes them. `hello`: the answer to hello, or a function that makes it. With
    `compile_`, the bridge asks about each operator before it is dispatched: compile_(item) returns or raises; its
    tensors have no data."""
    requests, answers = _open("ASSAY_BRIDGE_IN", "rb"), _open("ASSAY_BRIDGE_OUT", "wb")
    memory = os.environ.get("ASSAY_BRIDGE_MEMORY")
    shared, can = memory and _Shared(int(memory)), {"memory": True} if memory else {}
    while True:
        magic, json_size, data_size = HEADER.unpack(_read(requests, HEADER.size))
        request = json.loads(bytes(_read(requests, json_size)))
        data, parts = _read(requests, data_size), []
        try:
            if magic != VERSION:
                raise ValueError("this peer speaks version %s of the protocol, the bridge version %s" %
                                 (VERSION[3:].decode(), magic[3:].decode("latin-1")))
            if request["request"] == "hello":
                reply = {"compile": compile_ is not None, **(hello() if callable(hello) else hello), **can}
            elif request["request"] == "compile":
                reply = _compile(compile_, request["operator"])
            else:
                reply, parts = _dispatch(run, request["items"], shared.view() if shared else data)
                parts = [] if shared else parts
        except Exception as error:  # the peer cannot go on
            reply, parts = {"error": str(error) or repr(error)}, []
        text = json.dumps(reply).encode()
        header = HEADER.pack(VERSION, len(text), sum(len(part) for part in parts))
        if sum(map(len, parts)) < 1 << 20:
            _write(answers, memoryview(b"".join([header, text, *parts])))
        else:
            for part in [header + text, *parts]:
                _write(answers, memoryview(part))
