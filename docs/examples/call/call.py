import numpy as np

import percale as pc

engine = pc.Engine()
graph = pc.Graph.load(engine, "digits.percale")
session = pc.Session(engine, graph, pc.Variables.of(engine, graph))

# --8<-- [start:call]
call = session.prepare({"x": ("f32", (1, 28, 28))}, graph.outputs[0])  # one per thread
image = np.zeros((1, 28, 28), np.float32)

for request in range(3):
    image.flat[request] = 1
    scores = call(image, timeout=0.05)  # seconds, then pc.DeadlineExceeded
    print(f"request {request}: first score {float(scores.numpy()[0, 0]):.4f}")
# --8<-- [end:call]
