"""Keeps the body of a trained model, gives it a new head and trains that alone: fine_tune.py MODEL SPEC [OUT.percale]

MODEL is what train.py saved, SPEC says where the data is. The output of the layer "dense", before the last one, is what the head sees."""
import json
import pathlib
import sys

import percale as pc
from percale import keras

model, spec = sys.argv[1], pathlib.Path(sys.argv[2])
job = {"model": str(pathlib.Path(model).resolve()), "outputs": ["dense"], "freeze": ["conv2d*", "dense/*"],
       "head": [{"layer": "Dense", "units": 10, "name": "head"}],
       "loss": "sparse_categorical_crossentropy", "from_logits": True, "metrics": ["accuracy"],
       "optimizer": {"name": "adam", "learning_rate": 0.003}, "batch_size": 64, "seed": 2,
       "data": json.loads(spec.read_text())["data"]}

engine = pc.Engine()
before = pc.Variables.of(engine, pc.Graph.load(engine, model))
trainer = pc.Trainer.from_spec(engine, job)
trainer.fit(epochs=1, callback=keras.ProgressBar() if sys.stderr.isatty() else None)
print("test", trainer.evaluate())
after = trainer.variables
for name in after:
    same = name in list(before) and bool((before[name].numpy() == after[name].numpy()).all())
    print(f"{name:24} {'kept' if same else 'trained'}")
if len(sys.argv) > 3:
    trainer.model.save(sys.argv[3], after)
