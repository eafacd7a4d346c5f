"""Real models: compares Percale with ONNX Runtime, OpenVINO and PyTorch. Started by tests/bench/run
--models.

    models.py BUILD CACHE [--rounds N] [--milliseconds N] [--threads 1] [--cpu] [--only WORD]
              [--parts WORD,...] [--write FILE.md]

CACHE: the folder of the cases. For each case all workers take turns, as in bench.py. Their results
are compared with ONNX Runtime's, so that no time belongs to a wrong result.
"""
import argparse
import importlib.metadata
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import breakdown
from turns import HERE, Worker, from_start, machine, markdown, percale_version, show_time, take_turns

PARTS = ["inference", "load", "processes", "training", "breakdown"]
PEERS = ["onnxruntime", "openvino-f32", "openvino", "torch"]
# Takes turns with the worker it is compared with: a machine's speed changes within minutes.
ALONE = "percale-one-thread"
PACKAGES = ["onnxruntime", "openvino", "torch"]
CHAINS = {"chain_16": "chain of 1,000 ops on 16 numbers", "chain_64k": "chain of 1,000 ops on 65,536 numbers"}


def command(who, build, threads):
    if who.startswith("percale"):
        threads = 1 if who == ALONE else threads
        options = ["precision=bf16"] if who == "percale-bf16" else []
        return [os.path.join(build, "tests", "bench", "percale_worker"), str(threads), *options]
    return [sys.executable, os.path.join(HERE, "model_peers.py"), who, str(threads)]


def relative_error(found, wanted):
    """Returns the largest difference relative to the largest number of the tensor; infinite if
    shapes differ."""
    if found.shape != wanted.shape:
        return math.inf
    if wanted.size == 0:
        return 0.0
    found, wanted = found.astype(np.float64), wanted.astype(np.float64)
    return float(np.abs(found - wanted).max() / max(np.abs(wanted).max(), 1e-30))


def error_of(folder, reference, names):
    """Returns the error of the results that a worker left in `folder`, compared with those in
    `reference`."""
    pairs = [(os.path.join(folder, n), os.path.join(reference, n)) for n in names if os.path.exists(os.path.join(reference, n))]
    if not pairs:
        return None
    return max(relative_error(np.load(a), np.load(b)) if os.path.exists(a) else math.inf for a, b in pairs)


class Measured:
    """The measurements of a workload on some number of threads, by worker: times, and errors
    compared with a reference."""

    def __init__(self, name, threads, times, errors):
        self.name, self.threads, self.times, self.errors = name, threads, times, errors

    def best(self, who):
        return min(self.times[who]) if who in self.times else None

    def cell(self, who):
        return f"{show_time(self.best(who))} ({show_time(statistics.median(self.times[who]))})" if who in self.times else ""

    def ratio(self, ours, who):
        return f"{self.best(who) / self.best(ours):.2f}x" if ours in self.times and who in self.times else ""

    def share(self, flops, roof):
        return f"{flops / self.best('percale') / roof / self.threads:.0%}" if flops and "percale" in self.times else ""

    def error(self, who):
        return f"{self.errors[who]:.0e}" if self.errors.get(who) is not None and who in self.times else ""


def measure(name, workload, threads, who, args, reference, files):
    """Lets the workers `who` take turns, each in its own folder, and compares `files` with those of
    `reference`."""
    with tempfile.TemporaryDirectory() as scratch:
        folders = {w: os.path.join(scratch, w) for w in who}
        for folder in folders.values():
            os.mkdir(folder)
        workers = {w: Worker(command(w, args.build, threads), folders[w]) for w in who}
        times = take_turns(workers, workload, args.rounds, args.milliseconds, args.cpu)
        for worker in workers.values():
            worker.close()
        errors = {w: error_of(folders[w], folders[reference], files) for w in times if w != reference}
    out = Measured(name, threads, times, errors)
    print(f"{name}, {threads} threads: " + ", ".join(f"{w} {show_time(min(t))}" for w, t in times.items())
          + f"; error {out.error('percale')}", file=sys.stderr, flush=True)
    return out


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def geometric_row(measured, ours, theirs, columns):
    """Returns a last row with the mean ratio in each of `columns`: {index: peer}."""
    cells = [f"geometric mean of the {len(measured)}"] + [""] * (columns - 1)
    for index, peer in theirs.items():
        ratios = [m.best(peer) / m.best(ours) for m in measured if peer in m.times and ours in m.times]
        cells[index] = f"{geometric_mean(ratios):.2f}x" + (f" of {len(ratios)}" if len(ratios) < len(measured) else "") if ratios else ""
    return cells


