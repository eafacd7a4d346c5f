"""bench.py BUILD [FAMILY...]: what known work takes on cuda:0, beside PyTorch on the same GPU (eager, compiled, compiled as a CUDA graph)
where that is installed, in turns, with the measured roofs beside it. Rows are JSON, a line each; README.md says what is in them.

On the emulated driver the sizes are small and PyTorch computes on the CPU: that only shows that this program works."""
import dataclasses
import importlib.util
import json
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "bench"))
from turns import Worker, take_turns  # noqa: E402
from work import per_run, work  # noqa: E402

EMULATED = os.environ.get("PERCALE_GPU_EMULATED") == "1"
ROUNDS, MILLISECONDS = (2, 1) if EMULATED else (5, 400)
TORCH = importlib.util.find_spec("torch") is not None
PYTORCH = ("eager", "compiled", "graphs")  # its ways
OTHERS = ("copy", "to_gpu", "to_host", "tflops", "gbytes_per_second_both_ways", "exposed_share")  # what a row may say besides times


@dataclasses.dataclass
class Row:
    """`small` is the workload's form on the emulator; `options` are those of our worker; `ways` those of PyTorch that are asked."""
    what: str
    workload: str
    small: str
    options: tuple = ()
    ways: tuple = PYTORCH

    @property
    def asked(self):
        return self.small if EMULATED else self.workload


BF16 = ("precision=bf16",)
FAMILIES = {
    "roofs": [Row("product of bf16 matrices, 8192", "product:8,8192", "product:2,16", (), ("eager",))],
    "G1": [Row("1,000 Add and Relu on 16 numbers, fused", "chain_fused", "chain_fused"),
           Row("the same, a kernel each", "chain", "chain", (), ("eager",))],
    "G2": [Row("ResNet-50, batch 1, bf16", "resnet50:1,224,64", "resnet50:1,32,4", BF16)],
    "G3": [Row("ResNet-50, batch 128, bf16", "resnet50:128,224,64", "resnet50:2,32,4", BF16)],
    "G4": [Row("ResNet-50 training step, batch 256, bf16 products", "resnet50_train:16,256,224,64", "resnet50_train:16,2,32,4")],
    "G5": [Row("BERT-base, 128 tokens, batch 1, bf16", "bert:12,768,12,30522,1,128", "bert:1,16,2,50,1,8", BF16)],
    "G6": [Row("GPT-2 124M training step, 8 x 1024, bf16 products", "gpt2_train:16,12,768,12,50257,8,1024", "gpt2_train:16,1,16,2,50,2,8"),
           Row("the same, 32 x 1024", "gpt2_train:16,12,768,12,50257,32,1024", "gpt2_train:16,1,16,2,50,4,8")],
    "G8": [Row("LSTM training step, 128 x 64 x 512, f32", "lstm_train:128,64,512,512", "lstm_train:3,4,8,8")],
    "G9": [Row("AdamW, 124M parameters in 16 tensors, f32", "adamw:8,16,7750000", "adamw:2,2,64", (), ("eager", "graphs"))],
    "G10": [Row("layer norm, 16384 x 4096, bf16", "layer_norm:16,16384,4096,16", "layer_norm:2,8,16,16"),
            Row("the same, forward and backward", "layer_norm_grad:16,16384,4096,16", "layer_norm_grad:2,8,16,16"),
            Row("softmax, 16384 x 4096, bf16", "softmax:16,16384,4096,16", "softmax:2,8,16,16"),
            Row("the same, forward and backward", "softmax_grad:16,16384,4096,16", "softmax_grad:2,8,16,16"),
            Row("cross-entropy, 8192 x 50257, bf16, forward and backward", "cross_entropy:4,8192,50257,16", "cross_entropy:2,8,50,16")],
    "dense": [Row("784-512-512-10, Adam step, batch 64, f32", "dense_adam:64,784,512,512,10", "dense_adam:8,16,32,10"),
              Row("1024-4096-4096-1024, Adam step, batch 512, f32", "dense_adam:512,1024,4096,4096,1024", "dense_adam:8,16,32,32,16"),
              Row("twelve layers of 512, Adam step, batch 256, f32", "dense_adam:256" + 12 * ",512" + ",10", "dense_adam:8,16,16,16,10")],
}
NAMES = [*FAMILIES, "G11"]
WIDTH = 16 if EMULATED else 2048
GRADIENTS = {1: 2} if EMULATED else {102: 6, 249: 15, 1000: 60}  # megabytes: layers of WIDTH x WIDTH


class Party:
    """A worker as take_turns() asks it; keeps the CPU's times, and why there are none."""

    def __init__(self, worker, prefix=""):
        self.worker, self.prefix, self.cpu, self.error = worker, prefix, [], None

    def ask(self, workload, milliseconds):
        answer = self.worker.ask(self.prefix + workload, milliseconds)
        if isinstance(answer, str):
            self.error = answer
        else:
            self.cpu.append(answer[1])
        return answer

    def run_facts(self, workload):
        """What a trainer of ours tells of its run so far."""
        answer = self.worker.answer(f"facts:{workload}", 0)
        return None if answer.startswith("error") else json.loads(answer)["run"]


def lacks_no_memory(party):
    """Whether it fails for another reason than that the GPU is too small."""
    return "RESOURCE_EXHAUSTED" not in party.error


