"""Runs random training jobs through `percale train` and through PyTorch, step by step.

    python tests/peers/train_traces.py build/bindings/cli/percale [jobs] [seed]

Needs torch and numpy; not part of tests/run. Each job draws a model (linear, MLP, CNN over images
or sequences, recurrent or attention layers over sequences of numbers or tokens, with branches) from
the existing layers, its sizes, weights and data, a loss with its options, an optimizer (tables by
rows where that changes nothing), a schedule, clipping, weight decay, accumulation and
recomputation. It trains without shuffling on one shard, and compares the loss of every step: for 20
steps within 1e-3 of PyTorch in f64; later within ten times the deviation of PyTorch's own f32, plus
1e-3.
"""
import csv
import json
import os
import random
import subprocess
import sys
import tempfile

import torch

from random_job import Job
from torch_layers import ACTIVATIONS

STRICT_STEPS, WITHIN = 20, 1e-3


def losses_of_percale(job, program):
    history = os.path.join(job.folder, "history.csv")
    result = subprocess.run([program, "train", job.spec, "--weights", os.path.join(job.folder, "weights.safetensors"),
                             "--history", history], capture_output=True, text=True)
    if result.returncode:
        raise RuntimeError(result.stderr + open(job.spec).read())
    with open(history) as file:
        return [float(row["loss"]) for row in csv.DictReader(file)]


def losses_of_torch(job, dtype):
    p = {name: torch.tensor(value, dtype=dtype, requires_grad=name not in job.fixed) for name, value in job.weights.items()}
    trained = [value for name, value in p.items() if name not in job.fixed]
    optimizer = job.make_optimizer(trained)
    losses, epochs, step = [], [], 0
    for _ in range(job.epochs):
        total, rows = 0.0, 0
        for first in range(0, job.rows, job.batch * job.accumulation):
            last = min(first + job.batch * job.accumulation, job.rows)
            for value in trained:
                value.grad = None
            whole = 0.0
            for begin in range(first, last, job.batch):
                end = min(begin + job.batch, last)
                x = torch.tensor(job.x[begin:end], dtype=dtype)
                for function in job.steps:
                    x = function(p, x)
                loss = job.mean_loss(x, torch.tensor(job.y[begin:end])) * (job.count(begin, end) / job.count(first, last))
                loss.backward()
                whole += loss.item()
            job.clip(trained)
            for group in optimizer.param_groups:
                group["lr"] = job.schedule(step, epochs)
            optimizer.step()
            losses.append(whole)
            step += 1
            total += whole * job.count(first, last)
            rows += job.count(first, last)
        epochs.append(total / rows)
    return losses


def main():
    program = sys.argv[1]
    jobs = int(sys.argv[2]) if len(sys.argv) > 2 else 30
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    torch.set_num_threads(1)
    ops = {op["name"] for op in json.loads(subprocess.run([program, "ops", "--json"], capture_output=True, text=True,
                                                          check=True).stdout)}
    for name in [name for name, op in ACTIVATIONS.items() if op not in ops]:
        del ACTIVATIONS[name]
    failed, seen = 0, {}
    for number in range(jobs):
        with tempfile.TemporaryDirectory() as folder:
            job = Job(rng, folder)
            ours = losses_of_percale(job, program)
            exact, single = losses_of_torch(job, torch.float64), losses_of_torch(job, torch.float32)
            good = len(ours) == len(exact)
            off = [abs(a - b) / max(abs(b), 1e-30) for a, b in zip(ours, exact)]
            peer = [abs(a - b) / max(abs(b), 1e-30) for a, b in zip(single, exact)]
            good &= all(o <= WITHIN for o in off[:STRICT_STEPS])
            worst = 0.0
            for o, t in zip(off, peer):
                worst = max(worst, t)
                good &= o <= 10 * worst + WITHIN
            failed += not good
            for layer in {layer["layer"] for layer in job.layers} | \
                    {job.optimizer_name, job.schedule_name, job.loss} | ({"label_smoothing"} if job.smoothing else set()) | \
                    ({"ignore_class"} if job.ignored is not None else set()) | ({"recompute"} if job.recompute else set()) | \
                    ({"by rows"} if job.by_rows else set()):
                seen[layer] = seen.get(layer, 0) + 1
            print(f"{'ok ' if good else 'BAD'} {number:3} {job.kind:8} {job.optimizer_name:8} {job.schedule_name:9} "
                  f"clip {job.clip_name:11} x{job.accumulation} {len(ours)} steps, first 20 off by "
                  f"{max(off[:STRICT_STEPS]):.1e}, all by {max(off):.1e} (PyTorch f32: {max(peer):.1e})", flush=True)
            if not good:
                print(open(job.spec).read())
    print("covered: " + ", ".join(f"{name} {count}" for name, count in sorted(seen.items())))
    print(f"{jobs - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
