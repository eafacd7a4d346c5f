import numpy as np

import percale as pc

engine = pc.Engine()
graph = pc.Graph.from_onnx(engine, "digits.onnx")
session = pc.Session(engine, graph, pc.Variables.of(engine, graph))

images = np.zeros((2, 28, 28), np.float32)  # a batch of two images
output = graph.outputs[0]
scores = session.run({"x": images}, output).numpy()
print(f"{output}: {scores.shape[0]} x {scores.shape[1]} scores")
