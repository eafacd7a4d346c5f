"""A job that trains in a second: small images, two classes."""
import os
import random
import struct


def write_idx(path, dims, values):
    with open(path, "wb") as out:
        out.write(struct.pack(f">BBBB{len(dims)}I", 0, 0, 8, len(dims), *dims) + bytes(values))


def make_data(folder, rows):
    """Returns images of 4x4 pixels. The bright half is the class: left 0, right 1."""
    source = random.Random(7)
    labels = [source.randrange(2) for _ in range(rows)]
    pixels = [source.randrange(150, 255) if (column < 2) == (label == 0) else source.randrange(60)
              for label in labels for _ in range(4) for column in range(4)]
    write_idx(os.path.join(folder, "x.idx"), [rows, 4, 4], pixels)
    write_idx(os.path.join(folder, "y.idx"), [rows], labels)


SPEC = {
    "model": [{"layer": "Flatten"}, {"layer": "Dense", "units": 8, "activation": "relu"}, {"layer": "Dense", "units": 2}],
    "input_shape": [4, 4, 1], "loss": "sparse_categorical_crossentropy", "from_logits": True, "metrics": ["accuracy"],
    "optimizer": {"name": "adam", "learning_rate": 0.01},
    "data": {"train": {"x": "x.idx", "y": "y.idx", "scale": 1 / 255}, "test": {"x": "x.idx", "y": "y.idx", "scale": 1 / 255}},
    "batch_size": 16, "shards": 2, "shuffle": True, "epochs": 3, "seed": 1,
}
