"""The Go file ops/ops.go: a function per op."""
import op_model
from go_source import WRITTEN, align, lower

GO_KINDS = {"string": "string", "ints": "[]int64", "floats": "[]float64", "strings": "[]string",
            "tensor": "*percale.Tensor", "function": "string"}


def go_param(name):
    out = lower(name[:1].lower() + name[1:] if name[:2].upper() != name[:2] else name.lower())
    return out + "_" if out in ("g", "attrs", "string", "percale", "outputs") else out


def emit_op(op):
    lines = []
    struct = op.function + "Attrs"
    lines += op_model.wrap("// ", f"{struct} has the attributes of {op.function}. The zero value of a field selects its default.")
    lines.append(f"type {struct} struct {{")
    rows = [("Name", "string", "the name of the node")]
    for a in op.attributes:
        field = op_model.camel(a["name"])
        kind = GO_KINDS.get(a["kind"]) or {"int": "int", "float": "float64"}[a["kind"]]
        if a["kind"] in ("int", "float") and not (a.get("default") == 0):
            kind = "*" + kind
        rows.append((field, kind, op_model.attribute_fact(a) or "optional"))
    if op.choice_of_outputs:
        rows.append(("Outputs", "int", f"the number of outputs to compute; 0 selects {op.default_outputs}"))
    lines += align(rows) + ["}", ""]
    # Doc comments begin with the name.
    lines += op_model.wrap("// ", f"{op.function}: {op.doc}")
    lines.append("//")
    for fact in op_model.facts(op):
        lines += op_model.wrap("// ", fact)
    if lines[-1] == "//":
        lines.pop()
    params, names, seen = ["g *percale.Builder"], [], set()
    for port in op.inputs:
        name = op_model.unique(go_param(port["name"]), seen)
        names.append(name)
        params.append(f"{name} {'[]' if port['variadic'] else ''}percale.Value")
    if op.variadic_outputs:
        params.insert(1, "outputs int")
    params.append(f"attrs ...{struct}")
    if op.variadic_outputs:
        result = "[]percale.Value"
    elif not op.outputs:
        result = ""
    elif len(op.outputs) == 1:
        result = "percale.Value"
    else:
        taken = seen | {"g", "attrs", "a", "out", "in", "n"}
        outs = [op_model.unique(go_param(port["name"]), taken) for port in op.outputs]
        result = f"({', '.join(outs)} percale.Value)"
    lines.append(f"func {op.function}({', '.join(params)}) {result} {{".replace("  {", " {"))
    fixed = names[:-1] if op.inputs and op.inputs[-1]["variadic"] else names
    lines.append(f"\tin := []percale.Value{{{', '.join(fixed)}}}")
    if len(fixed) < len(names):
        lines.append(f"\tin = append(in, {names[-1]}...)")
    lines.append("\tn := percale.Node{Op: \"" + op.key + "\", Inputs: trim(in)}")
    if op.variadic_outputs:
        lines.append("\tn.Outputs = outputs")
    else:
        lines.append(f"\tn.Outputs = {op.default_outputs if op.outputs else 0}")
    lines.append("\tfor _, a := range attrs {")
    lines.append("\t\tn.Name = a.Name")
    for a in op.attributes:
        field = "a." + op_model.camel(a["name"])
        pointer = a["kind"] in ("int", "float") and a.get("default") != 0
        empty = "nil" if pointer or a["kind"] in ("ints", "floats", "strings", "tensor") else "0" if a["kind"] in ("int", "float") else '""'
        value = ("*" if pointer else "") + field
        if a["kind"] == "function":
            value = f"percale.Function({field})"
        lines.append(f"\t\tif {field} != {empty} {{\n\t\t\tn.Attrs = append(n.Attrs, percale.Attr{{Name: \"{a['name']}\", Value: {value}}})\n\t\t}}")
    if op.choice_of_outputs:
        lines.append("\t\tif a.Outputs > 0 {\n\t\t\tn.Outputs = a.Outputs\n\t\t}")
    lines.append("\t}")
    if op.variadic_outputs:
        lines.append("\treturn g.Add(n)")
    elif not op.outputs:
        lines.append("\tg.Add(n)")
    elif len(op.outputs) == 1:
        lines.append("\treturn one(g.Add(n))")
    else:
        lines.append(f"\tout := pad(g.Add(n), {len(op.outputs)})")
        lines.append("\treturn " + ", ".join(f"out[{i}]" for i in range(len(op.outputs))))
    return lines + ["}", ""]


def ops(schemas):
    lines = ["// Package ops has one function per op, with ONNX's names. An optional input may be percale.None.",
             "// The builder keeps the first error.", "package ops", "", "import \"percale.alt/go/percale\"", "",
             "// trim removes absent optional inputs from the end.",
             "func trim(in []percale.Value) []percale.Value {",
             "\tfor len(in) > 0 && in[len(in)-1] == percale.None {\n\t\tin = in[:len(in)-1]\n\t}", "\treturn in", "}", "",
             "// one returns the first value, or percale.None after an error.", "func one(out []percale.Value) percale.Value { return pad(out, 1)[0] }", "",
             "// pad appends percale.None for outputs that were not computed.",
             "func pad(out []percale.Value, count int) []percale.Value {",
             "\tfor len(out) < count {\n\t\tout = append(out, percale.None)\n\t}", "\treturn out", "}", ""]
    for op in op_model.ops(schemas):
        lines += emit_op(op)
    return {"bindings/go/ops/ops.go": WRITTEN + "\n".join(lines)}
