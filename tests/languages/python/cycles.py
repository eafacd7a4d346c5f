"""See ../README.md. Usage: cycles.py MODEL"""
import gc
import struct
import sys

import numpy as np

import percale as pc


def numbers(step, modulus, *shape):
    count = int(np.prod(shape))
    return (np.arange(count) * step % modulus / 64).astype(np.float32).reshape(shape)


def live(path):
    x, t = numbers(37, 101, 16, 8, 8, 1), numbers(11, 13, 16, 3)
    with pc.Engine(threads=2) as engine, pc.Graph.load(engine, path) as graph, pc.Variables.of(engine, graph, seed=1) as variables:
        with pc.Trainer(engine, graph, variables, loss="loss", optimizer="adam") as trainer:
            loss = trainer.step(x=x, t=t)
        with pc.Session(engine, graph, variables) as session, session.run({"x": x}, "y") as y:
            return loss, y.numpy().flat[0]


for line in sys.stdin:
    for _ in range(int(line)):
        loss, y = live(sys.argv[1])
    gc.collect()
    print(struct.pack(">d", loss).hex(), struct.pack(">f", y).hex(), flush=True)
