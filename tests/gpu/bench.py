"""Measures known workloads on cuda:0 and, if PyTorch is installed, the same in PyTorch on the
same GPU (eager, compiled, compiled as a CUDA graph). Both take turns. Measured roofs are
reported as well.

    bench.py BUILD [FAMILY...]

Rows are JSON, one per line; README.md describes them. On the emulated driver the sizes are small
and PyTorch computes on the CPU; that only shows that this program works."""
import array
import dataclasses
import importlib.metadata
import importlib.util
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "bench"))
from turns import Worker, from_start, take_turns  # noqa: E402
from work import per_run, work  # noqa: E402

EMULATED = os.environ.get("PERCALE_GPU_EMULATED") == "1"
ROUNDS, MILLISECONDS = (2, 1) if EMULATED else (5, 400)
TORCH = importlib.util.find_spec("torch") is not None
PYTORCH = ("eager", "compiled", "graphs")  # PyTorch's execution modes
# Values besides times.
OTHERS = ("copy", "to_gpu", "to_host", "tflops", "gbytes_per_second_both_ways", "exposed_share", "bf16_error")


@dataclasses.dataclass
class Row:
    """A row. `small` is the workload's form on the emulator, `options` are those of our worker,
    and `ways` are the modes of PyTorch to measure."""
    what: str
    workload: str
    small: str
    options: tuple = ()
    ways: tuple = PYTORCH

    @property
    def asked(self):
        return self.small if EMULATED else self.workload


BF16, RESIDENT = ("precision=bf16",), ("parameters=device",)
FAMILIES = {
    "roofs": [Row("product of bf16 matrices, 8192", "product:8,8192", "product:2,16", (), ("eager",))],
    "G1": [Row("1,000 Add and Relu on 16 numbers, fused", "chain_fused", "chain_fused"),
           Row("the same, a kernel each", "chain", "chain", (), ("eager",))],
    "G2": [Row("ResNet-50, batch 1, bf16", "resnet50:1,224,64", "resnet50:1,32,4", BF16)],
    "G3": [Row("ResNet-50, batch 128, bf16", "resnet50:128,224,64", "resnet50:2,32,4", BF16)],
    "G4": [Row("ResNet-50 training step, batch 256, mixed bf16", "resnet50_train:256,224,64", "resnet50_train:2,32,4", BF16 + RESIDENT)],
    "G5": [Row("BERT-base, 128 tokens, batch 1, bf16", "bert:12,768,12,30522,1,128", "bert:1,16,2,50,1,8", BF16)],
    "G6": [Row("GPT-2 124M training step, 8 x 1024, mixed bf16", "gpt2_train:12,768,12,50257,8,1024", "gpt2_train:1,16,2,50,2,8",
               BF16 + RESIDENT),
           Row("the same, 32 x 1024", "gpt2_train:12,768,12,50257,32,1024", "gpt2_train:1,16,2,50,4,8",
               BF16 + RESIDENT)],
    "G7": [Row("GPT-2 124M, the next word after up to 1024, batch 1, bf16", "gpt2_decode:12,768,12,50257,1024", "gpt2_decode:1,16,2,50,8",
               BF16)],
    "G8": [Row("LSTM training step, 128 x 64 x 512, f32", "lstm_train:128,64,512,512", "lstm_train:3,4,8,8", RESIDENT)],
    "G9": [Row("AdamW, 124M parameters in 16 tensors, f32", "adamw:8,16,7750000", "adamw:2,2,64", (), ("eager", "graphs"))],
    "G10": [Row("layer norm, 16384 x 4096, bf16", "layer_norm:16,16384,4096,16", "layer_norm:2,8,16,16"),
            Row("the same, forward and backward", "layer_norm_grad:16,16384,4096,16", "layer_norm_grad:2,8,16,16"),
            Row("softmax, 16384 x 4096, bf16", "softmax:16,16384,4096,16", "softmax:2,8,16,16"),
            Row("the same, forward and backward", "softmax_grad:16,16384,4096,16", "softmax_grad:2,8,16,16"),
            Row("cross-entropy, 8192 x 50257, bf16, forward and backward", "cross_entropy:4,8192,50257,16", "cross_entropy:2,8,50,16")],
    "dense": [Row("784-512-512-10, Adam step, batch 64, f32", "dense_adam:64,784,512,512,10", "dense_adam:8,16,32,10", RESIDENT),
              Row("1024-4096-4096-1024, Adam step, batch 512, f32", "dense_adam:512,1024,4096,4096,1024", "dense_adam:8,16,32,32,16",
                  RESIDENT),
              Row("twelve layers of 512, Adam step, batch 256, f32", "dense_adam:256" + 12 * ",512" + ",10", "dense_adam:8,16,16,16,10",
                  RESIDENT)],
}
START = Row("from the start of the process to the first result of ResNet-50, batch 1, bf16", "resnet50:1,224,64", "resnet50:1,32,4", BF16,
            ("eager",))
