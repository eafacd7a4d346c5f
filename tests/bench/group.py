"""Compares training in two processes, which exchange bytes over TCP on this machine, with one
process, and with the peers' way to do it. Started by tests/bench/run --group.

    group.py BUILD CACHE [--rounds N] [--steps N] [--only WORD] [--write FILE.md] [--json FILE]

All train the nets of device_nets.py, one thread per process; they take turns. CACHE: the folder of
the cases. Then groups of up to eight processes train models of the same parameters whose layers
wait instead of computing, because this machine has no eight processors. FILE gets what scale.py
needs.
"""
import argparse
import datetime
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

import device_nets
from devices import folder_of
from turns import HERE, Worker, free_ports, machine, markdown, percale_version, show_time, take_turns


# Two processes exchange bytes in these ways: {name: title of the row}.
TRANSPORTS = {"tcp": "percale, TCP", "plugin": "percale, plug-in remote"}
WAITING_SHARDS = 8
WAITING_RANKS = (1, 2, 4, 8)
FACTS = ("step_seconds", "exchanges", "bytes_sent", "waited_share")


def built(args, name):
    return os.path.join(args.build, "tests", "bench", name)


def start(folder, rank, ranks, transport, port, shards, steps, args):
    return subprocess.Popen([built(args, "group_rank"), os.path.join(folder, "spec.json"), folder, str(rank), str(ranks), transport,
                             str(port), str(steps), f"shards={shards}"] + (["collective_redundancy=0"] if transport == "plugin" else []),
                            stdout=subprocess.PIPE, text=True, env=dict(os.environ, BENCH_PLUGINS=built(args, "libpercale_waits.so")))


def ended(processes):
    """Returns what the processes tell of their trainings."""
    outputs = [p.communicate()[0] for p in processes]
    if any(p.returncode for p in processes):
        sys.exit("group.py: a rank failed")
    return [json.loads(o) for o in outputs]


def train(folder, ranks, shards, steps, args, transport="tcp"):
    """Returns what rank 0 tells of a training of `steps` steps."""
    port = free_ports(ranks)
    told = ended([start(folder, rank, ranks, transport, port, shards, steps, args) for rank in range(ranks)])
    assert len({t["digest"] for t in told}) == 1, told
    return told[0]


def train_apart(folder, steps, args):
    """Returns what the slower one of two processes tells that train at the same time, and exchange
    nothing."""
    return max(ended([start(folder, 0, 1, "tcp", 0, 2, steps, args) for _ in range(2)]), key=lambda t: t["step_seconds"])


def fastest(found):
    """Returns the fastest of several trainings, by what they are."""
    return {what: min(told, key=lambda t: t["step_seconds"]) for what, told in found.items()}


def measure(name, args):
    """Returns our fastest results, and the peers' nanoseconds."""
    folder, ours, peers = folder_of(name, args.cache), {what: [] for what in (1, 2, *TRANSPORTS, "apart")}, {}
    with tempfile.TemporaryDirectory() as scratch:
        workers = {peer: Worker([sys.executable, os.path.join(HERE, "device_peers.py"), peer], scratch) for peer in ("torch", "torch-ddp")}
        for _ in range(args.rounds):
            ours[1].append(train(folder, 1, 2, args.steps, args))
            for transport in TRANSPORTS:
                ours[transport].append(train(folder, 2, 2, args.steps, args, transport))
            ours["apart"].append(train_apart(folder, args.steps, args))
            for who, found in take_turns(workers, f"step:{name}", 1, args.milliseconds).items():
                peers.setdefault(who, []).extend(found)
        for worker in workers.values():
            worker.close()
    ours[2] = ours["tcp"]
    assert len({t["digest"] for found in ours.values() for t in found}) == 1, "the digests differ"
    return fastest(ours), peers


def rows_of(name, ours, peers):
    batch, one = f"{name}, batch {device_nets.BATCH[name]}", ours[1]["step_seconds"]
    rows = []
    for transport, who in TRANSPORTS.items():
        two = ours[transport]
        # 2 (N - 1) / N of the parameters, for two
        least = 4 * two["trainable"]
        rows.append([batch, who, show_time(one * 1e9), show_time(two["step_seconds"] * 1e9), f"{one / two['step_seconds']:.2f}x",
                     f"{two['bytes_sent'] / 1e6:.2f} MB", f"{two['bytes_sent'] / least:.4f}", f"{two['exchanges']:.0f}",
                     f"{100 * two['waited_share']:.1f} %"])
    apart = ours["apart"]["step_seconds"]
    rows.append([batch, "percale, no exchange", show_time(one * 1e9), show_time(apart / 2 * 1e9), f"{2 * one / apart:.2f}x", "", "", "", ""])
    if {"torch", "torch-ddp"} <= peers.keys():
        a, b = min(peers["torch"]), min(peers["torch-ddp"])
        rows.append([batch, "torch, gloo", show_time(a), show_time(b), f"{a / b:.2f}x", "", "", "", ""])
    for row in rows:
        print(f"{name}: " + ", ".join(row[1:]), file=sys.stderr, flush=True)
    return rows


