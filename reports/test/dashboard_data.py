#!/usr/bin/env python3
"""Data as `assay report` puts it into the page, made up: dashboard_data.py [--cases N] [--devices N] [--hostile|--empty]

The same arguments print the same bytes. Every section has something in it, unless --empty. --hostile: names and
messages are what somebody might put into a database to get at whoever reads the page.
"""
import argparse
import json
import math
import random
import re

STATUSES = [
    "pass", "fail", "warn", "crash", "timeout", "device_lost", "unsupported", "skip", "harness_error", "incomplete",
    "flaky", "unexpected", "known"
]
LETTERS = dict(zip("pfwctlushiyxk", STATUSES))
BAD = "fctlhyx"
OPERATORS = [
    "GATHER", "GATHER_ELEMENTS", "GATHER_ND", "ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL", "NONZERO_COORDINATES",
    "SCATTER_ELEMENTS", "SCATTER_ND"
]
LEVELS = ["2_1", "3_0", "3_1", "4_0", "4_1", "6_4"]
TYPES = ["float32-uint32", "float32-int64", "float16-uint32", "float64-int32", "int8-uint64", "uint32-uint32"]
RULES = [("axis-range", "reject", "bed83-115, A6"), ("gathers", "must", "bed83-105, bed83-106"), ("", "", ""),
         ("sizes", "soft", "bed83-20")]
DEVICES = ["reference", "vulkan:device=llvmpipe", "meaning", "onnxruntime", "bridge:device/bridge/numpy/adapter.py"]
SCRIPT = "<script>alert(1)</script>"
IMAGE = "\"><img src=x onerror=alert(2)>"
HOSTILE = [
    SCRIPT, IMAGE, "'\"`&amp;&lt;", "</script><script>alert(3)</script>", "<!--", "line\u2028separator",
    "bell\x07 escape\x1b[31m nul\x00 del\x7f", "new\nline", "right\u202eleft", "%s %n ${x} {{x}}", "\ud800",
    "javascript:alert(4)", "__proto__"
]


def parts(names):
    """The words of names apart, in columns: 0 stands for the word of the name before."""
    words = [name.split(".") for name in names]
    columns = []
    for part in range(max(map(len, words), default=0)):
        column = [row[part] if part < len(row) else None for row in words]
        columns.append([0 if word == before else word for word, before in zip(column, [None] + column)])
    return columns


def names(data):
    """The names of the cases."""
    made, words = [], [None] * len(data["cases"]["parts"])
    for row in zip(*data["cases"]["parts"]):
        words = [before if word == 0 else word for word, before in zip(row, words)]
        made.append(".".join(word for word in words if word is not None))
    return made


def sum_counts(letters):
    return {status: letters.count(letter) for letter, status in LETTERS.items() if letter in letters}


