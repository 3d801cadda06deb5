#!/usr/bin/python3
"""The dashboard in a browser: test_dashboard.py BROWSER EXTENT UPLOT.tgz [AXE.tgz]. Prints TAP; test_dashboard.sh runs it.

EXTENT: `core`, for Firefox the tests of what browsers may do differently; `most`, all but what takes long; `whole`.
What is expected is found from the data, by other means than the page's. Nothing waits for a time.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unicodedata
from urllib.parse import quote

import jsonschema
from selenium.common.exceptions import NoAlertPresentException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

import dashboard_data
from browser import BROWSERS, attempt, done, equal, ok, skip

SECTIONS = [
    "runs", "history", "conformance", "changes", "groups", "failures", "known", "support", "fingerprints", "errors", "trace", "fuzz", "mutants",
    "timing", "copies", "interaction", "cases"
]


def visible(text):
    """As the page writes what cannot be seen."""
    def shown(character):
        code = ord(character)
        if unicodedata.category(character) not in ("Cc", "Cf", "Zl", "Zp", "Cs"):
            return character
        return chr(0x2400 + code) if code < 32 else "\u2421" if code == 127 else f"\\u{{{code:x}}}"

    return "".join(map(shown, text))


# ---- tests; each opens what it needs


def described(*all_data):
    """What is made up is what `assay report` could have written."""
    with open("reports/dashboard/data.schema.json") as file:
        validator = jsonschema.Draft7Validator(json.load(file))
    for data in all_data:
        errors = [f"{list(error.path)}: {error.message[:200]}" for error in validator.iter_errors(data)]
        equal(errors[:5], [], "made-up data is as its schema says")


def sections(browser, path):
    browser.open(path)
    equal(browser.each("main > section", "e.id"), SECTIONS, "every section, in order")
    equal(browser.each("#contents a", "e.hash.slice(1)"), SECTIONS, "  all of them among the contents")
    browser.open_all()
    browser.alone("data of all sections")


def variant(data):
    """Changes of several sections, of which several tests see one each."""
    message = {"device": 1, "count": 4, "operators": {"GATHER": 4}, "types": ["int8"]}
    messages = ["InputTensor is FLOAT16, of 2880 bytes", "InputTensor is INT8, of 7 bytes", "IndicesTensor is INT8, of 7 bytes"]
    rows = [{**message, "message": text} for text in messages]
    rows[1] = {**rows[1], "count": 3, "operators": {"GATHER": 2, "GATHER_ND": 1}, "types": ["float16"]}
    old = with_several_runs(data)
    return {
        **data, "unsupported": rows, "runs": [{**run, "feature_level": ""} for run in data["runs"]],
        "groups": [{**one, "since": 0} if number == old else one for number, one in enumerate(data["groups"])],
        "conformance": [{**one, "whole": False} for one in data["conformance"]],
        "fingerprint": [{**row, "shared": 0, "differ": False} for row in data["fingerprint"]],
        "changes": [{**change, "timing": None} for change in data["changes"]]
    }


def with_several_runs(data):
    """The first group of failures on a device with several runs."""
    return next(i for i, one in enumerate(data["groups"])
                if one["since"] is not None and len(data["devices"][one["device"]]["runs"]) > 1)


def runs(browser, path, data):
    """The head: each device's current run with its counts and pass rate."""
    browser.show(path)
    rows = browser.each("#runs tbody tr", "e.innerText")
    equal(len(rows), len(data["devices"]), "a row a device")
    for row, device in zip(rows, data["devices"]):
        run = data["runs"][device["current"]]
        for text in [
                device["device"], run["driver"], f"run {run['run']}", "0x0", run["plan_hash"],
                *(f"{n:,} {s}" for s, n in run["counts"].items()),
                "100 %" if run["pass_rate"] == 1 else f"{run['pass_rate'] * 100:.2f} %"
        ]:
            if text not in row:
                ok(False, f"  {device['device']}: {text}", row)
                break
        else:
            ok(True, f"  {device['device']}: driver, seed, counts, pass rate")
    ok(data["pass_rate_formula"] in browser.find("#runs").text, "  and how the rate is reckoned")


def broke(browser, path, data):
    """The first screen says what broke, since when, by which revision and why; pictures follow, with their numbers."""
    runs = data["runs"]
    for width in (1400, 390):
        browser.size(width)
        browser.open(path)
        ends = browser.each("#top table tbody tr", "e.getBoundingClientRect().bottom <= innerHeight")
        equal(ends, [True] * len(ends), f"{width} px: what broke is on the first screen")
        equal(browser.each(":root", "e.scrollWidth <= innerWidth"), [True], "  and the page does not scroll sideways")
    browser.size(1280)
    groups = sorted((one for one in data["groups"] if one["kind"] == "failure"),
                    key=lambda one: (-one["newest"], -one["cases"], one["device"]))[:4]
    rows = browser.each("#top table tbody tr", "[...e.cells].map((cell) => cell.textContent)")
    equal(len(rows), len(groups), "a row for each of the newest causes")
    for group, (what, device, since, why) in zip(groups, rows):
        run = runs[group["newest"]]
        ok(
            what.startswith("\u2717 " + f"{group['cases']} failure") and group["title"] in what
            and device == data["devices"][group["device"]]["device"], "  what broke, and where", what, device)
        ok(since.startswith(f"run {run['run']}") and (not run["revision"] or f"revision {run['revision']}" in since),
           "  since when, and by which revision", since)
        ok(group["broken"] in why, "  and why", why)
    said = browser.each(".pictures svg", "[e.getAttribute('role'), e.getAttribute('aria-label')]")
    numbers = [", ".join(f"{runs[run]['failures']:,}" for run in device["runs"]) for device in data["devices"]]
    equal([role for role, _ in said], ["img"] * 4, "pictures")
    ok(all(f"{number} failures" in said[0][1] for number in numbers), "  of the failures by run, in words, too", said[0][1])
    ok("GATHER: 2.5 ×" in said[1][1], "  of the largest errors", said[1][1])
    ok("GATHER: 97.31 % of the triples" in said[2][1], "  of the coverage", said[2][1])
    ok(f"{dashboard_data.names(data)[0]}: 13 % on {data['devices'][0]['device']}" in said[3][1], "  of times against a copy",
       said[3][1])
    links = browser.each(".pictures figcaption a", "!!document.getElementById(e.hash.slice(1))")
    equal(links, [True] * 4, "  each leads to its numbers")
    rows = browser.each("#errors tbody tr", "e.cells[2].textContent")
    ok(len(rows) == min(20, len(data["errors"])) and rows[0] == "! 2.5 ×", "  the largest error is the first of its table", rows)


