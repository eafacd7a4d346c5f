"""Writes ONNX messages byte by byte; the numbers are those of the fields in onnx.proto."""
import struct

FLOAT, UINT8, INT8, INT32, INT64, STRING, BOOL, FLOAT16, DOUBLE = 1, 2, 3, 6, 7, 8, 9, 10, 11


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def field(number, value):
    """Returns one field: an int as varint, a float as fixed32, text and bytes with their length."""
    if isinstance(value, bool) or isinstance(value, int):
        return varint(number << 3) + varint(int(value))
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    data = value.encode() if isinstance(value, str) else bytes(value)
    return varint(number << 3 | 2) + varint(len(data)) + data


def fields(number, values):
    return b"".join(field(number, v) for v in values)


def tensor(name, dtype, dims, raw=None, typed=b""):
    return fields(1, dims) + field(2, dtype) + field(8, name) + (b"" if raw is None else field(9, raw)) + typed


def floats(name, dims, values):
    return tensor(name, FLOAT, dims, struct.pack(f"<{len(values)}f", *values))


def ints(name, dims, values):
    return tensor(name, INT64, dims, struct.pack(f"<{len(values)}q", *values))


def value(name, dtype, dims=()):
    """`dims`: numbers, names of dims, or None for an unknown rank."""
    inner = field(1, dtype)
    if dims is not None:
        inner += field(2, b"".join(field(1, field(1, d) if isinstance(d, int) else field(2, d)) for d in dims))
    return field(1, name) + field(2, field(1, inner))


def attribute(name, given):
    head = field(1, name)
    if isinstance(given, Graph):
        return head + field(6, given.data) + field(20, 5)
    if isinstance(given, Tensor):
        return head + field(5, given.data) + field(20, 4)
    if isinstance(given, Reference):
        return head + field(21, given.name) + field(20, given.kind)
    if isinstance(given, float):
        return head + field(2, given) + field(20, 1)
    if isinstance(given, int):
        return head + field(3, given) + field(20, 2)
    if isinstance(given, str):
        return head + field(4, given) + field(20, 3)
    return head + fields(8, given) + field(20, 7)


class Graph:
    def __init__(self, nodes, inputs=(), outputs=(), initializers=(), name="g"):
        self.data = fields(1, nodes) + field(2, name) + fields(5, initializers) + fields(11, inputs) + fields(12, outputs)


class Tensor:
    def __init__(self, data):
        self.data = data


class Reference:
    def __init__(self, name, kind):
        self.name, self.kind = name, kind


def node(op, inputs, outputs, name="", domain="", **attributes):
    return (fields(1, inputs) + fields(2, outputs) + field(3, name) + field(4, op)
            + fields(5, [attribute(k, v) for k, v in attributes.items()]) + (field(7, domain) if domain else b""))


def function(name, inputs, outputs, nodes, domain="local", attributes=(), opset=17):
    return (field(1, name) + fields(4, inputs) + fields(5, outputs) + fields(6, attributes) + fields(7, nodes)
            + field(9, opset_import("", opset)) + field(10, domain))


def opset_import(domain, version):
    return field(1, domain) + field(2, version)


def model(graph, opset=17, domains=(), functions=()):
    return (field(1, 8) + field(7, graph.data) + field(8, opset_import("", opset))
            + fields(8, [opset_import(d, 1) for d in domains]) + fields(25, functions))
