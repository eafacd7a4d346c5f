"""Writes the Go files raw.go and ops/ops.go.

raw.go has the constants, and one unexported function with Go types per function of the header.
"""
import dataclasses
import re

import op_model
from go_ops import ops  # noqa: F401, an emitter has raw() and ops()
from go_source import WRITTEN, align, lower
from header_model import Param

SCALARS = {"int32_t": "int32", "int64_t": "int64", "uint32_t": "uint32", "uint64_t": "uint64", "size_t": "int",
           "double": "float64", "float": "float32", "percale_code": "Code", "percale_dtype": "DType",
           "percale_log_level": "LogLevel", "percale_value": "Value"}
# Functions whose texts hand-written code reads.
BY_HAND = {"percale_status_message", "percale_text_data", "percale_text_release", "percale_status_release",
           "percale_status_code", "percale_code_name", "percale_status_create"}


def constants(header):
    lines = []
    for enum in header.enums:
        if not enum.constants:
            continue
        kind = SCALARS[enum.name]
        lines += op_model.wrap("// ", f"{kind} is {enum.name}. {enum.doc}") + [f"type {kind} int32", "", f"// The values of {kind}.", "const ("]
        rows = []
        for c in enum.constants:
            short = c.name.removeprefix("PERCALE_")
            name = short.removeprefix("DTYPE_") if kind == "DType" and any(ch.isdigit() for ch in short) else \
                op_model.camel(short.removeprefix("DTYPE_").lower())
            name = "OK" if name == "Ok" else name
            if kind == "DType" and name in ("Invalid", "String", "Bool"):
                name = {"Invalid": "InvalidDType", "String": "StringDType", "Bool": "BoolDType"}[name]
            rows.append((name, f"{kind} = {c.value}", c.doc))
        lines += align(rows) + [")", ""]
    dtype = next(e for e in header.enums if e.name == "percale_dtype")
    lines += ["var dtypeNames = map[DType]string{"]
    wide = max(len(str(c.value)) for c in dtype.constants) + 1
    lines += [f"\t{f'{c.value}:':<{wide}} \"{c.name.removeprefix('PERCALE_DTYPE_').lower()}\"," for c in dtype.constants]
    lines += ["}", ""]
    for macro in header.macros:
        if macro.name != "PERCALE_NUL_ENDED":
            lines += [f"const {lower(macro.name.removeprefix('PERCALE_').lower())} = {macro.value}", ""]
    return lines


def go_type(header, ctype, role=""):
    """Returns the Go type for a C value of `ctype`."""
    kind = header.kind(ctype.base)
    if role == "text" or str(ctype) == "const char*":
        return "string"
    if kind == "handle":
        return "*C." + ctype.base
    if ctype.base == "void":
        return "unsafe.Pointer"
    return SCALARS[ctype.base]


def zero(kind):
    """Returns the zero value of a Go type."""
    return '""' if kind == "string" else "nil" if kind.startswith(("*", "[]", "unsafe")) else "0"


