"""Writes op tables (README.md says what a row is) from sources that share no code with Percale: ONNX's reference
evaluator, and closed forms in numpy where that one is silent or wrong. Needs numpy, onnx and ml_dtypes.

    python tests/ops/reference.py [family ...]
"""
import json
import math
import os
import sys

import ml_dtypes
import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

OPSET = 26
NAMES = {"float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16", "bool": "bool",
         **{f"{u}int{b}": f"{u[:1] or 'i'}{b}" for u in ("", "u") for b in (2, 4, 8, 16, 32, 64)}}
# Types whose elements the tables give by their bits.
SMALL = {ml_dtypes.float8_e4m3fn: "f8e4m3fn", ml_dtypes.float8_e4m3fnuz: "f8e4m3fnuz", ml_dtypes.float8_e5m2: "f8e5m2",
         ml_dtypes.float8_e5m2fnuz: "f8e5m2fnuz", ml_dtypes.float8_e8m0fnu: "f8e8m0", ml_dtypes.float4_e2m1fn: "f4e2m1",
         ml_dtypes.int4: "i4", ml_dtypes.uint4: "u4", ml_dtypes.int2: "i2", ml_dtypes.uint2: "u2"}
NAMES.update({np.dtype(t).name: name for t, name in SMALL.items()})
F32, F64, F16, BF16 = np.float32, np.float64, np.float16, ml_dtypes.bfloat16
FLOATS = [F32, F64, F16, BF16]
SIGNED = [np.int8, np.int16, np.int32, np.int64]
UNSIGNED = [np.uint8, np.uint16, np.uint32, np.uint64]
NUMERIC = FLOATS + SIGNED + UNSIGNED
TOLERANCE = {"float32": 2e-6, "float64": 1e-13, "float16": 1e-3, "bfloat16": 8e-3}


def number(x, dtype):
    if dtype.kind in "iu":
        return str(int(x)) if int(x) < 2**63 else f'"{int(x)}"'
    if dtype.kind == "b":
        return "1" if x else "0"
    value = float(x)
    if value != value or value in (float("inf"), float("-inf")):
        return json.dumps("nan" if value != value else "inf" if value > 0 else "-inf")
    return str(x) if dtype == F32 else repr(value)


def tensor(array):
    if array is None:
        return "null"
    array = np.asarray(array)
    dims = ",".join(map(str, array.shape))
    if array.dtype.type in SMALL:
        mask = {"4": 15, "f4e2m1": 15, "2": 3}.get(SMALL[array.dtype.type].lstrip("iu"), 255)
        values = ",".join(str(int(x) & mask) for x in array.reshape(-1).view(np.uint8))
    else:
        values = ",".join(number(x, array.dtype) for x in array.reshape(-1))
    return f'{{"d":"{NAMES[array.dtype.name]}","s":[{dims}],"v":[{values}]}}'


def attribute(value):
    if isinstance(value, np.ndarray):
        return f'{{"tensor":{tensor(value)}}}'
    return json.dumps(value)


def by_onnx(op, inputs, attrs, outputs):
    """What ONNX's reference evaluator gives."""
    names = [f"x{i}" if x is not None else "" for i, x in enumerate(inputs)]
    node_attrs = {k: onnx.numpy_helper.from_array(v) if isinstance(v, np.ndarray) else v for k, v in attrs.items()}
    results = [f"y{i}" for i in range(outputs)]
    node = onnx.helper.make_node(op, names, results, **node_attrs)
    info = [onnx.helper.make_tensor_value_info(n, onnx.helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
            for n, x in zip(names, inputs) if x is not None]
    unknown = [onnx.helper.make_value_info(n, onnx.TypeProto()) for n in results]
    graph = onnx.helper.make_graph([node], "g", info, unknown)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", OPSET)], ir_version=10)
    return ReferenceEvaluator(model).run(None, {n: x for n, x in zip(names, inputs) if x is not None})


class Table:
    def __init__(self, family):
        self.family, self.lines = family, []

    def row(self, op, *inputs, out=None, outputs=1, tol=None, grad=None, grad2=False, error=None, note=None, **attrs):
        """One row. `out`: the expected outputs (one array or a list); None asks ONNX's evaluator, False compares
        nothing. Attributes are the remaining keywords."""
        inputs = [x if x is None else np.asarray(x) for x in inputs]
        if out is None and error is None:
            out = by_onnx(op, inputs, attrs, outputs)
        if out is not None and out is not False and not isinstance(out, list):
            out = [out]
        fields = [f'"op":"{op}"']
        if note:
            fields.append(f'"note":{json.dumps(note)}')
        if attrs:
            fields.append('"attrs":{' + ",".join(f'"{k}":{attribute(v)}' for k, v in attrs.items()) + "}")
        fields.append('"in":[' + ",".join(map(tensor, inputs)) + "]")
        if error:
            fields.append(f'"error":{json.dumps(error)}')
            if outputs > 1:
                fields.append('"out":[' + ",".join(["null"] * outputs) + "]")
        elif out is not False:
            fields.append('"out":[' + ",".join(map(tensor, out)) + "]")
        elif tol is None:
            tol = 4e-6  # of kernels with respect to each other
        if tol and not error:
            fields.append(f'"tol":{tol}')
        if grad is not None:
            fields.append(f'"grad":{json.dumps(grad)}')
        if grad2:
            fields.append('"grad2":true')
        self.lines.append("{" + ",".join(fields) + "}")

    def write(self):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", self.family + ".jsonl")
        with open(path, "w", encoding="utf-8") as handle:
            handle.write("\n".join(self.lines) + "\n")
        print(f"{self.family}: {len(self.lines)} rows")


def floats(shape, seed=0, low=-2.0, high=2.0, dtype=F32):
    """Numbers that are no closer than 0.01 to each other, to zero and to whole numbers times 0.5."""
    count = int(np.prod(shape))
    rng = np.random.default_rng(seed)
    grid = np.linspace(low, high, 8 * count + 40)
    grid = grid[np.abs(grid * 2 - np.round(grid * 2)) > 0.04]
    return rng.permutation(grid)[:count].reshape(shape).astype(dtype)


def whole(shape, dtype, seed=0, low=-9, high=9):
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind == "u":
        low = max(0, low)
    return rng.integers(low, high + 1, shape).astype(dtype)


def some(shape, dtype, seed=0):
    return whole(shape, dtype, seed) if np.dtype(dtype).kind in "iu" else floats(shape, seed, dtype=dtype)


def empty(*shape, dtype=F32):
    return np.zeros(shape, dtype)


def i64(*values):
    """The numbers as a vector; of one nested list, that array."""
    return np.array(values[0] if len(values) == 1 and isinstance(values[0], list) else values, np.int64)


def elementwise(t):
    plain = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply}
    for op, f in plain.items():
        for dtype in NUMERIC:
            a, b = some((2, 3), dtype, 1), some((3,), dtype, 2)
            t.row(op, a, b, out=f(a, b).astype(dtype))
        for dtype in SIGNED + UNSIGNED:
            ends = np.array([np.iinfo(dtype).min, np.iinfo(dtype).max, np.iinfo(dtype).max], dtype)
            other = np.array([2, 2, np.iinfo(dtype).max], dtype)
            with np.errstate(over="ignore"):
                t.row(op, ends, other, out=f(ends, other), note="wraps")
        t.row(op, F32(2.5), F32(-1.5), note="rank 0")
        t.row(op, empty(0, 3), floats((3,)), note="zero dim")
        t.row(op, floats((4, 1, 3), 1), floats((2, 1), 2), grad=[0, 1], grad2=True, note="both repeated")
        t.row(op, floats((2, 1), 1), floats((4, 1, 3), 2), note="left repeated")
        t.row(op, floats((5, 4, 3, 2), 1), floats((4, 1, 2), 2), note="no dims merge")
        t.row(op, F32(0.5), floats((3,)), grad=[0, 1], note="scalar with vector")
        t.row(op, floats((2, 3)), floats((4,)), error="do not broadcast")
    for dtype in FLOATS:
        a, b = floats((2, 3), 1, dtype=dtype), floats((2, 1), 2, dtype=dtype)
        t.row("Div", a, b, out=(a.astype(F64) / b.astype(F64)).astype(dtype))
    for dtype in SIGNED + UNSIGNED:
        a, b = whole((3, 4), dtype, 3), np.array([1, 2, 4, 7], dtype)
        t.row("Div", a, b, out=np.trunc(a / b).astype(dtype))
        t.row("Div", a, np.array([1, 0, 4, 7], dtype), error="division by zero")
        low = np.array([np.iinfo(dtype).min], dtype)
        t.row("Div", low, np.array([np.iinfo(dtype).max], dtype), out=(-1 if dtype in SIGNED else 0) * np.ones(1, dtype))
    for dtype in SIGNED:
        low = np.array([np.iinfo(dtype).min, 5], dtype)
        t.row("Div", low, np.array([-1], dtype), out=np.array([low[0], -5], dtype), note="lowest over -1 wraps")
        t.row("Mod", low, np.array([-1], dtype), out=np.zeros(2, dtype))
        t.row("Mod", np.array([-7, 7, -7, 7], dtype), np.array([3, -3, -3, 3], dtype))
        t.row("Mod", np.array([-7, 7, -7, 7], dtype), np.array([3, -3, -3, 3], dtype), fmod=1)
    t.row("Div", F32([1, -1, 0]), F32(0), out=F32([np.inf, -np.inf, np.nan]))
    t.row("Div", floats((2, 3), 1), floats((4, 2, 1), 2, 0.5), grad=[0, 1], grad2=True, tol=1e-6)
    for dtype in UNSIGNED:
        t.row("Mod", np.array([7, 200], dtype), np.array([3, 7], dtype))
    t.row("Mod", np.array([7], np.int32), np.array([0], np.int32), error="division by zero")
    t.row("Mod", F32([5.5]), F32([2]), error="fmod")
    for dtype in FLOATS:
        t.row("Mod", np.array([-4.5, 5.5, 5.25], dtype), np.array([2, -2, 2], dtype), fmod=1)
    t.row("Mod", floats((2, 3), 1, -5, 5), floats((3,), 2, 0.6, 2), fmod=1, grad=[0, 1], tol=1e-6)
    for dtype in FLOATS:
        a, b = floats((2, 3), 1, 0.1, 2, dtype), floats((3,), 2, dtype=dtype)
        t.row("Pow", a, b, out=(a.astype(F64) ** b.astype(F64)).astype(dtype), tol=TOLERANCE[np.dtype(dtype).name])
    t.row("Pow", np.int32([2, -3, 5]), np.int64([10, 3, 0]), out=np.int32([1024, -27, 1]))
    t.row("Pow", np.int32([2, 1, -1, -1]), np.int8([-1, -5, -3, -2]), out=np.int32([0, 1, -1, 1]))
    t.row("Pow", np.int64([0]), np.int64([-1]), error="division by zero")
    t.row("Pow", np.int64([3]), np.uint64([40]), out=np.int64([(3**40 + 2**63) % 2**64 - 2**63]), note="wraps")
    t.row("Pow", np.int32([2, 9]), F32([0.5]), out=np.int32([1, 3]))
    t.row("Pow", np.int32([10]), F64([300]), out=np.int32([2**31 - 1]), note="held at the end of the range")
    for e in [np.int8, np.int64, np.uint16, F64, F16]:
        t.row("Pow", F32([2, 1.5, -3]), np.array([3], e), out=F32([8, 3.375, -27]))
    t.row("Pow", floats((2, 3), 1, 0.2, 2), floats((4, 1, 1), 2), grad=[0, 1], grad2=True, tol=1e-5)
    t.row("Pow", floats((3,), 1), F32(2), grad=[0], grad2=True, tol=1e-6, note="negative base")
    t.row("Pow", floats((3,), 1), F32(0), grad=[0], note="exponent 0")
    for op, f in {"Max": np.maximum, "Min": np.minimum}.items():
        for dtype in NUMERIC:
            a, b, c = some((2, 3), dtype, 1), some((3,), dtype, 2), some((2, 1), dtype, 3)
            t.row(op, a, b, c, out=f(f(a, b), c))
        t.row(op, F32([1, np.nan, 2]), F32([np.nan, 0, 3]))
        t.row(op, floats((2, 3)), note="one operand", grad=[0])
        t.row(op, F32(2), F32(3), note="rank 0")
        t.row(op, empty(0), F32(3))
        t.row(op, floats((2, 3), 1), floats((3,), 2), floats((2, 1), 3), grad=[0, 1, 2])
    for op in ["Sum", "Mean"]:
        for dtype in FLOATS:
            a, b, c = floats((2, 3), 1, dtype=dtype), floats((3,), 2, dtype=dtype), floats((2, 1), 3, dtype=dtype)
            total = a.astype(F64) + b.astype(F64) + c.astype(F64)
            t.row(op, a, b, c, out=(total / (3 if op == "Mean" else 1)).astype(dtype),
                  tol=2 * TOLERANCE[np.dtype(dtype).name])
        t.row(op, floats((2, 3), 1), floats((3,), 2), F32(0.25), grad=[0, 1, 2], tol=1e-6)
        t.row(op, F32(2))
        t.row(op, empty(2, 0), F32([[1], [2]]))
    for dtype in FLOATS + SIGNED:
        t.row("Neg", some((2, 3), dtype, 5), out=-some((2, 3), dtype, 5))
    for dtype in NUMERIC:
        t.row("Abs", some((5,), dtype, 5), out=np.abs(some((5,), dtype, 5)))
        t.row("Sign", np.append(some((5,), dtype, 5), np.zeros(1, dtype)),
              out=np.sign(np.append(some((5,), dtype, 5), np.zeros(1, dtype)).astype(F64)).astype(dtype))
    for dtype in SIGNED:
        low = np.array([np.iinfo(dtype).min], dtype)
        t.row("Neg", low, out=low, note="wraps")
        t.row("Abs", low, out=low, note="wraps")
    t.row("Sign", F32([np.nan, np.inf, -np.inf]), out=F32([np.nan, 1, -1]))
    positive = {"Sqrt": np.sqrt, "Log": np.log, "Reciprocal": np.reciprocal}
    smooth = {"Exp": np.exp, "Sin": np.sin, "Cos": np.cos, **positive}
    for op, f in smooth.items():
        for dtype in FLOATS:
            x = floats((3, 2), 4, 0.1, 3, dtype) if op in positive else floats((3, 2), 4, -3, 3, dtype)
            t.row(op, x, out=f(x.astype(F64)).astype(dtype), tol=TOLERANCE[np.dtype(dtype).name])
        t.row(op, F32(0.7), tol=1e-6, note="rank 0")
        t.row(op, empty(0, 2))
        low = 0.2 if op in positive else -2
        t.row(op, floats((2, 3), 6, low), tol=1e-6, grad=[0], grad2=True)
    t.row("Exp", F32([-200, 200, np.nan, -np.inf, np.inf, 88.5, -87.2]), tol=2e-6)
    t.row("Log", F32([0, -1, np.inf, np.nan]), out=F32([-np.inf, np.nan, np.inf, np.nan]))
    t.row("Sqrt", F32([0, -1, np.inf]), out=F32([0, np.nan, np.inf]))
    for op, f in {"Floor": np.floor, "Ceil": np.ceil, "Round": np.round}.items():
        for dtype in FLOATS:
            x = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 0.49, -1.01, 3], dtype)
            t.row(op, x, out=f(x.astype(F64)).astype(dtype))
        t.row(op, F32([np.nan, np.inf]))
    for op in ["Neg", "Abs"]:
        t.row(op, floats((2, 3), 6), grad=[0])
        t.row(op, F32(-1.25))
        t.row(op, empty(2, 0))
    # Long enough for every piece and vector width, with an odd rest.
    long = np.linspace(-3, 3, 65537 + 13).astype(F32)
    for op in ["Add"]:
        t.row(op, long[:4099], F32(0.5), out=long[:4099] + F32(0.5))


