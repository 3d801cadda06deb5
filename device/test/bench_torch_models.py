#!/usr/bin/env python3
"""The shapes of cases/bench/transformer.json, measured with PyTorch: bench_torch_models.py [DEVICE]

DEVICE is cuda unless given. Runs each for a quarter of a second, then prints the median of 50 times of a run in
milliseconds, by the device's own clock on a GPU."""
import sys
import time

import torch
import torch.nn.functional as F

DEVICE = sys.argv[1] if len(sys.argv) > 1 else "cuda"
IS_GPU = DEVICE == "cuda"
ADJACENT = 8  # like ADJACENT of device/vulkan/measure.c


def once(run):
    if not IS_GPU:
        start = time.perf_counter()
        run()
        return (time.perf_counter() - start) * 1e3
    begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
    begin.record()
    run()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end)


def many(run, count):
    """Times of runs that follow one another without a pause, as on a busy device: means of ADJACENT runs, since an
    event takes as long as a share of a run."""
    if not IS_GPU:
        return [once(run) for _ in range(count)]
    events = [torch.cuda.Event(True) for _ in range(count + 1)]
    events[0].record()
    for event in events[1:]:
        for _ in range(ADJACENT):
            run()
        event.record()
    torch.cuda.synchronize()
    return [a.elapsed_time(b) / ADJACENT for a, b in zip(events, events[1:])]


def measure(name, run):
    end = time.perf_counter() + 0.25
    while time.perf_counter() < end:
        once(run)
    times = sorted(many(run, 50))
    print(f"{name:28} PyTorch {times[25]:9.4f} ms", flush=True)


def floats(*sizes, dtype=torch.float32):
    return torch.rand(*sizes, device=DEVICE, dtype=dtype) * 2 - 1


def half(*sizes):
    return floats(*sizes, dtype=torch.float16)


def indices(below, *sizes):
    return torch.randint(below, sizes, device=DEVICE)


def gather_rows(name, rows, columns, count):
    table, chosen, out = half(rows, columns), indices(rows, count), half(count, columns)
    measure(name, lambda: torch.index_select(table, 0, chosen, out=out))


def scatter_rows(name, rows, columns, count):
    table, chosen, updates, out = half(rows, columns), indices(rows, count), half(count, columns), half(rows, columns)
    measure(name, lambda: out.copy_(table).index_put_((chosen,), updates))


gather_rows("llm.embedding-lookup", 32000, 4096, 4096)
gather_rows("llm.moe-dispatch", 4096, 4096, 8192)
scatter_rows("llm.moe-return", 4096, 4096, 4096)
gather_rows("llm.kv-cache-gather", 4096, 16 * 8 * 128, 1024)
scatter_rows("llm.kv-cache-update", 32768, 1024, 256)
x, y = floats(4096, 4096), floats(4096, 4096)
places, values = indices(4096, 4096, 128), floats(4096, 128)
measure("llm.sparse-update", lambda: y.copy_(x).scatter_(1, places, values))
logits = floats(8, 32000)
measure("llm.logits-top-50", lambda: torch.topk(logits, 50))
measure("llm.normalise-rows", lambda: F.layer_norm(x, (4096,), eps=1e-5))
measure("llm.normalise-lp", lambda: F.normalize(x, p=2, dim=1, eps=1e-5))
scores = half(32, 1024, 1024)
measure("llm.attention-softmax", lambda: torch.softmax(scores, 2))
a, b, c = (half(4096, 4096) for _ in range(3))
measure("llm.residual-add", lambda: torch.add(a, b, out=c))
wide = half(4096, 11008)
measure("llm.ffn-gelu", lambda: F.gelu(wide))
measure("llm.reduce-rows", lambda: torch.sum(x, 1))
measure("llm.reduce-columns", lambda: torch.sum(x, 0))
whole = indices(100, 4096, 4096).int()
measure("llm.prefix-sum", lambda: torch.cumsum(whole, 1, dtype=torch.int32))
sparse = (torch.rand(2048, 2048, device=DEVICE) < 0.1).half()
measure("llm.nonzero", lambda: torch.nonzero(sparse))
