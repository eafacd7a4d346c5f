"""Shared by the tests of programs with artefacts: archives, the digits, Wine, the accuracy of a
program."""
import os
import pathlib
import re
import sys
import tarfile

import root as roots
from wheels import SOURCE, works

sys.path.insert(0, str(SOURCE / "tests" / "support"))
import emulator  # noqa: E402

DIGITS = pathlib.Path(os.environ.get("PERCALE_DATA") or roots.CACHE.parent / "data")
EXAMPLES = SOURCE / "docs" / "examples"


def unpack(path, folder):
    """Unpacks an archive of a release below `folder`."""
    with tarfile.open(path) as packed:
        packed.extraction_filter = getattr(tarfile, "data_filter", None)
        packed.extractall(folder)


def environment(folder, wine=False):
    """Returns the environment of a program that reads the digits. Files that it keeps go to
    `folder`."""
    more = emulator.wine_environment(folder / "wine") if wine else {}
    return {**os.environ, "XDG_CACHE_HOME": str(folder / "user"), "PERCALE_DATA": str(DIGITS), **more}


def learned(said, name):
    """Ends with a message if a program has not printed a good accuracy."""
    found = re.search(r"accuracy\W+(0\.\d+|1)", said)
    if not found or float(found[1]) < 0.9:
        works.fail(f"{name}: the program did not learn the digits: {said}")
