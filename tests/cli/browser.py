"""Controls headless Chromium through the WebDriver protocol, with Python's standard library only.
"""
import json
import re
import shutil
import subprocess
import urllib.request

REMEDY = "no Chromium with its driver; `apt-get install chromium chromium-driver` brings both"
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


def missing():
    """Returns True if there is no browser to test with."""
    return not shutil.which("chromedriver") or not (shutil.which("chromium") or shutil.which("google-chrome"))


class Browser:
    def __init__(self):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        port = next(found.group(1) for line in self.driver.stdout if (found := re.search(r"successfully on port (\d+)", line)))
        self.url = f"http://127.0.0.1:{port}/session"
        program = shutil.which("chromium") or shutil.which("google-chrome")
        options = {"binary": program, "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        self.url += "/" + self.post("", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]

    def close(self):
        try:
            self.request("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.driver.stdout.close()

    def request(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def post(self, path, body):
        return self.request("POST", path, body)

    def open(self, path, width, height):
        self.post("/window/rect", {"width": width, "height": height})
        self.post("/url", {"url": "file://" + path})

    def run(self, script, *arguments):
        """Returns the result of the body of a JavaScript function."""
        return self.post("/execute/sync", {"script": script, "args": list(arguments)})

    def find(self, selector):
        return {ELEMENT: self.post("/element", {"using": "css selector", "value": selector})[ELEMENT]}

    def pointer(self, *moves):
        self.post("/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": list(moves)}]})

    def click(self, x, y):
        self.pointer({"type": "pointerMove", "x": x, "y": y}, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0})

    def drag(self, x, y, dx, dy):
        self.pointer({"type": "pointerMove", "x": x, "y": y}, {"type": "pointerDown", "button": 0},
                     {"type": "pointerMove", "x": x + dx, "y": y + dy}, {"type": "pointerUp", "button": 0})

    def wheel(self, x, y, by):
        self.post("/actions", {"actions": [{"type": "wheel", "id": "wheel", "actions": [
            {"type": "scroll", "x": x, "y": y, "deltaX": 0, "deltaY": by}]}]})

    def keys(self, *keys):
        presses = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.post("/actions", {"actions": [{"type": "key", "id": "keys", "actions": presses}]})

    def complaints(self):
        """Returns errors of scripts, and violations of the page's policy."""
        return [entry["message"] for entry in self.post("/se/log", {"type": "browser"}) if entry["level"] == "SEVERE"]
