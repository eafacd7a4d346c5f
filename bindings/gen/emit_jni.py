"""Writes the tables of the JNI layer: the functions of each class of native methods, and callbacks.

The types in the tables are those of percale.h, so a C++ compiler checks them, and the virtual
machine compares them with the native methods that emit_java.py writes.
"""
import emit_java

FOLDER = "bindings/java/src/main/jni/"
HEAD = """// Written by bindings/gen from c_api/include/percale.h; changes belong there.
#include "%s.h"
#include "tables.h"

namespace percale::jni {
"""


def functions(header):
    out, tables = HEAD % "natives", []
    for name, members in emit_java.by_handle(header).items():
        tables.append(f'  if (name == "{name}") return k{name};\n')
        entries = "".join(f'    native<"{f.name}", decltype(&{f.name})>(),\n' for f in members)
        out += f"\nstatic const JNINativeMethod k{name}[] = {{\n{entries}}};\n"
    out += "\nstd::span<const JNINativeMethod> methods_of(std::string_view name) {\n" + "".join(tables) + "  return {};\n}\n"
    return FOLDER + "functions.cc", out + "\n}  // namespace percale::jni\n"


def callbacks(header):
    entries = "".join(f"    callback<{i}, {callback.name}>(\"{callback.name}\"),\n" for i, callback in enumerate(header.callbacks))
    out = HEAD % "callbacks" + f"\nstatic const Callback kCallbacks[] = {{\n{entries}}};\n"
    out += "\nstd::span<const Callback> callbacks() { return kCallbacks; }\n"
    return FOLDER + "callback_table.cc", out + "\n}  // namespace percale::jni\n"


def raw(header):
    return dict([functions(header), callbacks(header)])
