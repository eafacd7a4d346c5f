"""Compares the modes of data parallel training with one of two devices five times slower.

    modes.py [--write] [--build DIR] [--seeds N] [--epochs N] [--slow FACTOR] [MODE...]

Trains samples/mnist on the CPU and on the `sim` device of tests/sim. Reports steps per second, rows
per second, seconds until the mean loss over the rows of 100 batches is below 0.15, the spread of
the last such mean between seeds, the age in steps of the variables of a shard, the rows of the slow
device, and the test accuracy."""
import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
MODES = ["sync", "backup:3", "bounded:0", "bounded:2", "bounded:8", "async"]
SHARDS, BATCH, WINDOW, LOSS = 4, 64, 100, 0.15


def train(options, mode, seed, folder):
    history = os.path.join(folder, "history.csv")
    program = os.path.join(options.build, "bindings/cli/percale")
    plugin = os.path.join(options.build, "tests/sim/libpercale_sim.so")
    spec = os.path.join(folder, "job.json")
    with open(os.path.join(ROOT, "samples/mnist/lenet.json"), encoding="utf-8") as source:
        job = json.load(source)
    # A step of async is a shard. A learning rate that suits it also suits a whole batch. The rate
    # falls to 0, so that all modes converge.
    job.update(shards=SHARDS, batch_size=BATCH, epochs=options.epochs, optimizer={"name": "sgd", "learning_rate": 0.1, "momentum": 0.5},
               schedule={"name": "cosine"})
    with open(spec, "w", encoding="utf-8") as out:
        json.dump(job, out)
    result = subprocess.run(
        [program, "train", spec, "--plugin", plugin, "--devices", "cpu:0,sim:0", "--threads", "1", "--mode", mode, "--seed",
         str(seed), "--history", history, "--json"],
        capture_output=True, text=True, check=False, env=dict(os.environ, PERCALE_SIM=f"device=0,slow={options.slow}"))
    if result.returncode != 0:
        sys.exit(f"{mode}: {result.stderr}")
    with open(history, encoding="utf-8") as lines:
        rows = [(float(row["loss"]), float(row["seconds"])) for row in csv.DictReader(lines)]
    return json.loads(result.stdout), rows


def smoothed(rows, mode):
    """Returns means over as many steps as have the rows of WINDOW batches, with the second at which
    each ends."""
    window = WINDOW * (SHARDS if mode == "async" else 1)
    losses = [loss for loss, _ in rows]
    total = sum(losses[:window])
    out = []
    for end in range(window, len(losses) + 1):
        out.append((total / window, rows[end - 1][1]))
        if end < len(losses):
            total += losses[end] - losses[end - window]
    return out


def staleness(run):
    shards = sum(entry["shards"] for entry in run["staleness"])
    mean = sum(entry["shards"] * entry["commits"] for entry in run["staleness"]) / max(1, shards)
    return mean, max(entry["commits"] for entry in run["staleness"])


def row_of(options, mode, folder):
    speeds, images, reached, last, accuracies, ages, oldest, slow = [], [], [], [], [], [], 0, []
    for seed in range(1, options.seeds + 1):
        result, rows = train(options, mode, seed, folder)
        means = smoothed(rows, mode)
        speeds.append(result["steps"] / result["seconds"])
        images.append(result["images_per_second"])
        reached.append(next((second for loss, second in means if loss < LOSS), None))
        last.append(means[-1][0])
        accuracies.append(result["metrics"]["accuracy"])
        mean, most = staleness(result["run"])
        ages.append(mean)
        oldest = max(oldest, most)
        by_name = {device["name"]: device["rows"] for device in result["devices"]}
        slow.append(by_name["sim:0"] / sum(by_name.values()))
        print(f"{mode} seed {seed}: {result['seconds']:.1f} s, accuracy {accuracies[-1]:.4f}", file=sys.stderr)
    time = "never" if None in reached else f"{statistics.median(reached):.1f} s"
    return (f"| `{mode}` | {statistics.median(speeds):.1f} | {statistics.median(images):.0f} | {time} | "
            f"{statistics.median(last):.4f} | {max(last) - min(last):.4f} | {statistics.mean(ages):.2f}, {oldest} | "
            f"{100 * statistics.mean(slow):.0f} % | {100 * min(accuracies):.2f} % |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="keeps the table as results/MODES.md")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--slow", type=float, default=5)
    parser.add_argument("modes", nargs="*", default=MODES)
    options = parser.parse_args()
    lines = ["| mode | steps/s | images/s | loss < " + str(LOSS) + " after | last loss | spread | staleness: mean, most | slow device | accuracy |",
             "|---|---|---|---|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as folder:
        for mode in options.modes or MODES:
            lines.append(row_of(options, mode, folder))
    table = "\n".join(lines)
    print(table)
    if options.write:
        with open(os.path.join(HERE, "results", "MODES.md"), "w", encoding="utf-8") as out:
            out.write(f"""# Modes with a slow device
Written by `modes.py`: samples/mnist (SGD, learning rate 0.1 falling to 0 as a cosine, momentum 0.5, batches of {BATCH} in {SHARDS} shards, {options.epochs} epochs) on
`cpu:0` and a `sim` device that is {options.slow:g} times slower, an engine of one thread, {options.seeds} seeds. Median speeds and
times; the loss is the mean of {WINDOW} batches' rows, its spread that between seeds; staleness counts steps; the least accuracy.
A step of `async` is a shard, so that it makes {SHARDS} times as many.

{table}
""")


if __name__ == "__main__":
    main()
