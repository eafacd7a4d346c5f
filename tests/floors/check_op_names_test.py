"""Tests that the check of op names refuses comparisons, and accepts names that are emitted."""
import sys

import check_op_names

NAMES = {"Conv", "Max", "ReadVariable"}
ACCEPTED = [
    ("core/a.cc", 'e.emit("Max", {x, y});'),
    ("core/a.cc", 'registry.require_op("percale", "ReadVariable");'),
    ("core/a.cc", '// if (op == "Conv")'),
    ("core/a.cc", 'if (op == "Convolve") return;'),
    ("core/a.cc", 'node.op->is(Role::kConv)'),
    ("core/train/method/a.cc", 'return {"percale:Max", {}};'),
    ("core/passes/recognize/a.cc", 'if (op == "Conv") return;'),
]
REFUSED = [
    ("core/a.cc", 'if (node.op->name == "ReadVariable") return;'),
    ("core/a.cc", 'if ("Conv" != op) return;'),
    ("core/a.cc", 'if (op_name(*node.op) == "percale:Conv") return;'),
    ("core/a.cc", 'if (is_onnx(node, "Conv")) return;'),
    ("core/a.cc", 'constexpr std::string_view kProducts[] = {"Conv"};'),
    ("core/a.cc", 'e.emit(x); if (is(node, "Conv")) return;'),
    ("core/train/method/a.cc", 'if (op == "Max") return;'),
]

failed = 0
for must_refuse, cases in ((False, ACCEPTED), (True, REFUSED)):
    for path, text in cases:
        found = check_op_names.violations(path, text, NAMES)
        if bool(found) != must_refuse:
            print(f"{path}: {text}: found {found}")
            failed = 1
if check_op_names.op_names("| percale:Assign | 1 | a |\n| Conv | 22 | X |\n| op | since |\n") != {"Assign", "Conv"}:
    failed = 1
sys.exit(failed)