NAMES = [*FAMILIES, "G11", "G12"]
WIDTH = 16 if EMULATED else 2048
# Megabytes: number of layers of WIDTH x WIDTH.
GRADIENTS = {1: 2} if EMULATED else {102: 6, 249: 15, 1000: 60}


class Party:
    """A worker for take_turns(). Keeps the CPU times, and the reason if it has no times."""

    def __init__(self, worker, prefix=""):
        self.worker, self.prefix, self.cpu, self.error = worker, prefix, [], None

    def ask(self, workload, milliseconds):
        answer = self.worker.ask(self.prefix + workload, milliseconds)
        if isinstance(answer, str):
            self.error = answer
        else:
            self.cpu.append(answer[1])
        return answer


def run_facts(worker, workload):
    """Returns the facts of our trainer's run so far."""
    answer = worker.answer(f"facts:{workload}", 0)
    return {} if answer.startswith("error") else json.loads(answer)["run"]


def result(worker, workload, folder):
    """Returns the f32 elements that our last call returned, or None if there are none."""
    saved = worker.answer(f"save:{workload}", 0)
    if saved.startswith("error"):
        return None
    with open(f"{folder}/{saved}", "rb") as file:
        data = file.read()
    return array.array("f", data[10 + int.from_bytes(data[8:10], "little"):]) if b"'<f4'" in data[:128] else None


def compared(times, cpu, links=1):
    """Returns the members of a row that compare our times with those of PyTorch's modes. Times are
    lists of nanoseconds per side."""
    least = {who: min(ns) / links for who, ns in times.items()}
    median = {who: statistics.median(ns) / links for who, ns in times.items()}
    ours = least.pop("percale", None)
    told = {}
    if ours:
        told |= {"ours_us": ours / 1e3, "ours_median_us": median["percale"] / 1e3, **({"ours_cpu_us": min(cpu) / links / 1e3} if cpu else {})}
        told |= {f"{how}_over_ours": ns / ours for how, ns in least.items()}
    for how, ns in least.items():
        told |= {f"torch_{how}_us": ns / 1e3, f"torch_{how}_median_us": median[how] / 1e3}
    return told


def turns(parties, workload, ready=lambda: None):
    """Calls take_turns() after a round that prepares all workers. A worker that fails in that
    round takes no further part."""
    take_turns(parties, workload, 1, 0)
    ready()
    able = {who: party for who, party in parties.items() if party.error is None}
    for party in able.values():
        party.cpu.clear()
    return take_turns(able, workload, ROUNDS, MILLISECONDS)


