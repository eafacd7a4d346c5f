"""Checks that the target `tests` builds what every test needs: target_test.py NINJA BUILD_FOLDER

`meson compile -C build tests` and `meson test --no-rebuild` must do together what `meson test`
does.
"""
import subprocess
import sys


def inputs(ninja, folder, target):
    """The names below "input:" in ninja's answer. Marks tell the kinds of inputs apart."""
    answer = subprocess.run([ninja, "-C", folder, "-t", "query", target], capture_output=True, text=True, check=True).stdout
    return {line.strip("| ") for line in answer.splitlines() if line.startswith("    ")}


def main(ninja, folder):
    needed = {name for name in inputs(ninja, folder, "meson-test-prereq") if not name.startswith("meson-")}
    missing = sorted(needed - inputs(ninja, folder, "tests"))
    for name in missing:
        print(f"{name}: a test needs it, but the target `tests` does not build it; add it to test_targets")
    if not missing:
        print(f"the target `tests` builds the {len(needed)} files that tests need")
    return 1 if missing or not needed else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
