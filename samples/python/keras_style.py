"""The example that every introduction to distributed Keras has, on all devices of this machine. Its data are 1,024 random rows, as there,
here with the labels that the loss wants."""
import numpy as np

import percale as pc
from percale import keras

strategy = keras.MirroredStrategy()
with strategy.scope():
    model = keras.Sequential([
        keras.Dense(64, activation="relu"),
        keras.Dense(10, activation="softmax"),
    ])
    model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])

random = np.random.default_rng(0)
dataset = pc.Dataset.from_tensors(strategy.engine, x=random.standard_normal((1024, 32)).astype(np.float32),
                                  y=random.integers(0, 10, 1024)).batch(32)
dist_dataset = strategy.experimental_distribute_dataset(dataset)
history = model.fit(dist_dataset, epochs=10)
print(strategy.num_replicas_in_sync, "replicas:", history.history)

# The same with numbers alone, as some texts have it: the loss has nothing to compare with, and says so.
try:
    model.fit(pc.Dataset.range(strategy.engine, 0, 1024).batch(32), epochs=10)
except pc.InvalidArgument as error:
    print(error)
