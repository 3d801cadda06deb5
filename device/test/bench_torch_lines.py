#!/usr/bin/env python3
"""The operators of bench_lines.c, measured with PyTorch: bench_torch_lines.py [MEBI]

MEBI is 64 unless given. Prints the median of 25 runs after 20 on a GPU, in milliseconds, by its own clock."""
import sys

import torch

ALL = (int(sys.argv[1]) if len(sys.argv) > 1 else 64) << 20


def once(run):
    begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
    begin.record()
    run()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end)


def measure(name, shape, run):
    for _ in range(20):
        run()
    times = sorted(once(run) for _ in range(25))
    print(f"{name:16} {shape:24} PyTorch {times[12]:9.4f} ms", flush=True)


x = torch.randn(ALL, device="cuda")
shapes = {
    "all to one": (x.view(1, ALL), 1),
    "rows of 8192": (x.view(-1, 8192), 1),
    "columns of 8192": (x.view(8192, -1), 0),
    "rows of 64": (x.view(-1, 64), 1),
    "rows of 4": (x.view(-1, 4), 1),
    "channels of batches": (x.view(64, 256, -1), (0, 2)),
    "three columns": (x[: ALL // 3 * 3].view(-1, 3), 0),
}
for shape, (t, axes) in shapes.items():
    measure("SUM", shape, lambda: torch.sum(t, axes))
for shape, (t, axes) in list(shapes.items())[:3]:
    half = t.half()
    measure("SUM of FLOAT16", shape, lambda: torch.sum(half, axes))
    measure("MAX", shape, lambda: torch.amax(t, axes))
    measure("ARGMAX", shape, lambda: torch.argmax(t, axes))
    measure("LOG_SUM_EXP", shape, lambda: torch.logsumexp(t, axes))
    del half
y = torch.empty_like(x)
for shape, (t, axis) in list(shapes.items())[:5]:
    measure("CUMULATIVE_SUM", shape, lambda: torch.cumsum(t, axis, out=y.view(t.shape)))
half, whole = x.half(), x.int()
measure("of FLOAT16", "all to one", lambda: torch.cumsum(half, 0))
measure("of INT32", "all to one", lambda: torch.cumsum(whole, 0, dtype=torch.int32))
