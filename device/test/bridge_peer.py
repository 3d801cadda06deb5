#!/usr/bin/python3
"""A peer for device/bridge that goes wrong: bridge_peer.py WHEN WHAT, with WHEN the kind of request: hello, compile or
dispatch; or data: of a dispatch it does not read the tensors."""
import json
import os
import signal
import struct
import sys
import time

when, what = sys.argv[1:3]
IN, OUT = int(os.environ["ASSAY_BRIDGE_IN"]), int(os.environ["ASSAY_BRIDGE_OUT"])
OPERATORS = ["GATHER", "GATHER_ELEMENTS", "GATHER_ND", "GATHER_ND1", "SCATTER_ELEMENTS", "SCATTER_ND",
             "NONZERO_COORDINATES"]
HELLO = {"name": "peer", "data_types": ["FLOAT32", "UINT32", "INT32"], "operators": {name: {} for name in OPERATORS},
         "compile": when == "compile"}
if what == "few":  # says in hello that it supports little
    HELLO["operators"] = {"GATHER_ELEMENTS": {"max_rank": 3, "types": {"IndicesTensor": ["INT32"]}}, "GATHER": {}}
if what == "prints":  # prints to both streams, as libraries do
    print("ASB2 library 1.0: loading", flush=True)
    os.write(2, b"warning: no card\n" * 10000)


def read(size):
    data = b""
    while len(data) < size:
        got = os.read(IN, size - len(data))
        if not got:
            while what == "stays":
                time.sleep(1)
            sys.exit()
        data += got
    return data


def message(reply, data=b"", json_size=None, data_size=None):
    text = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
    return struct.pack("<4sIQ", b"ASB2", len(text) if json_size is None else json_size,
                       len(data) if data_size is None else data_size) + text + data


def output_bytes(items):
    return sum(t["TotalTensorSizeInBytes"] for item in items for name, t in item["Desc"].items()
               if name.startswith("Output"))


def die(status):
    print("that was too much\nfor me", file=sys.stderr, flush=True)
    os._exit(status)


def wrong(request, data):
    """What goes wrong: bytes to write, or the end."""
    items = request.get("items", [])
    size = output_bytes(items)
    good = {"results": [{"status": "S_OK"} for _ in items]}
    one = dict(HELLO) if when == "hello" else {"status": "S_OK"} if when == "compile" else good
    if what == "exits":
        die(3)
    if what == "crashes":
        print("that was too much", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)
    if what == "exits-midway":
        os.write(OUT, message(one)[:20])
        die(0)
    if what == "exits-on-scatter-nd" and any(item["Type"] == "SCATTER_ND" for item in items):
        die(1)
    if what == "exits-on-scatter-nd":
        return message({"results": [{"status": "DXGI_ERROR_UNSUPPORTED"} for _ in items]})
    if what == "closes":
        os.close(OUT)
        signal.pause()
    if what == "stalls":
        signal.pause()
    if what == "stalls-midway":
        os.write(OUT, message(one)[:20])
        signal.pause()
    return {
        "rubbish": b"Traceback: hello\n",
        "rubbish-short": b"hi",
        "other-version": message(one).replace(b"ASB2", b"ASB1"),
        "no-json": message(b'{"name": oops}'),
        "no-object": message([1]),
        "zero-json": message(b""),
        "huge-json": message(one, json_size=0xffffffff),
        "huge-data": message(one, data_size=1 << 62),
        "too-much": message(one, bytes(size)) + b"more",
        "one-byte-more": message(one, bytes(size + 1)),
        "one-byte-less": message(one, bytes(size and size - 1)),
        "no-results": message({"results": []}),
        "no-list": message({"results": 7}),
        "two-results": message({"results": [{"status": "S_OK"}] * (len(items) + 1)}, bytes(size)),
        "own-status": message({"results": [{"status": "S_FINE"}] * len(items)}, bytes(size)),
        "no-status": message({"results": [{}] * len(items)}, bytes(size)),
        "own-member": message({"results": [{"status": "S_OK", "colour": "red"}] * len(items)}, bytes(size)),
        "before-time": message({"results": [{"status": "S_OK", "device_ns": -1}] * len(items)}, bytes(size)),
        "own-words": message({"results": [{"status": "E_FAIL", "message": "no " + item["Type"]} for item in items]}),
        "few": message({"results": [{"status": "E_FAIL", "message": "called"}] * len(items)}),
        "prints": message({"results": [{"status": "E_FAIL", "message": "called"}] * len(items)}),
        "fails": message({"results": [{"status": "E_FAIL", "message": "not today"}] * len(items)}),
        "lacks": message({"results": [{"status": "DXGI_ERROR_UNSUPPORTED", "message": "not here"}] * len(items)}),
        "refuses": message({"status": "DXGI_ERROR_UNSUPPORTED", "message": "no such kernel"}),
        "writes-nothing": message(good, data[len(data) - size:]),
        "gives-up": message({"error": "the card fell off"}),
        "own-type": message({**HELLO, "data_types": ["FLOAT33"]}),
        "own-level": message({**HELLO, "feature_level": "best"}),
        "no-such-level": message({**HELLO, "feature_level": "9_9"}),
        "own-operator": message({**HELLO, "operators": {"GATHR": {}}}),
        "own-tensor": message({**HELLO, "operators": {"GATHER": {"types": {"Indices": []}}}}),
        "own-tensor-type": message({**HELLO, "operators": {"GATHER": {"types": {"InputTensor": ["FLOAT33"]}}}}),
        "own-rank": message({**HELLO, "operators": {"GATHER": {"max_rank": 9}}}),
        "own-limit": message({**HELLO, "operators": {"GATHER": {"min_rank": 9}}}),
        "list-of-operators": message({**HELLO, "operators": ["GATHER"]}),
        "no-operators": message({"name": "peer", "data_types": []}),
        "own-key": message({**HELLO, "max_bacth": 3}),
        "no-name": message({"data_types": []}),
        "no-batch": message({**HELLO, "max_batch": 0}),
        "stays": message({"results": [{"status": "E_FAIL"} for _ in items]}),
    }[what]


while True:
    _, json_size, data_size = struct.unpack("<4sIQ", read(16))
    request = json.loads(read(json_size))
    if when == "data" and request["request"] == "dispatch":
        signal.pause()  # and does not read the tensors
    tensors = read(data_size)
    if request["request"] == when:
        answer = wrong(request, tensors)
    elif request["request"] == "hello":
        answer = message(HELLO)
    else:
        answer = message({"status": "S_OK"})
    os.write(OUT, answer)
