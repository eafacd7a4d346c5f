"""The first inference after an import, which a user waits for."""
import numpy as np

import percale as pc

engine = pc.Engine()
builder = pc.Builder(engine)
x = builder.input("x", [-1, 4])
w = builder.variable("w", np.ones((4, 2), np.float32))
builder.outputs(pc.ops.MatMul(builder, x, w, name="y"))
graph = builder.finish()
y = pc.Session(engine, graph, pc.Variables.of(engine, graph)).run({"x": np.ones((1, 4), np.float32)}, "y").numpy()
assert (y == 4).all(), y