class Maker:
    def __init__(self, count, devices, hostile, operators, plan=None):
        self.random = random.Random(7)
        self.hostile = hostile
        self.plan = plan
        self.operators = OPERATORS[:operators] + ([SCRIPT] if hostile else [])
        self.levels = LEVELS + ([IMAGE] if hostile else [])
        self.types = TYPES + ([IMAGE] if hostile else [])
        self.devices = [DEVICES[i] if i < len(DEVICES) else f"./device{i}.so" for i in range(devices)]
        if hostile:
            self.devices[0] = SCRIPT + IMAGE
        self.where = [(self.random.randrange(len(self.operators)), self.random.randrange(len(self.levels)),
                       self.random.randrange(len(self.types))) for _ in range(count)]
        self.names = sorted({self.name(i, *where): where for i, where in enumerate(self.where)}.items())
        self.where = [where for _, where in self.names]
        self.names = [name for name, _ in self.names]
        self.runs = []
        if plan:
            self.take(plan)

    def take(self, plan):
        """Takes the names of a real plan, of which few cases fail."""
        self.names = sorted(plan)
        words = [name.split(".") for name in self.names]
        level = [next((word[2:] for word in name if re.fullmatch(r"fl\d_\d", word)), "") for name in words]
        types = [next((word for word in name if re.match(r"(float|u?int)\d+(-|$)", word)), "") for name in words]
        where = list(zip((name[0].upper() for name in words), level, types))
        self.operators, self.levels, self.types = (sorted(set(column)) for column in zip(*where))
        places = [{word: i for i, word in enumerate(column)} for column in (self.operators, self.levels, self.types)]
        self.where = [tuple(place[word] for place, word in zip(places, row)) for row in where]

    def time(self, item):
        """The time of a case, as data.sql rounds it; those of a plan are as irregular as real ones."""
        time = self.random.lognormvariate(11, 1) if self.plan else 20000 + (item * 7919) % 90000
        return int(float(f"{2**(round(8 * math.log2(time)) / 8):.1e}"))

    def text(self, otherwise):
        return self.random.choice(HOSTILE) if self.hostile else otherwise

    def name(self, i, operator, level, types):
        if self.hostile and i < 2 * len(HOSTILE):
            return HOSTILE[i % len(HOSTILE)] + ("" if i < len(HOSTILE) else f".{i}")
        return (f"{self.operators[operator].lower()}.{self.random.choice(['indices', 'limits', 'strides', 'values'])}."
                f"fl{self.levels[level]}.{self.types[types]}.d{i % 8 + 1}p{i % 5}q{i % 3}k{i}")

    # ---- runs, oldest first: three of the first device, one of the last, two of the others

    def run(self, device, number, letters):
        planned = len(letters)
        counts = sum_counts(letters)
        possible = planned - counts.get("skip", 0) - counts.get("unsupported", 0)
        failures = sum(letters.count(letter) for letter in BAD)
        self.runs.append({
            "database": "results.db", "run": number + 1, "device": device, "state": "complete",
            "started": f"2025-01-{number % 28 + 1:02}T12:00:00.000Z",
            "ended": f"2025-01-{number % 28 + 1:02}T12:01:00.000Z",
            "name": self.text("llvmpipe (LLVM 15.0.6, 256 bits)" if device else "reference"),
            "driver": self.text("llvmpipe" if device else "assay"),
            "device_version": self.text("Mesa 22.3.6 (Vulkan 1.3.230)" if device else "0.1.0"), "feature_level": "6_4",
            "version": "0.1.0", "seed": "0x0000000000000000", "plan_hash": "0x6f0c9a51b27de413", "planned": planned,
            "shard": 1, "shards": 1, "command": self.text("assay run -d reference --db results.db"), "counts": counts,
            "failures": failures, "slow": 0, "host_ns": planned * 41000,
            "timed": planned, "pass_rate": counts.get("pass", 0) / possible if possible else None, "purpose": "conformance",
            "filters": self.text("'gather.*'") if number == 0 else "", "operators": "", "levels": "", "tier": "",
            "source": "", "partial": number == 0, "device_hash": "1d7a5c3e9b2f4068", "device_build": "8f14e45fceea167a",
            "machine": "Linux 6.1.0 x86_64", "cpu": "AMD EPYC", "label": self.text("nightly"),
            "revision": self.text("3f2a9c1"), "branch": self.text("main"), "shared_validation": 0,
            "compared": counts.get("pass", 0)
        })
        return number

    # What the last run alone makes of a device; the first device has older verdicts, too.
    def state(self, device):
        number = self.runs_of[device][-1]
        run = self.runs[number]
        ran = run["planned"] // 2 if device == 0 else run["planned"]
        return {
            "cases": run["planned"], "ran": ran, "since": self.runs_of[device][0] if ran < run["planned"] else number,
            **{key: run[key] for key in ("counts", "failures", "slow", "host_ns", "pass_rate")}
        }

    def letters(self, device):
        # An expectation file lists crashes and timeouts of the last device.
        bad = "kkyx" if device == len(self.devices) - 1 else "ccttyx"
        likely = "p" * 200 + "s" * 4 + ("" if device == 0 else "u" * 6 + "w" * 3 + "fff" + bad)
        return "".join(self.random.choices("p" * 20000 * bool(self.plan) + likely, k=len(self.names)))

    def make(self):
        count = len(self.devices)
        how_many = [3 if i == 0 else 1 if i == count - 1 and count > 1 else 2 for i in range(count)]
        how_many = [10] * count if self.plan else how_many
        runs_of = [[] for _ in range(count)]
        letters_of = [[] for _ in range(count)]
        for turn in range(max(how_many)):
            for device in range(count):
                if turn < how_many[device]:
                    letters = self.letters(device)
                    if turn:  # mostly as before
                        before = list(letters_of[device][-1])
                        for item in self.random.sample(range(len(before)), len(before) // 250):
                            before[item] = letters[item]
                        letters = "".join(before)
                    letters_of[device].append(letters)
                    runs_of[device].append(self.run(device, len(self.runs), letters))
        self.runs_of, self.letters_of = runs_of, letters_of
        details = self.details()
        return {
            "v": 4, "assay": "0.1.0", "databases": [self.text("results.db")], "issues": "", "statuses": STATUSES, "runs": self.runs,
            "pass_rate_formula": "pass ÷ (cases − skip − unsupported)",
            "failures_formula": "fail + crash + timeout + device lost + harness error + flaky + unexpected", "devices": [{
                "device": name, "runs": runs_of[i], "current": runs_of[i][-1],
                "baseline": runs_of[i][-2] if len(runs_of[i]) > 1 else None, "state": self.state(i)
            } for i, name in enumerate(self.devices)],
            "conformance": [self.conformance(i) for i in range(count)],
            "changes": [self.change(i) for i in range(count)
                        if len(runs_of[i]) > 1], "groups": self.groups(),
            "causes": self.causes(), "known": self.known(), "errors": self.errors(), "copies": self.copies(), "unsupported": self.unsupported(),
            "matrix": self.matrix(), "trace": self.trace(), "fingerprint": self.fingerprint(), "fuzz": self.fuzz(),
            "mutation": self.mutation(), "timing": self.timing(), "interaction": self.interaction(), "cases": {
                "parts": parts(self.names), "operator": [o for o, _, _ in self.where], "level": [l for _, l, _ in self.where],
                "types": [t for _, _, t in self.where], "operators": self.operators, "levels": self.levels,
                "types_names": self.types, "devices": [{
                    "status": letters_of[i][-1], "host_ns": [
                        None if letter in "su" else self.time(j)
                        for j, letter in enumerate(letters_of[i][-1])
                    ], "history": letters_of[i] if len(letters_of[i]) > 1 else None
                } for i in range(count)]
            }, "largest_errors": [], "details": details[:20000], "details_cut": max(0,
                                                              len(details) - 20000),
            "texts": self.texts(details)
        }

    # ---- sections

    # The first device is complete, the second up to the lowest level, the others lack and fail some operators.
    def conformance(self, device):
        levels = [{
            "level": level, "complete": len(self.operators) - 3 * bad, "failing": self.operators[:2] * bad,
            "missing": [self.text(f"ELEMENT_WISE_{i}") for i in range(70)] if bad else [],
            "partial": self.operators[2:3] * bad,
            "without_cases": [self.text(f"ACTIVATION_{i}") for i in range(9)] if bad else []
        } for at, level in enumerate(self.levels) for bad in [device > 1 or device == 1 and at > 0]]
        return {
            "device": device, "whole": device != 1,
            "complete_up_to": [self.levels[-1], self.levels[0], None][min(device, 2)], "levels": levels
        }

    def change(self, device):
        before, after = self.letters_of[device][-2:]
        lists = {key: [] for key in ("regressions", "fixes", "worse", "better", "new", "gone")}
        same = 0
        for item, (old, new) in enumerate(zip(before, after)):
            entry = {"case": item, "before": LETTERS[old], "after": LETTERS[new]}
            if old == new:
                same += 1
            elif (old in BAD) != (new in BAD):
                lists["regressions" if new in BAD else "fixes"].append(entry)
            else:
                lists["worse" if "psuw".find(new) > "psuw".find(old) else "better"].append(entry)
        counts = {key: len(entries) for key, entries in lists.items()}
        counts.update(both=len(before), same=same, new_failing=0, not_run=0, choices=1, errors_grew=0)
        slower = [{
            "case": None, "operator": "GATHER", "before_ns": 41000, "after_ns": 57000, "ratio": 1.39, "q": 0.0012
        }, {"case": 5, "operator": "GATHER", "before_ns": 30000, "after_ns": 91000, "ratio": 3.03, "q": 0.02}]
        faster = [{"case": 9, "operator": "SCATTER_ND", "before_ns": 91000, "after_ns": 45500, "ratio": 0.5, "q": 0.01}]
        return {
            "device": device, "before": self.runs_of[device][-2], "after": self.runs_of[device][-1], "counts": counts,
            **{key: entries[:200]
               for key, entries in lists.items()}, "choices": [{
                "case": 3, "before": self.text("clamped"), "after": self.text("zero")
            }], "timing": {"tested": 500, "slower_count": 2, "faster_count": 1, "slower": slower, "faster": faster}
            if device == 1 else None
        }

    def rule(self, item):
        return RULES[item % len(RULES)]

    def why(self, letter, item):
        return {"c": "crash", "t": "timeout", "l": "device lost",
                "h": "harness"}.get(letter, "wrong result" if self.rule(item)[0] else "values")

    def causes(self):
        groups = {}
        for device, letters in enumerate(self.letters_of):
            for item, letter in enumerate(letters[-1]):
                if letter in BAD:
                    why = self.why(letter, item)
                    groups.setdefault((why, device, self.where[item][0], self.rule(item)), []).append(item)
        return [{
            "cause": why, "device": device, "operator": self.operators[operator], "rule": rule, "strength": strength,
            "pages": pages, "count": len(items), "message": self.text("1 of 4 elements of OutputTensor are wrong"),
            "cases": items, "since": self.runs_of[device][-1], "newest": self.runs_of[device][-1]
        } for (why, device, operator, (rule, strength,
                                       pages)), items in sorted(groups.items(), key=lambda group: -len(group[1]))]

    # The failures of a device with one cause, its warnings with another.
    def groups(self):
        made = []
        for device, letters in enumerate(self.letters_of):
            failing = [item for item, letter in enumerate(letters[-1]) if letter in BAD]
            warning = [item for item, letter in enumerate(letters[-1]) if letter == "w"]
            for kind, items in [("failure", failing), ("warning", warning)]:
                if items:
                    made.append({
                        "device": device, "kind": kind, "cases": len(items), "besides": 2 * (kind == "failure"),
                        "such": len(items) + 1, "cause": "signed-zero-counted",
                        "title": self.text(f"-0.0 is taken for another number, {kind}"), "broken": self.text("signed-zero"),
                        "tensors": self.text("OutputCountTensor"), "where": self.text("FLOAT16, with -0.0"),
                        "reproduce": self.text(f"build/assay repro {self.names[items[0]]}"), "members": items,
                        "since": self.runs_of[device][-1] if kind == "failure" else None,
                        "newest": self.runs_of[device][-1] if kind == "failure" else None
                    })
        return made

    def details(self):
        made = []
        for device, letters in enumerate(self.letters_of):
            for item, letter in enumerate(letters[-1]):
                if letter in "ps":
                    continue
                rule, strength, pages = self.rule(item)
                runs = [history[item] for history in letters]
                wrong = letter == "f"
                made.append({
                    "case": item, "device": device, "run": self.runs_of[device][-1],
                    "status": {"k": "crash", "y": "pass", "x": "pass"}.get(letter) or LETTERS[letter], "rule": rule,
                    "strength": strength,
                    "pages": pages, "broken": rule, "cause": self.why(letter, item),
                    "explanations": "misplaced" if wrong else "",
                    "message": self.text("1 of 4 elements of OutputTensor are wrong" if wrong else
                                         "the process died: SIGSEGV" if letter == "c" else "not supported" if letter ==
                                         "u" else "it took longer than 10 s" if letter ==
                                         "t" else "accepted, and the ruling says reject"),
                    "expected": self.text("the outputs of the reference device"),
                    "outcome": self.text("clamped") if letter == "w" else "", "wrong_count": 1 if wrong else 0,
                    "wrong_tensor": self.text("OutputTensor") if wrong else "",
                    "wrong_coordinates": "{0,0,0,0}" if wrong else "",
                    "wrong_got": self.text("3.10367252e+10 (0x50e73ddb)") if wrong else "",
                    "wrong_expected": self.text("3.10367232e+10 (0x50e73dda)") if wrong else "",
                    "wrong_inputs": self.text("InputTensor {0,0,0,1} 2.5 (0x40200000)") if wrong else "",
                    "reproduce": f"build/assay repro {self.names[item]} -d {self.devices[device]} --seed 0",
                    "attempts": 1, "flaky": False, "expectation": "expected" if letter == "k" else "",
                    "reason": self.text("issue 12") if letter == "k" else "",
                    "first_bad": self.runs_of[device][-1] if letter in BAD else None,
                    "last_good": self.runs_of[device][0] if runs[0] == "p" else None, "bad_runs": sum(
                        one in BAD for one in runs), "runs": len(runs), "flake_rate": 0.0, "expected_since": None
                })
        return made

    def unsupported(self):
        groups = {}
        for device, letters in enumerate(self.letters_of):
            for item, letter in enumerate(letters[-1]):
                if letter == "u":
                    operator, _, types = self.where[item]
                    message = ["no 64-bit integers", "not this operator"][operator % 2]
                    operators, all_types = groups.setdefault((device, message), ({}, set()))
                    operators[self.operators[operator]] = operators.get(self.operators[operator], 0) + 1
                    all_types.add(self.types[types])
        return [{
            "device": device, "message": self.text(message), "count": sum(operators.values()), "operators": operators,
            "types": sorted(types)
        } for (device, message), (operators, types) in sorted(groups.items())]

    def known(self):
        groups = {}
        for device, letters in enumerate(self.letters_of):
            for item, letter in enumerate(letters[-1]):
                if letter == "k":
                    groups.setdefault((device, "crash"), []).append(item)
        return [{
            "device": device, "reason": self.text("issue 12"), "status": status, "count": len(items), "cases": items,
            "since": self.runs[self.runs_of[device][0]]["started"]
        } for (device, status), items in sorted(groups.items())]

    def errors(self):
        """The first operator is beyond its bound on the last device."""
        last = len(self.devices) - 1
        return [{
            "device": device, "operator": operator, "case": i, "share": 2.5 if device == last and i == 0 else 0.25 + 0.05 * i,
            "ulps": 1.5 + i
        } for device in range(last + 1) for i, operator in enumerate(self.operators)]

    def copies(self):
        return [{"run": self.runs_of[0][-1], "case": i, "share": 0.125 * (i + 1)} for i in range(9)]

    def matrix(self):
        groups = {}
        for device, letters in enumerate(self.letters_of):
            for item, letter in enumerate(letters[-1]):
                operator, level, types = self.where[item]
                counts = groups.setdefault((operator, types, level, device), {})
                counts[LETTERS[letter]] = counts.get(LETTERS[letter], 0) + 1
        return [{
            "operator": self.operators[operator], "types": self.types[types], "level": self.levels[level],
            "device": device, "counts": counts
        } for (operator, types, level, device), counts in sorted(groups.items())]

    def trace(self):
        rows = []
        for operator in self.operators:
            for sentence in range(12 if len(self.names) > 100 else 3):
                bare = sentence % 12 == 2
                rows.append({
                    "sentence": self.text(f"bed83-{100 + sentence}"), "operator": operator,
                    "rules": [self.text(self.rule(sentence)[0] or "gathers")], "cases": 0 if bare else 24, "devices": [
                        {} if bare else {"pass": 24} if device == 0 or sentence % 4 else {"pass": 22, "fail": 2}
                        for device in range(len(self.devices))
                    ]
                })
        return rows

    def fingerprint(self):
        count = len(self.devices)
        return [{
            "operator": operator, "rule": rule, "strength": "open",
            "outcomes": [{"outcome": self.text("zero"), "counts": [12] + [0 if differ else 12] * (count - 1)}] +
            ([{"outcome": self.text("clamped"), "counts": [0] + [12] * (count - 1)}] if differ else []),
            "shared": shared if count > 1 else 0, "differ": differ
        } for operator, rule, differ, shared in [("GATHER", "indices-in-range", count > 1, 12),
                                                 ("GATHER_ND", "indices-in-range", False, 12),
                                                 ("SCATTER_ND", "repeats", count > 1, 12), ("TILE", "repeats", False, 0)]]

    def fuzz(self):
        counts = []
        for operator in self.operators[:3]:
            for rule in ["", "axis-range", "same-dims"]:
                for broken in range(0 if rule == "" else 1, 5):
                    counts.append({
                        "search": 0, "operator": operator, "rule": rule, "broken": broken,
                        "verdict": "right reject" if broken else "right accept", "count": 128123 // (broken + 1)
                    })
        counts.append(
            {"search": 0, "operator": "GATHER", "rule": "", "broken": 1, "verdict": "wrong accept", "count": 13812})
        counts.append({
            "search": 0, "operator": "GATHER", "rule": "axis-range", "broken": 1, "verdict": "wrong accept",
            "count": 13812
        })
        search = {
            "database": "results.db", "search": 1, "device": self.text("mutants:ignore=GATHER/axis-range"),
            "name": self.text("mutants"), "driver": "assay", "declared": "", "feature_level": "6_4", "version": "0.1.0",
            "seed": "0x0000000000000000", "shard": "1/1", "state": self.text("done"), "tried": 3145728, "executed": 0,
            "places": 1204, "seconds": 5.02, "ended": "2025-02-01T12:00:00.000Z"
        }
        smallest = "GATHER InputTensor=FLOAT32[1] IndicesTensor=UINT32[1] OutputTensor=FLOAT32[1] Axis=1"
        return {
            "searches": [search], "matrix": counts, "findings": [{
                "search": 0, "kind": "wrong accept", "operator": "GATHER", "rule": "axis-range", "strength": "reject",
                "also": "", "failure": True, "count": 13812,
                "original": self.text(smallest.replace("FLOAT32", "FLOAT16")), "minimum": self.text(smallest),
                "steps": 1, "executed": True, "fill": self.text("bits"), "indices": self.text("valid"),
                "seed": "0x00000000000000ff", "result": "S_OK",
                "message": self.text("Axis must be below InputTensor.DimensionCount"), "reason": ""
            }, {
                "search": 0, "kind": "crash", "operator": "GATHER_ND", "rule": "", "strength": "", "also": "",
                "failure": True, "count": 2, "original": smallest, "minimum": smallest, "steps": 0, "executed": False,
                "fill": "bits", "indices": "valid", "seed": "0x0000000000000000", "result": "", "message": "",
                "reason": self.text("issue 31")
            }, {
                "search": 0, "kind": "wrong reject", "operator": "GATHER", "rule": "", "strength": "", "also": "",
                "failure": False, "count": 3, "original": smallest, "minimum": smallest, "steps": 0, "executed": False,
                "fill": "bits", "indices": "valid", "seed": "0x0000000000000000", "result": "E_INVALIDARG",
                "message": "", "reason": ""
            }]
        }

    def mutation(self):
        verdicts = ["killed"] * 8 + ["warned", "open", "excused", "survived"]
        return [{
            "mutant": self.text(f"ignore={operator}/{rule}"), "group": "rules" if i % 3 else self.text("faults"),
            "strength": "hard", "operator": operator, "verdict": verdicts[(i * 5 + j) % 12],
            "killing": 12 if verdicts[(i * 5 + j) % 12] == "killed" else 0, "warning": 0,
            "strategies": self.text("violations,boundaries"), "case": self.names[(i * 31 + j) % len(self.names)],
            "reason": self.text("the documents do not say") if verdicts[(i * 5 + j) % 12] == "excused" else "",
            "seconds": 0.4
        } for i, operator in enumerate(self.operators)
                for j, rule in enumerate(["axis-range", "same-dims", "sizes", "strides"])]

    def timing(self):
        operators = []
        histograms = []
        for at, operator in enumerate([""] + self.operators):
            rows = []
            for index, run in enumerate(self.runs):
                mean = 30000 * (1 + at / 4) * (1 + 3 * run["device"]) * (1 + (index % 3) / 10)
                rows.append({
                    "run": index, "cases": 8000, "geomean_ns": mean, "p10": mean * 0.5, "p50": mean * 0.98,
                    "p90": mean * 2.1, "p99": mean * 7.4,
                    "shared": 7000 if index else 0, "ratio": 1 + (index % 3) / 10 if index else None
                })
            operators.append({"operator": operator, "runs": rows})
            for device in range(len(self.devices)):
                edges = [1000 * 2**(i / 2) for i in range(29)]
                centre = 8 + at % 3 + device
                histograms.append({
                    "run": self.runs_of[device][-1], "operator": operator, "edges_ns": edges,
                    "counts": [max(0,
                                   int(9000 * 0.6**abs(i - centre)) - 3) for i in range(28)]
                })
        return {"operators": operators, "histograms": histograms, "common": 5000}

    def texts(self, details):
        rules = {(self.operators[self.where[d["case"]][0]], d["rule"]) for d in details if d["rule"]}
        return {
            "rules": {f"{operator}/{rule}": self.text(f"what {rule} says") for operator, rule in sorted(rules)},
            "pages": {"bed83": self.text("GATHER_ND")},
            "rulings": {"A6": self.text("P and Q may be the full DimensionCount")},
            "cases": [{
                "case": case, "description": self.text("GATHER InputTensor=FLOAT32[2,3] Axis=0"), "fill": "ordinary",
                "indices": "negative",
                "inputs": [{"tensor": "InputTensor", "elements": self.text("1, -2.5, nan, …")}]
            } for case in sorted({d["case"] for d in details})[:2000]]
        }

    def interaction(self):
        return [{
            "operator": operator, "ways": ways, "percent": 100.0 if ways == 2 else 97.31, "combinable": 4000 * ways,
            "covered": 4000 * ways if ways == 2 else 11677, "missed": 0 if ways == 2 else 323, "undecided": 0,
            "impossible": 120, "measured": "2025-02-01T12:00:00.000Z", "version": "0.1.0"
        } for operator in self.operators for ways in (2, 3)]


def nothing():
    return {
        "v": 4, "assay": "0.1.0", "databases": ["results.db"], "issues": "", "statuses": STATUSES, "runs": [],
        "pass_rate_formula": "pass ÷ (cases − skip − unsupported)",
            "failures_formula": "fail + crash + timeout + device lost + harness error + flaky + unexpected", "devices": [], "conformance": [], "changes": [],
        "groups": [], "causes": [], "known": [], "errors": [], "copies": [], "unsupported": [], "matrix": [], "trace": [], "fingerprint": [],
        "fuzz": {"searches": [], "matrix": [], "findings": []}, "mutation": [],
        "timing": {"operators": [], "histograms": [], "common": 0}, "interaction": [], "cases": {
            "parts": [], "operator": [], "level": [], "types": [], "operators": [], "levels": [], "types_names": [],
            "devices": []
        }, "largest_errors": [], "details": [], "details_cut": 0, "texts": {"rules": {}, "rulings": {}, "pages": {}, "cases": []}
    }


def make(count=3000, devices=3, hostile=False, operators=len(OPERATORS), plan=None):
    """With `plan`, the names of cases: ten runs of them on each device."""
    return Maker(count, devices, hostile, operators, plan).make()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cases", type=int, default=3000)
    parser.add_argument("--devices", type=int, default=3)
    parser.add_argument("--hostile", action="store_true")
    parser.add_argument("--empty", action="store_true")
    given = parser.parse_args()
    print(json.dumps(nothing() if given.empty else make(given.cases, given.devices, given.hostile)))
