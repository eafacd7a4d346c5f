"""Trains three small nets and compares the digests of their parameters with recorded ones.

    digests.py PERCALE            compares; exit code 77 if no fingerprint is recorded
    digests.py PERCALE --record   adds the digests of this machine's fingerprints to digests.json

Digests depend on the numerics fingerprint alone (version, instruction set or numerics=portable), so
they are recorded per fingerprint. Each net trains with 2 and 8 shards on 1 and 2 threads, on every
instruction set that this CPU has, with native and with portable numerics. The digest must not
depend on the number of threads, and with portable numerics not on the instruction set, recorded or
not.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from emulator import command  # noqa: E402
from npy import write_npy  # noqa: E402

RECORDED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "digests.json")
SKIPPED = 77
INSTRUCTION_SETS = ("sse4", "avx2", "avx512", "neon")
ROWS = 96


def make_data(folder, name, shape, classes):
    source = random.Random(name)
    size = 1
    for dim in shape:
        size *= dim
    labels = [source.randrange(classes) for _ in range(ROWS)]
    # The class shifts the values, so that there is something to learn.
    values = [source.uniform(-1, 1) + 0.3 * label for label in labels for _ in range(size)]
    write_npy(os.path.join(folder, name + "-x.npy"), "f4", [ROWS, *shape], values)
    write_npy(os.path.join(folder, name + "-y.npy"), "i8", [ROWS], labels)


def conv(name, filters, inputs=None, **more):
    layer = {"layer": "Conv2D", "name": name, "filters": filters, "kernel_size": 3, "padding": "same", "use_bias": False}
    return layer | ({"inputs": [inputs]} if inputs else {}) | more


def residual_block(name, filters, before):
    """Two convolutions with batch normalisation, and the block's input added to their result."""
    return [conv(f"{name}_a", filters, before), {"layer": "BatchNormalization"},
            {"layer": "Activation", "activation": "relu"},
            conv(f"{name}_b", filters), {"layer": "BatchNormalization", "name": f"{name}_n"},
            {"layer": "Add", "name": f"{name}_sum", "inputs": [before, f"{name}_n"]},
            {"layer": "Activation", "name": f"{name}_out", "activation": "relu"}]


LENET = [
    {"layer": "Conv2D", "filters": 6, "kernel_size": 5, "padding": "same", "activation": "relu"},
    {"layer": "MaxPooling2D", "pool_size": 2},
    {"layer": "Conv2D", "filters": 16, "kernel_size": 5, "activation": "relu"},
    {"layer": "MaxPooling2D", "pool_size": 2},
    {"layer": "Flatten"},
    {"layer": "Dense", "units": 64, "activation": "relu"},
    {"layer": "Dense", "units": 10}]
RESNET = [
    conv("stem", 16), {"layer": "BatchNormalization"}, {"layer": "Activation", "name": "stem_out", "activation": "relu"},
    *residual_block("one", 16, "stem_out"), *residual_block("two", 16, "one_out"),
    {"layer": "GlobalAveragePooling2D"}, {"layer": "Dense", "units": 10}]
LSTM = [
    {"layer": "LSTM", "units": 24, "return_sequences": True},
    {"layer": "LSTM", "units": 16},
    {"layer": "Dropout", "rate": 0.2},
    {"layer": "Dense", "units": 10}]
# The model, the shape of a row, the optimizer.
NETS = {
    "lenet": (LENET, [28, 28, 1], {"name": "adam", "learning_rate": 0.002}),
    "resnet": (RESNET, [12, 12, 3], {"name": "sgd", "learning_rate": 0.05, "momentum": 0.9}),
    "lstm": (LSTM, [20, 8], {"name": "rmsprop", "learning_rate": 0.003}),
}


def write_spec(folder, net):
    model, shape, optimizer = NETS[net]
    make_data(folder, net, shape, 10)
    path = os.path.join(folder, net + ".json")
    with open(path, "w", encoding="ascii") as out:
        json.dump({"model": model, "loss": "sparse_categorical_crossentropy", "from_logits": True, "optimizer": optimizer,
                   "data": {"train": {"x": net + "-x.npy", "y": net + "-y.npy"}},
                   "batch_size": 16, "shuffle": True, "epochs": 2, "seed": 7}, out)
    return path


def run(percale, *arguments):
    result = subprocess.run([*command(percale), *arguments, "--option", "onednn=off", "--json"], capture_output=True,
                            text=True, timeout=300, check=False)
    if result.returncode != 0:
        raise AssertionError(f"percale {' '.join(arguments)}: exit code {result.returncode}\n{result.stderr}")
    return json.loads(result.stdout)


def numerics(percale):
    """(options, fingerprint) of each instruction set that this CPU has, with both numerics."""
    found = []
    for isa in INSTRUCTION_SETS:
        if run(percale, "info", "--option", f"isa={isa}")["isa"] != isa:
            continue
        for kind in ("native", "portable"):
            options = ["--option", f"isa={isa}", "--option", f"numerics={kind}"]
            found.append((options, run(percale, "info", *options)["fingerprint"]))
    return found


def measure(percale, folder, options):
    """Digests by net and number of shards. Fails if they depend on the number of threads."""
    digests = {}
    for net in NETS:
        spec = write_spec(folder, net)
        for shards in (2, 8):
            seen = {run(percale, "train", spec, "--shards", str(shards), "--threads", str(threads), *options)["digest"]
                    for threads in (1, 2)}
            if len(seen) != 1:
                raise AssertionError(f"{net} with {shards} shards, {options}: 1 and 2 threads give different digests")
            digests[f"{net}, {shards} shards"] = seen.pop()
    return digests


def main(percale, record):
    with open(RECORDED, encoding="ascii") as file:
        recorded = json.load(file)
    compared = failed = 0
    measured = {}
    with tempfile.TemporaryDirectory() as folder:
        for options, fingerprint in numerics(percale):
            digests = measure(percale, folder, options)
            other = measured.setdefault(fingerprint, digests)
            if other != digests:
                failed += 1
                print(f"{fingerprint}: {options} gives {digests}, another instruction set {other}")
            for key, wanted in ({} if record else recorded.get(fingerprint, {})).items():
                compared += 1
                if digests[key] != wanted:
                    failed += 1
                    print(f"{fingerprint}: {key}: digest {digests[key]}, recorded {wanted}")
    recorded.update(measured)
    if record and not failed:
        with open(RECORDED, "w", encoding="ascii") as out:
            json.dump(recorded, out, indent=1, sort_keys=True)
            out.write("\n")
    print(f"{compared} digests compared, {failed} differ")
    if failed:
        return 1
    if not compared and not record:
        print("no digest is recorded for the fingerprints of this machine; `digests.py PERCALE --record` records them")
    return 0 if compared or record else SKIPPED


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[2:] not in ([], ["--record"]):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:] == ["--record"]))