def section(heading, header, rows, text=""):
    return f"\n## {heading}\n\n{text}{markdown(header, rows)}\n" if rows else ""


def of_kind(args, *kinds):
    return [case for case in args.cases if case["kind"] in kinds]


def title(case):
    return CHAINS.get(case["name"], case["name"])


def threads_text(threads):
    return f"{threads} thread{'s' * (threads > 1)}"


def own_file(case, build):
    """Returns the case's model as a .percale file."""
    path = os.path.join(case["folder"], "model.percale")
    program = os.path.join(build, "bindings", "cli", "percale")
    subprocess.run([program, "import", os.path.join(case["folder"], "model.onnx"), path], check=True)
    return path


def table_of(args, roof, threads, measured):
    """In f32, on this number of threads."""
    header = ["model", "percale: least (median)", "onnxruntime", "openvino f32", "torch", "onnxruntime / ours", "openvino f32 / ours",
              "share of the roof", "one thread / two", "error"]
    rows, given = [], []
    for case in of_kind(args, "net", "given"):
        m = measured[case["name"], threads]
        rows.append([title(case), m.cell("percale"), m.cell("onnxruntime"), m.cell("openvino-f32"), m.cell("torch"),
                     m.ratio("percale", "onnxruntime"), m.ratio("percale", "openvino-f32"), m.share(case["flops"], roof),
                     m.ratio("percale", ALONE), m.error("percale")])
        if case["kind"] == "given":
            given.append(m)
    if len(given) > 1:
        rows.append(geometric_row(given, "percale", {5: "onnxruntime", 6: "openvino-f32"}, len(header)))
    return section(f"Inference in f32, {threads_text(threads)}", header, rows)


def inference(args, roof):
    measured = {}
    for case in of_kind(args, "net", "given"):
        who = ["percale", "percale-bf16", *(PEERS if case["kind"] == "net" else PEERS[:-1])]
        for threads in args.threads:
            measured[case["name"], threads] = measure(case["name"], f"run:{case['folder']}/model.onnx", threads,
                                                      who + [ALONE] * (threads > 1), args, "onnxruntime",
                                                      [f"out{i}.npy" for i in range(16)])
    text = "".join(table_of(args, roof, threads, measured) for threads in args.threads)
    ours = "percale-bf16" if any("percale-bf16" in m.times for m in measured.values()) else "percale"
    rows = [[f"{CHAINS.get(m.name, m.name)}, {threads_text(m.threads)}", m.cell(ours), m.cell("openvino"),
             m.ratio(ours, "openvino"), m.error(ours), m.error("openvino")] for m in measured.values()]
    header = ["model", "percale, bf16" if ours == "percale-bf16" else "percale, which has no bf16 option", "openvino, default",
              "openvino / ours", "our error", "its error"]
    return text + section("Inference in bf16, which is OpenVINO's default where the CPU has it", header, rows)


def load(args, roof):
    del roof
    rows = []
    for case in of_kind(args, "net", "given"):
        if case["name"] in CHAINS:
            continue
        m = measure(case["name"], f"load:{case['folder']}/model.onnx", 1, ["percale", "onnxruntime", "openvino-f32"], args,
                    "onnxruntime", [])
        own = measure(case["name"], f"load:{own_file(case, args.build)}", 1, ["percale"], args, "percale", [])
        if "percale" in own.times:
            m.times["own"] = own.times["percale"]
        rows.append([title(case), m.cell("percale"), m.cell("own"), m.cell("onnxruntime"), m.cell("openvino-f32"),
                     m.ratio("percale", "onnxruntime"), m.ratio("own", "onnxruntime")])
    header = ["model", "percale, .onnx", "percale, .percale", "onnxruntime", "openvino f32", "onnxruntime / ours, .onnx",
              "onnxruntime / ours, .percale"]
    return section("Load: from the file to the first result, in a warm process, one thread", header, rows)


