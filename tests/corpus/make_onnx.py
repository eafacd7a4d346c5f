"""make_onnx.py FOLDER: writes the small ONNX models that the fuzzer of the importer starts from,
one for each feature of a model.

The files are kept, so that the fuzzer's results with a seed are reproducible. This program
documents how they were made."""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "onnx"))
from onnx_writer import *

F = FLOAT


def simple(nodes, inputs, outputs, initializers=(), **more):
    return model(Graph(nodes, [value(*i) for i in inputs], [value(*o) for o in outputs], initializers), **more)


def floats_of(name, dims):
    count = 1
    for dim in dims:
        count *= dim
    return floats(name, dims, [(i % 7 - 3) / 4 for i in range(count)])


def storages():
    kinds = [(1, struct.pack("<2f", 1.5, -2)), (2, bytes([200, 7])), (3, bytes([253, 7])), (6, struct.pack("<2i", -7, 7)),
             (7, struct.pack("<2q", -1 << 40, 7)), (9, bytes([1, 0])), (10, bytes([0, 60, 0, 192])), (11, struct.pack("<2d", 1.5, -2)),
             (16, bytes([128, 63, 0, 192])), (17, bytes([56, 192])), (21, bytes([33])), (25, bytes([6]))]
    nodes = [node("Identity", [f"c{d}"], [f"y{d}"]) for d, _ in kinds]
    typed = tensor("c14", 7, [3], typed=field(7, varint(5) + varint(1) + varint(300)))
    return model(Graph(nodes + [node("Identity", ["c14"], ["y14"])], [], [value(f"y{d}", d, [2]) for d, _ in kinds] + [value("y14", 7, [3])],
                       [tensor(f"c{d}", d, [2], raw) for d, raw in kinds] + [typed]), opset=25)


def branches():
    then = Graph([node("Mul", ["x", "w"], ["a"])], outputs=[value("a", F, [2])])
    inner = Graph([node("Neg", ["x"], ["b"])], outputs=[value("b", F, [2])])
    other = Graph([node("If", ["p"], ["c"], then_branch=inner, else_branch=then)], outputs=[value("c", F, [2])])
    return simple([node("If", ["p"], ["y"], then_branch=then, else_branch=other)], [("x", F, [2]), ("p", BOOL, [])],
                  [("y", F, [2])], [floats("w", [2], [2, 3])])


def loop():
    body = Graph([node("Add", ["sum", "x"], ["next"]), node("Identity", ["go"], ["on"]), node("Cast", ["i"], ["f"], to=1)],
                 [value("i", INT64), value("go", BOOL), value("sum", F, [2])], [value("on", BOOL), value("next", F, [2]), value("f", F)])
    return simple([node("Loop", ["n", "", "zero"], ["last", "all"], body=body)], [("x", F, [2]), ("zero", F, [2])],
                  [("last", F, [2]), ("all", F, ["n"])], [ints("n", [], [3])])


def scan():
    body = Graph([node("Add", ["s", "e"], ["t"])], [value("s", F, [2]), value("e", F, [2])], [value("t", F, [2]), value("t", F, [2])])
    return simple([node("Scan", ["zero", "x"], ["last", "all"], body=body, num_scan_inputs=1)],
                  [("zero", F, [2]), ("x", F, [3, 2])], [("last", F, [2]), ("all", F, [3, 2])])


def functions():
    f = function("Twice", ["a"], ["b"], [node("Add", ["a", "a"], ["h"]), node("LeakyRelu", ["h"], ["b"], alpha=0.5)])
    return simple([node("Twice", ["x"], ["m"], domain="local"), node("Twice", ["m"], ["y"], domain="local")], [("x", F, ["n"])],
                  [("y", F, ["n"])], domains=["local"], functions=[f])


def cnn():
    nodes = [node("Conv", ["x", "w", "b"], ["c"], pads=[1, 1, 1, 1], kernel_shape=[3, 3]),
             node("BatchNormalization", ["c", "s", "b", "m", "v"], ["n"]), node("Relu", ["n"], ["r"]),
             node("MaxPool", ["r"], ["p"], kernel_shape=[2, 2], strides=[2, 2]), node("GlobalAveragePool", ["p"], ["g"]),
             node("Flatten", ["g"], ["f"]), node("Gemm", ["f", "k"], ["l"], transB=1), node("Softmax", ["l"], ["y"], axis=-1)]
    return simple(nodes, [("x", F, ["n", 1, 4, 4])], [("y", F, ["n", 3])],
                  [floats_of("w", [2, 1, 3, 3])] + [floats_of(n, [2]) for n in "bsm"] + [floats("v", [2], [1, 2]), floats_of("k", [3, 2])])


def shapes():
    nodes = [node("Shape", ["x"], ["s"]), node("Gather", ["s", "zero"], ["n"]), node("Unsqueeze", ["n", "axes"], ["u"]),
             node("Concat", ["u", "minus"], ["to"], axis=0), node("Reshape", ["x", "to"], ["r"]), node("Transpose", ["r"], ["t"], perm=[1, 0]),
             node("Slice", ["t", "axes", "minus", "axes"], ["y"]), node("ConstantOfShape", ["to2"], ["z"]), node("Expand", ["y", "s"], ["e"]),
             node("Constant", [], ["to2"], value=Tensor(ints("", [2], [2, 1])))]
    return simple(nodes, [("x", F, ["n", 2, 1])], [("y", F, None), ("z", F, [2, 1]), ("e", F, None)],
                  [ints("zero", [], [0]), ints("axes", [1], [0]), ints("minus", [1], [-1])])


