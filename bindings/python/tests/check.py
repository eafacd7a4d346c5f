"""Runs the tests on a wheel of the build: python3 check.py BUILD. Skips (77) where cffi or numpy is missing."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

HERE = pathlib.Path(__file__).resolve().parent


def with_packages():
    """Goes on in the environment that subprojects/setup made where this Python lacks a package."""
    try:
        import cffi  # noqa: F401
        import numpy  # noqa: F401
    except ImportError as error:
        cache = os.environ.get("PERCALE_CACHE") or os.path.join(
            os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "percale")
        other = os.path.join(cache, "python-packages", "bin", "python")
        if os.path.exists(other) and os.environ.get("PERCALE_PYTHON_CHECK") != "1":
            os.execve(other, [other, *sys.argv], {**os.environ, "PERCALE_PYTHON_CHECK": "1"})
        print(f"{error}; `sh subprojects/setup --tests` brings it")
        sys.exit(77)


def main():
    with_packages()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, str(HERE.parent / "wheel.py"), sys.argv[1], folder], check=True, capture_output=True)
        wheel, = pathlib.Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as packed:
            packed.extractall(os.path.join(folder, "site"))
        sys.path.insert(0, os.path.join(folder, "site"))
        sys.dont_write_bytecode = True
        suite = unittest.defaultTestLoader.discover(str(HERE), "test_*.py")
        result = unittest.TextTestRunner(verbosity=1).run(suite)
    failed = len(result.failures) + len(result.errors)
    # The line that tests/count.py adds up.
    print(f"test cases: {result.testsRun} | {result.testsRun - failed - len(result.skipped)} passed | {failed} failed | "
          f"{len(result.skipped)} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
