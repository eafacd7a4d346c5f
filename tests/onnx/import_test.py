"""Tests the importer: models are written as test cases, and `percale test` compares the results.

    python import_test.py PERCALE
"""
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest

from onnx_writer import *

PERCALE = None


def run(*arguments):
    return subprocess.run([PERCALE, *arguments], capture_output=True, text=True, timeout=60)


class Models(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = self.folder.name
        self.model = os.path.join(self.path, "model.onnx")

    def tearDown(self):
        self.folder.cleanup()

    def write(self, data, inputs=(), outputs=()):
        with open(self.model, "wb") as out:
            out.write(data)
        folder = os.path.join(self.path, "test_data_set_0")
        os.makedirs(folder)
        for kind, tensors in (("input", inputs), ("output", outputs)):
            for i, data in enumerate(tensors):
                with open(os.path.join(folder, f"{kind}_{i}.pb"), "wb") as out:
                    out.write(data)

    def gives(self, data, inputs, outputs):
        self.write(data, inputs, outputs)
        for flags in ([], ["--exported"]):
            result = run("test", *flags, self.path)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            self.assertIn("1 passed, 0 failed, 0 unsupported", result.stdout)

    def summary(self):
        return json.loads(run("show", self.model, "--json").stdout)

    def test_float_initializers_are_variables_and_names_stay(self):
        graph = Graph([node("MatMul", ["x", "w"], ["h"]), node("Relu", ["h"], ["y"], name="h")],
                      [value("x", FLOAT, ["n", 2])], [value("y", FLOAT, ["n", 2])], [floats("w", [2, 2], [1, 0, 0, -1])])
        self.gives(model(graph), [floats("x", [1, 2], [3, 4])], [floats("y", [1, 2], [3, 0])])
        summary = self.summary()
        self.assertEqual([v["name"] for v in summary["variables"]], ["w"])
        self.assertEqual([v["name"] for v in summary["inputs"] + summary["outputs"]], ["x", "y"])
        self.assertEqual(summary["inputs"][0]["dims"], [-1, 2])

    def checked(self, batch_size):
        """Returns the output of `check` for a SPEC that trains the model."""
        job = os.path.join(self.path, "job.json")
        with open(job, "w", encoding="utf-8") as out:
            json.dump({"model": "model.onnx", "loss": "mse", "optimizer": "sgd", "batch_size": batch_size,
                       "data": {"train": {"x": "x.npy", "y": "y.npy"}}}, out)
        return run("check", job).stdout

    def test_weights_of_constant_nodes_stay_constants_and_a_training_says_so(self):
        weights = node("Constant", [], ["w"], value=Tensor(floats("", [2, 2], [1, 0, 0, -1])))
        graph = Graph([weights, node("MatMul", ["x", "w"], ["y"])],
                      [value("x", FLOAT, ["n", 2])], [value("y", FLOAT, ["n", 2])])
        self.gives(model(graph), [floats("x", [1, 2], [3, 4])], [floats("y", [1, 2], [3, -4])])
        self.assertEqual(self.summary()["variables"], [])
        self.assertIn("no variables that could be trained", self.checked(1))

    def test_a_training_says_how_a_fixed_batch_becomes_free(self):
        graph = Graph([node("MatMul", ["x", "w"], ["y"])], [value("x", FLOAT, [1, 2])],
                      [value("y", FLOAT, [1, 2])], [floats("w", [2, 2], [1, 0, 0, -1])])
        self.write(model(graph))
        self.assertRegex(self.checked(64), "takes batches of 1 .*percale import IN OUT --dim batch=[?]")
        self.assertTrue(self.checked(1).startswith("ok "))

    def test_models_whose_shapes_depend_on_values_are_measured(self):
        graph = Graph([node("NonZero", ["x"], ["where"]), node("Transpose", ["where"], ["y"], perm=[1, 0])],
                      [value("x", FLOAT, ["n", 2])], [value("y", INT64, None)])
        self.write(model(graph))
        measured = run("bench", self.model, "--feed-shape", "x=4,2", "--runs", "10", "--json")
        self.assertEqual(measured.returncode, 0, measured.stderr)
        self.assertEqual(json.loads(measured.stdout)["runs"], 10)

    def test_dims_that_were_guessed_are_told_where_they_do_not_fit(self):
        graph = Graph([node("MatMul", ["x", "w"], ["y"])], [value("x", FLOAT, ["n", "k"])], [value("y", FLOAT, ["n", 2])],
                      [floats("w", [2, 2], [1, 0, 0, -1])])
        self.write(model(graph))
        for arguments in (["bench", self.model], ["show", self.model, "--planned"], ["trace", self.model, "--out", self.path + "/t.json"]):
            failed = run(*arguments)
            self.assertEqual(failed.returncode, 1, arguments)
            self.assertIn("unknown dims were set to 1, set them with: --feed-shape x=?,?", failed.stderr)
            self.assertEqual(run(*arguments, "--feed-shape", "x=3,2").returncode, 0, arguments)

    def test_numbers_in_the_rank_of_what_they_meet_are_constants(self):
        graph = Graph([node("Mul", ["x", "half"], ["h"]), node("PRelu", ["h", "slope"], ["p"]), node("Add", ["p", "bias"], ["y"])],
                      [value("x", FLOAT, [1, 2])], [value("y", FLOAT, [1, 2])],
                      [floats("half", [1, 1], [0.5]), floats("slope", [1, 1], [0.25]), floats("bias", [1], [3])])
        self.gives(model(graph), [floats("x", [1, 2], [8, -8])], [floats("y", [1, 2], [7, 2])])
        self.assertEqual([v["name"] for v in self.summary()["variables"]], ["slope", "bias"])

    def test_parameters_that_were_equal_by_chance_are_variables_of_their_own(self):
        # As PyTorch's TorchScript exporter writes a fresh network: bias and running mean are equal,
        # and scale and running variance are equal.
        graph = Graph([node("Identity", ["bias"], ["mean"]), node("Identity", ["scale"], ["var"]), node("Identity", ["scale"], ["scale2"]),
                       node("Identity", ["w"], ["tied"]),
                       node("BatchNormalization", ["x", "scale", "bias", "mean", "var"], ["n"], epsilon=0.0),
                       node("Mul", ["n", "scale2"], ["m"]), node("MatMul", ["m", "w"], ["p"]), node("MatMul", ["p", "tied"], ["y"])],
                      [value("x", FLOAT, ["n", 2])], [value("y", FLOAT, ["n", 2])],
                      [floats("bias", [2], [0, 0]), floats("scale", [2], [1, 1]), floats("w", [2, 2], [0, 1, 2, 0])])
        self.gives(model(graph), [floats("x", [1, 2], [1, 2])], [floats("y", [1, 2], [2, 4])])
        self.assertEqual({v["name"]: v["trainable"] for v in self.summary()["variables"]},
                         {"bias": True, "mean": False, "scale": True, "var": False, "scale2": True, "w": True})

    def test_a_model_in_training_form_infers(self):
        graph = Graph([node("BatchNormalization", ["x", "scale", "bias", "mean", "var"], ["n", "mean_next", "var_next"], epsilon=0.0, training_mode=1),
                       node("Constant", [], ["ratio"], value_float=0.9), node("Constant", [], ["on"], value=Tensor(tensor("", BOOL, [], b"\1"))),
                       node("Dropout", ["n", "ratio", "on"], ["y"])],
                      [value("x", FLOAT, ["n", 1])], [value("y", FLOAT, ["n", 1]), value("mean_next", FLOAT, [1])],
                      [floats("scale", [1], [3]), floats("bias", [1], [10]), floats("mean", [1], [1]), floats("var", [1], [4])])
        self.gives(model(graph), [floats("x", [2, 1], [1, 3])], [floats("", [2, 1], [10, 13]), floats("", [1], [1])])

    def shape_of_output(self, nodes, dims, initializers=()):
        """Returns the dims of the only output "y" after the import of a model with the input "x".
        """
        self.write(model(Graph(nodes, [value("x", FLOAT, dims)], [value("y", FLOAT, None)], initializers)))
        summary = self.summary()
        self.assertEqual([v["name"] for v in summary["outputs"]], ["y"])
        return summary["outputs"][0]["dims"]

    def axes_two_and_three(self):
        """Returns nodes and initializers of "axes", as exporters write a range that they do not
        fold."""
        return ([node("Add", ["three", "one"], ["four"]), node("Range", ["two", "four", "one"], ["axes"])],
                [ints("one", [], [1]), ints("two", [], [2]), ints("three", [], [3])])

    def test_a_reduction_over_computed_axes_keeps_the_other_dims(self):
        axes, numbers = self.axes_two_and_three()
        mean = node("ReduceMean", ["x", "axes"], ["y"], keepdims=0)
        self.assertEqual(self.shape_of_output([*axes, mean], ["n", 3, 4, 5], numbers), [-1, 3])

    def test_an_unsqueeze_by_a_range_keeps_the_rank(self):
        axes, numbers = self.axes_two_and_three()
        self.assertEqual(self.shape_of_output([*axes, node("Unsqueeze", ["x", "axes"], ["y"])], ["n", 3], numbers), [-1, 3, 1, 1])

    def test_a_batch_that_is_viewed_as_rows_keeps_the_known_dims(self):
        # PyTorch's x.view(x.size(0), -1), exported without optimisation.
        nodes = [node("Shape", ["x"], ["shape"]), node("Gather", ["shape", "zero"], ["n"], axis=0), node("Unsqueeze", ["n", "axes"], ["row"]),
                 node("Concat", ["row", "rest"], ["wanted"], axis=0), node("Reshape", ["x", "wanted"], ["y"])]
        numbers = [ints("zero", [], [0]), ints("axes", [1], [0]), ints("rest", [1], [-1])]
        self.assertEqual(self.shape_of_output(nodes, ["n", 3, 4, 5], numbers), [-1, 60])

    def test_types_that_were_found_stay_in_the_file(self):
        shape = [node("Add", ["half", "half"], ["shape"]), node("Reshape", ["x", "shape"], ["y"])]
        self.assertEqual(self.shape_of_output(shape, [2, 3, 4], [ints("half", [2], [2, 3])]), [4, 6])
        first, second = (os.path.join(self.path, name) for name in ("first.percale", "second.percale"))
        self.assertEqual(run("import", self.model, first).returncode, 0)
        self.assertEqual(run("import", self.model, second).returncode, 0)
        self.assertEqual(json.loads(run("show", first, "--json").stdout)["outputs"][0]["dims"], [4, 6])
        with open(first, "rb") as one, open(second, "rb") as other:
            self.assertEqual(one.read(), other.read())

    def test_an_inner_value_is_fetched_by_its_name(self):
        graph = Graph([node("Neg", ["x"], ["inner value"]), node("Abs", ["inner value"], ["y"])],
                      [value("x", FLOAT, [2])], [value("y", FLOAT, [2])])
        self.write(model(graph))
        plan = run("run", self.model, "--fetch", "nothing", "--out", self.path)
        self.assertIn("nothing", plan.stderr)
        self.assertEqual(run("import", self.model, os.path.join(self.path, "m.percale")).returncode, 0)
        self.assertEqual(run("check", os.path.join(self.path, "m.percale")).returncode, 0)

    def test_initializers_of_every_storage_have_their_values(self):
        packed = lambda number, code, values: field(number, struct.pack(f"<{len(values)}{code}", *values))
        numbers = lambda number, values: field(number, b"".join(varint(v) for v in values))
        stored = [  # dtype, typed data, the same as raw data
            (1, packed(4, "f", [1.5, -2]), struct.pack("<2f", 1.5, -2)),
            (1, fields(4, [1.5, -2.0]), struct.pack("<2f", 1.5, -2)),
            (2, numbers(5, [200, 7]), bytes([200, 7])),
            (3, numbers(5, [-3, 7]), struct.pack("<2b", -3, 7)),
            (4, numbers(5, [60000, 7]), struct.pack("<2H", 60000, 7)),
            (5, fields(5, [-300, 7]), struct.pack("<2h", -300, 7)),
            (6, numbers(5, [-70000, 7]), struct.pack("<2i", -70000, 7)),
            (7, numbers(7, [-1 << 40, 7]), struct.pack("<2q", -1 << 40, 7)),
            (9, numbers(5, [1, 0]), bytes([1, 0])),
            (10, numbers(5, [0x3C00, 0xC000]), struct.pack("<2H", 0x3C00, 0xC000)),
            (11, packed(10, "d", [1.5, -2]), struct.pack("<2d", 1.5, -2)),
            (12, numbers(11, [4000000000, 7]), struct.pack("<2I", 4000000000, 7)),
            (13, numbers(11, [1 << 63, 7]), struct.pack("<2Q", 1 << 63, 7)),
            (16, numbers(5, [0x3F80, 0xC000]), struct.pack("<2H", 0x3F80, 0xC000)),
            (17, numbers(5, [0x38, 0xC0]), bytes([0x38, 0xC0])),
            (19, numbers(5, [0x3C, 0xC0]), bytes([0x3C, 0xC0])),
            (21, numbers(5, [0x21]), bytes([0x21])),
            (22, numbers(5, [0xF1]), bytes([0xF1])),
            (25, numbers(5, [0b0110]), bytes([0b0110])),
        ]
        names = [f"t{i}" for i in range(len(stored))]
        graph = Graph([node("Identity", [n], [n + "_out"]) for n in names], [],
                      [value(n + "_out", d, [2]) for n, (d, _, _) in zip(names, stored)],
                      [tensor(n, d, [2], typed=typed) for n, (d, typed, _) in zip(names, stored)])
        self.gives(model(graph, 25), [], [tensor("", d, [2], raw) for d, _, raw in stored])

    def test_external_data_is_read_from_the_folder(self):
        os.makedirs(os.path.join(self.path, "deep"))
        with open(os.path.join(self.path, "deep", "weights.bin"), "wb") as out:
            out.write(b"????" + struct.pack("<2f", 5, 6))
        entries = {"location": "deep/weights.bin", "offset": "4", "length": "8"}
        data = tensor("w", FLOAT, [2]) + fields(13, [field(1, k) + field(2, v) for k, v in entries.items()]) + field(14, 1)
        graph = Graph([node("Add", ["x", "w"], ["y"])], [value("x", FLOAT, [2])], [value("y", FLOAT, [2])], [data])
        self.gives(model(graph), [floats("x", [2], [1, 1])], [floats("y", [2], [6, 7])])

    def test_functions_take_the_place_of_their_calls(self):
        inner = function("Twice", ["a"], ["b"], [node("Add", ["a", "a"], ["b"])])
        outer = function("Slope", ["a", "unused"], ["c", "a"], [
            node("Twice", ["a"], ["t"], domain="local"),
            node("LeakyRelu", ["t"], ["c"], alpha=Reference("slope", 1))], attributes=["slope"])
        graph = Graph([node("Slope", ["x"], ["y", "same"], name="first", domain="local", slope=0.5),
                       node("Slope", ["same"], ["z"], domain="local", slope=0.25)],
                      [value("x", FLOAT, [2])], [value("y", FLOAT, [2]), value("z", FLOAT, [2])])
        self.gives(model(graph, domains=["local"], functions=[inner, outer]), [floats("x", [2], [1, -1])],
                   [floats("", [2], [2, -1]), floats("", [2], [2, -0.5])])

    def test_branches_see_the_values_around(self):
        deep = Graph([node("Mul", ["x", "k"], ["p"])], outputs=[value("p", FLOAT, [2])])
        deeper = Graph([node("Identity", ["x"], ["q"])], outputs=[value("q", FLOAT, [2])])
        then = Graph([node("If", ["c"], ["r"], then_branch=deep, else_branch=deeper)], outputs=[value("r", FLOAT, [2])])
        other = Graph([node("Neg", ["x"], ["s"])], outputs=[value("s", FLOAT, [2])])
        graph = Graph([node("If", ["c"], ["y"], then_branch=then, else_branch=other)],
                      [value("c", BOOL), value("x", FLOAT, [2])], [value("y", FLOAT, [2])], [floats("k", [2], [3, 4])])
        self.gives(model(graph), [tensor("", BOOL, [], b"\1"), floats("", [2], [1, 2])], [floats("", [2], [3, 8])])

    def test_loops_carry_and_stack(self):
        body = Graph([node("Add", ["sum", "step"], ["next"]), node("Identity", ["cond"], ["go"]), node("Mul", ["next", "next"], ["sq"])],
                     [value("i", INT64), value("cond", BOOL), value("sum", FLOAT)],
                     [value("go", BOOL), value("next", FLOAT), value("sq", FLOAT)])
        graph = Graph([node("Loop", ["n", "", "zero"], ["last", "squares"], body=body)],
                      [value("n", INT64), value("step", FLOAT)], [value("last", FLOAT), value("squares", FLOAT, ["k"])],
                      [floats("zero", [], [0])])
        self.gives(model(graph), [ints("", [], [3]), floats("", [], [2])], [floats("", [], [6]), floats("", [3], [4, 16, 36])])

    def test_scans_carry_stack_and_see_the_values_around(self):
        body = Graph([node("Add", ["sum", "a"], ["next"]), node("Sub", ["a", "b"], ["apart"]), node("Mul", ["apart", "k"], ["scaled"])],
                     [value("sum", FLOAT, [2]), value("a", FLOAT, [2]), value("b", FLOAT, [2])],
                     [value("next", FLOAT, [2]), value("next", FLOAT, [2]), value("scaled", FLOAT, [2])])
        graph = Graph([node("Scan", ["zero", "x", "z"], ["last", "sums", "parts"], body=body, num_scan_inputs=2, scan_input_axes=[0, -1],
                            scan_input_directions=[0, 1], scan_output_axes=[1, 0], scan_output_directions=[0, 1])],
                      [value("zero", FLOAT, [2]), value("x", FLOAT, ["n", 2]), value("z", FLOAT, [2, "n"]), value("k", FLOAT, [2])],
                      [value("last", FLOAT, [2]), value("sums", FLOAT, [2, "n"]), value("parts", FLOAT, ["n", 2])])
        # Rows of x, and columns of z from the last one backwards
        x, z = [1, 2, 3, 4, 5, 6], [10, 20, 30, 40, 50, 60]
        self.gives(model(graph), [floats("", [2], [0, 0]), floats("", [3, 2], x), floats("", [2, 3], z), floats("", [2], [1, 2])],
                   [floats("", [2], [9, 12]), floats("", [2, 3], [1, 4, 9, 2, 6, 12]), floats("", [3, 2], [-5, -68, -17, -92, -29, -116])])

    def test_scans_that_cannot_be_are_refused(self):
        def refused(message, opset=11, **attributes):
            body = Graph([node("Identity", ["a"], ["b"])], [value("a", FLOAT)], [value("b", FLOAT)])
            graph = Graph([node("Scan", ["x"], ["y"], body=body, **attributes)], [value("x", FLOAT, [3])], [value("y", FLOAT, [3])])
            with open(self.model, "wb") as out:
                out.write(model(graph, opset))
            self.assertIn(message, run("check", self.model).stdout)
        refused("num_scan_inputs is out of range: 0")
        refused("num_scan_inputs is out of range: 2", num_scan_inputs=2)
        refused("axis 1 of an input of rank 1", num_scan_inputs=1, scan_input_axes=[1])
        refused("scan_output_axes has 2 entries, wanted 1", num_scan_inputs=1, scan_output_axes=[0, 0])
        refused("out of range", num_scan_inputs=1, scan_output_axes=[1])
        refused("scans batches", 8, num_scan_inputs=1)

    def test_nodes_may_stand_in_any_order(self):
        graph = Graph([node("Neg", ["h"], ["y"]), node("Abs", ["x"], ["h"])], [value("x", FLOAT, [1])], [value("y", FLOAT, [1])])
        self.gives(model(graph), [floats("", [1], [-3])], [floats("", [1], [-3])])

    def test_old_opsets_keep_their_meaning(self):
        old = {  # opset, nodes, initializers, x, y
            "softmax": (11, [node("Softmax", ["x"], ["y"])], [], ([1, 2, 2], [0] * 4), ([1, 2, 2], [0.25] * 4)),
            "slice": (9, [node("Slice", ["x"], ["y"], starts=[1], ends=[9], axes=[1])], [], ([1, 3], [1, 2, 3]), ([1, 2], [2, 3])),
            "squeeze": (11, [node("Squeeze", ["x"], ["y"], axes=[0])], [], ([1, 2], [1, 2]), ([2], [1, 2])),
            "clip": (6, [node("Clip", ["x"], ["y"], min=0.0)], [], ([2], [-1, 9]), ([2], [0, 9])),
            "pad": (2, [node("Pad", ["x"], ["y"], pads=[1, 0], value=7.0)], [], ([1], [1]), ([2], [7, 1])),
            "split": (11, [node("Split", ["x"], ["y", "z"])], [], ([2], [1, 2]), ([1], [1])),
            "sum": (12, [node("ReduceSum", ["x"], ["y"], axes=[1], keepdims=0)], [], ([1, 3], [1, 2, 3]), ([1], [6])),
            "dropout": (7, [node("Dropout", ["x"], ["y"], ratio=0.9)], [], ([2], [1, 2]), ([2], [1, 2])),
            "axis": (6, [node("Add", ["x", "b"], ["y"], broadcast=1, axis=0)], [floats("b", [2], [10, 20])],
                     ([2, 2], [1, 2, 3, 4]), ([2, 2], [11, 12, 23, 24])),
            "upsample": (9, [node("Upsample", ["x", "s"], ["y"])], [floats("s", [2], [1, 2])], ([1, 2], [1, 2]), ([1, 4], [1, 1, 2, 2])),
            "topk": (9, [node("TopK", ["x"], ["y", "i"], k=2)], [], ([3], [1, 9, 5]), ([2], [9, 5])),
            "group": (18, [node("GroupNormalization", ["x", "s", "b"], ["y"], num_groups=2, epsilon=0.0)],
                      [floats("s", [2], [1, 2]), floats("b", [2], [0, 10])],
                      ([1, 4, 1], [1, 3, 5, 7]), ([1, 4, 1], [-1, 1, 8, 12])),
            "slope": (6, [node("PRelu", ["x", "s"], ["y"])], [floats("s", [2], [2, 3])],
                      ([1, 2, 1, 1], [-1, -1]), ([1, 2, 1, 1], [-2, -3])),
            "norm": (1, [node("GlobalLpPool", ["x"], ["y"], p=1.0)], [], ([1, 1, 2], [-1, 3]), ([1, 1, 1], [4])),
            "hardmax": (11, [node("Hardmax", ["x"], ["y"])], [], ([1, 2, 2], [1, 2, 4, 3]), ([1, 2, 2], [0, 0, 1, 0])),
            "squares": (13, [node("ReduceSumSquare", ["x"], ["y"], axes=[1])], [], ([1, 2], [3, 4]), ([1, 1], [25])),
            "grid": (16, [node("GridSample", ["x", "g"], ["y"], mode="bilinear")], [floats("g", [1, 1, 1, 2], [0, 0])],
                     ([1, 1, 1, 2], [1, 2]), ([1, 1, 1, 1], [1.5])),
            "regions": (10, [node("RoiAlign", ["x", "r", "i"], ["y"])], [floats("r", [1, 4], [0, 0, 1, 1]), ints("i", [1], [0])],
                        ([1, 1, 2, 2], [1, 2, 3, 4]), ([1, 1, 1, 1], [2.5])),
            "rnn": (6, [node("RNN", ["x", "w", "r"], ["y"], hidden_size=1, output_sequence=1)],
                    [floats("w", [1, 1, 1], [100]), floats("r", [1, 1, 1], [0])], ([2, 1, 1], [1, -1]), ([2, 1, 1, 1], [1, -1])),
            "reshape": (4, [node("Reshape", ["x"], ["y"], shape=[2, 1])], [], ([2], [1, 2]), ([2, 1], [1, 2])),
        }
        for name, (opset, nodes, initializers, x, y) in old.items():
            with self.subTest(name):
                graph = Graph(nodes, [value("x", FLOAT, x[0])], [value("y", FLOAT, y[0])], initializers)
                self.path = os.path.join(self.folder.name, name)
                self.model = os.path.join(self.path, "model.onnx")
                os.makedirs(self.path)
                self.gives(model(graph, opset), [floats("", *x)], [floats("", *y)])

    def test_all_missing_ops_are_told_at_once(self):
        body = Graph([node("Sink", ["x"], ["q"], domain="far.away")], outputs=[value("q", FLOAT)])
        graph = Graph([node("Nope", ["x"], ["a"]), node("Nope", ["a"], ["b"]), node("If", ["c"], ["y"], then_branch=body, else_branch=body)],
                      [value("x", FLOAT), value("c", BOOL)], [value("y", FLOAT)])
        self.write(model(graph, domains=["far.away"]))
        result = run("check", self.model)
        self.assertEqual(result.returncode, 1)
        self.assertIn("Nope (2), far.away:Sink (2)", result.stdout)

    def test_a_foreign_domain_that_nothing_uses_is_no_error(self):
        graph = Graph([node("Neg", ["x"], ["y"])], [value("x", FLOAT, [1])], [value("y", FLOAT, [1])])
        self.gives(model(graph, domains=["com.example"]), [floats("", [1], [1])], [floats("", [1], [-1])])


if __name__ == "__main__":
    PERCALE = sys.argv.pop(1)
    unittest.main()