def optimizer(t):
    """First steps from zero slots, where the formulas are short, with the gradient given as a sum and its scale."""
    lr, eps = 0.25, 1e-3
    forms = {  # slots, counts the step, attributes, the scaled gradient to (parameter's change, slots)
        "ApplySGD": (0, False, {}, lambda g: (lr * g,)),
        "ApplyMomentum": (1, False, {"momentum": 0.5}, lambda g: (lr * g, g)),
        "ApplyAdam": (2, True, {"epsilon": eps}, lambda g: (lr * g / (abs(g) + eps), 0.1 * g, 0.001 * g * g)),
        "ApplyAdamW": (2, True, {"epsilon": eps, "weight_decay": 0.0},
                       lambda g: (lr * g / (abs(g) + eps), 0.1 * g, 0.001 * g * g)),
        "ApplyRMSProp": (1, False, {"alpha": 0.75, "epsilon": eps}, lambda g: (lr * g / (abs(g) / 2 + eps), 0.25 * g * g)),
        "ApplyAdagrad": (1, False, {"epsilon": eps}, lambda g: (lr * g / (abs(g) + eps), g * g)),
        "ApplyLion": (1, False, {}, lambda g: (lr * np.sign(g), 0.01 * g)),
        "ApplyLAMB": (2, True, {"epsilon": eps},
                      lambda g: (lr * norm_ratio(g / (abs(g) + eps)) * g / (abs(g) + eps), 0.1 * g, 0.001 * g * g)),
    }
    param, total = np.array([1.5, -2, 0.5, 3, -1]), np.array([64, -32, 16, 8, -96.0])
    norm_ratio = lambda u: np.sqrt((param**2).sum() / (u**2).sum())
    for op, (slots, counts, attrs, form) in forms.items():
        for dtype in (F32, F64):
            zeros = np.zeros(5, dtype)
            extra = [None] if op == "ApplyRMSProp" else []
            change, *state = form(total / 64)
            t.row("percale:" + op, param.astype(dtype), total.astype(dtype), *[zeros] * slots, *extra, F64(lr),
                  *([np.int64(1)] if counts else []), F64(1 / 64),
                  out=[(param - change).astype(dtype)] + [s.astype(dtype) for s in state], tol=2e-6, **attrs)


def composite(t):
    forms = {"Celu": {"alpha": 1.5}, "Elu": {"alpha": 0.75}, "Gelu": {}, "Mish": {}, "Selu": {}, "Softplus": {},
             "Softsign": {}, "Swish": {"alpha": 1.25}, "ThresholdedRelu": {"alpha": 0.5}}
    for op, attrs in list(forms.items()) + [("Gelu", {"approximate": "tanh"}), ("Selu", {"alpha": 2.0, "gamma": 3.0})]:
        for dtype in FLOATS:
            x = floats((3, 7), 3, -5, 5, dtype)
            wide = x.astype(F64)
            # The evaluator's own Gelu keeps its constants in f32.
            if op != "Gelu":
                exact = by_onnx(op, [wide], attrs, 1)[0]
            elif attrs:
                exact = wide / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (wide + 0.044715 * wide**3)))
            else:
                exact = wide / 2 * (1 + np.vectorize(math.erf)(wide / np.sqrt(2)))
            t.row(op, x, out=exact.astype(dtype), tol=TOLERANCE[np.dtype(dtype).name], **attrs)
        t.row(op, floats((2, 5), 4, -5, 5), out=False, grad=[0], grad2=op not in ("Celu", "Elu", "Selu"), **attrs)
        t.row(op, empty(0, 3), **attrs)
    # Far out nothing overflows, and NaN stays.
    far = F32([-1000, 1000, np.nan])
    t.row("Softplus", far, out=F32([0, 1000, np.nan]))
    t.row("Elu", far, out=F32([-1, 1000, np.nan]))
    t.row("Mish", far, out=F32([0, 1000, np.nan]))
    t.row("Softplus", np.array([-800.0, 800.0]), out=False, grad=[0])
    t.row("Elu", np.array([-800.0, 800.0]), out=False, grad=[0])


def activation(t):
    sigmoid = lambda x: 1 / (1 + np.exp(-x))
    hard = lambda x: np.clip(x / 6 + 0.5, 0, 1)
    forms = {
        "Relu": (lambda x: np.maximum(x, 0), {}),
        "LeakyRelu": (lambda x: np.where(x < 0, x * 0.125, x), {"alpha": 0.125}),
        "Sigmoid": (sigmoid, {}),
        "Tanh": (np.tanh, {}),
        "HardSigmoid": (lambda x: np.clip(0.25 * x + 0.5, 0, 1), {"alpha": 0.25, "beta": 0.5}),
        "HardSwish": (lambda x: x * hard(x), {}),
    }
    for op, (f, attrs) in forms.items():
        for dtype in FLOATS:
            x = floats((3, 7), 3, -5, 5, dtype)
            t.row(op, x, out=f(x.astype(F64)).astype(dtype), tol=TOLERANCE[np.dtype(dtype).name], **attrs)
        t.row(op, floats((2, 5), 4, -5, 5), out=False, grad=[0], grad2=op in ("Sigmoid", "Tanh", "HardSwish"), **attrs)
        t.row(op, F32(-0.75), tol=1e-6, **attrs)
        t.row(op, empty(0, 3), **attrs)
        t.row(op, F32([np.nan, 60, -60]), out=f(F64([np.nan, 60, -60])).astype(F32), tol=1e-6, **attrs)
    for dtype in SIGNED:
        t.row("Relu", whole((7,), dtype, 2), out=np.maximum(whole((7,), dtype, 2), 0).astype(dtype))
    t.row("LeakyRelu", F32([-1, 2]), out=F32([-0.01, 2]), tol=1e-7, note="default alpha")
    t.row("HardSigmoid", F32([-3, -1, 0, 9]), out=F32([0, 0.3, 0.5, 1]), tol=1e-6, note="defaults")
    erf = np.vectorize(__import__("math").erf)
    for dtype in FLOATS:
        x = floats((3, 3), 3, -3, 3, dtype)
        t.row("Erf", x, out=erf(x.astype(F64)).astype(dtype), tol=TOLERANCE[np.dtype(dtype).name])
    t.row("Erf", floats((2, 3), 1), out=False, grad=[0], grad2=True)
    for dtype in NUMERIC:
        x, low, high = some((2, 5), dtype, 3), dtype(1), dtype(2)
        t.row("Clip", x, low, high, out=np.minimum(np.maximum(x, low), high))
        t.row("Clip", x, None, high, out=np.minimum(x, high))
        t.row("Clip", x, low, out=np.maximum(x, low))
    t.row("Clip", F32([np.nan, np.inf, -np.inf, 0]), F32(-1), F32(1), out=F32([np.nan, 1, -1, 0]))
    t.row("Clip", F32([np.inf, -np.inf]), out=F32([np.inf, -np.inf]), note="no limits")
    t.row("Clip", F32([0, 5, 10]), F32(7), F32(3), out=F32([3, 3, 3]), note="min above max")
    t.row("Clip", floats((2, 5), 3), F32(-0.5), F32(0.75), out=False, grad=[0, 1, 2])
    t.row("Clip", floats((2, 5), 3), None, F32(0.75), out=False, grad=[0, 2])
    t.row("Clip", floats((3,)), F32([1, 2]), error="must be a scalar")
    for dtype in FLOATS + SIGNED:
        g, y = some((2, 5), dtype, 1), np.maximum(some((2, 5), dtype, 2), 0).astype(dtype)
        t.row("percale:ReluGrad", g, y, out=np.where(y > 0, g, 0).astype(dtype))
    t.row("percale:ReluGrad", floats((2, 5), 1), floats((2, 5), 2), out=False, grad=[0])
    t.row("percale:ReluGrad", floats((2, 5), 1), floats((2, 4), 2), error="shapes differ")