def attention():
    nodes = [node("MatMul", ["x", "w"], ["q"]), node("Transpose", ["q"], ["k"], perm=[0, 2, 1]), node("MatMul", ["q", "k"], ["s"]),
             node("Softmax", ["s"], ["p"], axis=2), node("MatMul", ["p", "q"], ["a"]), node("Add", ["a", "x"], ["r"]),
             node("LayerNormalization", ["r", "g", "h"], ["n"]), node("Erf", ["n"], ["y"])]
    return simple(nodes, [("x", F, [1, "t", 4])], [("y", F, [1, "t", 4])], [floats_of("w", [4, 4]), floats_of("g", [4]), floats_of("h", [4])])


def recurrent():
    return simple([node("LSTM", ["x", "w", "r", "b"], ["y", "h", "c"], hidden_size=2), node("Squeeze", ["y", "axis"], ["z"]),
                   node("GRU", ["z", "w2", "r2"], ["", "y2"], hidden_size=2)], [("x", F, [3, 1, 2])], [("h", F, None), ("y2", F, None)],
                  [floats_of("w", [1, 8, 2]), floats_of("r", [1, 8, 2]), floats_of("b", [1, 16]), floats_of("w2", [1, 6, 2]),
                   floats_of("r2", [1, 6, 2]), ints("axis", [1], [1])])


def quantized():
    u8 = lambda name, dims, data: tensor(name, UINT8, dims, bytes(data))
    nodes = [node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"]), node("MatMulInteger", ["q", "w", "z"], ["i"]),
             node("Cast", ["i"], ["f"], to=1), node("Mul", ["f", "s"], ["y"]), node("QuantizeLinear", ["y", "s1", "z1"], ["q1"]),
             node("DequantizeLinear", ["q1", "s1", "z1"], ["d"])]
    return simple(nodes, [("x", F, [2, 2])], [("d", F, [2, 2])],
                  [u8("w", [2, 2], [1, 2, 3, 4]), floats("s1", [], [0.5]), u8("z1", [], [7])])


def old():
    nodes = [node("Add", ["x", "b"], ["a"], broadcast=1, axis=1), node("Softmax", ["a"], ["s"], axis=1),
             node("ReduceSum", ["s"], ["r"], axes=[2], keepdims=0), node("ReduceMax", ["x4"], ["u"], axes=[3]),
             node("Dropout", ["r"], ["d"], ratio=0.5), node("Unsqueeze", ["d"], ["e"], axes=[0]), node("Clip", ["e"], ["y"], max=0.5),
             node("Pad", ["y"], ["p"], pads=[0, 1, 0, 0, 0, 1]), node("Squeeze", ["p"], ["q"], axes=[0])]
    return simple(nodes, [("x", F, [1, 2, 3]), ("x4", F, [1, 1, 2, 2])], [("q", F, None), ("u", F, None)], [floats("b", [2], [1, 2])], opset=6)


def indexing():
    nodes = [node("TopK", ["x", "k"], ["v", "i"]), node("GatherND", ["x", "at"], ["g"]), node("ScatterND", ["x", "at", "g"], ["s"]),
             node("ArgMax", ["s"], ["z"], axis=1), node("OneHot", ["i", "depth", "pair"], ["o"]), node("Where", ["m", "s", "x"], ["w"]),
             node("Resize", ["x4", "", "scales"], ["r"]), node("CumSum", ["w", "axis"], ["c"]), node("Einsum", ["x", "x"], ["e"], equation="ij,kj->ik"),
             node("NonMaxSuppression", ["boxes", "scores", "most"], ["n"]), node("Unique", ["x"], ["u"]), node("Split", ["x"], ["p", "p2"], num_outputs=2)]
    return simple(nodes, [("x", F, [2, 2]), ("x4", F, [1, 1, 2, 2]), ("m", BOOL, [2, 2]), ("boxes", F, [1, 3, 4]), ("scores", F, [1, 1, 3])],
                  [(n, t, None) for n, t in (("z", INT64), ("o", F), ("r", F), ("c", F), ("e", F), ("n", INT64), ("u", F), ("p", F))],
                  [ints("k", [1], [1]), ints("at", [1, 2], [1, 0]), ints("depth", [1], [3]), floats("pair", [2], [0, 1]),
                   floats("scales", [4], [1, 1, 2, 2]), ints("axis", [], [1]), ints("most", [1], [2])], opset=18)


def told():
    facts = b"".join(field(14, field(1, k) + field(2, v)) for k, v in
                     (("author", "somebody"), ("percale.trainable", "w"), ("percale.fixed", "s")))
    return simple([node("Add", ["x", "w"], ["h"]), node("Mul", ["h", "s"], ["y"])], [("x", F, [2])], [("y", F, [2])],
                  [floats("w", [2], [1, 2]), floats("s", [], [3])]) + facts


def outside():
    data = field(13, field(1, "location") + field(2, "data.bin")) + field(13, field(1, "length") + field(2, "8")) + field(14, 1)
    return simple([node("Neg", ["w"], ["y"])], [], [("y", F, [2])], [tensor("w", F, [2], typed=data)])


if __name__ == "__main__":
    for make in (storages, branches, loop, scan, functions, cnn, shapes, attention, recurrent, quantized, old, indexing, told, outside):
        with open(os.path.join(sys.argv[1], make.__name__ + ".onnx"), "wb") as out:
            out.write(make())
