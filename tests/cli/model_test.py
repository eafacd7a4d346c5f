"""Tests the commands on a model: show, plan, kernels, bench, run, trace, check.
Usage: model_test.py PERCALE"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from xml.etree import ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program  # noqa: E402
from npy import read_npy, write_npy  # noqa: E402
from program import percale  # noqa: E402
from small_job import SPEC, make_data  # noqa: E402
from trained_job import TrainedJob  # noqa: E402


class Models(TrainedJob):
    def drawn(self, *arguments):
        """Returns the SVG and the page."""
        svg, html = os.path.join(self.path, "graph.svg"), os.path.join(self.path, "graph.html")
        percale("show", self.model, "--svg", svg, "--html", html, *arguments)
        texts = []
        for path in (svg, html):
            with open(path, encoding="utf-8") as file:
                texts.append(file.read())
        return texts

    def test_a_model_is_drawn_with_outputs_variables_and_types(self):
        svg, html = self.drawn()
        drawing = ElementTree.fromstring(svg)
        self.assertLessEqual(int(drawing.get("height")), 4000)
        words = [text.text for text in drawing.iter("{http://www.w3.org/2000/svg}text")]
        self.assertIn("dense/kernel f32 [16,8]", words)
        self.assertIn("f32 [?,8]", words)
        self.assertTrue(drawing.findall(".//{http://www.w3.org/2000/svg}rect[@class='o']"))
        self.assertTrue(html.startswith("<!doctype html>"))
        self.assertNotIn("://", html.replace("http://www.w3.org", ""))

    def test_a_plan_is_drawn_with_devices_kernels_and_the_times_of_a_trace(self):
        trace = os.path.join(self.path, "drawn.json")
        percale("trace", self.model, "--out", trace)
        for texts in (self.drawn("--planned", "--trace", trace), self.drawn("--trace", trace)):
            for text in texts:
                self.assertRegex(text, r"\d (\u00b5s|ms)")
        self.assertIn("cpu:0 \u00b7 ", self.drawn("--planned")[0])
        self.assertNotIn("\u00b5s", self.drawn("--planned")[0])
        self.assertIn("--trace requires --svg", percale("show", self.model, "--trace", trace, code=2).stderr)
        self.assertIn("this is no trace", percale("show", self.model, "--svg", os.devnull, "--trace", self.spec, code=1).stderr)

    def test_a_model_shows_itself(self):
        self.assertIn("parameters", percale("show", self.model).stdout)
        shown = json.loads(percale("show", self.model, "--json").stdout)
        self.assertEqual(shown["parameters"], 16 * 8 + 8 + 8 * 2 + 2)
        planned = json.loads(percale("show", self.model, "--planned", "--json").stdout)
        self.assertTrue(planned["plan"]["nodes"])
        # Two dense layers on one row, and an operation per element of the ops after them.
        self.assertGreaterEqual(planned["plan"]["cost"]["flops"], 2 * (16 * 8 + 8 * 2))
        self.assertLess(planned["plan"]["cost"]["flops"], 2 * (16 * 8 + 8 * 2) + 100)
        self.assertIn("critical path", percale("show", self.model, "--planned").stdout)
        plan = json.loads(percale("plan", self.model, "--feed-shape", "x=8,4,4,1", "--json").stdout)
        self.assertTrue(all(node["device"] == "cpu:0" and node["reason"] for node in plan["nodes"]))
        self.assertTrue(json.loads(percale("kernels", self.model, "--json").stdout))
        self.assertIn("cpu:0", percale("plan", self.model).stdout)
        self.assertIn("cpu:0", percale("kernels", self.model).stdout)
        percale("plan", self.model, "--feed-shape", "nothing=1", code=2)

    def test_bench_measures(self):
        result = json.loads(percale("bench", self.model, "--runs", "20", "--json").stdout)
        self.assertEqual(result["runs"], 20)
        self.assertLessEqual(result["min_us"], result["median_us"])
        self.assertLessEqual(result["median_us"], result["p99_us"])
        for key in ("cpu_us", "load_ms", "planned_peak_bytes", "measured_peak_bytes"):
            self.assertGreater(result[key], 0, key)

    def test_run_reads_and_writes_npy(self):
        feed = os.path.join(self.path, "x.npy")
        write_npy(feed, "f4", [3, 4, 4, 1], [0.5] * 48)
        results = os.path.join(self.path, "results")
        listed = json.loads(percale("run", self.model, "--feed", "x=" + feed, "--out", results, "--json").stdout)
        self.assertEqual(listed[0]["dims"], [3, 2])
        shape, values = read_npy(listed[0]["file"])
        self.assertEqual((shape, len(values)), ((3, 2), 6))
        percale("run", self.model, "--feed", "z=" + feed, "--out", results, code=1)

    def test_a_terminal_gets_no_control_characters_of_paths_and_cases(self):
        evil = "\x1b]0;evil\x07"
        folder = os.path.join(self.path, evil)
        case = os.path.join(self.path, "cases", evil)
        os.makedirs(case)
        with open(os.path.join(case, "model.onnx"), "wb"):
            pass  # an empty model fails, with its name
        spec = self.write_spec("evil.json", SPEC | {"epochs": 1})
        feed = os.path.join(self.path, "evil.npy")
        write_npy(feed, "f4", (1, 4, 4, 1), [0.0] * 16)
        # The paths of all results; then one path each.
        for places, arguments in ((4, ["train", spec, "--out", folder]), (1, ["evaluate", spec, folder]),
                                  (1, ["run", self.model, "--feed", "x=" + feed, "--out", folder]),
                                  (1, ["trace", self.model, "--out", os.path.join(folder, "trace.json")])):
            printed = program.on_terminal(*arguments)
            self.assertGreaterEqual(printed.count(rb"\x1b]0;evil\x07"), places, printed)
            self.assertNotIn(b"\x07", printed)
        printed = subprocess.run([program.PATH, "test", os.path.dirname(case)], stdout=subprocess.PIPE, timeout=60, check=False)
        self.assertIn(evil.encode(), printed.stdout)
        printed = program.on_terminal("test", os.path.dirname(case), code=printed.returncode)
        self.assertIn(rb"\x1b]0;evil\x07", printed)
        self.assertNotIn(b"\x07", printed)

    def test_trace_is_json_for_perfetto(self):
        path = os.path.join(self.path, "trace.json")
        percale("trace", self.model, "--out", path)
        with open(path, encoding="utf-8") as trace:
            self.assertTrue(json.load(trace)["traceEvents"])

    def test_a_trace_tells_placement_what_nodes_cost(self):
        def expected(*more):
            plan = json.loads(percale("plan", self.model, "--devices", "cpu=2x1", "--json", *more).stdout)
            return plan["placement"]["expected_seconds"]
        path = os.path.join(self.path, "costs.json")
        percale("trace", self.model, "--out", path)
        with open(path, encoding="utf-8") as file:
            trace = json.load(file)
        for event in trace["traceEvents"]:
            if event["ph"] == "X":
                event["dur"] = 5e6
        with open(path, "w", encoding="utf-8") as file:
            json.dump(trace, file)
        self.assertLess(expected(), 1)
        self.assertGreater(expected("--costs", path), 5)
        self.assertIn("next to their", percale("plan", self.model, "--devices", "cpu=2x1", "--costs", path).stdout)
        with open(path, "w", encoding="utf-8") as file:
            file.write("{}")
        self.assertIn("traceEvents", percale("plan", self.model, "--costs", path, code=1).stderr)
        percale("plan", self.model, "--costs", os.path.join(self.path, "nothing.json"), code=1)

    def test_check_tells_good_from_bad(self):
        with open(self.model, "rb") as file:
            good = file.read()
        self.assertEqual(percale("check", self.model).stdout, f"ok {self.model}\n")
        source = random.Random(3)
        bad = []
        for number in range(40):
            path = os.path.join(self.path, f"bad{number}.percale")
            data = bytearray(good)
            if number % 2 == 0:
                del data[source.randrange(len(data)):]
            else:
                data[source.randrange(min(len(data), 2000))] ^= 1 << source.randrange(8)
            with open(path, "wb") as out:
                out.write(data)
            bad.append(path)
        result = subprocess.run([program.PATH, "check", self.model, *bad], capture_output=True, text=True, timeout=120, check=False)
        lines = result.stdout.splitlines()
        self.assertEqual(len(lines), 41)
        self.assertEqual(result.returncode, 1)
        self.assertTrue(all(re.match(r"bad \S+: .+", line) for line in lines[1::2]), lines[1::2])
        listed = json.loads(subprocess.run([program.PATH, "check", "--json", self.model, "/nowhere"], capture_output=True, text=True,
                                           timeout=60, check=False).stdout)
        self.assertEqual([entry["ok"] for entry in listed], [True, False])

    def test_check_reads_jobs_and_checkpoints(self):
        with tempfile.TemporaryDirectory() as folder:
            make_data(folder, 64)
            job = os.path.join(folder, "job.json")
            with open(job, "w", encoding="utf-8") as file:
                json.dump(SPEC, file)
            run = os.path.join(folder, "run")
            percale("train", job, "--data", folder, "--out", run)
            self.assertEqual(percale("check", job, run).stdout, f"ok {job}\nok {run}\n")
            state = os.path.join(run, max(name for name in os.listdir(run) if name.startswith("step-")), "state.safetensors")
            with open(state, "r+b") as file:
                file.seek(-4, os.SEEK_END)
                file.write(b"\xff\xff\xff\xff")
            self.assertRegex(percale("check", run, code=1).stdout, r"^bad .*run: .*checksum")


if __name__ == "__main__":
    program.main()