def logic(t):
    forms = {"Equal": np.equal, "Greater": np.greater, "Less": np.less, "GreaterOrEqual": np.greater_equal,
             "LessOrEqual": np.less_equal}
    for op, f in forms.items():
        for dtype in NUMERIC:
            a, b = whole((3, 4), dtype, 1, -2, 2), whole((4,), dtype, 2, -2, 2)
            t.row(op, a, b, out=f(a, b))
        t.row(op, F32([np.nan, 1, np.inf]), F32([np.nan, np.nan, np.inf]))
        t.row(op, F32(1), F32(1), note="rank 0")
        t.row(op, empty(0, 2), floats((2,)), out=np.zeros((0, 2), bool))
    truth = np.array([[False, False], [True, True]]), np.array([False, True])
    t.row("Equal", *truth)
    t.row("Equal", np.int64([2**62 + 1]), np.int64([2**62]), out=np.array([False]), note="beyond f64's digits")
    for op in ["And", "Or", "Xor"]:
        t.row(op, *truth)
        t.row(op, np.bool_(True), np.bool_(False))
    t.row("Not", truth[0])
    for dtype in FLOATS:
        x = np.array([np.nan, np.inf, -np.inf, 0, 1], dtype)
        t.row("IsNaN", x, out=np.isnan(x))
        t.row("IsInf", x, out=np.isinf(x))
        t.row("IsInf", x, out=x == np.inf, detect_negative=0)
        t.row("IsInf", x, out=x == -np.inf, detect_positive=0)
    for dtype in NUMERIC:
        a, b = some((2, 3), dtype, 1), some((2, 1), dtype, 2)
        t.row("Where", np.array([True, False, True]), a, b, out=np.where([True, False, True], a, b))
    choice = np.array([[True], [False]])
    t.row("Where", choice, np.array([True, False]), np.array([False, False]))
    t.row("Where", np.bool_(False), F32(1), F32(2))
    t.row("Where", np.zeros((0, 3), bool), F32(1), F32(2), out=empty(0, 3))
    t.row("Where", choice, floats((2, 3), 1), floats((3,), 2), grad=[1, 2], grad2=True)
    t.row("Where", choice, floats((2, 3), 1), F32(0), grad=[1, 2])


def cast(t):
    codes = {F32: 1, np.uint8: 2, np.int8: 3, np.uint16: 4, np.int16: 5, np.int32: 6, np.int64: 7, np.bool_: 9,
             F16: 10, F64: 11, np.uint32: 12, np.uint64: 13, BF16: 16}
    for source in list(codes):
        for target, code in codes.items():
            x = np.array([0, 1, 2, 3, 100], F64).astype(source)
            t.row("Cast", x, out=x.astype(target), to=code)
            if (source, target) in [(F32, np.int32), (np.int64, F16), (np.bool_, F32)]:
                t.row("CastLike", x, np.zeros(2, target), out=x.astype(target))
    for source in FLOATS:
        x = np.array([-1.75, 1.75, -0.5, 2.5], source)
        for target in SIGNED:
            t.row("Cast", x, out=np.array([-1, 1, 0, 2], target), to=codes[target])
        wild = np.array([np.inf, -np.inf, np.nan], source)
        for target in SIGNED + UNSIGNED:
            ends = np.iinfo(target)
            t.row("Cast", wild, out=np.array([ends.max, ends.min, 0], target), to=codes[target], note="out of range")
        t.row("Cast", np.array([0, -0.0, 0.25, np.nan], source), out=np.array([False, False, True, True]), to=9)
    t.row("Cast", F32([300, -300, 1e10]), out=np.int8([127, -128, 127]), to=3)
    t.row("Cast", F64([2.0**63, -(2.0**63), 2.0**64]), out=np.int64([2**63 - 1, -2**63, 2**63 - 1]), to=7)
    t.row("Cast", np.int32([257, -1, 128]), out=np.uint8([1, 255, 128]), to=2, note="wraps")
    t.row("Cast", np.int64([-1]), out=np.uint64([2**64 - 1]), to=13)
    # Rounding to 16 bits: ties, subnormals, overflow, and an f64 that two roundings would get wrong.
    halves = F64([65504, 65519.9, 65520, 6.1e-5, 5.96e-8, 2.98e-8, 1 + 2.0**-11, 1 + 2.0**-11 + 2.0**-40, -1e-10])
    with np.errstate(over="ignore"):
        t.row("Cast", halves, out=halves.astype(F16), to=10)
        t.row("Cast", halves.astype(F32), out=halves.astype(F32).astype(F16), to=10)
    brains = F32([1 + 2.0**-8, 1 + 3 * 2.0**-8, 3.4e38, 1e-40, -0.1])
    t.row("Cast", brains, out=brains.astype(BF16), to=16)
    t.row("Cast", F64([1 + 2.0**-8 + 2.0**-40]), out=np.array([1 + 2.0**-7], BF16), to=16)
    t.row("Cast", F64([1e300, -1e300]), out=F32([np.inf, -np.inf]), to=1)
    t.row("Cast", F32(3), to=7)
    t.row("Cast", empty(0, 2), to=7)
    t.row("Cast", F32(3), to=8, error="'to' is 8")
    t.row("Cast", F32(3), to=99, error="'to' is 99")
    t.row("Cast", floats((2, 3)), out=False, to=11, grad=[0])
    t.row("CastLike", floats((2, 3)), F64(0), out=False, grad=[0])
    for dtype in NUMERIC:
        t.row("Identity", some((2, 3), dtype), out=some((2, 3), dtype))
    t.row("Identity", np.bool_(True))
    t.row("Identity", empty(0, 4))
    t.row("Identity", floats((2, 3)), grad=[0], grad2=True)


def reduce(t):
    forms = {"ReduceSum": np.sum, "ReduceMean": np.mean, "ReduceMax": np.max, "ReduceMin": np.min,
             "ReduceProd": np.prod}
    wide = [np.int32, np.int64, np.uint32, np.uint64]
    for op, f in forms.items():
        extreme = op in ("ReduceMax", "ReduceMin")
        for dtype in FLOATS + wide + ([np.int8, np.uint8] if extreme else []):
            x = some((3, 4, 5), dtype, 7)
            if op == "ReduceProd" and np.dtype(dtype).kind in "iu":
                x = whole((3, 4, 5), dtype, 7, -2, 3)
            tol = None if extreme else 4 * TOLERANCE.get(np.dtype(dtype).name, 0)
            for axes in [(1,), (0, 2), (-1,)]:
                with np.errstate(over="ignore"):
                    y = f(x.astype(F64), axis=axes) if np.dtype(dtype).kind == "f" or dtype == BF16 else \
                        f(x, axis=axes) if op != "ReduceMean" else np.trunc(np.mean(x, axis=axes))
                t.row(op, x, i64(*axes), keepdims=0, out=y.astype(dtype), tol=tol)
        x = floats((3, 4, 5), 8)
        tol = None if extreme else 4e-6
        t.row(op, x, out=f(x.astype(F64), keepdims=True).astype(F32), tol=tol, note="no axes: all")
        t.row(op, x, out=f(x.astype(F64)).astype(F32), tol=tol, keepdims=0)
        t.row(op, x, i64(), keepdims=0, out=f(x.astype(F64)).astype(F32), tol=tol, note="empty axes: all")
        t.row(op, x, noop_with_empty_axes=1, out=x)
        t.row(op, x, i64(), noop_with_empty_axes=1, out=x)
        t.row(op, x, i64(0), out=f(x.astype(F64), axis=0, keepdims=True).astype(F32), tol=tol)
        t.row(op, x, i64(0, 1), keepdims=0, out=f(x.astype(F64), axis=(0, 1)).astype(F32), tol=tol)
        t.row(op, floats((2, 1, 3, 1), 1), i64(1), keepdims=0, out=floats((2, 1, 3, 1), 1)[:, 0])
        t.row(op, F32(1.5), out=F32(1.5), note="rank 0")
        t.row(op, F32(1.5), i64(), keepdims=0, out=F32(1.5))
        t.row(op, x, i64(3), error="out of range")
        t.row(op, x, i64(0, -3), error="given twice")
        wide_rows = floats((3, 300), 9, 0.9, 1.1)
        t.row(op, wide_rows, i64(0), keepdims=0, out=f(wide_rows.astype(F64), axis=0).astype(F32), tol=4e-6,
              note="more lanes than a block")
        t.row(op, wide_rows, i64(1), keepdims=0, out=f(wide_rows.astype(F64), axis=1).astype(F32), tol=4e-6)
        start = {"ReduceSum": 0, "ReduceMean": np.nan, "ReduceMax": -np.inf, "ReduceMin": np.inf, "ReduceProd": 1}[op]
        t.row(op, empty(2, 0, 3), i64(1), keepdims=0, out=np.full((2, 3), start, F32), note="of nothing")
        t.row(op, empty(2, 0, 3), i64(0), keepdims=0, out=empty(0, 3))
        if op == "ReduceMean":
            t.row(op, np.zeros((0,), np.int32), i64(0), error="no elements")
        else:
            first = {"ReduceSum": 0, "ReduceMax": -2**31, "ReduceMin": 2**31 - 1, "ReduceProd": 1}[op]
            t.row(op, np.zeros((0,), np.int32), i64(0), keepdims=0, out=np.int32(first))
        for axes, keep in [((1,), 0), ((0, 2), 1), ((-1, 0), 0)]:
            t.row(op, floats((2, 3, 2), 3), i64(*axes), keepdims=keep, out=False, grad=[0], grad2=not extreme)
        t.row(op, floats((2, 3), 3), out=False, grad=[0])
        t.row(op, floats((2, 3), 3), keepdims=0, out=False, grad=[0])
        t.row(op, floats((2, 3), 3), noop_with_empty_axes=1, out=False, grad=[0])
    for op in ["ReduceMax", "ReduceMin"]:
        t.row(op, np.array([[True, False], [False, False]]), i64(1), keepdims=0,
              out=np.array([op == "ReduceMax", False]))
        t.row(op, F32([[1, np.nan, 3]]), i64(1), keepdims=0, out=F32([np.nan]))
        t.row(op, F32([[np.nan, 1], [2, np.nan]]), i64(0), keepdims=0, out=F32([np.nan, np.nan]))
    t.row("ReduceProd", F32([[0, 2, 3], [0, 0, 3], [1, 2, 3]]), i64(1), keepdims=0, out=F32([0, 0, 6]), grad=[0])
    t.row("ReduceSum", np.int32([2**31 - 1, 1]), i64(0), keepdims=0, out=np.int32(-2**31), note="wraps")
    t.row("ReduceSum", np.full((4096,), 0.1, F32), keepdims=0, out=F32(4096 * np.float64(F32(0.1))), tol=1e-5, note="long")
    for dtype in NUMERIC:
        x = some((2, 3, 4), dtype, 5)
        t.row("percale:SumToShape", x, i64(3, 1), out=x.sum(axis=(0, 2)).reshape(3, 1).astype(dtype)
              if np.dtype(dtype).kind in "iu" else x.astype(F64).sum(axis=(0, 2)).reshape(3, 1).astype(dtype),
              tol=4 * TOLERANCE.get(np.dtype(dtype).name, 0))
    x = floats((2, 3, 4), 6)
    t.row("percale:SumToShape", x, i64(2, 3, 4), out=x, note="nothing to sum")
    t.row("percale:SumToShape", x, i64(), out=x.astype(F64).sum().astype(F32), tol=1e-5)
    t.row("percale:SumToShape", x, i64(4), out=x.astype(F64).sum(axis=(0, 1)).astype(F32), tol=1e-5)
    t.row("percale:SumToShape", x, i64(2, 1, 1), out=x.astype(F64).sum(axis=(1, 2), keepdims=True).astype(F32), tol=1e-5)
    t.row("percale:SumToShape", empty(0, 3), i64(1, 3), out=empty(1, 3))
    t.row("percale:SumToShape", x, i64(5), error="no broadcast")
    t.row("percale:SumToShape", x, i64(2, 3, 4, 1), error="no broadcast")
    t.row("percale:SumToShape", x, i64(-1), error="negative dim")
    t.row("percale:SumToShape", x, i64(3, 1), out=False, grad=[0], grad2=True)


