"""Installs into an empty folder and lets a host find the library there: by pkg-config, in C and in
C++, by CMake, and as a subproject of a Meson project.
Usage: check_install.py BUILD SOURCE pkg-config|cpp|plugin|cmake|subproject"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
# The Debian packages of programs that are not called like their package.
PACKAGES = {"cc": "gcc", "c++": "g++", "ninja": "ninja-build"}
FIRST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "samples", "c", "first.c")
PLUGIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "samples", "plugin")
HOST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "host")


def run(command, fails=False, **more):
    print("+", " ".join(command), flush=True)
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    print(result.stdout, flush=True)
    if (result.returncode != 0) != fails:
        sys.exit(f"exit code {result.returncode}")
    return result.stdout


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            print(f"no {program} on PATH; install the Debian package {PACKAGES.get(program, program)}")
            sys.exit(SKIP)


def install(build, folder):
    """Installs and returns the prefix inside `folder`."""
    run(["meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", folder])
    for path, _, names in os.walk(folder):
        if "percale.pc" in names:
            return os.path.dirname(os.path.dirname(path)), path
    sys.exit("percale.pc was not installed")


def start(program, libraries=None):
    environment = dict(os.environ, LD_LIBRARY_PATH=libraries) if libraries else None
    if "percale 0." not in run([program], env=environment):
        sys.exit("the host did not print the version")


def by_pkg_config(build, _, folder):
    need("meson", "pkg-config", "cc")
    prefix, packages = install(build, folder)
    environment = dict(os.environ, PKG_CONFIG_PATH=packages)
    flags = run(["pkg-config", "--define-prefix", "--cflags", "--libs", "percale"], env=environment).split()
    program = os.path.join(folder, "host")
    run(["cc", "-std=c99", "-pedantic", "-Wall", "-Werror", "-o", program, os.path.join(HOST, "host.c")] + flags)
    start(program, os.path.join(prefix, "lib"))
    # A whole program with only these flags: it builds, trains, saves, loads and runs a graph.
    run(["cc", "-o", program, FIRST] + flags)
    said = run([program, os.path.join(folder, "first.percale")],
               env=dict(os.environ, LD_LIBRARY_PATH=os.path.join(prefix, "lib")))
    answer = re.search(r"says (\S+) for", said)
    if answer is None or abs(float(answer.group(1)) - 3) > 0.1:
        sys.exit("samples/c/first.c did not learn that 2 * 0.25 - 3 * -0.5 + 1 = 3")
    # The build folder can be used as well, before anything is installed.
    environment["PKG_CONFIG_PATH"] = os.path.join(build, "meson-uninstalled")
    flags = run(["pkg-config", "--cflags", "--libs", "percale"], env=environment).split()
    run(["cc", "-std=c99", "-o", program, os.path.join(HOST, "host.c")] + flags)
    start(program, build)
    # The program finds the library relative to itself, wherever the prefix was moved.
    run([os.path.join(prefix, "bin", "percale"), "--version"])


def in_cpp(build, source, folder):
    """All C++ headers are installed, and pkg-config's flags suffice for a program, with and without
    exceptions."""
    need("meson", "pkg-config", "c++")
    prefix, packages = install(build, folder)
    headers = os.path.join(source, "bindings", "cpp")
    for path, folders, names in os.walk(headers):
        folders[:] = [name for name in folders if name != "tests"]
        for name in filter(lambda name: name.endswith(".hpp"), names):
            if not os.path.exists(os.path.join(prefix, "include", os.path.relpath(os.path.join(path, name), headers))):
                sys.exit(f"{name} is not installed")
    environment = dict(os.environ, PKG_CONFIG_PATH=packages, LD_LIBRARY_PATH=os.path.join(prefix, "lib"))
    flags = run(["pkg-config", "--define-prefix", "--cflags", "--libs", "percale"], env=environment).split()
    program = os.path.join(folder, "learn")
    for more in [], ["-fno-exceptions"]:
        run(["c++", "-std=c++20", "-pedantic", "-Wall", "-Wextra", "-Werror", *more, "-o", program, os.path.join(HOST, "learn.cc")] + flags)
        said = run([program, os.path.join(folder, "learn.percale")], env=environment)
        answer = re.search(r"says (\S+), and NOT_FOUND", said)
        if answer is None or abs(float(answer.group(1)) - 3) > 0.1:
            sys.exit("the host in C++ did not learn that 2 * 0.25 - 3 * -0.5 + 1 = 3")


def with_plugin(build, _, folder):
    """The sample plug-ins are built with only the headers; the op of the one in C trains, and its
    kernel is used."""
    need("meson", "pkg-config", "cc", "c++")
    prefix, packages = install(build, folder)
    environment = dict(os.environ, PKG_CONFIG_PATH=packages, LD_LIBRARY_PATH=os.path.join(prefix, "lib"))
    flags = ["pkg-config", "--define-prefix", "percale", "--cflags"]
    plugin, program, graph = (os.path.join(folder, name) for name in ("libpercale_sample.so", "use", "snake.percale"))
    warnings = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror"]
    run(["cc", *warnings, "-O2", "-shared", "-fPIC", os.path.join(PLUGIN, "plugin.c"), "-o", plugin]
        + run(flags, env=environment).split() + ["-lm"])
    run(["cc", *warnings, os.path.join(PLUGIN, "use.c"), "-o", program]
        + run(flags + ["--libs"], env=environment).split() + ["-lm"])
    said = run([program, plugin, graph], env=environment)
    learned = re.search(r"alpha (\S+), .* is (\S+) off", said)
    if learned is None or abs(float(learned.group(1)) - 2) > 1e-3 or float(learned.group(2)) > 1e-4:
        sys.exit("the plug-in's op did not learn alpha = 2")
    square = os.path.join(folder, "libpercale_square.so")
    run(["c++", "-std=c++20", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O2", "-shared", "-fPIC",
         os.path.join(PLUGIN, "cpp", "square.cc"), "-o", square] + run(flags, env=environment).split())
    if "sample:Square" not in run([os.path.join(prefix, "bin", "percale"), "ops", "--plugin", square]):
        sys.exit("the op of the plug-in in C++ is not listed")
    who = run([os.path.join(prefix, "bin", "percale"), "kernels", graph, "--plugin", plugin])
    if not re.search(r"Mish.*sample\.mish", who) or not re.search(r"Snake.*sample\.snake", who):
        sys.exit("the plug-in's kernels were not taken")
    without = run([os.path.join(prefix, "bin", "percale"), "kernels", graph], fails=True)
    if "sample:Snake" not in without:
        sys.exit("without the plug-in the op is not named")


def by_cmake(build, _, folder):
    need("meson", "cmake", "ninja", "cc")
    prefix, _ = install(build, folder)
    target = os.path.join(folder, "host-build")
    # CMake's default would be make, which a machine that builds Percale may not have.
    run(["cmake", "-G", "Ninja", "-S", HOST, "-B", target, "-DCMAKE_PREFIX_PATH=" + prefix])
    run(["cmake", "--build", target])
    start(os.path.join(target, "host"))


def as_subproject(_, source, folder):
    need("meson")
    host = os.path.join(folder, "host")
    shutil.copytree(HOST, host)
    os.makedirs(os.path.join(host, "subprojects"))
    os.symlink(source, os.path.join(host, "subprojects", "percale"))
    run(["meson", "setup", os.path.join(host, "build"), host])
    run(["ninja", "-C", os.path.join(host, "build"), "-t", "query", "host"])
    # Nothing is built yet, so a link to a plug-in would be dangling, and the program would report
    # the plug-in as broken.
    plugins = os.path.join(host, "build", "subprojects", "percale", "percale")
    links = [os.path.join(path, name) for path, _, names in os.walk(plugins) for name in names]
    broken = [path for path in links if os.path.islink(path) and not os.path.exists(path)]
    if broken:
        sys.exit(f"links to files that are not built: {', '.join(broken)}")


def main(build, source, way):
    ways = {"pkg-config": by_pkg_config, "cpp": in_cpp, "plugin": with_plugin, "cmake": by_cmake, "subproject": as_subproject}
    with tempfile.TemporaryDirectory() as folder:
        ways[way](build, source, folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
