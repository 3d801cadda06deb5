#!/usr/bin/env python3
"""The cases of cases/bench/large.json, computed by PyTorch on processors: bench_torch_large.py THREADS NAME…

Prints for each name the least time of seven runs, in nanoseconds. tools/bench-processor.lua shows it beside devices."""
import sys
import time

import torch
import torch.nn.functional as F

EDGE = 4096
ALL = EDGE * EDGE


def floats():
    return torch.rand(EDGE, EDGE) * 512 - 256


def indices(*sizes):
    return torch.randint(EDGE, sizes)


def gather_nd():
    x, places = floats(), indices(ALL, 2)
    return lambda: x[places[:, 0], places[:, 1]]


def gather_elements(axis):
    x, places, out = floats(), indices(EDGE, EDGE), floats()
    return lambda: torch.gather(x, axis, places, out=out)


def scatter_nd():
    x, places, updates, out = floats().view(ALL), torch.randperm(ALL), floats().view(ALL), floats().view(ALL)
    return lambda: out.copy_(x).index_put_((places,), updates)


def nonzero(percent):
    if percent == 1:  # like the fill nonzero-edges-256
        numbers = torch.arange(ALL).view(EDGE, EDGE) % 256
        x = ((numbers == 255) | (numbers < 2)).float()
    else:
        x = (torch.rand(EDGE, EDGE) * 100 < percent).float()
    return lambda: torch.nonzero(x)


def of_one(run):
    x = floats()
    return lambda: run(x)


def into(run):
    x, y, out = floats(), floats(), floats()
    return lambda: run(x, y, out)


def normalise():
    x, scale, bias = floats(), torch.rand(EDGE), torch.rand(EDGE)
    return lambda: F.layer_norm(x, (EDGE,), scale, bias, 1e-5)


CASES = {
    "large.copy": lambda: into(lambda x, y, out: out.copy_(x)),
    "large.gather-nd": gather_nd,
    "large.gather-elements-0": lambda: gather_elements(0),
    "large.gather-elements-1": lambda: gather_elements(1),
    "large.scatter-nd": scatter_nd,
    "large.nonzero-1": lambda: nonzero(1),
    "large.nonzero-50": lambda: nonzero(50),
    "large.nonzero-100": lambda: nonzero(100),
    "large.add": lambda: into(lambda x, y, out: torch.add(x, y, out=out)),
    "large.softmax": lambda: of_one(lambda x: torch.softmax(x, 1)),
    "large.sum-of-rows": lambda: of_one(lambda x: torch.sum(x, 1)),
    "large.sum-of-columns": lambda: of_one(lambda x: torch.sum(x, 0)),
    "large.running-sum": lambda: into(lambda x, y, out: torch.cumsum(x, 1, out=out)),
    "large.top-50": lambda: of_one(lambda x: torch.topk(x, 50, dim=1)),
    "large.layer-norm": normalise,
}


def once(run):
    start = time.perf_counter_ns()
    run()
    return time.perf_counter_ns() - start


torch.set_num_threads(int(sys.argv[1]))
for name in sys.argv[2:]:
    measured = CASES[name]()
    print(name, min(once(measured) for _ in range(7)), flush=True)