def shape(t):
    x = floats((2, 3, 4))
    for dtype in NUMERIC + [np.bool_]:
        v = some((2, 6), dtype) if dtype is not np.bool_ else np.arange(12).reshape(2, 6) % 3 == 0
        t.row("Reshape", v, i64(3, -1), out=v.reshape(3, 4))
        t.row("Expand", v[:1], i64(2, 2, 1), out=np.broadcast_to(v[:1], (2, 2, 6)))
    for dims in [(24,), (4, 3, 2), (0, -1), (-1, 0, 1, 4), (2, 0, 2, 2)]:
        t.row("Reshape", x, i64(*dims))
    t.row("Reshape", F32(5), i64(), note="rank 0")
    t.row("Reshape", F32(5), i64(1, 1))
    t.row("Reshape", F32([5]), i64())
    t.row("Reshape", empty(0, 3), i64(3, 0), allowzero=1)
    t.row("Reshape", empty(0, 3), i64(0, 5), out=empty(0, 5), note="0 copies")
    t.row("Reshape", x, i64(5, -1), error="do not fill")
    t.row("Reshape", x, i64(5, 5), error="cannot reshape")
    t.row("Reshape", x, i64(-1, -1), error="more than one -1")
    t.row("Reshape", x, i64(-2, 12), error="is -2")
    t.row("Reshape", x, i64(2, 3, 4, 0), error="is 0 but")
    t.row("Reshape", empty(0, 3), i64(0, -1), allowzero=1, error="allowzero")
    t.row("Reshape", x, i64(*[1] * 9), error="exceeds the limit")
    t.row("Reshape", x, i64(2**62, 2**62), error="2^40")
    t.row("Reshape", x, i64(2**40, 2**40, 2**40), error="exceeds")
    t.row("Reshape", x, i64(0, -1), grad=[0], grad2=True)
    for axis in [0, 1, 2, 3, -1, -3]:
        t.row("Flatten", x, axis=axis)
    t.row("Flatten", x, grad=[0])
    t.row("Flatten", F32(3), axis=0, out=F32([[3]]))
    t.row("Flatten", empty(2, 0, 3), out=empty(2, 0))
    t.row("Flatten", x, axis=4, error="out of range")
    y = floats((1, 3, 1, 2))
    t.row("Squeeze", y)
    t.row("Squeeze", y, i64(0))
    t.row("Squeeze", y, i64(-2, 0))
    t.row("Squeeze", y, i64(1), error="is not 1")
    t.row("Squeeze", y, i64(4), error="out of range")
    t.row("Squeeze", y, i64(2), grad=[0])
    t.row("Squeeze", F32([[7]]))
    t.row("Squeeze", F32(7), i64(), out=F32(7))
    t.row("Unsqueeze", x, i64(0, 4))
    t.row("Unsqueeze", x, i64(-1))
    t.row("Unsqueeze", x, i64(3, 1))
    t.row("Unsqueeze", F32(7), i64(0))
    t.row("Unsqueeze", empty(0), i64(1))
    t.row("Unsqueeze", x, i64(1, 1), error="given twice")
    t.row("Unsqueeze", x, i64(5), error="out of range")
    t.row("Unsqueeze", x, i64(0, 1, 2, 3, 4, 5), error="exceeds the limit")
    t.row("Unsqueeze", x, i64(1, -1), grad=[0])
    z = floats((3, 1), 2)
    for dims in [(3, 4), (1,), (2, 1, 6), (3, 1), (2, 3, 1)]:
        t.row("Expand", z, i64(*dims))
    t.row("Expand", F32(2), i64(2, 3))
    t.row("Expand", F32(2), i64())
    t.row("Expand", z, i64(3, 0), out=empty(3, 0))
    t.row("Expand", z, i64(2, 1), error="do not broadcast")
    t.row("Expand", z, i64(-1, 3, 4), error="negative dim")
    t.row("Expand", z, i64(2, 1, 4), grad=[0], grad2=True)
    t.row("Shape", x)
    t.row("Shape", x, start=1)
    t.row("Shape", x, start=-2, end=-1)
    t.row("Shape", x, start=-9, end=9)
    t.row("Shape", x, start=2, end=1)
    t.row("Shape", F32(1))
    t.row("Shape", np.zeros((0, 5), np.int8))
    t.row("Size", x)
    t.row("Size", F32(1))
    t.row("Size", np.zeros((0, 5), bool))


def layout(t):
    x = floats((2, 3, 4))
    every = NUMERIC + [np.bool_]
    value = lambda dims, dtype, seed=0: (whole(dims, np.int8, seed) > 0) if dtype is np.bool_ else some(dims, dtype, seed)
    for dtype in every:
        v, w = value((2, 3, 5), dtype, 1), value((2, 2, 5), dtype, 2)
        t.row("Transpose", v, perm=[2, 0, 1], out=v.transpose(2, 0, 1))
        t.row("Concat", v, w, axis=1, out=np.concatenate([v, w], 1))
        t.row("Split", v, i64(1, 4), axis=2, out=[v[:, :, :1], v[:, :, 1:]])
        t.row("Slice", v, i64(-1), i64(-(2**63)), i64(2), i64(-2), out=v[:, :, ::-2])
    for perm in [(0, 1, 2), (0, 2, 1), (1, 0, 2), (2, 1, 0), (1, 2, 0)]:
        t.row("Transpose", x, perm=list(perm))
    t.row("Transpose", x)
    t.row("Transpose", floats((2, 3, 4, 5)), perm=[0, 2, 3, 1], note="to channels last")
    t.row("Transpose", floats((37, 53)), note="larger than a tile")
    t.row("Transpose", floats((3, 1, 4)), perm=[2, 1, 0])
    t.row("Transpose", F32(1))
    t.row("Transpose", empty(0, 3))
    t.row("Transpose", x, perm=[0, 1], error="perm names 2")
    t.row("Transpose", x, perm=[0, 1, 1], error="given twice")
    t.row("Transpose", x, perm=[0, 1, 3], error="out of range")
    t.row("Transpose", x, perm=[1, 2, 0], grad=[0], grad2=True)
    t.row("Transpose", floats((2, 3)), grad=[0])
    y = floats((2, 3, 4), 1)
    for axis in [0, 2, -1, -3]:
        t.row("Concat", x, y, y, axis=axis)
    t.row("Concat", x, axis=1)
    t.row("Concat", x, empty(2, 0, 4), y, axis=1)
    t.row("Concat", empty(0, 2), empty(0, 3), axis=1)
    t.row("Concat", F32(1), F32(2), axis=0, error="scalar")
    t.row("Concat", x, floats((2, 3, 5)), axis=1, error="the others")
    t.row("Concat", x, floats((2, 3)), axis=1, error="the others")
    t.row("Concat", x, y, axis=3, error="out of range")
    t.row("Concat", floats((2, 3)), floats((2, 1), 1), floats((2, 2), 2), axis=-1, grad=[0, 1, 2], grad2=True)
    t.row("Concat", floats((1, 3)), floats((2, 3), 1), axis=0, grad=[1])
    t.row("Split", x, i64(1, 0, 2), axis=1, outputs=3)
    t.row("Split", x, num_outputs=2, axis=2, outputs=2)
    t.row("Split", x, num_outputs=2, axis=-2, outputs=2, note="the last is smaller")
    t.row("Split", floats((7,)), num_outputs=3, outputs=3)
    t.row("Split", empty(0, 4), num_outputs=2, axis=0, out=[empty(0, 4), empty(0, 4)])
    t.row("Split", x, i64(1, 1), axis=1, outputs=2, error="split sums to 2")
    t.row("Split", x, i64(4, -1), axis=1, outputs=2, error="has the size -1")
    t.row("Split", x, i64(1, 2), axis=1, error="2 sizes for 1 outputs")
    t.row("Split", floats((4,)), num_outputs=3, outputs=2, error="num_outputs is 3")
    t.row("Split", floats((4,)), num_outputs=4, outputs=4)
    t.row("Split", floats((3,)), num_outputs=5, outputs=5, error="does not give 5 parts")
    t.row("Split", x, i64(3), axis=1, num_outputs=1, error="both given")
    t.row("Split", F32(1), i64(1), error="out of range")
    t.row("Split", floats((2, 5)), i64(2, 3), axis=1, outputs=2, grad=[0], grad2=True)
    t.row("Split", floats((5, 2)), num_outputs=3, outputs=3, grad=[0])
    far = 2**31 - 1
    t.row("Slice", x, i64(1, 0), i64(2, 3), i64(1, 2))
    t.row("Slice", x, i64(0), i64(far))
    t.row("Slice", x, i64(0, 1, -2), i64(1, far, 2**62), note="default axes")
    t.row("Slice", x, i64(-1, -1), i64(-far, -far), i64(-1, 0), i64(-1, -1))
    t.row("Slice", x, np.int32([3]), np.int32([-100]), np.int32([2]), np.int32([-3]), note="i32")
    t.row("Slice", x, i64(2), i64(1), i64(1), note="nothing")
    t.row("Slice", x, i64(0), i64(9), i64(2), i64(2**62), out=x[:, :, :1])
    t.row("Slice", x, i64(3), i64(-(2**63)), i64(2), i64(-(2**63)), out=x[:, :, 3:])
    t.row("Slice", x, i64(), i64(), i64())
    t.row("Slice", empty(0, 3), i64(-1), i64(-far), i64(0), i64(-1))
    t.row("Slice", x, i64(0), i64(1), i64(0), i64(0), error="a step is 0")
    t.row("Slice", x, i64(0, 1), i64(1), error="differ in length")
    t.row("Slice", x, i64(), i64(), i64(1), error="differ in length")
    t.row("Slice", x, i64(0, 0, 0, 0), i64(1, 1, 1, 1), error="more starts than dims")
    t.row("Slice", x, i64(0, 0), i64(1, 1), i64(1, -2), error="given twice")
    t.row("Slice", x, i64(1, 3), i64(2, 0), i64(1, 2), i64(1, -2), grad=[0], grad2=True)
    t.row("Slice", x, i64(1), i64(3), grad=[0])
    for dtype in NUMERIC:
        g = some((2, 2), dtype, 3)
        want = np.zeros((2, 5), dtype)
        want[:, 4:0:-2] = g
        t.row("percale:SliceGrad", g, i64(2, 5), i64(4), i64(0), i64(1), i64(-2), out=want)
    t.row("percale:SliceGrad", floats((2, 2)), i64(2, 5), i64(0), i64(3), i64(1), error="the slice of")
    t.row("percale:SliceGrad", floats((2, 2)), i64(2, 5), i64(1), i64(3), i64(1), out=False, grad=[0], grad2=True)


