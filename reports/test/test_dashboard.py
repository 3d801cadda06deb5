#!/usr/bin/python3
"""The dashboard in a browser: test_dashboard.py UPLOT.tgz [AXE.tgz]. Prints TAP; test_dashboard.sh runs it.

What is expected is found from the data, by other means than the page's. Nothing waits for a time: a wait ends when what it
waits for is there, and 20 seconds only bound it.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unicodedata
from urllib.parse import quote

from selenium import webdriver
from selenium.common.exceptions import NoAlertPresentException, TimeoutException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

import dashboard_data

SECTIONS = ["runs", "changes", "failures", "support", "fingerprints", "trace", "fuzz", "mutants", "timing", "interaction", "cases"]
count = 0
failed = 0


def ok(good, name, *notes):
    global count, failed
    count += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {count} - {name}", flush=True)
    if not good:
        for note in notes:
            print("# " + str(note).replace("\n", "\n# "))


def equal(got, expected, name):
    ok(got == expected, name, f"got:      {got!r}", f"expected: {expected!r}")


def skip(name, reason):
    global count
    count += 1
    print(f"ok {count} - {name} # SKIP {reason}")


def visible(text):
    """As the page writes what cannot be seen."""
    def shown(character):
        code = ord(character)
        if unicodedata.category(character) not in ("Cc", "Cf", "Zl", "Zp", "Cs"):
            return character
        return chr(0x2400 + code) if code < 32 else "\u2421" if code == 127 else f"\\u{{{code:x}}}"
    return "".join(map(shown, text))


# ---- pages and the browser

class Browser:
    def __init__(self, folder, uplot):
        self.folder = folder
        self.uplot = uplot
        options = webdriver.ChromeOptions()
        for argument in ["--headless=new", "--disable-gpu", "--disable-smooth-scrolling", "--disable-dev-shm-usage", f"--user-data-dir={folder}/profile"]:
            options.add_argument(argument)
        if os.geteuid() == 0:
            options.add_argument("--no-sandbox")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.size(1280)

    def page(self, name, data, uplot=None):
        """Makes FOLDER/NAME.html of data."""
        with open(f"{self.folder}/{name}.json", "w") as file:
            json.dump(data, file)
        path = f"{self.folder}/{name}.html"
        with open(path, "w") as file:
            subprocess.run(["tools/dashboard", uplot or self.uplot, f"{self.folder}/{name}.json"], stdout=file, check=True)
        return path

    def open(self, path, fragment=""):
        self.driver.get("about:blank")  # or a fragment alone would load nothing
        self.messages()
        self.requests()
        self.driver.get(f"file://{path}{fragment}")

    def size(self, width, dark=False, media=""):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "media": media, "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def wait(self, script, *arguments):
        try:
            return WebDriverWait(self.driver, 20, 0.02).until(lambda driver: driver.execute_script(script, *arguments))
        except TimeoutException:
            return False

    def messages(self):
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self):
        """Addresses asked for since the page was opened, or the last call."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]

    def alone(self, name):
        """Nothing was complained of, nothing asked for but the file itself."""
        equal(self.messages(), [], f"{name}: no message")
        equal([url for url in self.requests() if url.split("#")[0] != self.js("return location.href.split('#')[0]")], [], "  no request leaves the file")

    def open_all(self):
        self.js("for (let c; (c = document.querySelectorAll('main details:not([open])')).length;) for (const one of c) { one.fill(); one.open = true; }")


# ---- tests; each opens what it needs

def sections(browser, path):
    browser.open(path)
    equal(browser.js("return [...document.querySelectorAll('main > section')].map(s => s.id)"), SECTIONS, "every section, in order")
    equal(browser.js("return [...document.querySelectorAll('#contents a')].map(a => a.hash.slice(1))"), SECTIONS, "  all of them among the contents")
    browser.open_all()
    browser.alone("data of all sections")


