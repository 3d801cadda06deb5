#!/usr/bin/env python3
"""The operators of bench_device.c, measured with PyTorch on the same tensors: bench_torch.py [EDGE] [DEVICE]

EDGE is 16384 and DEVICE cuda unless given. Prints the median of 15 runs after 5, in milliseconds, by the device's own
clock on a GPU."""
import sys
import time

import torch

EDGE = int(sys.argv[1]) if len(sys.argv) > 1 else 16384
DEVICE = sys.argv[2] if len(sys.argv) > 2 else "cuda"
FEW = EDGE * (EDGE // 16)


def once(run):
    if DEVICE != "cuda":
        start = time.perf_counter()
        run()
        return (time.perf_counter() - start) * 1e3
    begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
    begin.record()
    run()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end)


def measure(name, run):
    for _ in range(5):
        run()
    times = sorted(once(run) for _ in range(15))
    print(f"{name:32} PyTorch {times[7]:8.3f} ms", flush=True)


x = torch.randn(EDGE, EDGE, device=DEVICE)
y = torch.empty_like(x)
indices = torch.randint(EDGE, (EDGE, EDGE), device=DEVICE)
measure("GATHER_ELEMENTS axis 1", lambda: torch.gather(x, 1, indices, out=y))
measure("GATHER_ELEMENTS axis 0", lambda: torch.gather(x, 0, indices, out=y))
del indices
i, j = (torch.randint(EDGE, (FEW,), device=DEVICE) for _ in range(2))
updates = torch.randn(FEW, device=DEVICE)
measure("GATHER_ND elements", lambda: x[i, j])
measure("SCATTER_ND elements", lambda: y.copy_(x).index_put_((i, j), updates))
rows = torch.randint(EDGE, (EDGE,), device=DEVICE)
measure("GATHER_ND rows", lambda: torch.index_select(x, 0, rows, out=y))
measure("SCATTER_ND one row (a copy)", lambda: y.copy_(x))
for percent in (50, 1):
    flags = (torch.rand(EDGE // 4, EDGE, device=DEVICE) * 100 < percent).float()
    measure(f"NONZERO_COORDINATES {percent} %", lambda: torch.nonzero(flags))
