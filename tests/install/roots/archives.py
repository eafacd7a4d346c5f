"""Checks the archives of a release as a C program uses them: archives.py DIST

CMake finds the library in each unpacked archive, and zig links samples/c/first.c with it for the
platform. Where this machine or an emulator can run the program, it must learn. Prints a table of
what was run and what was only linked.
"""
import os
import pathlib
import re
import shutil
import sys
import tempfile

import programs
import wheels
from wheels import SOURCE, platforms, works

PROJECT = """cmake_minimum_required(VERSION 3.16)
project(first C)
if(APPLE)
  # CMake asks the Mac that it runs on for this.
  set(CMAKE_SHARED_LIBRARY_RUNTIME_C_FLAG "-Wl,-rpath,")
endif()
find_package(percale REQUIRED)
add_executable(first first.c)
target_link_libraries(first percale::percale)
"""
SYSTEMS = {"linux": "Linux", "macos": "Darwin", "windows": "Windows"}


def link(row, prefix, folder):
    """Returns the program that CMake and zig make."""
    compiler = folder / "cc"
    compiler.write_text(f'#!/bin/sh\nexec {" ".join(wheels.compiler(row))} "$@"\n')
    compiler.chmod(0o755)
    (folder / "CMakeLists.txt").write_text(PROJECT)
    shutil.copy(SOURCE / "samples" / "c" / "first.c", folder)
    settings = {"CMAKE_SYSTEM_NAME": SYSTEMS[row.name.split("-")[0]], "CMAKE_C_COMPILER": compiler, "CMAKE_PREFIX_PATH": prefix,
                # CMake looks for it, and would call it to install a program for macOS.
                "CMAKE_INSTALL_NAME_TOOL": "/bin/false"}
    works.run(["cmake", "-S", folder, "-B", folder / "build", "-G", "Ninja", *(f"-D{name}={value}" for name, value in settings.items())])
    works.run(["ninja", "-C", folder / "build"])
    return next(path for path in (folder / "build").glob("first*") if path.suffix in ("", ".exe"))


def run_program(program, row, prefix):
    """Runs the program, and returns what was done."""
    kind = wheels.KINDS[row.name]
    if kind.why_not():
        return f"linked: {kind.why_not()}"
    # Windows looks for a library beside the program.
    if row.name.startswith("windows"):
        shutil.copy(prefix / row.folder / row.library, program.parent)
    said = works.run([*kind.runner, program], cwd=program.parent,
                     env={**os.environ, "LD_LIBRARY_PATH": str(prefix / row.folder), "WINEDEBUG": "-all"})
    answer = re.search(r"says ([0-9.]+) for", said)
    if not answer or abs(float(answer[1]) - 3) > 0.1:
        works.fail(f"{row.name}: the program did not learn: {said}")
    return f"run {'by ' + kind.runner[0] if kind.runner else 'here'}"


def main(dist):
    rows = {}
    for row in platforms.PLATFORMS:
        for path in pathlib.Path(dist).glob(f"percale-[0-9]*-{row.name}.tar.gz"):
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                programs.unpack(path, folder)
                prefix = folder / path.name.removesuffix(".tar.gz")
                rows[row.name] = run_program(link(row, prefix, folder), row, prefix)
    if not rows:
        works.fail(f"{dist} has no archives; run subprojects/release")
    for name, done in rows.items():
        print(f"| {name} | {done} |")


if __name__ == "__main__":
    main(sys.argv[1])
