"""Checks the targets of the build: target_test.py NINJA BUILD_FOLDER [STEPS]

* The target `tests` builds what every test needs: `meson compile -C build tests` and
  `meson test --no-rebuild` do together what `meson test` does.
* A plain build takes at most STEPS steps.
"""
import subprocess
import sys


def ask(ninja, folder, *what):
    return subprocess.run([ninja, "-C", folder, "-t", *what], capture_output=True, text=True, check=True).stdout.splitlines()


def inputs(ninja, folder, target):
    """The names below "input:" in ninja's answer. Marks tell the kinds of inputs apart."""
    return {line.strip("| ") for line in ask(ninja, folder, "query", target) if line.startswith("    ")}


def main(ninja, folder, limit=None):
    needed = {name for name in inputs(ninja, folder, "meson-test-prereq") if not name.startswith("meson-")}
    missing = sorted(needed - inputs(ninja, folder, "tests"))
    for name in missing:
        print(f"{name}: a test needs it, but the target `tests` does not build it; add it to test_targets")
    if not missing:
        print(f"the target `tests` builds the {len(needed)} files that tests need")
    steps = len(ask(ninja, folder, "commands", "all"))
    print(f"a plain build takes {steps} steps")
    too_many = limit is not None and steps > int(limit)
    if too_many:
        print(f"at most {limit} are wanted: join sources (core/unity), or build what only tests need for them alone")
    return 1 if missing or not needed or too_many else 0


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
