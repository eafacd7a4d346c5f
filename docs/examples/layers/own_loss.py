import numpy as np

import percale as pc

engine = pc.Engine()
# --8<-- [start:graph]
b = pc.Builder(engine)
x, wanted = b.input("x", [None, 4]), b.input("wanted", [None, 1])
found = b.layer("Dense", x, units=1, name="found")
difference = found - wanted
b.outputs(found, pc.ops.ReduceMean(b, difference * difference, keepdims=0, name="loss"))
trainer = pc.Trainer(engine, b.finish(), None, loss="loss", optimizer={"name": "sgd", "learning_rate": 0.1})

rows = np.random.default_rng(1).standard_normal((256, 4)).astype(np.float32)
for step in range(100):
    loss = trainer.step(x=rows, wanted=rows.sum(1, keepdims=True))  # before the update
# --8<-- [end:graph]
print("it learns:", loss < 1e-3)
