"""Writes the raw layer of the Java package, and one function per op.

The raw layer has a class of method handles per type of percale.h, its constants, and the layouts of
its structs.
"""
import re

import op_model
from percale_header import FIXED_STRUCTS

FOLDER = "bindings/java/src/main/java/org/percale/raw/"
PACKAGE = "org.percale.raw"
JAVA = {"int32_t": "int", "uint32_t": "int", "int64_t": "long", "uint64_t": "long", "size_t": "long", "float": "float",
        "double": "double"}
LAYOUT = {"int": "JAVA_INT", "long": "JAVA_LONG", "float": "JAVA_FLOAT", "double": "JAVA_DOUBLE", "MemorySegment": "ADDRESS"}
KEYWORDS = {"default", "class", "package", "import", "new", "native", "final", "int", "long"}


def word(name):
    return name + "_" if name in KEYWORDS else name


def type_of(ctype, header):
    if ctype.stars or header.kind(ctype.base) == "callback":
        return "MemorySegment"
    if header.kind(ctype.base) == "enum":
        return "int"
    return JAVA.get(ctype.base, "void")


def layout(java):
    return LAYOUT[java]


def never_waits(function):
    """True for getters, which neither block nor call back.

    The virtual machine does not need to know that a thread is in such a call.
    """
    last = function.name.rsplit("_", 1)[1]
    return (not function.fails and str(function.returns) != "void" and not function.returns_owned
            and last not in ("release", "poll")) and not any(p.role == "callback" for p in function.params)


def escape(text):
    """Returns text for a doc comment, with code in braces, and HTML and javadoc syntax escaped."""
    out = []
    for i, part in enumerate(re.split(r"`([^`]*)`", text)):
        if i % 2:
            out.append("{@code " + part + "}" if part.count("{") == part.count("}") else part)
        else:
            part = part.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("@", "&#64;")
            out.append(part.replace("*/", "*&#47;"))
    return "".join(out)


def doc(text, indent, tags=()):
    prefix, lines = f"{indent} * ", []
    for paragraph in filter(None, text.split("\n")):
        lines += op_model.wrap(prefix, ("<p>" if lines else "") + escape(paragraph))
    if tags:
        lines.append(prefix.rstrip())
    for tag in tags:
        lines += op_model.wrap(prefix, tag, "    ")
    return "\n".join([f"{indent}/**", *lines, f"{indent} */", ""])


def class_of(handle):
    return "Raw" + "".join(part.capitalize() for part in handle.removeprefix("percale").split("_") if part)


def head(imports):
    return ("// Written by bindings/gen from c_api/include/percale.h; changes belong there.\n"
            f"package {PACKAGE};\n\n" + "".join(f"import {name};\n" for name in imports) + "\n")


def method(function, header):
    returns = type_of(function.returns, header)
    java = [(word(p.name), type_of(p.type, header)) for p in function.params]
    shapes = ", ".join(layout(t) for _, t in java)
    descriptor = f"FunctionDescriptor.ofVoid({shapes})" if returns == "void" else \
        f"FunctionDescriptor.of({', '.join([layout(returns)] + [layout(t) for _, t in java])})"
    maker = "getter" if never_waits(function) else "function"
    constant = function.name.upper() + "_"
    tags = [f"@param {name} {p.role.replace('out_array', 'out')} {escape(str(p.type))}"
            for (name, _), p in zip(java, function.params)]
    if returns != "void":
        what = "NULL, or the error, which the caller releases" if function.fails else escape(str(function.returns))
        tags.append(f"@return {what}")
    arguments = ", ".join(name for name, _ in java)
    call = f"{constant}.invokeExact({arguments})"
    if returns != "void":
        call = f"return ({returns}) " + call
    out = f"  private static final MethodHandle {constant} =\n      Raw.{maker}(\"{function.name}\",\n          {descriptor});\n\n"
    out += doc(function.doc, "  ", tags)
    signature = ", ".join(f"{t} {name}" for name, t in java)
    out += f"  public static {returns} {function.name}({signature}) {{\n    try {{\n      {call};\n"
    out += "    } catch (Throwable error) {\n      throw Raw.unexpected(error);\n    }\n  }\n"
    return out