class Bench:
    def __init__(self, build):
        self.worker = [os.path.abspath(f"{build}/tests/bench/percale_worker"), "0"]
        roofs = subprocess.run([sys.executable, f"{HERE}/roofs.py"], stdout=subprocess.PIPE, text=True, check=False)
        self.failed = roofs.returncode != 0  # times are still useful without roofs
        self.roofs = {} if self.failed else json.loads(roofs.stdout)

    def tell(self, **row):
        print(json.dumps({key: float(f"{value:.4g}") if isinstance(value, float) else value for key, value in row.items()}), flush=True)

    def ours(self, *options, devices="cuda:0", folder=None):
        return Worker([*self.worker, f"devices={devices}", *options], folder)

    def bf16_error(self, workload, worker, folder):
        """Returns the bf16 error of a call of `worker`: the largest difference from f32, divided
        by the largest number. Empty for a trainer."""
        narrow = result(worker, workload, folder)
        if narrow is None:
            return {}
        exact = self.ours(folder=folder)
        exact.ask(workload, 0)
        wide = result(exact, workload, folder)
        exact.close()
        return {"bf16_error": max(abs(a - b) for a, b in zip(narrow, wide)) / max(map(abs, wide))}

    def measure(self, family, row):
        """Measures a row with all workers in turns, and prints it."""
        workload, links = row.asked, per_run(row.asked)
        with tempfile.TemporaryDirectory() as folder:
            workers = [self.ours(*row.options, folder=folder)]
            parties = {"percale": Party(workers[0])}
            if TORCH:
                workers.append(Worker([sys.executable, f"{HERE}/torch_peer.py", "cpu" if EMULATED else "cuda"]))
                parties |= {how: Party(workers[1], how + "/") for how in row.ways if how == "eager" or not EMULATED}
            times = turns(parties, workload)
            error = self.bf16_error(workload, workers[0], folder) if row.options == BF16 and "percale" in times else {}
            for worker in workers:
                worker.close()
        least = {who: min(ns) / links for who, ns in times.items()}
        share = self.share(family, workload, least.pop("percale", None), least.values())
        self.tell(id=family, what=row.what, workload=workload, **compared(times, parties["percale"].cpu, links), **error, **share,
                  **self.failures({who: party.error for who, party in parties.items()}))

    def share(self, family, workload, ours, theirs):
        """Returns our share of the roof. A product of matrices is the roof itself: the best
        measured rate."""
        kind, amount = work(workload)
        if family == "roofs":
            self.roofs["tflops"] = max(amount / ns / 1e3 for ns in [*theirs, ours or math.inf])
            return {"tflops": self.roofs["tflops"]}
        name, rate = ("product of bf16", self.roofs.get("tflops", 0) * 1e3) if kind == "flops" else ("copy", self.roofs.get("copy", 0))
        return {"roof": name, "roof_share": amount / rate / ours} if kind and ours and rate else {}

    def failures(self, errors):
        """Returns the reasons for missing times. If ours are missing, the program fails, unless
        the GPU is too small."""
        self.failed |= "RESOURCE_EXHAUSTED" not in (errors["percale"] or "RESOURCE_EXHAUSTED")
        failed = {who: error for who, error in errors.items() if error}
        return {"failed": failed} if failed else {}

    def start(self):
        """Measures whole processes up to their first result, in turns. A round before fills the
        caches of files and of compiled code."""
        sides = {"percale": ([*self.worker, "devices=cuda:0", *START.options], START.asked)}
        for how in START.ways if TORCH else ():
            sides[how] = ([sys.executable, f"{HERE}/torch_peer.py", "cpu" if EMULATED else "cuda"], f"{how}/{START.asked}")
        times, errors = {}, dict.fromkeys(sides)
        for number in range(1 + ROUNDS):
            for who, (command, workload) in sides.items():
                try:
                    seconds, _, answer = from_start(command, workload)
                except RuntimeError as error:
                    errors[who] = str(error)
                    continue
                if number > 0 and answer is not None:
                    times.setdefault(who, []).append(seconds * 1e9)
        self.tell(id="G12", what=START.what, workload=START.asked, **compared(times, []), **self.failures(errors))

    def averaging(self, devices, megabytes, layers, resident):
        """Measures steps whose gradients `devices` send to the host, which adds them and returns
        the parameters; or, if `resident`, steps that add them across the devices."""
        workload = f"dense_sgd:{8 if EMULATED else 128}" + (layers + 1) * f",{WIDTH}"
        parties = {"percale": Party(self.ours("shards=2", *(RESIDENT if resident else ()), devices=devices))}
        worker, before = parties["percale"].worker, {}
        times = turns(parties, workload, lambda: before.update(run_facts(worker, workload))).get("percale")
        what = f"step of {megabytes} MB of gradients, {devices}" + (", parameters on them" if resident else "")
        told = {"id": "G11", "what": what, "workload": workload}
        if times:
            ns, size, after = min(times), 4 * layers * (WIDTH + 1) * WIDTH * (devices.count(",") + 1), run_facts(worker, workload)
            told |= compared({"percale": times}, parties["percale"].cpu)
            if not resident:
                told |= {"gbytes_per_second_both_ways": 2 * size / ns, "exposed_share":
                         (after["exposed_averaging_seconds"] - before["exposed_averaging_seconds"]) / (after["seconds"] - before["seconds"])}
            if "to_gpu" in self.roofs and not resident:
                told |= {"roof": "gradients out, then parameters in, pinned",
                         "roof_share": (size / self.roofs["to_host"] + size / self.roofs["to_gpu"]) / ns}
        worker.close()
        self.tell(**told, **self.failures({"percale": parties["percale"].error}))


def main(build, *wanted):
    names = list(wanted or NAMES)
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        sys.exit(f"no family {unknown[0]}; families are {', '.join(NAMES)}")
    bench = Bench(build)
    if any(work(row.workload)[0] == "flops" for name in names for row in FAMILIES.get(name, [])) and "roofs" not in names:
        names.insert(0, "roofs")  # needed for the shares
    versions = {"pytorch": importlib.metadata.version("torch")} if TORCH else {}
    bench.tell(id="roofs", what="copies, GB/s: on the GPU (read and written), to it, from it", **bench.roofs, **versions)
    for name in names:
        for megabytes, layers in GRADIENTS.items() if name == "G11" else ():
            for devices, resident in (("cuda:0", False), ("cuda:0/0,cuda:0/1", False), ("cuda:0/0,cuda:0/1", True)):
                bench.averaging(devices, megabytes, layers, resident)
        for row in FAMILIES.get(name, []):
            bench.measure(name, row)
        if name == "G12":
            bench.start()
    print(f"{bench.roofs.get('gpu', 'no roofs')}, " + (f"beside PyTorch {versions['pytorch']}" if TORCH else "without PyTorch"))
    return 1 if bench.failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
