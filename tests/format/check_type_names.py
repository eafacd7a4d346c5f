"""Checks that no two files of the library define types of one name in one namespace. C++ forbids
it (the one-definition rule), but compilers and linkers do not report it. The linker keeps one of
the two destructors, so the members of one type are destroyed as those of the other.

    python3 check_type_names.py ROOT
"""
import collections
import re
import sys

from library_sources import COMMENT_OR_LITERAL, read_sources

FOLDERS = ("core", "ops", "devices/cpu", "c_api")  # what one library is linked from
NAMESPACE = re.compile(r"namespace\s*([\w:]*)\s*$")
TYPE = re.compile(r"\b(?:class|struct|union|enum(?:\s+class)?)\s+(?:alignas\([^)]*\)\s*)?(?:\[\[\w+\]\]\s*)?(\w+)"
                  r"(?:\s+final)?\s*(?::(?!:).*)?$", re.S)


def types_of(text):
    """Yields the qualified names of the types that a file defines, except those within types,
    functions and anonymous namespaces, and except specialisations of templates."""
    text = COMMENT_OR_LITERAL.sub(" ", text)
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)
    scopes, begin = [], 0  # per open brace: the namespace, or None
    for brace in re.finditer(r"[{}]", text):
        if brace[0] == "}":
            del scopes[-1:]
        else:
            head = re.split(r"[;{}]", text[begin:brace.start()])[-1]
            namespace, kind = NAMESPACE.search(head), TYPE.search(head.strip())
            scopes.append(namespace[1] if namespace else None)
            if kind and all(scopes[:-1]) and not re.search(r"template\s*<\s*>", head):
                yield "::".join([*scopes[:-1], kind[1]])
        begin = brace.end()


def clashes(sources):
    """Returns a message for each type that two files define, and the number of types. `sources`
    maps paths to texts."""
    users = collections.defaultdict(list)
    for path, text in sorted(sources.items()):
        for name in set(types_of(text)):
            users[name].append(path)
    return [f"{name} is defined in {' and '.join(paths)}; rename one of them"
            for name, paths in sorted(users.items()) if len(paths) > 1], len(users)


def main(root):
    found, count = clashes(read_sources(root, FOLDERS, [".h", ".cc"]))
    print("\n".join(found) if found else f"{count} types, each defined in one file")
    return 1 if found or count < 100 else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
