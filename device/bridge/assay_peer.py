"""The protocol of assay's bridge for peers in Python; README.md beside this file describes both.

    import assay_peer
    assay_peer.serve({"name": "mine", "data_types": ["FLOAT32"], "operators": {"GATHER": {}}}, run)

calls run(item) for each operator to run. It writes into the buffers of item.outputs, or raises: Unsupported,
MemoryError, or anything else, which fails the item. The text of the exception is the item's message.
"""
import json
import os
import struct
import time

VERSION = b"ASB2"
HEADER = struct.Struct("<4sIQ")


class Unsupported(Exception):
    """The peer lacks what the item needs: DXGI_ERROR_UNSUPPORTED."""


class Tensor:
    """A tensor of an item: `sizes` and `strides` (in elements; None: row-major), and its bytes as a memoryview."""

    def __init__(self, name, description, data):
        self.name, self.data = name, data
        self.data_type, self.sizes = description["DataType"], description["Sizes"]
        self.strides = description["Strides"]


class Item:
    """An operator to run: `type`, such as "GATHER"; the tensors in the documented order, inputs and outputs; the
    other members as `attributes` by documented name; and `flags`, the names of DML_EXECUTION_FLAGS, such as
    "ALLOW_HALF_PRECISION_COMPUTATION". An absent tensor is None, an array of tensors is a list."""

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


def _attribute(value):
    """Returns a member in Python: a FLOAT that JSON lacks is a float, and the Bytes of a DML_SCALAR_UNION are bytes."""
    if isinstance(value, str):
        return float(value)
    if isinstance(value, list):
        return [_attribute(one) for one in value]
    if not isinstance(value, dict):
        return value
    if "Bytes" in value:
        return {**value, "Bytes": bytes(value["Bytes"])}
    if "Type" in value:
        return {"Type": value["Type"], "Desc": _attribute(value["Desc"])}
    return {name: _attribute(member) for name, member in value.items()}


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


def _write(stream, data):
    while data:
        data = data[stream.write(data):]


def serve(hello, run, compile_=None):
    """Answers requests until the bridge closes them. `hello`: the answer to hello, or a function that makes it. With
    `compile_`, the bridge asks about each operator before it is dispatched: compile_(item) returns or raises; its
    tensors have no data."""
    requests, answers = _open("ASSAY_BRIDGE_IN", "rb"), _open("ASSAY_BRIDGE_OUT", "wb")
    while True:
        magic, json_size, data_size = HEADER.unpack(_read(requests, HEADER.size))
        request = json.loads(bytes(_read(requests, json_size)))
        data, parts = _read(requests, data_size), []
        try:
            if magic != VERSION:
                raise ValueError("this peer speaks %s, the bridge %s" % (VERSION.decode(), magic.decode("latin-1")))
            if request["request"] == "hello":
                reply = {"compile": compile_ is not None, **(hello() if callable(hello) else hello)}
            elif request["request"] == "compile":
                reply = _compile(compile_, request["operator"])
            else:
                reply, parts = _dispatch(run, request["items"], data)
        except Exception as error:  # the peer cannot go on
            reply, parts = {"error": str(error) or repr(error)}, []
        text = json.dumps(reply).encode()
        header = HEADER.pack(VERSION, len(text), sum(len(part) for part in parts))
        if sum(map(len, parts)) < 1 << 20:
            _write(answers, memoryview(b"".join([header, text, *parts])))
        else:
            for part in [header + text, *parts]:
                _write(answers, memoryview(part))