def pad(t):
    x = floats((2, 3, 4))
    every = NUMERIC + [np.bool_]
    value = lambda dims, dtype, seed=0: (whole(dims, np.int8, seed) > 0) if dtype is np.bool_ else some(dims, dtype, seed)
    for dtype in every:
        v = value((2, 3), dtype, 1)
        fill = np.asarray(1).astype(dtype)
        t.row("Pad", v, i64(1, 0, 0, 2), fill, out=np.pad(v, ((1, 0), (0, 2)), constant_values=fill))
        t.row("Tile", v, i64(2, 3), out=np.tile(v, (2, 3)))
    for mode, name in [("constant", "constant"), ("reflect", "reflect"), ("edge", "edge"), ("wrap", "wrap")]:
        for pads in [(1, 0, 2, 0, 1, 1), (0, 2, 3, 0, 2, 3), (0, 0, 0, 0, 0, 0)]:
            pairs = list(zip(pads[:3], pads[3:]))
            t.row("Pad", x, i64(*pads), mode=mode, out=np.pad(x, pairs, mode=name))
        t.row("Pad", x, i64(2, 1), None, i64(-1), mode=mode, out=np.pad(x, ((0, 0), (0, 0), (2, 1)), mode=name))
        t.row("Pad", floats((3,)), i64(7, 9), mode=mode, out=np.pad(floats((3,)), (7, 9), mode=name), note="around twice")
        t.row("Pad", F32([5]), i64(2, 1), mode=mode, out=np.pad(F32([5]), (2, 1), mode=name), note="dim 1")
        t.row("Pad", floats((2, 4)), i64(0, -1, 0, -2), mode=mode, out=floats((2, 4))[:, 1:2], note="takes away")
        t.row("Pad", floats((2, 4)), i64(0, 3, 0, 2), mode=mode, out=False, grad=[0], grad2=True)
        t.row("Pad", floats((2, 2, 2)), i64(1, 1), None, i64(1), mode=mode, out=False, grad=[0])
        t.row("Pad", floats((2, 4)), i64(-1, 1, 0, -1), mode=mode, out=False, grad=[0])
    t.row("Pad", floats((2, 2)), i64(1, 0, 0, 2), F32(0.5), out=False, grad=[0, 2])
    t.row("Pad", x, i64(0, 0, 1, 1), F32(2.5), np.int32([0, 2]), out=np.pad(x, ((0, 1), (0, 0), (0, 1)), constant_values=2.5))
    t.row("Pad", F32(3), i64(), out=F32(3))
    t.row("Pad", empty(0, 2), i64(1, 0, 1, 0), F32(7), out=np.full((2, 2), 7, F32))
    t.row("Pad", empty(0, 2), i64(1, 0, 1, 0), mode="edge", error="nothing to pad")
    t.row("Pad", x, i64(1, 1), error="pads has 2 elements, wanted 6")
    t.row("Pad", x, i64(0, 0, -5, 0, 0, 0), error="pads make dim 2")
    t.row("Pad", x, i64(0, 0, 2**62, 0, 0, 0), error="beyond 2^40")
    t.row("Pad", x, i64(0, 0, 0, 0, 0, 0), mode="mirror", error="mode is 'mirror'")
    t.row("percale:PadGrad", F32([1, 2, 3, 4]), i64(1, 1), i64(2), mode="edge", out=F32([3, 7]))
    t.row("percale:PadGrad", F32([1, 2, 3, 4]), i64(1, 1), i64(2), mode="wrap", out=F32([2 + 4, 1 + 3]))
    t.row("percale:PadGrad", F32([1, 2, 3, 4]), i64(1, 1), i64(3), mode="edge", error="grad is")
    t.row("percale:PadGrad", floats((5, 3)), i64(1, 2), i64(2, 3), i64(0), mode="edge", out=False, grad=[0], grad2=True)
    for dtype in NUMERIC:
        g = some((4, 3), dtype, 2)
        t.row("percale:TileGrad", g, i64(2, 1), i64(2, 3), tol=2 * TOLERANCE.get(np.dtype(dtype).name, 0),
              out=(g[:2] + g[2:]).astype(dtype))
        t.row("percale:PadGrad", g, i64(1, 0), i64(3, 3), i64(0), out=g[1:])
    t.row("Tile", x, i64(1, 1, 1))
    t.row("Tile", x, i64(1, 2, 3))
    t.row("Tile", x, i64(2, 0, 1))
    t.row("Tile", F32(4), i64(), out=F32(4))
    t.row("Tile", empty(0, 2), i64(3, 2))
    t.row("Tile", x, i64(2), error="repeats has 1")
    t.row("Tile", x, i64(1, 1, -1), error="repeats has -1")
    t.row("Tile", x, i64(1, 1, 2**62), error="exceed 2^40")
    t.row("Tile", floats((2, 3)), i64(3, 2), grad=[0], grad2=True)
    t.row("percale:TileGrad", floats((4, 3)), i64(2, 1), i64(2, 3), out=False, grad=[0], grad2=True)
    t.row("percale:TileGrad", floats((4, 3)), i64(3, 1), i64(2, 3), error="grad is")


def index(t):
    x = floats((3, 4, 2))
    every = NUMERIC + [np.bool_]
    value = lambda dims, dtype, seed=0: (whole(dims, np.int8, seed) > 0) if dtype is np.bool_ else some(dims, dtype, seed)
    for dtype in every:
        v = value((3, 4), dtype, 1)
        t.row("Gather", v, i64(2, -3), out=v[[2, 0]])
        t.row("GatherElements", v, i64([[1, 2, 0, -1]]), axis=0, out=np.take_along_axis(v, np.array([[1, 2, 0, 2]]), 0))
        u = value((1, 4), dtype, 2)
        want = v.copy()
        np.put_along_axis(want, np.array([[1, 2, 0, 2]]), u, 0)
        t.row("ScatterElements", v, i64([[1, 2, 0, -1]]), u, axis=0, out=want)
        if dtype is not np.bool_:
            for reduction, f in {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}.items():
                many = v.copy()
                ups = some((2, 4), dtype, 3)
                at = np.array([[1, 2, 0, 1], [1, 0, 0, 2]])
                for i in range(2):
                    for j in range(4):
                        many[at[i, j], j] = f(many[at[i, j], j], ups[i, j])
                t.row("ScatterElements", v, at, ups, axis=0, reduction=reduction, out=many)
            g = some((2, 4), dtype, 4)
            sums = np.zeros((3, 4), dtype)
            sums[2] = (g[0] + g[1]).astype(dtype)
            t.row("percale:GatherGrad", g, i64(2, -1), i64(3, 4), out=sums)
    t.row("Gather", x, np.int32([[0, 1], [3, -1]]), axis=1)
    t.row("Gather", x, i64(1, 0), axis=-1)
    t.row("Gather", x, np.int64(1), note="scalar index")
    t.row("Gather", x, np.zeros((0,), np.int64))
    t.row("Gather", x, np.zeros((2, 0), np.int64), axis=2)
    t.row("Gather", empty(3, 0), i64(1))
    for bad in [3, -4, 2**63 - 1, -2**63]:
        t.row("Gather", x, i64(0, bad), error=f"index {bad} is out of range")
        t.row("percale:GatherGrad", floats((2, 4, 2)), i64(0, bad), i64(3, 4, 2), error=f"index {bad} is out of range")
        t.row("GatherElements", floats((3,)), i64(0, bad), error=f"index {bad} is out of range")
        t.row("ScatterElements", floats((3,)), i64(0, bad), F32([1, 2]), error=f"index {bad} is out of range")
    t.row("Gather", empty(0, 2), i64(0), error="out of range")
    t.row("Gather", F32(1), i64(0), error="out of range")
    t.row("Gather", floats((1,) * 8), np.zeros((1, 1), np.int64), error="exceeds the limit")
    t.row("Gather", x, i64(1, 1, 0), axis=1, grad=[0], grad2=True)
    t.row("Gather", floats((4, 3)), np.int32([[3, 0], [3, 3]]), grad=[0])
    t.row("percale:GatherGrad", floats((2, 3)), i64(1, 1), i64(2, 3), out=False, grad=[0], grad2=True)
    t.row("percale:GatherGrad", floats((2, 3)), i64(1, 1), i64(2, 4), error="is no result of Gather")
    wide = floats((5, 130))
    t.row("percale:GatherGrad", wide, i64(1, 0, 1, 1, 0), i64(3, 130), tol=1e-6,
          out=np.stack([wide[1] + wide[4], wide[0] + wide[2] + wide[3], np.zeros(130, F32)]), note="several column blocks")
    at = i64([[0, 2, 1], [1, 1, 1]])
    t.row("GatherElements", floats((2, 3)), at, axis=1)
    t.row("GatherElements", floats((2, 3)), at - 3, axis=-1)
    t.row("GatherElements", x, i64([[[0], [1]]]), axis=2, out=F32([[[x[0, 0, 0]], [x[0, 1, 1]]]]))
    t.row("GatherElements", floats((2, 3)), np.zeros((2, 0), np.int64), axis=1)
    t.row("GatherElements", floats((2, 3)), i64(0), error="ranks")
    t.row("GatherElements", floats((2, 3)), np.zeros((3, 3), np.int64), axis=1, error="exceed data")
    t.row("GatherElements", floats((2, 3)), at, axis=1, grad=[0], grad2=True)
    t.row("ScatterElements", floats((2, 3)), i64([[0, 2], [1, 0]]), floats((2, 2), 1), axis=1, grad=[0, 2], grad2=True)
    t.row("ScatterElements", floats((2, 3)), at, floats((2, 3), 1), axis=1, reduction="add", grad=[0, 2])
    t.row("ScatterElements", floats((2, 3)), at, floats((2, 2), 1), axis=1, error="differ")
    t.row("ScatterElements", floats((2, 3)), at, floats((2, 3), 1), axis=1, reduction="sum", error="reduction is 'sum'")
    t.row("ScatterElements", floats((2, 3)), np.zeros((0, 3), np.int64), empty(0, 3), out=floats((2, 3)))