def functions_class(handle, functions, header):
    name = class_of(handle) if handle else "RawLibrary"
    what = f"The functions of {handle}, as the header has them." if handle else \
        "The functions that belong to no type, as the header has them."
    out = head(["static java.lang.foreign.ValueLayout.*", "java.lang.foreign.FunctionDescriptor",
                "java.lang.foreign.MemorySegment", "java.lang.invoke.MethodHandle"])
    out += doc(what, "") + f"public final class {name} {{\n  private {name}() {{}}\n"
    for function in functions:
        out += "\n" + method(function, header)
    return FOLDER + name + ".java", out + "}\n"


def constants_class(header):
    out = head([]).rstrip("\n") + "\n\n" + doc("The constants of the header.", "") + \
        "public final class RawConstants {\n  private RawConstants() {}\n"
    for enum in header.enums:
        for constant in enum.constants:
            out += "\n" + doc(op_model.constant_doc(enum.name, constant), "  ") + f"  public static final int {constant.name} = {constant.value};\n"
    for macro in header.macros:
        java = JAVA.get(macro.type, "int")
        suffix = "L" if java == "long" else ""
        out += "\n" + doc(macro.doc, "  ") + f"  public static final {java} {macro.name} = {macro.value}{suffix};\n"
    return FOLDER + "RawConstants.java", out + "}\n"


def callbacks_class(header):
    out = head(["static java.lang.foreign.ValueLayout.*", "java.lang.foreign.FunctionDescriptor"])
    out += doc("The functions that the library calls, as the header has them.", "") + "public final class RawCallbacks {\n  private RawCallbacks() {}\n"
    for callback in header.callbacks:
        returns = type_of(callback.returns, header)
        shapes = [layout(type_of(p.type, header)) for p in callback.params]
        made = f"FunctionDescriptor.ofVoid({', '.join(shapes)})" if returns == "void" else \
            f"FunctionDescriptor.of({', '.join([layout(returns)] + shapes)})"
        out += "\n" + doc(callback.doc, "  ") + f"  public static final FunctionDescriptor {callback.name} =\n      {made};\n"
    return FOLDER + "RawCallbacks.java", out + "}\n"


def filled_by_host(struct, header):
    return any(p.role == "table" and p.type.base == struct.name for f in header.functions for p in f.params)


def struct_class(struct, header):
    """Returns the layout, with the padding that C inserts, and a getter per field. A struct that
    the host fills has setters instead.
    """
    name = class_of(struct.name)
    size = {"JAVA_INT": 4, "JAVA_FLOAT": 4}
    at, members, fields = 0, [], []
    for field in struct.fields:
        java = type_of(field.type, header)
        width = size.get(layout(java), 8)
        if at % width:
            members.append(f"MemoryLayout.paddingLayout({width - at % width})")
            at += width - at % width
        members.append(f"{layout(java)}.withName(\"{field.name}\")")
        fields.append((field, java, at))
        at += width
    if at % 8:
        members.append(f"MemoryLayout.paddingLayout({8 - at % 8})")
    out = head(["static java.lang.foreign.ValueLayout.*", "java.lang.foreign.MemoryLayout",
                "java.lang.foreign.MemorySegment", "java.lang.foreign.StructLayout"])
    out += doc(struct.doc, "") + f"public final class {name} {{\n  private {name}() {{}}\n\n"
    versions = "; the library's may have more" if struct.name not in FIXED_STRUCTS else ""
    out += doc(f"The fields as this version of the header has them{versions}.", "  ")
    out += f"  public static final StructLayout LAYOUT = MemoryLayout.structLayout(\n      " + ",\n      ".join(members) + ");\n"
    for field, java, offset in fields:
        what = f"The field {field.name}" + (f": {field.doc}" if field.doc else "") + ("" if field.doc.endswith(".") else ".")
        if filled_by_host(struct, header):
            out += "\n" + doc(what, "  ", ["@param struct a struct of the host", f"@param value {escape(str(field.type))}"])
            out += (f"  public static void {field.name}(MemorySegment struct, {java} value) {{\n"
                    f"    struct.set({layout(java)}, {offset}, value);\n  }}\n")
            continue
        out += "\n" + doc(what, "  ", ["@param struct a struct of the library", f"@return {escape(str(field.type))}"])
        out += (f"  public static {java} {field.name}(MemorySegment struct) {{\n"
                f"    return struct.get({layout(java)}, {offset});\n  }}\n")
    return FOLDER + name + ".java", out + "}\n"


