"""Engines, graphs and models that several test files share."""
import threading
import unittest

import numpy as np

import percale as pc
from percale import keras, ops


def engine(**settings):
    return pc.Engine(**{"threads": 1, **settings})


def connects(e):
    """Returns True if a plug-in connects processes."""
    return any(plugin["name"] == "remote" and not plugin["absent"] for plugin in e.describe("info")["plugins"])


def needs_transport(test):
    return unittest.skipUnless(connects(engine()), "the plug-in 'remote' was not built")(test)


def affine(e, rows=-1):
    """Returns y = x w + 1 with a variable w [2,3]."""
    b = pc.Builder(e)
    x = b.input("x", [rows, 2])
    w = b.variable("w", np.arange(6, dtype=np.float32).reshape(2, 3))
    b.outputs(ops.Add(b, ops.MatMul(b, x, w), b.constant(1.0), name="y"))
    return b.finish()


class KerasCase(unittest.TestCase):
    """A base of test cases that train a small model of Keras."""

    def data(self):
        random = np.random.default_rng(1)
        x = random.standard_normal((256, 8)).astype(np.float32)
        return x, (x.sum(1) > 0).astype(np.int64)

    def keras_model(self, engine=None, **settings):
        model = keras.Sequential([keras.Dense(16, activation="relu"), keras.Dense(2, activation="softmax")], engine=engine)
        model.compile(optimizer={"name": "adam", "learning_rate": 0.01}, loss="sparse_categorical_crossentropy",
                      metrics=["accuracy"], **{"seed": 3, "shards": 2, **settings})
        return model


def in_threads(*works):
    """Calls each function in a thread of its own and returns their results."""
    results = [None] * len(works)

    def run(i):
        try:
            results[i] = works[i]()
        except Exception as error:
            results[i] = error

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        if isinstance(result, Exception):
            raise result
    return results
