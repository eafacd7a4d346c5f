"""Starts programs that were built for another processor or system."""
import os
import shlex


def command(program):
    """The words that start a program of the build: Meson names the emulator in a cross build."""
    return [*shlex.split(os.environ.get("MESON_EXE_WRAPPER", "")), program]
