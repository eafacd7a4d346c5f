"""Compares training on several devices of one process with the peers' ways to use two. Started by
tests/bench/run --devices.

    devices.py BUILD CACHE [--rounds N] [--milliseconds N] [--only WORD] [--tensorflow PYTHON]
               [--write FILE.md]

All train the same two nets on the same batch, once on one device of one thread and once on two;
they take turns. CACHE: the folder of the cases. PYTHON: the interpreter of an environment with
TensorFlow, whose packages conflict with the others'. The part of FILE before the heading of this
table is kept.
"""
import argparse
import datetime
import json
import os
import subprocess
import sys
import tempfile

import cases
import device_nets
from turns import DEVICES, HERE, Worker, machine, markdown, percale_version, show_time, take_turns, write_part

PAIRS = {"percale": ("percale", "percale, 2"), "torch": ("torch", "torch-ddp"), "tensorflow": ("tensorflow", "tensorflow-mirrored")}


def folder_of(name, cache):
    if name == "resnet18":
        return cases.case("resnet18_train", cache)
    return device_nets.make_transformer(os.path.join(cache, "devices", name))


def measure(name, args):
    """Returns the seconds of a step by worker, in every round."""
    folder = folder_of(name, args.cache)
    worker = os.path.join(args.build, "tests", "bench", "percale_worker")
    commands = {"percale": [worker, "1", "devices=cpu:0", "shards=2"], "percale, 2": [worker, "2", "devices=cpu=2x1", "shards=2"]}
    for peer in ["torch", "torch-ddp", "tensorflow", "tensorflow-mirrored"]:
        python = args.tensorflow if peer.startswith("tensorflow") else sys.executable
        if python:
            commands[peer] = [python, os.path.join(HERE, "device_peers.py"), peer]
    times = {}
    with tempfile.TemporaryDirectory() as scratch:
        workers = {who: Worker(command, scratch) for who, command in commands.items()}
        ours = {who: w for who, w in workers.items() if who.startswith("percale")}
        peers = {who: w for who, w in workers.items() if not who.startswith("percale")}
        for _ in range(args.rounds):
            for group, workload in ((ours, f"train:{folder}/spec.json"), (peers, f"step:{name}")):
                for who, found in take_turns(group, workload, 1, args.milliseconds).items():
                    times.setdefault(who, []).extend(found)
        for w in workers.values():
            w.close()
    print(f"{name}: " + ", ".join(f"{who} {show_time(min(t))}" for who, t in times.items()), file=sys.stderr, flush=True)
    return times


def facts(name, args, epochs):
    """Returns the facts that a training on two devices reports."""
    folder = folder_of(name, args.cache)
    program = os.path.join(args.build, "bindings", "cli", "percale")
    out = subprocess.run([program, "train", os.path.join(folder, "spec.json"), "--data", folder, "--epochs", str(epochs), "--shards", "2",
                          "--devices", "cpu=2x1", "--threads", "2", "--json"], capture_output=True, text=True, check=True).stdout
    return json.loads(out)


def rows_of(name, times, args):
    size = device_nets.BATCH[name]
    rows = []
    for who, (one, two) in PAIRS.items():
        if one not in times or two not in times:
            continue
        a, b = min(times[one]), min(times[two])
        exposed = ""
        if who == "percale":
            told = facts(name, args, epochs=20)["run"]
            exposed = f"{100 * told['exposed_averaging_seconds'] / told['seconds']:.2f} %"
        rows.append([f"{name}, batch {size}", two if who != "percale" else who, show_time(a), show_time(b), f"{a / b:.2f}x",
                     f"{size / b * 1e9:.1f}", f"{b / min(times['percale, 2']):.2f}x", exposed])
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("cache")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--milliseconds", type=float, default=1500)
    parser.add_argument("--only", default="")
    parser.add_argument("--tensorflow")
    parser.add_argument("--write")
    args = parser.parse_args()
    # Workers have folders of their own
    args.build, args.cache = os.path.abspath(args.build), os.path.abspath(args.cache)
    about, _ = machine(args.build)
    averaging = subprocess.run([os.path.join(args.build, "tests", "bench", "averaging")], capture_output=True, text=True,
                               check=True).stdout.strip().splitlines()
    rows = []
    for name in device_nets.BATCH:
        if args.only in name:
            rows += rows_of(name, measure(name, args), args)
    header = ["a training step", "who, with two", "one device", "two devices", "one / two", "rows/s with two", "its time / ours, with two",
              "exposed averaging"]
    text = "\n".join([
        DEVICES, "",
        f"Made by `sh tests/bench/run --devices --write`. {datetime.date.today()}. {about}. {percale_version(args.build)}.", "",
        "A device has one thread. Ours are in one process and share the variables; each computes one of two shards, the host adds them. "
        "torch-ddp: two processes, gloo; tensorflow-mirrored: two logical CPUs. Exposed: the part of the run in which the host added "
        "and no device computed.", "",
        markdown(header, rows), "",
        "Adding gradients (64 MB in tensors of many sizes), bytes read and written, against copying them:", "",
        *[f"* {line}" for line in averaging], ""])
    print(text)
    if args.write:
        write_part(args.write, text, second=True)


if __name__ == "__main__":
    main()