def processes(args, roof):
    """Measures a host in C on our side, and Python hosts of the peers."""
    del roof
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        for case in of_kind(args, "net"):
            if case["name"] in CHAINS:
                continue
            onnx_file = os.path.join(case["folder"], "model.onnx")
            for text, who, path in [("percale, .onnx", "percale", onnx_file),
                                    ("percale, .percale", "percale", own_file(case, args.build)),
                                    ("onnxruntime", "onnxruntime", onnx_file), ("openvino f32", "openvino-f32", onnx_file)]:
                run = command(who, args.build, 1)
                seconds, peak, within = from_start(run, f"first:{path}", 0, args.rounds, scratch)
                bare, bare_peak, _ = from_start(run, "nothing", 0, args.rounds, scratch)
                rows.append([case["name"], text, f"{seconds * 1e3:.0f} ms", f"{bare * 1e3:.0f} ms", show_time(within),
                             f"{peak:.0f} MB", f"{bare_peak:.0f} MB"])
                print("  ".join(rows[-1]), file=sys.stderr, flush=True)
    header = ["model", "who", "process start to first result", "the same without a model",
              "within: from before the engine or session to the first result", "peak memory until then", "the same without a model"]
    return section("Whole processes, one thread", header, rows, """\
Our host is a program in C. The peers' hosts are programs in Python, whose own start and the peer's import stand in the columns
without a model: ONNX Runtime's package has its library but no headers for a host in C.

""")


def training(args, roof):
    # Steps take seconds
    args, rows = argparse.Namespace(**vars(args) | {"rounds": min(args.rounds, 3)}), []
    for case in of_kind(args, "training"):
        for threads in args.threads:
            m = measure(case["name"], f"train:{case['folder']}/spec.json", threads, ["percale", "torch"] + [ALONE] * (threads > 1),
                        args, "torch", ["losses.npy"])
            rows.append([f"{case['name'].removesuffix('_train')}, batch {case['batch']}, {threads_text(threads)}",
                         m.cell("percale"), m.cell("torch"), m.ratio("percale", "torch"), m.share(case["flops"], roof),
                         m.ratio("percale", ALONE), m.error("percale")])
    header = ["step, SGD with momentum", "percale: least (median)", "torch, channels-last", "torch / ours", "share of the roof",
              "one thread / two", "error of the first three losses"]
    return section(f"Training in f32, {args.rounds} rounds", header, rows)


def breakdowns(args, roof):
    del roof
    rows = []
    for case in of_kind(args, "net", "given"):
        if case["name"] in CHAINS:
            continue
        try:
            kinds, total = breakdown.percale_kinds(args.build, case["folder"])
        except subprocess.CalledProcessError as error:
            print(f"{case['name']}: {error.stderr}", file=sys.stderr)
            continue
        rows.append([case["name"], show_time(total), ", ".join(f"{kind} {share:.0%} ({count})" for kind, count, share in kinds[:5])])
    return section("Where the time goes, one thread", ["model", "sum of its nodes", "most of it"], rows,
                   "By `percale trace`: op and kernel, share of the run, number of nodes.\n\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("cache")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--milliseconds", type=float, default=200)
    parser.add_argument("--threads", default="1,2", help="1, or 1,2")
    parser.add_argument("--cpu", action="store_true", help="CPU time instead: less noise where others compute")
    parser.add_argument("--only", default="", help="cases whose names have this in them")
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--write")
    args = parser.parse_args()
    args.threads = [int(n) for n in args.threads.split(",")]
    args.build, args.cache = os.path.abspath(args.build), os.path.abspath(args.cache)
    made = subprocess.run([sys.executable, os.path.join(HERE, "cases.py"), args.cache, args.only], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, check=True).stdout
    args.cases = json.loads(made.splitlines()[-1])
    about, roof = machine(args.build)
    versions = ", ".join(f"{p} {importlib.metadata.version(p)}" for p in PACKAGES)
    report = f"""# Real models

Made by `sh tests/bench/run --models --write`; see README.md there for what is measured and how. {time.strftime("%Y-%m-%d")}.

* {about}.
* {percale_version(args.build)}; {versions}; {args.rounds} rounds of {args.milliseconds:.0f} ms in turns{'; CPU time' * args.cpu}.
* error: the greatest difference from ONNX Runtime's result (in training: from PyTorch's losses), in parts of its greatest number.
"""
    if not args.only and not of_kind(args, "given"):
        report += "* The fifteen models are not here: PERCALE_SHARED names the folder that has them as `models`.\n"
    functions = {"inference": inference, "load": load, "processes": processes, "training": training, "breakdown": breakdowns}
    for part in args.parts.split(","):
        report += functions[part](args, roof)
    print(report)
    if args.write:
        with open(args.write, "w") as file:
            file.write(report)


if __name__ == "__main__":
    main()
