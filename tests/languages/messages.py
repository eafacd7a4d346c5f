"""Checks that no message of the library names a function of C, because every language shows the
library's messages: messages.py SOURCE

Reads the string literals of the sources. A literal that is the name of a function and nothing else
is allowed: a message that begins with it is translated (c_api/api.h).
"""
import os
import re
import sys

FOLDERS = ("core", "ops", "c_api", "devices", os.path.join("bindings", "onnx"))
ENDINGS = (".cc", ".h", ".c", ".cu", ".inc")
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^()\\ ]{0,16})\((?P<raw>.*?)\)(?P=mark)"|"(?P<text>(?:[^"\\\n]|\\.)*)"|'
                   r"'(?:[^'\\\n]|\\.)+'", re.S)


def functions_of(source):
    """The exported functions."""
    with open(os.path.join(source, "c_api", "symbols.txt"), encoding="utf-8") as lines:
        return {line.split()[0] for line in lines if line.strip() and not line.startswith("#")}


def found_in(text, functions):
    """(line, function) for each literal with a function's name in it."""
    for token in TOKEN.finditer(text):
        literal = token["raw"] or token["text"] or ""
        for name in re.findall(r"\bpercale_\w+", literal):
            if name in functions and literal != name:
                yield text.count("\n", 0, token.start()) + 1, name


def main(source):
    functions, wrong, count = functions_of(source), [], 0
    for folder in FOLDERS:
        for path, _, names in os.walk(os.path.join(source, folder)):
            for name in sorted(names):
                if not name.endswith(ENDINGS):
                    continue
                count += 1
                place = os.path.join(path, name)
                with open(place, encoding="utf-8") as file:
                    wrong += [f"{os.path.relpath(place, source)}:{line}: a message names {function}()"
                              for line, function in found_in(file.read(), functions)]
    print("\n".join(wrong) if wrong else f"no message in {count} files names one of {len(functions)} functions of C")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
