"""Checks the layers of the code. Reads every include of the project. Fails on an include of a
higher layer, of another folder in the same layer, or out of a plug-in or front end, and on circular
includes."""
import os
import re
import sys

# The layers, lowest first. Folders on one row do not include each other. A file belongs to the
# longest folder that holds it.
LAYERS = [
    ["c_api/include"],
    ["core/system"],
    ["core/base"],
    ["core/file", "core/maths", "core/text"],
    ["core/tensor"],
    ["core/registry"],
    ["core/graph"],
    ["core/graph/emit"],
    ["core/pch", "core/graph_io"],
    ["core/autodiff", "core/draw/picture", "core/passes/edit"],
    ["core/draw/layout", "core/passes/simplify"],
    ["core/draw", "core/passes/recognize", "core/passes/device"],
    ["core/passes"],
    ["core/placement"],
    ["core/state"],
    ["core/plan"],
    ["core/engine/cluster"],
    ["core/engine"],
    ["core/compile"],
    ["core/compile/report", "core/session/context"],
    ["core/session/bound"],
    ["core/session/executor"],
    ["core/session"],
    ["core/checkpoint", "core/serve"],
    ["core/train/layers", "core/train/report", "core/train/shards"],
    ["core/train/method"],
    ["core/train/data", "core/train/parallel"],
    ["core/train/group", "core/train/rewrite"],
    ["core/train/parameters"],
    ["core/train/parameters/group"],
    ["core/train/step"],
    ["core/train/epoch"],
    ["core/train/loop"],
    ["core/train"],
    ["devices/cpu/simd/common"],
    ["devices/cpu/simd/product"],
    ["devices/cpu/simd/conv"],
    ["devices/cpu/simd"],
    ["devices/cpu"],
    ["ops/support"],
    ["ops/attention", "ops/control", "ops/conv", "ops/elementwise", "ops/indexing", "ops/loss", "ops/matmul", "ops/norm",
     "ops/optimizer", "ops/pool", "ops/random", "ops/recurrent", "ops/reduce", "ops/shape", "ops/signal", "ops/upgrade",
     "ops/vision"],
    ["ops/fused", "ops/quantize"],
    ["ops"],
    ["c_api"],
    ["c_api/options", "c_api/plugin"],
    ["c_api/graph"],
    ["c_api/host"],
    ["c_api/run"],
    ["c_api/train"],
]
# The layers within plug-ins and front ends. Their only other includes are the public headers.
INNER_LAYERS = {
    "devices/cuda": [
        ["devices/cuda/kernels/common"],
        ["devices/cuda/kernels"],
        ["devices/cuda/driver"],
        ["devices/cuda/stream"],
        ["devices/cuda/launch"],
        ["devices/cuda/vendor", "devices/cuda/elementwise"],
        ["devices/cuda/products", "devices/cuda/rows", "devices/cuda/moves"],
        ["devices/cuda"],
    ],
    "devices/onednn": [
        ["devices/onednn/support"],
        ["devices/onednn/primitives"],
        ["devices/onednn/own_kernels"],
        ["devices/onednn"],
    ],
    "devices/remote": [
        ["devices/remote/schema", "devices/remote/net"],
        ["devices/remote/bulk"],
        ["devices/remote/frame", "devices/remote/group"],
        ["devices/remote/device", "devices/remote/serve"],
        ["devices/remote"],
        ["devices/remote/worker"],
    ],
    "bindings/onnx": [
        ["bindings/onnx"],  # host.h, which the three folders share, and plugin.cc
        ["bindings/onnx/proto"],
        ["bindings/onnx/export"],
        ["bindings/onnx/import"],
    ],
}
HEIGHT = {folder: height for height, row in enumerate(LAYERS) for folder in row}
INNER_HEIGHT = {folder: height for rows in INNER_LAYERS.values() for height, row in enumerate(rows) for folder in row}
# Folders that may include only some of the lower layers.
MAY_SEE = {
    "devices/cpu": ("core/system", "core/base", "core/tensor", "core/registry", "devices/cpu"),
    "ops": ("core/base", "core/maths", "core/text", "core/tensor", "core/registry", "core/graph", "devices/cpu", "ops"),
    "c_api/include": ("c_api/include",),
}
SOURCE = (".h", ".hpp", ".c", ".cc", ".cpp", ".cu", ".cuh", ".inc")
PUBLIC_HEADERS = ("percale.h", "percale_plugin.h")
PUBLIC_FOLDER = "c_api/include"
# The kit for plug-ins in C++, which stands on percale_plugin.h alone.
PLUGIN_KIT = "bindings/cpp/percale_plugin.hpp"
# Programs beside a plug-in: front ends, which call the library.
PROGRAMS = ("devices/remote/worker",)
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<((?:percale|percale_plugin)\.h)>)', re.M)


