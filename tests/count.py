"""Adds up the results in Meson's test logs.

Counts test cases where a program prints doctest's summary line or one like it, and programs
elsewhere. Lists the failed tests, then each reason for skipping once, with the names of the
tests. A skipped test says "REASON; REMEDY" in its last line, and one that does not is marked. The
last line has the sums.
"""
import collections
import json
import os
import re
import sys

DOCTEST = re.compile(r"test cases:\s*(\d+) \|\s*(\d+) passed \|\s*(\d+) failed \|\s*(\d+) skipped")
PASSED = {"OK", "EXPECTEDFAIL"}


def count(entry):
    """(passed, failed, skipped) of one program."""
    result = entry["result"]
    if result == "SKIP":
        return 0, 0, 1
    lines = DOCTEST.findall(entry.get("stdout") or "")
    if not lines:
        return (1, 0, 0) if result in PASSED else (0, 1, 0)
    passed, failed, skipped = (sum(int(line[i]) for line in lines) for i in (1, 2, 3))
    # A program may fail after its cases passed: a leak at exit, a crash in a destructor, a timeout.
    return passed, failed + (1 if result not in PASSED and not failed else 0), skipped


def heading(reason):
    """The line above the tests that were skipped for this reason."""
    if not reason:
        return "skipped without a reason:"
    _, _, remedy = reason.partition("; ")
    return f"skipped: {reason}" if remedy.strip() else f"skipped without a remedy: {reason}"


def main(folders):
    total = [0, 0, 0]
    skipped = collections.defaultdict(list)
    for folder in folders:
        path = os.path.join(folder, "meson-logs", "testlog.json")
        if not os.path.exists(path):
            print(f"failed: no test ran in {folder}: it was not built, see above")
            total[1] += 1
            continue
        with open(path, encoding="utf-8") as log:
            for line in log:
                entry = json.loads(line)
                counts = count(entry)
                total = [a + b for a, b in zip(total, counts)]
                if counts[1]:
                    print(f"failed: {entry['name']} ({entry['result']}, {folder})")
                if entry["result"] == "SKIP":
                    said = (entry.get("stdout") or "").strip().splitlines()
                    skipped[said[-1] if said else ""].append(entry["name"].split(" / ")[-1])
    for reason, names in skipped.items():
        print(f"{heading(reason)}\n    {', '.join(dict.fromkeys(names))}")
    print("{} passed, {} failed, {} skipped".format(*total))
    return 1 if total[1] or not total[0] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