def runs(browser, data):
    """The head: each device's current run with its counts and pass rate."""
    rows = browser.js("return [...document.querySelectorAll('#runs tbody tr')].map(r => r.innerText)")
    equal(len(rows), len(data["devices"]), "a row a device")
    for row, device in zip(rows, data["devices"]):
        run = data["runs"][device["current"]]
        for text in [device["device"], run["driver"], f"run {run['run']}", run["seed"], run["plan_hash"], *(f"{n:,} {s}" for s, n in run["counts"].items()),
                     "100 %" if run["pass_rate"] == 1 else f"{run['pass_rate'] * 100:.2f} %"]:
            if text not in row:
                ok(False, f"  {device['device']}: {text}", row)
                break
        else:
            ok(True, f"  {device['device']}: driver, seed, counts, pass rate")
    ok(data["pass_rate_formula"] in browser.find("#runs").text, "  and how the rate is reckoned")


def follow(browser, path, data):
    """From a cause to a case, its reproduce line, and back."""
    browser.open(path)
    cause = data["causes"][0]
    summary = browser.find("#failures summary")
    ok(all(text in summary.text for text in [cause["cause"], cause["operator"], f"{cause['count']} case"]), "the commonest cause comes first", summary.text)
    summary.click()
    browser.wait("return document.querySelector('#failures details[open] li')")
    item = cause["cases"][0]
    detail = next(d for d in data["details"] if d["case"] == item and d["device"] == cause["device"])
    first = browser.find("#failures details[open] li").text
    ok(all(text in first for text in [detail["reproduce"], detail["message"]]), "  it opens to its cases, each with its reproduce line", first)
    wrong = next(d for d in data["details"] if d["wrong_count"])
    browser.js("location.hash = '#case=' + arguments[0]", data["cases"]["name"][wrong["case"]])
    browser.wait("return document.getElementById('panel').open")
    panel = browser.find("#panel").text
    ok(f"{wrong['wrong_tensor']} {{{wrong['wrong_coordinates']}}}: got {wrong['wrong_got']}, expected {wrong['wrong_expected']}" in panel,
       "  the first wrong element: tensor, coordinates, got, expected", panel)
    browser.driver.back()
    browser.wait("return !document.getElementById('panel').open")

    before = browser.js("return scrollY")
    link = browser.find("#failures details[open] a.case")
    link.click()
    ok(browser.wait("return document.getElementById('panel').open"), "a case opens")
    equal(browser.js("return location.hash"), f"#case={data['cases']['name'][item]}", "  at an address of its own")
    equal(browser.js("return document.activeElement.textContent"), data["cases"]["name"][item], "  the focus is on its name")
    ok(detail["reproduce"] in browser.find("#panel").text, "  with its reproduce line")
    own = len(data["devices"][0]["runs"])
    equal(browser.js("return [...document.querySelectorAll('#panel section')].find(s => s.querySelector('h3').textContent.startsWith(arguments[0]))"
                     ".querySelectorAll('.history li').length", data["devices"][0]["device"]), own, "  and its history on a device")
    browser.driver.back()
    ok(browser.wait("return !document.getElementById('panel').open"), "the way back closes it")
    equal(browser.js("return [scrollY, document.activeElement === arguments[0]]", link), [max(before, browser.js("return scrollY")), True], "  and leads to where it was opened")
    link.click()
    browser.wait("return document.getElementById('panel').open")
    browser.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    ok(browser.wait("return !document.getElementById('panel').open && location.hash === ''"), "so does Escape")
    browser.open(path, f"#case={data['cases']['name'][item]}")
    ok(browser.wait("return document.getElementById('panel').open"), "its address opens it")
    browser.find("#panel .close").click()
    ok(browser.wait("return !document.getElementById('panel').open"), "  and Close closes it")
    browser.open(path, "#case=%E0%A4%A")
    ok("no case of this name" in browser.find("#panel").text, "an address of no case says so")


def copied(browser, path, data):
    browser.open(path, f"#case={data['cases']['name'][data['causes'][0]['cases'][0]]}")
    browser.driver.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
    browser.find("#panel .command button").click()
    ok(browser.wait("return document.querySelector('#panel .said').textContent === 'copied'"), "Copy says that it did")
    line = browser.find("#panel .command code").text
    got = browser.driver.execute_async_script("const done = arguments[0]; navigator.clipboard.readText().then(done, (e) => done('!' + e))")
    equal(got, browser.js("return document.querySelector('#panel .command code').textContent"), f"  the line: {line[:40]}…")


def shown_count(browser):
    return int(browser.find("#cases .count").text.split()[0].replace(",", ""))


def rows_in_view(browser):
    return browser.js("return [...document.querySelectorAll('#cases tbody th')].map(th => th.textContent)")


