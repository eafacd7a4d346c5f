"""Builds a library with LeNet's ops alone and compares it with the full one.

    minimal.py PERCALE BUILD [--limit MB]

PERCALE is the program of the full build. BUILD is the folder for the minimal one, which a second
call continues. Prints both sizes. Fails if the same training gives other bits, if an op that is
not built is refused without its name, or if the stripped library is above the limit.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path[:0] = [HERE, os.path.join(HERE, "..", "digests")]
from digests import write_spec  # noqa: E402
from size import stripped_size  # noqa: E402

# The options of a build for one network: plug-ins and tests are left out.
OPTIONS = ["-Dtests=false", "-Doptimization=s", "-Disas=avx2", "-Dportable_numerics=false", "-Donnx=disabled",
           "-Donednn=disabled", "-Dcuda=disabled", "-Dremote=disabled", "-Djni=disabled"]
TARGET = "bindings/cli/percale"  # and the library with it


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
    call("ninja", "-C", folder, TARGET)


def digest(percale, spec):
    words = [percale, "train", spec, "--option", "isa=avx2", "--option", "onednn=off", "--json"]
    return json.loads(call(*words, capture_output=True).stdout)["digest"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("percale")
    parser.add_argument("build")
    parser.add_argument("--limit", type=float, metavar="MB")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        lenet, lstm = write_spec(folder, "lenet"), write_spec(folder, "lstm")
        ops = call(given.percale, "ops", "--of", lenet, "--option", "onednn=off", capture_output=True).stdout.split()
        build(given.build, ops)
        minimal = os.path.join(given.build, "bindings", "cli", "percale")
        if digest(minimal, lenet) != digest(given.percale, lenet):
            sys.exit("the minimal build trains to other bits than the full one")
        refused = call(minimal, "train", lstm, code=1, capture_output=True).stderr
        named = re.search(r"op '(\w+)' is not in this build", refused)
        if not named or named[1] in ops:
            sys.exit(f"an op that is not built is refused without its name: {refused}")
    full = stripped_size(os.path.join(os.path.dirname(given.percale), "..", "..", "libpercale.so")) / 1e6
    size = stripped_size(os.path.join(given.build, "libpercale.so")) / 1e6
    print(f"stripped: full {full:.2f} MB, minimal {size:.2f} MB")
    return 1 if given.limit and size > given.limit else 0


if __name__ == "__main__":
    sys.exit(main())
