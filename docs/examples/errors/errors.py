import percale as pc

engine = pc.Engine()
try:
    pc.Graph.load(engine, "no-such-model.percale")
except pc.NotFound as error:  # a FileNotFoundError, too
    print("NOT_FOUND:", error)
