"""Parses c_api/include/percale.h into a model, from which the raw layers of the bindings are
written.

The header is the only source, so nothing is skipped: a HeaderError names the line of anything that
this parser does not understand. `python3 percale_header.py` prints the model as JSON.
"""
import dataclasses
import json
import pathlib
import re
import sys

# The folder of the public headers.
FOLDER = pathlib.Path(__file__).resolve().parents[2] / "c_api" / "include"

SCALARS = ("char", "int32_t", "int64_t", "uint32_t", "uint64_t", "size_t", "float", "double")
THREAD_WORDS = ("thread-safe", "thread-compatible", "thread-bound")

# Lines of the preprocessor that do not describe the API.
FRAME = {
    "#ifndef PERCALE_H_", "#define PERCALE_H_", "#include <stddef.h>", "#include <stdint.h>",
    "#if defined(_WIN32)", "#define PERCALE_API", '#define PERCALE_API __attribute__((visibility("default")))',
    "#else", "#endif", "#if defined(__GNUC__) || defined(__clang__)",
    "#define PERCALE_NODISCARD __attribute__((warn_unused_result))", "#define PERCALE_NODISCARD",
    "#ifdef __cplusplus", 'extern "C" {', "}",
}

# Output parameters that are arrays, with the parameter that counts them. None if the caller must
# know the count from the comment.
OUT_ARRAYS = {
    ("percale_builder_finish_node", "out_values"): "output_count",
    ("percale_builder_gradients", "out_gradients"): "x_count",
    ("percale_builder_value_type", "out_dims"): "out_rank",
    ("percale_call_output_type", "out_dims"): "out_rank",
    ("percale_dataset_distribute", "out_datasets"): "replicas",
    ("percale_dataset_column_type", "out_dims"): "out_rank",
    ("percale_dataset_next", "out_tensors"): None,
    ("percale_graph_value_type", "out_dims"): "out_rank",
    ("percale_session_run", "out_fetches"): "fetch_count",
    ("percale_session_run_versioned", "out_fetches"): "fetch_count",
    ("percale_trainer_step_fetch", "out_tensors"): "fetch_count",
}
# Output parameters with a plural name that are single values.
OUT_SINGLE = {"out_options", "out_variables", "out_bytes", "out_loss"}
# Input arrays without a count parameter: they have one entry per feed or fetch of the call.
IN_ARRAYS_UNCOUNTED = {(function, array) for function in ("percale_call_run", "percale_call_run_until")
                       for array in ("inputs", "outputs")}


class HeaderError(Exception):
    """The header contains something that this parser does not understand."""


@dataclasses.dataclass(frozen=True)
class CType:
    """A C type.

    `const char* const*` has base "char", const True and stars (True, False). `stars` has one entry
    per pointer, innermost first: True if the pointer itself is const.
    """
    base: str
    const: bool = False
    stars: tuple = ()

    @property
    def depth(self):
        return len(self.stars)

    def __str__(self):
        return ("const " if self.const else "") + self.base + "".join("* const" if s else "*" for s in self.stars)


@dataclasses.dataclass
class Param:
    """A parameter.

    - `role`: "in"; "text" (UTF-8, NUL-terminated, or sized by `count`); "array" (of `count`
      entries); "memory" (of `count` bytes); "out"; "out_array"; "callback"; "user"; "destroy"
      (releases the "user" before it).
    - `count`: the name of the parameter with the count, or None.
    - `owned`: an output with a new reference.
    - `nullable`: the comment says that NULL is allowed.
    """
    name: str
    type: CType
    role: str = "in"
    count: str = None
    owned: bool = False
    nullable: bool = False


@dataclasses.dataclass
class Function:
    """A function.

    - `fails`: it returns percale_status*, NULL on success.
    - `handle`: the type whose name it contains ("percale_tensor"), or "".
    - `returns_owned`, `returns_borrowed`: ownership of the returned pointer.
    - `doc`: "" for a function that shares the comment above it.
    - `doc_of`: the function with that comment, as a hint. "" for a retain, release or create that
      needs no comment.
    """
    name: str
    returns: CType
    params: list
    doc: str
    doc_of: str
    since: str
    section: str
    handle: str
    fails: bool
    returns_owned: bool
    returns_borrowed: bool
    line: int


@dataclasses.dataclass
class Callback:
    name: str
    returns: CType
    params: list
    doc: str
    since: str
    line: int


