"""Compares Percale with PyTorch, JAX and ONNX Runtime in one table. Started by tests/bench/run.

    bench.py BUILD [--rounds N] [--milliseconds N] [--only WORD] [--write FILE.md]

All workers stay alive and take turns: each round runs the same workload on every one, so that
changes of the machine's speed affect all alike. The table has the least time of the rounds, their
median, the ratio of the best peer's least time to ours, and the share of the measured FMA peak. Run
it on a quiet machine; it reports the machine's load.
"""
import argparse
import importlib.metadata
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

from turns import HERE, ROOT, Worker, from_start, machine, markdown, percale_version, show_time, take_turns, write_part

PEERS = ["torch", "jax", "onnxruntime"]
COLUMNS = ["torch", "torch-channels-last", "jax", "onnxruntime"]

MLP = 2 * (784 * 512 + 512 * 512 + 512 * 10)
# The first layer needs no gradient of its input.
MLP_STEP = 2 * (2 * 784 * 512 + 3 * 512 * 512 + 3 * 512 * 10)
CONV = 2 * 16 * 56 * 56 * 64 * 64 * 9
LENET_STEP = 64 * 2 * (2 * 784 * 25 * 32 + 3 * 196 * 25 * 32 * 64 + 3 * 3136 * 512 + 3 * 512 * 10)

# name, title of the row, threads, floating-point operations, operations that the row's time is
# divided by
ROWS = [
    ("empty", "empty run (Identity of one number)", 1, 0, 1),
    ("chain", "chain of 1,000 Add and Relu on 16 numbers, not fused: per op", 1, 0, 1000),
    ("chain_fused", "the same, fused where a framework does: per op", 1, 0, 1000),
    ("load", "MLP: load a file, plan, first run", 1, 0, 1),
    ("mlp_1", "MLP 784-512-512-10, batch 1", 1, MLP, 1),
    ("mlp_64", "MLP, batch 64", 1, 64 * MLP, 1),
    ("mlp_adam_1", "MLP, Adam step, batch 1", 1, MLP_STEP, 1),
    ("mlp_adam_64", "MLP, Adam step, batch 64", 1, 64 * MLP_STEP, 1),
    ("lenet_adam_64", "LeNet (32, 64, dense 512), Adam step, batch 64", 1, LENET_STEP, 1),
    ("lenet_adam_64", "LeNet step, two threads", 2, LENET_STEP, 1),
    ("matmul", "matmul 1024", 1, 2 * 1024**3, 1),
    ("matmul", "matmul 1024, two threads", 2, 2 * 1024**3, 1),
    ("conv", "convolution 3x3, 64 to 64, 56x56, batch 16", 1, CONV, 1),
    ("conv", "the same, two threads", 2, CONV, 1),
    ("conv_dx", "its gradient for the input", 1, CONV, 1),
    ("conv_dx", "the same, two threads", 2, CONV, 1),
    ("conv_dw", "its gradient for the weights", 1, CONV, 1),
    ("conv_dw", "the same, two threads", 2, CONV, 1),
]


def commands(build, threads, peers=COLUMNS):
    out = {"percale": [os.path.join(build, "tests", "bench", "percale_worker"), str(threads)]}
    for peer in peers:
        out[peer] = [sys.executable, os.path.join(HERE, "peers.py"), peer, str(threads)]
    return out


