"""Starts programs that were built for another processor or system."""
import os
import pathlib
import shlex
import subprocess

HERE = pathlib.Path(__file__).resolve().parent


def words():
    """Returns the words of the emulator, which Meson names in a cross build, or none."""
    return shlex.split(os.environ.get("MESON_EXE_WRAPPER", ""))


def command(program):
    """Returns the words that start a program of the build."""
    return [*words(), program]


def wine_environment(prefix):
    """Makes a Windows of Wine in a folder, with the library that programs of Go need. Returns the
    environment of programs that run in it."""
    env = {"WINEPREFIX": str(prefix), "WINEDEBUG": "-all"}
    system = prefix / "drive_c" / "windows" / "system32"
    if not system.exists():
        subprocess.run(["wineboot", "--init"], env={**os.environ, **env}, check=True, capture_output=True)
    if not (system / "bcryptprimitives.dll").exists():
        subprocess.run(["zig", "cc", "-target", "x86_64-windows-gnu", "-shared", "-O2", HERE / "bcryptprimitives.c", "-ladvapi32",
                        "-o", system / "bcryptprimitives.dll"], check=True)
    return env
