"""Runs a test module of this folder with the Python of `setup --engines`."""
import os
import subprocess
import sys
import tempfile

SKIP = 77


def python_with(package):
    """Returns the Python of the cache that has the package, or None."""
    cache = os.environ.get("PERCALE_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "percale")
    python = os.path.join(cache, "engines", "bin", "python")
    there = os.path.exists(python) and subprocess.run([python, "-c", f"import {package}"], capture_output=True).returncode == 0
    return python if there else None


def main(module, package, build, source):
    python = python_with(package)
    if python is None:
        print(f"no {package} in the cache; `sh subprojects/setup --engines` brings it")
        return SKIP
    sys.path.insert(0, os.path.join(source, "bindings", "python", "tests"))
    import check
    with tempfile.TemporaryDirectory() as folder:
        check.unpack_wheel(sys.executable, build, folder)
        paths = os.pathsep.join([folder, *(os.path.join(source, "tests", name) for name in ("engines", "groups", "remote", "cli"))])
        environment = dict(os.environ, PYTHONPATH=paths, PERCALE_SOURCE=source, PYSPARK_PYTHON=python, PYSPARK_DRIVER_PYTHON=python)
        return subprocess.run([python, "-m", "unittest", "-v", module], env=environment).returncode
