"""Compares training in two processes, which exchange bytes over TCP on this machine, with one
process, and with the peers' way to do it. Started by tests/bench/run --group.

    group.py BUILD CACHE [--rounds N] [--steps N] [--only WORD] [--write FILE.md]

All train the nets of device_nets.py, one thread per process; they take turns. CACHE: the folder of
the cases.
"""
import argparse
import datetime
import json
import os
import socket
import subprocess
import sys
import tempfile

import device_nets
from devices import folder_of
from turns import HERE, Worker, machine, markdown, percale_version, show_time, take_turns


def free_ports(count):
    """Returns the first of `count` ports that follow each other and are free."""
    while True:
        with socket.socket() as first:
            first.bind(("127.0.0.1", 0))
            port = first.getsockname()[1]
        try:
            for i in range(count):
                with socket.socket() as other:
                    other.bind(("127.0.0.1", port + i))
            return port
        except OSError:
            continue


def train(folder, ranks, args):
    """Returns what rank 0 tells of a training."""
    program, port = os.path.join(args.build, "tests", "bench", "group_rank"), free_ports(ranks)
    processes = [subprocess.Popen([program, os.path.join(folder, "spec.json"), folder, str(rank), str(ranks), str(port), str(args.steps),
                                   "shards=2"], stdout=subprocess.PIPE, text=True) for rank in range(ranks)]
    outputs = [p.communicate()[0] for p in processes]
    if any(p.returncode for p in processes):
        sys.exit("group.py: a rank failed")
    told = [json.loads(o) for o in outputs]
    assert len({t["digest"] for t in told}) == 1, told
    return told[0]


def measure(name, args):
    """Returns our results by the number of ranks, in every round, and the peers' nanoseconds."""
    folder, ours, peers = folder_of(name, args.cache), {1: [], 2: []}, {}
    with tempfile.TemporaryDirectory() as scratch:
        workers = {peer: Worker([sys.executable, os.path.join(HERE, "device_peers.py"), peer], scratch) for peer in ("torch", "torch-ddp")}
        for _ in range(args.rounds):
            for ranks, found in ours.items():
                found.append(train(folder, ranks, args))
            for who, found in take_turns(workers, f"step:{name}", 1, args.milliseconds).items():
                peers.setdefault(who, []).extend(found)
        for worker in workers.values():
            worker.close()
    assert len({t["digest"] for found in ours.values() for t in found}) == 1, "the digests differ"
    return ours, peers


def rows_of(name, args):
    ours, peers = measure(name, args)
    one, two = (min(found, key=lambda t: t["step_seconds"]) for found in ours.values())
    # 2 (N - 1) / N of the parameters, for two
    batch, least = device_nets.BATCH[name], 4 * two["trainable"]
    rows = [[f"{name}, batch {batch}", "percale", show_time(one["step_seconds"] * 1e9), show_time(two["step_seconds"] * 1e9),
             f"{one['step_seconds'] / two['step_seconds']:.2f}x", f"{two['bytes_sent'] / 1e6:.2f} MB", f"{two['bytes_sent'] / least:.4f}",
             f"{two['exchanges']:.0f}", f"{100 * two['waited_share']:.1f} %"]]
    if {"torch", "torch-ddp"} <= peers.keys():
        a, b = min(peers["torch"]), min(peers["torch-ddp"])
        rows.append([rows[0][0], "torch, gloo", show_time(a), show_time(b), f"{a / b:.2f}x", "", "", "", ""])
    print(f"{name}: " + ", ".join(rows[0][1:]), file=sys.stderr, flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("cache")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--milliseconds", type=float, default=3000)
    parser.add_argument("--only", default="")
    parser.add_argument("--write")
    args = parser.parse_args()
    args.build, args.cache = os.path.abspath(args.build), os.path.abspath(args.cache)
    about, _ = machine(args.build)
    rows = [row for name in device_nets.BATCH if args.only in name for row in rows_of(name, args)]
    header = ["a training step", "who", "one process", "two processes", "one / two", "sent by each", "of 2 (N - 1) / N of the parameters",
              "exchanges", "only waited"]
    text = "\n".join([
        "# Training in several processes", "",
        f"Made by `sh tests/bench/run --group --write`. {datetime.date.today()}. {about}. {percale_version(args.build)}.", "",
        "A process has one thread; each of two computes one of two shards. They exchange bytes over TCP on the loopback device. The digest "
        "is the same in each row, with one process and with two. Only waited: the part of the time in which a process did nothing but wait "
        "for the other one, also because that had not computed yet.", "",
        markdown(header, rows), ""])
    print(text)
    if args.write:
        with open(args.write, "w") as file:
            file.write(text)


if __name__ == "__main__":
    main()
