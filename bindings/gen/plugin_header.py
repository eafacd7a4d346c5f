"""Parses c_api/include/percale_plugin.h: tables of functions and data, and the names of percale.h
that they use.

Like percale_header.py, it raises an error for anything that it does not understand.
"""
import dataclasses
import re

import percale_header
from header_model import Constant, CType, Field, Handle, Header, Struct


@dataclasses.dataclass
class Slot:
    """The type of a field or parameter that points to a function. `params` are Fields."""
    returns: CType
    params: list


@dataclasses.dataclass
class PluginHeader(Header):
    """The model of the plug-in header.

    `base` is the model of percale.h. The type of a struct's field is a CType or a Slot.
    """
    base: Header = None

    def kind(self, name):
        try:
            return super().kind(name)
        except KeyError:
            return self.base.kind(name)

    def base_types(self):
        """Returns the names of percale.h that are used here, and those that these use in turn."""
        bases = {entry.name: entry
                 for entry in self.base.handles + self.base.enums + self.base.callbacks + self.base.structs}
        out = set()

        def use(name):
            if name in bases and name not in out:
                out.add(name)
                use_parts(bases[name])

        def use_type(ctype):
            if isinstance(ctype, Slot):
                use_parts(ctype)
            else:
                use(ctype.base)

        def use_parts(entry):
            """Uses the types of a struct's fields, or of a function's parameters and result."""
            for part in getattr(entry, "fields", []) + getattr(entry, "params", []):
                use_type(part.type)
            if hasattr(entry, "returns"):
                use_type(entry.returns)

        for struct in self.structs:
            use_parts(struct)
        for macro in self.base.macros:
            use(macro.type)
        return out


def split(text):
    """Splits text at commas outside of parentheses."""
    parts, depth = [""], 0
    for c in text:
        depth += {"(": 1, ")": -1}.get(c, 0)
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return parts


class PluginParser(percale_header.Parser):
    file = "percale_plugin.h"
    frame = percale_header.FRAME | {"#ifndef PERCALE_PLUGIN_H_", "#define PERCALE_PLUGIN_H_", '#include "percale.h"'}

    def __init__(self, text, base):
        super().__init__(text)
        self.header = PluginHeader(base=base)
        self.types = {entry.name for entry in base.handles + base.enums + base.callbacks + base.structs}

    def handle(self, name):
        """Parses a view or a context, which only the library owns."""
        doc, since = self.take_doc(name)
        if "orrowed" not in doc:
            self.fail(f"the comment of {name} does not say that it is borrowed")
        self.types.add(name)
        self.header.handles.append(Handle(name, "", [], doc, since))

    def check_handles(self):
        pass

    def check_callback(self, callback):
        pass

    def macro(self, found):
        name, value = found.groups()
        self.new_name(name, "PERCALE_")
        if not re.fullmatch(r"\d+", value.strip()):
            self.fail(f"a macro that is not understood: {name} {value}")
        self.header.macros.append(Constant(name, int(value), self.take_doc(name)[0], "uint32_t"))

    def field(self, text, owner):
        """Parses a declaration without its semicolon into a Field.

        Examples: `int32_t kind`, `void (*free)(void* device, void* memory)`.
        """
        function = re.fullmatch(r"\s*([\w ]+?\**)\s*\(\*(\w+)\)\s*\((.*)\)\s*", text, re.S)
        if function:
            returns, name, params = function.groups()
            inner = [] if params.strip() == "void" else [self.field(p, owner) for p in split(params)]
            return Field(name, Slot(self.type_of(returns), inner))
        plain = re.fullmatch(r"\s*(.*?)\b([a-z]\w*)\s*", text, re.S)
        if not plain or not plain.group(1).strip():
            self.fail(f"a field of {owner} that is not understood: '{text.strip()}'")
        ctype = self.type_of(plain.group(1))
        if not ctype.stars and (ctype.base == "void" or self.header.kind(ctype.base) in ("handle", "struct")):
            self.fail(f"{owner}: {plain.group(2)} is {ctype.base} by value")
        return Field(plain.group(2), ctype)

    def struct(self, found):
        """Parses a struct. The comment of a field stands above it or behind it. A /* */ comment
        between fields applies to the fields after it that have no comment.
        """
        name, body, again = found.groups()
        if name != again:
            self.fail(f"struct {name} and type {again}")
        self.new_name(name, "percale_")
        doc, since = self.take_doc(name)
        self.types.add(name)
        fields, doc_of_next, about = [], "", ""
        pattern = re.compile(r"\s*(?:/\*\*(?P<own>.*?)\*/|/\*(?P<shared>.*?)\*/|"
                             r"(?P<field>[^;/]+);(?:[ \t]*/\*\*<(?P<behind>.*?)\*/)?)", re.S)
        rest = body
        while rest.strip():
            entry = pattern.match(rest)
            if not entry or doc_of_next and not entry["field"]:
                self.fail(f"a field of {name} that is not understood: '{rest.strip().splitlines()[0]}'")
            rest = rest[entry.end():]
            if entry["own"]:
                doc_of_next = percale_header.clean(f"/**{entry['own']}*/")[0]
            elif entry["shared"]:
                about = percale_header.clean(f"/**{entry['shared']}*/")[0]
            else:
                field = self.field(entry["field"], name)
                if field.name in [f.name for f in fields]:
                    self.fail(f"{name} has two fields {field.name}")
                behind = percale_header.clean(f"/**{entry['behind'] or ''}*/")[0]
                field.doc, doc_of_next = doc_of_next or behind or about, ""
                fields.append(field)
        if not fields or doc_of_next:
            self.fail(f"{name} ends with a comment, or has no fields")
        self.header.structs.append(Struct(name, fields, doc, since))


def parse(text, base):
    """Returns the model of the plug-in header. `base` is that of percale.h."""
    return PluginParser(text, base).parse()


def parse_file(path, base):
    return parse(percale_header.whole_text(path, without=("percale.h",)), base)