def index_nd(t):
    x = floats((2, 3, 4))
    for dtype in NUMERIC:
        v, u = some((3, 2), dtype, 1), some((2, 2), dtype, 2)
        t.row("GatherND", v, i64([[2], [-3]]), out=v[[2, 0]])
        want = v.copy()
        want[[2, 0]] = u
        t.row("ScatterND", v, i64([[2], [-3]]), u, out=want)
        for reduction, f in {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}.items():
            want = v.copy()
            want[1] = f(f(want[1], u[0]), u[1])
            t.row("ScatterND", v, i64([[1], [1]]), u, reduction=reduction, out=want)
    truth = np.array([True, False, True])
    t.row("GatherND", truth, i64([[1], [2]]), out=np.array([False, True]))
    t.row("ScatterND", truth, i64([[1], [0]]), np.array([True, False]), out=np.array([False, True, True]))
    t.row("ScatterND", truth, i64([[1], [0]]), np.array([True, False]), reduction="add", out=np.array([True, True, True]))
    t.row("ScatterND", truth, i64([[1], [0]]), np.array([True, False]), reduction="mul",
          out=np.array([False, False, True]))
    t.row("GatherND", x, i64([[0, 1], [1, 2]]))
    t.row("GatherND", x, i64([[[0, 1, 2]], [[1, -1, -4]]]))
    t.row("GatherND", x, i64([[1], [0]]), batch_dims=1)
    t.row("GatherND", x, i64([[[1], [0], [2]], [[3], [3], [1]]]), batch_dims=2)
    t.row("GatherND", x, np.zeros((2, 0), np.int64), out=np.stack([x, x]), note="empty tuples name everything")
    t.row("GatherND", x, np.zeros((0, 2), np.int64), out=empty(0, 4))
    for bad in [2, -3, 2**63 - 1, -2**63]:
        t.row("GatherND", x, i64([[0], [bad]]), error=f"index {bad} is out of range")
        t.row("ScatterND", x, i64([[bad]]), floats((1, 3, 4)), error=f"index {bad} is out of range")
    t.row("GatherND", x, i64([[0, 0, 0, 0]]), error="tuples of 4")
    t.row("GatherND", x, i64([[0], [0], [0]]), batch_dims=1, error="batch dims")
    t.row("GatherND", x, i64([[0]]), batch_dims=2, error="batch_dims is 2")
    t.row("GatherND", F32(1), i64([[0]]), error="rank 1 or more")
    t.row("GatherND", x, i64([[0, 1], [1, 2]]), grad=[0], grad2=True)
    t.row("GatherND", x, i64([[0, 1], [0, 1]]), grad=[0])
    t.row("ScatterND", x, i64([[1, 0], [0, 2]]), floats((2, 4), 2), grad=[0, 2], grad2=True)
    t.row("ScatterND", x, i64([[1], [1]]), floats((2, 3, 4), 2), reduction="add", out=False, grad=[0, 2])
    t.row("ScatterND", x, np.zeros((0, 1), np.int64), empty(0, 3, 4), out=x)
    t.row("ScatterND", x, i64([[1, 0]]), floats((1, 3), 2), error="updates are")
    t.row("ScatterND", x, i64([[1, 0]]), floats((1, 4), 2), reduction="sum", error="reduction is 'sum'")


def argextreme(t):
    x = F32([[2, 7, 7, 1], [5, 5, 0, 3], [9, 1, 9, 2]])
    for op, f in {"ArgMax": np.argmax, "ArgMin": np.argmin}.items():
        for dtype in NUMERIC:
            v = whole((3, 5, 2), dtype, 4, -3, 3)
            t.row(op, v, axis=1, out=f(v, axis=1).reshape(3, 1, 2))
        for axis in [0, 1, -1]:
            t.row(op, x, axis=axis, keepdims=0)
            t.row(op, x, axis=axis, select_last_index=1)
        t.row(op, F32([1, np.nan, 9, np.nan, -9]), keepdims=0, out=np.int64(1))
        t.row(op, F32([1, np.nan, 9, np.nan, -9]), keepdims=0, select_last_index=1, out=np.int64(3))
        t.row(op, empty(0, 3), axis=1, out=np.zeros((0, 1), np.int64))
        t.row(op, empty(2, 0), axis=1, error="is empty")
        t.row(op, x, axis=2, error="out of range")
        t.row(op, floats((5, 1003)), axis=1)
    for dtype in NUMERIC:
        hot = np.array([[1, 5, 5], [5, 5, 1], [5, 1, 5], [5, 5, 5]], dtype)
        t.row("OneHot", i64(0, 2, -2, 3), np.int64(3), np.array([5, 1], dtype), out=hot)
        t.row("OneHot", np.array([0, 2], dtype), np.array(3).astype(dtype), F32([0, 1]), out=F32([[1, 0, 0], [0, 0, 1]]))
    t.row("OneHot", i64(0, 2), np.int64(3), F32([0, 1]), axis=0, out=F32([[1, 0], [0, 0], [0, 1]]))
    t.row("OneHot", i64([[0, 2]]), i64(3), F32([0, 1]), axis=1, out=F32([[[1, 0], [0, 0], [0, 1]]]))
    t.row("OneHot", np.int64(1), np.int64(2), np.array([False, True]), out=np.array([False, True]))
    t.row("OneHot", i64(2**63 - 1, -2**63, -4), np.int64(3), F32([0, 1]), out=empty(3, 3), note="out of range: off")
    t.row("OneHot", np.zeros((0,), np.int64), np.int64(2), F32([0, 1]), out=empty(0, 2))
    t.row("OneHot", i64(0), np.int64(0), F32([0, 1]), error="depth is 0")
    t.row("OneHot", i64(0), np.int64(-3), F32([0, 1]), error="depth is -3")
    t.row("OneHot", i64(0), i64(3, 3), F32([0, 1]), error="depth must be a scalar")
    t.row("OneHot", i64(0), i64(3), F32([0, 1, 2]), error="values must be")


def generate(t):
    for dtype in NUMERIC + [np.bool_]:
        v = np.array([[1, 0], [1, 1]]).astype(dtype)
        t.row("Constant", value=v, out=v)
        t.row("ConstantOfShape", i64(2, 3), value=np.array([1]).astype(dtype), out=np.full((2, 3), 1).astype(dtype))
        t.row("EyeLike", v, k=1, out=np.eye(2, k=1).astype(dtype))
        m = some((2, 3, 4), dtype, 1) if dtype is not np.bool_ else np.ones((2, 3, 4), bool)
        t.row("Trilu", m, out=np.triu(m))
        t.row("Trilu", m, np.int64(-1), upper=0, out=np.tril(m, -1))
    t.row("Constant", value_float=2.5, out=F32(2.5))
    t.row("Constant", value_floats=[2.5, -1.0], out=F32([2.5, -1]))
    t.row("Constant", value_int=7, out=np.int64(7))
    t.row("Constant", value_ints=[7, -2], out=i64(7, -2))
    t.row("Constant", value=empty(0, 2), out=empty(0, 2))
    t.row("Constant", error="exactly one")
    t.row("Constant", value_int=7, value_float=1.0, error="exactly one")
    t.row("ConstantOfShape", i64(2, 2), out=empty(2, 2))
    t.row("ConstantOfShape", i64(), out=F32(0))
    t.row("ConstantOfShape", i64(0, 3), out=empty(0, 3))
    t.row("ConstantOfShape", i64(-1), error="negative dim")
    t.row("ConstantOfShape", i64(2**41), error="2^40")
    t.row("ConstantOfShape", i64(1), value=F32([1, 2]), error="one number")
    for dtype in [F32, F64, np.int16, np.int32, np.int64]:
        t.row("Range", dtype(1), dtype(10), dtype(3), out=np.arange(1, 10, 3).astype(dtype))
        t.row("Range", dtype(10), dtype(1), dtype(-4), out=np.array([10, 6, 2]).astype(dtype))
        t.row("Range", dtype(1), dtype(1), dtype(3), out=np.zeros(0, dtype))
        t.row("Range", dtype(1), dtype(5), dtype(-1), out=np.zeros(0, dtype))
        t.row("Range", dtype(1), dtype(5), dtype(0), error="delta is 0")
    t.row("Range", np.int64(-2**63), np.int64(2**63 - 1), np.int64(2**62), out=i64(-2**63, -2**62, 0, 2**62))
    t.row("Range", np.int64(0), np.int64(2**62), np.int64(1), error="longer than 2^40")
    t.row("Range", F32(0), F32(np.inf), F32(1), error="longer than 2^40")
    t.row("Range", F32(0), F32(np.nan), F32(1), error="longer than 2^40")
    t.row("Range", i64(1, 2), np.int64(3), np.int64(1), error="must be a scalar")
    t.row("EyeLike", empty(3, 4), k=-1)
    t.row("EyeLike", empty(3, 4), dtype=6, out=np.eye(3, 4, dtype=np.int32))
    t.row("EyeLike", empty(3, 4), k=9)
    t.row("EyeLike", empty(3, 4), k=-2**63, out=empty(3, 4))
    t.row("EyeLike", empty(3), error="wanted a matrix")
    m = floats((3, 4))
    for k in [-4, -2, 0, 1, 4, 9]:
        t.row("Trilu", m, np.int64(k))
        t.row("Trilu", m, np.int64(k), upper=0)
    t.row("Trilu", m, np.int64(2**63 - 1), out=empty(3, 4))
    t.row("Trilu", m, np.int64(-2**63), out=m)
    t.row("Trilu", m, np.int64(2**63 - 1), upper=0, out=m)
    t.row("Trilu", empty(2, 0, 3))
    t.row("Trilu", floats((3,)), error="wanted matrices")
    t.row("Trilu", m, np.int64(1), grad=[0], grad2=True)
    t.row("Trilu", m, upper=0, grad=[0])
    for dtype in FLOATS + [np.int32, np.int64, np.uint32, np.uint64]:
        v = whole((2, 3, 4), dtype, 3)
        for axis in range(3):
            t.row("CumSum", v, np.int32(axis), out=np.cumsum(v.astype(F64), axis=axis).astype(dtype)
                  if np.dtype(dtype).kind == "f" or dtype is BF16 else np.cumsum(v, axis=axis).astype(dtype))
    v = floats((2, 4))
    zero = np.zeros((2, 1), F32)
    t.row("CumSum", v, np.int64(-1), exclusive=1, tol=1e-6, out=np.cumsum(np.hstack([zero, v[:, :-1]]), 1))
    t.row("CumSum", v, np.int64(1), reverse=1, tol=1e-6, out=np.cumsum(v[:, ::-1], 1)[:, ::-1])
    t.row("CumSum", v, np.int64(1), reverse=1, exclusive=1, tol=1e-6,
          out=np.cumsum(np.hstack([zero, v[:, :0:-1]]), 1)[:, ::-1])
    t.row("CumSum", empty(2, 0), np.int64(1), out=empty(2, 0))
    t.row("CumSum", v, np.int64(2), error="out of range")
    t.row("CumSum", v, i64(0, 1), error="one number")
    for attrs in [{}, {"exclusive": 1}, {"reverse": 1}, {"exclusive": 1, "reverse": 1}]:
        t.row("CumSum", floats((2, 3)), np.int64(1), out=False, grad=[0], grad2=True, **attrs)