def listed(browser, path):
    """A finding that an expectation file lists is known, with its reason."""
    browser.show(path)
    summaries = browser.each("#fuzz summary .mark", "[e.textContent, e.parentElement.querySelector('.message')?.textContent]")
    ok(["\u2248 known, crash", "issue 31"] in summaries, "a known finding is said to be known, and why", summaries)
    lead = browser.find(".lead").text
    ok("3 findings (1 known) of 1 search" in lead, "  in the first line, too", lead)


def conformance(browser, path, data):
    """What each device has of each feature level, and up to which it is complete."""
    browser.show(path)
    names = [device["device"] for device in data["devices"]]
    verdicts = ["complete up to feature level 6_4", "complete up to feature level 2_1", "no level is complete"]
    heads = browser.each("#conformance h3", "e.textContent")
    ok(
        len(heads) == len(names) and all(name in head and verdict in head
                                         for name, verdict, head in zip(names, verdicts, heads)),
        "conformance: up to which level a device is complete", heads)
    equal(browser.each("#contents a[href='#conformance'] .quiet", "e.textContent.trim()"), ["1 of 3"],
          "  how many are so at each level")
    notes = browser.each("#conformance > p", "e.textContent.includes('No whole and complete run')")
    equal(notes.count(True), sum(not one["whole"] for one in data["conformance"]), "  what is said of a part is marked")
    rows = browser.each("#conformance tbody tr", "[...e.cells].slice(0, 3).map((cell) => cell.textContent)")
    equal(rows, [[level["level"], str(level["complete"]), ", ".join(level["failing"])]
                 for one in data["conformance"] for level in reversed(one["levels"])], "  a row a level, the highest first")
    closed = browser.find("#conformance tbody details")
    equal(closed.text, "70 operators", "  many names are closed at first")
    closed.find_element("css selector", "summary").click()
    ok(browser.wait("return document.querySelector('#conformance details[open] .opened').textContent === arguments[0]",
                    ", ".join(f"ELEMENT_WISE_{i}" for i in range(70))), "  and open to all of them")


def groups(browser, path, data):
    """What explains the failures and warnings of each device, with all of its cases."""
    browser.show(path)
    counts = {}
    for group in data["groups"]:
        counts[group["device"]] = counts.get(group["device"], 0) + 1
    expected = [f"{data['devices'][i]['device']} {count} cause{'s' * (count != 1)}" for i, count in sorted(counts.items())]
    equal(browser.each("#groups h3", "e.textContent"), expected, "causes: a part for each device")
    summaries = browser.each("#groups summary", "e.textContent")
    ok(
        len(summaries) == len(data["groups"]) and
        all(text in summary for group, summary in zip(data["groups"], summaries)
            for text in [f"{group['cases']} {group['kind']}", group["title"], group["where"]]),
        "  each with number, title and what separates it", summaries)
    browser.find("#groups summary").click()
    browser.wait("return document.querySelector('#groups details[open] li')")
    group = data["groups"][0]
    facts = browser.find("#groups dl").text
    ok(all(text in facts for text in [group["broken"], group["tensors"], group["reproduce"], "2 more failures",
                                      f"{group['cases']} of the {group['such']} such cases"]), "  opens to what is known", facts)
    names = browser.each("#groups details[open] li a.case", "e.textContent")
    equal(names, [dashboard_data.names(data)[item] for item in group["members"]][:20], "  and to its cases")


def by_device(browser, path, data):
    """Failures, known failures and what is not supported: each device has a part of its own."""
    browser.show(path)
    names = [device["device"] for device in data["devices"]]
    for key, part in [("causes", "failures"), ("known", "known")]:
        counts = {}
        for group in data[key]:
            counts[group["device"]] = counts.get(group["device"], 0) + group["count"]
        expected = [f"{names[i]} {count:,} case{'s' * (count != 1)}" for i, count in sorted(counts.items())]
        equal(browser.each(f"#{part} > section h3", "e.textContent"), expected, f"{part}: a part for each device")
    known = data["known"][0]
    summary = browser.find("#known summary").text
    ok(known["reason"] in summary and f"{known['count']} case" in summary, "  with reason and number", summary)
    device = known["device"]
    state = data["devices"][device]["state"]
    verdict = browser.each("#runs tbody tr", "e.cells[1].textContent")[device]
    ok(f"{state['failures']} failures, {state['counts']['known']} known" in verdict, "  its verdict counts them apart", verdict)
    browser.each("#runs tbody a", "e.click()")
    equal(browser.js("return location.hash"), f"#failures-{len(names) - 1}", "  and leads to its failures")
    rows = browser.each("#unsupported tbody tr", "[...e.cells].slice(0, 2).map((cell) => cell.textContent)")
    wanted = sorted(data["unsupported"], key=lambda row: (row["device"], -row["count"]))
    equal(rows, [[row["message"], f"{row['count']:,}"] for row in wanted], "what is not supported is counted by message")


