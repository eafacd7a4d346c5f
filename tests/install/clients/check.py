"""Runs every compiled client of a release with the library that was just built, and compares the
output with that of the release.

    check.py BUILD

Exit code 77 and the reason on a machine that cannot run them.
"""
import difflib
import os
import platform
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = "client-x86_64-linux"


def run(program, build, scratch):
    """Returns the program's output. If it fails, prints the reason and returns None."""
    # Binds all symbols at the start, so that a missing one is found even if it is not called.
    env = dict(os.environ, LD_LIBRARY_PATH=build, LD_BIND_NOW="1")
    try:
        result = subprocess.run([program, scratch], env=env, capture_output=True, text=True, timeout=100)
    except subprocess.TimeoutExpired:
        print(f"{program} does not end")
        return None
    if result.returncode != 0:
        print(f"{program}: exit code {result.returncode}\n{result.stdout}{result.stderr}")
        return None
    return result.stdout


def main(build):
    if platform.machine() != "x86_64" or platform.system() != "Linux":
        print(f"the programs are for x86-64 Linux, this is {platform.machine()} {platform.system()}; "
              "run them on such a machine")
        return 77
    versions = sorted(name for name in os.listdir(HERE) if os.path.isfile(os.path.join(HERE, name, "client.c")))
    failed = 0
    for version in versions:
        program = os.path.join(HERE, version, PROGRAM)
        with open(os.path.join(HERE, version, "expected.txt"), encoding="utf-8") as file:
            wanted = file.read()
        with tempfile.TemporaryDirectory() as scratch:
            printed = run(program, build, scratch)
        if printed != wanted:
            failed += 1
            if printed is not None:
                print("".join(difflib.unified_diff(wanted.splitlines(True), printed.splitlines(True), f"the client of {version} then", "now")))
    print(f"test cases: {len(versions)} | {len(versions) - failed} passed | {failed} failed | 0 skipped")
    return 1 if failed or not versions else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
