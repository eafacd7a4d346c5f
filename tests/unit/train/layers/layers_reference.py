"""Writes layers.inc: outputs of Keras' own layers, which the tests of layers compare with.

    cd tests/unit/train/layers
    KERAS_BACKEND=jax python layers_reference.py > layers.inc

Needs keras and jax, the backend that pads averages as documented. Inputs and weights come from a
formula that the tests repeat: value(i) = sin(0.7 i + salt) / 2. Input k has salt k; weight k (in
Keras' order) has salt 10 + k. Variances are squared and increased by 0.5. Embedding and
EmbeddingBag take floor((value + 0.5) input_dim). Keras has no EmbeddingBag: with the argument
`bags` only its rows are written, computed by PyTorch; Keras is not needed then.
"""

import json
import os
import sys

import numpy as np

if sys.argv[1:] != ["bags"]:
    os.environ["JAX_ENABLE_X64"] = "1"
    import keras

    keras.backend.set_floatx("float64")
    keras.config.set_dtype_policy("float64")


def values(shape, salt):
    n = int(np.prod(shape))
    return np.sin(0.7 * np.arange(n, dtype=np.float64) + salt).reshape(shape) / 2


CASES = [
    ("Dense", {"units": 4, "activation": "sigmoid"}, [(2, 3)]),
    ("Dense", {"units": 4, "activation": "softmax", "use_bias": False}, [(2, 3, 5)]),
    ("Conv1D", {"filters": 3, "kernel_size": 3, "padding": "causal", "dilation_rate": 2}, [(2, 9, 2)]),
    ("Conv1D", {"filters": 4, "kernel_size": 4, "padding": "same", "strides": 2, "activation": "tanh"}, [(2, 9, 2)]),
    ("Conv2D", {"filters": 3, "kernel_size": [2, 3], "padding": "same", "activation": "relu"}, [(2, 5, 4, 2)]),
    ("Conv2D", {"filters": 4, "kernel_size": 3, "padding": "same", "strides": 2, "groups": 2}, [(1, 6, 7, 2)]),
    ("Conv2D", {"filters": 3, "kernel_size": 3, "activation": "softmax", "dilation_rate": 2}, [(1, 7, 6, 2)]),
    ("Conv2DTranspose", {"filters": 3, "kernel_size": 3, "strides": 2, "padding": "same"}, [(1, 3, 4, 2)]),
    ("Conv2DTranspose", {"filters": 2, "kernel_size": 4, "strides": 2, "padding": "same"}, [(1, 3, 4, 2)]),
    ("Conv2DTranspose", {"filters": 2, "kernel_size": 3, "strides": [2, 1], "activation": "relu"}, [(1, 3, 4, 2)]),
    ("DepthwiseConv2D", {"kernel_size": 3, "depth_multiplier": 2, "padding": "same"}, [(1, 4, 5, 3)]),
    ("DepthwiseConv2D", {"kernel_size": [3, 2], "strides": 2, "use_bias": False}, [(1, 6, 5, 2)]),
    ("MaxPooling2D", {"pool_size": 2}, [(1, 5, 6, 2)]),
    ("MaxPooling2D", {"pool_size": 3, "strides": 2, "padding": "same"}, [(1, 5, 6, 2)]),
    ("AveragePooling2D", {"pool_size": 3, "strides": 2, "padding": "same"}, [(1, 5, 6, 2)]),
    ("AveragePooling2D", {"pool_size": 2}, [(1, 5, 6, 2)]),
    ("GlobalAveragePooling2D", {}, [(2, 3, 4, 2)]),
    ("GlobalMaxPooling2D", {"keepdims": True}, [(2, 3, 4, 2)]),
    ("Flatten", {}, [(2, 3, 2, 2)]),
    ("Reshape", {"target_shape": [4, -1]}, [(2, 3, 4)]),
    ("Dropout", {"rate": 0.5}, [(2, 3)]),
    ("BatchNormalization", {}, [(2, 3)]),
    ("BatchNormalization", {"epsilon": 0.01, "scale": False}, [(2, 3, 2, 2)]),
    ("LayerNormalization", {}, [(2, 3, 4)]),
    ("Activation", {"activation": "leaky_relu"}, [(2, 7)]),
    ("Activation", {"activation": "hard_sigmoid"}, [(2, 7)]),
    ("Activation", {"activation": "silu"}, [(2, 7)]),
    ("Activation", {"activation": "relu6"}, [(2, 7)]),
    ("Activation", {"activation": "exponential"}, [(2, 7)]),
    ("Activation", {"activation": "log_softmax"}, [(2, 7)]),
    ("Add", {}, [(2, 3), (2, 3), (2, 3)]),
    ("Concatenate", {}, [(2, 3, 2), (2, 3, 4)]),
    ("Concatenate", {"axis": 1}, [(2, 3, 2), (2, 1, 2)]),
    ("SeparableConv2D", {"filters": 3, "kernel_size": 3, "padding": "same", "depth_multiplier": 2}, [(1, 4, 5, 2)]),
    ("SeparableConv2D", {"filters": 2, "kernel_size": [2, 3], "strides": 2, "use_bias": False, "activation": "relu"},
     [(1, 5, 6, 3)]),
    ("LSTM", {"units": 3}, [(2, 4, 2)]),
    ("LSTM", {"units": 2, "return_sequences": True, "go_backwards": True, "use_bias": False}, [(2, 3, 2)]),
    ("LSTM", {"units": 2, "activation": "relu", "recurrent_activation": "hard_sigmoid", "return_sequences": True}, [(2, 3, 3)]),
    ("GRU", {"units": 3}, [(2, 4, 2)]),
    ("GRU", {"units": 2, "reset_after": False, "return_sequences": True, "activation": "softsign"}, [(2, 3, 2)]),
    ("GRU", {"units": 2, "go_backwards": True, "use_bias": False, "recurrent_activation": "linear"}, [(2, 3, 2)]),
    ("SimpleRNN", {"units": 3}, [(2, 4, 2)]),
    ("SimpleRNN", {"units": 2, "return_sequences": True, "go_backwards": True, "activation": "elu"}, [(2, 3, 2)]),
    ("SimpleRNN", {"units": 2, "activation": "leaky_relu", "use_bias": False}, [(2, 3, 2)]),
    ("Embedding", {"input_dim": 5, "output_dim": 3}, [(2, 4)]),
    ("MultiHeadAttention", {"num_heads": 2, "key_dim": 3}, [(2, 4, 5)]),
    # With dropout. Without it, Keras on jax requires values as deep as keys.
    ("MultiHeadAttention", {"num_heads": 3, "key_dim": 2, "value_dim": 4, "use_bias": False, "dropout": 0.5},
     [(2, 3, 5), (2, 4, 2)]),
    ("MultiHeadAttention", {"num_heads": 1, "key_dim": 2, "output_shape": [3]}, [(2, 3, 5), (2, 4, 2), (2, 4, 3)]),
    ("MultiHeadAttention", {"num_heads": 2, "key_dim": 3, "use_causal_mask": True}, [(2, 5, 4)]),
    ("MultiHeadAttention", {"num_heads": 1, "key_dim": 2, "use_causal_mask": True}, [(2, 3, 4), (2, 5, 4)]),
]


