import percale as pc

engine = pc.Engine()
graph = pc.Graph.load(engine, "digits.percale")
session = pc.Session(engine, graph, pc.Variables.of(engine, graph))

digits = pc.Dataset.from_files(engine, 1 / 255, x="t10k-images-idx3-ubyte", y="t10k-labels-idx1-ubyte").batch(1)
row = next(iter(digits))

scores = session.run({"x": row["x"]}, graph.outputs[0]).numpy()  # [1, 10]
print("the label is", int(row["y"][0]), end=", ")
print("the model says", scores.argmax())
