"""Writes the C++ files: the constants of the header as enums, and one function per op.

The C header itself is the raw layer.
"""
import op_model

OUT = "bindings/cpp/percale/"
WRITTEN = "// Written by bindings/gen; do not edit.\n"
TYPES = {"int": "int64_t", "float": "double", "string": "std::string", "ints": "std::vector<int64_t>",
         "floats": "std::vector<double>", "strings": "std::vector<std::string>", "function": "std::string"}
# Names that a parameter cannot have: I is a macro of C.
TAKEN = {"I"}


def constant(enum, name):
    """Returns PERCALE_DTYPE_F8E4M3FN as kF8E4M3FN, and PERCALE_INVALID_ARGUMENT as
    kInvalidArgument.
    """
    short = name.removeprefix("PERCALE_").removeprefix({"percale_dtype": "DTYPE_", "percale_log_level": "LOG_"}.get(enum, ""))
    if enum == "percale_dtype" and any(c.isdigit() for c in short):
        return "k" + short
    return "k" + "".join(part.capitalize() for part in short.split("_"))


def member(declaration, note):
    """Returns a member or constant with its comment: behind it, or above it if the line is too
    long.
    """
    behind = f"  {declaration}" + (f"  ///< {note}" if note else "")
    return [behind] if len(behind) <= op_model.COLUMNS else op_model.wrap("  /// ", note) + [f"  {declaration}"]


def raw(header):
    lines = [WRITTEN + "/// The constants of percale.h as enums.", "#ifndef PERCALE_CPP_CONSTANTS_HPP_",
             "#define PERCALE_CPP_CONSTANTS_HPP_", "", "#include <percale.h>", "", "#include <cstdint>",
             "#include <string_view>", "", "namespace percale {", ""]
    names = {"percale_code": "Code", "percale_dtype": "DType", "percale_log_level": "LogLevel"}
    for enum in header.enums:
        if not enum.constants:
            continue
        lines += op_model.wrap("/// ", enum.doc)
        lines.append(f"enum class {names[enum.name]} : {enum.name} {{")
        for c in enum.constants:
            lines += member(f"{constant(enum.name, c.name)} = {c.name},", c.doc)
        lines += ["};", ""]
    dtypes = next(e for e in header.enums if e.name == "percale_dtype")
    lines += ["/// Returns the name of a dtype, such as \"f32\"; \"?\" for a number that is not a dtype.", "inline std::string_view name_of(DType dtype) {",
              "  switch (dtype) {"]
    for c in dtypes.constants:
        lines += [f"    case DType::{constant(dtypes.name, c.name)}:",
                  f"      return \"{c.name.removeprefix('PERCALE_DTYPE_').lower()}\";"]
    lines += ["  }", "  return \"?\";", "}", "", "}  // namespace percale", "", "#endif  // PERCALE_CPP_CONSTANTS_HPP_", ""]
    return {OUT + "constants.hpp": "\n".join(lines)}


def emit(op):
    lines = []
    struct = op.function + "Attributes"
    if op.attributes or op.choice_of_outputs:
        lines += [f"/// The attributes of {op.function}().", f"struct {struct} {{"]
        for a in op.attributes:
            declaration = f"const Tensor* {a['name']} = nullptr;" if a["kind"] == "tensor" else \
                f"std::optional<{TYPES[a['kind']]}> {a['name']} = {{}};"
            lines += member(declaration, op_model.attribute_fact(a) or "optional")
        if op.choice_of_outputs:
            lines += member(f"size_t outputs = {op.default_outputs};", "the number of outputs to compute")
        lines += ["};"]
    single = len(op.outputs) == 1 and not op.variadic_outputs
    result = "void" if not op.outputs else "Value" if single else \
        "std::vector<Value>" if op.variadic_outputs else op.function + "Outputs"
    if result.endswith("Outputs"):
        lines += [f"/// The outputs of {op.function}(). Those that are not computed are empty.", f"struct {result} {{",
                  *member("Value " + ", ".join(o["name"] for o in op.outputs) + ";", "in the op's order"), "};"]
    lines += op_model.wrap("/// ", op.doc)
    for fact in op_model.facts(op):
        lines += op_model.wrap("/// ", fact)
    params, names = ["Builder& builder"], []
    # A parameter has a default only if no required parameter follows.
    needed = max([i for i, p in enumerate(op.inputs) if p["variadic"] or not p["optional"]], default=-1)
    for i, port in enumerate(op.inputs):
        name = port["name"] + ("_" if port["name"] in TAKEN else "")
        names.append(name)
        params.append(f"Values {name}" if port["variadic"] else f"Value {name}" + (" = {}" if i > needed else ""))
    counted = op.variadic_outputs
    if counted:
        params.insert(1, "size_t outputs")
    attributes = "{}"
    if op.attributes or op.choice_of_outputs:
        params.append(f"const {struct}& attributes = {{}}")
    params.append("const char* name = nullptr")
    if not counted and not op.choice_of_outputs:
        count = str(len(op.outputs))
    else:
        count = "outputs" if counted else "attributes.outputs"
    lines.append(f"inline {result} {op.function}({', '.join(params)}) {{")
    fixed = names[:-1] if op.inputs and op.inputs[-1]["variadic"] else names
    lines.append(f"  std::vector<Value> all{{{', '.join(fixed)}}};")
    if len(fixed) < len(names):
        lines.append(f"  all.insert(all.end(), {names[-1]}.begin(), {names[-1]}.end());")
    if any(p["optional"] and not p["variadic"] for p in op.inputs):
        lines.append("  detail::trim(all);")
    if op.attributes:
        lines.append("  Attributes given;")
        for a in op.attributes:
            value = f"FunctionName{{*attributes.{a['name']}}}" if a["kind"] == "function" else \
                f"attributes.{a['name']}" if a["kind"] == "tensor" else f"*attributes.{a['name']}"
            lines.append(f"  if (attributes.{a['name']}) given.emplace_back(\"{a['name']}\", {value});")
        attributes = "given"
    call = f"builder.node(\"{op.key}\", all, {attributes}, {count}, name)"
    if result == "void":
        lines.append(f"  builder.node(\"{op.key}\", all, {attributes}, 0, name);")
    elif single:
        lines.append(f"  return {call}[0];")
    elif counted:
        lines.append(f"  return {call};")
    else:
        lines.append(f"  std::vector<Value> out = {call};")
        lines.append(f"  out.resize({len(op.outputs)});")
        lines.append("  return {" + ", ".join(f"out[{i}]" for i in range(len(op.outputs))) + "};")
    lines += ["}", ""]
    return lines


def ops(schemas):
    lines = [WRITTEN + "/// One function per op, with ONNX's names. The builder keeps the first error.", "#ifndef PERCALE_CPP_OPS_HPP_",
             "#define PERCALE_CPP_OPS_HPP_", "", "#include <cstddef>", "#include <cstdint>", "#include <optional>",
             "#include <string>", "#include <vector>", "", "#include \"percale/builder.hpp\"", "", "namespace percale::ops {",
             "", "namespace detail {", "", "/// Removes absent optional inputs from the end.",
             "inline void trim(std::vector<Value>& inputs) {", "  while (!inputs.empty() && !inputs.back()) inputs.pop_back();",
             "}", "", "}  // namespace detail", ""]
    for op in op_model.ops(schemas):
        lines += emit(op)
    lines += ["}  // namespace percale::ops", "", "#endif  // PERCALE_CPP_OPS_HPP_", ""]
    return {OUT + "ops.hpp": "\n".join(lines)}