def expected_cases(data, words="", operator=None, device=None, letters=None):
    cases = data["cases"]
    return [name for i, name in enumerate(cases["name"])
            if all(word in name for word in words.split())
            and (operator is None or cases["operators"][cases["operator"][i]] == operator)
            and (letters is None or any(d["status"][i] in letters for j, d in enumerate(cases["devices"]) if device in (None, j)))]


def filters(browser, path, data, title):
    browser.open(path)
    nodes = browser.js("return document.getElementsByTagName('*').length")
    names = data["cases"]["name"]
    equal(shown_count(browser), len(names), f"{title}: all cases at first")
    search = browser.find("#cases input")
    search.send_keys("fl3_0 gather k1")
    expected = expected_cases(data, "fl3_0 gather k1")
    equal(shown_count(browser), len(expected), "  words: all of them must be in the name")
    equal(rows_in_view(browser)[:5], expected[:5], "  the rows are those cases")
    Select(browser.find("#cases [name=status]")).select_by_value("failing")
    equal(shown_count(browser), len(expected_cases(data, "fl3_0 gather k1", letters="fctlhi")), "  words and a status, on any device")
    Select(browser.find("#cases [name=device]")).select_by_value("1")
    equal(shown_count(browser), len(expected_cases(data, "fl3_0 gather k1", device=1, letters="fctlhi")), "  and on one device")
    address = browser.js("return location.href")
    browser.find("#cases [type=reset]").click()
    browser.wait("return document.querySelector('#cases .count').textContent.startsWith(arguments[0])", f"{len(names):,} of")
    Select(browser.find("#cases [name=operator]")).select_by_value("GATHER_ND")
    Select(browser.find("#cases [name=status]")).select_by_value("crash")
    equal(shown_count(browser), len(expected_cases(data, operator="GATHER_ND", letters="c")), "  operator and status")
    browser.open(path, "#" + address.split("#")[1])
    equal(shown_count(browser), len(expected_cases(data, "fl3_0 gather k1", device=1, letters="fctlhi")), "  a filter has an address")
    browser.find("#cases [type=reset]").click()
    browser.wait("return document.querySelector('#cases .count').textContent.startsWith(arguments[0])", f"{len(names):,} of")
    browser.js("const b = document.querySelector('#cases .box'); b.scrollTop = b.scrollHeight")
    ok(browser.wait("return [...document.querySelectorAll('#cases tbody th')].at(-1)?.textContent === arguments[0]", names[-1]), "  the last case is at the end")
    equal(browser.js("const b = document.querySelector('#cases .box').getBoundingClientRect(); const r = [...document.querySelectorAll('#cases tbody th')].at(-1)"
                     ".getBoundingClientRect(); return r.top >= b.top && r.bottom <= b.bottom + 1"), True, "  in view")
    rows = browser.js("return document.querySelectorAll('#cases tbody tr').length")
    ok(rows < 100, "  rows in view alone exist", rows)
    more = browser.js("return document.getElementsByTagName('*').length") - nodes
    ok(more < 1000, "  and elements do not become more", more)
    equal(browser.js("return [document.querySelector('#cases table').getAttribute('aria-rowcount'), [...document.querySelectorAll('#cases tbody tr')].at(-1).getAttribute('aria-rowindex')]"),
          [str(len(names) + 1)] * 2, "  rows say which of how many they are")


def keyboard(browser, path):
    browser.open(path)
    body = browser.find("body")
    body.send_keys(Keys.TAB)
    equal(browser.js("const a = document.activeElement; return [a.className, a.getBoundingClientRect().left >= 0]"), ["skip", True], "Tab shows the way past the contents")
    browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
    equal(browser.js("return document.activeElement.id"), "main", "  which leads to the results")
    browser.js("document.querySelector('#cases .box').focus()")
    first = rows_in_view(browser)[0]
    browser.driver.switch_to.active_element.send_keys(Keys.END)
    ok(browser.wait("return document.querySelector('#cases tbody th').textContent !== arguments[0]", first), "the list of cases scrolls by keys")
    browser.js("document.querySelector('#cases .box').scrollTop = 0")
    browser.wait("return document.querySelector('#cases tbody th').textContent === arguments[0]", first)
    browser.js("document.querySelector('#cases tbody a').focus()")
    ActionChains(browser.driver).send_keys(Keys.TAB * 60).perform()  # past what is in view
    equal(browser.js("return document.activeElement.closest('tr')?.getAttribute('aria-rowindex')"), "62", "Tab goes from case to case, into what was not in view")
    summary = browser.find("#support summary")
    summary.send_keys(Keys.ENTER)
    ok(browser.wait("return document.querySelector('#support details[open] table')"), "Enter opens what is closed")
    equal(browser.js("return [...document.querySelectorAll('.box')].filter(b => b.scrollWidth > b.clientWidth + 1 && b.tabIndex !== 0).length"), 0, "what scrolls can be reached")