def one_definition(browser, path, data):
    """Failures, pass rate and counts of a device follow from the same numbers, wherever they are."""
    browser.open(path)
    ok(data["failures_formula"] in browser.find("#runs").text, "what a failure is, is said")
    ways = [way.strip().replace(" ", "_") for way in data["failures_formula"].split("+")]
    letters = "".join(letter for letter, way in dashboard_data.LETTERS.items() if way in ways)
    for device, item in enumerate(data["devices"]):
        counts = item["state"]["counts"]
        status = data["cases"]["devices"][device]["status"]
        failures = sum(counts.get(way, 0) for way in ways)
        cells = browser.each("#runs tbody tr", "[...e.cells].map((cell) => cell.innerText)")[device]
        possible = len(status) - counts.get("skip", 0) - counts.get("unsupported", 0)
        browser.choose("#cases [name=device]", str(device))
        browser.choose("#cases [name=status]", "failing")
        listed = shown_count(browser)
        ok(
            cells[1].startswith(f"✗ {failures:,} failure" if failures else "✓ no failures")
            and f"{counts['pass']:,} ÷ {possible:,}" in cells[2] and all(
                f"{n:,} {way}" in cells[3]
                for way, n in counts.items()) and listed == sum(letter in letters for letter in status) == failures,
            f"  {item['device']}: {failures} failures in verdict, counts, rate and list", cells, listed)


def history(browser, path, data, changed):
    """How the cases of a device ended, run by run."""
    browser.open(path)
    several = [device for device in data["devices"] if len(device["runs"]) > 1]
    heads = browser.each("#history summary", "e.textContent")
    ok(
        len(heads) == len(several) and " → ".join(f"{data['runs'][run]['failures']:,}" for run in several[0]["runs"])
        in heads[0], "history: the failures of a device, run by run", heads)
    browser.open_all()
    names = browser.each("#history details:first-of-type thead th", "e.textContent")
    rows = browser.each("#history details:first-of-type tbody tr", "[...e.cells].map((cell) => cell.textContent)")
    runs = [data["runs"][run] for run in reversed(several[0]["runs"])]
    wrong = [
        (name, got) for run, row in zip(runs, rows) for name, got in zip(names[3:-2], row[3:-2])
        if got != f"{run['counts'].get(name.replace(' ', '_'), 0):,}"
    ]
    ok(len(rows) == len(runs) and "pass" in names and not wrong, "  a row a run with each way to end", names, wrong)
    ok("partial: 'gather.*'" in rows[-1][0] and "partial" not in rows[0][0], "  what a partial run was asked for", rows)
    ok("revision 3f2a9c1 (nightly, main)" in rows[0][-1], "  what it was built from", rows[0])
    cause = data["causes"][0]
    since = f"since run {data['runs'][cause['since']]['run']}, revision 3f2a9c1 (nightly, main)"
    ok(since in browser.find("#failures summary").text, "  a failure has the run and revision since which it is there")
    group = with_several_runs(data)
    since = f"since run {data['runs'][data['groups'][group]['since']]['run']}, revision"
    ok(since in browser.each("#groups summary", "e.textContent")[group], "  so has a cause")
    newest = data["groups"][group]["newest"]
    browser.show(changed)
    mixed = browser.each("#groups summary", "e.textContent")[group]
    ok("since run 1" in mixed and f"; newest since run {data['runs'][newest]['run']}" in mixed,
       "  one of old and new failures has both runs", mixed)


def chosen_device(browser, path, data):
    """One choice of a device, in all sections that have a part for each."""
    browser.open(path)
    shown = "e.offsetHeight > 0 ? e.dataset.device : ''"
    for section in ["groups", "failures", "known", "unsupported"]:
        browser.choose(f"#{section} select.of-device", "1")
        equal({one for one in browser.each("[data-device]", shown) if one}, {"1"}, f"{section}: one device can be chosen")
    last = len(data["devices"]) - 1
    equal(browser.each("#known .of-none", "e.offsetHeight > 0"), [True], "  a section without anything of it says so")
    browser.js("location.hash = arguments[0]", f"#failures-{last}")
    ok(browser.wait("return document.getElementById(arguments[0]).offsetHeight > 0", f"failures-{last}"),
       "  a link to another device shows it again")


def covered(browser, changed, data):
    """A state of partial runs says so, and what it covers."""
    browser.show(changed)
    said = browser.each("#runs tbody tr", "e.cells[4].textContent")
    operators = len({one for one, letter in zip(data["cases"]["operator"], data["cases"]["devices"][0]["status"])
                     if letter != "-"})
    equal(["No whole run counts" in text for text in said], [True] * len(said), "a state without a whole run says so")
    ok(f"{operators} operators" in said[0], "  and which operators it covers", said[0])
    state = data["devices"][0]["state"]
    ok(f"Of {state['cases']} verdicts, {state['ran']} are of this run" in said[0], "  and how old its verdicts are", said[0])


def alike(browser, changed, data):
    """Messages that differ in numbers and data types alone are one."""
    messages = [row["message"] for row in data["unsupported"]]
    browser.show(changed)
    browser.open_all()
    cells = browser.each("#unsupported tbody tr", "[...e.cells].map((cell) => cell.innerText)")
    equal([len(cells), cells[0][1], cells[1][1]], [2, "7", "4"], "messages that differ in numbers and types are counted as one")
    ok(all(text in cells[0][0] for text in messages[:2]), "  which opens to all of them", cells)
    equal(cells[0][2:], ["GATHER 6, GATHER_ND 1", "float16, int8"], "  with all operators and types")


