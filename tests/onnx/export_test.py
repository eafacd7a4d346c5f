"""Tests the exporter: the model of a trained net gives the net's results; metadata and names are
kept.

    python export_test.py PERCALE
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


def run(*arguments):
    result = subprocess.run([PERCALE, *arguments], capture_output=True, text=True, timeout=100)
    if result.returncode:
        raise AssertionError(result.stdout + result.stderr)
    return result.stdout


LENET = [{"layer": "Conv2D", "filters": 16, "kernel_size": 5, "padding": "same", "activation": "relu"},
         {"layer": "MaxPooling2D", "pool_size": 2},
         {"layer": "Conv2D", "filters": 32, "kernel_size": 5, "padding": "same", "activation": "relu"},
         {"layer": "MaxPooling2D", "pool_size": 2}, {"layer": "Flatten"},
         {"layer": "Dense", "units": 128, "activation": "relu"}, {"layer": "Dense", "units": 10}]
MIXED = [{"layer": "SeparableConv2D", "filters": 4, "kernel_size": 3}, {"layer": "BatchNormalization"},
         {"layer": "Activation", "activation": "gelu"}, {"layer": "Dropout", "rate": 0.4}, {"layer": "AveragePooling2D", "pool_size": 2},
         {"layer": "Reshape", "target_shape": [9, 4]}, {"layer": "LSTM", "units": 6, "return_sequences": True},
         {"layer": "LayerNormalization"}, {"layer": "GRU", "units": 5}, {"layer": "Dense", "units": 10}]


def top_fields(data):
    """Yields the fields of a message: number and value, an int or bytes."""
    at = 0

    def varint_here():
        nonlocal at
        out = shift = 0
        while True:
            byte = data[at]
            at += 1
            out |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return out

    while at < len(data):
        key = varint_here()
        if key & 7 == 0:
            yield key >> 3, varint_here()
        else:
            size = varint_here() if key & 7 == 2 else {1: 8, 5: 4}[key & 7]
            yield key >> 3, data[at:at + size]
            at += size


def versions(path):
    """Returns the opset of ONNX's own domain and the IR version of a model."""
    with open(path, "rb") as file:
        message = list(top_fields(file.read()))
    opsets = [dict(top_fields(v)) for n, v in message if n == 8]
    return next(o[2] for o in opsets if not o.get(1)), dict(message)[1]


