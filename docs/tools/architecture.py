"""Draws the architecture from the includes of the code: architecture.py ROOT > architecture.svg

The picture stacks the modules of the library by layers. A line on the right joins a module with
each one that it includes directly, and leaves out those that it also reaches through others. It is
as wide as a phone, and brings its own background, so that it can be read in a light and in a dark
page. tests/docs compares the committed picture with a new one.
"""
import html
import os
import sys

WIDTH, ROW, GAP, LEFT, TOP = 400, 42, 7, 14, 62
COLUMN = 258  # width of the stack
GROUPS = [
    ("#7b3fa0", ("c_api", "public headers")),
    ("#1f7a4d", ("ops", "devices/cpu")),
    ("#a84a1a", ("core/train", "core/checkpoint")),
    ("#1d5fa8", ("core/engine", "core/compile", "core/session", "core/plan", "core/placement", "core/state",
                 "core/serve")),
    ("#0c6b75", ("core/graph", "core/graph_io", "core/passes", "core/autodiff", "core/draw")),
]
FOUNDATION = "#566070"
NOTES = {
    "c_api": "handles of the C functions, options",
    "ops": "schemas, shapes, gradients, kernels",
    "devices/cpu": "the CPU device, SIMD products",
    "core/train": "trainer, data, shards, modes",
    "core/checkpoint": "checkpoints, weight files",
    "core/serve": "devices for other processes",
    "core/engine": "devices, memory, streams",
    "core/compile": "from a graph to an executable plan",
    "core/session": "sessions, calls, executor, events",
    "core/plan": "programs and their memory",
    "core/state": "variables and resources",
    "core/placement": "which device runs which node",
    "core/passes": "rewrites of graphs, fusion",
    "core/draw": "drawings of graphs",
    "core/autodiff": "gradient graphs",
    "core/graph_io": ".percale files, descriptions",
    "core/graph": "graph, builder, shape inference",
    "core/registry": "tables of ops and kernels",
    "core/tensor": "dtypes, shapes, tensors",
    "core/file": "files, locks, checksums",
    "core/text": "JSON, sizes, UTF-8",
    "core/maths": "exp, log, sin: native or portable",
    "core/base": "status, memory, threads",
    "core/system": "the operating system",
    "public headers": "percale.h, percale_plugin.h",
}


def module(path):
    """The module of a file: two levels below core and devices, else the top folder."""
    parts = path.split("/")
    if path.startswith("c_api/include/"):
        return "public headers"
    return "/".join(parts[:2]) if parts[0] in ("core", "devices", "bindings") else parts[0]


def read(root):
    """Returns the modules of the library, those that each includes, the layer of each, and the
    modules outside of the library."""
    sys.path.insert(0, os.path.join(root, "tests", "floors"))
    import check_floors  # the one list of layers and the one reader of includes
    modules, arrows, layer = set(), {}, {}
    for includer, _, included in check_floors.includes(root):
        modules |= {module(includer), module(included)}
        arrows.setdefault(module(includer), set()).add(module(included))
    for folder, height in check_floors.HEIGHT.items():
        layer[module(folder + "/")] = height  # a module stands where its highest folder does
    inside = (modules & layer.keys()) - {"core/pch"}
    outside = [f"{top}/{name}" for top in ("bindings", "devices") for name in sorted(os.listdir(os.path.join(root, top)))
               if os.path.isdir(os.path.join(root, top, name)) and f"{top}/{name}" not in ("bindings/gen", "devices/cpu")]
    return (inside, {name: arrows.get(name, set()) & inside - {name} for name in sorted(inside)}, layer, outside)


def reduced(arrows):
    """The arrows without those that a path over other modules replaces."""
    reached = {}

    def reach(name):
        if name not in reached:
            reached[name] = set(arrows[name]).union(*(reach(target) for target in arrows[name])) if arrows[name] else set()
        return reached[name]

    return {name: sorted(target for target in targets
                         if not any(target in reach(other) for other in targets if other != target))
            for name, targets in arrows.items()}


def color(name):
    return next((value for value, names in GROUPS if name in names), FOUNDATION)


def box(x, y, width, height, fill, text, note=""):
    middle = y + height / 2
    out = f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" fill="{fill}"/>'
    out += f'<text x="{x + 11}" y="{middle - 3 if note else middle + 5:g}" class="name">{html.escape(text)}</text>'
    return out + (f'<text x="{x + 11}" y="{middle + 13:g}" class="note">{html.escape(note)}</text>' if note else "")


def arcs(arrows, y_of):
    """Curves from each module to those that it includes; longer ones reach further out."""
    right = LEFT + COLUMN
    for name, targets in reduced(arrows).items():
        for target in targets:
            a, b = y_of[name] + ROW / 2 + 4, y_of[target] + ROW / 2 - 4
            if b <= a:
                raise SystemExit(f"{name} includes {target}, which is not below it")
            reach = right + 12 + min((b - a) * 0.4, WIDTH - right - 30) * 1.25
            yield (f'<path class="arc" stroke="{color(name)}" d="M{right} {a:g}C{reach:g} {a:g} {reach:g} {b:g} {right + 7} {b:g}"/>'
                   f'<path fill="{color(name)}" d="M{right} {b:g}l8 -4v8z"/>')


def draw(modules, arrows, layer, outside):
    order = sorted(modules, key=lambda name: (-layer[name], name))
    y_of = {name: TOP + row * (ROW + GAP) for row, name in enumerate(order)}
    out = [f'<text x="{LEFT}" y="28" class="head">The library: every include points down</text>',
           f'<text x="{LEFT}" y="47" class="small">A line joins a module with those that it includes.</text>']
    out += arcs(arrows, y_of)
    out += [box(LEFT, y_of[name], COLUMN, ROW, color(name), name, NOTES[name]) for name in order]
    y = TOP + len(order) * (ROW + GAP) + 24
    out.append(f'<text x="{LEFT}" y="{y}" class="head">On the public headers alone</text>')
    x, y = LEFT, y + 14
    for name in outside:
        width = 9.4 * len(name) + 22
        if x + width > WIDTH - LEFT:
            x, y = LEFT, y + 37
        out.append(box(x, y, width, 30, "#6b7480", name))
        x += width + 7
    total = y + 30 + 14
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{total}" viewBox="0 0 {WIDTH} {total}" role="img" '
        'aria-label="The modules of Percale by layers; every include points down">',
        '<style>text{font-family:system-ui,sans-serif}.name{font-size:15px;font-weight:600;fill:#fff}.note{font-size:13px;fill:#fff}'
        '.head{font-size:16px;font-weight:600;fill:#24292f}.small{font-size:13px;fill:#57606a}'
        '.arc{fill:none;stroke-width:1.6;opacity:.8}</style>',
        f'<rect x=".5" y=".5" width="{WIDTH - 1}" height="{total - 1}" rx="10" fill="#f6f8fa" stroke="#d0d7de"/>',
        *out, "</svg>"]) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.stdout.write(draw(*read(os.path.abspath(sys.argv[1]))))
