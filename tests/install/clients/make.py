"""Builds the compiled client of a release and records its output.

    make.py BUILD VERSION

VERSION/client.c beside this file becomes VERSION/client-x86_64-linux and VERSION/expected.txt.
Refuses for a published release: its program must not change.
"""
import os
import platform
import re
import subprocess
import sys
import tempfile

import check

LARGEST = 50_000  # bytes; these programs are stored permanently


def main(build, version):
    folder = os.path.join(check.HERE, version)
    root = os.path.join(check.HERE, "..", "..", "..")
    if platform.machine() != "x86_64" or platform.system() != "Linux":
        sys.exit("the collection is of programs for x86-64 Linux")
    said = subprocess.run(["git", "-C", root, "tag", "--list", f"v{version}", version], capture_output=True, text=True).stdout
    with open(os.path.join(root, "meson.build"), encoding="utf-8") as file:
        current = re.search(r"version: '([^']+)'", file.read()).group(1)
    if said.strip() or version != current:
        sys.exit(f"{version} is out, or is not what this tree builds ({current})")
    program = os.path.join(folder, check.PROGRAM)
    subprocess.run(["cc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-Os", "-s", "-Wl,--build-id=none",
                    "-Wl,-z,noseparate-code", "-I" + os.path.join(root, "c_api"), os.path.join(folder, "client.c"), "-o", program,
                    "-L" + build, "-lpercale"], check=True)
    if os.path.getsize(program) > LARGEST:
        sys.exit(f"{os.path.getsize(program)} bytes are more than {LARGEST}")
    with tempfile.TemporaryDirectory() as scratch:
        printed = check.run(program, build, scratch)
    if printed is None:
        return 1
    with open(os.path.join(folder, "expected.txt"), "w", encoding="utf-8") as file:
        file.write(printed)
    print(f"{program}: {os.path.getsize(program)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), sys.argv[2]))