def layers_of(name, seconds):
    """Returns the parameters of a net as [elements, forward ns, backward ns]. The layers share the
    seconds of a shard by their multiplications; the backward pass has twice as many as the forward
    pass."""
    import torch
    from torch import nn
    net, places = device_nets.torch_net(name), {}

    def note(module, _, out):
        places[module.weight] = out.shape[2] * out.shape[3] if isinstance(module, nn.Conv2d) else 1

    for module in net.modules():
        if isinstance(module, nn.Conv2d):
            module.register_forward_hook(note)
    x = torch.from_numpy(device_nets.batch(name)[0][:1])
    with torch.no_grad():
        net(x)
    # An embedding multiplies nothing, and neither do the parameters of a normalisation.
    idle = {m.weight for m in net.modules() if isinstance(m, nn.Embedding)}
    work = [0 if p.dim() < 2 or p in idle else p.numel() * places.get(p, 1) for p in net.parameters()]
    ns = [1e9 * seconds * w / sum(work) for w in work]
    return [[p.numel(), round(t / 3), round(2 * t / 3)] for p, t in zip(net.parameters(), ns)]


def make_waiting(folder, layers, args):
    """Makes a job whose layers wait."""
    np.save(os.path.join(folder, "x.npy"), np.ones((WAITING_SHARDS, 8), np.float32))
    np.save(os.path.join(folder, "y.npy"), np.ones((WAITING_SHARDS, 1), np.float32))
    subprocess.run([built(args, "make_waits"), built(args, "libpercale_waits.so"), os.path.join(folder, "waits.percale")], check=True,
                   text=True, input="".join(" ".join(map(str, layer)) + "\n" for layer in layers))
    spec = {"model": "waits.percale", "outputs": "out", "head": [{"layer": "Dense", "units": 1}], "loss": "mse", "shuffle": False,
            "batch_size": WAITING_SHARDS, "data": {"train": {"x": "x.npy", "y": "y.npy"}},
            "optimizer": {"name": "sgd", "learning_rate": device_nets.RATE, "momentum": device_nets.MOMENTUM}}
    with open(os.path.join(folder, "spec.json"), "w") as file:
        json.dump(spec, file)


def measure_waiting(layers, args):
    """Returns the fastest results of groups whose layers wait, by the number of ranks. The steps of
    few ranks are long and vary little, so that there are fewer of them; one rank has nothing that
    could disturb it."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        make_waiting(folder, layers, args)
        for ranks in WAITING_RANKS:
            steps, rounds = max(4, args.steps * ranks // WAITING_SHARDS), args.rounds if ranks > 1 else 1
            found[ranks] = [train(folder, ranks, WAITING_SHARDS, steps, args) for _ in range(rounds)]
    return fastest(found)


def waiting_rows(name, found):
    rows, one = [], found[1]["step_seconds"]
    for ranks in WAITING_RANKS[1:]:
        own = found[ranks]
        least = 2 * (ranks - 1) / ranks * 4 * own["trainable"]
        rows.append([name, str(ranks), show_time(one * 1e9), show_time(own["step_seconds"] * 1e9), f"{one / own['step_seconds']:.2f}x",
                     f"{own['bytes_sent'] / 1e6:.1f} MB", f"{own['bytes_sent'] / least:.4f}", f"{100 * own['waited_share']:.1f} %"])
        print("waiting " + ", ".join(rows[-1]), file=sys.stderr, flush=True)
    return rows


def for_model(layers, ours, waiting):
    """A net in the file that scale.py reads."""
    facts = [{who: {key: told[key] for key in FACTS} for who, told in found.items() if who not in TRANSPORTS}
             for found in (ours, waiting)]
    return {"trainable": ours[2]["trainable"], "layers": layers, "waiting_shards": WAITING_SHARDS, "computing": facts[0], "waiting": facts[1]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("cache")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--milliseconds", type=float, default=3000)
    parser.add_argument("--only", default="")
    parser.add_argument("--write")
    parser.add_argument("--json")
    args = parser.parse_args()
    args.build, args.cache = os.path.abspath(args.build), os.path.abspath(args.cache)
    about, _ = machine(args.build)
    rows, waiting, nets = [], [], {}
    for name in device_nets.BATCH:
        if args.only in name:
            ours, peers = measure(name, args)
            rows += rows_of(name, ours, peers)
            layers = layers_of(name, ours[1]["step_seconds"] / 2)
            idle = measure_waiting(layers, args)
            waiting += waiting_rows(name, idle)
            nets[name] = for_model(layers, ours, idle)
    header = ["a training step", "who", "one process", "two processes", "one / two", "sent by each", "of 2 (N - 1) / N of the parameters",
              "exchanges", "only waited"]
    text = "\n".join([
        "# Training in several processes", "",
        f"Made by `sh tests/bench/run --group --write`. {datetime.date.today()}. {about}. {percale_version(args.build)}.", "",
        "A process has one thread; each of two computes one of two shards. They exchange bytes over TCP on the loopback device, or by the "
        "library's plug-in. The digest is the same in each row, with one process and with two. No exchange: each of two processes trains "
        "alone at the same time as the other one, and half of its step counts; more than that cannot be reached on this machine. Only "
        "waited: the part of the time in which a process did nothing but wait for the other one, also because that had not computed yet.",
        "",
        markdown(header, rows), "",
        "## Layers that wait", "",
        f"A step has {WAITING_SHARDS} shards. The layers of a shard wait as long as those of the net above take, and their gradients are "
        "as large. All else is done: sums, exchanges, commits, by all processes on the processors of this machine.", "",
        markdown(["parameters of", "processes", "one process", "so many", "one / so many", "sent by each",
                  "of 2 (N - 1) / N of the parameters", "only waited"], waiting), ""])
    print(text)
    if args.write:
        with open(args.write, "w") as file:
            file.write(text)
    if args.json:
        with open(args.json, "w") as file:
            json.dump({"about": f"{datetime.date.today()}, {about}", "processors": os.cpu_count(), "nets": nets}, file)


if __name__ == "__main__":
    main()
