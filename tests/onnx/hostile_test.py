"""Models with false statements: each must be refused with a reason that names the place, in bounded
time and memory.

    python hostile_test.py PERCALE
"""
import os
import random
import resource
import struct
import subprocess
import sys
import tempfile
import unittest

from onnx_writer import *

PERCALE = None
MEMORY = 2 << 30  # address space; the library, its threads and the mapped file use a part of it
SECONDS = 20


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def check(*paths):
    return subprocess.run([PERCALE, "check", "--threads", "1", *paths], capture_output=True, text=True, timeout=SECONDS,
                          preexec_fn=limit)


def simple(initializers=(), nodes=(), **more):
    return model(Graph([*nodes, node("Neg", ["x"], ["y"])], [value("x", FLOAT, [2])], [value("y", FLOAT, [2])], initializers), **more)


def external(**entries):
    return tensor("w", FLOAT, [2]) + fields(13, [field(1, k) + field(2, v) for k, v in entries.items()]) + field(14, 1)


def nested(depth):
    graph = Graph([node("Neg", ["x"], ["r"])], outputs=[value("r", FLOAT, [2])])
    for _ in range(depth):
        graph = Graph([node("If", ["c"], ["r"], then_branch=graph, else_branch=Graph([node("Abs", ["x"], ["r"])], outputs=[value("r", FLOAT, [2])]))],
                      outputs=[value("r", FLOAT, [2])])
    return model(Graph([node("If", ["c"], ["y"], then_branch=graph, else_branch=graph)],
                       [value("x", FLOAT, [2]), value("c", BOOL)], [value("y", FLOAT, [2])]))


def calls(names):
    """Returns functions that each call the next ones."""
    return [function(name, ["a"], ["b"], [node(callee, ["a"], ["b" if i == 0 else f"u{i}"], domain="local")
                                          for i, callee in enumerate(callees)]) for name, callees in names.items()]


def calling(functions):
    graph = Graph([node("F0", ["x"], ["y"], domain="local")], [value("x", FLOAT, [2])], [value("y", FLOAT, [2])])
    return model(graph, domains=["local"], functions=functions)


LIES = {
    "no model": (b"hello", "not an ONNX model"),
    "text that begins like a field": (b"root:x:0:0:root:/root:/bin/bash\n", "not an ONNX model"),
    "nothing": (b"", "no graph"),
    "no graph": (field(1, 8), "no graph"),
    "a graph that is no message": (field(7, b"\xff\xff\xff\xff"), "not a valid GraphProto"),
    "a length beyond the end": (field(7, b"\x0a\xff\xff\xff\x7f\x00"), "not a valid GraphProto"),
    "4 GB of floats in no bytes": (simple([tensor("w", FLOAT, [1 << 15, 1 << 15], b"")]), "4294967296 bytes, but there are 0"),
    "dims that overflow": (simple([tensor("w", FLOAT, [1 << 40, 1 << 40], b"")]), "multiply to more than"),
    "a negative dim": (simple([tensor("w", FLOAT, [-1], b"")]), "dim -1"),
    "nine dims": (simple([tensor("w", FLOAT, [1] * 9, b"\0" * 4)]), "rank 9"),
    "too few floats": (simple([tensor("w", FLOAT, [3], typed=field(4, b"\0" * 8))]), "12 bytes, but there are 8"),
    "too many floats": (simple([tensor("w", FLOAT, [1], b"\0" * 8)]), "4 bytes, but there are 8"),
    "half a float": (simple([tensor("w", FLOAT, [1], typed=field(4, b"\0" * 3))]), "missing or of another element type"),
    "no such dtype": (simple([tensor("w", 99, [1], b"\0")]), "99 is not an element type"),
    "strings": (simple([tensor("w", STRING, [1], typed=field(6, "a"))]), "tensors of strings"),
    "an initializer without a name": (simple([tensor("", FLOAT, [1], b"\0" * 4)]), "has no name"),
    "two initializers of one name": (simple([floats("w", [1], [1]), floats("w", [1], [1])]), "'w'"),
    "a name with NUL": (simple([floats("w\0v", [1], [1])]), "NUL"),
    "a name that is no UTF-8": (simple([floats(b"w\xff", [1], [1])]), "not valid UTF-8"),
    "a name with a control character": (simple([], [node("Neg", ["x"], ["a\nb"])]), "control character"),
    "a name without end": (simple([], [node("Neg", ["x"], ["a" * 5000])]), "5000 bytes"),
    "an input that nobody gives": (simple([], [node("Neg", ["ghost"], ["z"])]), "'ghost'"),
    "an output that nobody gives": (model(Graph([], [], [value("ghost", FLOAT, [1])])), "'ghost'"),
    "two nodes of one output": (simple([], [node("Neg", ["x"], ["y"])]), "two nodes produce the value 'y'"),
    "a node that feeds itself": (simple([], [node("Neg", ["z"], ["z"])]), "cycle"),
    "a cycle": (simple([], [node("Neg", ["a"], ["b"]), node("Neg", ["b"], ["a"])]), "cycle"),
    "a node without an op": (simple([], [fields(1, ["x"])]), "has no op"),
    "an attribute without a name": (simple([], [node("Neg", ["x"], ["z"]) + field(5, field(3, 1))]), "attribute has no name"),
    "an attribute of the wrong kind": (simple([], [node("LeakyRelu", ["x"], ["z"], alpha="steep")]), "alpha"),
    "no such opset": (simple(opset=28), "opset 28"),
    "opset 0": (simple(opset=0), "opset 0"),
    "an op of a domain that is not imported": (simple([], [node("Neg", ["x"], ["z"], domain="far")]), "'far'"),
    "data outside of the folder": (simple([external(location="../secret")]), "leads out of the model's folder"),
    "data outside of the folder, deeper": (simple([external(location="a/../../secret")]), "leads out of the model's folder"),
    "data at an absolute path": (simple([external(location="/etc/passwd")]), "absolute paths"),
    "data behind a link": (simple([external(location="link")]), "link"),
    "data behind a linked folder": (simple([external(location="linked/x")]), "linked/x"),
    "data in a pipe": (simple([external(location="pipe")]), "not a regular file"),
    "data in a folder": (simple([external(location=".")]), "not a regular file"),
    "data that is not there": (simple([external(location="nothing")]), "'nothing'"),
    "data without a place": (simple([external(offset="0")]), "has no location"),
    "data behind the end": (simple([external(location="data", offset="1000000", length="8")]), "'data'"),
    "data at a place that is no number": (simple([external(location="data", offset="-4")]), "offset"),
    "data of another length": (simple([external(location="data", length="4")]), "8 bytes, but there are 4"),
    "graphs that nest too deep": (nested(20), "nested deeper"),
    "graphs that nest without end": (nested(1000), "nested deeper"),
    "a function that calls itself": (calling(calls({"F0": ["F0"]})), "nested deeper"),
    "functions in a circle": (calling(calls({"F0": ["F1"], "F1": ["F0"]})), "nested deeper"),
    "functions that nest too deep": (calling(calls({f"F{i}": [f"F{i + 1}"] for i in range(5000)})), "nested deeper"),
    "functions that multiply": (calling(calls({f"F{i}": [f"F{i + 1}"] * 30 for i in range(12)})
                                          + [function("F12", ["a"], ["b"], [node("Neg", ["a"], ["b"])])]), "call each other"),
    "a sequence for an input": (model(Graph([], [field(1, "s") + field(2, field(4, b""))], [])), "sequence"),
    "a loop whose body has other inputs": (model(Graph([node("Loop", ["n", ""], ["y"], body=Graph([]))], [value("n", INT64)], [])), "inputs"),
}