def choices(browser, path, changed):
    """Fingerprints: what differs is open, the rest closed; a device alone is compared with nothing."""
    browser.show(path)
    summaries = browser.each("#fingerprints summary", "e.textContent.replace(/\\s+/g, ' ')")
    equal(summaries, ["2 rules ≠ differ", "1 rule = agree", "1 rule chosen by one device alone"],
          "fingerprints: what differs, agrees, and has nothing to differ from")
    equal(browser.each("#fingerprints details", "e.open"), [True, False, False], "  only what differs is open")
    browser.show(changed)
    ok("nothing to compare" in browser.find("#fingerprints").text, "  without a common case there is nothing to compare")
    equal(browser.each("#fingerprints details", "e.open"), [False], "  and nothing is open")


def same_cases(browser, path, data, changed):
    """Times are compared over the same cases."""
    browser.show(path)
    rows = {row["run"]: row for row in data["timing"]["operators"][0]["runs"]}
    cells = browser.each("#timing table:first-of-type tbody tr", "[...e.cells].map((cell) => cell.textContent)")[:len(rows)]
    expected = [[f"{row['shared']:,}", f"{row['ratio']:.2f}×" if row["ratio"] else "no case in common"]
                for _, row in sorted(rows.items(), reverse=True)]
    equal([row[3:5] for row in cells], expected, "times: a run is compared by the cases that it shares with the newest times")
    ok(f"{data['timing']['common']:,} cases that all devices have" in browser.find("#timing").text,
       "  devices by those that all of them have")
    browser.show(changed)
    heads = browser.each("#timing th", "e.textContent")
    ok("compare --time" in browser.find("#timing").text and "Tested against the baseline" not in heads,
       "  what is not tested is no empty column, but a reason", heads)


def parts_alone(browser, data, changed):
    """A database with searches or mutants alone opens on them."""
    bare = dashboard_data.nothing()
    browser.open(browser.page("searches", {**bare, "fuzz": data["fuzz"]}))
    equal(browser.each("main > section", "e.id"), ["fuzz", "absent"], "searches alone come first")
    ok("3 findings (1 known) of 1 search" in browser.find(".lead").text, "  and the head counts them", browser.find(".lead").text)
    browser.alone("searches alone")
    ok("assay, declares no feature level, by the rules of feature level 6_4, assay" in browser.find("#fuzz p").text,
       "  a search says which level its device declares", browser.find("#fuzz p").text)
    declared = {**data["fuzz"], "searches": [{**one, "declared": "6_4"} for one in data["fuzz"]["searches"]]}
    browser.open(browser.page("declared", {**bare, "fuzz": declared}))
    ok("assay, feature level 6_4, assay" in browser.find("#fuzz p").text, "  once if it is the one that decides",
       browser.find("#fuzz p").text)
    browser.open(browser.page("mutants", {**bare, "mutation": data["mutation"]}))
    equal(browser.each("main > section", "e.id"), ["mutants", "absent"], "so do mutants")
    ok(re.match(r"✗ \d+ of \d+ mutants not caught", browser.find(".lead").text), "  and the head counts them")
    browser.show(changed)
    said = browser.each("#runs tbody tr", "e.cells[0].textContent.includes('declares no feature level')")
    equal(said, [True] * len(data["devices"]), "a device without a feature level is shown as such")


def issues(browser, data, bad):
    """Numbers of issues lead to the address that was given, and nowhere else."""
    runs = [{**run, "label": "nightly, issue 7 and #8; see x#9"} for run in data["runs"]]
    address = "https://tracker.example/?a=b&n={}"
    browser.open(browser.page("issues", {**data, "runs": runs, "issues": address}))
    browser.open_all()
    links = "[e.textContent, e.getAttribute('href'), e.rel]"
    seven, eight, twelve = ([text, address.replace("{}", number), "noreferrer"]
                            for text, number in [("issue 7", "7"), ("#8", "8"), ("issue 12", "12")])
    equal(browser.each("#runs tbody tr:first-child td a[rel]", links), [seven, eight], "issues in a label are links")
    equal(browser.each("#history tbody tr:first-child td:last-child a", links)[:2], [seven, eight], "  in the history, too")
    equal(browser.each("#known details a[rel]", links)[0], twelve, "  those in the reason of a known failure")
    equal(len(browser.each("summary a", "1")), 0, "  none in a line that opens something")
    browser.alone("links to issues")
    case = next(detail for detail in data["details"] if detail["reason"])["case"]
    browser.js("location.hash = '#case=' + arguments[0]", dashboard_data.names(data)[case])
    browser.wait("return document.getElementById('panel').open")
    equal(browser.each("#panel a[href*='tracker']", links), [twelve], "  and in the panel of its case")
    runs = [{**run, "label": "issue 7"} for run in bad["runs"]]
    for other in ["javascript:alert({})", "data:text/html,{}", "https://x {}", ""]:
        browser.open(browser.page("issues", {**bad, "runs": runs, "issues": other}))
        browser.open_all()
        equal(browser.each("main a:not([href^='#'])", "e.href"), [], f"  no link to {other or 'nothing'}")


def left_out(browser, data):
    """A failure without details can still be run again."""
    browser.open(browser.page("bare", {**data, "details": [], "details_cut": len(data["details"])}))
    browser.find("#failures summary").click()
    browser.wait("return document.querySelector('#failures li')")
    cause = data["causes"][0]
    line = f"assay repro {dashboard_data.names(data)[cause['cases'][0]]} -d {data['devices'][cause['device']]['device']} --seed 0x0"
    equal(browser.each("#failures li .line", "e.textContent")[0], line, "without details there is a line that runs the case")


