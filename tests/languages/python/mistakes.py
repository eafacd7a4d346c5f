"""See ../README.md. Usage: mistakes.py FOLDER"""
import os
import struct
import sys
import threading

import numpy as np

import percale as pc


def say(mistake, wrong):
    try:
        wrong()
        print(f"{mistake}\tOK\t")
    except pc.Error as error:
        print(f"{mistake}\t{'Closed' if isinstance(error, pc.Closed) else error.name}\t{error}")


def zeros(*shape, dtype=np.float32):
    return np.zeros(shape, dtype)


folder = sys.argv[1]
engine = pc.Engine(threads=1)
graph, lengthy = (pc.Graph.load(engine, os.path.join(folder, name + ".percale")) for name in ("model", "long"))
variables = pc.Variables.of(engine, graph, seed=1)
session, slow = pc.Session(engine, graph, variables), pc.Session(engine, lengthy)
small = pc.Session(engine, graph, variables, memory_limit=4096)

say("wrong shape", lambda: session.run({"x": zeros(2, 3)}, "y"))
say("wrong dtype", lambda: session.run({"x": zeros(1, 8, 8, 1, dtype=np.int64)}, "y"))
say("unknown op", lambda: pc.Builder(engine).node("MatMull", []))
say("missing file", lambda: pc.Graph.load(engine, "/nowhere/model.percale"))
say("no variables", lambda: pc.Session(engine, graph))
event = slow.run_async({"x": zeros(400, 400)}, "y")
threading.Timer(0.05, event.cancel).start()
say("cancelled run", event.result)
say("memory limit", lambda: small.run({"x": zeros(64, 8, 8, 1)}, "y"))
small.close()
say("use after close", lambda: small.run({"x": zeros(1, 8, 8, 1)}, "y"))
y = session.run({"x": zeros(1, 8, 8, 1)}, "y")
print("lives", "OK", struct.pack(">f", y.numpy().flat[0]).hex(), sep="\t")
