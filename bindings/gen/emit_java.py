"""Writes the raw layer of the Java package, and one function per op.

The raw layer has a class per type of percale.h, its constants, its callbacks and the fields of its
structs. Pointers are numbers of 64 bits. The classes of functions exist twice: with native methods,
for the library that emit_jni.py writes, and with method handles of java.lang.foreign.
"""
import re

import op_model
from percale_header import FIXED_STRUCTS

SOURCES = "bindings/java/src/main/"
FOLDER = SOURCES + "java/org/percale/raw/"
FOREIGN = SOURCES + "java22/org/percale/raw/"
PACKAGE = "org.percale.raw"
JAVA = {"int32_t": "int", "uint32_t": "int", "int64_t": "long", "uint64_t": "long", "size_t": "long", "float": "float",
        "double": "double"}
WIDTH = {"int": 4, "float": 4, "long": 8, "double": 8}
KEYWORDS = {"default", "class", "package", "import", "new", "native", "final", "int", "long"}


def word(name):
    return name + "_" if name in KEYWORDS else name


def type_of(ctype, header):
    if ctype.stars or header.kind(ctype.base) == "callback":
        return "long"
    if header.kind(ctype.base) == "enum":
        return "int"
    return JAVA.get(ctype.base, "void")


def params_of(function, header):
    return [(word(p.name), type_of(p.type, header)) for p in function.params]


def signature(params):
    return ", ".join(f"{java} {name}" for name, java in params)


def classes(returns, params):
    """Returns the arguments that describe a function type to Raw."""
    return ", ".join(f"{java}.class" for java in [returns] + [java for _, java in params])


def never_waits(function):
    """True for getters, which neither block nor call back.

    The virtual machine does not need to know that a thread is in such a call.
    """
    last = function.name.rsplit("_", 1)[1]
    return (not function.fails and str(function.returns) != "void" and not function.returns_owned
            and last not in ("release", "poll", "trim")) and not any(p.role == "callback" for p in function.params)


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


def head(imports=()):
    return ("// Written by bindings/gen from c_api/include/percale.h; changes belong there.\n"
            f"package {PACKAGE};\n\n" + "".join(f"import {name};\n" for name in imports) + ("\n" if imports else ""))


def by_handle(header):
    """Returns the functions by the name of their class."""
    out = {}
    for function in header.functions:
        out.setdefault(class_of(function.handle) if function.handle else "RawLibrary", []).append(function)
    return out


def native_class(name, functions, header):
    """Returns a class of native methods, which the classes of method handles repeat."""
    handle = functions[0].handle
    what = f"The functions of {handle}, as the header has them." if handle else \
        "The functions that belong to no type, as the header has them."
    out = head() + doc(what, "") + f"public final class {name} {{\n  private {name}() {{}}\n\n"
    out += f"  static {{\n    Raw.bind({name}.class);\n  }}\n"
    for function in functions:
        params, returns = params_of(function, header), type_of(function.returns, header)
        tags = [f"@param {name} {p.role.replace('out_array', 'out')} {escape(str(p.type))}"
                for (name, _), p in zip(params, function.params)]
        if returns != "void":
            tags.append("@return " + ("NULL, or the error, which the caller releases" if function.fails
                                      else escape(str(function.returns))))
        out += "\n" + doc(function.doc, "  ", tags)
        out += f"  public static native {returns} {function.name}({signature(params)});\n"
    return FOLDER + name + ".java", out + "}\n"


def foreign_class(name, functions, header):
    out = head(["java.lang.invoke.MethodHandle"])
    out += doc(f"{name} through java.lang.foreign, for Java 22 and newer.", "")
    out += f"public final class {name} {{\n  private {name}() {{}}\n"
    for function in functions:
        params, returns = params_of(function, header), type_of(function.returns, header)
        constant = function.name.upper() + "_"
        maker = "getter" if never_waits(function) else "function"
        call = f"{constant}.invokeExact({', '.join(name for name, _ in params)})"
        out += (f"\n  private static final MethodHandle {constant} =\n"
                f"      Raw.{maker}(\"{function.name}\", {classes(returns, params)});\n\n"
                f"  public static {returns} {function.name}({signature(params)}) {{\n    try {{\n"
                f"      {call if returns == 'void' else f'return ({returns}) {call}'};\n"
                "    } catch (Throwable error) {\n      throw Raw.unexpected(error);\n    }\n  }\n")
    return FOREIGN + name + ".java", out + "}\n"


