"""bench.py PERCALE: training steps of dense nets on cuda:0 beside PyTorch on the same GPU (eager, compiled, CUDA graphs), f32, in turns, with
the roof of copying beside them. Rows are JSON, a line each. Exit code 77, and why, without PyTorch.

On the emulated driver the sizes are small and PyTorch, if there is one, computes on the CPU: that only shows that this program works."""
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

EMULATED = os.environ.get("PERCALE_GPU_EMULATED") == "1"
ROUNDS = 1 if EMULATED else 5
# rows of a batch, sizes of the layers
NETS = {"dense_small": (8, [16, 32, 10])} if EMULATED else {
    "mnist_mlp": (64, [784, 512, 512, 10]), "wide_mlp": (512, [1024, 4096, 4096, 1024]), "deep_mlp": (256, [512] * 12 + [10])}
STEPS = 4 if EMULATED else 200


def write_npy(path, descr, shape, data):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    with open(path, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + data)


def percale_seconds(program, folder, rows, sizes):
    """The least seconds of a step, from the history's clock; the first tenth of the steps is left out."""
    import numpy as np
    total = rows * STEPS
    r = np.random.default_rng(1)
    write_npy(f"{folder}/x.npy", "<f4", (total, sizes[0]), r.standard_normal((total, sizes[0]), dtype=np.float32).tobytes())
    write_npy(f"{folder}/y.npy", "<i8", (total,), r.integers(0, sizes[-1], total).astype("<i8").tobytes())
    layers = [{"layer": "Dense", "units": n, "activation": "relu"} for n in sizes[1:-1]] + [{"layer": "Dense", "units": sizes[-1]}]
    spec = {"model": layers, "input_shape": [sizes[0]], "loss": "sparse_categorical_crossentropy", "from_logits": True, "metrics": [],
            "optimizer": {"name": "adam", "learning_rate": 0.001}, "data": {"train": {"x": "x.npy", "y": "y.npy"}}, "batch_size": rows,
            "shards": 1, "epochs": 1, "seed": 1, "devices": "cuda:0"}
    with open(f"{folder}/spec.json", "w", encoding="utf-8") as out:
        json.dump(spec, out)
    history = f"{folder}/history.csv"
    subprocess.run([program, "train", f"{folder}/spec.json", "--data", folder, "--devices", "cuda:0", "--history", history],
                   check=True, capture_output=True)
    with open(history, encoding="utf-8") as lines:
        table = [line.strip().split(",") for line in lines]
    column = table[0].index("seconds")
    clock = [float(row[column]) for row in table[1:]]
    skipped = len(clock) // 10 + 1
    return (clock[-1] - clock[skipped - 1]) / (len(clock) - skipped)


def torch_step(torch, device, rows, sizes, how):
    """A function that makes one step."""
    layers = []
    for i in range(len(sizes) - 1):
        layers += [torch.nn.Linear(sizes[i], sizes[i + 1]), torch.nn.ReLU()]
    net = torch.nn.Sequential(*layers[:-1]).to(device)
    graphs = how == "graphs"
    adam = torch.optim.Adam(net.parameters(), lr=0.001, capturable=graphs, fused=device == "cuda")
    x, y = torch.randn(rows, sizes[0], device=device), torch.randint(0, sizes[-1], (rows,), device=device)
    model = torch.compile(net) if how == "compiled" else net

    def step():
        adam.zero_grad(set_to_none=not graphs)
        torch.nn.functional.cross_entropy(model(x), y).backward()
        adam.step()

    if not graphs:
        return step
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def torch_seconds(torch, device, step):
    sync = torch.cuda.synchronize if device == "cuda" else lambda: None
    for _ in range(max(2, STEPS // 10)):
        step()
    sync()
    begin = time.perf_counter()
    for _ in range(STEPS):
        step()
    sync()
    return (time.perf_counter() - begin) / STEPS


def copy_roof(torch):
    """Bytes per second, read and written, of a copy on the GPU; host to GPU from pinned memory."""
    a, b = torch.empty(1 << 28, dtype=torch.uint8, device="cuda"), torch.empty(1 << 28, dtype=torch.uint8, device="cuda")
    host = torch.empty(1 << 28, dtype=torch.uint8).pin_memory()
    out = []
    for to, source, factor in ((b, a, 2), (b, host, 1)):
        best = 1e9
        for _ in range(10):
            torch.cuda.synchronize()
            begin = time.perf_counter()
            to.copy_(source, non_blocking=True)
            torch.cuda.synchronize()
            best = min(best, time.perf_counter() - begin)
        out.append(factor * a.numel() / best)
    return out


def main(program):
    if importlib.util.find_spec("torch") is None or importlib.util.find_spec("numpy") is None:
        print("PyTorch is not installed")
        sys.exit(77)
    import torch
    device = "cpu" if EMULATED or not torch.cuda.is_available() else "cuda"
    torch.backends.cuda.matmul.allow_tf32 = False
    if device == "cuda":
        on_gpu, from_host = copy_roof(torch)
        print(json.dumps({"roof": "copy", "gbytes_per_second": on_gpu / 1e9, "pinned_host_gbytes_per_second": from_host / 1e9,
                          "gpu": torch.cuda.get_device_name(), "torch": torch.__version__}))
    for name, (rows, sizes) in NETS.items():
        ways = ["eager"] + (["compiled", "graphs"] if device == "cuda" else [])
        steps = {how: torch_step(torch, device, rows, sizes, how) for how in ways}
        times = {how: [] for how in ["percale"] + ways}
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(ROUNDS):
                times["percale"].append(percale_seconds(program, folder, rows, sizes))
                for how in ways:
                    times[how].append(torch_seconds(torch, device, steps[how]))
        row = {"net": name, "rows": rows, "percale_us": min(times["percale"]) * 1e6, "median_us": statistics.median(times["percale"]) * 1e6}
        for how in ways:
            row[f"torch_{how}_us"] = min(times[how]) * 1e6
            row[f"{how}_over_ours"] = min(times[how]) / min(times["percale"])
        print(json.dumps({key: round(value, 3) if isinstance(value, float) else value for key, value in row.items()}))


if __name__ == "__main__":
    main(*sys.argv[1:])