def weight(variable, k):
    v = values(variable.shape, 10 + k)
    return v * v + 0.5 if "variance" in variable.path else v


def run(name, config, shapes):
    # Keras expects it with the inputs
    call = {k: v for k, v in config.items() if k == "use_causal_mask"}
    layer = getattr(keras.layers, name)(
        **{k: tuple(v) if isinstance(v, list) else v for k, v in config.items() if k not in call})
    if name == "SimpleRNN":  # jax's scan requires a single dtype, but Keras makes two
        layer.unroll = True
    inputs = [values(s, k) for k, s in enumerate(shapes)]
    if name == "Embedding":  # the inputs are row numbers
        inputs = [np.floor((v + 0.5) * config["input_dim"]) for v in inputs]
    if name == "MultiHeadAttention":  # the inputs are arguments: query, value, key
        inputs = inputs * 2 if len(inputs) == 1 else inputs
        layer.build(*[v.shape for v in inputs])
    else:
        layer.build([s for s in shapes] if len(shapes) > 1 else shapes[0])
    layer.set_weights([weight(v, k) for k, v in enumerate(layer.weights)])
    names = [v.path.split("/")[-1] for v in layer.weights]
    out = layer(*inputs, **call) if name == "MultiHeadAttention" else layer(inputs if len(inputs) > 1 else inputs[0])
    out = keras.ops.convert_to_numpy(out)
    return names, out


BAGS = [
    ({"input_dim": 5, "output_dim": 3}, (2, 4)),
    ({"input_dim": 5, "output_dim": 2, "combiner": "sum", "padding_idx": 0}, (3, 4)),
    ({"input_dim": 5, "output_dim": 3, "combiner": "max", "padding_idx": 2}, (2, 4)),
]


def bag(config, shape):
    import torch

    at = torch.tensor(np.floor((values(shape, 0) + 0.5) * config["input_dim"])).long()
    table = torch.tensor(values((config["input_dim"], config["output_dim"]), 10))
    return torch.nn.functional.embedding_bag(at, table, mode=config.get("combiner", "mean"),
                                             padding_idx=config.get("padding_idx")).numpy()


def braces(items):
    return "{" + ", ".join(items) + "}"


if __name__ == "__main__":
    bags = [("EmbeddingBag", config, [shape]) for config, shape in BAGS]
    if sys.argv[1:] != ["bags"]:
        print("// Written by layers_reference.py with Keras " + keras.__version__ + ".")
    for name, config, shapes in bags if sys.argv[1:] == ["bags"] else CASES + bags:
        names, out = (["embeddings"], bag(config, shapes[0])) if name == "EmbeddingBag" else run(name, config, shapes)
        print(f'{{"{name}", R"({json.dumps(config)})", {braces(braces(map(str, s)) for s in shapes)},')
        print(f'  {braces(json.dumps(n) for n in names)}, {braces(map(str, out.shape))},')
        print("  " + braces(f"{v:.12g}" for v in out.ravel()) + "},")
