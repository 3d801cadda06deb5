#!/usr/bin/python3
"""Prints what became of the vectors of a suite: tools/vectors/table.py DATABASE REFUSED.tsv

DATABASE has a run of the cases that a converter made, with --keep-going; REFUSED.tsv lists the vectors of which it made
none. Names of cases are SUITE.OPERATOR.TEST. A row for each operator of the suite: its vectors, the cases that ran, by
status, and those that became no case or whose description breaks a rule. Then the reasons, most frequent first, and the
cases that did not pass. Exits with 1 if a case failed or contradicts the reference device."""
import collections
import re
import sqlite3
import sys

COLUMNS = ["vectors", "pass", "warn", "fail", "contradicts", "illegal", "other", "unconverted"]


def column(status, cause, message):
    if status == "harness_error" and cause == "case file":
        return "contradicts" if message.startswith("the file contradicts") else "illegal"
    return status if status in COLUMNS else "other"


def main(arguments):
    if len(arguments) != 2:
        print(__doc__.split("\n\n", maxsplit=1)[0], file=sys.stderr)
        return 2
    counts = collections.defaultdict(collections.Counter)
    reasons, contradictions = collections.Counter(), []
    rows = sqlite3.connect(arguments[0]).execute("SELECT case_name, status, cause, message FROM results")
    for name, status, cause, message in rows:
        operator, end = name.split(".")[1], column(status, cause, message)
        counts[operator].update([end, "vectors"])
        if end == "illegal":
            reasons[re.sub(r"^.*?cases\[\d+\][^:]*: ", "", message)] += 1
        elif end != "pass":
            contradictions.append("%s: %s: %s" % (name, status, message))
    with open(arguments[1], encoding="utf-8") as file:
        for line in file:
            operator, _, why = line.rstrip("\n").split("\t")
            counts[operator].update(["unconverted", "vectors"])
            reasons[why] += 1
    total = collections.Counter()
    print("%-28s" % "operator" + "".join("%13s" % title for title in COLUMNS))
    for operator in sorted(counts) + ["all"]:
        row = total if operator == "all" else counts[operator]
        print("%-28s" % operator + "".join("%13s" % (row[title] or ".") for title in COLUMNS))
        total.update(row if row is not total else {})
    print("\nwhy vectors did not run:")
    for why, count in reasons.most_common():
        print("%6d  %s" % (count, why))
    print("\ncases that did not pass:" + ("" if contradictions else " none"))
    for text in contradictions:
        print("  " + text)
    return 1 if total["fail"] or total["contradicts"] or total["other"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