class Emitter:
    """Writes the Go function that calls one C function."""

    def __init__(self, header, f):
        self.header, self.f = header, dataclasses.replace(f, params=flat_params(header, f))
        self.params, self.args = [], []  # of the Go function and of the C function
        self.checks = []  # statements that convert or check arguments, and may return an error
        self.before, self.after = [], []  # declarations of outputs, and the Go values of them
        self.pins = False  # True if the function needs a runtime.Pinner
        self.shim = needs_shim(f)

    def failure(self):
        """Returns the results of a Go function that returns an error found by Go code."""
        return ", ".join([zero(kind) for kind in self.results()] + (["err"] if self.f.fails else []))

    def results(self):
        """Returns the Go types of the results without the error."""
        f, out = self.f, []
        if not f.fails and str(f.returns) != "void":
            known = str(f.returns) == "const char*" or f.returns.base == "void" or self.header.kind(f.returns.base) == "handle"
            out.append("*C." + f.returns.base if f.returns.stars and not known else go_type(self.header, f.returns))
        for p in f.params:
            if p.role == "out_array" and p.name != "out_tensors":  # those are a slice of the caller
                out.append("[]" + go_type(self.header, p.type))
            elif p.role == "out" and p.name != "out_rank":  # that is the length of dims
                out.append(self.out_type(p))
        return out

    def out_type(self, p):
        if p.type.base == "percale_text" or str(p.type) == "const char**":
            return "string"
        return go_type(self.header, p.type)

    def emit(self):
        """Returns the lines of the function."""
        by_count = {}
        for p in self.f.params:
            if p.count and not p.name.startswith("out_"):
                by_count.setdefault(p.count, []).append(p)
        for p in self.f.params:
            if p.name in by_count:
                self.args.append(f"C.size_t(len({lower(by_count[p.name][0].name)}))")
            else:
                self.add(p)
        # The size in bytes of tensor_from_memory is a separate parameter.
        for p in self.f.params:
            if p.role == "memory" and p.count and not p.type.const:
                at = self.args.index(f"C.size_t(len({lower(p.name)}))")
                self.args[at] = f"C.size_t({lower(p.count)})"
        for first, *others in by_count.values():
            for other in others:
                self.checks.insert(0, f"\tif len({lower(other.name)}) != len({lower(first.name)}) {{\n\t\terr := lengthsDiffer("
                                      f"\"{self.f.name}\", \"{first.name}\", \"{other.name}\")\n\t\treturn {self.failure()}\n\t}}")
        if self.pins:
            self.checks.insert(0, "\tvar pins runtime.Pinner\n\tdefer pins.Unpin()")
        return self.head() + self.checks + self.before + self.call() + ["}", ""]

    def head(self):
        """Returns the comment and the first line of the function."""
        f = self.f
        name, results = lower(f.name), self.results() + (["error"] if f.fails else [])
        result = f" ({', '.join(results)})" if len(results) > 1 else f" {results[0]}" if results else ""
        return op_model.wrap("// ", f"{name} is {f.name}. {f.doc}") + [f"func {name}({', '.join(self.params)}){result} {{"]

    def call(self):
        """Returns the lines that call the C function and return its results."""
        f = self.f
        function = "go_" + f.name.removeprefix("percale_") if self.shim else f.name
        call = f"C.{function}({', '.join(self.args)})"
        if f.fails:
            return [f"\tstatus := {call}",
                    f"\tif status != nil {{\n\t\terr := statusError(status)\n\t\treturn {self.failure()}\n\t}}",
                    "\treturn " + ", ".join(self.after + ["nil"])]
        if str(f.returns) == "void":
            return ["\t" + call] + (["\treturn " + ", ".join(self.after)] if self.after else [])
        if str(f.returns) == "const char*":
            return [f"\tout := goText({call})", "\treturn " + ", ".join(["out"] + self.after)]
        kind = self.results()[0]
        value = call if kind.startswith(("*", "unsafe")) else f"{kind}({call})"
        return ["\treturn " + ", ".join([value] + self.after)]

    def add(self, p):
        """Adds a parameter to the Go function, and its argument to the call."""
        go = lower(p.name)
        c = "c" + go[:1].upper() + go[1:]
        if p.role == "text":
            self.params.append(f"{go} string")
            self.convert(c, f"{'textOrNil' if p.nullable else 'text'}({go})")
        elif p.role == "memory" and p.count and p.type.const:
            self.params.append(f"{go} []byte")
            self.args.append(f"unsafe.Pointer(unsafe.SliceData({go}))")
        elif p.role == "memory":
            self.params.append(f"{go} unsafe.Pointer" + (f", {lower(p.count)} int" if p.count else ""))
            self.args.append(go)
        elif p.role in ("callback", "destroy"):
            self.params.append(f"{go} C.{p.type.base}")
            self.args.append(go)
        elif p.role == "user":
            self.params.append(f"{go} uintptr")
            self.args.append(f"C.uintptr_t({go})")
        elif p.role == "array":
            self.array(p, go, c)
        elif p.role == "in":
            kind = go_type(self.header, p.type)
            self.params.append(f"{go} {kind}")
            self.args.append(go if kind.startswith(("*", "unsafe")) else f"C.{p.type.base}({go})")
        elif p.role == "out_array":
            self.out_array(p, go, c)
        elif p.role == "out":
            self.out(p, c)
        else:
            raise ValueError(f"{self.f.name}: {p.name} has the unknown role {p.role}")

    def convert(self, c, call):
        """Passes the result of a Go function that may return an error."""
        self.checks.append(f"\t{c}, err := {call}")
        self.checks.append(f"\tif err != nil {{\n\t\treturn {self.failure()}\n\t}}")
        self.args.append(c)

    def array(self, p, go, c):
        depth, base = p.type.depth, p.type.base
        kind = self.header.kind(base)
        if str(p.type) == "const char* const*":
            self.params.append(f"{go} []string")
            self.pins = True
            self.convert(c, f"texts(&pins, {go})")
        elif kind == "handle" and depth == 2:
            self.params.append(f"{go} []*C.{base}")
            self.args.append(f"unsafe.SliceData({go})")
        elif depth == 2:  # the dims of each entry
            self.params.append(f"{go} [][]int64")
            self.pins = True
            self.args.append(f"dimsOf(&pins, {go})")
        elif base == "size_t":  # ranks follow from dims and are not a parameter
            dims = re.sub("ranks$", "dims", p.name)
            self.params.append(f"{go} []C.size_t")
            self.args.append(f"unsafe.SliceData({go})")
            if not any(q.name == dims for q in self.f.params):
                raise ValueError(f"{self.f.name}: {p.name} without {dims}")
        else:
            element = SCALARS[base]
            self.params.append(f"{go} []{element}")
            self.args.append(f"(*C.{base})(unsafe.SliceData({go}))")

    def out_array(self, p, go, c):
        base = p.type.base
        if p.name == "out_dims":
            self.before.append("\tvar cDims [8]C.int64_t\n\tvar cRank C.size_t")
            self.args.append("&cDims[0]")
            self.after.append("goDims(&cDims, cRank)")
        elif p.name == "out_tensors":
            self.params.append(f"{go} []*C.{base}")
            self.args.append(f"unsafe.SliceData({go})")
        else:
            counted = [q for q in self.f.params if q.count == p.count and not q.name.startswith("out_")]
            length = f"len({lower(counted[0].name)})" if counted else lower(p.count)
            element = f"*C.{base}" if self.header.kind(base) == "handle" else SCALARS[base]
            self.before.append(f"\tout{c} := make([]{element}, {length})")
            cast = f"unsafe.SliceData(out{c})"
            self.args.append(cast if element.startswith("*") else f"(*C.{base})({cast})")
            self.after.append(f"out{c}")

    def out(self, p, c):
        base = p.type.base
        if p.name == "out_rank":
            self.args.append("&cRank")
            return
        if str(p.type) == "const char**":
            self.before.append(f"\tvar {c} *C.char")
            self.after.append(f"goText({c})")
        elif str(p.type) == "void**":
            self.before.append(f"\tvar {c} unsafe.Pointer")
            self.after.append(c)
        elif base == "percale_text":
            self.before.append(f"\tvar {c} *C.percale_text")
            self.after.append(f"takeText({c})")
        elif self.header.kind(base) == "handle":
            self.before.append(f"\tvar {c} *C.{base}")
            self.after.append(c)
        else:
            self.before.append(f"\tvar {c} C.{base}")
            self.after.append(f"{SCALARS[base]}({c})")
        self.args.append(f"&{c}")


