"""Tests that the check of layers refuses what it must and accepts what it may. A check that accepts
everything would pass otherwise."""
import os
import sys
import tempfile

import check_floors

ACCEPTED = [
    ("core/graph/graph.h", "core/base/status.h"),
    ("core/base/a.cc", "core/base/status.h"),
    ("core/base/status.h", "percale.h"),
    ("core/passes/recognize/a.cc", "core/passes/simplify/simplify.h"),
    ("ops/matmul/matmul.cc", "devices/cpu/simd/simd.h"),
    ("ops/fused/fused.cc", "ops/conv/conv_kernels.h"),
    ("c_api/engine.cc", "ops/all_ops.h"),
    ("bindings/cli/main.cc", "percale.h"),
    ("bindings/cli/main.cc", "train.h"),
    ("bindings/onnx/import/importer.cc", "bindings/onnx/export/exporter.h"),
    ("devices/null/null.c", "percale_plugin.h"),
    ("devices/cuda/rows/norm.cc", "devices/cuda/launch/kernel.h"),
    ("core/graph_io/reader.cc", "core/graph_io/schema/graph_generated.h"),
]
REFUSED = [
    ("core/base/status.h", "core/tensor/shape.h"),
    ("core/autodiff/a.cc", "core/passes/edit/edit.h"),
    ("core/passes/edit/a.cc", "core/passes/passes.h"),
    ("core/registry/op.h", "core/graph/graph.h"),
    ("devices/cpu/cpu.cc", "ops/all_ops.h"),
    ("devices/cpu/cpu.cc", "core/graph/graph.h"),
    ("ops/matmul/matmul.cc", "core/session/executor/executor.h"),
    ("ops/matmul/matmul.cc", "ops/conv/conv_kernels.h"),
    ("ops/support/a.cc", "ops/matmul/matmul_kernels.h"),
    ("core/train/trainer.cc", "ops/all_ops.h"),
    ("core/train/shards/averaging.cc", "core/train/trainer.h"),
    ("core/train/data/dataset.cc", "core/train/rewrite/minimize.h"),
    ("bindings/cli/main.cc", "core/base/status.h"),
    ("bindings/onnx/export/exporter.cc", "bindings/onnx/import/importer.h"),
    ("devices/null/null.c", "core/base/status.h"),
    ("devices/null/null.c", "percale.h"),
    ("devices/cuda/stream/device.h", "devices/cuda/rows/norm.h"),
    ("devices/cuda/rows/norm.cc", "devices/cuda/moves/sort.h"),
    ("core/odd/a.h", "core/base/status.h"),
]


def check(pair, must_refuse):
    with tempfile.TemporaryDirectory() as root:
        for path, text in [("bindings/cli/train.h", ""), (pair[0], f'#include "{pair[1]}"\n')]:
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as out:
                out.write(text)
        found, read = check_floors.violations(root)
    if read != 1 or bool(found) != must_refuse:
        print(f"{pair[0]} -> {pair[1]}: read {read}, found {found}")
        return 1
    return 0


def circle():
    found = check_floors.circles({"a": ["b"], "b": ["c"], "c": ["a"], "d": ["a"]})
    return 0 if len(found) == 1 else 1


failed = sum(check(pair, False) for pair in ACCEPTED) + sum(check(pair, True) for pair in REFUSED) + circle()
sys.exit(1 if failed else 0)
