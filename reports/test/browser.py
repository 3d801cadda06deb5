"""Chromium and Firefox for tests of pages, and what a test needs to speak TAP."""
import base64
import gzip
import json
import os
import subprocess

from selenium import webdriver
from selenium.common.exceptions import TimeoutException, WebDriverException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select, WebDriverWait

import marionette

# ---- TAP

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


def attempt(test, *arguments):
    """A test that the browser refuses to go on with has failed; the others go on."""
    try:
        test(*arguments)
    except WebDriverException as error:
        ok(False, f"{test.__name__} comes to its end", error.msg)


def done():
    """Ends the tests; the status to exit with."""
    print(f"1..{count}")
    return failed != 0


# ---- pages and the browser


class Browser:
    """What the tests need of a browser. Each browser has besides: driver; size(), the window and what it prefers;
    messages() and requests(), what was complained of and asked for since the last call; clipboard(), its text."""

    def __init__(self, folder, uplot):
        self.folder = folder
        self.uplot = uplot
        self.frames = {}  # of pages, by the package of uPlot: what is before and after the data
        self.shown = None
        self.size(1280)

    def frame(self, uplot):
        if uplot not in self.frames:
            path = f"{self.folder}/frame.json"
            with open(path, "w") as file:
                file.write("{}")
            text = subprocess.run(["tools/dashboard", uplot, path], stdout=subprocess.PIPE, check=True).stdout
            data = base64.b64encode(gzip.compress(b"{}", 9, mtime=0))[:8]  # its first bytes are always the same
            start = text.index(b"\n" + data) + 1
            self.frames[uplot] = text[:start], text[text.index(b"</script>", start):]
        return self.frames[uplot]

    def page(self, name, data, uplot=None, level=1):
        """Makes FOLDER/NAME.html of data, as tools/dashboard does."""
        before, after = self.frame(uplot or self.uplot)
        path = f"{self.folder}/{name}.html"
        with open(path, "wb") as file:
            file.write(before + base64.encodebytes(gzip.compress(json.dumps(data, separators=(",", ":")).encode(), level)) + after)
        return path

    def show(self, path):
        """Opens the page, unless show() opened it last: for tests that leave to the next what it looks at."""
        if self.shown != path:
            self.open(path)
            self.shown = path

    def open(self, path, fragment=""):
        self.shown = None
        self.driver.get("about:blank")  # or a fragment alone would load nothing
        self.messages()
        self.requests()
        self.driver.get(f"file://{path}{fragment}")
        self.wait("return document.querySelector('#main > section')")  # the page unpacks its data first

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def each(self, selector, expression):
        """What is asked of each element e."""
        return self.js(f"return [...document.querySelectorAll(arguments[0])].map((e) => {expression})", selector)

    def choose(self, selector, value):
        Select(self.find(selector)).select_by_value(value)

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def wait(self, script, *arguments):
        """Until it is true. The 20 seconds only bound a test that fails."""
        try:
            return WebDriverWait(self.driver, 20, 0.02).until(lambda driver: driver.execute_script(script, *arguments))
        except TimeoutException:
            return False

    def wait_text(self, selector, text):
        """Until the text of an element begins so."""
        return self.wait("return document.querySelector(arguments[0])?.textContent.startsWith(arguments[1])", selector,
                         text)

    def alone(self, name):
        """Nothing was complained of, nothing asked for but the file itself."""
        equal(self.messages(), [], f"{name}: no message")
        itself = self.driver.current_url.split("#")[0]
        equal([url for url in self.requests() if url.split("#")[0] != itself], [], "  no request leaves the file")

    def open_all(self):
        while self.each("main details:not([open])", "e.fill() || (e.open = true)"):
            pass


class Chromium(Browser):
    def __init__(self, folder, uplot):
        options = webdriver.ChromeOptions()
        for argument in [
                "--headless=new", "--disable-gpu", "--disable-smooth-scrolling", "--disable-dev-shm-usage",
                f"--user-data-dir={folder}/profile"
        ]:
            options.add_argument(argument)
        if os.geteuid() == 0:
            options.add_argument("--no-sandbox")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        super().__init__(folder, uplot)

    def size(self, width, dark=False, media=""):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"media": media, "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})

    def messages(self):
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self):
        """Addresses asked for since the page was opened, or the last call."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]

    def clipboard(self):
        self.driver.execute_cdp_cmd("Browser.grantPermissions",
                                    {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
        return self.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0], arguments[0])")


class Firefox(Browser):
    def __init__(self, folder, uplot):
        self.driver = marionette.Firefox("firefox-esr", folder)
        super().__init__(folder, uplot)

    def size(self, width, dark=False, media=""):
        self.driver.privileged(
            """const [width, dark, media] = arguments, browser = gBrowser.selectedBrowser;
            Object.assign(browser.style, { width: `${width}px`, height: "900px" });
            // An override of the browsing context would end when another process gets the page.
            Services.prefs.setIntPref("layout.css.prefers-color-scheme.content-override", dark ? 0 : 1);
            browser.browsingContext.top.mediumOverride = media;
            done();""",
            width, dark, media)
        self.wait("return innerWidth === arguments[0]", width)
        if not media:
            self.wait("return matchMedia('(prefers-color-scheme: dark)').matches === arguments[0]", dark)

    def messages(self):
        """What scripts and policies of pages complained of; not Firefox's advice about lists that scroll."""
        return self.driver.privileged("""const said = Services.console.getMessageArray();
            Services.console.reset();
            done(said.filter((one) => one instanceof Ci.nsIScriptError && one.sourceName.startsWith("file:")
                && one.category !== "Async Pan/Zoom")
              .map((one) => one.errorMessage));""")

    def requests(self):
        return self.js("return performance.getEntriesByType('resource').map(({ name }) => name)")

    def clipboard(self):
        return self.driver.privileged("navigator.clipboard.readText().then(done, (error) => done(String(error)));")


BROWSERS = {"chromium": Chromium, "firefox": Firefox}
