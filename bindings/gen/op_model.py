"""The schemas of ops, as `percale ops --json` prints them, in the form that the op wrappers need.
"""
import dataclasses
import re
import textwrap

# Comments of generated files end here, as all comments do.
COLUMNS = 100
KINDS = ("int", "float", "string", "ints", "floats", "strings", "tensor", "function")


@dataclasses.dataclass
class Op:
    """An op.

    - `function`: the name of the wrapper, which is ONNX's. An op of "percale" whose name ONNX also
      has gets the prefix Percale.
    - `key`: the name of the op for a builder.
    - `default_outputs`: the number of outputs without an explicit choice.
    """
    function: str
    key: str
    doc: str
    since: int
    inputs: list
    attributes: list
    outputs: list
    gradient: str

    @property
    def variadic_outputs(self):
        return any(o["variadic"] for o in self.outputs)

    @property
    def default_outputs(self):
        required = sum(not o["optional"] for o in self.outputs)
        return required or len(self.outputs)

    @property
    def choice_of_outputs(self):
        return len(self.outputs) > 1 and any(o["optional"] for o in self.outputs)


def ops(schemas):
    """Returns all ops in the order of their wrappers' names. Raises ValueError for an unsupported
    schema.
    """
    onnx = {s["name"] for s in schemas if s["domain"] == ""}
    out = []
    for s in schemas:
        if s["domain"] not in ("", "percale"):
            continue  # an op of a plug-in
        own = s["domain"] == "percale"
        for a in s["attributes"]:
            if a["kind"] not in KINDS:
                raise ValueError(f"{s['name']}: attribute {a['name']} is of the unknown kind {a['kind']}")
        for ports in (s["inputs"], s["outputs"]):
            if any(p["variadic"] for p in ports[:-1]):
                raise ValueError(f"{s['name']}: a variadic input or output is not the last")
        out.append(Op(("Percale" if own and s["name"] in onnx else "") + s["name"],
                      ("percale:" if own else "") + s["name"], s["doc"], s["since"], s["inputs"], s["attributes"],
                      s["outputs"], s["gradient"]))
    return sorted(out, key=lambda op: op.function)


def facts(op):
    """Returns the lines below the doc of an op: its inputs and its gradient."""
    lines = []
    for port in op.inputs:
        what = ", ".join(["optional"] * port["optional"] + ["any number"] * port["variadic"] + ["indices"] * port["index"])
        types = port["types"]
        lines.append(f"Input {port['name']}" + (f" ({what})" if what else "") + ": " +
                     (" ".join(types) if len(types) < 14 else f"{len(types)} types") + ".")
    if op.gradient != "yes":
        lines.append({"none": "No gradient.", "zero": "The gradient is zero."}[op.gradient])
    return lines


def attribute_fact(a):
    """Returns the documentation of an attribute's values."""
    parts = ["required"] if a["required"] else []
    if "default" in a:
        parts.append(f"default {a['default']!r}".replace("'", '"'))
    if "min" in a or "max" in a:
        low, high = a.get("min"), a.get("max")
        wide = high is None or high >= 2147483647
        if low is not None and wide:
            parts.append(f"{low} or more")
        elif low is not None:
            parts.append(f"{low} to {high}")
        elif not wide:
            parts.append(f"{high} or less")
    return ", ".join(parts)


def constant_doc(enum, constant):
    """Returns the documentation of a constant of an enum."""
    return f"The constant {constant.value} of {enum}" + (f": {constant.doc}." if constant.doc else ".")


def unbroken(text):
    """Returns `text` so that wrap() keeps it on one line."""
    return text.replace(" ", "\0")


def wrap(prefix, text, hanging=""):
    """Returns `text` as lines that begin with `prefix`; `hanging` indents all but the first.

    No line but the first begins with an operator, which Markdown and Go read as a list.
    """
    text = re.sub(r" (?=[-+*/=<>|]+ )", "\0", text)
    lines = textwrap.wrap(text, COLUMNS - len(prefix), subsequent_indent=hanging, break_long_words=False,
                          break_on_hyphens=False)
    return [prefix + line.replace("\0", " ") for line in lines]


def unique(name, taken):
    """Returns the name, with underscores after it if it is in `taken`, and adds it to `taken`."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def camel(name):
    """Returns "auto_pad" as "AutoPad"."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_") if part)