class Exports(unittest.TestCase):
    def setUp(self):
        self.holder = tempfile.TemporaryDirectory()
        self.folder = self.holder.name

    def tearDown(self):
        self.holder.cleanup()

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def trained(self, layers, side):
        random.seed(7)
        rows = 32
        write_npy(self.path("x.npy"), "f4", [rows, side, side, 1], [random.random() for _ in range(rows * side * side)])
        write_npy(self.path("y.npy"), "i8", [rows], [random.randrange(10) for _ in range(rows)])
        spec = {"model": layers, "input_shape": [side, side, 1], "loss": "sparse_categorical_crossentropy",
                "from_logits": True, "optimizer": "adam", "batch_size": 8, "epochs": 1, "seed": 3,
                "data": {"train": {"x": "x.npy", "y": "y.npy"}}}
        with open(self.path("spec.json"), "w") as out:
            json.dump(spec, out)
        run("train", self.path("spec.json"), "--data", self.folder, "--out", self.path("out"), "--json")
        return self.path("out", "model.percale")

    def outputs(self, model):
        summary = json.loads(run("show", model, "--json"))
        feeds = []
        for i in summary["inputs"]:
            feeds += ["--feed", f'{i["name"]}={self.path("y.npy" if i["dtype"] == "i64" else "x.npy")}']
        run("run", model, "--out", self.path("values"), *feeds)
        names = [o["name"] for o in summary["outputs"]]
        return names, [read_npy(self.path("values", name.replace("/", "_").replace(":", "_") + ".npy")) for name in names]

    def check_trained(self, layers, side, near=0):
        """`near`: the tolerance for attributes, which are f32 in ONNX and f64 here."""
        model = self.trained(layers, side)
        run("export", model, self.path("model.onnx"))
        names, wanted = self.outputs(model)
        again, got = self.outputs(self.path("model.onnx"))
        self.assertEqual(again, names)
        for (shape, values), (wanted_shape, wanted_values) in zip(got, wanted):
            self.assertEqual(shape, wanted_shape)
            self.assertLessEqual(max(abs(a - b) for a, b in zip(values, wanted_values)), near)
        variables = lambda path: [(v["name"], v["trainable"]) for v in json.loads(run("show", path, "--json"))["variables"]]
        self.assertLessEqual(set(variables(self.path("model.onnx"))), set(variables(model)))

    def test_a_trained_lenet_gives_the_same_bits_as_its_model(self):
        self.check_trained(LENET, 28)

    def test_kernels_of_convolutions_have_the_form_of_the_operand(self):
        run("export", self.trained(LENET, 28), self.path("model.onnx"))
        summary = json.loads(run("show", self.path("model.onnx"), "--json"))
        dims = {v["name"]: v["dims"] for v in summary["variables"]}
        self.assertEqual(dims["conv2d/kernel"], [16, 1, 5, 5])
        self.assertEqual(dims["conv2d_1/kernel"], [32, 16, 5, 5])
        self.assertEqual(summary["metadata"]["percale.forms"], "conv2d/kernel 3,2,0,1\nconv2d_1/kernel 3,2,0,1")
        run("export", self.path("model.onnx"), self.path("again.onnx"))
        with open(self.path("model.onnx"), "rb") as a, open(self.path("again.onnx"), "rb") as b:
            self.assertEqual(a.read(), b.read())

    def test_so_does_a_net_of_many_kinds_of_layers(self):
        self.check_trained(MIXED, 8, near=1e-6)

    def test_facts_of_a_model_stay_and_say_which_initializers_are_variables(self):
        graph = Graph([node("Add", ["x", "w"], ["h"]), node("Mul", ["h", "s"], ["y"])], [value("x", FLOAT, [2])],
                      [value("y", FLOAT, [2])], [floats("w", [2], [1, 2]), floats("s", [2], [3, 4])])
        facts = b"".join(field(14, field(1, k) + field(2, v)) for k, v in
                         (("author", "somebody"), ("percale.trainable", ""), ("percale.fixed", "s")))
        with open(self.path("in.onnx"), "wb") as out:
            out.write(model(graph) + facts)
        run("export", self.path("in.onnx"), self.path("out.onnx"))
        summary = json.loads(run("show", self.path("out.onnx"), "--json"))
        self.assertEqual([(v["name"], v["trainable"]) for v in summary["variables"]], [("s", False)])
        with open(self.path("out.onnx"), "rb") as file:
            self.assertIn(field(14, field(1, "author") + field(2, "somebody")), file.read())

    def exported(self, graph, opset):
        with open(self.path("in.onnx"), "wb") as out:
            out.write(model(graph, opset))
        run("export", self.path("in.onnx"), self.path("out.onnx"))
        return self.path("out.onnx")

    def test_a_model_is_written_in_the_oldest_opset_that_says_what_its_nodes_mean(self):
        f = lambda dims: [value("x", FLOAT, dims)]
        i = [value("x", INT32, [4])]
        axes, pads = [ints("axes", [1], [1])], [ints("pads", [2], [1, 1])]
        cases = {  # opset of the model, node, inputs, initializers, expected opset and IR version
            "Relu of floats": (14, node("Relu", ["x"], ["y"]), f([4]), [], 13, 7),
            "Relu of integers": (14, node("Relu", ["x"], ["y"]), i, [], 14, 7),
            "Conv": (22, node("Conv", ["x", "w"], ["y"]), f([1, 1, 4, 4]), [floats("w", [1, 1, 1, 1], [2])], 13, 7),
            "a harmless attribute": (25, node("Reshape", ["x", "axes"], ["y"], allowzero=0), f([4]),
                                     [ints("axes", [2], [2, 2])], 13, 7),
            "an attribute of opset 14": (25, node("Reshape", ["x", "axes"], ["y"], allowzero=1), f([4]),
                                         [ints("axes", [2], [2, 2])], 14, 7),
            "constant axes": (18, node("ReduceMean", ["x", "axes"], ["y"]), f([2, 3]), axes, 13, 7),
            "fed axes": (18, node("ReduceMean", ["x", "axes"], ["y"]), f([2, 3]) + [value("axes", INT64, [1])], [], 18, 8),
            "a mode of opset 19": (25, node("Pad", ["x", "pads"], ["y"], mode="wrap"), f([4]), pads, 19, 9),
            "a mode of opset 11": (25, node("Pad", ["x", "pads"], ["y"], mode="edge"), f([4]), pads, 13, 7),
            "equal parts": (18, node("Split", ["x"], ["y", "z"], num_outputs=2), f([4]), [], 13, 7),
            "unequal parts": (18, node("Split", ["x"], ["y", "z"], num_outputs=2), f([5]), [], 18, 8),
            "a type of opset 27": (27, node("Range", ["a", "b", "c"], ["y"]), [],
                                   [tensor(name, FLOAT16, [], b"\x00\x3c") for name in ("a", "b", "c")], 27, 13),
            "an op of opset 20": (20, node("Gelu", ["x"], ["y"]), f([4]), [], 20, 9),
        }
        for name, (opset, made, inputs, initializers, wanted, ir) in cases.items():
            with self.subTest(name):
                path = self.exported(Graph([made], inputs, [value("y", INT32 if "integers" in name else FLOAT, None)],
                                           initializers), opset)
                self.assertEqual(versions(path), (wanted, ir))
                run("show", path)

    def test_axes_that_become_an_attribute_leave_no_constant_behind(self):
        path = self.exported(Graph([node("ReduceMax", ["x", "axes"], ["y"])], [value("x", FLOAT, [2, 3])],
                                   [value("y", FLOAT, None)], [ints("axes", [1], [1])]), 18)
        with open(path, "rb") as file:
            graph = dict(top_fields(file.read()))[7]
        self.assertNotIn(5, dict(top_fields(graph)))  # initializers

    def test_dropout_is_left_out(self):
        nodes = [node("Relu", ["x"], ["h"]), node("Dropout", ["h"], ["d"]), node("Neg", ["d"], ["n"]),
                 node("Dropout", ["n"], ["y"])]
        path = self.exported(Graph(nodes, [value("x", FLOAT, [4])], [value("y", FLOAT, [4])]), 14)
        summary = json.loads(run("show", path, "--json"))
        self.assertEqual(summary["ops"], {"Neg": 1, "Relu": 1})
        self.assertEqual([o["name"] for o in summary["outputs"]], ["y"])


if __name__ == "__main__":
    PERCALE = sys.argv.pop()
    unittest.main()