def raw(header):
    by_handle = {}
    for function in header.functions:
        by_handle.setdefault(function.handle, []).append(function)
    files = dict(functions_class(handle, functions, header) for handle, functions in by_handle.items())
    files.update([constants_class(header), callbacks_class(header)])
    files.update(struct_class(struct, header) for struct in header.structs)
    return files


OPS = "bindings/java/src/main/java/org/percale/Ops.java"
OPS_HEAD = """// Written by bindings/gen from the ops' schemas; changes belong there.
package org.percale;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One function per op, with ONNX's names in Java's spelling. Each starts a node of a {@link
 * GraphBuilder}. Set its attributes with {@link GraphBuilder.Node#set}, then add it to the graph
 * with {@link GraphBuilder.Node#finish()}. An optional input may be null.
 */
public final class Ops {
  private Ops() {}

  /** Starts a node with these inputs, without absent ones at the end. */
  private static GraphBuilder.Node node(GraphBuilder builder, String op, List<Value> inputs) {
    List<Value> all = new ArrayList<>();
    for (Value input : inputs) all.add(input == null ? Value.NONE : input);
    while (!all.isEmpty() && all.get(all.size() - 1).equals(Value.NONE)) all.remove(all.size() - 1);
    return builder.op(op).input(all.toArray(Value[]::new));
  }

  private static List<Value> list(Value[] first, Value... rest) {
    List<Value> out = new ArrayList<>(Arrays.asList(first));
    out.addAll(Arrays.asList(rest));
    return out;
  }
"""
JAVA_WORDS = KEYWORDS | {"if", "else", "for", "while", "do", "switch", "case", "float", "double", "boolean", "byte", "char", "short",
                         "void", "null", "true", "false", "this", "super", "builder", "abstract", "assert", "return", "wait"}
ATTRIBUTE = {"int": "long", "float": "double", "string": "String", "ints": "long[]", "floats": "double[]", "strings": "String[]",
             "tensor": "Tensor", "function": "function"}


def lower(name):
    """Returns "LayerNormalization" as "layerNormalization", "LSTM" as "lstm", "X" as "x", "scale_x"
    as "scaleX".
    """
    name = re.sub(r"_+(\w)", lambda m: m.group(1).upper(), name)
    head = re.match(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]+$|[A-Z]+(?=\d)|[A-Z]", name)
    name = head.group().lower() + name[head.end():] if head else name
    return name + "_" if name in JAVA_WORDS else name


def ops(schemas):
    out = [OPS_HEAD]
    for op in op_model.ops(schemas):
        names, inputs, tags = set(), [], ["@param builder the builder that gets the node"]
        for port in op.inputs:
            name = op_model.unique(lower(port["name"]), names)
            inputs.append((name, "Value..." if port["variadic"] else "Value"))
            how = "inputs, any number" if port["variadic"] else "an optional input" if port["optional"] else "an input"
            types = port["types"]
            tags.append(f"@param {name} {how}: " + (" ".join(types) if len(types) < 14 else f"{len(types)} types"))
        tags.append("@return the started node")
        text = op.doc
        for a in op.attributes:
            fact = op_model.attribute_fact(a)
            text += f"\nAttribute `{a['name']}`: {ATTRIBUTE[a['kind']]}" + (f"; {fact}." if fact else ".")
        singles = ", ".join(name for name, kind in inputs if kind == "Value")
        rest = [name for name, kind in inputs if kind != "Value"]
        given = f"list(new Value[] {{{singles}}}" + "".join(f", {name}" for name in rest) + ")"
        arguments = "".join(f", {kind} {name}" for name, kind in inputs)
        out.append("\n" + doc(text, "  ", tags) +
                   f"  public static GraphBuilder.Node {lower(op.function)}(GraphBuilder builder{arguments}) {{\n"
                   f"    return node(builder, \"{op.key}\", {given});\n  }}\n")
    out.append("}\n")
    return {OPS: "".join(out)}