def own_texts(browser, path, data):
    """The panel of a case has the text of its rule and what the case gives to a device."""
    texts = data["texts"]["cases"][0]
    detail = next(one for one in data["details"] if one["case"] == texts["case"] and one["rule"])
    browser.open(f"{path}#case={dashboard_data.names(data)[texts['case']]}")
    said = browser.find("#panel").text
    ok(texts["description"] in said and "ordinary, indices negative" in said, "the panel of a case has its inputs", said)
    ok("InputTensor\n1, -2.5, nan, …" in said, "  their first elements", said)
    ok(f"what {detail['rule']} says" in said, "  and the text of its rule", said)
    sentence = next(page for page in detail["pages"].split(", ") if page.startswith("bed83-"))
    page = ["https://learn.microsoft.com/windows/win32/api/directml/ns-directml-dml_gather_nd_operator_desc",
            f"{sentence} of GATHER_ND"]
    ok(page in browser.each("#panel a", "[e.getAttribute('href'), e.textContent]"), "  whose sentences lead to their page")


def narrow(browser, name, path):
    browser.size(375)
    browser.open(path)
    browser.open_all()
    wide = browser.each("main .box:not(.tall)", "e.scrollWidth > e.clientWidth + 1 && e.textContent")
    equal([text for text in wide if text], [], "375 px: no table needs scrolling")
    browser.js("document.querySelector('#failures a.case').click()")
    browser.wait("return document.getElementById('panel').open")
    equal(browser.each("#panel", "e.getBoundingClientRect().left >= 0"), [True], "  a case's panel is not cut")
    browser.driver.back()
    before = "[e.dataset.head, getComputedStyle(e, '::before').content]"
    # Chromium says what the text is, Firefox how it is made.
    content = {"chromium": '"Verdict: "', "firefox": 'attr(data-head) ": "'}[name]
    equal(browser.each("#runs tbody tr:first-child td", before)[0], ["Verdict", content], "  each cell says what it is")
    browser.size(1280)


def follow(browser, path, data):
    """From a cause to a case, its reproduce line, and back."""
    browser.open(path)
    cause = data["causes"][0]
    summary = browser.find("#failures summary")
    ok(all(text in summary.text for text in [cause["cause"], cause["operator"], f"{cause['count']} case"]),
       "the commonest cause comes first", summary.text)
    summary.click()
    browser.wait("return document.querySelector('#failures details[open] li')")
    item = cause["cases"][0]
    detail = next(d for d in data["details"] if d["case"] == item and d["device"] == cause["device"])
    first = browser.find("#failures details[open] li").text
    ok(all(text in first for text in [detail["reproduce"], detail["message"]]),
       "  it opens to its cases, each with its reproduce line", first)
    wrong = next(d for d in data["details"] if d["wrong_count"])
    browser.js("location.hash = '#case=' + arguments[0]", dashboard_data.names(data)[wrong["case"]])
    browser.wait("return document.getElementById('panel').open")
    panel = browser.find("#panel").text
    element = "{wrong_tensor} {wrong_coordinates}: got {wrong_got}, expected {wrong_expected}".format(**wrong)
    ok(element in panel, "  the first wrong element: tensor, coordinates, got, expected", panel)
    ok("It depends on\n" + wrong["wrong_inputs"] in panel, "  and the elements of inputs that it depends on", panel)
    browser.driver.back()
    browser.wait("return !document.getElementById('panel').open")

    link = browser.find("#failures details[open] a.case")
    link.click()
    ok(browser.wait("return document.getElementById('panel').open"), "a case opens")
    equal(browser.js("return location.hash"), f"#case={dashboard_data.names(data)[item]}", "  at an address of its own")
    equal(browser.js("return document.activeElement.textContent"), dashboard_data.names(data)[item],
          "  the focus is on its name")
    ok(detail["reproduce"] in browser.find("#panel").text, "  with its reproduce line")
    histories = browser.each("#panel section",
                             "[e.querySelector('h3').textContent, e.querySelectorAll('.history li').length]")
    own = [length for title, length in histories if title.startswith(data["devices"][0]["device"])]
    equal(own, [len(data["devices"][0]["runs"])], "  and its history on a device")
    browser.driver.back()
    ok(browser.wait("return !document.getElementById('panel').open"), "the way back closes it")
    equal(browser.js("return document.activeElement === arguments[0]", link), True,
          "  and leads to where it was opened")
    link.click()
    browser.wait("return document.getElementById('panel').open")
    browser.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    ok(browser.wait("return !document.getElementById('panel').open && location.hash === ''"), "so does Escape")
    browser.open(path, f"#case={dashboard_data.names(data)[item]}")
    ok(browser.wait("return document.getElementById('panel').open"), "its address opens it")
    browser.find("#panel .close").click()
    ok(browser.wait("return !document.getElementById('panel').open"), "  and Close closes it")
    browser.open(path, "#case=%E0%A4%A")
    ok("no case of that name" in browser.find("#panel").text, "an address of no case says so")


def copied(browser, path, data):
    browser.open(path, f"#case={dashboard_data.names(data)[data['causes'][0]['cases'][0]]}")
    browser.find("#panel dl .command button").click()
    ok(browser.wait_text("#panel dl .said", "copied"), "Copy says that it did")
    line = browser.each("#panel dl .command code", "e.textContent")[0]
    equal(browser.clipboard(), line, "  the line")


def shown_count(browser):
    return int(browser.find("#cases .count").text.split()[0].replace(",", ""))


def rows_in_view(browser):
    return browser.each("#cases tbody th", "e.textContent")


def expected_cases(data, words="", operator=None, device=None, letters=None):
    cases = data["cases"]
    return [
        name for i, name in enumerate(dashboard_data.names(data))
        if all(word in name
               for word in words.split()) and (operator is None or cases["operators"][cases["operator"][i]] == operator)
        and (letters is None or any(d["status"][i] in letters
                                    for j, d in enumerate(cases["devices"]) if device in (None, j)))
    ]


