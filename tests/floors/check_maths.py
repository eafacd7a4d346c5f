"""Checks that the library calls exp, log, pow and the like only through maths::Functions, which the
engine's numerics choose: those of C libraries differ in last bits, and those of core/maths/maths.h
are slower. Drawings may use any."""
import os
import re
import sys

FOLDERS = ("core", "devices/cpu", "ops")
ALLOWED = ("core/maths/", "core/draw/", "core/train/report/")
FUNCTIONS = "a?(?:cos|sin|tan)h?|atan2|cbrt|erfc?|exp2?|expm1|fma|hypot|[lt]gamma|log(?:2|10|1p)?|pow"
CALL = re.compile(rf"\bstd::(?:{FUNCTIONS})\b|(?<!\w)::(?:{FUNCTIONS})f?\b|(?<![\w:.>])(?:{FUNCTIONS})f\(|"
                  r"\bcore/maths/maths\.h\b")


def violations(path, text):
    """Returns a line per use of such a function."""
    if path.startswith(ALLOWED):
        return []
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        for use in CALL.findall(line.split("//")[0]):
            found.append(f"{path}:{number}: {use.rstrip('(')} has one kind of numerics; use maths::Functions")
    return found


def main(root):
    found, files = [], 0
    for folder in FOLDERS:
        for place, _, names in os.walk(os.path.join(root, folder)):
            for name in sorted(names):
                if not name.endswith((".h", ".cc")):
                    continue
                path = os.path.relpath(os.path.join(place, name), root).replace(os.sep, "/")
                with open(os.path.join(root, path), encoding="utf-8") as file:
                    found += violations(path, file.read())
                files += 1
    print("\n".join(found) if found else f"{files} files call elementary functions through maths::Functions")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
