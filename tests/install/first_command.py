"""The README's first command builds what an import of an ONNX file needs, and so does a plain
`ninja`: the program, the library, and the plug-in where the library finds it.

    first_command.py BUILD SOURCE

An ONNX file is imported in a folder that has only what the command builds.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
PROGRAM, LIBRARY = os.path.join("bindings", "cli", "percale"), "libpercale.so"

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "onnx"))
from onnx_writer import FLOAT, Graph, model, node, value  # noqa: E402


def ninja(build, tool, target):
    """Returns the lines of a tool of Ninja."""
    done = subprocess.run(["ninja", "-C", build, "-t", tool, target], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"ninja -t {tool} {target}: {done.stdout}{done.stderr}")
    return [line.strip() for line in done.stdout.splitlines()]


def direct_inputs(build, target):
    lines = ninja(build, "query", target)
    return [line.lstrip("| ") for line in lines[2:lines.index("outputs:")]]


def all_made(build, target):
    """Returns what a build of the target makes or reads."""
    direct = direct_inputs(build, target)
    return set(direct).union(*(ninja(build, "inputs", path) for path in direct if path.endswith(PROGRAM)))


def first_target(source):
    """Returns the target that the first command of the README builds."""
    with open(os.path.join(source, "README.md"), encoding="utf-8") as file:
        commands = re.findall(r"^sh (\S+)", file.read(), re.M)
    if commands[0] != "samples/run":
        sys.exit(f"the first command of the README is {commands[0]}, which this test does not know")
    with open(os.path.join(source, commands[0]), encoding="utf-8") as file:
        targets = re.findall(r"^ninja -C build (\S+)$", file.read(), re.M)
    if len(targets) != 1:
        sys.exit(f"{commands[0]} has {len(targets)} commands 'ninja -C build TARGET', wanted one")
    return targets[0]


def linked_plugins(build, made):
    """Returns the plug-ins that the targets NAME.linked link to where the library finds them."""
    out = []
    for link in sorted(made):
        if link.endswith(".linked"):
            out += [path for path in direct_inputs(build, link) if path.endswith(".so")]
    return out


def import_tiny_model(folder):
    """Returns (exit code, output) of an import by the program in the folder."""
    path = os.path.join(folder, "tiny.onnx")
    with open(path, "wb") as out:
        out.write(model(Graph([node("Relu", ["x"], ["y"], "r")], [value("x", FLOAT, [2])], [value("y", FLOAT, [2])])))
    env = {name: text for name, text in os.environ.items() if not name.startswith(("PERCALE_", "LD_"))}
    done = subprocess.run([os.path.join(folder, PROGRAM), "import", path, os.path.join(folder, "tiny.percale")],
                          capture_output=True, text=True, env=env, check=False)
    return done.returncode, done.stdout + done.stderr


def check(build, target, folder):
    made = all_made(build, target)
    if PROGRAM not in made or not any(path.startswith(LIBRARY) for path in made):
        sys.exit(f"{target} builds no {PROGRAM} or no {LIBRARY}")
    os.makedirs(os.path.join(folder, os.path.dirname(PROGRAM)))
    shutil.copy(os.path.join(build, PROGRAM), os.path.join(folder, PROGRAM))
    for name in os.listdir(build):
        if name.startswith(LIBRARY) and os.path.isfile(os.path.join(build, name)):
            shutil.copy(os.path.join(build, name), os.path.join(folder, name))
    # Nothing but the plug-in is missing.
    code, said = import_tiny_model(folder)
    if code == 0 or "onnx" not in said:
        sys.exit(f"{target}: an import without the plug-in ends with {code}: {said}")
    os.mkdir(os.path.join(folder, "percale"))
    for plugin in linked_plugins(build, made):
        if os.path.exists(os.path.join(build, plugin)):
            shutil.copy(os.path.join(build, plugin), os.path.join(folder, "percale"))
    code, said = import_tiny_model(folder)
    if code != 0:
        sys.exit(f"{target} does not build what an import of an ONNX file needs: {said}")
    print(f"{target}: an ONNX file is imported with {', '.join(os.listdir(os.path.join(folder, 'percale')))}")


def main(build, source):
    if not shutil.which("ninja"):
        print("no ninja on PATH; install the Debian package ninja-build")
        return SKIP
    for target in (first_target(source), "all"):
        with tempfile.TemporaryDirectory() as folder:
            check(build, target, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
