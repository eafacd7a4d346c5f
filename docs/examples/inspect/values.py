import numpy as np

import percale as pc

engine = pc.Engine(log="info")
# --8<-- [start:log]
engine.set_log(lambda level, text: print(level, text))  # 0 debug, 1 info, 2 warning, 3 error
# --8<-- [end:log]

# --8<-- [start:values]
graph = pc.Graph.load(engine, "digits.percale")
session = pc.Session(engine, graph, pc.Variables.of(engine, graph))
image = np.zeros((1, 28, 28), np.float32)
values = session.run({"x": image}, ["dense", "dense_1"])  # any value, by its name
# --8<-- [end:values]
print("an inner value:", tuple(values["dense"].shape))
