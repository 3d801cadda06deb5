"""Firefox for selenium without geckodriver, which Debian does not have: Firefox's own protocol, Marionette, which
geckodriver speaks too. A message is LENGTH:[0, number, command, parameters] or LENGTH:[1, number, error, result], over TCP."""
import json
import os
import socket
import subprocess
import time

from selenium.common.exceptions import WebDriverException
from selenium.webdriver.remote.command import Command
from selenium.webdriver.remote.webdriver import WebDriver

COMMANDS = {
    Command.NEW_SESSION: "WebDriver:NewSession",
    Command.QUIT: "Marionette:Quit",
    Command.GET: "WebDriver:Navigate",
    Command.GO_BACK: "WebDriver:Back",
    Command.GET_CURRENT_URL: "WebDriver:GetCurrentURL",
    Command.FIND_ELEMENT: "WebDriver:FindElement",
    Command.FIND_ELEMENTS: "WebDriver:FindElements",
    Command.FIND_CHILD_ELEMENT: "WebDriver:FindElement",
    Command.FIND_CHILD_ELEMENTS: "WebDriver:FindElements",
    Command.CLICK_ELEMENT: "WebDriver:ElementClick",
    Command.SEND_KEYS_TO_ELEMENT: "WebDriver:ElementSendKeys",
    Command.GET_ELEMENT_TEXT: "WebDriver:GetElementText",
    Command.GET_ELEMENT_TAG_NAME: "WebDriver:GetElementTagName",
    Command.GET_ELEMENT_ATTRIBUTE: "WebDriver:GetElementAttribute",
    Command.GET_ELEMENT_PROPERTY: "WebDriver:GetElementProperty",
    Command.IS_ELEMENT_SELECTED: "WebDriver:IsElementSelected",
    Command.IS_ELEMENT_ENABLED: "WebDriver:IsElementEnabled",
    Command.W3C_GET_ACTIVE_ELEMENT: "WebDriver:GetActiveElement",
    Command.W3C_EXECUTE_SCRIPT: "WebDriver:ExecuteScript",
    Command.W3C_EXECUTE_SCRIPT_ASYNC: "WebDriver:ExecuteAsyncScript",
    Command.W3C_GET_ALERT_TEXT: "WebDriver:GetAlertText",
    Command.W3C_ACTIONS: "WebDriver:PerformActions",
    Command.SCREENSHOT: "WebDriver:TakeScreenshot",
}
SECONDS = 60  # to start, and for an answer; it only bounds a test that fails


class Marionette:
    """What selenium sends its commands to."""
    w3c = True

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), SECONDS)
        self.stream = self.socket.makefile("rb")
        self.number = 0
        self.receive()  # who it is

    def receive(self):
        length = b""
        while not length.endswith(b":"):
            byte = self.stream.read(1)
            if not byte:
                raise WebDriverException("Firefox has ended")
            length += byte
        return json.loads(self.stream.read(int(length[:-1])))

    def send(self, name, parameters):
        """The error, or None, and the result."""
        self.number += 1
        message = json.dumps([0, self.number, name, parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(message), message))
        while True:
            kind, number, error, result = self.receive()
            if (kind, number) == (1, self.number):
                return error, result

    def execute(self, command, params):
        """As selenium's own classes do: {"value": …}, or {"status": 500, "value": the error as JSON}."""
        parameters = {name: value for name, value in (params or {}).items() if name != "sessionId"}
        if command == Command.NEW_SESSION:
            parameters = parameters["capabilities"]["alwaysMatch"] if "capabilities" in parameters else {}
        elif command in (Command.FIND_CHILD_ELEMENT, Command.FIND_CHILD_ELEMENTS):
            parameters["element"] = parameters.pop("id")
        elif command == Command.QUIT:
            parameters = {"flags": ["eForceQuit"]}
        error, result = self.send(COMMANDS[command], parameters)
        if error:
            return {"status": 500, "value": json.dumps({"value": error})}
        if command == Command.NEW_SESSION:
            return {"value": result}
        return {"value": result["value"] if isinstance(result, dict) and list(result) == ["value"] else result}

    def close(self):
        self.stream.close()
        self.socket.close()


class Firefox(WebDriver):
    """Firefox with a new profile in a folder."""

    def __init__(self, program, folder):
        profile = f"{folder}/firefox"
        os.makedirs(profile)
        with open(f"{profile}/user.js", "w") as file:
            # Any free port, of which the profile gets a file.
            file.write('user_pref("marionette.port", 0);\nuser_pref("general.smoothScroll", false);\n')
            # No page of its own, and no process for later.
            file.write('user_pref("browser.startup.page", 0);\nuser_pref("dom.ipc.processPrelaunch.enabled", false);\n')
        command = [
            program, "--headless", "--marionette", "--remote-allow-system-access", "--no-remote", "--profile", profile
        ]
        with open(f"{folder}/firefox.log", "w") as log:
            self.process = subprocess.Popen(command, env={**os.environ, "HOME": profile}, stdout=log, stderr=log)
        try:
            super().__init__(command_executor=Marionette(self.port(f"{profile}/MarionetteActivePort")), options=None,
                             desired_capabilities=None)
        except BaseException:
            self.process.kill()
            raise

    def port(self, path):
        """Waits for the port that Firefox listens on."""
        for _ in range(SECONDS * 20):
            if os.path.exists(path) and os.path.getsize(path):
                with open(path) as file:
                    return int(file.read())
            if self.process.poll() is not None:
                raise WebDriverException(f"Firefox ended with status {self.process.returncode}")
            time.sleep(0.05)
        raise WebDriverException(f"Firefox did not start within {SECONDS} s")

    def start_session(self, capabilities, browser_profile=None):
        # A script may take as long as an answer: on a busy machine, axe needs more than the 30 s of the browser.
        super().start_session({"timeouts": {"script": SECONDS * 1000}}, browser_profile)

    def privileged(self, script, *arguments):
        """Runs a script of the browser itself, which may change what a page cannot. It ends by done(RESULT)."""
        marionette = self.command_executor
        marionette.send("Marionette:SetContext", {"value": "chrome"})
        try:
            error, result = marionette.send("WebDriver:ExecuteAsyncScript", {
                "script": f"const done = arguments[arguments.length - 1];\n{script}", "args": list(arguments)
            })
        finally:
            marionette.send("Marionette:SetContext", {"value": "content"})
        if error:
            raise WebDriverException(error["message"])
        return result["value"]

    def quit(self):
        try:
            super().quit()
        except WebDriverException:
            pass  # it had ended
        self.command_executor.close()
        try:
            self.process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
