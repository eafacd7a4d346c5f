"""Reads every include of the project and fails on one that points up, sideways to a floor-mate, or out of its room."""
import os
import re
import sys

# Lowest first; rooms on one row do not include each other.
FLOORS = [
    ["c_api/percale.h", "c_api/percale_plugin.h"],
    ["core/base"],
    ["core/tensor"],
    ["core/registry"],
    ["core/graph"],
    ["core/pch"],
    ["core/autodiff", "core/draw", "core/passes"],
    ["core/placement"],
    ["core/state"],
    ["core/plan"],
    ["core/run"],
    ["core/checkpoint"],
    ["core/train/layers", "core/train/report", "core/train/shards"],
    ["core/train/method"],
    ["core/train/data", "core/train/rewrite"],
    ["core/train"],
    ["devices/cpu"],
    ["ops"],
    ["c_api"],
]
HEIGHT = {room: height for height, row in enumerate(FLOORS) for room in row}
PUBLIC = set(FLOORS[0])
# Rooms that see less than everything below them. Front ends and plug-ins see the public headers alone.
MAY_SEE = {
    "devices/cpu": {"core/base", "core/tensor", "core/registry"},
    "ops": {"core/base", "core/tensor", "core/registry", "core/graph", "devices/cpu"},
    "c_api/percale.h": set(),
    "c_api/percale_plugin.h": {"c_api/percale.h"},
}
SOURCE = (".h", ".hpp", ".c", ".cc", ".cpp", ".cu", ".cuh", ".inc")
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<((?:percale|percale_plugin)\.h)>)', re.M)


def room_of(path):
    """The room that a file (path from the root) lives in, or None outside the floors."""
    parts = path.split("/")
    if path in PUBLIC:
        return path
    if parts[0] in ("core", "devices", "bindings"):
        deep = "/".join(parts[:3])  # a room may have rooms of its own
        return deep if deep in HEIGHT else "/".join(parts[:2])
    return parts[0] if parts[0] in ("ops", "c_api", "samples") else None


def resolve(name, includer, files):
    """The project's file that `name` means: from the root, beside the includer, or a public header; None if foreign."""
    beside = os.path.normpath(os.path.join(os.path.dirname(includer), name)).replace(os.sep, "/")
    if name in ("percale.h", "percale_plugin.h"):
        return "c_api/" + name
    if name in files or room_of(name) is not None:
        return name  # a generated header has no file, but its path names its room
    return beside if beside in files else None


def refusal(includer, included):
    """Why `includer` must not include `included`, or None if it may."""
    source, target = room_of(includer), room_of(included)
    if source is None or source == target and source not in PUBLIC:
        return None
    if source.startswith(("bindings/", "samples")) or source.startswith("devices/") and source != "devices/cpu":
        if source.startswith("devices/") and included != "c_api/percale_plugin.h":
            return "a plug-in sees percale_plugin.h alone"
        return None if included in PUBLIC else "a front end sees the public headers alone"
    if target is None:
        return "the library includes nothing from outside the floors"
    if source in MAY_SEE:
        return None if target in MAY_SEE[source] or target in PUBLIC and source not in PUBLIC else \
            f"{source} does not see {target}"
    if source not in HEIGHT:
        return f"{source} has no floor"
    if target not in HEIGHT or HEIGHT[target] > HEIGHT[source]:
        return f"the arrow runs up from {source} to {target}"
    return "floor-mates do not include each other" if HEIGHT[target] == HEIGHT[source] else None


def violations(root):
    """All refused includes below `root`, as lines `file:line: reason`, and the number of includes read."""
    files = set()
    for top in ("core", "devices", "ops", "c_api", "bindings", "samples"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                if name.endswith(SOURCE):
                    files.add(os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/"))
    found, read, arrows = [], 0, {}
    for path in sorted(files):
        with open(os.path.join(root, path), encoding="utf-8") as handle:
            text = handle.read()
        for match in INCLUDE.finditer(text):
            included = resolve(match.group(1) or match.group(2), path, files)
            if included is None:
                continue
            read += 1
            arrows.setdefault(path, []).append(included)
            reason = refusal(path, included)
            if reason:
                line = text.count("\n", 0, match.start(1) if match.group(1) else match.start(2)) + 1
                found.append(f"{path}:{line}: includes {included}: {reason}")
    return found + circles(arrows), read


def circles(arrows):
    """One line for each circle of files that include each other."""
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
    print("\n".join(found) if found else f"{read} includes keep to the floors")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
