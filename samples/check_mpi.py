"""Runs the samples of mpi/ in two processes of an MPI job. They must print the digest of one.

    check_mpi.py BUILD SOURCE

Exit code 77 and the reason if a tool or the data is missing.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

import check


def programs(build, source, folder, prefix):
    """Compiles the one in C. Returns the commands, and the environment for both."""
    run_python, env = check.python(build, source, "samples/mpi")
    libraries = [os.path.join(prefix, "lib"), build]
    env["LD_LIBRARY_PATH"] = os.pathsep.join(libraries)
    program = os.path.join(folder, "train")
    check.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", os.path.join(source, "samples", "mpi", "train.c"), "-o", program,
               "-I" + os.path.join(prefix, "include"), "-I" + os.path.join(source, "c_api", "include"),
               *("-L" + library for library in libraries), "-lmpi", "-lpercale"])
    commands = [[program]]
    python = run_python("Train")
    if subprocess.run([python[0], "-c", "import mpi4py"], capture_output=True).returncode == 0:
        commands.append(python)
    else:
        print("mpi4py is not installed: train.py was not run")
    return commands, env


def main(build, source):
    sys.path.insert(0, os.path.join(source, "tests", "cli"))
    import mpi
    launcher, library = mpi.find_mpi()
    if launcher is None:
        print(mpi.WITHOUT)
        return check.SKIP
    data = check.find_data()
    with tempfile.TemporaryDirectory() as folder:
        commands, env = programs(build, source, folder, os.path.dirname(library))
        env["PERCALE_DATA"] = data
        spec = os.path.join(folder, "small.json")
        with open(spec, "w", encoding="utf-8") as file:
            json.dump(check.SMALL, file)
        train = [os.path.join(build, "bindings", "cli", "percale"), "train", spec, "--digest"]
        wanted = re.search("sha256:[0-9a-f]{64}", check.run(train, env)).group()
        for command in commands:
            if f"digest {wanted}" not in check.run([launcher, "-n", "2", *command, spec], env):
                check.fail("two processes do not compute the weights of one")
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(os.path.abspath, sys.argv[1:])))
