"""Writes row_sparse.inc: trainings of embedding tables with sparse gradients, done in PyTorch in
f64, which row_sparse_test.cc compares with.

    python tests/unit/train/method/row_sparse_reference.py > tests/unit/train/method/row_sparse.inc

Needs torch and numpy. Each model is an embedding table with a Dense(3) on top. Indices are (7 i + i
// 3 + i * i // 11) % TABLE; labels and first weights come from the formula of reference.py.
Momentum and FTRL of single rows, which PyTorch lacks, are implemented as TensorFlow documents them.
Each row: name, layers, optimizer, the loss of each of 20 steps before its update, the loss of all
rows after the last one.
"""
import json

import numpy as np
import torch
import torch.nn.functional as F

ROWS, LENGTH, TABLE, WIDTH, BATCH, EPOCHS = 40, 5, 13, 4, 8, 4


def values(shape, salt, scale=1.0):
    n = int(np.prod(shape))
    return torch.tensor(np.sin(0.7 * np.arange(n, dtype=np.float64) + salt).reshape(shape) * scale)


X = torch.tensor([(7 * i + i // 3 + i * i // 11) % TABLE for i in range(ROWS * LENGTH)]).reshape(ROWS, LENGTH)
Y = torch.tensor([(5 * i + i // 3) % 3 for i in range(ROWS)])


class LazyMomentum:
    """tf.raw_ops.ResourceSparseApplyMomentum: accum = momentum accum + grad; var -= lr accum, in
    the rows of grad."""

    def __init__(self, p, lr, momentum):
        self.p, self.lr, self.momentum, self.buffer = p, lr, momentum, torch.zeros_like(p)

    @torch.no_grad()
    def step(self):
        g = self.p.grad.coalesce()
        at = g.indices()[0]
        self.buffer[at] = self.momentum * self.buffer[at] + g.values()
        self.p[at] -= self.lr * self.buffer[at]


class LazyFtrl:
    """tf.raw_ops.ResourceSparseApplyFtrlV2 with learning_rate_power -0.5, in the rows of grad."""

    def __init__(self, p, lr, l1, l2, start):
        self.p, self.lr, self.l1, self.l2 = p, lr, l1, l2
        self.n, self.z = torch.full_like(p, start), torch.zeros_like(p)

    @torch.no_grad()
    def step(self):
        g, at = (self.p.grad, slice(None)) if not self.p.grad.is_sparse else (
            self.p.grad.coalesce().values(), self.p.grad.coalesce().indices()[0])
        n, w = self.n[at], self.p[at]
        new = n + g * g
        z = self.z[at] + g - (new.sqrt() - n.sqrt()) / self.lr * w
        self.p[at] = (z.clamp(-self.l1, self.l1) - z) / (new.sqrt() / self.lr + 2 * self.l2)
        self.n[at], self.z[at] = new, z


def run(name, layers, optimizer, look_up, width, make):
    table = values((TABLE, WIDTH), 1, 0.5).requires_grad_(True)
    dense = [values((width, 3), 3, 0.5).requires_grad_(True), values((3,), 4, 0.1).requires_grad_(True)]
    steppers = make(table, dense)
    losses = []
    mean = lambda at: F.cross_entropy(look_up(table, X[at]) @ dense[0] + dense[1], Y[at])
    for _ in range(EPOCHS):
        for first in range(0, ROWS, BATCH):
            at = torch.arange(first, first + BATCH)
            for p in [table, *dense]:
                p.grad = None
            loss = mean(at)
            loss.backward()
            assert table.grad.is_sparse
            for s in steppers:
                s.step()
            losses.append(loss.item())
    with torch.no_grad():
        final = mean(torch.arange(ROWS)).item()
    print(f'{{"{name}", R"({json.dumps(layers)})", R"({json.dumps(optimizer)})", {{{", ".join(repr(v) for v in losses)}}}, '
          f'{final!r}}},')


HEAD = {"layer": "Dense", "units": 3}
EMBEDDING = [{"layer": "Embedding", "input_dim": TABLE, "output_dim": WIDTH}, {"layer": "Flatten"}, HEAD]


def bag(**more):
    return [{"layer": "EmbeddingBag", "input_dim": TABLE, "output_dim": WIDTH, **more}, HEAD]


def rows(table, at):
    return F.embedding(at, table, sparse=True).reshape(len(at), -1)


def bags(**more):
    return lambda table, at: F.embedding_bag(at, table, sparse=True, **more)


def sgd(table, dense):
    return [torch.optim.SGD([table, *dense], 0.2)]


def adagrad(table, dense):
    return [torch.optim.Adagrad([table, *dense], 0.1, initial_accumulator_value=0.1, eps=1e-7)]


# SparseAdam adds epsilon to a root without bias correction; for an epsilon this small it makes no
# difference
def adam(table, dense):
    return [torch.optim.SparseAdam([table], 0.02, (0.9, 0.99), 1e-14), torch.optim.Adam(dense, 0.02, (0.9, 0.99), 1e-14)]


def momentum(table, dense):
    return [LazyMomentum(table, 0.1, 0.8), torch.optim.SGD(dense, 0.1, 0.8)]


def ftrl(table, dense):
    return [LazyFtrl(p, 0.3, 0.01, 0.02, 0.1) for p in (table, *dense)]


SGD = {"name": "sgd", "learning_rate": 0.2, "sparse": True}
ADAGRAD = {"name": "adagrad", "learning_rate": 0.1, "sparse": True}
ADAM = {"name": "adam", "learning_rate": 0.02, "beta_2": 0.99, "epsilon": 1e-14, "sparse": True}
MOMENTUM = {"name": "sgd", "learning_rate": 0.1, "momentum": 0.8, "sparse": True}
FTRL = {"name": "ftrl", "learning_rate": 0.3, "l1_regularization_strength": 0.01, "l2_regularization_strength": 0.02,
        "sparse": True}

if __name__ == "__main__":
    print(f"// Written by row_sparse_reference.py with PyTorch {torch.__version__.split('+')[0]}.")
    run("embedding, sgd", EMBEDDING, SGD, rows, LENGTH * WIDTH, sgd)
    run("embedding, adagrad", EMBEDDING, ADAGRAD, rows, LENGTH * WIDTH, adagrad)
    run("embedding, adam", EMBEDDING, ADAM, rows, LENGTH * WIDTH, adam)
    run("embedding, momentum", EMBEDDING, MOMENTUM, rows, LENGTH * WIDTH, momentum)
    run("embedding, ftrl", EMBEDDING, FTRL, rows, LENGTH * WIDTH, ftrl)
    run("bag of sums, sgd", bag(combiner="sum"), SGD, bags(mode="sum"), WIDTH, sgd)
    run("bag of means, adagrad", bag(), ADAGRAD, bags(mode="mean"), WIDTH, adagrad)
    run("bag of means with padding, adam", bag(padding_idx=3), ADAM, bags(mode="mean", padding_idx=3), WIDTH, adam)
    run("bag of sums with padding, adagrad", bag(combiner="sum", padding_idx=0), ADAGRAD,
        bags(mode="sum", padding_idx=0), WIDTH, adagrad)
