"""Writes official ONNX node cases (folders with model.onnx and test_data_set_0) of one op as rows
of an op table. Needs numpy, onnx and ml_dtypes.

    python tests/ops/official.py FOLDER_OF_CASES Resize > tests/ops/data/resize_official.jsonl
"""
import json
import pathlib
import sys

import onnx
from onnx import numpy_helper

from families.rows import TOLERANCE, attribute, tensor


def read(path):
    proto = onnx.TensorProto()
    proto.ParseFromString(path.read_bytes())
    return numpy_helper.to_array(proto)


def value(attr):
    v = onnx.helper.get_attribute_value(attr)
    if isinstance(v, bytes):
        return v.decode()
    if isinstance(v, onnx.TensorProto):
        return numpy_helper.to_array(v)
    return [x.decode() for x in v] if attr.type == onnx.AttributeProto.STRINGS else list(v) if hasattr(v, "extend") else v


for folder in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    graph = onnx.load(folder / "model.onnx").graph
    if len(graph.node) != 1 or graph.node[0].op_type != sys.argv[2]:
        continue
    node, data = graph.node[0], folder / "test_data_set_0"
    if any(not v.type.HasField("tensor_type") or v.type.tensor_type.elem_type == onnx.TensorProto.STRING
           for v in [*graph.input, *graph.output]):
        continue  # cannot be stored as a row
    fed = {v.name: read(data / f"input_{i}.pb") for i, v in enumerate(graph.input)}
    outs = [read(data / f"output_{i}.pb") for i in range(len(graph.output))]
    attrs = ",".join(f"{json.dumps(a.name)}:{attribute(value(a))}" for a in node.attribute)
    ins = ",".join(tensor(fed[name]) if name else "null" for name in node.input)
    tolerance = max(TOLERANCE.get(y.dtype.name, 0) for y in outs)
    tolerance = f',"tol":{tolerance!r}' if tolerance else ""
    print(f'{{"op":"{node.op_type}","note":"{folder.name}","attrs":{{{attrs}}},"in":[{ins}],'
          f'"out":[{",".join(map(tensor, outs))}]{tolerance}}}')
