"""Installs into an empty folder and lets a host find the library there: by pkg-config, by CMake, and as a subproject of a
Meson project. Usage: check_install.py BUILD SOURCE pkg-config|cmake|subproject"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
FIRST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "samples", "c", "first.c")
HOST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "host")


def run(command, **more):
    print("+", " ".join(command), flush=True)
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    print(result.stdout, flush=True)
    if result.returncode:
        sys.exit(f"exit code {result.returncode}")
    return result.stdout


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            print(f"no {program} on PATH")
            sys.exit(SKIP)


def install(build, folder):
    """The installed prefix inside `folder`."""
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
    # A whole program with nothing but those flags: it builds, trains, saves, loads and runs a graph.
    run(["cc", "-o", program, FIRST] + flags)
    said = run([program, os.path.join(folder, "first.percale")],
               env=dict(os.environ, LD_LIBRARY_PATH=os.path.join(prefix, "lib")))
    answer = re.search(r"says (\S+) for", said)
    if answer is None or abs(float(answer.group(1)) - 3) > 0.1:
        sys.exit("samples/c/first.c did not learn that 2 * 0.25 - 3 * -0.5 + 1 = 3")
    # The program finds the library beside it, wherever the prefix was moved to.
    run([os.path.join(prefix, "bin", "percale"), "--version"])


def by_cmake(build, _, folder):
    need("meson", "cmake", "cc")
    prefix, _ = install(build, folder)
    target = os.path.join(folder, "host-build")
    run(["cmake", "-S", HOST, "-B", target, "-DCMAKE_PREFIX_PATH=" + prefix])
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


def main(build, source, way):
    ways = {"pkg-config": by_pkg_config, "cmake": by_cmake, "subproject": as_subproject}
    with tempfile.TemporaryDirectory() as folder:
        ways[way](build, source, folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
