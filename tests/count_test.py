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
    absent = {"name": "percale:java", "result": "SKIP", "stdout": "+ javac\nno JDK; install one\n"}
    assert counted(program, {"build": [good, absent]}) == (0, ["skipped: no JDK; install one", "    percale:java", "4 passed, 0 failed, 2 skipped"])
    bad = {"name": "percale:go", "result": "FAIL"}
    assert counted(program, {"build": [good, bad]}) == (
        1, ["failed: percale:go (FAIL, build)", "4 passed, 1 failed, 1 skipped"])
    # Tests with the same reason stand together. One that names no remedy, or no reason, is marked.
    same = {"name": "percale:java_lint", "result": "SKIP", "stdout": "no JDK; install one"}
    helpless = {"name": "percale:cuda", "result": "SKIP", "stdout": "no GPU;\n"}
    silent = [{"name": "percale:go", "result": "SKIP", "stdout": "\n"}, {"name": "percale:rust", "result": "SKIP"}]
    assert counted(program, {"build": [good, absent, helpless, *silent, same]}) == (
        0, ["skipped: no JDK; install one", "    percale:java, percale:java_lint",
            "skipped without a remedy: no GPU;", "    percale:cuda",
            "skipped without a reason:", "    percale:go, percale:rust", "4 passed, 0 failed, 6 skipped"])
    # A folder that did not compile counts, whatever the others say.
    assert counted(program, {"build": [good], "build-asan": None}) == (
        1, ["failed: no test ran in build-asan: it was not built, see above", "4 passed, 1 failed, 1 skipped"])


if __name__ == "__main__":
    main(*sys.argv[1:])