def table_of(header, p):
    """Returns the struct that a parameter with the role "table" points to."""
    return next(s for s in header.structs if s.name == p.type.base)


def field_role(header, field):
    if header.kind(field.type.base) == "callback":
        return "callback"
    return "user" if field.name == "user" else "in"


def flat_params(header, f):
    """Returns the parameters of a function, with the fields of a table in place of the table. Its
    struct_size is left out.
    """
    out = []
    for p in f.params:
        if p.role == "table":
            out += [Param(field.name, field.type, field_role(header, field)) for field in table_of(header, p).fields[1:]]
        else:
            out.append(p)
    return out


def needs_shim(f):
    """True for functions that take a `user`, alone or in a table."""
    return any(p.role in ("callback", "table") for p in f.params)


def table_lines(header, p):
    """Returns the C statement that makes a table of the parameters of a shim."""
    values = [f"sizeof {p.name}"] + ["(void*)user" if field_role(header, field) == "user" else field.name
                                     for field in table_of(header, p).fields[1:]]
    return op_model.wrap("\t", f"{p.type} {p.name} = {{".replace("* ", " ") + ", ".join(values) + "};", "\t")


def shims(header):
    """Returns C functions that take `user` as an integer, so a cgo.Handle passes without a Go
    pointer. They take the fields of a table one by one.
    """
    lines = []
    for f in filter(needs_shim, header.functions):
        params = ", ".join(op_model.unbroken("uintptr_t user" if p.role == "user" else f"{p.type} {p.name}") for p in flat_params(header, f))
        args = ", ".join({"user": "(void*)user", "table": "&" + p.name}.get(p.role, p.name) for p in f.params)
        returned = "" if str(f.returns) == "void" else "return "
        head = op_model.unbroken(f"static {f.returns} go_{f.name.removeprefix('percale_')}(")
        lines += op_model.wrap("", f"{head}{params}{op_model.unbroken(') {')}", "\t")
        for p in f.params:
            lines += table_lines(header, p) if p.role == "table" else []
        lines += op_model.wrap("\t", f"{returned}{f.name}({args});", "\t") + ["}"]
    return lines


def raw(header):
    lines = ["package percale", "", "/*", "#include <percale.h>", ""] + shims(header) + ["*/", "import \"C\"", "",
             "import (", "\t\"runtime\"", "\t\"unsafe\"", ")", ""]
    lines += constants(header)
    for f in header.functions:
        if f.name not in BY_HAND:
            lines += Emitter(header, f).emit()
    return {"bindings/go/raw.go": WRITTEN + "\n".join(lines)}
