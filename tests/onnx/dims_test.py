"""Tests changed dims of imported models: a fixed batch becomes free if the graph allows it, and the
results stay the same.

    python dims_test.py PERCALE
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from npy import read_npy, write_npy  # noqa: E402
from onnx_writer import *

PERCALE = None


def run(*arguments, code=0):
    result = subprocess.run([PERCALE, *arguments], capture_output=True, text=True, timeout=100)
    if result.returncode != code:
        raise AssertionError(result.stdout + result.stderr)
    return result


def numbers_of(path):
    return read_npy(path)[1]


class Dims(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = folder.name
        self.model = os.path.join(self.path, "m.onnx")
        self.made = os.path.join(self.path, "m.percale")

    def write(self, graph):
        with open(self.model, "wb") as out:
            out.write(model(graph))

    def imported(self, *dims):
        run("import", self.model, self.made, *sum((["--dim", dim] for dim in dims), []))
        return json.loads(run("show", self.made, "--json").stdout)

    def refused(self, *dims):
        """The value of a flag is wrong: exit code 2."""
        return run("import", self.model, self.made, *sum((["--dim", dim] for dim in dims), []), code=2).stderr

    def compare_batches(self, row, rows, output):
        """The model with a free batch must give for `rows` rows what the model of one row gives for
        each."""
        source = random.Random(1)
        size = 1
        for dim in row:
            size *= dim
        numbers = [source.uniform(-1, 1) for _ in range(rows * size)]
        feed = os.path.join(self.path, "x.npy")
        write_npy(feed, "f4", [rows, *row], numbers)
        run("run", self.made, "--feed", "x=" + feed, "--out", self.path)
        together = numbers_of(os.path.join(self.path, output + ".npy"))
        single = []
        for i in range(rows):
            write_npy(feed, "f4", [1, *row], numbers[i * size:(i + 1) * size])
            run("run", self.model, "--feed", "x=" + feed, "--out", self.path)
            single += numbers_of(os.path.join(self.path, output + ".npy"))
        self.assertEqual(len(together), len(single))
        for a, b in zip(together, single):
            self.assertAlmostEqual(a, b, delta=1e-5)

    def test_a_fixed_batch_becomes_free_through_reshapes(self):
        source = random.Random(2)
        weights = [source.uniform(-1, 1) for _ in range(2 * 1 * 3 * 3)]
        graph = Graph([node("Conv", ["x", "w"], ["c"]), node("Reshape", ["c", "flat"], ["f"]),
                       node("MatMul", ["f", "m"], ["d"]), node("Reshape", ["d", "parts"], ["p"]),
                       node("Softmax", ["p"], ["y"])],
                      [value("x", FLOAT, [1, 1, 4, 4])], [value("y", FLOAT, [1, 2, 3])],
                      [floats("w", [2, 1, 3, 3], weights), ints("flat", [2], [1, 8]),
                       floats("m", [8, 6], [source.uniform(-1, 1) for _ in range(48)]), ints("parts", [3], [1, -1, 3])])
        self.write(graph)
        summary = self.imported("batch=?")
        self.assertEqual(summary["inputs"][0]["dims"], [-1, 1, 4, 4])
        self.assertEqual(summary["outputs"][0]["dims"], [-1, 2, 3])
        self.compare_batches([1, 4, 4], 5, "y")
        self.assertEqual(self.imported("batch=3")["outputs"][0]["dims"], [3, 2, 3])
        self.assertEqual(self.imported("x:0=?")["inputs"][0]["dims"], [-1, 1, 4, 4])

    def test_a_graph_that_is_made_for_its_batch_is_refused_by_its_node(self):
        graph = Graph([node("Concat", ["token", "x"], ["y"], axis=1)], [value("x", FLOAT, [1, 2, 3])],
                      [value("y", FLOAT, [1, 3, 3])], [floats("token", [1, 1, 3], [1, 2, 3])])
        self.write(graph)
        message = self.refused("batch=?")
        self.assertIn("the graph does not work with other dims", message)
        self.assertIn("Concat", message)
        self.assertFalse(os.path.exists(self.made))

    def test_dims_keep_their_names_and_can_be_set_by_them(self):
        graph = Graph([node("Relu", ["x"], ["y"]), node("Add", ["y", "z"], ["s"])],
                      [value("x", FLOAT, ["rows", "height", 3]), value("z", FLOAT, ["rows", "height", 3])],
                      [value("s", FLOAT, ["rows", "height", 3])])
        self.write(graph)
        summary = self.imported("height=7")
        self.assertEqual([i["dims"] for i in summary["inputs"]], [[-1, 7, 3]] * 2)
        self.assertEqual(summary["outputs"][0]["dims"], [-1, 7, 3])
        self.assertIn("did you mean 'height'", self.refused("hight=7"))
        self.assertIn("there are batch, rows, height", self.refused("depth=7"))
        for wrong in ("height", "height=0", "height=x", "=3"):
            self.assertIn("wanted NAME=SIZE", self.refused(wrong))
        back = os.path.join(self.path, "back.onnx")
        run("export", self.made, back)
        with open(back, "rb") as file:
            data = file.read()
        # The names of dims are fields 2 of the dims.
        self.assertIn(field(2, "rows"), data)
        self.assertNotIn(field(2, "height"), data[data.index(field(2, "rows")):].replace(b"percale", b""))

    def test_bodies_of_if_take_the_free_batch(self):
        branch = lambda op: Graph([node(op, ["x"], ["r"])], [], [value("r", FLOAT, [1, 3])])
        graph = Graph([node("ReduceSum", ["x"], ["sum"], keepdims=0), node("Greater", ["sum", "zero"], ["positive"]),
                       node("If", ["positive"], ["y"], then_branch=branch("Neg"), else_branch=branch("Abs"))],
                      [value("x", FLOAT, [1, 3])], [value("y", FLOAT, [1, 3])], [floats("zero", [], [0])])
        self.write(graph)
        self.assertEqual(self.imported("batch=?")["outputs"][0]["dims"], [-1, 3])
        feed = os.path.join(self.path, "x.npy")
        write_npy(feed, "f4", [2, 3], [1, 2, 3, 4, 5, 6])
        run("run", self.made, "--feed", "x=" + feed, "--out", self.path)
        self.assertEqual(numbers_of(os.path.join(self.path, "y.npy")), [-1, -2, -3, -4, -5, -6])


if __name__ == "__main__":
    PERCALE = sys.argv.pop(1)
    unittest.main()
