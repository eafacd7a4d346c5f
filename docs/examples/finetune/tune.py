import numpy as np

import percale as pc
from percale import keras
from percale.keras import layers, optimizers

engine = pc.Engine()
data = pc.Dataset.from_files(engine, 1 / 255, x="train-images-idx3-ubyte", y="train-labels-idx1-ubyte").batch(600)
batch = next(iter(data))
x, y = batch["x"].numpy(), batch["y"].numpy().astype(np.int64)

# --8<-- [start:whole]
model = keras.load_model("digits.percale")  # or an .onnx file
model.compile(optimizers.Adam(1e-4), {"name": "sparse_categorical_crossentropy", "from_logits": True}, freeze="*/bias")
model.fit(x, y, epochs=1, verbose=0)
model.save("tuned.percale")
# --8<-- [end:whole]

# --8<-- [start:head]
trainer = pc.Trainer.from_spec(engine, "tune.json")
before = trainer.variables["dense/kernel"].numpy().copy()
trainer.fit()
trainer.model.save("tuned.percale", trainer.variables)
# --8<-- [end:head]
print("the body kept its bits:", bool((trainer.variables["dense/kernel"].numpy() == before).all()))
