"""Random training jobs: a network, data, a loss, an optimizer, a schedule, clipping."""
import json
import os

import numpy as np
import torch
import torch.nn.functional as F

from optimizers import Ftrl, Lamb, Lion, each_norm, scale_all
from random_images import convolutions
from random_network import Network
from random_sequences import sequence, series
from safetensors_writer import save_safetensors
from torch_layers import ACTIVATIONS


class Job(Network):
    """A SPEC, its files, and the same job as functions of PyTorch."""

    def __init__(self, rng, folder):
        super().__init__(rng)
        self.kind = kind = rng.choice(["linear", "mlp", "cnn", "cnn", "series", "sequence", "sequence"])
        self.classes = rng.randint(2, 11)
        self.loss = rng.choice(["mean_squared_error", "mean_absolute_error", "huber"]) if kind == "linear" and rng.random() < 0.6 \
            else rng.choice(["sparse_categorical_crossentropy"] * 3 + ["binary_crossentropy", "categorical_crossentropy"])
        self.batch = rng.randint(5, 64)
        if kind == "cnn":
            width = convolutions(self)
        elif kind == "series":
            width = series(self)
        elif kind == "sequence":
            width = sequence(self, may_label=self.loss.startswith("sparse"))
        else:
            width = rng.randint(1, 40)
            self.input_shape = [width]
        for _ in range(rng.randint(1, 3) if kind == "mlp" else rng.randint(0, 1) if kind != "linear" else 0):
            width = self.dense(width, rng.randint(3, 70), rng.choice(list(ACTIVATIONS) + [None]))
            if rng.random() < 0.4:
                width = self.branch(width, lambda units: self.dense(width, units, rng.choice(list(ACTIVATIONS))))
            if rng.random() < 0.4:
                self.rest(width, image=False)
        self.outputs = self.classes if "categorical" in self.loss else rng.randint(1, 5)
        self.dense(width, self.outputs, None)
        self.rows = rng.randint(70, 300)
        if self.normalised:  # the statistics of a last batch with a row or two would be useless
            self.batch = max(self.batch, 12)
            self.rows = self.batch * max(2, self.rows // self.batch)
        self.write(folder)

    def write(self, folder):
        rng = self.rng
        self.folder, self.ignored = folder, None
        self.smoothing = rng.choice([0.0, 0.1, 0.3]) if self.loss.endswith("crossentropy") else 0.0
        self.x = self.np.standard_normal([self.rows] + self.input_shape).astype(np.float32)
        if self.tokens:
            self.x = self.np.integers(0, self.tokens, self.x.shape).astype(np.int32)
        if self.loss.startswith("sparse"):
            self.y = self.np.integers(0, self.classes, [self.rows] + ([self.time] if self.time else [])).astype(np.int32)
            if rng.random() < 0.3:  # a fifth of the rows is ignored, but never a whole batch
                self.ignored = rng.choice([-1, 255])
                ignored = self.np.random(self.rows) < 0.2
                ignored[::self.batch] = False
                self.y[ignored] = self.ignored
        elif self.loss == "categorical_crossentropy":
            self.y = np.eye(self.classes, dtype=np.float32)[self.np.integers(0, self.classes, self.rows)]
        elif self.loss == "binary_crossentropy":
            self.y = self.np.integers(0, 2, (self.rows, self.outputs)).astype(np.float32)
        else:
            self.y = self.np.standard_normal((self.rows, self.outputs)).astype(np.float32)
        np.save(os.path.join(folder, "x.npy"), self.x)
        np.save(os.path.join(folder, "y.npy"), self.y)
        save_safetensors(os.path.join(folder, "weights.safetensors"), self.weights)
        self.accumulation = rng.choice([1, 1, 1, 2, 3])
        self.choose_optimizer()
        per_epoch = -(-self.rows // (self.batch * self.accumulation))
        self.epochs = -(-60 // per_epoch)
        self.total = per_epoch * self.epochs
        spec = {"model": self.layers, "input_shape": self.input_shape, "optimizer": self.optimizer, "loss": self.loss,
                "data": {"train": {"x": "x.npy", "y": "y.npy"}}, "batch_size": self.batch, "shards": 1,
                "shuffle": False, "epochs": self.epochs, "seed": 1, "accumulation": self.accumulation}
        if self.loss.endswith("crossentropy"):
            spec["from_logits"] = True
            spec["loss"] = {"name": self.loss} | ({"label_smoothing": self.smoothing} if self.smoothing else {}) | \
                ({"ignore_class": self.ignored} if self.ignored is not None else {})
        self.recompute = rng.random() < 0.3
        if self.recompute:
            spec["recompute"] = True
        spec |= self.choose_schedule() | self.choose_clip()
        self.spec = os.path.join(folder, "spec.json")
        with open(self.spec, "w") as file:
            json.dump(spec, file)

    def choose_optimizer(self):
        rng = self.rng
        name = rng.choice(["sgd", "momentum", "nesterov", "adam", "adamw", "rmsprop", "adagrad", "ftrl", "lion", "lamb"])
        rate = {"adam": 0.001, "adamw": 0.003, "rmsprop": 0.001, "adagrad": 0.01, "ftrl": 0.03, "lion": 0.0003,
                "lamb": 0.003}.get(name, rng.choice([0.01, 0.03]))
        decay = rng.choice([0.0, 0.0, 0.01])
        spec = {"name": "sgd" if name in ("momentum", "nesterov") else name, "learning_rate": rate, "weight_decay": decay}
        optim = torch.optim
        if name in ("momentum", "nesterov"):
            spec |= {"momentum": 0.9, "nesterov": name == "nesterov"}
        make = {
            "sgd": lambda p: optim.SGD(p, lr=rate, weight_decay=decay),
            "momentum": lambda p: optim.SGD(p, lr=rate, momentum=0.9, weight_decay=decay),
            "nesterov": lambda p: optim.SGD(p, lr=rate, momentum=0.9, nesterov=True, weight_decay=decay),
            "adam": lambda p: optim.Adam(p, lr=rate, eps=1e-7, weight_decay=decay),
            "adamw": lambda p: optim.AdamW(p, lr=rate, eps=1e-7, weight_decay=decay),
            "rmsprop": lambda p: optim.RMSprop(p, lr=rate, alpha=0.9, eps=1e-7, weight_decay=decay),
            "adagrad": lambda p: optim.Adagrad(p, lr=rate, initial_accumulator_value=0.1, eps=1e-7, weight_decay=decay),
            "ftrl": lambda p: Ftrl(p, rate, l1=0.001, l2=0.002, weight_decay=decay),
            "lion": lambda p: Lion(p, rate, weight_decay=decay),
            "lamb": lambda p: Lamb(p, rate, weight_decay=decay),
        }
        if name == "ftrl":
            spec |= {"l1_regularization_strength": 0.001, "l2_regularization_strength": 0.002}
        # A table of embeddings trains by rows if that gives the results of dense gradients.
        self.by_rows = bool(self.tokens) and name in ("sgd", "adagrad") and decay == 0
        if self.by_rows:
            spec["sparse"] = True
        self.optimizer_name, self.rate, self.optimizer, self.make_optimizer = name, rate, spec, make[name]

    def choose_schedule(self):
        """Returns keys of the SPEC. self.schedule is a function (step, losses of the finished
        epochs) -> learning rate."""
        rng, base = self.rng, self.rate
        kind = rng.choice(["constant", "step", "cosine", "warm_up", "one_cycle", "plateau"])
        self.schedule_name = kind

        def with_torch(make, steps):
            inner = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=base)
            scheduler, rates = make(inner), []
            for _ in range(steps):
                rates.append(inner.param_groups[0]["lr"])
                inner.step()
                if len(rates) < steps:
                    scheduler.step()
            return lambda step, losses: rates[step]

        torch_schedule = torch.optim.lr_scheduler
        if kind == "step":
            self.schedule = with_torch(lambda o: torch_schedule.StepLR(o, 7, gamma=0.5), self.total)
            return {"schedule": {"name": "step", "step_size": 7, "gamma": 0.5}}
        if kind == "cosine":
            self.schedule = with_torch(lambda o: torch_schedule.CosineAnnealingLR(o, self.total, eta_min=0.1 * base), self.total)
            return {"schedule": {"name": "cosine", "alpha": 0.1}}
        if kind == "warm_up":
            self.schedule = lambda step, losses: base * min(1, (step + 1) / 9)
            return {"schedule": {"name": "warm_up", "steps": 9}}
        if kind == "one_cycle":
            self.schedule = with_torch(lambda o: torch_schedule.OneCycleLR(o, 2 * base, total_steps=self.total,
                                                                           cycle_momentum=False), self.total)
            return {"schedule": {"name": "one_cycle", "max_learning_rate": 2 * base}}
        if kind == "plateau":
            def rate(step, losses):
                inner = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=base)
                scheduler = torch_schedule.ReduceLROnPlateau(inner, factor=0.5, patience=1, threshold=0.02)
                for loss in losses:
                    scheduler.step(loss)
                return inner.param_groups[0]["lr"]

            self.schedule = rate
            return {"schedule": {"name": "plateau", "factor": 0.5, "patience": 1, "threshold": 0.02}}
        self.schedule = lambda step, losses: base
        return {}

    def choose_clip(self):
        kind = self.rng.choice(["none", "none", "value", "norm", "global_norm"])
        self.clip_name = kind
        self.clip = {"none": lambda p: None, "value": lambda p: torch.nn.utils.clip_grad_value_(p, 0.02),
                     "norm": each_norm(0.3), "global_norm": lambda p: scale_all(p, 0.5)}[kind]
        return {} if kind == "none" else {"clip": {kind: {"value": 0.02, "norm": 0.3, "global_norm": 0.5}[kind]}}

    def mean_loss(self, x, y):
        if self.time:  # labels [batch, time], averaged over both
            x, y = x.flatten(0, 1), y.flatten()
        if "categorical" in self.loss:
            return F.cross_entropy(x, y.long() if self.loss.startswith("sparse") else y.to(x.dtype), label_smoothing=self.smoothing,
                                   ignore_index=-100 if self.ignored is None else self.ignored)
        y = y.to(x.dtype)
        if self.loss == "binary_crossentropy":
            y = y * (1 - self.smoothing) + self.smoothing / 2
        function = {"mean_squared_error": F.mse_loss, "mean_absolute_error": F.l1_loss, "huber": F.huber_loss,
                    "binary_crossentropy": F.binary_cross_entropy_with_logits}[self.loss]
        return function(x, y)

    def count(self, begin, end):
        """Returns the number of rows that are not ignored."""
        return end - begin if self.ignored is None else int((self.y[begin:end] != self.ignored).sum())