def turns(parties, workload, ready=lambda: None):
    """take_turns(), after one that makes everybody ready; nobody who cannot do it is asked again."""
    take_turns(parties, workload, 1, 0)
    ready()
    able = {who: party for who, party in parties.items() if party.error is None}
    for party in able.values():
        party.cpu.clear()
    return take_turns(able, workload, ROUNDS, MILLISECONDS)


class Bench:
    def __init__(self, build):
        self.worker = [f"{build}/tests/bench/percale_worker", "0"]
        self.roofs = json.loads(subprocess.run([sys.executable, f"{HERE}/roofs.py"], capture_output=True, text=True, check=True).stdout)
        self.failed = False

    def tell(self, **row):
        print(json.dumps({key: float(f"{value:.4g}") if isinstance(value, float) else value for key, value in row.items()}), flush=True)

    def ours(self, *options, devices="cuda:0"):
        return Worker([*self.worker, f"devices={devices}", *options])

    def measure(self, family, row):
        """Asks all for a row, in turns, and tells it."""
        ours = self.ours(*row.options)
        parties = {"percale": Party(ours)}
        workers = [ours]
        if TORCH:
            workers.append(Worker([sys.executable, f"{HERE}/torch_peer.py", "cpu" if EMULATED else "cuda"]))
            parties |= {how: Party(workers[1], how + "/") for how in row.ways}
        times = turns(parties, row.asked)
        for worker in workers:
            worker.close()
        told = {"id": family, "what": row.what, "workload": row.asked}
        told |= {f"{who}_error": party.error for who, party in parties.items() if party.error}
        least = {who: min(ns) / per_run(row.asked) for who, ns in times.items()}
        if "percale" in least:
            told |= {"ours_us": least["percale"] / 1e3, "ours_median_us": statistics.median(times["percale"]) / per_run(row.asked) / 1e3,
                     "ours_cpu_us": min(parties["percale"].cpu) / per_run(row.asked) / 1e3}
        else:
            self.failed |= lacks_no_memory(parties["percale"])
        for who in least.keys() - {"percale"}:
            told |= {f"torch_{who}_us": least[who] / 1e3, f"torch_{who}_median_us": statistics.median(times[who]) / per_run(row.asked) / 1e3}
            if "percale" in least:
                told[f"{who}_over_ours"] = least[who] / least["percale"]
        kind, amount = work(row.asked)
        if kind == "flops" and family == "roofs":
            self.roofs["product"] = max(amount / ns * 1e9 for ns in least.values()) if least else 0
            told["tflops"] = self.roofs["product"] / 1e12
        elif kind and "percale" in least:
            roof = self.roofs["copy"] if kind == "bytes" else self.roofs.get("product")
            if roof:
                told |= {"roof": "copy" if kind == "bytes" else "product of bf16", "roof_share": amount / roof / least["percale"] * 1e9}
        self.tell(**told)

    def averaging(self):
        """Steps whose gradients two logical GPUs send to the host, which adds them and sends the parameters back, beside one GPU."""
        for megabytes, layers in GRADIENTS.items():
            workload = f"dense_sgd:{8 if EMULATED else 128}" + (layers + 1) * f",{WIDTH}"
            parties = {devices: Party(self.ours("shards=2", devices=devices)) for devices in ("cuda:0", "cuda:0/0,cuda:0/1")}
            before = {}
            times = turns(parties, workload, lambda: before.update({devices: p.run_facts(workload) for devices, p in parties.items()}))
            for devices, party in parties.items():
                told = {"id": "G11", "what": f"step of {megabytes} MB of gradients, {devices}", "workload": workload}
                if devices in times:
                    seconds, size = min(times[devices]) / 1e9, 4 * layers * (WIDTH + 1) * WIDTH * (devices.count(",") + 1)
                    run, exposed = (party.run_facts(workload)[key] - before[devices][key] for key in ("seconds", "exposed_averaging_seconds"))
                    told |= {"ours_us": seconds * 1e6, "ours_median_us": statistics.median(times[devices]) / 1e3,
                             "ours_cpu_us": min(party.cpu) / 1e3, "gbytes_per_second_both_ways": 2 * size / seconds / 1e9,
                             "exposed_share": exposed / run, "roof": "gradients out, then parameters in, pinned",
                             "roof_share": (size / self.roofs["to_host"] + size / self.roofs["to_gpu"]) / seconds}
                else:
                    told["percale_error"] = party.error
                    self.failed |= lacks_no_memory(party)
                self.tell(**told)
                party.worker.close()


def main(build, *wanted):
    names = list(wanted or NAMES)
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        sys.exit(f"no family {unknown[0]}; families are {', '.join(NAMES)}")
    bench = Bench(build)
    if any(work(row.workload)[0] == "flops" for name in names for row in FAMILIES.get(name, [])) and "roofs" not in names:
        names.insert(0, "roofs")  # shares need it
    bench.tell(id="roofs", what="copies, GB/s: on the GPU (read and written), to it, from it", **{k: v / 1e9 for k, v in bench.roofs.items()})
    for name in names:
        if name == "G11":
            bench.averaging()
        for row in FAMILIES.get(name, []):
            bench.measure(name, row)
    if not TORCH:
        print("PyTorch is not installed: ours alone")
    return 1 if bench.failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
