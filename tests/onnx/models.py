"""Runs the real models of the shared folder on their reference inputs: none may give anything but its reference outputs, and no
fewer may run than did before. A model that needs an op which is not there counts as unsupported.

    python models.py PERCALE PROJECT_ROOT
"""
import array
import ast
import json
import math
import os
import struct
import subprocess
import sys
import tempfile

MUST_MATCH = 15
RELATIVE = 1e-3
# Elements by numpy's names; f16 has no array type.
TYPES = {"<f4": "f", "<f8": "d", "<i8": "q", "<i4": "i", "|i1": "b", "|u1": "B", "|b1": "B"}


def read_npy(path):
    """Shape and elements as numbers."""
    with open(path, "rb") as file:
        data = file.read()
    size, begin = (struct.unpack_from("<H", data, 8)[0], 10) if data[6] == 1 else (struct.unpack_from("<I", data, 8)[0], 12)
    header = ast.literal_eval(data[begin:begin + size].decode())
    assert not header["fortran_order"], path
    body = data[begin + size:]
    if header["descr"] == "<f2":
        return header["shape"], [v for (v,) in struct.iter_unpack("<e", body)]
    return header["shape"], array.array(TYPES[header["descr"]], body)


def cosine(a, b):
    dot, lengths = sum(x * y for x, y in zip(a, b)), math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))
    return dot / lengths if lengths else 0.0


def difference(got, want, absolute, coarse):
    """What is wrong with an output, or nothing. Models in f16 or int8 (`coarse`) may also point where the reference does."""
    if got[0] != want[0]:
        return f"its shape is {got[0]}, wanted {want[0]}"
    for i, (x, y) in enumerate(zip(got[1], want[1])):
        near = x == y or abs(x - y) <= absolute + RELATIVE * abs(y) or (x != x and y != y)
        if not near and not (coarse and cosine(got[1], want[1]) >= 0.999):
            return f"element {i} is {x}, wanted {y} (tolerance {absolute})"
    return None


def run_set(program, folder, case, coarse):
    """None when all is well, else what is not, and whether that is an op which is not there."""
    with tempfile.TemporaryDirectory() as out:
        feeds = [word for i in case["inputs"] for word in ("--feed", f'{i["name"]}={os.path.join(folder, i["file"])}')]
        result = subprocess.run([program, "run", os.path.join(folder, "model.onnx"), "--out", out] + feeds,
                                capture_output=True, text=True)
        if result.returncode:
            return result.stderr.strip().splitlines()[-1], "UNIMPLEMENTED" in result.stderr
        for wanted in case["outputs"]:
            name = wanted["name"].replace("/", "_").replace(":", "_") + ".npy"
            wrong = difference(read_npy(os.path.join(out, name)), read_npy(os.path.join(folder, wanted["file"])),
                               wanted.get("atol", 1e-5), coarse)
            if wrong:
                return f'{wanted["name"]}: {wrong}', False
    return None


def main(program, root):
    folder = os.path.join(os.environ.get("PERCALE_SHARED") or os.path.join(root, "..", "shared"), "models")
    if not os.path.isdir(folder):
        print("the models are not there: name the folder that holds `models` by PERCALE_SHARED")
        return 77
    matched = failed = 0
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if not os.path.exists(os.path.join(path, "meta.json")):
            continue
        with open(os.path.join(path, "meta.json")) as file:
            meta = json.load(file)
        coarse = name.endswith("_half") or any(op.endswith("Integer") or op.startswith("QLinear") for op in meta["ops"])
        wrong = next((w for w in (run_set(program, path, case, coarse) for case in meta["sets"]) if w), None)
        matched += wrong is None
        failed += wrong is not None and not wrong[1]
        print("ok" if wrong is None else "UNSUPPORTED" if wrong[1] else "FAIL", name, *(wrong or ("",))[:1])
    print(f"{matched} match their references, {failed} do not; at least {MUST_MATCH} must")
    return 0 if failed == 0 and matched >= MUST_MATCH else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
