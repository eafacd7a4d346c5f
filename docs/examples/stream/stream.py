import itertools

import numpy as np

import percale as pc
from percale import keras
from percale.keras import layers, optimizers

engine = pc.Engine()
numbers = np.arange(1000) / 1000
np.savetxt("points.txt", np.stack([numbers, 2 * numbers - 1], axis=1))


# --8<-- [start:stream]
def lines(epoch, first_row):
    """Gives rows from the lines of a file, in arrays of any size."""
    with open("points.txt") as file:
        rest = itertools.islice(file, first_row, None)
        while page := list(itertools.islice(rest, 100)):
            rows = np.loadtxt(page, np.float32, ndmin=2)
            yield {"x": rows[:, :1], "y": rows[:, 1:]}


data = pc.Dataset.from_batches(engine, lines, x=("f32", (1,)), y=("f32", (1,))).batch(32)
# --8<-- [end:stream]

model = keras.Sequential([layers.Dense(1)], engine=engine)
model.compile(optimizers.Adam(learning_rate=0.05), "mse")
model.fit(data, epochs=20, verbose=0)
print("it learns:", model.evaluate(data)["loss"] < 0.001)