def matrix(browser, path, data):
    browser.open(path)
    expected = sum(sum(row["counts"].values()) for row in data["matrix"] if row["operator"] == "GATHER_ND" and row["device"] == 1)
    cell = browser.js("return [...document.querySelectorAll('#support table tbody tr')].find(r => r.cells[0].textContent === 'GATHER_ND').cells[2].querySelector('a')")
    equal(sum(int(n.replace(",", "")) for n in re.findall(r"[\d,]+", cell.text)), expected, "a cell of the matrix counts its cases")
    cell.click()
    ok(browser.wait("return document.querySelector('#cases .count').textContent.startsWith(arguments[0])", f"{expected:,} of"), "  and leads to them")
    words = browser.js("return [...document.querySelectorAll('.mark')].filter(m => !/\\w/.test(m.textContent)).length")
    equal(words, 0, "no mark without a word")


def charts(browser, path, uplot):
    browser.open(path)
    browser.js("document.getElementById('timing').scrollIntoView()")
    if not os.path.getsize(uplot):
        skip("charts", "uPlot could not be fetched")
        return
    drawn = "return [...document.querySelectorAll('#timing .chart canvas')].filter(c => c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some(Boolean)).length"
    ok(browser.wait(drawn + " === 2"), "two charts are drawn")
    equal(browser.js("return [...document.querySelectorAll('#timing .chart')].map(c => c.getAttribute('role') + !!c.getAttribute('aria-label'))"), ["imgtrue"] * 2, "  each is said to be a picture of what")
    light = browser.js("return document.querySelector('#timing canvas').toDataURL()")
    browser.size(1280, dark=True)
    ok(browser.wait("return document.querySelector('#timing canvas').toDataURL() !== arguments[0]", light), "  they follow the colour scheme")
    browser.size(1280)
    Select(browser.find("#timing select")).select_by_value("GATHER")
    ok("slower 1.39×" in browser.find("#timing table").text, "an operator that became slower is marked", browser.find("#timing table").text)
    ok(browser.wait(drawn + " === 2"), "  its charts are drawn")


