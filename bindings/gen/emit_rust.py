"""Writes the raw layers of the Rust crates, and one function per op.

The raw layers are the types, constants and functions of percale.h, and the tables of
percale_plugin.h. The macro `functions!` of percale-sys turns the list of functions into an extern
block. With the feature `load`, it turns it into a table that is read from the library at run time.
"""
import re

import op_model
import plugin_header

PATH = "bindings/rust/percale-sys/src/raw.rs"
PLUGIN_PATH = "bindings/rust/percale-plugin/src/raw.rs"
SCALARS = {"char": "c_char", "void": "c_void", "int32_t": "i32", "int64_t": "i64", "uint32_t": "u32", "uint64_t": "u64",
           "size_t": "usize", "float": "f32", "double": "f64"}
KEYWORDS = {"as", "box", "fn", "impl", "in", "loop", "match", "mod", "move", "ref", "self", "type", "use", "where"}


def word(name):
    return name + "_" if name in KEYWORDS else name


def type_of(ctype):
    if isinstance(ctype, plugin_header.Slot):
        return f"Option<unsafe extern \"C\" fn({params(ctype)}){result(ctype.returns)}>"
    out = SCALARS.get(ctype.base, ctype.base)
    const = ctype.const
    for star in ctype.stars:
        out = ("*const " if const else "*mut ") + out
        const = star
    return out


def doc(text, indent=""):
    """Returns doc comment lines, with Markdown syntax for links and tags escaped."""
    lines = []
    for paragraph in filter(None, text.split("\n")):
        parts = re.split(r"(`[^`]*`)", paragraph)
        parts[::2] = [re.sub(r"([\[\]<>])", r"\\\1", re.sub(r"(?<!\w)(percale_\w+)\(\)", r"`\1()`", part)) for part in parts[::2]]
        if lines:
            lines.append(indent + "///")
        lines += op_model.wrap(indent + "/// ", "".join(parts))
    return "".join(line + "\n" for line in lines)


def params(entry):
    return ", ".join(f"{word(p.name)}: {type_of(p.type)}" for p in entry.params)


def result(ctype):
    return "" if str(ctype) == "void" else " -> " + type_of(ctype)


def among(entries, names):
    """Returns the entries whose names are in `names`; all of them for None."""
    return [entry for entry in entries if names is None or entry.name in names]


def enums(header, names=None):
    """Returns the enums with their constants; all, or those in `names`."""
    out = []
    for enum in among(header.enums, names):
        out.append(doc(enum.doc) + f"pub type {enum.name} = {SCALARS[enum.base]};\n")
        for constant in enum.constants:
            out.append(doc(op_model.constant_doc(f"`{enum.name}`", constant)) +
                       f"pub const {constant.name}: {enum.name} = {constant.value};\n")
        out.append("\n")
    return out


def macros(header):
    out = []
    for macro in header.macros:
        ctype = SCALARS.get(macro.type, macro.type)
        value = f"{ctype}::MAX" if ctype == "usize" and macro.value == -1 else str(macro.value)
        out.append(doc(macro.doc) + f"pub const {macro.name}: {ctype} = {value};\n")
    return out


def handles(header, names=None):
    out = []
    for handle in among(header.handles, names):
        out.append("\n" + doc(handle.doc) + f"#[repr(C)]\npub struct {handle.name} {{\n    _data: [u8; 0],\n"
                   "    _marker: PhantomData<(*mut u8, PhantomPinned)>,\n}\n")
    return out


def callbacks(header, names=None):
    return ["\n" + doc(callback.doc) + f"pub type {callback.name} =\n    Option<unsafe extern \"C\" fn({params(callback)})"
            f"{result(callback.returns)}>;\n" for callback in among(header.callbacks, names)]


def structs(header, derived, names=None):
    out = []
    for struct in among(header.structs, names):
        out.append("\n" + doc(struct.doc) + f"#[repr(C)]\n#[derive({derived})]\npub struct {struct.name} {{\n")
        for field in struct.fields:
            out.append(doc(field.doc or f"`{field.name}`.", "    ") + f"    pub {word(field.name)}: {type_of(field.type)},\n")
        out.append("}\n")
    return out


HEAD = """// Written by bindings/gen from c_api/{}; changes belong there.

use std::ffi::{{c_char, c_void}};
use std::marker::{{PhantomData, PhantomPinned}};

"""


def raw(header):
    out = [HEAD.format("percale.h")] + enums(header) + macros(header) + handles(header) + callbacks(header)
    out += structs(header, "Clone, Copy, Debug") + ["\nfunctions! {\n"]
    for function in header.functions:
        out.append(doc(function.doc, "    "))
        out.append(f"    fn {function.name}({params(function)}){result(function.returns)};\n")
    out.append("}\n")
    return {PATH: "".join(out)}


def plugin(header):
    """Writes the tables, and the parts of percale.h that they use, because plug-ins link nothing of
    Percale.
    """
    used = header.base_types()
    out = [HEAD.format("percale_plugin.h")] + enums(header.base, used) + enums(header)
    out += macros(header.base) + macros(header)
    out += handles(header.base, used) + handles(header)
    out += callbacks(header.base, used) + structs(header.base, "Clone, Copy", used)
    out += structs(header, "Clone, Copy") + callbacks(header)
    return {PLUGIN_PATH: "".join(out)}


