"""Trains a SPEC on two devices of one process, with a bar: mnist.py SPEC.json OUT.percale [EPOCHS]

The data is looked up where PERCALE_DATA says, in the cache, and beside the SPEC. The same weights come of any number of devices."""
import sys

import percale as pc
from percale import keras

engine = pc.Engine(devices="cpu=2x1")
trainer = pc.Trainer.from_spec(engine, sys.argv[1], devices="all")
trainer.fit(epochs=int(sys.argv[3]) if len(sys.argv) > 3 else 0, callback=keras.ProgressBar() if sys.stderr.isatty() else None)
print("test", trainer.evaluate())
trainer.model.save(sys.argv[2], trainer.variables)
print(sys.argv[2], trainer.variables.digest())
