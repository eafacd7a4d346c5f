"""The jobs that groups of processes train: SPECs and their data."""
import json
import os

import numpy as np

CLASSES = 10


def conv(name, filters, before=None, **more):
    layer = {"layer": "Conv2D", "name": name, "filters": filters, "kernel_size": 3, "padding": "same", **more}
    return layer | ({"inputs": [before]} if before else {})


def lenet():
    return [conv("a", 6, kernel_size=5, activation="relu"), {"layer": "MaxPooling2D", "pool_size": 2},
            {"layer": "Conv2D", "filters": 16, "kernel_size": 5, "activation": "relu"}, {"layer": "MaxPooling2D", "pool_size": 2},
            {"layer": "Flatten"}, {"layer": "Dense", "units": 64, "activation": "relu"}, {"layer": "Dense", "units": CLASSES}]


def resnet():
    layers, last = [conv("stem", 8), {"layer": "BatchNormalization", "name": "stem_out"}], "stem_out"
    for block in ("one", "two"):
        layers += [conv(f"{block}_a", 8, last), {"layer": "BatchNormalization"}, {"layer": "Activation", "activation": "relu"},
                   conv(f"{block}_b", 8), {"layer": "BatchNormalization", "name": f"{block}_n"},
                   {"layer": "Add", "name": f"{block}_sum", "inputs": [last, f"{block}_n"]},
                   {"layer": "Activation", "name": block, "activation": "relu"}]
        last = block
    return layers + [{"layer": "GlobalAveragePooling2D"}, {"layer": "Dense", "units": CLASSES}]


def lstm():
    return [{"layer": "LSTM", "units": 16, "return_sequences": True}, {"layer": "LSTM", "units": 16},
            {"layer": "Dropout", "rate": 0.2}, {"layer": "Dense", "units": CLASSES}]


def transformer(width=16, words=50):
    layers, last = [{"layer": "Embedding", "name": "words", "input_dim": words, "output_dim": width}], "words"
    for i in range(2):
        layers += [{"layer": "LayerNormalization", "name": f"norm{i}", "inputs": [last]},
                   {"layer": "MultiHeadAttention", "name": f"attention{i}", "num_heads": 2, "key_dim": width // 2, "inputs": [f"norm{i}"]},
                   {"layer": "Add", "name": f"middle{i}", "inputs": [last, f"attention{i}"]},
                   {"layer": "Dense", "name": f"up{i}", "units": 2 * width, "activation": "gelu", "inputs": [f"middle{i}"]},
                   {"layer": "Dense", "name": f"down{i}", "units": width, "inputs": [f"up{i}"]},
                   {"layer": "Add", "name": f"block{i}", "inputs": [f"middle{i}", f"down{i}"]}]
        last = f"block{i}"
    return layers + [{"layer": "Flatten"}, {"layer": "Dense", "units": CLASSES}]


def bag(rows):
    return [{"layer": "EmbeddingBag", "input_dim": rows, "output_dim": 8}, {"layer": "Dense", "units": CLASSES}]


def images(size, channels):
    return lambda random, rows: random.standard_normal((rows, size, size, channels)).astype(np.float32)


def numbers(count, length):
    return lambda random, rows: random.integers(0, count, (rows, length))


def steps(length, width):
    return lambda random, rows: random.standard_normal((rows, length, width)).astype(np.float32)


SGD = {"name": "sgd", "learning_rate": 0.05, "momentum": 0.9}
# The model, its data, the number of rows, further keys of the SPEC.
JOBS = {
    "LeNet with Adam": (lenet(), images(28, 1), 48, {"optimizer": "adam"}),
    "ResNet with batch normalisation": (resnet(), images(12, 3), 48, {"optimizer": SGD}),
    "ResNet with synchronized batch normalisation": (resnet(), images(12, 3), 48, {"optimizer": SGD, "synchronized_batch_norm": True}),
    "LSTM with dropout and clip by global norm": (lstm(), steps(12, 8), 48, {"optimizer": "rmsprop", "clip": 0.1}),
    "transformer with LAMB": (transformer(), numbers(50, 12), 48, {"optimizer": "lamb"}),
    "EmbeddingBag of 1,000,000 rows": (bag(1000000), numbers(1000000, 6), 48, {"optimizer": {"name": "adagrad", "sparse": True}}),
    "LeNet with a short last batch": (lenet(), images(28, 1), 35, {"optimizer": "adam"}),
    "LeNet in many buckets": (lenet(), images(28, 1), 35, {"optimizer": "adam", "collective_bucket": 1000}),
}
# Those that processes of every launcher train.
NETWORKS = ["LeNet with Adam", "ResNet with batch normalisation", "ResNet with synchronized batch normalisation"]
BATCH, EPOCHS, SEED = 16, 2, 3


def spec_of(job):
    model, make, _, keys = JOBS[job]
    shape = list(make(np.random.default_rng(5), 1).shape[1:])
    return {"model": model, "input_shape": shape, "loss": "sparse_categorical_crossentropy", "from_logits": True, "shards": 8, "seed": SEED, **keys}


def data_of(job):
    _, make, rows, _ = JOBS[job]
    random = np.random.default_rng(5)
    return {"x": make(random, rows), "y": random.integers(0, CLASSES, rows)}


def train(job, join=None, keys=None, **settings):
    """Returns the digest of a job in an engine with these settings. `keys` are further ones of the
    SPEC; join(trainer) makes the trainer a member of a group.
    """
    import percale as pc
    with pc.Engine(**settings) as engine, pc.Trainer.from_spec(engine, {**spec_of(job), **(keys or {})}) as trainer:
        if join is not None:
            join(trainer)
        trainer.fit(pc.Dataset.from_tensors(engine, **data_of(job)).batch(BATCH, shuffle=SEED), EPOCHS)
        return trainer.variables.digest()


def train_alone(job):
    """Returns the digest of one process."""
    return train(job, devices="cpu=4x1", threads=4)


def write(job, folder, **keys):
    """Writes a job and its data for other programs, and returns the path of the SPEC. Its training
    is that of train().
    """
    paths = {}
    for name, values in data_of(job).items():
        paths[name] = os.path.abspath(os.path.join(folder, name + ".npy"))
        np.save(paths[name], values)
    path = os.path.join(folder, "spec.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({**spec_of(job), "data": {"train": paths}, "batch_size": BATCH, "epochs": EPOCHS, **keys}, file)
    return path
