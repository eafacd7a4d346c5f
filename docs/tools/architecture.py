"""Draws the architecture from the includes of the code: architecture.py ROOT > architecture.svg

The picture stacks the modules of the library by layers. A line on the right joins a module with each one that it includes
directly, and leaves out those that it also reaches through others. tests/docs compares the committed picture with a new one.
"""
import html
import os
import sys

WIDTH, ROW, GAP, LEFT, TOP = 640, 34, 8, 16, 56
COLUMN = 330  # width of the stack
GROUPS = [
    ("The C ABI", "#7b3fa0", lambda name: name in ("c_api", "public headers")),
    ("Kernels", "#1f7a4d", lambda name: name in ("ops", "devices/cpu")),
    ("Training", "#b3541e", lambda name: name in ("core/train", "core/checkpoint")),
    ("Runs", "#1d5fa8", lambda name: name in ("core/engine", "core/compile", "core/session", "core/run", "core/plan",
                                                "core/placement", "core/state")),
    ("Graphs", "#0f7c86", lambda name: name in ("core/graph", "core/graph_io", "core/passes", "core/autodiff",
                                                  "core/draw")),
    ("Foundations", "#5b6470", lambda name: True),
]


def module(path):
    """The module of a file: two levels below core and devices, else the top folder."""
    parts = path.split("/")
    if path.startswith("c_api/include/"):
        return "public headers"
    return "/".join(parts[:2]) if parts[0] in ("core", "devices", "bindings") else parts[0]


def read(root):
    """(files by module, included modules by module, layer by module) of the library, and the modules outside of it."""
    sys.path.insert(0, os.path.join(root, "tests", "floors"))
    import check_floors  # the one list of layers and the one reader of includes
    files, arrows, layer = {}, {}, {}
    for includer, _, included in check_floors.includes(root):
        for path in (includer, included):
            files.setdefault(module(path), set()).add(path)
        arrows.setdefault(module(includer), set()).add(module(included))
    for folder, height in check_floors.HEIGHT.items():
        layer[module(folder + "/")] = height  # a module stands where its highest folder does
    inside = (files.keys() & layer.keys()) - {"core/pch"}
    outside = [f"{top}/{name}" for top in ("bindings", "devices") for name in sorted(os.listdir(os.path.join(root, top)))
               if os.path.isdir(os.path.join(root, top, name)) and f"{top}/{name}" not in ("bindings/gen", "devices/cpu")]
    return ({name: files[name] for name in inside},
            {name: arrows.get(name, set()) & inside - {name} for name in inside}, layer, outside)


def reduced(arrows):
    """The arrows without those that a longer way replaces."""
    reached = {}

    def reach(name):
        if name not in reached:
            reached[name] = set(arrows[name]).union(*(reach(target) for target in arrows[name])) if arrows[name] else set()
        return reached[name]

    return {name: sorted(target for target in targets
                         if not any(target in reach(other) for other in targets if other != target))
            for name, targets in arrows.items()}


def color(name):
    return next(value for _, value, holds in GROUPS if holds(name))


def box(x, y, width, height, fill, text, note):
    return (f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" fill="{fill}"/>'
            f'<text x="{x + 12}" y="{y + height / 2 + 5:g}" class="name">{html.escape(text)}</text>'
            + (f'<text x="{x + width - 10}" y="{y + height / 2 + 5:g}" class="note">{html.escape(note)}</text>' if note else ""))


def draw(files, arrows, layer, outside):
    order = sorted(files, key=lambda name: (-layer[name], name))
    y_of = {name: TOP + row * (ROW + GAP) for row, name in enumerate(order)}
    total = TOP + len(order) * (ROW + GAP) + 128
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {total}" role="img" '
           'aria-label="The modules of Percale by layers; every include points down">',
           '<style>text{font-family:system-ui,sans-serif}.name{font-size:14px;font-weight:600;fill:#fff}'
           '.note{font-size:12px;fill:#fff;text-anchor:end;opacity:.85}.head{font-size:15px;font-weight:600;fill:#5b6470}'
           '.small{font-size:12px;fill:#5b6470}.arc{fill:none;stroke-width:1.6;opacity:.75}</style>',
           f'<text x="{LEFT}" y="26" class="head">The library: every include points down</text>',
           f'<text x="{LEFT}" y="44" class="small">A line joins a module with those that it includes.</text>']
    right = LEFT + COLUMN
    for name, targets in reduced(arrows).items():
        for target in targets:
            a, b = y_of[name] + ROW / 2 + 4, y_of[target] + ROW / 2 - 4
            if b <= a:
                raise SystemExit(f"{name} includes {target}, which is not below it")
            reach = right + 14 + min((b - a) * 0.42, WIDTH - right - 30)
            out.append(f'<path class="arc" stroke="{color(name)}" d="M{right} {a:g}C{reach:g} {a:g} {reach:g} {b:g} '
                       f'{right + 7} {b:g}"/><path fill="{color(name)}" d="M{right} {b:g}l8 -4v8z"/>')
    for name in order:
        out.append(box(LEFT, y_of[name], COLUMN, ROW, color(name), name, f"{len(files[name])} files"))
    y = TOP + len(order) * (ROW + GAP) + 26
    out.append(f'<text x="{LEFT}" y="{y}" class="head">Outside the library, on the public headers alone</text>')
    x = LEFT
    y += 12
    for name in outside:
        width = 9 * len(name) + 20
        if x + width > WIDTH - LEFT:
            x, y = LEFT, y + 34
        out.append(box(x, y, width, 28, "#7d8590", name, ""))
        x += width + 8
    out.append("</svg>")
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.stdout.write(draw(*read(os.path.abspath(sys.argv[1]))))
