"""Trains a SPEC on two devices of one process, with a progress bar: mnist.py SPEC.json OUT.percale
[EPOCHS] [--losses FILE]

The data is looked up in PERCALE_DATA, in the cache, and next to the SPEC. The weights do not depend
on the number of devices. FILE gets a line per step: its number and the 64 bits of its loss."""
import argparse
import struct
import sys

import percale as pc
from percale import keras

parser = argparse.ArgumentParser()
parser.add_argument("spec", metavar="SPEC.json")
parser.add_argument("out", metavar="OUT.percale")
parser.add_argument("epochs", nargs="?", type=int, default=0)
parser.add_argument("--losses", metavar="FILE")
arguments = parser.parse_args()
bar = keras.ProgressBar() if sys.stderr.isatty() else None
losses = []


def on_step(progress):
    losses.append((progress.step, progress.loss))
    if bar:
        bar(progress)


engine = pc.Engine(devices="cpu=2x1")
trainer = pc.Trainer.from_spec(engine, arguments.spec, devices="all")
trainer.fit(epochs=arguments.epochs, callback=on_step)
if arguments.losses:
    with open(arguments.losses, "w", encoding="ascii") as file:
        file.writelines(f"{step} {struct.pack('>d', loss).hex()}\n" for step, loss in losses)
print("test", trainer.evaluate())
trainer.model.save(arguments.out, trainer.variables)
print(arguments.out, trainer.variables.digest())
