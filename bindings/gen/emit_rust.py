"""Writes the raw layer of the Rust crates: types, constants and functions of percale.h, nothing added.

The macro `functions!` of percale-sys turns the list of functions into an
extern block or, with the feature `load`, into a table that is read from the library at run time.
"""
import re
import textwrap

PATH = "bindings/rust/percale-sys/src/raw.rs"
SCALARS = {"char": "c_char", "void": "c_void", "int32_t": "i32", "int64_t": "i64", "uint32_t": "u32", "uint64_t": "u64",
           "size_t": "usize", "float": "f32", "double": "f64"}
KEYWORDS = {"as", "box", "fn", "impl", "in", "loop", "match", "mod", "move", "ref", "type", "use", "where"}


def word(name):
    return name + "_" if name in KEYWORDS else name


def type_of(ctype):
    out = SCALARS.get(ctype.base, ctype.base)
    const = ctype.const
    for star in ctype.stars:
        out = ("*const " if const else "*mut ") + out
        const = star
    return out


def doc(text, indent=""):
    """Doc comment lines; what Markdown would read as a link or a tag is escaped."""
    lines = []
    for paragraph in filter(None, text.split("\n")):
        parts = re.split(r"(`[^`]*`)", paragraph)
        parts[::2] = [re.sub(r"([\[\]<>])", r"\\\1", re.sub(r"(?<!\w)(percale_\w+)\(\)", r"`\1()`", part)) for part in parts[::2]]
        if lines:
            lines.append("///")
        lines += ["/// " + line for line in textwrap.wrap("".join(parts), 110, break_long_words=False, break_on_hyphens=False)]
    return "".join(indent + line + "\n" for line in lines)


def params(entry):
    return ", ".join(f"{word(p.name)}: {type_of(p.type)}" for p in entry.params)


def result(ctype):
    return "" if str(ctype) == "void" else " -> " + type_of(ctype)


def doc_of(function):
    return function.doc or (f"See {function.doc_of}()." if function.doc_of else f"{function.name.rsplit('_', 1)[1]}s a handle."
                            .capitalize())


def raw(header):
    out = ["// Written by bindings/gen from c_api/percale.h; changes belong there.\n\n",
           "use std::ffi::{c_char, c_void};\nuse std::marker::{PhantomData, PhantomPinned};\n\n"]
    for enum in header.enums:
        out.append(doc(enum.doc) + f"pub type {enum.name} = {SCALARS[enum.base]};\n")
        for constant in enum.constants:
            out.append(f"/// The constant {constant.value} of [`{enum.name}`].\npub const {constant.name}: {enum.name} = "
                       f"{constant.value};\n")
        out.append("\n")
    for macro in header.macros:
        ctype = SCALARS.get(macro.type, macro.type)
        value = f"{ctype}::MAX" if ctype == "usize" and macro.value == -1 else str(macro.value)
        out.append(doc(macro.doc or "None.") + f"pub const {macro.name}: {ctype} = {value};\n")
    for handle in header.handles:
        out.append("\n" + doc(handle.doc) + f"#[repr(C)]\npub struct {handle.name} {{\n    _data: [u8; 0],\n"
                   "    _marker: PhantomData<(*mut u8, PhantomPinned)>,\n}\n")
    for callback in header.callbacks:
        out.append("\n" + doc(callback.doc) + f"pub type {callback.name} =\n    Option<unsafe extern \"C\" fn({params(callback)})"
                   f"{result(callback.returns)}>;\n")
    for struct in header.structs:
        out.append("\n" + doc(struct.doc) + f"#[repr(C)]\n#[derive(Clone, Copy, Debug)]\npub struct {struct.name} {{\n")
        for field in struct.fields:
            out.append(doc(field.doc or f"`{field.name}`.", "    ") + f"    pub {word(field.name)}: {type_of(field.type)},\n")
        out.append("}\n")
    out.append("\nfunctions! {\n")
    for function in header.functions:
        out.append(doc(doc_of(function), "    "))
        out.append(f"    fn {function.name}({params(function)}){result(function.returns)};\n")
    out.append("}\n")
    return {PATH: "".join(out)}
