"""Runs the official ONNX cases through `percale test`, directly and after an export and import:
none may fail, and at least the known number must pass.

    python official.py PERCALE FOLDER_TO_UNPACK_INTO PROJECT_ROOT
"""
import json
import os
import subprocess
import sys
import tarfile

MUST_PASS = 1217


def find_archive(root):
    shared = os.environ.get("PERCALE_SHARED") or os.path.join(root, "..", "shared")
    folder = os.path.join(shared, "onnx")
    names = sorted(n for n in os.listdir(folder) if n.endswith(".tar.xz")) if os.path.isdir(folder) else []
    return os.path.join(folder, names[0]) if names else None


def unpack(archive, folder):
    done = os.path.join(folder, "unpacked-" + os.path.basename(archive))
    if not os.path.exists(done):
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="data") if hasattr(tarfile, "data_filter") else tar.extractall(folder)
        open(done, "w").close()


def main(program, folder, root):
    archive = find_archive(root)
    if archive is None:
        print("the official ONNX cases are not there; name their folder by PERCALE_SHARED")
        return 77
    os.makedirs(folder, exist_ok=True)
    unpack(archive, folder)
    return 0 if all([good(program, folder, flags) for flags in ([], ["--exported"])]) else 1


def good(program, folder, flags):
    result = subprocess.run([program, "test", "--json", *flags, folder], capture_output=True, text=True)
    report = json.loads(result.stdout)
    failed = [case for case in report["cases"] if case["verdict"] == "FAIL"]
    for case in failed:
        print(f'FAIL {case["name"]}: {case["reason"]}')
    print(*flags, f'{report["passed"]} passed, {report["failed"]} failed, {report["unsupported"]} unsupported')
    if report["passed"] < MUST_PASS:
        print(f"at least {MUST_PASS} passed before")
    return result.returncode == 0 and not failed and report["failed"] == 0 and report["passed"] >= MUST_PASS


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
