"""Runs the real models of the shared folder through `percale test`: each gives its reference
outputs, directly and after an export and import.

    python models.py PERCALE PROJECT_ROOT
"""
import json
import os
import subprocess
import sys

MUST_PASS = 15


def main(program, root):
    folder = os.path.join(os.environ.get("PERCALE_SHARED") or os.path.join(root, "..", "shared"), "models")
    if not os.path.isdir(folder):
        print("the models are not there; name the folder that holds `models` by PERCALE_SHARED")
        return 77
    good = True
    for flags in ([], ["--exported"]):
        result = subprocess.run([program, "test", "--json", *flags, folder], capture_output=True, text=True)
        report = json.loads(result.stdout)
        for case in report["cases"]:
            if case["verdict"] != "PASS":
                print(*flags, case["verdict"], case["name"], case["reason"])
        print(*flags, f'{report["passed"]} pass, at least {MUST_PASS} must')
        good = good and result.returncode == 0 and report["passed"] >= MUST_PASS
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