def constants_class(header):
    out = head() + doc("The constants of the header.", "") + \
        "public final class RawConstants {\n  private RawConstants() {}\n"
    for enum in header.enums:
        for constant in enum.constants:
            out += "\n" + doc(op_model.constant_doc(enum.name, constant), "  ") + f"  public static final int {constant.name} = {constant.value};\n"
    for macro in header.macros:
        java = JAVA.get(macro.type, "int")
        suffix = "L" if java == "long" else ""
        out += "\n" + doc(macro.doc, "  ") + f"  public static final {java} {macro.name} = {macro.value}{suffix};\n"
    return FOLDER + "RawConstants.java", out + "}\n"


CALLBACKS = """public final class RawCallbacks {
  private static volatile Receiver receiver;

  private RawCallbacks() {}

  /**
   * Sets the object that gets all calls. It must be set before an address is passed to the library.
   *
   * @param all the receiver
   */
  public static void setReceiver(Receiver all) {
    receiver = all;
  }

"""


def callbacks_class(header):
    """Returns the class with an address per type of callback, all of which call one receiver."""
    out = head() + doc("The functions that the library calls, as the header has them. A constant is the address of a"
                       " function that calls the receiver.", "") + CALLBACKS
    out += doc("Gets the calls of the library. An exception must not leave a method: it would end the virtual machine,"
               " or would be printed and the call would fail.", "  ") + "  public interface Receiver {"
    methods = ""
    for callback in header.callbacks:
        params, returns = params_of(callback, header), type_of(callback.returns, header)
        tags = [f"@param {name} {escape(str(p.type))}" for (name, _), p in zip(params, callback.params)]
        if returns != "void":
            tags.append(f"@return {escape(str(callback.returns))}")
        out += "\n" + doc(callback.doc, "    ", tags) + f"    {returns} {callback.name}({signature(params)});\n"
        call = f"receiver.{callback.name}({', '.join(name for name, _ in params)})"
        methods += "\n" + doc(f"The address of a {callback.name}.", "  ")
        methods += (f"  public static final long {callback.name.upper()} =\n"
                    f"      Raw.callback(\"{callback.name}\", {classes(returns, params)});\n\n"
                    f"  static {returns} {callback.name}({signature(params)}) {{\n"
                    f"    {'' if returns == 'void' else 'return '}{call};\n  }}\n")
    return FOLDER + "RawCallbacks.java", out + "  }\n" + methods + "}\n"


def filled_by_host(struct, header):
    return any(p.role == "table" and p.type.base == struct.name for f in header.functions for p in f.params)


def struct_class(struct, header):
    """Returns the size, with the padding that C inserts, and a getter per field. A struct that the
    host fills has setters instead.
    """
    name, at, methods = class_of(struct.name), 0, ""
    for field in struct.fields:
        java = type_of(field.type, header)
        at += -at % WIDTH[java]
        what = f"The field {field.name}" + (f": {field.doc}" if field.doc else "") + ("" if field.doc.endswith(".") else ".")
        place = f"struct + {at}" if at else "struct"
        if filled_by_host(struct, header):
            methods += "\n" + doc(what, "  ", ["@param struct a struct of the host", f"@param value {escape(str(field.type))}"])
            methods += (f"  public static void {field.name}(long struct, {java} value) {{\n"
                        f"    RawMemory.put{java.capitalize()}({place}, value);\n  }}\n")
        else:
            methods += "\n" + doc(what, "  ", ["@param struct a struct of the library", f"@return {escape(str(field.type))}"])
            methods += (f"  public static {java} {field.name}(long struct) {{\n"
                        f"    return RawMemory.get{java.capitalize()}({place});\n  }}\n")
        at += WIDTH[java]
    out = head() + doc(struct.doc, "") + f"public final class {name} {{\n  private {name}() {{}}\n\n"
    versions = "; the library's may have more" if struct.name not in FIXED_STRUCTS else ""
    out += doc(f"The number of bytes of the fields that this version of the header has{versions}.", "  ")
    out += f"  public static final int SIZE = {at + -at % 8};\n"
    return FOLDER + name + ".java", out + methods + "}\n"


def raw(header):
    files = dict([constants_class(header), callbacks_class(header)])
    for name, functions in by_handle(header).items():
        files.update([native_class(name, functions, header), foreign_class(name, functions, header)])
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