def measured_rows(build, args, roof):
    by_threads = {}
    for row in ROWS:
        if args.only and args.only not in row[0]:
            continue
        by_threads.setdefault(row[2], []).append(row)
    lines, one_thread = {}, {}
    for threads, rows in by_threads.items():
        workers = {name: Worker(command) for name, command in commands(build, threads).items()}
        for row in rows:
            name, text, _, flops, per = row
            walls = {w: [t / per for t in times]
                     for w, times in take_turns(workers, name, args.rounds, args.milliseconds).items()}
            best = {w: min(t) for w, t in walls.items()}
            ours = best.pop("percale")
            cells = [text, f"{show_time(ours)} ({show_time(statistics.median(walls['percale']))})"]
            cells += [f"{show_time(best[p])} ({show_time(statistics.median(walls[p]))})" if p in best else "" for p in COLUMNS]
            winner = min(best, key=best.get)
            cells.append(f"{best[winner] / ours:.2f}x {winner}")
            cells.append(f"{best['torch'] / ours:.2f}x")
            cells.append(f"{flops / ours / roof / threads:.0%}" if flops else "")
            if threads == 1:
                one_thread[name] = ours
                cells.append("")
            else:
                cells.append(f"{one_thread[name] / ours:.2f}x" if name in one_thread else "")
            lines[row] = cells
            print("  ".join(cells), file=sys.stderr, flush=True)
        for worker in workers.values():
            worker.close()
    return [lines[row] for row in ROWS if row in lines]


def whole(command):
    """Returns the wall time of a process in seconds, and its output."""
    start = time.perf_counter()
    text = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout
    return time.perf_counter() - start, text


def process_rows(build, args):
    rows = []
    if not args.only or args.only in "start":
        cells = ["process start to first MLP result"]
        for who, command in commands(build, 1, PEERS).items():
            seconds, _, _ = from_start(command, "mlp_1", runs=5)
            cells.append(f"{seconds * 1e3:.3g} ms")
        rows.append(cells)
    if not args.only or args.only in "memory":
        for workload, text in (("mlp_1", "peak memory: MLP, batch 1"), ("lenet_adam_64", "peak memory: LeNet step")):
            cells = [text]
            for who, command in commands(build, 1, PEERS).items():
                if who == "onnxruntime" and workload != "mlp_1":
                    cells.append("")
                    continue
                _, peak, _ = from_start(command, workload, 200)
                cells.append(f"{peak:.0f} MB")
            rows.append(cells)
    if not args.only or args.only in "mnist":
        spec = os.path.join(ROOT, "samples", "mnist", "lenet.json")
        with tempfile.TemporaryDirectory() as folder:
            ours, theirs = [], []
            for i in range(2):
                seconds, text = whole([os.path.join(build, "bindings", "cli", "percale"), "train", spec, "--threads", "2",
                                       "--json", "--out", os.path.join(folder, str(i))])
                ours.append((seconds, float(re.search(r'"accuracy":([0-9.]+)', text).group(1))))
                seconds, text = whole([sys.executable, os.path.join(HERE, "mnist_torch.py"), "2"])
                theirs.append((seconds, float(text.split()[-1])))
            a, b = min(ours), min(theirs)
            rows.append([f"samples/mnist/lenet.json whole, process included, two threads: {b[0] / a[0]:.2f}x torch",
                         f"{a[0]:.1f} s, accuracy {a[1]:.4f}", f"{b[0]:.1f} s, accuracy {b[1]:.4f}", "", ""])
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--milliseconds", type=float, default=150)
    parser.add_argument("--only", default="")
    parser.add_argument("--write")
    args = parser.parse_args()

    args.build = os.path.abspath(args.build)
    if args.write:
        args.write = os.path.abspath(args.write)
    # Workers write their models and data into the current folder
    scratch = tempfile.TemporaryDirectory()
    os.chdir(scratch.name)
    about, roof = machine(args.build)
    versions = ", ".join(f"{p} {importlib.metadata.version(p)}" for p in PEERS)
    table = markdown(["workload", "percale: least (median)", *COLUMNS, "best peer / ours", "torch / ours", "share of the roof",
                      "one thread / two"], measured_rows(args.build, args, roof))
    whole = markdown(["whole processes", "percale", *PEERS], process_rows(args.build, args))
    report = f"""# Results

Made by `sh tests/bench/run --write`; see README.md there for what is measured and how. {time.strftime("%Y-%m-%d")}.

* {about}.
* {percale_version(args.build)}; {versions}; f32 throughout; {args.rounds} rounds of {args.milliseconds:.0f} ms in turns.

{table}

{whole}
"""
    print(report)
    if args.write:
        write_part(args.write, report, second=False)


if __name__ == "__main__":
    main()
