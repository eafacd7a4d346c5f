"""Writes reference.inc: training traces of PyTorch in f64, which the tests of the trainer compare
with.

    python tests/unit/train/reference.py > tests/unit/train/reference.inc

Needs torch and numpy. Data and first weights come from a formula that the tests repeat: value(i) =
sin(0.7 i + salt), so no tensor has to be stored. Layouts are Keras': NHWC data, HWIO kernels, dense
kernels [in, out].
"""

import numpy as np
import torch
import torch.nn.functional as F

STEPS, BATCH = 20, 6


def values(shape, salt, scale=1.0):
    n = int(np.prod(shape))
    return torch.tensor(np.sin(0.7 * np.arange(n, dtype=np.float64) + salt).reshape(shape) * scale)


def labels(n, classes):
    return torch.tensor([(5 * i + i // 3) % classes for i in range(n)])


def mlp():
    """Dense(8, tanh), Dense(3)."""
    p = [values((5, 8), 1, 0.5), values((8,), 2, 0.1), values((8, 3), 3, 0.5), values((3,), 4, 0.1)]
    return p, values((BATCH * STEPS, 5), 9), lambda q, x: torch.tanh(x @ q[0] + q[1]) @ q[2] + q[3]


def linear():
    p = [values((5, 3), 1, 0.5), values((3,), 2, 0.1)]
    return p, values((BATCH * STEPS, 5), 9), lambda q, x: x @ q[0] + q[1]


def cnn():
    """Conv2D(4, 3, same, relu), MaxPooling2D(2), Conv2D(3, 3, valid, strides 2), Flatten, Dense(3).
    """
    p = [values((3, 3, 2, 4), 1, 0.3), values((4,), 2, 0.1), values((3, 3, 4, 3), 3, 0.3), values((3,), 4, 0.1),
         values((6, 3), 5, 0.5), values((3,), 6, 0.1)]

    def forward(q, x):
        y = F.relu(F.conv2d(x.permute(0, 3, 1, 2), q[0].permute(3, 2, 0, 1), q[1], padding=1))
        y = F.conv2d(F.max_pool2d(y, 2), q[2].permute(3, 2, 0, 1), q[3], stride=2)
        return y.permute(0, 2, 3, 1).reshape(len(x), -1) @ q[4] + q[5]

    return p, values((BATCH * STEPS, 6, 10, 2), 9), forward


def normalised():
    """Dense(4, no bias), BatchNormalization, relu, Dense(3)."""
    p = [values((5, 4), 1, 0.5), torch.ones(4, dtype=torch.float64), torch.zeros(4, dtype=torch.float64),
         values((4, 3), 3, 0.5), values((3,), 4, 0.1)]

    def forward(q, x):
        y = F.batch_norm(x @ q[0], None, None, q[1], q[2], training=True, eps=1e-3)
        return F.relu(y) @ q[3] + q[4]

    return p, values((BATCH * STEPS, 5), 9), forward


LOSSES = {
    "sparse": lambda y, t: F.cross_entropy(y, t),
    "binary": lambda y, t: F.binary_cross_entropy_with_logits(y, F.one_hot(t, 3).double()),
    "squared": lambda y, t: F.mse_loss(y, F.one_hot(t, 3).double()),
    "absolute": lambda y, t: F.l1_loss(y, F.one_hot(t, 3).double()),
    "huber": lambda y, t: F.huber_loss(y, F.one_hot(t, 3).double(), delta=0.5),
}

OPTIMIZERS = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.1),
    "momentum": lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9),
    "nesterov": lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9, nesterov=True, weight_decay=0.01),
    "adam": lambda p: torch.optim.Adam(p, lr=0.01, eps=1e-7),
    "adamw": lambda p: torch.optim.AdamW(p, lr=0.01, eps=1e-7, weight_decay=0.1),
    "rmsprop": lambda p: torch.optim.RMSprop(p, lr=0.01, alpha=0.9, eps=1e-7),
    "adagrad": lambda p: torch.optim.Adagrad(p, lr=0.05, initial_accumulator_value=0.1, eps=1e-7),
}


def trace(model, loss, optimizer, clip=None):
    params, data, forward = model()
    params = [torch.nn.Parameter(p) for p in params]
    target = labels(BATCH * STEPS, 3)
    opt = OPTIMIZERS[optimizer](params)
    out = []
    for s in range(STEPS):
        rows = slice(s * BATCH, (s + 1) * BATCH)
        opt.zero_grad()
        value = LOSSES[loss](forward(params, data[rows]), target[rows])
        value.backward()
        if clip:
            torch.nn.utils.clip_grad_norm_(params, clip, error_if_nonfinite=True)
        opt.step()
        out.append(value.item())
    return out


CASES = ([(m, "sparse", o, None) for m in (mlp, cnn) for o in OPTIMIZERS] +
         [(linear, l, "sgd", None) for l in LOSSES] + [(linear, "squared", "adam", None)] +
         [(normalised, "sparse", "momentum", None), (mlp, "squared", "sgd", 0.05)])

if __name__ == "__main__":
    print("// Written by reference.py with PyTorch " + torch.__version__.split("+")[0] + ".")
    for model, loss, optimizer, clip in CASES:
        print(f'{{"{model.__name__}", "{loss}", "{optimizer}", {clip or 0}, {{')
        for value in trace(model, loss, optimizer, clip):
            print(f"    {value!r},")
        print("}},")