def resize(t):
    x = floats((1, 2, 4, 5))
    every = NUMERIC + [np.bool_]
    for dtype in every:
        v = whole((2, 3), np.int8, 1) > 0 if dtype is np.bool_ else some((2, 3), dtype, 1)
        t.row("Resize", v, None, F32([2, 1]), out=np.repeat(v, 2, 0), note="nearest takes every type")
        if dtype is not np.bool_:
            t.row("Resize", v, None, None, i64(3, 5), mode="linear", tol=TOLERANCE.get(np.dtype(dtype).name, 0))
    modes = ["half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric"]
    for mode in ["nearest", "linear", "cubic"]:
        for coordinates in modes:
            attrs = {"mode": mode, "coordinate_transformation_mode": coordinates}
            t.row("Resize", x, None, F32([1, 1, 0.6, 1.7]), tol=2e-6, **attrs)
            t.row("Resize", x, None, None, i64(1, 2, 7, 3), tol=2e-6, **attrs)
            t.row("Resize", floats((3, 4)), None, F32([1.7, 0.6]), out=False, grad=[0], grad2=True, **attrs)
            if mode != "nearest":
                t.row("Resize", x, None, F32([1, 1, 0.3, 0.45]), tol=2e-6, antialias=1, **attrs)
                t.row("Resize", x, None, F32([1, 1, 0.6, 1.7]), tol=2e-6, exclude_outside=1, **attrs)
        crop = {"mode": mode, "coordinate_transformation_mode": "tf_crop_and_resize", "extrapolation_value": 10.0}
        t.row("Resize", x, F32([0, 0, 0.2, 0.1, 1, 1, 0.9, 1.3]), None, i64(1, 2, 3, 4), tol=2e-6, **crop)
        t.row("Resize", floats((3, 4)), F32([0.2, 0.1, 0.9, 1.3]), None, i64(3, 4), out=False, grad=[0], grad2=True, **crop)
        t.row("Resize", floats((3, 4)), F64([0.2, 0.9]), None, i64(1), axes=[-1], tol=2e-6, out=
              crop_of_one(floats((3, 4)), 0.2, 0.9, mode), **crop)
    for nearest in ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"]:
        for coordinates in modes:
            t.row("Resize", x, None, None, i64(1, 2, 8, 3), nearest_mode=nearest, coordinate_transformation_mode=coordinates)
    for policy in ["stretch", "not_larger", "not_smaller"]:
        for mode in ["nearest", "linear"]:
            t.row("Resize", x, None, None, i64(7, 8), axes=[2, 3], keep_aspect_ratio_policy=policy, mode=mode, tol=2e-6)
    t.row("Resize", x, None, F32([2.2, 0.5]), axes=[3, 1], mode="linear", tol=2e-6, note="axes in any order")
    t.row("Resize", x[0, 0], None, F32([0.6, 0.5]), mode="linear", tol=2e-6, out=False, grad=[0], antialias=1)
    t.row("Resize", x[0, 0], None, F32([0.6, 1.5]), mode="cubic", tol=2e-6, out=False, grad=[0], exclude_outside=1,
          cubic_coeff_a=-0.5)
    t.row("Resize", F32([[1, 2, 3, 4]]), None, F32([1, 0.5]), coordinate_transformation_mode="tf_half_pixel_for_nn",
          out=F32([[2, 4]]), note="opset 11: (x + 0.5) / scale")
    t.row("Resize", np.int8([0, 127, -128]), None, F32([2]), mode="cubic",
          note="rounded, held at the ends")
    t.row("Resize", x, empty(0), empty(0), i64(1, 2, 2, 2), note="empty: absent")
    t.row("Resize", F32(3), None, empty(0), i64(), error="neither")
    t.row("Resize", x, None, F32([1, 1, 1, 1]), out=x)
    t.row("Resize", x, None, F32([1, 1, 0.1, 1]), out=empty(1, 2, 0, 5), note="nothing left")
    t.row("Resize", empty(0, 4), None, F32([3, 2]), out=empty(0, 8))
    t.row("Resize", empty(0, 4), None, None, i64(1, 2), error="no element to resize")
    t.row("Resize", x, None, F32([1, 1, 2, 2]), i64(1, 2, 3, 4), error="got both")
    t.row("Resize", x, error="got neither")
    t.row("Resize", x, None, F32([1, 1, 2]), error="'scales' is [3], wanted [4]")
    t.row("Resize", x, None, F32([1, 1, 0, 2]), error="scales has 0")
    t.row("Resize", x, None, F32([1, 1, np.nan, 2]), error="scales has nan")
    t.row("Resize", x, None, F32([1, 1, 1e30, 2]), error="wanted 0 to 2^40")
    t.row("Resize", x, None, None, i64(1, 1, -1, 2), error="wanted 0 to 2^40")
    t.row("Resize", x, None, F32([1, 1, 1, 2]), coordinate_transformation_mode="tf_crop_and_resize", error="needs roi")
    t.row("Resize", x, F32([0, 1]), F32([1, 1, 1, 2]), coordinate_transformation_mode="tf_crop_and_resize",
          error="'roi' is [2], wanted [8]")
    t.row("Resize", x, F32([np.nan] * 8), F32([1, 1, 1, 2]), coordinate_transformation_mode="tf_crop_and_resize",
          error="roi is not finite")
    t.row("Resize", x, None, F32([1, 1, 1, 2]), mode="area", error="mode is 'area'")
    t.row("Resize", x, None, F32([2]), axes=[4], error="out of range")
    t.row("Resize", x, None, F32([2, 2]), axes=[1, -3], error="given twice")
    t.row("Resize", np.array([True]), None, F32([2]), mode="linear", error="makes means")
    for dtype in NUMERIC:
        g = whole((4, 3), dtype, 2, 0, 9)
        t.row("percale:ResizeGrad", g, i64(2, 3), None, F32([2, 1]), out=(g[::2] + g[1::2]).astype(dtype))
    g = floats((2, 4))
    t.row("percale:ResizeGrad", g, i64(2, 2), None, F32([1, 2]), mode="linear", tol=2e-6,
          out=np.stack([g[:, 0] + 0.75 * g[:, 1] + 0.25 * g[:, 2], 0.25 * g[:, 1] + 0.75 * g[:, 2] + g[:, 3]], 1))
    t.row("percale:ResizeGrad", g, i64(2, 3), None, None, i64(2, 4), mode="cubic", out=False, grad=[0], grad2=True)
    t.row("percale:ResizeGrad", empty(2, 0), i64(2, 3), None, None, i64(2, 0), out=empty(2, 3))
    t.row("percale:ResizeGrad", g, i64(2, 3), None, F32([1, 2]), error="grad is")
    t.row("percale:ResizeGrad", g, i64(2, -1), None, F32([1, 2]), error="negative dim")


def crop_of_one(x, start, end, mode):
    """One element per row, from the middle of the region of interest along the last axis."""
    n = x.shape[-1]
    at = 0.5 * (start + end) * (n - 1)
    if mode == "nearest":
        return x[:, [int(np.ceil(at - 0.5))]]
    k, r = int(np.floor(at)), at - np.floor(at)
    a = -0.75
    near, far = lambda d: (a + 2) * d**3 - (a + 3) * d**2 + 1, lambda d: a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a
    weights = {k: 1 - r, k + 1: r} if mode == "linear" else {k - 1: far(r + 1), k: near(r), k + 1: near(1 - r), k + 2: far(2 - r)}
    return sum(w * x[:, [min(max(i, 0), n - 1)]].astype(F64) for i, w in weights.items()).astype(F32)


def linalg(t):
    def symmetric(dims, seed):
        x = floats(dims, seed, dtype=F64)
        return x @ np.swapaxes(x, -1, -2) + 0.5 * np.eye(dims[-1])
    for dims in [(1, 1), (2, 2), (3, 3), (2, 4, 4), (2, 1, 3, 3), (17, 17), (0, 2, 2), (2, 0, 0)]:
        x, s = floats(dims, 3, dtype=F64), symmetric(dims, 4)
        inverse = np.linalg.inv(x)
        t.row("Det", x, out=np.linalg.det(x), tol=1e-11)
        t.row("percale:MatrixInverse", x, out=inverse, tol=1e-11)
        t.row("percale:MatrixInverse", x, out=np.swapaxes(inverse, -1, -2).copy(), tol=1e-11, adjoint=1)
        t.row("percale:Cholesky", s, out=np.linalg.cholesky(s), tol=1e-11)
    t.row("percale:Cholesky", np.triu(np.full((2, 2), np.nan), 1) + F64([[4, 0], [2, 5]]), out=F64([[2, 0], [1, 2]]),
          note="the lower triangle alone is read")
    for dtype, tol in [(F32, 1e-5), (F16, 1e-3), (BF16, 1e-2)]:
        x = F64([[2, -1, 0], [-1, 2, -1], [0, -1, 2]]).astype(dtype)
        t.row("Det", x, out=np.asarray(4).astype(dtype), tol=tol)
        t.row("percale:MatrixInverse", x, out=np.linalg.inv(x.astype(F64)).astype(dtype), tol=tol)
        t.row("percale:Cholesky", x, out=np.linalg.cholesky(x.astype(F64)).astype(dtype), tol=tol)
    x, s = np.stack([floats((3, 3), 5), np.eye(3) + 0.1 * floats((3, 3), 6)]).astype(F64), symmetric((2, 3, 3), 7)
    t.row("Det", x, grad=[0], grad2=True, out=np.linalg.det(x), tol=1e-11)
    t.row("percale:MatrixInverse", x[1], grad=[0], grad2=True, out=np.linalg.inv(x[1]), tol=1e-11)
    t.row("percale:MatrixInverse", x[1:], grad=[0], out=np.swapaxes(np.linalg.inv(x[1:]), -1, -2).copy(), tol=1e-11, adjoint=1)
    t.row("percale:Cholesky", s, grad=[0], out=np.linalg.cholesky(s), tol=1e-11)
    t.row("percale:Cholesky", s[0] + 2 * np.eye(3), grad=[0], grad2=True, out=np.linalg.cholesky(s[0] + 2 * np.eye(3)), tol=1e-11)
    singular = F64([[[1, 0], [0, 1]], [[1, 2], [2, 4]]])
    t.row("Det", singular, out=F64([1, 0]))
    t.row("Det", F64([[0, 2], [3, 0]]), out=F64(-6), note="rows exchanged")
    t.row("percale:MatrixInverse", F64([[0, 2], [4, 0]]), out=F64([[0, 0.25], [0.5, 0]]), note="rows exchanged")
    t.row("percale:MatrixInverse", singular, error="matrix 1 is singular")
    t.row("percale:MatrixInverse", empty(2, 2), error="matrix 0 is singular")
    t.row("percale:Cholesky", F64([[1, 2], [2, 1]]), error="matrix 0 is not positive definite")
    t.row("percale:Cholesky", F64([[np.nan]]), error="matrix 0 is not positive definite")
    for op in ["Det", "percale:MatrixInverse", "percale:Cholesky"]:
        t.row(op, empty(2, 3), error="wanted square matrices, got [2,3]")
        t.row(op, empty(3), error="wanted square matrices, got [3]")


