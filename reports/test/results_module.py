"""TAP: assay_results.py reads what `assay report --json` says of the same database: results_module.py DB JSON SCRATCH"""
import collections
import json
import os
import shutil
import sqlite3
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, "reports")
import assay_results  # noqa: E402

count = failed = 0


def same(got, expected, name):
    global count, failed
    count += 1
    failed += got != expected
    print("%sok %d - %s" % ("not " if got != expected else "", count, name))
    if got != expected:
        print("# got:      %.300r\n# expected: %.300r" % (got, expected))


def refused(expected, name, call):
    try:
        call()
    except assay_results.Error as error:
        same(expected in str(error) and "\n" not in str(error), True, "%s: %s" % (name, error))
    else:
        same("no error", expected, name)


def ending(result):
    """How a case ends, as the report counts it: each case once."""
    if result.known or not result.failed:
        return "known" if result.known else result.status
    if result.flaky:
        return "flaky"
    return result.status if result.status in ("fail", "crash", "timeout", "device_lost", "harness_error") else "unexpected"


def compare(path, report):
    with assay_results.open(path) as db:
        runs = list(db.runs())
        same([(run.run_id, run.state, run.started, run.device_name, run.seed, run.partial) for run in runs],
             [(run["run"], run["state"], run["started"], run["name"], run["seed"], run["partial"]) for run in report["runs"]],
             "runs are those of the report")
        same(db.devices(), [device["device"] for device in report["devices"]], "devices, too")
        for number, device in enumerate(report["devices"]):
            results = list(db.current(device["device"]))
            state = device["state"]
            same(len(results), state["cases"], "%s: cases" % device["device"])
            same(dict(collections.Counter(ending(result) for result in results)), state["counts"], "  by how they end")
            same(sum(result.failed for result in results), state["failures"], "  failures")
            same(sum(result.known for result in results), state["counts"].get("known", 0), "  known failures")
            same(sum(result.host_ns for result in results), state["host_ns"], "  time")
            levels = collections.defaultdict(lambda: collections.defaultdict(list))
            for row in db.conformance(device["device"]):
                levels[row.feature_level][row.state].append(row.operator)
            declared = max((run for run in runs if run.device == device["device"]), key=lambda run: run.run_id).feature_level
            same([(level, len(states["complete"]), states["failing"]) for level, states in sorted(levels.items())
                  if level <= declared],
                 [(level["level"], level["complete"], level["failing"])
                  for level in next(one for one in report["conformance"] if one["device"] == number)["levels"]],
                 "  conformance of each level")
        details = {(detail["device"], detail["message"]) for detail in report["details"] if detail["message"]}
        names = [device["device"] for device in report["devices"]]
        same({(names.index(device), result.message) for device in names for result in db.current(device)
              if result.message and result.status != "skip"}, details, "messages")
        for run in runs:
            results = list(db.results(run.run_id))
            same(len(results), run.planned, "run %d: a result of each case" % run.run_id)
            same([result for result in results if result.failed], list(db.failures(run.run_id)), "  its failures")
        same(type(runs[0].partial), bool, "flags are booleans")
        refused("no run 99", "a run that is not there", lambda: db.results(99))
        refused("no run of the device 'nobody'", "a device that is not there", lambda: db.current("nobody"))
        same(type(db.run(1)).__name__, "Run", "one run")


def change(path, sql):
    connection = sqlite3.connect(path)
    connection.executescript(sql)
    connection.close()


def wrong(path, scratch):
    """What is no results database, or one of another version."""
    def copy(name):
        to = os.path.join(scratch, name)
        shutil.copy(path, to)
        return to
    before = open(path, "rb").read()
    refused("no such file", "no file", lambda: assay_results.open(os.path.join(scratch, "none.db")))
    with open(os.path.join(scratch, "text.db"), "w") as file:
        file.write("this is no database, but a text that is long enough to be read as one\n" * 20)
    refused("not a results database", "a text", lambda: assay_results.open(file.name))
    refused("not a plain file", "a folder", lambda: assay_results.open(scratch))
    open(os.path.join(scratch, "empty.db"), "w").close()
    refused("not a results database", "an empty file", lambda: assay_results.open(os.path.join(scratch, "empty.db")))
    other = copy("other.db")
    change(other, "PRAGMA application_id = 1")
    refused("not a results database", "another program's database", lambda: assay_results.open(other))
    newer = copy("newer.db")
    change(newer, "PRAGMA user_version = %d" % (assay_results.SCHEMA_VERSION + 1))
    refused("schema version %d; this module reads version %d" % (assay_results.SCHEMA_VERSION + 1, assay_results.SCHEMA_VERSION),
            "another version", lambda: assay_results.open(newer))
    lacks = copy("lacks.db")
    change(lacks, "DROP VIEW results")
    refused("its schema is not assay's", "a view is missing", lambda: assay_results.open(lacks))
    cut = copy("cut.db")
    with open(cut, "r+b") as file:
        file.truncate(os.path.getsize(cut) // 2)
    refused(cut, "a file that was cut", lambda: [list(db.results(run.run_id)) for db in [assay_results.open(cut)]
                                                 for run in db.runs()])
    odd = copy("odd ?#%41.db")
    with assay_results.open(odd) as db:
        same(len(list(db.runs())) > 0, True, "a name with characters that mean something in an address")
        refused("readonly", "nothing can be written", lambda: db._query("DELETE FROM run"))
    same(open(path, "rb").read(), before, "and nothing is written")


with open(sys.argv[2]) as file:
    compare(sys.argv[1], json.load(file))
wrong(sys.argv[1], sys.argv[3])
print("1..%d" % count)
sys.exit(failed > 0)
