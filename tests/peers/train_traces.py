"""Random training jobs through `percale train` and through PyTorch, step by step.

    python tests/peers/train_traces.py build/bindings/cli/percale [jobs] [seed]

Needs torch and numpy; not part of tests/run. Each job draws a model (linear, MLP, CNN), its sizes, its weights, its data and
an optimizer (SGD, momentum, Nesterov, Adam), trains without shuffling on one shard, and compares the loss of every step:
for 20 steps within 1e-3 of PyTorch in f64; later within ten times the deviation of PyTorch's own f32, plus 1e-3.
"""
import csv
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

import numpy as np
import torch

STRICT_STEPS, WITHIN = 20, 1e-3


def save_safetensors(path, tensors):
    header, blob = {}, b""
    for name, value in tensors.items():
        value = np.ascontiguousarray(value, dtype="<f4")
        header[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [len(blob), len(blob) + value.nbytes]}
        blob += value.tobytes()
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + blob)


class Job:
    """A spec, its files, and the same job as functions of PyTorch."""

    def __init__(self, rng, folder):
        self.np = np.random.default_rng(rng.randrange(2**32))
        self.rng = rng
        self.weights, self.steps = {}, []  # steps: functions (parameters, x) -> x
        self.layers, self.counts = [], {}
        kind = rng.choice(["linear", "mlp", "cnn"])
        self.classes = rng.randint(2, 11)
        self.regression = kind == "linear" and rng.random() < 0.5
        self.rows, self.batch = rng.randint(70, 300), rng.randint(5, 64)
        if kind == "cnn":
            shape = self.convolutions()
        else:
            shape = [rng.randint(1, 40)]
        self.input_shape = self.input_shape if kind == "cnn" else shape
        width = shape[-1]
        for _ in range(rng.randint(1, 3) if kind == "mlp" else rng.randint(0, 1) if kind == "cnn" else 0):
            width = self.dense(width, rng.randint(3, 70), rng.choice(["relu", "tanh", "sigmoid"]))
        self.dense(width, rng.randint(1, 5) if self.regression else self.classes, None)
        self.kind = kind
        self.write(folder)

    def name(self, base):
        count = self.counts.get(base, 0)
        self.counts[base] = count + 1
        return base if count == 0 else f"{base}_{count}"

    def weight(self, name, shape, fan_in):
        self.weights[name] = (self.np.standard_normal(shape) / np.sqrt(fan_in)).astype(np.float32)

    def dense(self, inputs, units, activation):
        name, bias = self.name("dense"), self.rng.random() < 0.8
        self.layers.append({"layer": "Dense", "units": units, "use_bias": bias} |
                           ({"activation": activation} if activation else {}))
        self.weight(name + "/kernel", (inputs, units), inputs)
        if bias:
            self.weight(name + "/bias", (units,), 10)

        def step(p, x):
            y = x @ p[name + "/kernel"]
            y = y + p[name + "/bias"] if bias else y
            return getattr(torch, activation)(y) if activation else y

        self.steps.append(step)
        return units

    def convolutions(self):
        rng = self.rng
        h, w, c = rng.randint(8, 16), rng.randint(8, 16), rng.randint(1, 3)
        self.input_shape = [h, w, c]
        self.steps.append(lambda p, x: x.permute(0, 3, 1, 2))
        for _ in range(rng.randint(1, 2)):
            k, filters = rng.choice([1, 3, 5]), rng.randint(2, 20)
            stride, same = rng.choice([1, 1, 2]), rng.random() < 0.5
            if min(h, w) < 5:
                break
            name = self.name("conv2d")
            self.layers.append({"layer": "Conv2D", "filters": filters, "kernel_size": k, "strides": stride,
                                "padding": "same" if same else "valid", "activation": "relu"})
            self.weight(name + "/kernel", (k, k, c, filters), k * k * c)
            self.weight(name + "/bias", (filters,), 10)

            def step(p, x, name=name, k=k, stride=stride, same=same):
                if same:
                    pads = []
                    for size in (x.shape[3], x.shape[2]):
                        total = max((-(-size // stride) - 1) * stride + k - size, 0)
                        pads += [total // 2, total - total // 2]
                    x = torch.nn.functional.pad(x, pads)
                kernel = p[name + "/kernel"].permute(3, 2, 0, 1)
                return torch.relu(torch.nn.functional.conv2d(x, kernel, p[name + "/bias"], stride=stride))

            self.steps.append(step)
            h, w, c = ((-(-h // stride), -(-w // stride)) if same else
                       ((h - k) // stride + 1, (w - k) // stride + 1)) + (filters,)
            if min(h, w) >= 4 and rng.random() < 0.7:
                pool = rng.choice(["max", "average"])
                self.layers.append({"layer": f"{pool.capitalize()}Pooling2D", "pool_size": 2})
                function = torch.nn.functional.max_pool2d if pool == "max" else torch.nn.functional.avg_pool2d
                self.steps.append(lambda p, x, function=function: function(x, 2))
                h, w = h // 2, w // 2
        self.layers.append({"layer": "Flatten"})
        self.steps.append(lambda p, x: x.permute(0, 2, 3, 1).flatten(1))
        return [h * w * c]

    def write(self, folder):
        rng = self.rng
        self.x = self.np.standard_normal([self.rows] + self.input_shape).astype(np.float32)
        last = [n for n in self.weights if n.endswith("kernel")][-1]
        outputs = self.weights[last].shape[-1]
        if self.regression:
            self.y = self.np.standard_normal((self.rows, outputs)).astype(np.float32)
        else:
            self.y = self.np.integers(0, self.classes, self.rows).astype(np.int32)
        np.save(os.path.join(folder, "x.npy"), self.x)
        np.save(os.path.join(folder, "y.npy"), self.y)
        save_safetensors(os.path.join(folder, "weights.safetensors"), self.weights)
        self.optimizer = rng.choice(["sgd", "momentum", "nesterov", "adam"])
        self.rate = rng.choice([0.001, 0.003]) if self.optimizer == "adam" else rng.choice([0.01, 0.03])
        optimizer = {"name": "adam" if self.optimizer == "adam" else "sgd", "learning_rate": self.rate}
        if self.optimizer in ("momentum", "nesterov"):
            optimizer |= {"momentum": 0.9, "nesterov": self.optimizer == "nesterov"}
        if self.optimizer == "adam":
            optimizer |= {"epsilon": 1e-7}
        loss = ({"loss": "mean_squared_error"} if self.regression else
                {"loss": "sparse_categorical_crossentropy", "from_logits": True})
        self.epochs = -(-60 // -(-self.rows // self.batch))
        spec = {"model": self.layers, "input_shape": self.input_shape, "optimizer": optimizer,
                "data": {"train": {"x": "x.npy", "y": "y.npy"}}, "batch_size": self.batch, "shards": 1,
                "shuffle": False, "epochs": self.epochs, "seed": 1} | loss
        self.spec = os.path.join(folder, "spec.json")
        with open(self.spec, "w") as file:
            json.dump(spec, file)
        self.folder = folder

    def percale(self, program):
        history = os.path.join(self.folder, "history.csv")
        result = subprocess.run([program, "train", self.spec, "--weights", os.path.join(self.folder, "weights.safetensors"),
                                 "--history", history, "--out", os.path.join(self.folder, "out")],
                                capture_output=True, text=True)
        if result.returncode:
            raise RuntimeError(result.stderr + open(self.spec).read())
        with open(history) as file:
            return [float(row["loss"]) for row in csv.DictReader(file)]

    def torch(self, dtype):
        p = {name: torch.tensor(value, dtype=dtype, requires_grad=True) for name, value in self.weights.items()}
        if self.optimizer == "adam":
            optimizer = torch.optim.Adam(p.values(), lr=self.rate, eps=1e-7)
        else:
            optimizer = torch.optim.SGD(p.values(), lr=self.rate, momentum=0 if self.optimizer == "sgd" else 0.9,
                                        nesterov=self.optimizer == "nesterov")
        losses = []
        for _ in range(self.epochs):
            for first in range(0, self.rows, self.batch):
                x = torch.tensor(self.x[first:first + self.batch], dtype=dtype)
                y = torch.tensor(self.y[first:first + self.batch])
                for step in self.steps:
                    x = step(p, x)
                loss = (torch.nn.functional.mse_loss(x, y.to(dtype)) if self.regression else
                        torch.nn.functional.cross_entropy(x, y.long()))
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
        return losses


def main():
    program = sys.argv[1]
    jobs = int(sys.argv[2]) if len(sys.argv) > 2 else 30
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    torch.set_num_threads(1)
    failed = 0
    for number in range(jobs):
        with tempfile.TemporaryDirectory() as folder:
            job = Job(rng, folder)
            ours, exact, single = job.percale(program), job.torch(torch.float64), job.torch(torch.float32)
            good = len(ours) == len(exact)
            off = [abs(a - b) / max(abs(b), 1e-30) for a, b in zip(ours, exact)]
            peer = [abs(a - b) / max(abs(b), 1e-30) for a, b in zip(single, exact)]
            good &= all(o <= WITHIN for o in off[:STRICT_STEPS])
            worst = 0.0
            for o, t in zip(off, peer):
                worst = max(worst, t)
                good &= o <= 10 * worst + WITHIN
            failed += not good
            print(f"{'ok ' if good else 'BAD'} {number:3} {job.kind:6} {job.optimizer:8} {len(ours)} steps, first 20 off by "
                  f"{max(off[:STRICT_STEPS]):.1e}, all by {max(off):.1e} (PyTorch f32: {max(peer):.1e})", flush=True)
    print(f"{jobs - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
