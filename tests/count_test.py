"""count.py: the sums of Meson's logs, and the exit code. Usage: count_test.py COUNT"""
import json
import os
import subprocess
import sys
import tempfile


def counted(program, logs):
    """Returns (exit code, output lines) for folders with these log entries; None: no log."""
    with tempfile.TemporaryDirectory() as root:
        folders = [os.path.join(root, name) for name in logs]
        for folder, entries in zip(folders, logs.values()):
            os.makedirs(os.path.join(folder, "meson-logs"))
            if entries is None:
                continue
            with open(os.path.join(folder, "meson-logs", "testlog.json"), "w", encoding="utf-8") as log:
                log.writelines(json.dumps(entry) + "\n" for entry in entries)
        done = subprocess.run([sys.executable, program, *folders], capture_output=True, text=True, check=False)
        assert not done.stderr, done.stderr
        return done.returncode, done.stdout.replace(root + os.sep, "").splitlines()


def main(program):
    good = {"name": "percale:unit", "result": "OK", "stdout": "[doctest] test cases: 5 | 4 passed | 0 failed | 1 skipped"}
    absent = {"name": "percale:java", "result": "SKIP", "stdout": "no JDK"}
    assert counted(program, {"build": [good, absent]}) == (0, ["skipped: no JDK", "    percale:java", "4 passed, 0 failed, 2 skipped"])
    bad = {"name": "percale:go", "result": "FAIL"}
    assert counted(program, {"build": [good, bad]}) == (
        1, ["failed: percale:go (FAIL, build)", "4 passed, 1 failed, 1 skipped"])
    # A folder that did not compile counts, whatever the others say.
    assert counted(program, {"build": [good], "build-asan": None}) == (
        1, ["failed: no test ran in build-asan: it was not built, see above", "4 passed, 1 failed, 1 skipped"])


if __name__ == "__main__":
    main(*sys.argv[1:])