class Hostile(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "model")
        os.makedirs(self.path)
        with open(os.path.join(self.folder.name, "secret"), "wb") as out:
            out.write(b"\0" * 64)
        with open(os.path.join(self.path, "data"), "wb") as out:
            out.write(b"\0" * 64)
        os.symlink("../secret", os.path.join(self.path, "link"))
        os.symlink("..", os.path.join(self.path, "linked"))
        os.mkfifo(os.path.join(self.path, "pipe"))

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, data):
        path = os.path.join(self.path, name)
        with open(path, "wb") as out:
            out.write(data)
        return path

    def test_lies_are_refused_with_a_reason(self):
        paths = {name: self.write(f"{i}.onnx", data) for i, (name, (data, _)) in enumerate(LIES.items())}
        result = check(*paths.values())
        self.assertEqual(result.returncode, 1, result.stderr)
        lines = result.stdout.splitlines()
        self.assertEqual(len(lines), len(LIES))
        for (name, (_, reason)), line in zip(LIES.items(), lines):
            with self.subTest(name):
                self.assertTrue(line.startswith("bad "), line)
                self.assertIn(reason, line.split(": ", 1)[1])

    def test_what_nests_sixteen_deep_is_read(self):
        self.assertEqual(check(self.write("deep.onnx", nested(14))).returncode, 0)

    def test_no_mutation_of_a_model_does_harm(self):
        graph = Graph([node("Constant", [], ["k"], value=Tensor(ints("", [2], [2, 1]))), node("Reshape", ["x", "k"], ["r"]),
                       node("Mul", ["r", "w"], ["m"]), node("Twice", ["m"], ["t"], domain="local"),
                       node("If", ["c"], ["y"], then_branch=Graph([node("Neg", ["t"], ["a"])], outputs=[value("a", FLOAT)]),
                            else_branch=Graph([node("Softmax", ["t"], ["b"], axis=0)], outputs=[value("b", FLOAT)]))],
                      [value("x", FLOAT, [2]), value("c", BOOL)], [value("y", FLOAT, None)], [floats("w", [2, 1], [1, 2])])
        good = model(graph, 11, ["local"], [function("Twice", ["a"], ["b"], [node("Add", ["a", "a"], ["b"])])])
        self.assertEqual(check(self.write("good.onnx", good)).returncode, 0)
        draw = random.Random(1)
        paths = []
        for i in range(1500):
            data = bytearray(good)
            for _ in range(draw.choice((1, 1, 2, 4))):
                at = draw.randrange(len(data))
                kind = draw.randrange(4)
                if kind == 0:
                    data[at] = draw.randrange(256)
                elif kind == 1:
                    data[at] ^= 1 << draw.randrange(8)
                elif kind == 2:
                    del data[at:at + draw.randrange(1, 8)]
                else:
                    data[at:at] = data[(j := draw.randrange(len(data))):j + draw.randrange(1, 30)]
                if not data:
                    break
            paths.append(self.write(f"m{i}.onnx", data))
        for cut in range(0, len(good), 3):
            paths.append(self.write(f"c{cut}.onnx", good[:cut]))
        result = check(*paths)
        self.assertIn(result.returncode, (0, 1), result.stderr[-2000:])
        self.assertEqual(len(result.stdout.splitlines()), len(paths))


if __name__ == "__main__":
    PERCALE = sys.argv.pop(1)
    unittest.main()
