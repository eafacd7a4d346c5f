"""Tests the page of `percale show --html` in a browser: search, folding, zoom, keyboard, the width
of a phone.
Usage: page_test.py PERCALE"""
import json
import os
import sys
import tempfile
import time
import unittest
from xml.etree import ElementTree

import browser
import program
from program import percale
from small_job import SPEC, make_data

SKIPPED = 77
LAYERS = 10
SVG = "{http://www.w3.org/2000/svg}"
ENTER, ESCAPE = "\ue007", "\ue00c"


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        path = cls.folder.name
        make_data(path, 64)
        layers = [{"layer": "Flatten"}, *({"layer": "Dense", "units": 16, "activation": "relu"} for _ in range(LAYERS)),
                  {"layer": "Dense", "units": 2}]
        with open(os.path.join(path, "job.json"), "w", encoding="utf-8") as file:
            json.dump(SPEC | {"model": layers, "epochs": 1}, file)
        percale("train", os.path.join(path, "job.json"), "--out", os.path.join(path, "run"))
        model, trace = os.path.join(path, "run", "model.percale"), os.path.join(path, "trace.json")
        percale("trace", model, "--out", trace)
        cls.page, cls.plan = os.path.join(path, "page.html"), os.path.join(path, "plan.html")
        percale("show", model, "--html", cls.page)
        percale("show", model, "--planned", "--html", cls.plan, "--trace", trace)
        # No two layers are alike, so that the SVG opens every block, too.
        with open(os.path.join(path, "unlike.json"), "w", encoding="utf-8") as file:
            layers = [{"layer": "Flatten"}, *({"layer": "Dense", "units": 7 + i, "activation": "relu"} for i in range(4)),
                      {"layer": "Dense", "units": 2}]
            json.dump(SPEC | {"model": layers, "epochs": 1}, file)
        percale("train", os.path.join(path, "unlike.json"), "--out", os.path.join(path, "unlike"))
        cls.unlike, cls.drawing = os.path.join(path, "unlike.html"), os.path.join(path, "unlike.svg")
        percale("show", os.path.join(path, "unlike", "model.percale"), "--html", cls.unlike, "--svg", cls.drawing)
        cls.browser = browser.Browser()
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.open(self.page)

    def tearDown(self):
        self.assertEqual(self.browser.complaints(), [])

    def open(self, page, width=1280, height=900):
        self.browser.open(page, width, height)

    def text(self, selector):
        return self.browser.run("return document.querySelector(arguments[0]).textContent", selector)

    def boxes(self):
        return self.browser.run("return document.querySelectorAll('g[data-box]').length")

    def view(self):
        return self.browser.run("return document.querySelector('#view').getAttribute('transform')")

    def middle(self, selector):
        """Returns the centre of an element, in pixels of the window."""
        return self.browser.run("const box = document.querySelector(arguments[0]).getBoundingClientRect();"
                                "return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)]", selector)

    def wait_for(self, script):
        end = time.time() + 10
        while not self.browser.run("return Boolean(" + script + ")"):
            self.assertLess(time.time(), end, script)
            time.sleep(0.05)

    def search(self, words, hits):
        self.browser.run("const field = document.querySelector('#search'); field.value = arguments[0];"
                         "field.dispatchEvent(new Event('input'))", words)
        self.wait_for(f"document.querySelector('#hits').textContent === '{hits}'")

    def test_equal_layers_are_one_block_that_unfolds_and_folds(self):
        folded = self.boxes()
        self.assertIn("\u00d7 ", self.text("#view"))
        block = self.browser.run("return [...document.querySelectorAll('g.block')].find(g => g.textContent.includes('\u00d7'))"
                                 ".dataset.block")
        self.browser.click(*self.middle(f"g[data-block='{block}'] > rect"))
        self.browser.run("document.querySelector('#unfold').click()")
        self.browser.run("document.querySelector('#fit').click()")
        self.assertGreater(self.boxes(), folded + 2 * (LAYERS - 2))
        self.browser.run("document.querySelector('#fold').click()")
        self.assertLessEqual(self.boxes(), folded)

    def test_a_click_unfolds_a_block_and_another_on_its_title_folds_it(self):
        self.browser.run("document.querySelector('#fold').click()")
        block = self.browser.run("return document.querySelector('g.block').dataset.block")
        selector = f"g[data-block='{block}']"
        self.browser.click(*self.middle(selector + " > rect"))
        self.assertIn("frame", self.browser.run("return document.querySelector(arguments[0]).getAttribute('class')", selector))
        self.browser.click(*self.middle(selector + " > text"))
        self.assertIn("block", self.browser.run("return document.querySelector(arguments[0]).getAttribute('class')", selector))

    def test_search_opens_what_holds_the_hits_and_goes_from_one_to_the_next(self):
        self.search("relu", f"1 of {LAYERS}")
        first = self.text("#details h2")
        self.assertIn("Relu", first)
        self.browser.run("document.querySelector('#next').click()")
        self.assertEqual(self.text("#hits"), f"2 of {LAYERS}")
        self.assertNotEqual(self.text("#details h2"), first)
        stroke = self.browser.run("return getComputedStyle(document.querySelector('g.hit.chosen > rect')).strokeWidth + "
                                  "getComputedStyle(document.querySelector('g.hit.chosen > rect')).stroke")
        self.assertEqual(stroke, "3pxrgb(208, 2, 27)")
        self.search("there is no such name", "none")

    def test_details_tell_attributes_types_and_neighbours_which_are_a_click_away(self):
        self.search("gemm", f"1 of {LAYERS + 1}")
        details = self.text("#details")
        for word in ("Gemm", "f32 [16,16]", "variable", "kernel", "from", "to"):
            self.assertIn(word, details)
        before = self.text("#details h2")
        self.browser.run("document.querySelector('#details [data-jump]').click()")
        self.assertNotEqual(self.text("#details h2"), before)

    def test_wheel_and_drag_and_buttons_move_the_view(self):
        views = [self.view()]
        for act in (lambda: self.browser.wheel(400, 500, -300), lambda: self.browser.drag(40, 500, 60, 40),
                    lambda: self.browser.run("document.querySelector('#larger').click()"),
                    lambda: self.browser.run("document.querySelector('#fit').click()")):
            act()
            views.append(self.view())
        self.assertEqual(len(set(views)), len(views), views)
        self.assertTrue(self.browser.run("return document.querySelector('#details').hidden"), "a drag is no click")

    def test_the_keyboard_is_enough(self):
        self.browser.keys("/")
        self.browser.keys(*"relu")
        self.wait_for(f"document.querySelector('#hits').textContent === '1 of {LAYERS}'")
        self.browser.keys(ENTER)
        self.assertEqual(self.text("#hits"), f"2 of {LAYERS}")
        self.browser.keys(ESCAPE)
        at = self.text("#details h2")
        self.browser.keys("j")
        self.assertNotEqual(self.text("#details h2"), at)
        before = self.view()
        self.browser.keys("+")
        self.assertNotEqual(self.view(), before)

    def test_a_plan_shows_devices_kernels_and_times(self):
        self.open(self.plan)
        self.assertIn("cpu:0", self.text("#legend"))
        self.assertIn("in all", self.text("#legend"))
        self.assertRegex(self.text("#view"), r"\d (µs|ms)")
        self.assertIn("cpu:0 \u00b7 ", self.text("#view"))

    def test_the_page_stands_as_the_svg_does(self):
        """The library (for SVG) and the page's own code must align rows in the same way."""
        header = 34
        drawn = {}
        for group in ElementTree.parse(self.drawing).iter(SVG + "g"):
            frame = group.find(SVG + "rect")
            drawn[group.find(SVG + "title").text] = [int(frame.get("x")), int(frame.get("y")) - header]
        self.open(self.unlike)
        self.browser.run("document.querySelector('#unfold').click()")
        shown = self.browser.run("return [...document.querySelectorAll('g[data-box]')].map(group => [group.querySelector('title')."
                                 "textContent, group.querySelector('rect').x.baseVal.value, group.querySelector('rect').y.baseVal.value])")
        self.assertGreater(len(shown), 8)
        for name, x, y in shown:
            self.assertLessEqual(abs(drawn[name][0] - x) + abs(drawn[name][1] - y), 2, name)

    def test_a_phone_shows_everything_without_scrolling_sideways(self):
        # A window cannot be this narrow; a frame can.
        self.browser.run("const frame = document.createElement('iframe'); frame.style = 'width:390px;height:800px;border:0';"
                         "frame.srcdoc = document.documentElement.outerHTML; frame.id = 'phone';"
                         "document.body.replaceChildren(frame)")
        self.wait_for("document.querySelector('#phone').contentDocument.querySelector('#view g')")
        inner = "const page = document.querySelector('#phone').contentDocument;"
        self.assertEqual(self.browser.run(inner + "return page.documentElement.scrollWidth"), 390)
        self.assertTrue(self.browser.run(inner + "return [...page.querySelectorAll('header button')].every(button => "
                                         "button.getBoundingClientRect().right <= 390)"))


if __name__ == "__main__":
    if browser.missing():
        print(browser.REMEDY)
        sys.exit(SKIPPED)
    program.main()
