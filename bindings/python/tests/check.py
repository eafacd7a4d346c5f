"""Runs the tests on a wheel of the build.

    check.py BUILD [--stress]

Exits with code 77 if cffi or numpy is missing. With --stress the garbage collector runs as often as
possible, and memory that Python frees is overwritten.
"""
import gc
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
SKIP = 77


def find_python():
    """Returns (a Python with cffi and numpy, "") or (None, reason).

    Candidates are this Python, and that of subprojects/setup.
    """
    cache = os.environ.get("PERCALE_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache"), "percale")
    for python in (sys.executable, os.path.join(cache, "python-packages", "bin", "python")):
        if os.path.exists(python) and subprocess.run([python, "-c", "import cffi, numpy"], capture_output=True).returncode == 0:
            return python, ""
    return None, "no Python with cffi and numpy; `sh subprojects/setup --tests` brings them"


def unpack_wheel(python, build, folder):
    """Builds the wheel and unpacks it into a folder."""
    with tempfile.TemporaryDirectory() as work:
        subprocess.run([python, str(HERE.parent / "wheel.py"), build, work], check=True, capture_output=True)
        wheel, = pathlib.Path(work).glob("*.whl")
        with zipfile.ZipFile(wheel) as packed:
            packed.extractall(folder)


def run_on_wheel(build, run):
    """Returns the exit code of `run`, which can import the package of a build. Starts this program
    again if another Python has what it needs."""
    python, why = find_python()
    if not python:
        print(why)
        return SKIP
    if python != sys.executable:
        return subprocess.run([python, *sys.argv]).returncode
    with tempfile.TemporaryDirectory() as folder:
        unpack_wheel(python, build, folder)
        sys.path.insert(0, folder)
        sys.dont_write_bytecode = True
        return run()


def run_all():
    if "--stress" in sys.argv[2:]:
        gc.set_threshold(1)
    suite = unittest.defaultTestLoader.discover(str(HERE), "test_*.py")
    result = unittest.TextTestRunner(verbosity=1).run(suite)
    failed = len(result.failures) + len(result.errors)
    # tests/count.py reads this line.
    print(f"test cases: {result.testsRun} | {result.testsRun - failed - len(result.skipped)} passed | {failed} failed | "
          f"{len(result.skipped)} skipped")
    return 1 if failed else 0


def main():
    if "--stress" in sys.argv[2:] and os.environ.get("PYTHONMALLOC") != "debug":
        return subprocess.run([sys.executable, *sys.argv], env=dict(os.environ, PYTHONMALLOC="debug")).returncode
    return run_on_wheel(sys.argv[1], run_all)


if __name__ == "__main__":
    sys.exit(main())
