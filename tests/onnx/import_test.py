"""Tests the importer: models are written as test cases, and `percale test` compares the results.

    python import_test.py PERCALE
"""
import os
import struct

from onnx_writer import *
from written_model import WrittenModel, main, run


class Models(WrittenModel):
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
    main()
