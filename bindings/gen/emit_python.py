"""Writes the Python files: the declarations for cffi's ABI mode, the constants, and one function
per op.
"""
import keyword
import textwrap

import op_model

OUT = "bindings/python/percale/"
WRITTEN = "# Written by bindings/gen; do not edit.\n"
TYPES = {"int": "int", "float": "float", "string": "str", "ints": "Sequence[int]", "floats": "Sequence[float]",
         "strings": "Sequence[str]", "tensor": "Tensor", "function": "str"}


def prototype(f, name=None):
    params = ", ".join(f"{p.type} {p.name}" for p in f.params) or "void"
    return f"{f.returns} {name or f.name}({params});"


def raw(header):
    lines = [WRITTEN + '"""percale.h as cffi reads it: DECLARATIONS, and its constants by their names without the prefix."""', "",
             'DECLARATIONS = """']
    for handle in header.handles:
        lines.append(f"typedef struct {handle.name} {handle.name};")
    for enum in header.enums:
        lines.append(f"typedef {enum.base} {enum.name};")
    structs = [s.name for s in header.structs]
    for name in structs:
        lines.append(f"typedef struct {name} {name};")
    for callback in header.callbacks:
        params = ", ".join(f"{p.type} {p.name}" for p in callback.params) or "void"
        lines.append(f"typedef {callback.returns} (*{callback.name})({params});")
    for struct in header.structs:
        lines.append(f"struct {struct.name} {{")
        lines += [f"  {field.type} {field.name};" for field in struct.fields]
        lines.append("};")
    lines += [prototype(f) for f in header.functions]
    lines += ['"""', ""]
    for enum in header.enums:
        lines += [f"{c.name.removeprefix('PERCALE_')} = {c.value}" for c in enum.constants]
    lines += [f"{c.name.removeprefix('PERCALE_')} = {c.value}" for c in header.macros]
    return {OUT + "_raw.py": "\n".join(lines) + "\n"}


def named(name):
    return name + "_" if keyword.iskeyword(name) else name


def docstring(parts):
    """Returns the lines of a docstring of a function; each part begins a line."""
    out = op_model.wrap("    ", '"""' + parts[0])
    for part in parts[1:]:
        out += op_model.wrap("    ", part)
    if len(out[-1]) + 3 > op_model.COLUMNS:
        return out + ['    """']
    out[-1] += '"""'
    return out


def emit(op):
    params, values, attributes = ["builder: Builder"], [], []
    for port in op.inputs:
        name = named(port["name"])
        if port["variadic"]:
            params.append(f"{name}: Sequence[Value] = ()" if port["optional"] else f"{name}: Sequence[Value]")
            values.append(f"*{name}")
        else:
            params.append(f"{name}: Optional[Value] = None" if port["optional"] else f"{name}: Value")
            values.append(name)
    # A required input may follow an optional one. Then all parameters after the first optional one
    # get a default.
    optional = False
    for i, p in enumerate(params):
        optional = optional or "=" in p
        if optional and "=" not in p:
            name, kind = p.split(": ")
            params[i] = f"{name}: Optional[{kind}] = None"
    params.append("*")
    for a in op.attributes:
        kind = TYPES[a["kind"]]
        params.append(f"{named(a['name'])}: {kind}" if a["required"] else f"{named(a['name'])}: Optional[{kind}] = None")
        quoted = ", function=True" if a["kind"] == "function" else ""
        attributes.append((a["name"], named(a["name"]), quoted))
    if op.choice_of_outputs or op.variadic_outputs:
        params.append(f"outputs: int = {op.default_outputs}")
    params.append('name: str = ""')
    count = "outputs" if op.choice_of_outputs or op.variadic_outputs else str(len(op.outputs))
    many = op.choice_of_outputs or op.variadic_outputs or len(op.outputs) > 1
    result = "List[Value]" if many else "Value" if op.outputs else "None"
    # Keeps each parameter, and the end with the arrow, on one line.
    parts = [op_model.unbroken(p) for p in params]
    whole = f"def\0{op.function}({', '.join(parts)})\0->\0{result}:"
    signature = [line.replace("\0", " ") for line in textwrap.wrap(whole, 116, subsequent_indent=" " * 8, break_long_words=False)]
    lines = ["", ""] + signature
    doc = [op.doc] + op_model.facts(op)
    doc += [f"{named(a['name'])}: {fact}." for a in op.attributes if (fact := op_model.attribute_fact(a))]
    lines += docstring([part.replace("\\", "\\\\") for part in doc])
    pairs = ", ".join(f'"{key}": {("_Function(" + value + ")") if q else value}' for key, value, q in attributes)
    call = f'builder.node("{op.key}", [{", ".join(values)}], {{{pairs}}}, outputs={count}, name=name)'
    body = call if many else f"{call}[0]" if op.outputs else call
    prefix = "    return " if op.outputs else "    "
    lines += textwrap.wrap(prefix + body, 118, subsequent_indent="        ", break_long_words=False, break_on_hyphens=False)
    return lines


def ops(schemas):
    known = op_model.ops(schemas)
    lines = [WRITTEN + '"""One function per op. It takes the builder and the inputs; attributes are keyword arguments."""',
             "from __future__ import annotations", "", "from typing import List, Optional, Sequence", "",
             "from .graph import Builder, Value", "from .graph import FunctionName as _Function",
             "from .tensor import Tensor"]
    for op in known:
        lines += emit(op)
    return {OUT + "ops.py": "\n".join(lines) + "\n"}
