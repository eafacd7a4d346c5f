"""Shared by the families: element types, random and chosen operands, the ONNX evaluator, the table.
"""
import json
import math  # noqa: F401 for the families
import os

import ml_dtypes
import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

OPSET = 26
NAMES = {"float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16", "bool": "bool",
         **{f"{u}int{b}": f"{u[:1] or 'i'}{b}" for u in ("", "u") for b in (2, 4, 8, 16, 32, 64)}}
# Types whose elements the tables store as bits.
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
    """Returns the result of ONNX's reference evaluator."""
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
        """Adds a row. `out`: the expected outputs (one array or a list); None asks ONNX's
        evaluator, False compares nothing. Attributes are the remaining keywords."""
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
            tol = 4e-6  # between kernels
        if tol and not error:
            fields.append(f'"tol":{tol}')
        if grad is not None:
            fields.append(f'"grad":{json.dumps(grad)}')
        if grad2:
            fields.append('"grad2":true')
        self.lines.append("{" + ",".join(fields) + "}")

    def write(self):
        path = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", self.family + ".jsonl")
        with open(path, "w", encoding="utf-8") as handle:
            handle.write("\n".join(self.lines) + "\n")
        print(f"{self.family}: {len(self.lines)} rows")


def floats(shape, seed=0, low=-2.0, high=2.0, dtype=F32):
    """Returns numbers that are at least 0.01 apart from each other, from zero and from multiples of
    0.5."""
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
    """Returns the numbers as a vector; for a single nested list, that array."""
    return np.array(values[0] if len(values) == 1 and isinstance(values[0], list) else values, np.int64)