@dataclasses.dataclass
class Handle:
    """An opaque type.

    `thread` is one of THREAD_WORDS. `any_thread` lists functions that are exempt from it.
    """
    name: str
    thread: str
    any_thread: list
    doc: str
    since: str


@dataclasses.dataclass
class Constant:
    """A constant. `value` is an int; the `type` of a macro is "size_t", "int64_t" or
    "percale_value".
    """
    name: str
    value: int
    doc: str = ""
    type: str = ""


@dataclasses.dataclass
class Enum:
    """An integer type, with its constants (none for percale_value)."""
    name: str
    base: str
    constants: list
    doc: str
    since: str


@dataclasses.dataclass
class Field:
    name: str
    type: CType
    doc: str = ""


@dataclasses.dataclass
class Struct:
    name: str
    fields: list
    doc: str
    since: str


@dataclasses.dataclass
class Header:
    """The model of a header. All lists are in its order."""
    doc: str = ""
    enums: list = dataclasses.field(default_factory=list)
    handles: list = dataclasses.field(default_factory=list)
    macros: list = dataclasses.field(default_factory=list)
    callbacks: list = dataclasses.field(default_factory=list)
    structs: list = dataclasses.field(default_factory=list)
    functions: list = dataclasses.field(default_factory=list)
    sections: list = dataclasses.field(default_factory=list)

    def kind(self, name):
        """Returns "handle", "enum", "callback", "struct" or "scalar"."""
        for kind in ("handle", "enum", "callback", "struct"):
            if any(entry.name == name for entry in getattr(self, kind + "s")):
                return kind
        if name in SCALARS or name == "void":
            return "scalar"
        raise KeyError(name)

    def function(self, name):
        return next(f for f in self.functions if f.name == name)


# The frame of a header that another one includes: its comment, its guard, its linkage.
INNER_FRAME = re.compile(r"/\*\*\s*\n \* @file.*?\*/|#ifndef \w+_H_\n#define \w+_H_|#endif /\* \w+_H_ \*/"
                         r"|#ifdef __cplusplus\n(?:extern \"C\" \{|\})\n#endif", re.S)


def whole_text(path, without=()):
    """Returns the text of a header in which the headers that it includes from its folder are
    expanded, each once. Headers whose names are in `without` are not expanded.
    """
    path = pathlib.Path(path).resolve()
    seen = {path}

    def read(file, inner):
        text = file.read_text(encoding="utf-8")
        if inner:
            text = INNER_FRAME.sub("", text)

        def included(found):
            other = (file.parent / found.group(1)).resolve()
            if other.name in without:
                return "" if inner else found.group(0)
            if other in seen:
                return ""
            seen.add(other)
            return read(other, True)
        return re.sub(r'^#include "([^"]+)"$', included, text, flags=re.M)
    return read(path, False)


def clean(comment):
    """Returns (text, version) of a doc comment, without stars, line breaks and \\since."""
    text = re.sub(r"^/\*\*<?|\*/$", "", comment.strip())
    text = re.sub(r"\n[ \t]*\*[ \t]?", "\n", text)
    since = re.search(r"\\since\s+(\d+\.\d+)", text)
    text = re.sub(r"\\since\s+\d+\.\d+", "", text)
    # Empty lines separate paragraphs. Other line breaks become spaces.
    paragraphs = [" ".join(p.split()) for p in re.split(r"\n\s*\n", text)]
    return "\n".join(p for p in paragraphs if p), since.group(1) if since else ""


