"""vectors.py: makes cases of a case file (cases/README.md) from the vectors of other suites."""
import json
import math
import re

import numpy as np

TYPES = {"float16": "FLOAT16", "float32": "FLOAT32", "float64": "FLOAT64", "int8": "INT8", "int16": "INT16",
         "int32": "INT32", "int64": "INT64", "uint8": "UINT8", "uint16": "UINT16", "uint32": "UINT32",
         "uint64": "UINT64", "bool": "UINT8"}


class Refused(Exception):
    """The vector does not become a case; the text says why."""


def packed(sizes):
    strides, step = [], 1
    for size in reversed(sizes):
        strides.insert(0, step)
        step *= size
    return strides


def elements(array):
    def element(value):
        if isinstance(value, float) and not math.isfinite(value):
            return "nan" if value != value else "inf" if value > 0 else "-inf"
        return int(value) if isinstance(value, bool) else value
    return [element(value) for value in np.ascontiguousarray(array).ravel().tolist()]


class Case:
    """A case while it is made: tensors are added in the order of the fields."""

    def __init__(self, operator):
        self.operator, self.desc, self.data = operator, {}, {"inputs": {}, "outputs": {}}

    def tensor(self, side, name, array, sizes=None, strides=None):
        """Adds a tensor; `sizes`: other sizes with the same elements. No array: no tensor."""
        if array is None:
            self.desc[name] = None
            return self
        array = np.asarray(array)
        if array.dtype.name not in TYPES:
            raise Refused("elements of the type %s" % array.dtype.name)
        sizes = list(array.shape if sizes is None else sizes) or [1]
        if 0 in sizes:
            raise Refused("a tensor without elements")
        if len(sizes) > 8:
            raise Refused("more than 8 dimensions")
        self.desc[name] = {"DataType": TYPES[array.dtype.name], "Sizes": sizes}
        if strides is not None and strides != packed(sizes):
            self.desc[name]["Strides"] = strides
        self.data[side][name] = elements(array)
        return self

    def input(self, name, array, sizes=None, strides=None):
        return self.tensor("inputs", name, array, sizes, strides)

    def output(self, name, array, sizes=None):
        return self.tensor("outputs", name, array, sizes)

    def broadcast(self, name, array, shape):
        """Adds an input that is broadcast to a shape by strides of 0."""
        if array is None:
            return self.input(name, None)
        array, shape = np.asarray(array), list(shape)
        aligned = [1] * (len(shape) - array.ndim) + list(array.shape)
        strides = [0 if size == 1 and whole > 1 else step
                   for size, whole, step in zip(aligned, shape, packed(aligned))]
        return self.input(name, np.broadcast_to(array.reshape(aligned), shape), None, strides or None)

    def set(self, **fields):
        self.desc.update(fields)
        return self

    def as_json(self, name, **members):
        return dict(name=re.sub(r"[^A-Za-z0-9_.-]+", "_", name).strip("."), type=self.operator, desc=self.desc,
                    **self.data, **members)


def write(path, cases, tolerance, refused):
    """Writes the case file, and beside it the list of the vectors that became no case, a line each."""
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"tolerance": %s, "cases": [\n' % json.dumps(tolerance))
        file.write(",\n".join(json.dumps(case) for case in cases))
        file.write("\n]}\n")
    with open(re.sub(r"\.json$", "", path) + ".refused.tsv", "w", encoding="utf-8") as file:
        for source, name, why in refused:
            file.write("%s\t%s\t%s\n" % (source, name, " ".join(why.split())))
