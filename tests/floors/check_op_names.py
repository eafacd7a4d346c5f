"""Checks that core compares no names of ops. An op is one place, in ops/: core reads the traits of
its schema (core/registry/op_traits.h), so that an op of a plug-in is never taken for one of ours.
Names may be emitted: code that builds a graph names the ops of its nodes as a front end does."""
import os
import re
import sys

# These passes recognise patterns of nodes, and name the ops of the patterns.
PATTERNS = ("core/passes/recognize/", "core/passes/simplify/algebra.cc")
# These folders build graphs. They hold tables from words of users to ops, and layers that are named
# as ops are.
BUILDERS = ("core/train/layers/", "core/train/method/")
# Calls whose arguments name ops to emit or to look up.
EMITTERS = ("emit", "emit_many", "add_node", "become", "require_op", "find_op")

STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
COMPARED = re.compile(r"[=!]=\s*$")


def op_names(readme):
    """Returns the names in the table of ops/README.md, which a test compares with the registry."""
    return set(re.findall(r"^\| (?:percale:)?([A-Z]\w*) \| \d", readme, re.M))


def without_comments(text):
    """Blanks out comments. Positions of the rest stay the same."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', re.S)
    return token.sub(lambda m: m[0] if m[0][0] == '"' else re.sub(r"[^\n]", " ", m[0]), text)


def calls_around(code, position):
    """Returns the names of the calls whose argument lists hold the position, innermost first."""
    depth, names = 0, []
    text = STRING.sub(lambda m: " " * len(m[0]), code[:position])
    for i in range(len(text) - 1, -1, -1):
        if text[i] in ")}":
            depth += 1
        elif text[i] in "({":
            if depth:
                depth -= 1
            elif text[i] == "(":
                names.append(re.search(r"(\w*)\s*$", text[:i])[1])
        elif text[i] == ";" and depth == 0:
            break
    return names


def violations(path, text, names):
    """Returns a line per name of an op that the file compares, or holds for another use than
    emitting it."""
    if path.startswith(PATTERNS):
        return []
    code, found = without_comments(text), []
    for literal in STRING.finditer(code):
        if literal[1].removeprefix("percale:") not in names:
            continue
        behind = code[literal.end():].lstrip()
        compared = COMPARED.search(code[:literal.start()]) or behind.startswith(("==", "!="))
        emitted = any(name in EMITTERS for name in calls_around(code, literal.start()))
        if compared or not (emitted or path.startswith(BUILDERS)):
            line = code.count("\n", 0, literal.start()) + 1
            found.append(f"{path}:{line}: names the op {literal[1]}; read its traits instead "
                         "(core/registry/op_traits.h)")
    return found


def main(root):
    with open(os.path.join(root, "ops/README.md"), encoding="utf-8") as file:
        names = op_names(file.read())
    found, read = [], 0
    for folder, _, files in os.walk(os.path.join(root, "core")):
        for name in files:
            if not name.endswith((".cc", ".h")):
                continue
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as file:
                found += violations(os.path.relpath(path, root), file.read(), names)
            read += 1
    print("\n".join(sorted(found)) if found else f"{read} files compare none of {len(names)} op names")
    return 1 if found or not names else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
