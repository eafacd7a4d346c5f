"""Trains samples/mnist/lenet.json in PyTorch: the same network, data, batches of 64, Adam,
one-cycle schedule and two epochs.
Usage: mnist_torch.py THREADS. The last word printed is the test accuracy."""
import gzip
import os
import sys

import numpy as np
import torch
from torch import nn


def idx(name, offset):
    cache = os.environ.get("PERCALE_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "percale")
    for folder in (os.environ.get("PERCALE_DATA"), os.path.join(cache, "data")):
        for suffix, opener in (("", open), (".gz", gzip.open)):
            path = os.path.join(folder or "", name + suffix)
            if folder and os.path.exists(path):
                with opener(path, "rb") as file:
                    return np.frombuffer(file.read(), np.uint8, offset=offset)
    sys.exit(f"no {name}: run subprojects/setup")


def digits(prefix):
    x = idx(prefix + "-images-idx3-ubyte", 16).astype(np.float32).reshape(-1, 1, 28, 28) / 255
    return torch.from_numpy(x), torch.from_numpy(idx(prefix + "-labels-idx1-ubyte", 8).astype(np.int64))


def main():
    torch.set_num_threads(int(sys.argv[1]))
    torch.manual_seed(1)
    x, y = digits("train")
    model = nn.Sequential(nn.Conv2d(1, 16, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 5, padding=2),
                          nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(1568, 128), nn.ReLU(), nn.Linear(128, 10))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001, eps=1e-7)
    epochs, batch = 2, 64
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.004, total_steps=epochs * -(-len(x) // batch),
                                                   cycle_momentum=False)
    for _ in range(epochs):
        order = torch.randperm(len(x))
        for first in range(0, len(x), batch):
            rows = order[first:first + batch]
            optimizer.zero_grad(set_to_none=True)
            nn.functional.cross_entropy(model(x[rows]), y[rows]).backward()
            optimizer.step()
            schedule.step()
    x, y = digits("t10k")
    with torch.inference_mode():
        right = sum((model(x[i:i + 1000]).argmax(1) == y[i:i + 1000]).sum().item() for i in range(0, len(x), 1000))
    print("accuracy", right / len(x))


if __name__ == "__main__":
    main()
