"""Trains a SPEC on two devices with a progress bar, prints accuracy and digest, saves the model: train.py SPEC OUT.percale [EPOCHS]"""
import sys

import percale as pc
from percale import keras

engine = pc.Engine(devices="cpu=2x1")
trainer = pc.Trainer.from_spec(engine, sys.argv[1])
trainer.fit(epochs=int(sys.argv[3]) if len(sys.argv) > 3 else 0, callback=keras.ProgressBar() if sys.stderr.isatty() else None)
print("test", trainer.evaluate())
print("digest", trainer.variables.digest())
trainer.model.save(sys.argv[2], trainer.variables)