def filters(browser, path, data, title):
    browser.open(path)
    nodes = browser.js("return document.getElementsByTagName('*').length")
    names = dashboard_data.names(data)
    equal(shown_count(browser), len(names), f"{title}: all cases at first")
    search = browser.find("#cases input")
    search.send_keys("fl3_0 gather k1")
    expected = expected_cases(data, "fl3_0 gather k1")
    equal(shown_count(browser), len(expected), "  words: all of them must be in the name")
    equal(rows_in_view(browser)[:5], expected[:5], "  the rows are those cases")
    browser.choose("#cases [name=status]", "failing")
    equal(shown_count(browser), len(expected_cases(data, "fl3_0 gather k1", letters="fctlhyx")),
          "  words and a status, on any device")
    browser.choose("#cases [name=device]", "1")
    equal(shown_count(browser), len(expected_cases(data, "fl3_0 gather k1", device=1, letters="fctlhyx")),
          "  and on one device")
    address = browser.js("return location.href")
    browser.find("#cases [type=reset]").click()
    browser.wait_text("#cases .count", f"{len(names):,} of")
    browser.choose("#cases [name=operator]", "GATHER_ND")
    browser.choose("#cases [name=status]", "crash")
    equal(shown_count(browser), len(expected_cases(data, operator="GATHER_ND", letters="c")), "  operator and status")
    browser.open(path, "#" + address.split("#")[1])
    equal(shown_count(browser), len(expected_cases(data, "fl3_0 gather k1", device=1, letters="fctlhyx")),
          "  a filter has an address")
    browser.find("#cases [type=reset]").click()
    browser.wait_text("#cases .count", f"{len(names):,} of")
    browser.js("const b = document.querySelector('#cases .box'); b.scrollTop = b.scrollHeight")
    ok(browser.wait_text("#cases tbody tr:last-child th", names[-1]), "  the last case is at the end")
    box, row = (browser.each(selector, "e.getBoundingClientRect().toJSON()")[0]
                for selector in ["#cases .box", "#cases tbody tr:last-child"])
    ok(row["top"] >= box["top"] and row["bottom"] <= box["bottom"] + 1, "  in view", box, row)
    rows = browser.js("return document.querySelectorAll('#cases tbody tr').length")
    ok(rows < 100, "  rows in view alone exist", rows)
    more = browser.js("return document.getElementsByTagName('*').length") - nodes
    ok(more < 1000, "  and elements do not become more", more)
    said = browser.each("#cases table", "e.ariaRowCount") + browser.each("#cases tbody tr:last-child", "e.ariaRowIndex")
    equal(said, [str(len(names) + 1)] * 2, "  rows say which of how many they are")


def keyboard(browser, path):
    browser.open(path)
    body = browser.find("body")
    body.send_keys(Keys.TAB)
    equal(browser.each(":focus", "[e.className, e.getBoundingClientRect().left >= 0]"), [["skip", True]],
          "Tab shows the way past the contents")
    browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
    equal(browser.js("return document.activeElement.id"), "main", "  which leads to the results")
    browser.js("document.querySelector('#cases .box').focus()")
    first = rows_in_view(browser)[0]
    browser.driver.switch_to.active_element.send_keys(Keys.END)
    ok(browser.wait("return document.querySelector('#cases tbody th').textContent !== arguments[0]", first),
       "the list of cases scrolls by keys")
    browser.js("document.querySelector('#cases .box').scrollTop = 0")
    browser.wait("return document.querySelector('#cases tbody th').textContent === arguments[0]", first)
    browser.js("document.querySelector('#cases tbody a').focus()")
    ActionChains(browser.driver).send_keys(Keys.TAB * 60).perform()  # past what is in view
    equal(browser.each("tr:focus-within", "e.ariaRowIndex"), ["62"],
          "Tab goes from case to case, into what was not in view")
    summary = browser.find("#support summary")
    summary.send_keys(Keys.ENTER)
    ok(browser.wait("return document.querySelector('#support details[open] table')"), "Enter opens what is closed")
    equal(
        browser.each(".box", "e.scrollWidth <= e.clientWidth + 1 || e.tabIndex === 0").count(False), 0,
        "what scrolls can be reached")


def matrix(browser, path, data):
    browser.open(path)
    rows = [row["counts"] for row in data["matrix"] if row["operator"] == "GATHER_ND" and row["device"] == 1]
    expected = sum(sum(counts.values()) for counts in rows)
    cells = browser.each("#support tbody tr", "[e.cells[0].textContent, e.cells[2].querySelector('a')]")
    cell = next(link for operator, link in cells if operator == "GATHER_ND")
    equal(sum(int(n.replace(",", "")) for n in re.findall(r"[\d,]+", cell.text)), expected,
          "a cell of the matrix counts its cases")
    cell.click()
    ok(browser.wait_text("#cases .count", f"{expected:,} of"), "  and leads to them")
    equal(browser.each(".mark", "/\\w/.test(e.textContent)").count(False), 0, "no mark without a word")


def charts(browser, path, uplot):
    browser.open(path)
    equal(browser.each("#timing canvas", "1"), [], "charts out of view are not drawn yet")
    if not os.path.getsize(uplot):
        skip("charts", "uPlot could not be fetched")
        return

    def drawn(number):
        return browser.wait(
            "const chart = document.querySelectorAll('#timing .chart')[arguments[0]]; chart.scrollIntoView();"
            "const pixels = (c) => c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
            "const canvas = chart.querySelector('canvas'); return !!canvas && pixels(canvas).some(Boolean)", number)

    ok(drawn(0) and drawn(1), "two charts are drawn in view")
    equal(browser.each("#timing .chart", "[e.role, e.ariaLabel !== '']"), [["img", True]] * 2,
          "  each is said to be a picture of what")
    light = browser.js("return document.querySelector('#timing canvas').toDataURL()")
    browser.size(1280, dark=True)
    ok(browser.wait("return document.querySelector('#timing canvas').toDataURL() !== arguments[0]", light),
       "  they follow the colour scheme")
    browser.size(1280)
    browser.choose("#timing select", "GATHER")
    text = browser.find("#timing table").text
    ok("slower 1.39×" in text, "an operator that became slower is marked", text)
    ok(drawn(0) and drawn(1), "  its charts are drawn")


