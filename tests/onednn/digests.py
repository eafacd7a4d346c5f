"""Checks that the digest of a training run depends only on the numerics fingerprint: on the
instruction set if oneDNN computes, on nothing if it is off, and never on the number of threads.

    python digests.py PERCALE
"""
import json
import os
import random
import subprocess
import sys
import tempfile

# Small, but every layer has enough work to be split into pieces.
SPEC = {
    "model": [{"layer": "Conv2D", "filters": 24, "kernel_size": 3, "activation": "relu"},
              {"layer": "MaxPooling2D", "pool_size": 2}, {"layer": "BatchNormalization"},
              {"layer": "Conv2D", "filters": 32, "kernel_size": 3, "activation": "relu"}, {"layer": "Flatten"},
              {"layer": "Dense", "units": 64, "activation": "relu"}, {"layer": "LayerNormalization"},
              {"layer": "Dense", "units": 10}],
    "input_shape": [20, 20, 1], "loss": "sparse_categorical_crossentropy", "from_logits": True, "metrics": ["accuracy"],
    "optimizer": {"name": "adam", "learning_rate": 0.01},
    "data": {"train": {"x": "x.idx", "y": "y.idx", "scale": 1 / 255}, "test": {"x": "x.idx", "y": "y.idx", "scale": 1 / 255}},
    "batch_size": 32, "shards": 2, "shuffle": True, "epochs": 1, "seed": 1,
}


def write_idx(path, dims, data):
    with open(path, "wb") as out:
        out.write(bytes([0, 0, 8, len(dims)]) + b"".join(d.to_bytes(4, "big") for d in dims) + bytes(data))


def write_spec(folder, spec, rows=256):
    source = random.Random(7)
    write_idx(os.path.join(folder, "x.idx"), [rows, 20, 20], [source.randrange(256) for _ in range(rows * 400)])
    write_idx(os.path.join(folder, "y.idx"), [rows], [source.randrange(10) for _ in range(rows)])
    with open(spec, "w", encoding="utf-8") as out:
        json.dump(SPEC, out)


def digest(program, spec, *options):
    result = subprocess.run([program, "train", spec, "--json", *options], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(result.stderr)
    return json.loads(result.stdout)["digest"]


def main(program):
    info = subprocess.run([program, "info", "--json"], capture_output=True, text=True, check=True).stdout
    machine = json.loads(info)["isa"]
    names = ["sse4", "avx2", "avx512"]
    isas = [isa for isa in ("avx2", "avx512") if names.index(isa) <= names.index(machine)]
    with tempfile.TemporaryDirectory() as folder:
        spec = os.path.join(folder, "net.json")
        write_spec(folder, spec)
        seen = {}
        for onednn in ("off", "require"):
            for isa in isas:
                options = ["--option", f"onednn={onednn}", "--option", f"isa={isa}"]
                found = {digest(program, spec, "--threads", str(threads), *options) for threads in (1, 2, 3, 4)}
                if len(found) != 1:
                    sys.exit(f"onednn={onednn} isa={isa}: {len(found)} digests on 1 to 4 threads")
                seen[onednn, isa] = found.pop()
                print(onednn, isa, seen[onednn, isa])
    if len({seen["off", isa] for isa in isas}) != 1:
        sys.exit("without oneDNN the instruction set changes the digest")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
