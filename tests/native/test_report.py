"""Opens report.html in a browser: it is clicked through, by mouse and by keys, down to the patches that
remain, and looked at for what is cut at two widths, in light and dark. The browser is driven over the W3C
WebDriver protocol; nothing here shares code with what wrote the page."""

import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request

TOP = pathlib.Path(__file__).parent.parent.parent
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
ENTER, TAB = "\ue007", "\ue004"
# Whether an element can be seen: no closed `details` hides it.
SEEN = """const shown = e => { for (let p = e; p; p = p.parentElement) {
  const closed = p.parentElement && p.parentElement.closest('details:not([open])');
  if (closed && !(p.tagName === 'SUMMARY' && p.parentElement === closed)) return false; } return true; };"""


def name(patch):
    """The name of a patch as the page shows it."""
    return re.sub(r"^[0-9]+-", "", pathlib.PurePath(patch).stem) or "original"


def psychic():
    """The program that cargo has built last; None if there is none."""
    target = TOP / os.environ.get("CARGO_TARGET_DIR", "target")
    built = [target / profile / "psychic" for profile in ("debug", "release")]
    named = os.environ.get("PSYCHIC")
    built = [pathlib.Path(named)] if named else [path for path in built if path.is_file()]
    return max(built, key=lambda path: path.stat().st_mtime, default=None)


class Browser:
    """A headless Chromium."""

    def __init__(self, *options):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        self.root = None
        for line in self.driver.stdout:
            if "started successfully on port" in line:
                port = line.strip().rstrip(".").split()[-1]
                self.root = f"http://127.0.0.1:{port}/session"
                break
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", *options]
        wanted = {"browserName": "chrome", "goog:chromeOptions": {"args": arguments}}
        made = self.ask("POST", "", {"capabilities": {"alwaysMatch": wanted}})
        self.root += "/" + made["sessionId"]

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.root + path, data, method=method)
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()) from None

    def run(self, script, *arguments):
        return self.ask("POST", "/execute/sync", {"script": SEEN + script, "args": list(arguments)})

    def click(self, element):
        self.ask("POST", f"/element/{element[ELEMENT]}/click", {})

    def press(self, keys):
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        keyboard = {"type": "key", "id": "keyboard", "actions": actions}
        self.ask("POST", "/actions", {"actions": [keyboard]})

    def close(self):
        try:
            self.ask("DELETE", "")
        finally:
            self.driver.kill()
            self.driver.wait()
            self.driver.stdout.close()


@unittest.skipUnless(shutil.which("chromedriver") and shutil.which("chromium"),
                     "report.html is not clicked through: there is no chromium-driver; "
                     "scripts/browser.sh installs it on Debian")
class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            Browser().close()
        except (AssertionError, OSError, TypeError) as error:
            print(f"WARNING: report.html is not clicked through, as no browser starts: {error}", file=sys.stderr)
            raise unittest.SkipTest("no browser starts") from None
        program = psychic()
        assert program, "cargo test has built psychic"
        cls.scratch = tempfile.TemporaryDirectory()
        cls.results = pathlib.Path(cls.scratch.name) / "foo"
        for command in (["diff"], ["explain", "0", "1"]):
            words = [program, command[0], TOP / "patches/foo", *command[1:], "--out", cls.results]
            done = subprocess.run(words, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
        cls.page = (cls.results / "report.html").as_uri()

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def open(self, *options, width=1280):
        browser = Browser(*options, f"--window-size={width},1000")
        self.addCleanup(browser.close)
        browser.ask("POST", "/url", {"url": self.page})
        return browser

    def question(self, browser):
        """The answers to the question that is asked now; and what remains, if nothing is asked any more."""
        return browser.run("""const last = [...document.querySelectorAll('#walk .question, #walk .remaining')]
                .filter(shown).pop();
            const answers = last.querySelectorAll(':scope > .answers > li > details > summary');
            return [[...answers], last.matches('.remaining') ? last.textContent : null];""")

    def test_every_answer_leads_to_the_patches_that_remain(self):
        browser = self.open()
        with open(self.results / "revisions.csv", newline="") as file:
            names = {row["revision"] + " " + name(row["patch"]) for row in csv.DictReader(file)}
        reached = set()

        def walk(way):
            browser.ask("POST", "/refresh", {})
            for answer in way:
                browser.click(self.question(browser)[0][answer])
            answers, rest = self.question(browser)
            if rest is not None:
                there = {name for name in names if name in rest}
                self.assertTrue(there and not there & reached, f"{way}: {rest}")
                reached.update(there)
            for answer in range(len(answers)):
                walk([*way, answer])

        walk([])
        self.assertEqual(reached, names, "every revision remains at the end of one way")

    def test_keys_suffice(self):
        browser = self.open()
        for _ in range(400):
            browser.press([TAB])
            if browser.run("return document.activeElement.matches('#walk summary')"):
                break
        self.assertTrue(browser.run("return document.activeElement.matches('#walk summary')"))
        browser.press([ENTER])
        self.assertTrue(browser.run("return document.activeElement.parentElement.open"))

    def test_nothing_is_cut_at_two_widths_in_light_and_dark(self):
        for width in (1280, 600):
            for dark in (False, True):
                browser = self.open(*(["--force-dark-mode"] if dark else []), width=width)
                wide, room = browser.run("const e = document.documentElement; return [e.scrollWidth, e.clientWidth]")
                self.assertLessEqual(wide, room, f"the page is wider than the window at {width}")
                ink, paper = browser.run("const s = getComputedStyle(document.body);"
                                         "return [s.color, s.backgroundColor]")
                light = [sum(map(int, color.strip("rgb()").split(",")[:3])) for color in (ink, paper)]
                self.assertGreater(abs(light[0] - light[1]), 300, "ink and paper differ")
                if browser.run("return matchMedia('(prefers-color-scheme: dark)').matches"):
                    self.assertGreater(light[0], light[1], "light on dark")

    def test_explanations_are_there(self):
        browser = self.open()
        text = browser.run("return document.querySelector('#explanations article').innerText")
        self.assertIn("foo.c:13", text)
        self.assertIn("their ways part", text.lower())


if __name__ == "__main__":
    sys.exit(unittest.main())