def printed(browser, path):
    browser.open(path)
    before = browser.each("main details", "e.open")
    browser.js("dispatchEvent(new Event('beforeprint'))")
    browser.size(1280, dark=True, media="print")
    equal(browser.each("main details", "e.open").count(False), 0, "printing opens what is closed")
    equal(browser.each("#contents, #cases form, #cases .box", "e.offsetHeight"), [0, 0, 0],
          "  and drops contents and search")
    equal(browser.each("body", "getComputedStyle(e).backgroundColor"), ["rgb(255, 255, 255)"],
          "  on white, whatever the scheme")
    browser.size(1280)
    browser.js("dispatchEvent(new Event('afterprint'))")
    after = browser.each("main details", "e.open").count(True)
    equal(after, before.count(True), "  and closes it after")


def accessible(browser, path, data, axe, looks):
    """Each of `looks` is a width and whether the colours are dark."""
    source = subprocess.run(["tar", "-xOzf", axe, "package/axe.min.js"], stdout=subprocess.PIPE,
                            check=True).stdout.decode()
    for width, dark in looks:
        name = f"{width} px, {'dark' if dark else 'light'}"
        browser.size(width, dark)
        browser.open(path)
        browser.open_all()
        equal(browser.each("main > section", "e.id"), SECTIONS, f"{name}: every section is there")
        look = "return [innerWidth, matchMedia('(prefers-color-scheme: dark)').matches]"
        equal(browser.js(look), [width, dark], "  it looks so")
        browser.js(source)  # as the browser's tools do it: the page's policy is not asked, and stays
        equal(browser.each(":root", "e.scrollWidth <= innerWidth"), [True],
              f"{name}: the page does not scroll sideways")
        findings(browser, f"{name}: axe-core finds nothing")
        browser.js("location.hash = '#case=' + arguments[0]", dashboard_data.names(data)[data["causes"][0]["cases"][0]])
        browser.wait("return document.getElementById('panel').open")
        findings(browser, "  nor in a case", "#panel")
    browser.size(1280)


def findings(browser, name, where="html"):
    """What axe-core holds against an element; it must have had something to look at."""
    found = browser.driver.execute_async_script(
        "axe.run(arguments[0], { resultTypes: ['violations'] }).then(arguments[1])", where)
    bad = [
        f"{rule['id']}: {rule['help']}: {len(rule['nodes'])}, as {rule['nodes'][0]['html'][:200]}"
        for rule in found["violations"]
    ]
    ok(len(found["passes"]) > 5 and not bad, name, *bad)


def hostile(browser, path, data):
    browser.open(path)
    browser.open_all()
    try:
        said = browser.driver.switch_to.alert.text
    except NoAlertPresentException:
        said = None
    equal(said, None, "hostile names and messages: no dialog")
    equal([
        len(browser.each("script", "1")),
        browser.each("img, iframe, object, embed, base, link, form[action]", "e.tagName"),
        browser.each("main a:not([href^='#'])", "e.href")
    ], [2, [], []], "  no element arises from them")
    equal(
        browser.each("*", "e.getAttributeNames().some((name) => name.startsWith('on'))").count(True), 0, "  no handler")
    text = "".join(browser.each("#top, #contents, #main", "e.textContent"))
    found = re.findall(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]", text)
    equal(found, [], "  nothing that cannot be seen is written as it is")
    title = browser.js("return document.title")
    equal(title, f"assay report: {visible(data['databases'][0])}", "  the title is text")
    missing = [name for name in dashboard_data.HOSTILE if visible(name) not in text]
    equal(missing, [], "  each of them is there as text")
    wrong = []
    for name in dashboard_data.HOSTILE:
        if name == "\ud800":
            continue  # half a character has no address
        browser.js("location.hash = '#case=' + arguments[0]", quote(name, safe=""))
        if not browser.wait_text("#panel-title", visible(name)):
            wrong.append(name)
    equal(wrong, [], "  each opens by its address")
    browser.alone("hostile data")


def policy(browser, path):
    """What the page is made of may run, nothing else."""
    with open(path) as file:
        text = file.read()
    for name, where, extra in [("a script", "</body>", "<script>document.title = 'run'</script>"),
                               ("a handler", "</body>", "<img src='data:,' onerror='document.title = 1'>"),
                               ("a style", "</head>", "<style>body { display: none }</style>")]:
        changed = f"{browser.folder}/changed.html"
        with open(changed, "w") as file:
            file.write(text.replace(where, extra + where))
        browser.open(changed)
        said = any(re.search("Content.Security.Policy", message) for message in browser.messages())
        equal(
            browser.each("body", "[document.title.slice(0, 5), e.offsetHeight > 0]") + [said], [["assay", True], True],
            f"{name} put into the page is refused")


def bare(browser, path, data):
    browser.open(path)
    names = browser.each("main > section > h2", "e.textContent")
    empty = browser.page("empty", dashboard_data.nothing())
    browser.open(empty)
    equal(browser.each("main > section", "e.id"), ["absent"], "without data there is only what is absent")
    rows = browser.each("#absent tbody tr", "[...e.cells].map((cell) => cell.textContent.trim())")
    equal([name for name, _ in rows], names, "  which every section is")
    equal([name for name, reason in rows if not reason], [], "  with a reason")
    browser.alone("no data")
    nothing = f"{browser.folder}/nothing.tgz"
    open(nothing, "w").close()
    browser.open(browser.page("chartless", data, nothing))
    equal([len(browser.each(f"#timing {part}", "1")) > 0 for part in ["canvas", ".empty", "table"]],
          [False, True, True], "without uPlot there are the tables, and a line that says why")
    browser.alone("no uPlot")