def debug(t):
    for dtype in FLOATS:
        x = floats((2, 3), dtype=dtype)
        t.row("percale:CheckNumerics", x, out=x)
        bad = x.copy()
        bad[1, 1:] = [np.inf, np.nan]
        t.row("percale:CheckNumerics", bad, message="weights", error="weights: element 4 is infinite or NaN")
    t.row("percale:CheckNumerics", F64([-np.inf]), error="element 0 is infinite or NaN")
    t.row("percale:CheckNumerics", empty(0, 2), out=empty(0, 2))
    t.row("percale:CheckNumerics", floats((2, 3)), out=False, grad=[0], grad2=True)
    t.row("percale:Print", floats((2, 3)), out=floats((2, 3)), message="x = ", grad=[0])
    t.row("percale:Print", i64(1, 2), out=i64(1, 2), summarize=-1)
    holds = np.array([True, True])
    t.row("percale:Assert", holds, floats((2, 3)), out=floats((2, 3)), grad=[1])
    t.row("percale:Assert", np.zeros((0,), np.bool_), i64(7), out=i64(7), note="of nothing all hold")
    t.row("percale:Assert", ~holds, i64(7), message="no", error="no: element 0 of the condition is false")
    t.row("percale:Assert", holds, error="output 'Y' needs input 'X'")


def every_code(dtype):
    """One element of each bit pattern."""
    bits = {"2": 2, "4": 4}.get(SMALL[dtype].lstrip("iu"), 4 if dtype is ml_dtypes.float4_e2m1fn else 8)
    codes = np.arange(2**bits, dtype=np.uint8)
    if SMALL[dtype][0] == "i":
        return codes.astype(np.int64).astype(dtype)
    return codes.view(dtype)


def small(t):
    to = lambda dtype: int(onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))
    halves = [0.0, -0.0, 0.25, 0.3, 0.5, 0.75, -0.8, 1.0, 1.25, 1.5, -1.75, 2.5, 3.5, -5.0, 5.1, 6.0, 100.0, -239.0]
    for dtype, name in SMALL.items():
        codes = every_code(dtype)
        integer = name[0] in "iu"
        # To wider types: exact, NaN apart.
        t.row("Cast", codes, to=1, out=codes.astype(F32))
        t.row("Cast", codes, to=to(F64), out=codes.astype(F64))
        t.row("Cast", codes, to=to(np.bool_), out=codes.astype(F32) != 0)
        finite = codes[np.abs(np.nan_to_num(codes.astype(F64), nan=1e9)) < 1e5]
        if dtype is not ml_dtypes.float8_e8m0fnu:
            t.row("Cast", finite, to=to(F16), out=finite.astype(F32).astype(F16))
            t.row("Cast", finite, to=to(np.int32), out=np.trunc(finite.astype(F64)).astype(np.int32))
            t.row("Cast", F32(halves), to=to(dtype), 
                  out=low_bits(np.trunc(halves), dtype) if integer else np.clip(halves, *limits(dtype)).astype(F32).astype(dtype))
            t.row("Cast", np.int64([0, 1, 2, 3] if integer else [0, -1, 2, 3, 6, -6]), to=to(dtype),
                  out=np.int64([0, 1, 2, 3] if integer else [0, -1, 2, 3, 6, -6]).astype(dtype))
        t.row("CastLike", F32([1, 2]), codes[:1], out=low_bits([1, 2], dtype) if integer else F32([1, 2]).astype(dtype))
        t.row("Cast", codes, to=to(dtype), out=codes)
        for op, attrs in [("Identity", {}), ("Flatten", {"axis": 0})]:
            t.row(op, codes, out=codes.reshape(1, -1) if op == "Flatten" else codes, **attrs)
        three = codes[:3]
        t.row("Reshape", three, i64(3, 1), out=three.reshape(3, 1))
        t.row("Unsqueeze", three, i64(0), out=three.reshape(1, 3))
        t.row("Squeeze", three.reshape(1, 3, 1), out=three)
        odd = np.resize(codes, (3, 5))
        t.row("Transpose", odd, out=odd.T.copy())
        t.row("Transpose", np.resize(codes, (2, 3, 3)), perm=[2, 0, 1], out=np.resize(codes, (2, 3, 3)).transpose(2, 0, 1).copy())
        t.row("Shape", odd, out=i64(3, 5))
        t.row("Size", odd, out=np.int64(15))
        t.row("Pad", odd, i64(1, 0, 0, 2), codes[3:4].reshape(()), out=np.block([[np.full((1, 7), codes[3])],
              [odd, np.full((3, 2), codes[3])]]))
        t.row("Pad", odd, i64(0, 1, 0, 2), mode="reflect", out=odd[:, [1, 0, 1, 2, 3, 4, 3, 2]])
        t.row("Constant", value=odd, out=odd)
        for dims in [(5,), (4,), (2, 0), ()]:
            t.row("ConstantOfShape", i64(*dims), value=codes[3:4], out=np.full(dims, codes[3]))
    for dtype in [ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.int2, ml_dtypes.uint2]:
        for source in [np.int8, np.int16, np.int32, np.int64, np.uint8]:
            v = np.arange(-40, 41).astype(source)
            t.row("Cast", v, to=to(dtype), out=low_bits(v, dtype), note="wraps")
        t.row("Cast", F32([np.nan, np.inf, -np.inf, 1e9, -1e9, 0.9, -0.9]), to=to(dtype),
              out=low_bits([0, 2**63 - 1, -2**63, 1e9, -1e9, 0, 0], dtype), note="the low bits, NaN gives 0")
        t.row("Cast", np.array([False, True, True]), to=to(dtype),
              out=np.array([0, 1, 1]).astype(dtype))
        t.row("Cast", every_code(dtype), to=to(np.uint8), out=every_code(dtype).astype(np.int64).astype(np.uint8))
    # float8: all bfloat16 of small magnitude, by ml_dtypes; what is beyond, by ONNX's tables.
    many = (np.arange(0, 65536, 331).astype(np.uint16)).view(BF16).astype(F32)
    for dtype in [ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2, ml_dtypes.float8_e5m2fnuz]:
        v = many[np.isfinite(many)]
        t.row("Cast", v, to=to(dtype), saturate=0, out=v.astype(dtype))
        t.row("Cast", v, to=to(dtype), out=np.clip(v, *limits(dtype)).astype(dtype))
        t.row("Cast", F32([np.nan, np.inf, -np.inf]), to=to(dtype), saturate=0, out=F32([np.nan, np.inf, -np.inf]).astype(dtype))
        t.row("Cast", F32([np.inf, -np.inf]), to=to(dtype), out=F32(limits(dtype))[::-1].astype(dtype))
        t.row("Cast", F64([1.0624999, 1.0625, 1.0625001, 1.1875]), to=to(dtype), out=F64([1.0624999, 1.0625, 1.0625001, 1.1875])
              .astype(dtype), note="f64 is rounded once")
        every = every_code(dtype)
        t.row("IsNaN", every, out=np.isnan(every.astype(F32)))
        t.row("IsInf", every, out=np.isinf(every.astype(F32)))
        t.row("IsInf", every, out=np.isneginf(every.astype(F32)), detect_positive=0)
    powers = F32([2.0**-126, 2.0**-3, 0.75, 1, 1.25, 1.5, 1.75, 3, 2.0**127])
    code = lambda exponents: (np.array(exponents) + 127).astype(np.uint8).view(ml_dtypes.float8_e8m0fnu)
    e8m0 = to(ml_dtypes.float8_e8m0fnu)
    t.row("Cast", powers, to=e8m0, round_mode="up", out=code([-126, -3, 0, 0, 1, 1, 1, 2, 127]))
    t.row("Cast", powers, to=e8m0, round_mode="down", out=code([-126, -3, -1, 0, 0, 0, 0, 1, 127]))
    t.row("Cast", powers, to=e8m0, round_mode="nearest", out=code([-126, -3, 0, 0, 0, 1, 1, 2, 127]))
    t.row("Cast", F64([0, np.inf, 1e300, 2.0**-140, np.nan]), to=e8m0, out=code([-127, 127, 127, -127, 128]))
    t.row("Cast", F64([0, np.inf, 1e300, 2.0**-140, np.nan]), to=e8m0, saturate=0, round_mode="nearest",
          out=code([128] * 5))
    t.row("Cast", F32([1]), to=e8m0, round_mode="odd", error="round_mode is 'odd'")
    t.row("Cast", F32([np.nan, np.inf, -np.inf, 7, -100]), to=to(ml_dtypes.float4_e2m1fn),
          out=F32([-0.0, 6, -6, 6, -6]).astype(ml_dtypes.float4_e2m1fn))


def low_bits(values, dtype):
    """Whole numbers modulo the range of an integer of 4 or 2 bits."""
    info = ml_dtypes.iinfo(dtype)
    low, span = int(info.min), int(info.max) - int(info.min) + 1
    return np.array([(int(v) - low) % span + low for v in values]).astype(dtype)


def limits(dtype):
    info = ml_dtypes.iinfo(dtype) if SMALL[dtype][0] in "iu" else ml_dtypes.finfo(dtype)
    return float(info.min), float(info.max)


FAMILIES = {f.__name__: f for f in (elementwise, activation, composite, optimizer, logic, cast, reduce, shape, layout, pad, index,
                                    index_nd, argextreme, generate, resize, small, linalg, debug)}


def main(names):
    for name in names or FAMILIES:
        table = Table(name)
        FAMILIES[name](table)
        table.write()


if __name__ == "__main__":
    main(sys.argv[1:])