OPS = "bindings/rust/percale/src/ops.rs"
RUST = {"int": "i64", "float": "f64", "string": "&str", "ints": "&[i64]", "floats": "&[f64]", "strings": "&[&str]",
        "tensor": "&Tensor"}
# Names that the wrapper uses itself, and Rust keywords.
TAKEN = KEYWORDS | {"if", "else", "while", "for", "let", "self", "super", "true", "false", "mut", "name", "finish",
                    "finish_many", "finish_vec", "builder"}
OPS_HEAD = """// Written by bindings/gen from the ops' schemas; changes belong there.

//! One function per op, with ONNX's names in Rust's spelling. Each starts a node of a [`Builder`].
//! Set its attributes, then add it to the graph with `finish`:
//!
//! ```
//! use percale::{ops, Builder, DType, Engine};
//! let engine = Engine::new()?;
//! let mut builder = Builder::new(&engine)?;
//! let x = builder.input("x", DType::F32, &[-1, 3])?;
//! let y = ops::softmax(&mut builder, x).axis(-1).name("y").finish()?;
//! # let _ = y;
//! # Ok::<(), percale::Error>(())
//! ```
#![allow(clippy::too_many_arguments, clippy::needless_lifetimes)]
use crate::builder::{Attribute, Builder, Node, Value};
use crate::error::Result;
use crate::tensor::Tensor;

macro_rules! op {
    ($(#[$doc:meta])* $type:ident $function:ident $key:literal ($($input:ident: $kind:ident),*)
     {$($(#[$about:meta])* $attribute:ident $name:literal: $value:ty;)*} $outputs:literal) => {
        $(#[$doc])*
        pub fn $function<'b>(builder: &'b mut Builder, $($input: op!(@ $kind)),*) -> $type<'b> {
            let inputs: Vec<Value> = Vec::new();
            $(let inputs = op!(@ $kind inputs $input);)*
            $type(builder.op($key).trimmed_inputs(inputs))
        }

        #[doc = concat!("A started node of `", $key, "`.")]
        #[must_use = "finish() adds the node to the graph"]
        pub struct $type<'b>(Node<'b>);

        impl $type<'_> {
            /// Sets the name of the node. Without one, the library chooses a name.
            pub fn name(self, name: &str) -> Self {
                Self(self.0.name(name))
            }

            $($(#[$about])*
            pub fn $attribute(self, value: $value) -> Self {
                Self(self.0.set($name, value))
            })*

            /// Adds the node and returns its first output; [`Value::NONE`] if the op has no output.
            pub fn finish(self) -> Result<Value> {
                Ok(self.0.finish_vec($outputs)?.first().copied().unwrap_or(Value::NONE))
            }

            /// Adds the node and returns its first `N` outputs.
            pub fn finish_many<const N: usize>(self) -> Result<[Value; N]> {
                self.0.finish_many()
            }

            /// Adds the node and returns its first `count` outputs.
            pub fn finish_vec(self, count: usize) -> Result<Vec<Value>> {
                self.0.finish_vec(count)
            }
        }
    };
    (@ one) => { Value };
    (@ optional) => { Option<Value> };
    (@ many) => { &[Value] };
    (@ one $inputs:ident $input:ident) => { op!(@push $inputs, $input) };
    (@ optional $inputs:ident $input:ident) => { op!(@push $inputs, $input.unwrap_or(Value::NONE)) };
    (@ many $inputs:ident $input:ident) => { $inputs.into_iter().chain($input.iter().copied()).collect::<Vec<Value>>() };
    (@push $inputs:ident, $value:expr) => { $inputs.into_iter().chain([$value]).collect::<Vec<Value>>() };
}

/// The name of a function of the graph: a branch of If, the body of Loop.
pub struct Function<'a>(pub &'a str);

impl From<Function<'_>> for Attribute {
    fn from(function: Function<'_>) -> Attribute {
        Attribute::Function(function.0.into())
    }
}
"""


def snake(name):
    name = re.sub(r"(?<=[a-z0-9])([A-Z])|(?<=[A-Z])([A-Z])(?=[a-z])", lambda m: "_" + m.group(), name).lower()
    return name + "_" if name in TAKEN else name


def ops(schemas):
    out = [OPS_HEAD]
    for op in op_model.ops(schemas):
        names, inputs = set(), []
        for port in op.inputs:
            name = op_model.unique(snake(port["name"]), names)
            inputs.append(f"{name}: " + ("many" if port["variadic"] else "optional" if port["optional"] else "one"))
        text = op.doc + "\n" + "\n".join(op_model.facts(op))
        out.append("\nop! {\n" + doc(text, "    ") +
                   f"    {op.function} {snake(op.function)} \"{op.key}\" ({', '.join(inputs)})\n    {{\n")
        for a in op.attributes:
            kind = RUST.get(a["kind"], "Function<'_>")
            fact = op_model.attribute_fact(a)
            about = f"The attribute `{a['name']}`" + (f": {fact}." if fact else ".")
            out.append(doc(about, "        ") + f"        {snake(a['name'])} \"{a['name']}\": {kind};\n")
        out.append(f"    }} {op.default_outputs}\n}}\n")
    return {OPS: "".join(out)}
