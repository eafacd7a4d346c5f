"""Makes the same mistakes in each language and compares the errors. Each program catches only its
language's own kind of error. Code and message must be those that C gets from the library; a
language may append its own remedy. No message names a function of C; messages.py looks at all
others. Afterwards the process computes a correct result.

    mistakes.py BUILD SOURCE [LANGUAGE ...]

Ends with a table and the line that tests/count.py reads. A language whose tools are missing is
skipped, with the reason.
"""
import os
import subprocess
import sys
import tempfile

import cycles

# The code, and words that the message must contain; the wording is the library's.
WANTED = {"wrong shape": ("INVALID_ARGUMENT", "[2,3]"), "wrong dtype": ("INVALID_ARGUMENT", "i64"),
          "unknown op": ("NOT_FOUND", "'MatMull'"), "missing file": ("NOT_FOUND", "/nowhere/model.percale"),
          "no variables": ("INVALID_ARGUMENT", "session create: the graph has variables"),
          "cancelled run": ("CANCELLED", "cancel"), "memory limit": ("RESOURCE_EXHAUSTED", "4096")}
# After a close the library is not called: the message is the language's own. C passes NULL.
CLOSED = {"C": ("INVALID_ARGUMENT", "'session' is NULL"), "C++": ("INVALID_ARGUMENT", "'session' is NULL"),
          "Go": ("FAILED_PRECONDITION", "the session is closed"), "Java": ("IllegalStateException", "the session is closed"),
          "Rust": ("does not compile", ""), "Python": ("Closed", "this session is closed")}


def faults(name, said, of_c):
    """Returns the unexpected results in {mistake: (code, message)}."""
    wrong = []
    for mistake, (code, words) in {**WANTED, "use after close": CLOSED[name], "lives": ("OK", "")}.items():
        got = said.get(mistake, ("nothing", ""))
        if got[0] != code or words not in got[1]:
            wrong.append(f"{mistake}: {got[0]}: {got[1]}")
        elif mistake != "use after close" and not got[1].startswith(of_c[mistake][1]):
            wrong.append(f"{mistake}: {got[1]}, but C gets {of_c[mistake][1]}")
        elif "percale_" in got[1]:
            wrong.append(f"{mistake}: {got[1]} names a function of C")
    return wrong


def main(build, source, *wanted):
    build, source = os.path.abspath(build), os.path.abspath(source)
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    of_c = None
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([os.path.join(build, cycles.FOLDER, "mistakes_c"), "--make", folder], check=True)
        for name, tools in cycles.LANGUAGES.items():
            if wanted and name not in wanted and name != "C":
                continue
            try:
                command, env = cycles.prepare(tools, build, source)
            except cycles.Absent as absent:
                counts[absent.result] += 1
                print(f"{name:8}{absent.result}: {absent}", flush=True)
                continue
            done = subprocess.run(command("Mistakes") + [folder], env={**env, "PERCALE_LIBRARY": f"{build}/libpercale.so.0"},
                                  stdout=subprocess.PIPE, text=True)
            said = {line[0]: (line[1], line[2]) for line in (row.split("\t") for row in done.stdout.splitlines()) if len(line) == 3}
            of_c = of_c or said
            wrong = faults(name, said, of_c) + ([f"exit code {done.returncode}"] if done.returncode else [])
            counts["failed" if wrong else "passed"] += 1
            print(f"{name:8}{'failed: ' + '; '.join(wrong) if wrong else 'the same codes and messages, and goes on'}", flush=True)
    for mistake, (code, message) in (of_c or {}).items():
        print(f"  {mistake}: {code}: {message}")
    print(f"test cases: {sum(counts.values())} | {counts['passed']} passed | {counts['failed']} failed | {counts['skipped']} skipped")
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
