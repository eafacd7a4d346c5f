"""Checks that names keep apart where sources are compiled together: check_local_names.py ROOT

core/unity joins neighbouring sources of a folder to one translation unit, and Meson those of a
program or plug-in. A name in an anonymous namespace, a static function and a macro are then visible
in the sources behind them. So two sources that may be joined must not give the same name to
different things: the compiler would refuse the second definition, or choose between two overloads
that no author saw together.
"""
import collections
import os
import re
import sys

from library_sources import COMMENT_OR_LITERAL, read_sources

LIBRARY = ("core", "c_api")  # core/unity joins the sources of each folder below these
# Meson joins all sources below each of these.
TARGETS = ("bindings/cli", "bindings/onnx", "devices/remote/worker")
MACRO = re.compile(r"#\s*define (\w+)")
TYPE = re.compile(r"(?:struct|class|enum class|enum|union) (?:alignas\(\w+\) )?(\w+)(?! \w+\()|using (\w+) =")
FUNCTION = re.compile(r"[\w:<>,&*\s\[\]]*?[\s&*>](\w+)\(")
VARIABLES = re.compile(r"(?<!=)[\s&*]([A-Za-z]\w*(?<!_t))(?:\[[^\]]*\])*\s*(?==[^=]|\{|;|,\s*k[A-Z])")


def statements(text):
    """Yields the declarations at the top level of the file's anonymous namespaces, and its static
    functions and macros, without what is between their braces."""
    local, depth, statement = False, 0, ""
    for line in COMMENT_OR_LITERAL.sub(lambda m: " " if m.group().startswith("/") else '""', text).splitlines():
        if line.startswith("#"):
            yield line
        elif line.startswith("namespace {"):
            local = True
        elif local and depth == 0 and line.startswith("}"):
            local, statement = False, ""
        elif local or depth > 0 or line.startswith("static "):
            for piece in re.findall(r"[{}]|[^{}]+", line + "\n"):
                depth += {"{": 1, "}": -1}.get(piece, 0)
                if depth == 0 and piece not in "{}":
                    statement += piece
                elif depth == 1 and piece == "{":
                    statement += "{}"
            if depth == 0 and re.search(r"[;}]\s*$", line):
                yield statement.strip()
                statement = ""


def names_of(statement):
    """Returns the names that one declaration introduces."""
    statement = re.sub(r"^(?:\}|;|\s|template\s*<[^{}]*?>\s*(?=[\w\[]))+", "", statement)
    macro = MACRO.match(statement)
    if macro:
        return {macro.group(1)}
    if statement.startswith(("#", "static_assert", "using namespace", "friend", "extern")):
        return set()
    kind = TYPE.match(statement)
    if kind:
        return {kind.group(1) or kind.group(2)}
    function = FUNCTION.match(statement)
    if function and "=" not in function.group() and not re.search(r"::\s*$", statement[:function.start(1)]):
        return {function.group(1)}
    return set(VARIABLES.findall(statement))


def local_names(text):
    """Returns all names that are local to a source."""
    names = set()
    for statement in statements(text):
        names |= names_of(statement)
    return names


def clashes(sources):
    """Returns a message for each local name that two files have which may be joined. `sources` maps
    paths to texts."""
    users = collections.defaultdict(list)
    for path, text in sorted(sources.items()):
        room = next((t for t in TARGETS if path.startswith(t + "/")), os.path.dirname(path))
        for name in local_names(text):
            users[room, name].append(os.path.relpath(path, room))
    return [f"{folder}: '{name}' is a local name in {' and '.join(files)}; rename one of them"
            for (folder, name), files in sorted(users.items()) if len(files) > 1]


def main(root):
    sources = read_sources(root, LIBRARY + TARGETS, [".cc"])
    found = clashes(sources)
    print("\n".join(found) if found else f"{sum(len(local_names(t)) for t in sources.values())} local names keep apart")
    return 1 if found else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
