"""Builds a library with LeNet's ops alone and compares it with the full one.

    minimal.py FULL BUILD [--limit MB]

FULL is the folder of the full build, with its program and samples/lenet. BUILD is the folder for
the minimal one, which a second call continues. Prints the size of both libraries, and of
samples/c/lenet.c linked with the archive of the minimal build, which trains on MNIST. Fails if the
same training gives other bits, if an op that is not built is refused without its name, or if the
stripped program is above the limit, by default 2 MB.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path[:0] = [HERE, os.path.join(HERE, "..", "digests"), os.path.join(ROOT, "samples")]
from check import find_data  # noqa: E402
from digests import write_spec  # noqa: E402
from size import stripped_size  # noqa: E402

# The options of a build for one network: plug-ins and tests are left out.
OPTIONS = ["-Dtests=false", "-Dstatic=true", "-Doptimization=s", "-Disas=avx2", "-Donnx=disabled", "-Donednn=disabled", "-Dcuda=disabled",
           "-Dremote=disabled", "-Djni=disabled"]
TARGETS = ["bindings/cli/percale", "c_api/static/libpercale.a"]  # and the shared library with them


def call(*words, code=0, **more):
    result = subprocess.run(words, text=True, check=False, **more)
    if result.returncode != code:
        sys.exit(f"{' '.join(words)}: exit code {result.returncode}, wanted {code}\n{result.stderr or ''}")
    return result


def build(folder, ops):
    options = [*OPTIONS, "-Dops=" + ",".join(ops)]
    if os.path.exists(os.path.join(folder, "build.ninja")):
        call("meson", "configure", folder, *options)
    else:
        call("meson", "setup", folder, ROOT, *options)
    call("ninja", "-C", folder, *TARGETS)


def link(build, folder):
    """Links samples/c/lenet.c with the archive, and returns the stripped program."""
    source, program = os.path.join(ROOT, "samples", "c", "lenet.c"), os.path.join(folder, "lenet")
    call("cc", "-std=c99", "-Os", "-I" + os.path.join(ROOT, "c_api", "include"), "-c", source, "-o", program + ".o")
    call("c++", "-o", program, program + ".o", os.path.join(build, "c_api", "static", "libpercale.a"), "-Wl,--gc-sections",
         *"-lz -ldl -lpthread".split())
    call("strip", program)
    return program


def train(program, ops, **more):
    """Trains on MNIST for an epoch and writes the names of the ops to a file. Returns the digest
    and the accuracy."""
    said = call(program, find_data(), "1", ops, capture_output=True, **more).stdout
    return re.search(r"sha256:\w+", said)[0], float(re.search(r"accuracy ([0-9.]+)", said)[1])


def digest(percale, spec):
    words = [percale, "train", spec, "--option", "isa=avx2", "--option", "onednn=off", "--json"]
    return json.loads(call(*words, capture_output=True).stdout)["digest"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("full")
    parser.add_argument("build")
    parser.add_argument("--limit", type=float, default=2.0, metavar="MB")
    given = parser.parse_args()
    full, library = os.path.join(given.full, "bindings", "cli", "percale"), os.path.join(given.full, "libpercale.so.0")
    with tempfile.TemporaryDirectory() as folder:
        lenet, lstm, listed = write_spec(folder, "lenet"), write_spec(folder, "lstm"), os.path.join(folder, "ops")
        # A library without plug-ins beside it.
        shutil.copy(library, folder)
        trained = train(os.path.join(given.full, "samples", "lenet"), listed, env={**os.environ, "LD_LIBRARY_PATH": folder})
        ops = set(call(full, "ops", "--of", lenet, "--option", "onednn=off", capture_output=True).stdout.split())
        with open(listed, encoding="ascii") as file:
            ops |= set(file.read().split())
        build(given.build, sorted(ops))
        minimal = os.path.join(given.build, "bindings", "cli", "percale")
        if digest(minimal, lenet) != digest(full, lenet):
            sys.exit("the minimal build trains to other bits than the full one")
        refused = call(minimal, "train", lstm, code=1, capture_output=True).stderr
        named = re.search(r"op '(\w+)' is not in this build", refused)
        if not named or named[1] in ops:
            sys.exit(f"an op that is not built is refused without its name: {refused}")
        program = link(given.build, folder)
        if train(program, os.devnull) != trained:
            sys.exit("the program that is linked with the minimal build trains to other bits")
        size = os.path.getsize(program) / 1e6
    libraries = [stripped_size(os.path.join(path, "libpercale.so")) / 1e6 for path in (given.full, given.build)]
    print(f"stripped: library {libraries[0]:.2f} MB, minimal library {libraries[1]:.2f} MB, program with the minimal library {size:.2f} MB, "
          f"which gets {trained[1]:.2%} of MNIST's test digits right")
    return 1 if size > given.limit else 0


if __name__ == "__main__":
    sys.exit(main())