def in_folder(path, folder):
    return path == folder or path.startswith(folder + "/")


def longest(path, folders):
    """Returns the longest of `folders` that holds the file, or None."""
    return max((folder for folder in folders if in_folder(path, folder)), key=len, default=None)


def module_of(path):
    """Returns the front end or plug-in that the file belongs to, or None."""
    parts = path.split("/")
    if parts[0] == "samples":
        return "samples"
    if parts[0] == "bindings" or parts[0] == "devices" and not in_folder(path, "devices/cpu"):
        return "/".join(parts[:2])
    return None


def resolve(name, includer, files):
    """Resolves `name` to a file of the project: from the root, beside the includer, or a public
    header. Returns None for other files."""
    beside = os.path.normpath(os.path.join(os.path.dirname(includer), name)).replace(os.sep, "/")
    if name in PUBLIC_HEADERS:
        return PUBLIC_FOLDER + "/" + name
    if name in files or longest(name, HEIGHT.keys() | INNER_HEIGHT.keys()) is not None:
        return name  # a generated header has no file, but its path names its folder
    return beside if beside in files else None


def refusal_outside(module, includer, included):
    """Does the same as refusal() for a file of a front end or plug-in."""
    is_front_end = not module.startswith("devices/") or longest(includer, PROGRAMS) is not None
    if included in (PUBLIC_FOLDER + "/percale_plugin.h", PLUGIN_KIT) or is_front_end and included == PUBLIC_FOLDER + "/percale.h":
        return None
    if module.startswith("devices/") and not in_folder(included, module):
        return "a plug-in sees percale_plugin.h and its kit alone"
    if not in_folder(included, module):
        return "a front end sees the public headers alone"
    source, target = longest(includer, INNER_HEIGHT), longest(included, INNER_HEIGHT)
    if source == target or module == "bindings/onnx" and source == module:
        return None
    if INNER_HEIGHT[target] > INNER_HEIGHT[source]:
        return f"the arrow runs up from {source} to {target}"
    return f"{source} and {target} are on one layer" if INNER_HEIGHT[target] == INNER_HEIGHT[source] else None


def refusal(includer, included):
    """Returns the reason why `includer` must not include `included`, or None if it may."""
    module = module_of(includer)
    if module is not None:
        return refusal_outside(module, includer, included)
    source, target = longest(includer, HEIGHT), longest(included, HEIGHT)
    if source is None:
        return f"{os.path.dirname(includer)} has no layer"
    if target is None:
        return "the library includes nothing from outside its layers"
    if source == target:
        return None
    for folder, seen in MAY_SEE.items():
        if in_folder(source, folder) and not (target == PUBLIC_FOLDER or any(in_folder(target, f) for f in seen)):
            return f"{folder} does not see {target}"
    if HEIGHT[target] > HEIGHT[source]:
        return f"the arrow runs up from {source} to {target}"
    return f"{source} and {target} are on one layer" if HEIGHT[target] == HEIGHT[source] else None


def includes(root):
    """Yields every include within the project, as (includer, line, included)."""
    files = set()
    for top in ("core", "devices", "ops", "c_api", "bindings", "samples"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                if name.endswith(SOURCE):
                    files.add(os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/"))
    for path in sorted(files):
        with open(os.path.join(root, path), encoding="utf-8") as handle:
            text = handle.read()
        for match in INCLUDE.finditer(text):
            included = resolve(match.group(1) or match.group(2), path, files)
            if included is not None:
                line = text.count("\n", 0, match.start(1) if match.group(1) else match.start(2)) + 1
                yield path, line, included


def violations(root):
    """Returns all refused includes below `root`, as lines `file:line: reason`, and the number of
    includes read."""
    found, read, arrows = [], 0, {}
    for path, line, included in includes(root):
        read += 1
        arrows.setdefault(path, []).append(included)
        reason = refusal(path, included)
        if reason:
            found.append(f"{path}:{line}: includes {included}: {reason}")
    return found + circles(arrows), read


def circles(arrows):
    """Returns one line for each circle of files that include each other."""
    done, found = set(), []

    def walk(start):
        trail, on_trail, stack = [], set(), [(start, iter(arrows.get(start, ())))]
        trail.append(start)
        on_trail.add(start)
        while stack:
            path, targets = stack[-1]
            target = next(targets, None)
            if target is None:
                stack.pop()
                trail.pop()
                on_trail.discard(path)
                done.add(path)
            elif target in on_trail:
                found.append("circle: " + " -> ".join(trail[trail.index(target):] + [target]))
            elif target not in done:
                trail.append(target)
                on_trail.add(target)
                stack.append((target, iter(arrows.get(target, ()))))

    for path in sorted(arrows):
        if path not in done:
            walk(path)
    return found


def main(root):
    found, read = violations(root)
    print("\n".join(found) if found else f"{read} includes point down the layers")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
