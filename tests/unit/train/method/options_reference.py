"""Writes options.inc: trainings with the trainer's options, done in PyTorch in f64, which
options_test.cc compares with.

    python tests/unit/train/method/options_reference.py > tests/unit/train/method/options.inc

Needs torch and numpy. The model is Dense(8, tanh), Dense(3); its data and first weights come from
the formula of reference.py. Optimizers that PyTorch lacks are implemented from their papers. Each
row: name, keys of the SPEC, rows, batch, epochs, the loss of each step before its update, the loss
of all rows after the last one (with averaged weights if there are averages).
"""
import os
import sys

import numpy as np
import torch
import torch.nn.functional as F

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "peers"))
from optimizers import Ftrl, Lamb, Lion, each_norm, scale_all  # noqa: E402 (the path comes first)

ROWS = 26


def values(shape, salt, scale=1.0):
    n = int(np.prod(shape))
    return torch.tensor(np.sin(0.7 * np.arange(n, dtype=np.float64) + salt).reshape(shape) * scale)


def labels(n, classes):
    return torch.tensor([(5 * i + i // 3) % classes for i in range(n)])


NAMES = ["dense/kernel", "dense/bias", "dense_1/kernel", "dense_1/bias"]


def weights():
    return [values((5, 8), 1, 0.5), values((8,), 2, 0.1), values((8, 3), 3, 0.5), values((3,), 4, 0.1)]


X, Y = values((ROWS, 5), 9), labels(ROWS, 3)
W = torch.tensor(1 + 0.5 * np.sin(np.arange(ROWS, dtype=np.float64)))


def forward(p, x):
    return torch.tanh(x @ p[0] + p[1]) @ p[2] + p[3]


def run(name, keys, make, batch=8, epochs=4, accumulation=1, clip=None, schedule=None, plateau=None, frozen=(), ema=0.0,
        weight=None, class_weight=None):
    p = [w.clone().requires_grad_(n not in frozen) for n, w in zip(NAMES, weights())]
    trained = [w for w in p if w.requires_grad]
    optimizer = make(trained)
    average, losses = None, []
    rate = schedule(optimizer) if schedule else None
    watch = plateau(optimizer) if plateau else None

    def terms(q, at):
        return F.cross_entropy(forward(q, X[at]), Y[at], weight=class_weight, reduction="none")

    def counts(at):
        c = torch.ones(len(at), dtype=torch.float64)
        if weight is not None:
            c = c * weight[at]
        return c

    def mean(q, at):
        c = counts(at)
        total = c if class_weight is None else c * class_weight[Y[at]]
        return (terms(q, at) * c).sum() / total.sum()

    for _ in range(epochs):
        sums, whole = 0.0, 0.0
        for first in range(0, ROWS, batch * accumulation):
            at = torch.arange(first, min(first + batch * accumulation, ROWS))
            loss = mean(p, at)
            for w in trained:
                w.grad = None
            loss.backward()
            if clip:
                clip(trained)
            optimizer.step()
            losses.append(loss.item())
            sums += loss.item() * len(at)
            whole += len(at)
            if ema:
                now = [w.detach().clone() for w in p]
                average = now if average is None else [ema * a + (1 - ema) * w for a, w in zip(average, now)]
            if rate:
                rate.step()
        if watch:
            watch.step(sums / whole)
    with torch.no_grad():
        final = mean(average or p, torch.arange(ROWS)).item()
    text = keys.replace('"', '\\"')
    print(f'{{"{name}", "{text}", {batch}, {epochs}, {{{", ".join(repr(v) for v in losses)}}}, {final!r}}},')


def sgd(rate=0.2, **more):
    return lambda params: torch.optim.SGD(params, lr=rate, **more)


def scheduled(kind, **more):
    return lambda optimizer: getattr(torch.optim.lr_scheduler, kind)(optimizer, **more)


def grouped(params):
    kernels = {"lr": 0.02, "weight_decay": 0.1}
    return torch.optim.SGD([{"params": [params[0]], **kernels}, {"params": [params[2]], "lr": 0.2, "weight_decay": 0.3},
                            {"params": [params[1], params[3]], "lr": 0.2, "weight_decay": 0.1}], momentum=0.9)


SGD = '"optimizer": {"name": "sgd", "learning_rate": 0.2}'
STEPS = -(-ROWS // 8) * 4


class OneCycle:
    """PyTorch's scheduler, which refuses a step after the last one."""

    def __init__(self, optimizer):
        self.inner = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.5, total_steps=STEPS, cycle_momentum=False)
        self.left = STEPS - 1

    def step(self):
        if self.left > 0:
            self.inner.step()
        self.left -= 1


run("lion", '"optimizer": {"name": "lion", "learning_rate": 0.01, "weight_decay": 0.1}',
    lambda p: Lion(p, 0.01, weight_decay=0.1))
run("lamb", '"optimizer": {"name": "lamb", "learning_rate": 0.02, "weight_decay": 0.1}',
    lambda p: Lamb(p, 0.02, weight_decay=0.1))
run("ftrl", '"optimizer": {"name": "ftrl", "learning_rate": 0.1, "l1_regularization_strength": 0.01, '
    '"l2_regularization_strength": 0.02, "l2_shrinkage_regularization_strength": 0.03, "beta": 0.5, "weight_decay": 0.05}',
    lambda p: Ftrl(p, 0.1, l1=0.01, l2=0.02, shrinkage=0.03, beta=0.5, weight_decay=0.05))
run("ftrl with another power", '"optimizer": {"name": "ftrl", "learning_rate": 0.1, "learning_rate_power": -0.7, '
    '"initial_accumulator_value": 0.3}', lambda p: Ftrl(p, 0.1, power=-0.7, initial=0.3))
run("clip by value", SGD + ', "clip": {"value": 0.03}', sgd(),
    clip=lambda p: torch.nn.utils.clip_grad_value_(p, 0.03))
run("clip by norm", SGD + ', "clip": {"norm": 0.1}', sgd(), clip=each_norm(0.1))
run("clip by global norm", SGD + ', "clip": 0.1', sgd(), clip=lambda p: scale_all(p, 0.1))
run("step", SGD + ', "schedule": {"name": "step", "step_size": 3, "gamma": 0.5}', sgd(),
    schedule=scheduled("StepLR", step_size=3, gamma=0.5))
run("cosine", SGD + ', "schedule": {"name": "cosine", "alpha": 0.1}', sgd(),
    schedule=scheduled("CosineAnnealingLR", T_max=STEPS, eta_min=0.02))
run("warm_up", SGD + ', "schedule": {"name": "warm_up", "steps": 5}', sgd(),
    schedule=lambda o: torch.optim.lr_scheduler.LambdaLR(o, lambda s: min(1, (s + 1) / 5)))
run("one_cycle", SGD + ', "schedule": {"name": "one_cycle", "max_learning_rate": 0.5}', sgd(), schedule=OneCycle)
run("plateau", '"optimizer": {"name": "sgd", "learning_rate": 2.0}, "schedule": {"name": "plateau", "factor": 0.5, '
    '"patience": 1, "cooldown": 1, "threshold": 0.05, "min_learning_rate": 0.3}', sgd(2.0), epochs=14,
    plateau=scheduled("ReduceLROnPlateau", factor=0.5, patience=1, cooldown=1, threshold=0.05, min_lr=0.3))
run("plateau by a difference", '"optimizer": {"name": "sgd", "learning_rate": 1.0}, "schedule": {"name": "plateau", '
    '"patience": 0, "min_delta": 0.02, "factor": 0.3}', sgd(1.0), epochs=9,
    plateau=scheduled("ReduceLROnPlateau", factor=0.3, patience=0, threshold=0.02, threshold_mode="abs"))
run("accumulation", SGD + ', "accumulation": 2', sgd(), accumulation=2)
run("accumulation over a whole epoch", '"optimizer": {"name": "adam", "learning_rate": 0.02, "epsilon": 1e-8}, '
    '"accumulation": 9', lambda p: torch.optim.Adam(p, lr=0.02), accumulation=9, epochs=8)
run("groups", '"optimizer": {"name": "sgd", "learning_rate": 0.2, "momentum": 0.9, "weight_decay": 0.1}, "groups": '
    '[{"pattern": "dense/k*", "learning_rate_factor": 0.1}, {"pattern": "*/kernel", "weight_decay": 0.3}]', grouped)
run("freeze", SGD + ', "freeze": ["dense/*"]', sgd(), frozen=("dense/kernel", "dense/bias"))
run("ema", SGD + ', "ema": 0.8', sgd(), ema=0.8)
run("sample weights", SGD + ', "sample_weight": "w"', sgd(), weight=W)
run("class weights", SGD + ', "class_weight": {"0": 2.0, "2": 0.25}', sgd(),
    class_weight=torch.tensor([2.0, 1.0, 0.25], dtype=torch.float64))
run("both weights, accumulated", SGD + ', "sample_weight": "w", "class_weight": [2, 1, 0.25], "accumulation": 3', sgd(),
    weight=W, class_weight=torch.tensor([2.0, 1.0, 0.25], dtype=torch.float64), accumulation=3)
