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

from header_model import SCALARS, Callback, Constant, CType, Enum, Field, Function, Handle, Header, Param, Struct
from param_roles import set_roles

# The folder of the public headers.
FOLDER = pathlib.Path(__file__).resolve().parents[2] / "c_api" / "include"

THREAD_WORDS = ("thread-safe", "thread-compatible", "thread-bound")

# Structs that never get further fields, because functions take arrays of them.
FIXED_STRUCTS = {"percale_bytes"}

# Functions that return a new handle, because they cannot fail.
MAKERS = {"percale_status_create"}

# Lines of the preprocessor that do not describe the API.
FRAME = {
    "#ifndef PERCALE_H_", "#define PERCALE_H_", "#include <stddef.h>", "#include <stdint.h>",
    "#if defined(_WIN32)", "#define PERCALE_API", '#define PERCALE_API __attribute__((visibility("default")))',
    "#else", "#endif", "#if defined(__GNUC__) || defined(__clang__)",
    "#define PERCALE_NODISCARD __attribute__((warn_unused_result))", "#define PERCALE_NODISCARD",
    "#ifdef __cplusplus", 'extern "C" {', "}",
}


class HeaderError(Exception):
    """The header contains something that this parser does not understand."""


# The frame of a header that another one includes: its comment, its guard, its linkage.
INNER_FRAME = re.compile(r"/\*\*\s*\n \* @file.*?\*/|#ifndef \w+_H_\n#define \w+_H_|#endif /\* \w+_H_ \*/"
                         r"|#ifdef __cplusplus\n(?:extern \"C\" \{|\})\n#endif", re.S)


def whole_text(path, without=()):
    """Returns the text of a header in which the headers that it includes from its folder are
    expanded, each once. Headers whose names are in `without` are not expanded, nor are the headers
    that they include.
    """
    path = pathlib.Path(path).resolve()
    seen = {path}

    def read(file, inner):
        text = file.read_text(encoding="utf-8")
        if inner:
            text = INNER_FRAME.sub("", text)

        def included(found):
            other = (file.parent / found.group(1)).resolve()
            left_out = other.name in without
            instead = found.group(0) if left_out and not inner else ""
            if other in seen:
                return instead
            seen.add(other)
            text = read(other, True)
            return instead if left_out else text
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
    """Reads a whole header. Each declaration takes the comment above it."""
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

    def take_doc(self, name):
        """Returns (doc, since) of the comment directly above."""
        if self.doc_used:
            self.fail(f"{name} has no comment of its own")
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

    def handle_of(self, name):
        """Returns the handle that a function belongs to: the longest whose name it begins with."""
        fits = [h.name for h in self.header.handles if name.startswith(h.name + "_")]
        return max(fits, key=len) if fits else ""

    def function(self, found):
        nodiscard, returns_text, name, params_text = found.groups()
        self.new_name(name, "percale_")
        doc, since = self.take_doc(name)
        returns = self.type_of(returns_text)
        returns_new = name in MAKERS
        fails = str(returns) == "percale_status*" and not returns_new and not name.endswith("_retain")
        if (fails or returns_new) != bool(nodiscard):
            self.fail(f"{name}: PERCALE_NODISCARD goes with percale_status* alone")
        handle = self.handle_of(name)
        is_handle = not fails and returns.depth == 1 and self.header.kind(returns.base) == "handle"
        if is_handle and not returns_new and not name.endswith("_retain"):
            self.fail(f"{name}: a handle is handed out by an out or a retain")
        if returns.depth > 1:
            self.fail(f"{name}: returns {returns}")
        out = Function(name, returns, self.params(params_text, name), doc, since, self.section, handle, fails, is_handle,
                       bool(returns.stars) and not fails and not is_handle, self.line)
        set_roles(out, self.header, self.fail)
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
        # The comment of a field stands above it or behind it.
        pattern = re.compile(r"\s*(?:/\*\*(?!<)(.*?)\*/)?\s*([^;/]+);(?:[ \t]*/\*\*<(.*?)\*/)?", re.S)
        while rest.strip():
            entry = pattern.match(rest)
            if not entry:
                self.fail(f"a field of {name} that is not understood: '{rest.strip().splitlines()[0]}'")
            above, declaration, behind = entry.groups()
            first, *more = declaration.split(",")
            parts = re.fullmatch(r"\s*(.*?)(\w+)\s*", first, re.S)
            ctype = self.type_of(parts.group(1))
            if more and ctype.stars:
                self.fail(f"{name}: one pointer per declaration")
            text = clean(f"/**{above or behind or ''}*/")[0]
            for field in [parts.group(2)] + [m.strip() for m in more]:
                if not re.fullmatch(r"[a-z]\w*", field):
                    self.fail(f"{name}: '{field}' is no name of a field")
                fields.append(Field(field, ctype, text))
            rest = rest[entry.end():]
        if name not in FIXED_STRUCTS and (not fields or fields[0].name != "struct_size"):
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
                if self.doc_used:
                    self.fail(f"{name} has no comment of its own")
                self.doc_used = True
                self.header.macros.append(Constant(name, int(number.group(1)), self.doc, ctype))
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
