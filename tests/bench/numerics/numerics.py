"""Measures the cost of numerics=portable and batch_invariant=on. Started by tests/bench/run
--numerics.

    numerics.py BUILD [--rounds N] [--milliseconds N] [--only WORD] [--write FILE.md]

All workers stay alive and take turns on the same workload, on one thread and without oneDNN, which
neither option permits.
"""
import argparse
import datetime
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from turns import Worker, machine, markdown, percale_version, show_time, take_turns  # noqa: E402

SETTINGS = {"native": [], "portable": ["numerics=portable"], "invariant": ["batch_invariant=on"],
            "both": ["numerics=portable", "batch_invariant=on"]}
ROWS = [
    ("lenet_adam_64", "LeNet, Adam step, batch 64"),
    ("mlp_64", "MLP, batch 64"),
    ("mlp_1", "MLP, batch 1"),
    ("resnet50_train:4,64,32", "ResNet-50 of half the width, SGD step, batch 4 of 64 x 64"),
    ("resnet50:1,224,64", "ResNet-50, batch 1"),
    ("lstm_train:32,16,128,256", "LSTM of 256 units, SGD step, batch 16 of 32 steps"),
    ("bert:2,256,4,1000,1,64", "transformer of 2 layers of 256, batch 1 of 64 tokens"),
    ("bert:2,256,4,1000,8,64", "the same, batch 8"),
]


def measure(workload, args):
    """The cells of a row: the least time of the default, and those of the others as multiples."""
    program = os.path.join(args.build, "tests", "bench", "percale_worker")
    workers = {name: Worker([program, "1", "onednn=off", *options]) for name, options in SETTINGS.items()}
    times = take_turns(workers, workload, args.rounds, args.milliseconds)
    for worker in workers.values():
        worker.close()
    missing = [name for name in SETTINGS if name not in times]
    if missing:
        sys.exit(f"{workload}: no time for {', '.join(missing)}")
    least = {name: min(found) for name, found in times.items()}
    return [show_time(least["native"])] + [f"{least[name] / least['native']:.2f}" for name in SETTINGS if name != "native"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--milliseconds", type=float, default=300)
    parser.add_argument("--only", default="")
    parser.add_argument("--write")
    args = parser.parse_args()
    about, _ = machine(args.build)
    rows = []
    for workload, title in ROWS:
        if args.only in workload:
            rows.append([title, *measure(workload, args)])
            print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    table = markdown(["model", "default", "`numerics=portable`", "`batch_invariant=on`", "both"], rows)
    print(table)
    if args.write:
        with open(args.write, "w", encoding="utf-8") as out:
            out.write(f"# The cost of portable numerics and batch invariance\n"
                      f"Written by `sh tests/bench/run --numerics --write` on {datetime.date.today()}: {percale_version(args.build)}, one\n"
                      f"thread, without oneDNN, the least of {args.rounds} rounds; the options as multiples of the default's time.\n"
                      f"Machine: {about}.\n\n{table}\n")


if __name__ == "__main__":
    main()
