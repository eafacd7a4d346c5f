"""The two nets that several devices train, as SPECs and as torch modules, and their batches."""
import json
import os

import numpy as np

BATCH = {"resnet18": 32, "transformer": 16}
RATE, MOMENTUM = 0.01, 0.9
WORDS, WIDTH, HEADS, LAYERS, TIME = 1024, 256, 4, 4, 128


def batch(name):
    random = np.random.default_rng(7)
    if name == "resnet18":
        return random.random((BATCH[name], 3, 224, 224), np.float32), random.integers(0, 1000, BATCH[name])
    return random.integers(0, WORDS, (BATCH[name], TIME)), random.integers(0, WORDS, (BATCH[name], TIME))


def transformer_layers():
    """Pre-norm blocks with the size of a small GPT and causal attention."""
    out = [{"layer": "Embedding", "name": "words", "input_dim": WORDS, "output_dim": WIDTH}]
    last = "words"
    for i in range(LAYERS):
        out += [{"layer": "LayerNormalization", "name": f"norm{i}", "inputs": [last]},
                {"layer": "MultiHeadAttention", "name": f"attention{i}", "num_heads": HEADS, "key_dim": WIDTH // HEADS,
                 "use_causal_mask": True, "inputs": [f"norm{i}"]},
                {"layer": "Add", "name": f"middle{i}", "inputs": [last, f"attention{i}"]},
                {"layer": "LayerNormalization", "name": f"norm_{i}", "inputs": [f"middle{i}"]},
                {"layer": "Dense", "name": f"up{i}", "units": 4 * WIDTH, "activation": "gelu", "inputs": [f"norm_{i}"]},
                {"layer": "Dense", "name": f"down{i}", "units": WIDTH, "inputs": [f"up{i}"]},
                {"layer": "Add", "name": f"block{i}", "inputs": [f"middle{i}", f"down{i}"]}]
        last = f"block{i}"
    return out + [{"layer": "LayerNormalization", "name": "norm", "inputs": [last]},
                  {"layer": "Dense", "name": "logits", "units": WORDS}]


def make_transformer(folder):
    """Makes a folder with spec.json, x.npy and y.npy, as cases.py does for the other nets."""
    os.makedirs(folder, exist_ok=True)
    x, y = batch("transformer")
    # As in data files: an Embedding accepts whole floats
    np.save(os.path.join(folder, "x.npy"), x.astype(np.float32))
    np.save(os.path.join(folder, "y.npy"), y)
    spec = {"model": transformer_layers(), "batch_size": len(x), "data": {"train": {"x": "x.npy", "y": "y.npy"}},
            "loss": "sparse_categorical_crossentropy", "from_logits": True, "shuffle": False,
            "optimizer": {"name": "sgd", "learning_rate": RATE, "momentum": MOMENTUM}}
    with open(os.path.join(folder, "spec.json"), "w") as file:
        json.dump(spec, file)
    return folder


def torch_net(name):
    import torch
    from torch import nn

    import nets
    if name == "resnet18":
        return nets.ResNet([2, 2, 2, 2], False).to(memory_format=torch.channels_last)

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm, self.norm_ = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
            self.attention = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
            self.mask = nn.Transformer.generate_square_subsequent_mask(TIME)
            self.feed = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

        def forward(self, x):
            n = self.norm(x)
            x = x + self.attention(n, n, n, attn_mask=self.mask, is_causal=True, need_weights=False)[0]
            return x + self.feed(self.norm_(x))

    return nn.Sequential(nn.Embedding(WORDS, WIDTH), *[Block() for _ in range(LAYERS)], nn.LayerNorm(WIDTH),
                         nn.Linear(WIDTH, WORDS))


def keras_net(name):
    import keras
    from keras import layers

    def norm(x):
        return layers.LayerNormalization()(x)

    if name == "transformer":
        x = inputs = layers.Input((TIME,), dtype="int64")
        x = layers.Embedding(WORDS, WIDTH)(x)
        for _ in range(LAYERS):
            n = norm(x)
            x = x + layers.MultiHeadAttention(HEADS, WIDTH // HEADS)(n, n, use_causal_mask=True)
            x = x + layers.Dense(WIDTH)(layers.Dense(4 * WIDTH, activation="gelu")(norm(x)))
        return keras.Model(inputs, layers.Dense(WORDS)(norm(x)))

    def conv(x, width, kernel, stride=1, relu=True):
        x = layers.Conv2D(width, kernel, stride, padding="same", use_bias=False)(x)
        x = layers.BatchNormalization()(x)
        return layers.ReLU()(x) if relu else x

    x = inputs = layers.Input((224, 224, 3))
    x = layers.MaxPooling2D(3, 2, padding="same")(conv(x, 64, 7, 2))
    for stage in range(4):
        for i in range(2):
            stride = 2 if stage > 0 and i == 0 else 1
            way = x if i > 0 or stage == 0 else conv(x, 64 << stage, 1, stride, relu=False)
            x = layers.ReLU()(way + conv(conv(x, 64 << stage, 3, stride), 64 << stage, 3, relu=False))
    return keras.Model(inputs, layers.Dense(1000)(layers.GlobalAveragePooling2D()(x)))
