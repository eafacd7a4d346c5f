"""The example of introductions to distributed Keras. The model is so small that a batch is one
shard, and one device would do all the work. `shards` in compile(), at least one per device, divides
it."""
import numpy as np

import percale as pc
from percale import keras

strategy = keras.MirroredStrategy()
with strategy.scope():
    model = keras.Sequential([
        keras.Dense(64, activation="relu"),
        keras.Dense(10, activation="softmax"),
    ], input_shape=(1,))
    model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])

# The data of the original example has no labels; the error says so.
try:
    model.fit(pc.Dataset.range(strategy.engine, 0, 100).batch(10), epochs=10)
except pc.InvalidArgument as error:
    print("without labels:", error)

# The same numbers, each labelled with its tenth.
numbers = np.arange(100)
dataset = pc.Dataset.from_tensors(strategy.engine, x=(numbers[:, None] / 100).astype(np.float32), y=numbers // 10).batch(10)
dist_dataset = strategy.experimental_distribute_dataset(dataset)
history = model.fit(dist_dataset, epochs=10).history
for epoch in range(10):
    print(f"epoch {epoch + 1}/10  loss {history['loss'][epoch]:.4f}  accuracy {history['accuracy'][epoch]:.4f}")
