"""Finds the oldest opset of a model by the schemas of the package "onnx", to check the exporter's
tables."""
import onnx
from onnx import defs, helper, shape_inference

OLDEST, NEWEST = 13, 27
# Ops, attributes and values whose meaning changed without a change of the schema.
MEANING = {"GroupNormalization": 21, "DFT": 20}
VALUES = {("Resize", "coordinate_transformation_mode", "half_pixel_symmetric"): 19, ("Pad", "mode", "wrap"): 19,
          ("GridSample", "mode", "linear"): 20, ("GridSample", "mode", "cubic"): 20,
          **{(op, "reduction", how): 18 for op in ("ScatterElements", "ScatterND") for how in ("max", "min")}}
# The opsets that introduced these element types.
TYPES = {"float8e4m3fn": 19, "float8e4m3fnuz": 19, "float8e5m2": 19, "float8e5m2fnuz": 19, "int4": 21, "uint4": 21,
         "float4e2m1": 23, "float8e8m0": 24, "int2": 25, "uint2": 25}


def type_name(number):
    return f"tensor({onnx.TensorProto.DataType.Name(number).lower()})"


def formals(params, count):
    """Returns the formal parameter of each of `count` operands."""
    return [params[min(i, len(params) - 1)] if params else None for i in range(count)]


def fits(schema, node, types):
    """Returns True if the node matches the schema: operands, their types, attributes."""
    for names, params, least in ((node.input, schema.inputs, schema.min_input), (node.output, schema.outputs, schema.min_output)):
        names = list(names)
        while names and not names[-1]:
            names.pop()
        variadic = params and params[-1].option == defs.OpSchema.FormalParameterOption.Variadic
        if len(names) < least or (len(names) > len(params) and not variadic):
            return False
    if any(a.name not in schema.attributes for a in node.attribute):
        return False
    allowed = {c.type_param_str: c.allowed_type_strs for c in schema.type_constraints}
    bound = {}
    for names, params in ((node.input, schema.inputs), (node.output, schema.outputs)):
        for name, formal in zip(names, formals(params, len(names))):
            kind = types.get(name)
            if not name or kind is None:
                continue
            if kind not in allowed.get(formal.type_str, [formal.type_str]):
                return False
            if formal.is_homogeneous and bound.setdefault(formal.type_str, kind) != kind:
                return False
    return True


def text(attribute):
    value = helper.get_attribute_value(attribute)
    return value.decode() if isinstance(value, bytes) else value


def oldest_of_node(node, types, ranks):
    """Returns the oldest opset that has the node in this form; None if there is none."""
    least = MEANING.get(node.op_type, OLDEST)
    if node.op_type == "GridSample" and ranks.get(node.input[0]) != 4:
        least = 20  # volumes need 20
    for attribute in node.attribute:
        value = text(attribute)
        least = max(least, VALUES.get((node.op_type, attribute.name, value), OLDEST) if isinstance(value, str) else OLDEST)
    if node.op_type == "RoiAlign" and all(a.name != "coordinate_transformation_mode" for a in node.attribute):
        # Aligned to corners before opset 16; from 16 on the exporter always writes the attribute
        return least
    for opset in range(least, NEWEST + 1):
        try:
            if fits(defs.get_schema(node.op_type, opset, ""), node, types):
                return opset
        except defs.SchemaError:  # the op is newer
            pass
    return None


def graphs(graph):
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from graphs(attribute.g)


def note_types(graph, types, ranks):
    for info in list(graph.input) + list(graph.output) + list(graph.value_info):
        tensor = info.type.tensor_type
        if info.type.HasField("tensor_type") and tensor.elem_type:
            types[info.name] = type_name(tensor.elem_type)
        if tensor.HasField("shape"):
            ranks[info.name] = len(tensor.shape.dim)
    for tensor in graph.initializer:
        types[tensor.name] = type_name(tensor.data_type)
        ranks[tensor.name] = len(tensor.dims)


def oldest(model):
    """Returns the oldest opset that has all nodes of the model in this form, and the op that
    requires it. Names are unique in the models that Percale writes, also those of graphs within
    nodes."""
    types, ranks = {}, {}
    for graph in graphs(shape_inference.infer_shapes(model, data_prop=True).graph):
        note_types(graph, types, ranks)
    most, why = OLDEST, "the oldest that is written"
    for kind in types.values():
        floor = TYPES.get(kind[len("tensor("):-1], OLDEST)
        most, why = max((most, why), (floor, kind))
    for graph in graphs(model.graph):
        for node in graph.node:
            if node.domain not in ("", "ai.onnx"):
                continue
            opset = oldest_of_node(node, types, ranks)
            if opset is None:
                return None, f"no opset has {node.op_type} '{node.output[0]}' in this form"
            if opset > most:
                most, why = opset, f"{node.op_type} '{node.output[0]}'"
    return most, why
