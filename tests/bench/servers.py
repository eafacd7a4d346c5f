"""Measures steps on parameter servers that compute next to nothing: what is left is the way of the
parameters. Started by tests/bench/run --servers.

    servers.py BUILD [--rounds N] [--seconds N] [--only WORD] [--workers 1,2,4] [--write FILE.md]

Chief, workers and two parameter servers are processes on this machine, which talk over the
loopback device. A worker looks up 64 rows of a table in each step. Dense: the gradient is as large
as the table, and the table travels whole. By rows: only rows do.
"""
import argparse
import csv
import datetime
import json
import os
import random
import subprocess
import sys
import tempfile

from turns import ROOT, machine, markdown, percale_version, show_time

sys.path[:0] = [os.path.join(ROOT, "tests", folder) for folder in ("remote", "support")]
from npy import write_npy  # noqa: E402
from worker_processes import Workers  # noqa: E402

LOOKED_UP, SERVERS = 64, 2
# Name: rows of the table, columns, and whether it trains by rows.
CASES = {"dense, scalar": (1, 1, False), "dense, 100 MB": (25_000, 1000, False), "dense, 1 GB": (250_000, 1000, False),
         "64 rows of 1 k": (1_000, 16, True), "64 rows of 100 k": (100_000, 16, True), "64 rows of 10 M": (10_000_000, 16, True)}


def make_job(folder, case, workers, steps, epochs):
    """Writes a job of so many steps per epoch. Each worker computes one shard of a batch."""
    rows, columns, by_rows = CASES[case]
    batch = LOOKED_UP * workers
    source = random.Random(1)
    write_npy(os.path.join(folder, "x.npy"), "i8", [batch * steps, 1], [source.randrange(rows) for _ in range(batch * steps)])
    write_npy(os.path.join(folder, "y.npy"), "f4", [batch * steps, 1], [0.0] * (batch * steps))
    spec = {"model": [{"layer": "Embedding", "input_dim": rows, "output_dim": columns, "embeddings_initializer": "zeros"},
                      {"layer": "Flatten"}, {"layer": "Dense", "units": 1}],
            "loss": "mse", "data": {"train": {"x": "x.npy", "y": "y.npy"}}, "batch_size": batch, "shards": workers,
            "epochs": epochs, "shuffle": False, "publish": "hand", "strategy": "parameter_server", "mode": "sync",
            "optimizer": {"name": "adagrad", "sparse": by_rows}}
    path = os.path.join(folder, "spec.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(spec, file)
    return path


def train(args, case, workers, steps, epochs):
    """Returns the seconds of each step behind the first epoch, which sends the table."""
    with tempfile.TemporaryDirectory() as folder, \
            Workers(os.path.join(args.build, "devices", "remote", "percale-worker"), *[("--devices", "cpu=1x1")] * (workers + SERVERS)) as served:
        spec, cluster, history = make_job(folder, case, workers, steps, epochs), os.path.join(folder, "cluster.json"), os.path.join(folder, "h.csv")
        with open(cluster, "w", encoding="utf-8") as file:
            json.dump({"cluster": {"chief": ["127.0.0.1:1"], "worker": served.addresses[:workers], "ps": served.addresses[workers:]}}, file)
        subprocess.run([os.path.join(args.build, "bindings", "cli", "percale"), "train", spec, "--cluster", cluster, "--task", "chief:0",
                        "--history", history], check=True, stdout=subprocess.DEVNULL)
        with open(history, encoding="utf-8") as file:
            ends = [float(row["seconds"]) for row in csv.DictReader(file)]
    return [b - a for a, b in zip(ends[steps - 1:], ends[steps:])]  # the history has a row per step


def has_room(case, workers):
    """True if the memory suffices. In sizes of the table, a dense step takes 5 in the servers, 2 in
    each worker, and 3 and 4 per worker in the chief, through which all goes."""
    rows, columns, by_rows = CASES[case]
    with open("/proc/meminfo", encoding="ascii") as file:
        free = next(int(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable"))
    return rows * columns * 4 * (8 + (0 if by_rows else 6 * workers)) < free


def measure(args, case, workers):
    """Returns the least and the median seconds of a step."""
    found = train(args, case, workers, 1, 3)
    steps = min(200, int(args.seconds / 6 / min(found)))
    if steps > 1:
        found = [s for _ in range(args.rounds) for s in train(args, case, workers, steps, 6)]
    found.sort()
    return found[0], found[len(found) // 2]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=6, help="of a training, about")
    parser.add_argument("--only", default="")
    parser.add_argument("--workers", default="1,2,4")
    parser.add_argument("--write")
    args = parser.parse_args()
    args.build = os.path.abspath(args.build)
    about, _ = machine(args.build)
    counts = [int(count) for count in args.workers.split(",")]
    rows = []
    for case in CASES:
        if args.only not in case:
            continue
        cells = []
        for count in counts:
            if not has_room(case, count):
                cells.append("too large here")
                continue
            least, median = measure(args, case, count)
            cells.append(f"{show_time(least * 1e9)}, {show_time(median * 1e9)}")
            print(f"{case}, {count} workers: {cells[-1]}", file=sys.stderr, flush=True)
        table_rows, columns, _ = CASES[case]
        rows.append([case, f"{table_rows * columns * 4 / 1e6:.4g} MB", *cells])
    text = "\n".join([
        "# Steps on parameter servers", "",
        f"Made by `sh tests/bench/run --servers --write`. {datetime.date.today()}. {about}. {percale_version(args.build)}.", "",
        f"A step looks up {LOOKED_UP} rows of a table per worker, and computes next to nothing. Mode sync, Adagrad. The chief, the workers "
        f"and {SERVERS} parameter servers are processes of one thread on this machine, connected by loopback. A cell has the least and the "
        "median time of a step.", "",
        markdown(["parameters", "size"] + [f"{count} workers" if count > 1 else "1 worker" for count in counts], rows), ""])
    print(text)
    if args.write:
        with open(args.write, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