def whole_plan(browser):
    """Ten runs of all cases on four devices make a small file. The time to open it is printed, and not judged."""
    plan = subprocess.run(["build/assay", "list"], stdout=subprocess.PIPE, check=True).stdout.decode().split()
    path = browser.page("plan", dashboard_data.make(devices=4, plan=plan), level=9)
    size = os.path.getsize(path)
    ok(len(plan) > 200000 and size < 3e6, f"10 runs of {len(plan):,} cases on 4 devices are less than 3 MB", size)
    took = []
    for _ in range(5):
        browser.open(path)
        took.append(browser.js("return performance.now()"))
    print(f"# {size:,} bytes, open after {sorted(took)[2]:.0f} ms (median of 5: {min(took):.0f} to {max(took):.0f})", flush=True)
    equal(browser.find("#contents a[href='#cases'] .quiet").text, f"{len(plan):,}", "  all cases are there")
    browser.alone("all cases")


def quietly(command):
    return subprocess.run(command, shell=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          check=False).returncode


def real(browser):
    """What `assay report` makes of runs, from a failure to running its line."""
    assay = os.environ.get("ASSAY", "build/assay")
    database, path = f"{browser.folder}/real.db", f"{browser.folder}/real.html"
    cases = "gather_nd.examples 'gather.violations.*'"
    for _ in range(2):
        quietly(f"{assay} run {cases} -d reference -d mutants:fault=flip-bit --db {database}")
    mutant = "mutants:ignore=GATHER/axis-range"
    quietly(f"{assay} fuzz -o GATHER -d {mutant} --count 20000 --db {database}")
    equal(quietly(f"{assay} report {database} --html {path}"), 0, "assay report makes a page of runs")
    browser.open(path)
    browser.open_all()
    browser.alone("its page")
    question = "select count(*) from failures where run_id in (select run_id from current_runs)"
    expected = int(subprocess.run(["sqlite3", database, question], stdout=subprocess.PIPE, check=True).stdout)
    ok(expected > 0, "  something failed")
    equal(
        browser.find("#contents a[href='#failures'] .quiet").text, f"{expected:,}",
        "  as many failures as the database has")
    browser.choose("#cases [name=status]", "failing")
    equal(shown_count(browser), expected, "  and as many among the cases")
    browser.js("document.querySelector('#failures details li a').click()")
    browser.wait("return document.getElementById('panel').open")
    line = browser.each("#panel dl .command code", "e.textContent")[0]
    equal(quietly(line), 1, f"  the line that shows one again does: {line}")
    lines = [line for line in browser.each("#fuzz .command code", "e.textContent") if line.startswith("assay fuzz")]
    equal([quietly(assay + line[len("assay"):]) for line in lines], [1], f"  that of a finding, too: {' '.join(lines)}")


LOOKS = [(1400, False), (390, True), (1400, True), (390, False)]


def main(name, extent, uplot, axe=""):
    data = dashboard_data.make(600, 3)
    small = dashboard_data.make(50, 2, operators=3)  # of every section something
    bad = dashboard_data.make(120, 3, hostile=True)
    changed = variant(data)
    described(data, small, bad, changed, dashboard_data.nothing())
    with tempfile.TemporaryDirectory() as folder:
        browser = BROWSERS[name](folder, uplot)
        try:
            path, changed_path = browser.page("page", data), browser.page("changed", changed)
            attempt(sections, browser, path)
            attempt(runs, browser, path, data)
            attempt(broke, browser, path, data)
            attempt(listed, browser, path)
            if extent != "core":
                attempt(conformance, browser, path, data)
                attempt(groups, browser, path, data)
                attempt(by_device, browser, path, data)
                attempt(choices, browser, path, changed_path)
                attempt(same_cases, browser, path, data, changed_path)
                attempt(covered, browser, changed_path, changed)
                attempt(history, browser, path, data, changed_path)
                attempt(parts_alone, browser, data, changed_path)
                attempt(alike, browser, changed_path, changed)
                attempt(one_definition, browser, path, data)
                attempt(chosen_device, browser, path, data)
                attempt(issues, browser, data, dashboard_data.make(40, 2, hostile=True, operators=3))
                attempt(left_out, browser, data)
                attempt(own_texts, browser, path, data)
                attempt(matrix, browser, path, data)
                attempt(bare, browser, path, data)
                attempt(real, browser)
            attempt(narrow, browser, name, path)
            attempt(follow, browser, path, data)
            attempt(copied, browser, path, data)
            attempt(filters, browser, path, data, "600 cases")
            attempt(keyboard, browser, path)
            attempt(charts, browser, path, uplot)
            attempt(printed, browser, path)
            attempt(policy, browser, path)
            if axe:
                looks = {"core": LOOKS[2:3], "most": LOOKS[:2], "whole": LOOKS}[extent]
                attempt(accessible, browser, browser.page("small", small), small, axe, looks)
            else:
                skip("axe-core", "npm could not fetch it")
            attempt(hostile, browser, browser.page("hostile", bad), bad)
            if extent == "whole":
                attempt(whole_plan, browser)
                big = dashboard_data.make(100000, 10)
                attempt(filters, browser, browser.page("big", big), big, "100,000 cases on 10 devices")
                attempt(browser.alone, "100,000 cases")
        finally:
            browser.driver.quit()
    return done()


sys.exit(main(*sys.argv[1:]))