class Parser:
    file = "percale.h"
    frame = FRAME

    def __init__(self, text):
        self.text = text
        self.at = 0
        self.header = Header()
        self.types = set()
        self.names = set()
        self.section = ""
        self.doc = self.since = ""
        self.doc_used = True  # true once a declaration has taken the last comment
        self.doc_of = ""
        self.line = 1

    def fail(self, why, at=None):
        raise HeaderError(f"{self.file}:{self.text.count(chr(10), 0, self.at if at is None else at) + 1}: {why}")

    def match(self, pattern):
        found = re.compile(pattern, re.S).match(self.text, self.at)
        if found:
            self.line = self.text.count("\n", 0, self.at) + 1
            self.at = found.end()
        return found

    def new_name(self, name, prefix):
        if not name.startswith(prefix):
            self.fail(f"the name {name} does not begin with {prefix}")
        if name in self.names:
            self.fail(f"{name} is declared twice")
        self.names.add(name)

    def take_doc(self, name, required=True):
        """Returns (doc, since) of the comment directly above. Only functions may lack one."""
        if self.doc_used:
            if required:
                self.fail(f"{name} has no comment of its own")
            return "", self.since
        self.doc_used = True
        if not self.since:
            self.fail(f"the comment of {name} does not say since when")
        return self.doc, self.since

    def type_of(self, text, at=None):
        tokens = re.findall(r"\w+|\*|\S", text)
        const = tokens[:1] == ["const"]
        tokens = tokens[const:]
        if not tokens or not re.fullmatch(r"\w+", tokens[0]):
            self.fail(f"no type: '{text.strip()}'", at)
        base, stars = tokens[0], []
        for token in tokens[1:]:
            if token == "*":
                stars.append(False)
            elif token == "const" and stars and not stars[-1]:
                stars[-1] = True
            else:
                self.fail(f"a type that is not understood: '{text.strip()}'", at)
        if base not in SCALARS and base != "void" and base not in self.types:
            self.fail(f"an unknown type: '{base}'", at)
        if base == "void" and not stars and const:
            self.fail("const void", at)
        return CType(base, const, tuple(stars))

    def params(self, text, owner):
        if text.strip() == "void":
            return []
        out = []
        for part in text.split(","):
            found = re.fullmatch(r"\s*(.*?)\b([a-z]\w*)\s*", part, re.S)
            if not found or not found.group(1).strip():
                self.fail(f"a parameter of {owner} that is not understood: '{part.strip()}'")
            ctype = self.type_of(found.group(1))
            if ctype.base == "void" and not ctype.stars:
                self.fail(f"parameter {found.group(2)} of {owner} is void")
            kind = self.header.kind(ctype.base)
            if kind in ("handle", "struct") and not ctype.stars:
                self.fail(f"{owner} takes {ctype.base} by value")
            if found.group(2) in [p.name for p in out]:
                self.fail(f"{owner} has two parameters {found.group(2)}")
            out.append(Param(found.group(2), ctype))
        return out

    def roles(self, function):
        """Sets the role of each parameter."""
        params = function.params
        outs = [p.name.startswith("out_") for p in params]
        if outs != sorted(outs):
            self.fail(f"{function.name}: outs are not last")
        names = [p.name for p in params]
        for i, p in enumerate(params):
            p.nullable = bool(p.type.stars) and bool(
                re.search(rf"`{p.name}` \(?may be NULL|`{p.name}` of kind \"\w+\",? or NULL", function.doc)
                or p.name == "options" and p.type.base == "percale_options" and p.type.const
                or p.role == "user")
            kind = self.header.kind(p.type.base)
            following = params[i + 1] if i + 1 < len(params) else None
            key = (function.name, p.name)
            if outs[i]:
                if not p.type.stars or any(p.type.stars):
                    self.fail(f"{function.name}: {p.name} is no place to write to")
                p.owned = kind == "handle"
                p.role = "out"
                if p.owned and p.type.depth != 2 or kind != "handle" and p.type.depth > 1 and str(p.type) not in (
                        "const char**", "void**"):
                    self.fail(f"{function.name}: {p.name} has {p.type.depth} stars")
                if key in OUT_ARRAYS:
                    p.role, p.count = "out_array", OUT_ARRAYS[key]
                    if p.count and p.count not in names:
                        self.fail(f"{function.name} has no parameter {p.count}")
                elif p.name.endswith("s") and p.name not in OUT_SINGLE:
                    self.fail(f"{function.name}: whether {p.name} is one or several is for OUT_ARRAYS or OUT_SINGLE to say")
                continue
            if p.type.base == "percale_destroy":
                if p.type.stars or i == 0 or params[i - 1].name != "user":
                    self.fail(f"{function.name}: {p.name} does not follow 'void* user'")
                p.role = "destroy"
            elif kind == "callback":
                if p.type.stars or following is None or following.name != "user":
                    self.fail(f"{function.name}: no 'void* user' follows {p.name}")
                p.role = "callback"
            elif p.name == "user" and str(p.type) == "void*":
                p.role = "user"
            elif str(p.type) == "const char*":
                p.role = "text"
                if following and str(following.type) == "size_t" and following.name in ("size", p.name + "_size"):
                    p.count = following.name
            elif p.type.base == "void" and p.type.depth == 1:
                p.role = "memory"
                if following and str(following.type) == "size_t" and following.name in ("size", "bytes"):
                    p.count = following.name
                elif function.name != "percale_tensor_from_dlpack":
                    self.fail(f"{function.name}: how large is the memory at {p.name}?")
            elif kind == "handle" and p.type.depth == 1:
                p.role = "in"
            elif p.type.stars:
                p.role = "array"
                counts = [q.name for q in params[i + 1:] if str(q.type) == "size_t"]
                if counts:
                    p.count = counts[0]
                elif key not in IN_ARRAYS_UNCOUNTED:
                    self.fail(f"{function.name}: which parameter counts {p.name}?")

    def handle_of(self, name):
        """Returns the handle that a function belongs to: the longest whose name it begins with."""
        fits = [h.name for h in self.header.handles if name.startswith(h.name + "_")]
        return max(fits, key=len) if fits else ""

    def function(self, found):
        nodiscard, returns_text, name, params_text = found.groups()
        self.new_name(name, "percale_")
        own = not self.doc_used
        doc, since = self.take_doc(name, required=False)
        if own:
            self.doc_of = name
        plain = re.search(r"_(retain|release|create)$", name) and not own
        returns = self.type_of(returns_text)
        fails = str(returns) == "percale_status*" and not name.endswith("_retain")
        if fails != bool(nodiscard):
            self.fail(f"{name}: PERCALE_NODISCARD goes with percale_status* alone")
        handle = self.handle_of(name)
        is_handle = not fails and returns.depth == 1 and self.header.kind(returns.base) == "handle"
        if is_handle and not name.endswith("_retain"):
            self.fail(f"{name}: a handle is handed out by an out or a retain")
        if returns.depth > 1:
            self.fail(f"{name}: returns {returns}")
        out = Function(name, returns, self.params(params_text, name), doc, "" if own or plain else self.doc_of, since,
                       self.section, handle, fails, is_handle, bool(returns.stars) and not fails and not is_handle,
                       self.line)
        self.roles(out)
        self.header.functions.append(out)

    def enum(self, found):
        if not self.header.enums or self.header.enums[-1].constants:
            self.fail("an enum without the typedef of its type above it")
        owner = self.header.enums[-1]
        pattern, rest = re.compile(r"\s*(\w+)\s*=\s*(-?\d+)\s*(?:,|$|(?=/))(?:\s*/\*\*<(.*?)\*/)?\s*", re.S), found.group(1)
        while rest.strip():
            entry = pattern.match(rest)
            if not entry:
                self.fail(f"a constant of {owner.name} that is not understood: '{rest.strip().splitlines()[0]}'")
            self.new_name(entry.group(1), "PERCALE_")
            owner.constants.append(Constant(entry.group(1), int(entry.group(2)), " ".join((entry.group(3) or "").split())))
            rest = rest[entry.end():]

    def struct(self, found):
        name, body, again = found.groups()
        if name != again:
            self.fail(f"struct {name} and type {again}")
        self.new_name(name, "percale_")
        doc, since = self.take_doc(name)
        fields, rest = [], body
        pattern = re.compile(r"\s*([^;]+);(?:[ \t]*/\*\*<(.*?)\*/)?", re.S)
        while rest.strip():
            entry = pattern.match(rest)
            if not entry or "/*" in entry.group(1):
                self.fail(f"a field of {name} that is not understood: '{rest.strip().splitlines()[0]}'")
            first, *more = entry.group(1).split(",")
            parts = re.fullmatch(r"\s*(.*?)(\w+)\s*", first, re.S)
            ctype = self.type_of(parts.group(1))
            if more and ctype.stars:
                self.fail(f"{name}: one pointer per declaration")
            text = " ".join((entry.group(2) or "").split())
            for field in [parts.group(2)] + [m.strip() for m in more]:
                if not re.fullmatch(r"[a-z]\w*", field):
                    self.fail(f"{name}: '{field}' is no name of a field")
                fields.append(Field(field, ctype, text))
            rest = rest[entry.end():]
        if not fields or fields[0].name != "struct_size":
            self.fail(f"{name} does not begin with struct_size")
        self.types.add(name)
        self.header.structs.append(Struct(name, fields, doc, since))

    def macro(self, found):
        name, value = found.groups()
        self.new_name(name, "PERCALE_")
        kinds = {r"\((-?\d+)\)": "percale_value", r"\(\(size_t\)(-?\d+)\)": "size_t", r"\(\(int64_t\)(-?\d+)\)": "int64_t"}
        for pattern, ctype in kinds.items():
            number = re.fullmatch(pattern, value.strip())
            if number:
                doc = self.doc if not self.doc_used else ""
                self.doc_used = True
                self.header.macros.append(Constant(name, int(number.group(1)), doc, ctype))
                return
        self.fail(f"a macro that is not understood: {name} {value}")

    def handle(self, name):
        doc, since = self.take_doc(name)
        words = [w for w in THREAD_WORDS if f"*{w}*" in doc]
        if len(words) != 1:
            self.fail(f"{name} needs exactly one of {', '.join(THREAD_WORDS)}")
        self.types.add(name)
        self.header.handles.append(Handle(name, words[0], re.findall(r"(percale_\w+)\(\) excepted", doc), doc, since))

    def check_callback(self, callback):
        if not callback.params or callback.params[0].name != "user" or str(callback.params[0].type) != "void*":
            self.fail(f"{callback.name} does not begin with 'void* user'")

    def check_handles(self):
        for handle in self.header.handles:
            if handle.name + "_release" not in self.names:
                self.fail(f"{handle.name} cannot be released")
            for name in handle.any_thread:
                if name not in self.names:
                    self.fail(f"{handle.name} excepts {name}, which is not there")

    def declaration(self):
        if found := self.match(r"/\*\*(?!/)(.*?)\*/"):
            text = found.group(0)
            if group := re.search(r"@defgroup \w+ ([^\n]+)|@\}", text):
                self.section = group.group(1) or ""
                if self.section:
                    self.header.sections.append(self.section)
                return True
            if not self.header.doc:
                self.header.doc = clean(text)[0]
                return True
            if not self.doc_used:
                self.fail("two comments in a row", found.start())
            self.doc, since = clean(text)
            # Comments of macros contain no version.
            self.since = since
            self.doc_used = False
            return True
        if found := self.match(r"/\*(.*?)\*/"):
            title = re.match(r"\s*-+ (.*?) -+", found.group(1))
            if title:
                self.section = title.group(1)
                self.header.sections.append(self.section)
            return True
        for line in sorted(self.frame, key=len, reverse=True):
            if self.text.startswith(line, self.at) and self.text[self.at + len(line):self.at + len(line) + 1] in (
                    "\n", "", " "):
                self.at += len(line)
                return True
        if found := self.match(r"#define (PERCALE_\w+) ([^\n]+)"):
            self.macro(found)
        elif found := self.match(r"typedef struct (\w+) (\w+);"):
            name = found.group(1)
            if name != found.group(2):
                self.fail(f"struct {name} and type {found.group(2)}")
            self.new_name(name, "percale_")
            self.handle(name)
        elif found := self.match(r"typedef struct (\w+) \{(.*?)\n\} (\w+);"):
            self.struct(found)
        elif found := self.match(r"typedef (int32_t) (\w+);"):
            self.new_name(found.group(2), "percale_")
            doc, since = self.take_doc(found.group(2))
            self.types.add(found.group(2))
            self.header.enums.append(Enum(found.group(2), found.group(1), [], doc, since))
        elif found := self.match(r"enum \{([^}]*)\};"):
            self.enum(found)
        elif found := self.match(r"typedef ([\w ]+?\**)\s*\(\*(\w+)\)\(([^()]*)\);"):
            returns, name, params = found.groups()
            self.new_name(name, "percale_")
            doc, since = self.take_doc(name)
            callback = Callback(name, self.type_of(returns), self.params(params, name), doc, since, self.line)
            self.check_callback(callback)
            self.types.add(name)
            self.header.callbacks.append(callback)
        elif found := self.match(r"PERCALE_API (PERCALE_NODISCARD )?([\w ]+?\**)\s*\b(\w+)\(([^()]*)\);"):
            self.function(found)
        else:
            return False
        return True

    def parse(self):
        while True:
            self.match(r"\s+")
            if self.at == len(self.text):
                break
            if not self.declaration():
                self.fail(f"not understood: '{self.text[self.at:].splitlines()[0]}'")
        if not self.doc_used:
            self.fail("a comment that nothing follows")
        self.check_handles()
        return self.header


def parse(text):
    """Returns the model of a header. Raises HeaderError for anything that is not understood."""
    return Parser(text).parse()


def parse_file(path):
    return parse(whole_text(path))


if __name__ == "__main__":
    def plain(value):
        return str(value) if isinstance(value, CType) else {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    print(json.dumps(parse_file(sys.argv[1] if len(sys.argv) > 1 else FOLDER / "percale.h"), default=plain, indent=1))
