"""Tests the library as a part of a host's modules. A host that does not know the library opens
two modules, linked to two versions of it, lets them train and closes them, repeatedly. Both
compute the same weights, no symbol of one version binds to the other, and nothing is left over
between cycles.

    as_module.py HOST MODULE LIBRARY OTHER-MODULE OTHER-LIBRARY PLUGINS FOLDER [CYCLES]

HOST and the modules are those of samples/embed. PLUGINS is the folder of plug-ins beside the
library; the second version uses it, too.
"""
import glob
import os
import re
import shutil
import subprocess
import sys

ROUNDS = 3
LINE = re.compile(r"cycle (\d+): threads (\d+), files (\d+), mappings (\d+), allocated (\d+), resident (\d+)")


def fail(why):
    sys.exit(f"failed: {why}")


def run(command, env):
    result = subprocess.run(command, env=env, capture_output=True, text=True)
    if result.returncode != 0:
        fail(f"exit code {result.returncode}: {' '.join(command)}\n{result.stdout[-2000:]}{result.stderr}")
    return result.stdout


def second_folder(folder, library, plugins):
    """Makes a folder like a host's: the second version of the library with the same plug-ins
    beside it."""
    second = os.path.join(folder, "second")
    shutil.rmtree(second, ignore_errors=True)
    os.makedirs(second)
    # The loader looks for the name with the major version.
    shutil.copy(library, os.path.join(second, "libpercale.so.1"))
    if os.path.isdir(plugins):
        os.symlink(plugins, os.path.join(second, "percale"))
    return second


def check_cycles(said):
    cycles = [tuple(map(int, found.groups())) for found in LINE.finditer(said)]
    warm = cycles[len(cycles) // 4:]
    for what, at in ("threads", 1), ("files", 2):
        if len({cycle[at] for cycle in warm}) != 1:
            fail(f"{what} per cycle: {[cycle[at] for cycle in cycles]}")
    # Memory of threads and of the loader varies a little, and the allocator may use more once. A
    # leak grows in every round.
    size = len(warm) // ROUNDS
    rounds = [warm[i * size:(i + 1) * size] for i in range(ROUNDS)]
    for what, at, least in ("mappings", 3, size), ("bytes allocated", 4, 32 * size), ("resident bytes", 5, 320 * 1024 + 64 * size):
        lowest = [min(cycle[at] for cycle in part) for part in rounds]
        print(f"{what}: at least {lowest} in {ROUNDS} rounds of {size} cycles")
        if all(b - a >= least for a, b in zip(lowest, lowest[1:])):
            fail(f"{what} per cycle: {[cycle[at] for cycle in cycles]}")


def check_bindings(command, env, folder, sides):
    """Checks the bindings in the loader's log. `sides` are the base names of each side's files."""
    log = os.path.join(folder, "bindings")
    for old in glob.glob(log + ".*"):
        os.remove(old)
    run(command, dict(env, LD_DEBUG="bindings", LD_DEBUG_OUTPUT=log))
    bound = [0] * len(sides)
    side_of = {name: i for i, names in enumerate(sides) for name in names}
    for path in glob.glob(log + ".*"):
        with open(path, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                found = re.search(r"binding file (\S+) \[\d+\] to (\S+) \[\d+\]: \w+ symbol `([^']+)'", line)
                if not found:
                    continue
                source, target = (side_of.get(os.path.basename(name)) for name in found.groups()[:2])
                if source is not None and target is not None and source != target:
                    fail(f"a symbol of one version binds to the other: {line.strip()}")
                # percale_plugin_init is defined by each plug-in itself.
                if found.group(3).startswith("percale_") and found.group(3) != "percale_plugin_init":
                    if target is None or source != target:
                        fail(f"a symbol of Percale binds elsewhere: {line.strip()}")
                    bound[source] += 1
    print(f"symbols of Percale that were bound, per version: {bound}")
    if min(bound) == 0:
        fail("the loader did not tell of both versions")


def main(host, module, library, other_module, other_library, plugins, folder, cycles="160"):
    second = second_folder(folder, other_library, plugins)
    env = dict(os.environ, LD_LIBRARY_PATH=os.pathsep.join([os.path.dirname(library), second]))
    command = [host, cycles, module, other_module]
    said = run(command, env)
    versions = re.findall(r"stands on (\S+)", said)
    if len(set(versions)) != 2 or "sha256:" not in said:
        fail(f"not two versions that train: {said[:500]}")
    print("\n".join(said.splitlines()[:3]))
    check_cycles(said)
    check_bindings([host, "2", module, other_module], env, folder,
                   [[os.path.basename(module), "libpercale.so.0"], [os.path.basename(other_module), "libpercale.so.1"]])
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
