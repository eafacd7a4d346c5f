"""Reads the output of `percale train --tensorboard` with TensorBoard's own reader and compares it
with the history.

    python tests/peers/tensorboard_reads.py build/bindings/cli/percale

Needs the package tensorboard; not part of tests/run.
"""
import csv
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

SPEC = {"model": [{"layer": "Dense", "units": 2}], "loss": "sparse_categorical_crossentropy", "from_logits": True,
        "metrics": ["accuracy"], "optimizer": "adam", "schedule": {"name": "step", "step_size": 5, "gamma": 0.5},
        "data": {"train": {"x": "data.csv", "y": "data.csv"}}, "batch_size": 8, "epochs": 3}


def single(text):
    return struct.unpack("<f", struct.pack("<f", float(text)))[0]


def main():
    with tempfile.TemporaryDirectory() as folder:
        rng = random.Random(1)
        with open(os.path.join(folder, "data.csv"), "w") as file:
            file.writelines(f"{rng.random()},{rng.random()},{rng.randrange(2)}\n" for _ in range(60))
        with open(os.path.join(folder, "spec.json"), "w") as file:
            json.dump(SPEC, file)
        board, history = os.path.join(folder, "board"), os.path.join(folder, "history.csv")
        subprocess.run([sys.argv[1], "train", os.path.join(folder, "spec.json"), "--tensorboard", board, "--history", history],
                       check=True, capture_output=True)
        with open(history) as file:
            rows = list(csv.DictReader(file))
        events = EventAccumulator(board)
        events.Reload()
        for tag in ("loss", "learning_rate", "accuracy"):
            wanted = [(int(row["step"]), single(row[tag])) for row in rows if row[tag]]
            got = [(event.step, event.value) for event in events.Scalars(tag)]
            assert [step for step, _ in got] == [step for step, _ in wanted], tag
            assert all(abs(a - b) <= 1e-6 * abs(b) for (_, a), (_, b) in zip(got, wanted)), tag
            print(f"{tag}: {len(got)} values")


main()