def printed(browser, path):
    browser.open(path)
    browser.js("dispatchEvent(new Event('beforeprint'))")
    browser.size(1280, dark=True, media="print")
    equal(browser.js("return document.querySelectorAll('main details:not([open])').length"), 0, "printing opens what is closed")
    equal(browser.js("return ['#contents', '#cases form', '#cases .box'].map(s => document.querySelector(s).offsetHeight)"), [0, 0, 0], "  and drops contents and search")
    equal(browser.js("return getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)", "  on white, whatever the scheme")
    browser.size(1280)
    browser.js("dispatchEvent(new Event('afterprint'))")
    equal(browser.js("return document.querySelectorAll('main details[open]').length"), 0, "  and closes it after")


def accessible(browser, path, data, axe):
    source = subprocess.run(["tar", "-xOzf", axe, "package/axe.min.js"], stdout=subprocess.PIPE, check=True).stdout.decode()
    for width in (1280, 375):
        for dark in (False, True):
            name = f"{width} px, {'dark' if dark else 'light'}"
            browser.size(width, dark)
            browser.open(path)
            browser.open_all()
            browser.js(source)  # as the browser's tools do it: the page's policy is not asked, and stays
            equal(browser.js("return [document.documentElement.scrollWidth <= innerWidth, matchMedia('(prefers-color-scheme: dark)').matches]"), [True, dark], f"{name}: the page does not scroll sideways")
            findings(browser, f"{name}: axe-core finds nothing serious")
            browser.js("location.hash = '#case=' + arguments[0]", data["cases"]["name"][data["causes"][0]["cases"][0]])
            browser.wait("return document.getElementById('panel').open")
            findings(browser, "  nor in a case", "#panel")
    browser.size(1280)


def findings(browser, name, where="html"):
    found = browser.driver.execute_async_script(
        "const done = arguments[1]; axe.run(arguments[0], { resultTypes: ['violations'] }).then((r) => done([r.passes.length, r.violations"
        ".filter((v) => ['serious', 'critical'].includes(v.impact)).map((v) => `${v.id}: ${v.help}: ${v.nodes.length} ${v.nodes[0].html.slice(0, 200)}`)]))", where)
    ok(found[0] > 5 and found[1] == [], name, *found)


def hostile(browser, path, data):
    browser.open(path)
    browser.open_all()
    try:
        said = browser.driver.switch_to.alert.text
    except NoAlertPresentException:
        said = None
    equal(said, None, "hostile names and messages: no dialog")
    equal(browser.js("return [document.scripts.length, document.querySelectorAll('img, iframe, object, embed, base, link, form[action]').length, document.querySelectorAll('main a:not([href^=\"#\"])').length]"),
          [2, 0, 0], "  no element arises from them")
    equal(browser.js("return [...document.querySelectorAll('*')].filter(e => [...e.attributes].some(a => a.name.startsWith('on'))).length"), 0, "  no handler")
    text = browser.js("return document.body.textContent.slice(0) && ['top', 'main', 'contents'].map(i => document.getElementById(i).textContent).join('')")
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
        if not browser.wait("return document.getElementById('panel-title')?.textContent === arguments[0]", visible(name)):
            wrong.append(name)
    equal(wrong, [], "  each opens by its address")
    browser.alone("hostile data")


def policy(browser, path):
    """What the page is made of may run, nothing else."""
    with open(path) as file:
        text = file.read()
    for name, where, extra in [("a script", "</body>", "<script>document.title = 'run'</script>"), ("a handler", "</body>", "<img src='data:,' onerror='document.title = 1'>"),
                               ("a style", "</head>", "<style>body { display: none }</style>")]:
        changed = f"{browser.folder}/changed.html"
        with open(changed, "w") as file:
            file.write(text.replace(where, extra + where))
        browser.open(changed)
        equal([browser.js("return [document.title.startsWith('assay'), document.body.offsetHeight > 0]"), any("Content Security Policy" in m for m in browser.messages())],
              [[True, True], True], f"{name} put into the page is refused")


def bare(browser, data):
    empty = browser.page("empty", dashboard_data.nothing())
    browser.open(empty)
    equal(browser.js("return [...document.querySelectorAll('main > section')].filter(s => s.querySelector('.empty')).map(s => s.id)"), SECTIONS, "without data each section says so")
    browser.alone("no data")
    nothing = f"{browser.folder}/nothing.tgz"
    open(nothing, "w").close()
    browser.open(browser.page("chartless", data, nothing))
    equal(browser.js("return [document.querySelectorAll('#timing canvas').length, document.querySelectorAll('#timing .empty').length > 0, document.querySelectorAll('#timing table').length > 1]"),
          [0, True, True], "without uPlot there are the tables, and a line that says why")
    browser.alone("no uPlot")


def main(uplot, axe=""):
    data = dashboard_data.make(600, 3)
    small = dashboard_data.make(40, 2)
    bad = dashboard_data.make(120, 3, hostile=True)
    big = dashboard_data.make(100000, 10)
    with tempfile.TemporaryDirectory() as folder:
        browser = Browser(folder, uplot)
        try:
            path = browser.page("page", data)
            sections(browser, path)
            runs(browser, data)
            follow(browser, path, data)
            copied(browser, path, data)
            filters(browser, path, data, "600 cases")
            keyboard(browser, path)
            matrix(browser, path, data)
            charts(browser, path, uplot)
            printed(browser, path)
            policy(browser, path)
            if axe:
                accessible(browser, browser.page("small", small), small, axe)
            else:
                skip("axe-core", "npm could not fetch it")
            hostile(browser, browser.page("hostile", bad), bad)
            bare(browser, data)
            filters(browser, browser.page("big", big), big, "100,000 cases on 10 devices")
            browser.alone("100,000 cases")
        finally:
            browser.driver.quit()
    print(f"1..{count}")
    return failed != 0


sys.exit(main(*sys.argv[1:]))
