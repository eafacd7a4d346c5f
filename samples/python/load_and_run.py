"""Runs a model (.percale or .onnx) on small random numbers and prints its outputs.

    load_and_run.py MODEL"""
import sys

import numpy as np

import percale as pc

engine = pc.Engine()
path = sys.argv[1]
graph = pc.Graph.from_onnx(engine, path) if path.endswith(".onnx") else pc.Graph.load(engine, path)
session = pc.Session(engine, graph, pc.Variables.of(engine, graph))
random, feeds = np.random.default_rng(0), {}
for name, (dtype, shape) in graph.input_types.items():
    feeds[name] = pc.Tensor.of(random.standard_normal([max(d, 1) for d in shape or ()]), dtype)
for name, tensor in session.run(feeds).items():
    print(name, tensor.dtype, list(tensor.shape), tensor.numpy().reshape(-1)[:5])
