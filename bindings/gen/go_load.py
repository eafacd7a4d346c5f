"""Writes the files of the Go module for builds without a C compiler: go_load.py SOURCE OUT

The library is then opened at run time. Files that import "C" are left out of such a build. This
writes a counterpart of each, NAME_load.go, in which c_NAME takes the place of C.NAME, and
raw_c_load.go, which declares those names.
"""
import pathlib
import re
import sys

import emit_go
import percale_header

BUILD = "//go:build !cgo\n\n"
SCALARS = {"char": "int8", "int": "int32", "int32_t": "int32", "int64_t": "int64", "uint32_t": "uint32", "uint64_t": "uint64",
           "size_t": "uint64", "uintptr_t": "uintptr", "float": "float32", "double": "float64"}
EXPORTED = re.compile(r"^//export (\w+)\nfunc \w+\(([^)]*)\)( [^{\n]+)? \{", re.M)


def go_type(header, ctype):
    """Returns the Go type of a C type, "" for void."""
    if ctype.base == "void":
        return "*" * (ctype.depth - 1) + "unsafe.Pointer" if ctype.depth else ""
    return "*" * ctype.depth + "c_" + ctype.base


def types(header):
    """Returns the declarations of the C types."""
    lines = [f"type c_{name} = {go}" for name, go in SCALARS.items()]
    lines += [f"type c_{enum.name} = {SCALARS[enum.base]}" for enum in header.enums]
    # The library sees an address alone.
    lines += [f"type c_{callback.name} = uintptr" for callback in header.callbacks]
    lines += [f"type c_{handle.name} struct{{ _ byte }}" for handle in header.handles]
    for struct in header.structs:
        fields = "; ".join(f"{field.name} {'uintptr' if field.name == 'user' else go_type(header, field.type)}" for field in struct.fields)
        lines.append(f"type c_{struct.name} struct {{ {fields} }}")
    return lines


def signature(header, params, returns):
    listed = ", ".join(f"{p.name}_ {'uintptr' if p.role == 'user' else go_type(header, p.type)}" for p in params)
    return f"({listed}) {go_type(header, returns)}".rstrip()


def through_reflection(f):
    """True for a function that purego has to call by its type, which takes longer and allocates."""
    return any(p.type.base in ("double", "float") and not p.type.depth for p in f.params)


def as_word(header, p):
    """Returns a parameter as the word that C gets."""
    pointer = p.type.depth and p.role != "user" and header.kind(p.type.base) != "callback"
    return f"uintptr(unsafe.Pointer({p.name}_))" if pointer else f"uintptr({p.name}_)"


def functions(header):
    """Returns a function per function of the library, with its signature. It opens the library
    first."""
    lines, bound = [], ["func bindAll(symbol func(name string) uintptr) {"]
    for f in header.functions:
        shape, result = signature(header, f.params, f.returns), go_type(header, f.returns)
        if through_reflection(f):
            lines.append(f"var f_{f.name} func{shape}")
            call = f"f_{f.name}({', '.join(p.name + '_' for p in f.params)})"
            bound.append(f'\tif address := symbol("{f.name}"); address != 0 {{ purego.RegisterFunc(&f_{f.name}, address) }}')
        else:
            lines.append(f"var f_{f.name} uintptr")
            call = f"purego.SyscallN(f_{f.name}{''.join(', ' + as_word(header, p) for p in f.params)})"
            bound.append(f'\tf_{f.name} = symbol("{f.name}")')
        if result and not through_reflection(f):
            value = f"*(*{result})(unsafe.Pointer(&r))"
            call = f"r, _, _ := {call}; return {value}"
        lines.append(f"func c_{f.name}{shape} {{ opened(); {'return ' if result and through_reflection(f) else ''}{call} }}")
    return lines + bound + ["}"]


def shims(header):
    """Returns the counterparts of emit_go.shims(): functions that take the fields of a table."""
    lines = []
    for f in filter(emit_go.needs_shim, header.functions):
        flat = emit_go.flat_params(header, f)
        lines.append(f"func c_go_{f.name.removeprefix('percale_')}{signature(header, flat, f.returns)} {{")
        args = []
        for p in f.params:
            args.append(p.name + "_")
            if p.role == "table":
                fields = ", ".join(field.name + "_" for field in emit_go.table_of(header, p).fields[1:])
                kind = f"c_{p.type.base}"
                lines.append(f"\t{p.name}_ := &{kind}{{c_uint32_t(unsafe.Sizeof({kind}{{}})), {fields}}}")
        lines += [f"\t{'return ' if go_type(header, f.returns) else ''}c_{f.name}({', '.join(args)})", "}"]
    return lines


def callbacks(source):
    """Returns the addresses that stand in for the functions of callbacks.c. Each calls the function
    of Go that callbacks.go exports."""
    exported = {name: (params, result or "") for name, params, result in EXPORTED.findall((source / "callbacks.go").read_text())}
    lines = []
    for c_name, c_params, go_name in re.findall(r"(go_percale_\w+)\(([^)]*)\)[^{]*\{[^}]*?(goPercale\w+)\(", (source / "callbacks.c").read_text()):
        params, result = exported[go_name]
        names = [name for group in params.split(", ") for name in group.split(" ")[:1]]
        # A deleter also gets the memory, which Go has pinned and knows.
        more = ", _ unsafe.Pointer" if len(c_params.split(",")) > len(names) else ""
        call = f"{go_name}({', '.join(names)})"
        # Windows takes functions that return one word, and no others.
        pointer = result.strip().startswith("*")
        body = f"return {call}" if pointer else f"return uintptr({call})" if result else f"{call}; return 0"
        returns = renamed(result).strip() if pointer else "uintptr"
        lines.append(f"var c_{c_name} = purego.NewCallback(func({renamed(params)}{more}) {returns} {{ {body} }})")
    return lines


def renamed(code):
    return re.sub(r"\bC\.(?=\w)", "c_", code)


def without_cgo(text):
    """Returns a source in which no name is of C. Comments stay as they are."""
    text = re.sub(r'(?:/\*(?:(?!\*/).)*\*/\n|(?://[^\n]*\n)+)?import "C"\n', "", text, flags=re.S)
    lines = [line if line.lstrip().startswith("//") else renamed(line) for line in text.splitlines()]
    return BUILD + re.sub(r"^//export \w+\n", "", "\n".join(lines) + "\n", flags=re.M)


def main(source, out):
    source, out = pathlib.Path(source), pathlib.Path(out)
    header = percale_header.parse_file(percale_header.FOLDER / "percale.h")
    for path in sorted(source.glob("*.go")):
        text = path.read_text()
        if 'import "C"' in text and not path.name.startswith("link"):
            (out / f"{path.stem}_load.go").write_text(without_cgo(text))
    lines = types(header) + functions(header) + shims(header) + callbacks(source)
    (out / "raw_c_load.go").write_text("// Code generated by bindings/gen. DO NOT EDIT.\n\n" + BUILD + "package percale\n\nimport (\n\t\"unsafe\"\n\n"
                                       "\t\"github.com/ebitengine/purego\"\n)\n\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
