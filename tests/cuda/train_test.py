"""Trains small nets (dense, convolutional and with attention) in f32 and in mixed precision, on
the CPU, on an emulated GPU, and on both at once, and compares the losses.

    train_test.py PERCALE

PERCALE_CUDA_LIBRARIES must name the emulator's folder. Uses only the standard library."""
import csv
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from npy import write_npy  # noqa: E402

ROWS, INPUTS, CLASSES = 96, 12, 4
OPTIMIZERS = [
    {"name": "adam", "learning_rate": 0.01},
    {"name": "sgd", "learning_rate": 0.05, "momentum": 0.9, "nesterov": True},
    {"name": "rmsprop", "learning_rate": 0.005},
]


def write_data(folder):
    r = random.Random(5)
    x = [[r.gauss(0, 1) for _ in range(INPUTS)] for _ in range(ROWS)]
    w = [[r.gauss(0, 1) for _ in range(CLASSES)] for _ in range(INPUTS)]
    y = []
    for row in x:
        scores = [sum(a * b[c] for a, b in zip(row, w)) for c in range(CLASSES)]
        y.append(scores.index(max(scores)))
    write_npy(folder + "/x.npy", "f4", [ROWS, INPUTS], sum(x, []))
    write_npy(folder + "/y.npy", "i8", [ROWS], y)


NETS = {
    "dense": [{"layer": "Dense", "units": 24, "activation": "relu"}, {"layer": "Dense", "units": 16, "activation": "tanh"}],
    "images": [{"layer": "Reshape", "target_shape": [2, 2, 3]},
               {"layer": "Conv2D", "filters": 18, "kernel_size": [2, 2], "padding": "same"}, {"layer": "BatchNormalization"},
               {"layer": "MaxPooling2D", "pool_size": [1, 2]}, {"layer": "LayerNormalization"},
               {"layer": "GlobalAveragePooling2D"}],
    "attention": [{"layer": "Dense", "units": 32 * 48}, {"layer": "Reshape", "target_shape": [32, 48]},
                  {"layer": "MultiHeadAttention", "num_heads": 6, "key_dim": 8, "use_causal_mask": True},
                  {"layer": "Flatten"}],
}


def spec(optimizer, net, precision, parameters, shards):
    return {
        "model": NETS[net] + [{"layer": "Dense", "units": CLASSES}], "precision": precision,
        "input_shape": [INPUTS], "loss": "sparse_categorical_crossentropy", "from_logits": True, "metrics": [], "optimizer": optimizer,
        "data": {"train": {"x": "x.npy", "y": "y.npy"}}, "batch_size": 32, "shards": shards,
        "parameters": parameters, "shuffle": True, "epochs": 3,
        "seed": 1, "devices": "cpu:0"}


def train(program, folder, devices):
    """Returns the losses, the program's report, and the kernels that ran."""
    history, trace = f"{folder}/history.csv", f"{folder}/trace.json"
    command = [program, "train", folder + "/spec.json", "--data", folder, "--devices", devices, "--history", history, "--json",
               "--trace", trace]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode != 0 or "cuda emulator" in done.stderr:
        sys.exit(f"{' '.join(command)}: {done.returncode}\n{done.stdout}{done.stderr}")
    with open(history, newline="") as rows:
        losses = [float(row["loss"]) for row in csv.DictReader(rows)]
    with open(trace, encoding="utf-8") as events:
        kernels = {(event.get("args") or {}).get("detail") for event in json.load(events)["traceEvents"]}
    return losses, json.loads(done.stdout), kernels


# (where parameters lie, number of shards, devices)
PLACES = [("host", 2, ["cuda:0", "cuda:0", "cpu:0,cuda:0", "cuda:0/0,cuda:0/1"]), ("device", 1, ["cuda:0"]),
          ("device", 2, ["cuda:0/0,cuda:0/1", "cuda:0,cuda:1"]), ("mirrored", 2, ["cuda:0,cuda:1"])]


def compare(program, folder, optimizer, net, precision, parameters, shards, all_devices):
    def write_spec(precision):
        with open(folder + "/spec.json", "w") as out:
            json.dump(spec(optimizer, net, precision, parameters, shards), out)

    name = f"{optimizer['name']}, {net}, {precision}, {parameters}, {shards} shards"
    write_spec("f32")
    want, _, _ = train(program, folder, "cpu:0")
    write_spec(precision)
    digests = set()
    for devices in all_devices:
        got, facts, kernels = train(program, folder, devices)
        worst = max(abs(a - b) / max(1, abs(a)) for a, b in zip(want, got))
        if len(want) != len(got) or not worst <= (1e-5 if precision == "f32" else 3e-2):
            sys.exit(f"{name} on {devices}: losses differ by {worst}\n{want}\n{got}")
        wanted = {"cuda.attention_grad"} if net == "attention" else set()
        wanted |= {"cuda.step"} if parameters != "host" else set()
        if not wanted <= kernels:
            sys.exit(f"{name} on {devices}: wanted {wanted} among the kernels: {sorted(filter(None, kernels))}")
        if devices != "cpu:0,cuda:0":
            digests.add(facts["digest"])
        print(f"{name} on {devices}: {len(got)} steps, losses within {worst:.1e}")
    if len(digests) != 1:
        sys.exit(f"{name}: GPUs alone gave different parameters: {digests}")


def apart(program, folder):
    """Tests GPUs that cannot access each other's memory: with `mirrored` the host does the work,
    and `device` fails with the reason."""
    os.environ["PERCALE_CUDA_EMULATOR"] += ",peers=0"
    losses = []
    for parameters in ("host", "mirrored", "device"):
        with open(folder + "/spec.json", "w") as out:
            json.dump(spec(OPTIMIZERS[0], "dense", "f32", parameters, 2), out)
        if parameters != "device":
            losses.append(train(program, folder, "cuda:0,cuda:1")[0])
    done = subprocess.run([program, "train", folder + "/spec.json", "--data", folder, "--devices", "cuda:0,cuda:1"],
                          capture_output=True, text=True, timeout=300)
    if losses[0] != losses[1] or done.returncode == 0 or "cannot access" not in done.stderr:
        sys.exit(f"GPUs apart: {losses}, then {done.returncode}\n{done.stderr}")
    print("GPUs that do not reach each other: the host adds")


def main(program):
    cases = [(optimizer, "dense", "f32") for optimizer in OPTIMIZERS]
    cases += [(OPTIMIZERS[0], net, precision) for net, precision in (("images", "f32"), ("images", "bf16"), ("attention", "bf16"))]
    told = json.loads(subprocess.run([program, "info", "--json", "--devices", "all"], capture_output=True, text=True, check=True).stdout)
    gpus = sum(device["kind"] == "cuda" for device in told["devices"])
    with tempfile.TemporaryDirectory() as folder:
        write_data(folder)
        for case in cases:
            for parameters, shards, all_devices in PLACES:
                there = [devices for devices in all_devices if gpus > 1 or "cuda:1" not in devices]
                if there:
                    compare(program, folder, *case, parameters, shards, there)
        if gpus < 2:
            print("one GPU: nothing ran on several")
        elif "PERCALE_CUDA_EMULATOR" in os.environ:
            apart(program, folder)


if __name__ == "__main__":
    os.environ["PERCALE_CUDA_EMULATOR"] = "strict=1,devices=2"
    main(*sys.argv[1:])
