"""Tests that the check of type names refuses two definitions, and accepts what C++ allows."""
import sys

import check_type_names

CLASS = "namespace percale {\nclass Cell final : public Base {\n int x;\n};\n}\n"
REFUSED = [
    (CLASS, "namespace percale {\nstruct Cell { int y; };\n}\n"),
    (CLASS, "namespace percale {\nenum class Cell : uint8_t { kOne };\n}\n"),
    (CLASS, "namespace percale {\ntemplate <class T>\nclass Cell {};\n}\n"),
]
ACCEPTED = [
    (CLASS, "namespace percale {\nnamespace {\nstruct Cell { int y; };\n}\n}\n"),
    (CLASS, "namespace percale::draw {\nstruct Cell { int y; };\n}\n"),
    (CLASS, "namespace percale {\nclass Table {\n struct Cell { int y; };\n};\n}\n"),
    (CLASS, "namespace percale {\nclass Cell;\nvoid f() { struct Cell { int y; }; }\n}\n"),
    (CLASS, "// namespace percale { class Cell {}; }\n"),
    ("namespace percale {\ntemplate <>\nstruct Name<int> {};\n}\n", "namespace percale {\ntemplate <>\nstruct Name<float> {};\n}\n"),
]

failed = 0
for must_refuse, cases in ((True, REFUSED), (False, ACCEPTED)):
    for first, second in cases:
        found, _ = check_type_names.clashes({"a.h": first, "b.h": second})
        if bool(found) != must_refuse:
            print(f"{second}: found {found}")
            failed = 1
sys.exit(failed)
