import numpy as np

from percale import keras
from percale.keras import layers, optimizers

# --8<-- [start:data]
angles = 7.0 * np.arange(1200)
x = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
y = (x[:, 0] < 0) + 2 * (x[:, 1] < 0)  # the number of the quadrant
# --8<-- [end:data]

# --8<-- [start:train]
model = keras.Sequential([layers.Dense(32, activation="relu"), layers.Dense(4, activation="softmax")])
model.compile(optimizers.Adam(learning_rate=0.01), "sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(x[:1000], y[:1000], epochs=5, batch_size=50, validation_data=(x[1000:], y[1000:]), verbose=0)
print(f"accuracy {history.history['val_accuracy'][-1]:.4f}")
model.save("quadrants.percale")
# --8<-- [end:train]
