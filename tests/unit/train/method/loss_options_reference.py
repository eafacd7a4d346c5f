"""Writes loss_options.inc: trainings with the options of losses, done in PyTorch in f64, which
loss_options_test.cc compares with.

    cd tests/unit/train/method
    python loss_options_reference.py > loss_options.inc

Needs torch and numpy. Model, data and first weights are those of options_reference.py. A row has
the loss of each step.
"""
import numpy as np
import torch
import torch.nn.functional as F

ROWS, BATCH, STEPS = 26, 13, 8


def values(shape, salt, scale=1.0):
    n = int(np.prod(shape))
    return torch.tensor(np.sin(0.7 * np.arange(n, dtype=np.float64) + salt).reshape(shape) * scale)


X = values((ROWS, 5), 9)
Y = torch.tensor([(5 * i + i // 3) % 3 for i in range(ROWS)])
HOT = F.one_hot(Y, 3).double()
W = torch.tensor(1 + 0.5 * np.sin(np.arange(ROWS, dtype=np.float64)))
CLASSES = torch.tensor([2.0, 1.0, 0.25], dtype=torch.float64)


def mean(terms, weight=None):
    weight = torch.ones_like(terms) if weight is None else weight
    return (terms * weight).sum() / weight.sum()


def log_clipped(p):
    return torch.log(p.clamp(1e-7, 1 - 1e-7))


def soft(p, at, part):
    """Cross-entropy of probabilities with smoothed labels, term by term."""
    return -((HOT[at] * (1 - part) + part / 3) * log_clipped(p)).sum(1)


CASES = [
    ("sparse_categorical_crossentropy", '"from_logits": true, "label_smoothing": 0.2', "",
     lambda z, at: F.cross_entropy(z, Y[at], label_smoothing=0.2)),
    ("sparse_categorical_crossentropy", '"from_logits": true, "ignore_class": 1', "",
     lambda z, at: F.cross_entropy(z, Y[at], ignore_index=1)),
    ("sparse_categorical_crossentropy", '"from_logits": true, "ignore_class": 2, "label_smoothing": 0.1', "",
     lambda z, at: F.cross_entropy(z, Y[at], ignore_index=2, label_smoothing=0.1)),
    ("sparse_categorical_crossentropy", '"label_smoothing": 0.3', "", lambda z, at: mean(soft(z, at, 0.3))),
    ("sparse_categorical_crossentropy", '"ignore_class": 0', "",
     lambda z, at: F.nll_loss(log_clipped(z), Y[at], ignore_index=0)),
    ("sparse_categorical_crossentropy", '"from_logits": true, "ignore_class": 1, "label_smoothing": 0.1',
     ', "class_weight": [2, 1, 0.25], "sample_weight": "w"',
     lambda z, at: mean(F.cross_entropy(z, Y[at], label_smoothing=0.1, reduction="none"),
                        CLASSES[Y[at]] * W[at] * (Y[at] != 1))),
    ("categorical_crossentropy", '"from_logits": true, "label_smoothing": 0.2', "",
     lambda z, at: F.cross_entropy(z, HOT[at], label_smoothing=0.2)),
    ("categorical_crossentropy", '"from_logits": true, "label_smoothing": 0.2', ', "class_weight": [2, 1, 0.25]',
     lambda z, at: mean(F.cross_entropy(z, HOT[at], label_smoothing=0.2, reduction="none"), CLASSES[Y[at]])),
    ("binary_crossentropy", '"from_logits": true, "label_smoothing": 0.2', "",
     lambda z, at: F.binary_cross_entropy_with_logits(z, HOT[at] * 0.8 + 0.1)),
    ("binary_crossentropy", '"label_smoothing": 0.2', "",
     lambda z, at: mean(-((HOT[at] * 0.8 + 0.1) * log_clipped(z) + (0.9 - HOT[at] * 0.8) * log_clipped(1 - z)))),
]

print("// Written by loss_options_reference.py with PyTorch " + torch.__version__.split("+")[0] + ".")
for loss, options, keys, function in CASES:
    p = [values((5, 8), 1, 0.5), values((8,), 2, 0.1), values((8, 3), 3, 0.5), values((3,), 4, 0.1)]
    p = [w.clone().requires_grad_(True) for w in p]
    optimizer = torch.optim.SGD(p, lr=0.2)
    losses = []
    for step in range(STEPS):
        at = torch.arange(step % 2 * BATCH, (step % 2 + 1) * BATCH)
        value = function(torch.tanh(X[at] @ p[0] + p[1]) @ p[2] + p[3], at)
        optimizer.zero_grad()
        value.backward()
        optimizer.step()
        losses.append(value.item())
    text = ('"loss": {"name": "%s", %s}%s' % (loss, options, keys)).replace('"', '\\"')
    print(f'{{"{text}", {{{", ".join(repr(v) for v in losses)}}}}},')
