"""Shows which nodes of a model take the time, by `percale trace` and by ONNX Runtime's own profile.

    breakdown.py BUILD CASE-FOLDER [COUNT]     a case of cases.py; the COUNT longest nodes of both
"""
import collections
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

from turns import show_time

RUNS = 20


def inputs_of(folder):
    with open(os.path.join(folder, "case.json")) as file:
        return json.load(file)["inputs"]


def per_run(spans):
    """Returns the least time of each node, times its executions in a run (a loop's body may have
    several); the longest first."""
    nodes = [(*key, min(times) * len(times) / RUNS) for key, times in spans.items()]
    return sorted(nodes, key=lambda node: -node[2])


def percale_nodes(build, folder):
    """Returns [(op and name, kernel, nanoseconds per run)], the longest first."""
    with tempfile.TemporaryDirectory() as scratch:
        out = os.path.join(scratch, "trace.json")
        feeds = [part for i, name in enumerate(inputs_of(folder)) for part in ("--feed", f"{name}={folder}/in{i}.npy")]
        subprocess.run([os.path.join(build, "bindings", "cli", "percale"), "trace", os.path.join(folder, "model.onnx"), "--threads",
                        "1", "--runs", str(RUNS), "--out", out, *feeds], check=True, capture_output=True, text=True)
        with open(out) as file:
            events = json.load(file)["traceEvents"]
    spans = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            spans[event["name"], event.get("args", {}).get("detail", "")].append(event["dur"] * 1e3)
    return per_run(spans)


def percale_kinds(build, folder):
    """Returns [(op and kernel, number of nodes, share)], the longest first, and the nanoseconds of
    all."""
    kinds, nodes = collections.defaultdict(lambda: [0, 0.0]), percale_nodes(build, folder)
    total = sum(time for _, _, time in nodes)
    for name, kernel, time in nodes:
        kind = kinds[f"{name.split(' ', 1)[0]} {kernel}"]
        kind[0] += 1
        kind[1] += time
    return sorted(((kind, count, time / total) for kind, (count, time) in kinds.items()), key=lambda k: -k[2]), total


def onnxruntime_nodes(folder):
    """Returns [(op and name, operands, nanoseconds per run)], the longest first."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.enable_profiling = True
    options.log_severity_level = 3
    with tempfile.TemporaryDirectory() as scratch:
        options.profile_file_prefix = os.path.join(scratch, "profile")
        session = onnxruntime.InferenceSession(os.path.join(folder, "model.onnx"), options, providers=["CPUExecutionProvider"])
        feeds = {name: np.load(os.path.join(folder, f"in{i}.npy")) for i, name in enumerate(inputs_of(folder))}
        for _ in range(RUNS):
            session.run(None, feeds)
        with open(session.end_profiling()) as file:
            events = json.load(file)
    spans = collections.defaultdict(list)
    for event in events:
        if event.get("cat") == "Node" and event["name"].endswith("_kernel_time"):
            arguments = event["args"]
            shapes = str([list(s.values())[0] for s in arguments.get("input_type_shape", [])])
            spans[f"{arguments['op_name']} {event['name'].removesuffix('_kernel_time')}", shapes].append(event["dur"] * 1e3)
    return per_run(spans)


def main():
    build, folder, count = os.path.abspath(sys.argv[1]), sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 12
    for who, nodes in (("percale", percale_nodes(build, folder)), ("onnxruntime", onnxruntime_nodes(folder))):
        total = sum(node[2] for node in nodes)
        print(f"{who}: {len(nodes)} nodes, {show_time(total)} together")
        for name, kernel, time in nodes[:count]:
            print(f"  {show_time(time):>9}  {time / total:4.0%}  {name[:70]}  {kernel[:90]}")


if __name__ == "__main__":
    main()
