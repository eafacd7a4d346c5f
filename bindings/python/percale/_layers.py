"""Layers by Keras' names, as the library describes them."""
from .engine import Engine


class Layer:
    """A layer by Keras' name, with its attributes: Layer("Dense", units=10). `percale.keras.Dense(10)` is the same."""

    def __init__(self, kind, **attributes):
        self.kind, self.attributes = kind, attributes

    def spec(self):
        """The layer's part of a SPEC."""
        return {"layer": self.kind, **self.attributes}


# What Keras takes without a keyword, in its order.
POSITIONAL = {"Dense": ["units"], "Conv1D": ["filters", "kernel_size", "strides"], "Conv2D": ["filters", "kernel_size", "strides"],
              "Conv2DTranspose": ["filters", "kernel_size", "strides"], "DepthwiseConv2D": ["kernel_size", "strides"],
              "SeparableConv2D": ["filters", "kernel_size", "strides"], "MaxPooling2D": ["pool_size", "strides"],
              "AveragePooling2D": ["pool_size", "strides"], "Dropout": ["rate"], "Activation": ["activation"],
              "Reshape": ["target_shape"], "Embedding": ["input_dim", "output_dim"],
              "EmbeddingBag": ["input_dim", "output_dim"], "LSTM": ["units"], "GRU": ["units"],
              "SimpleRNN": ["units"], "MultiHeadAttention": ["num_heads", "key_dim"]}


_makers = {}  # a function for each layer of the library, once one is asked for


def _maker(layer):
    """The function that makes a layer that the library describes."""
    name, words = layer["name"], POSITIONAL.get(layer["name"], [])

    def make(*values, **attributes):
        if len(values) > len(words):
            raise TypeError(f"{name} takes {len(words)} arguments without a keyword, got {len(values)}")
        twice = [word for word in words[:len(values)] if word in attributes]
        if twice:
            raise TypeError(f"{name} got '{twice[0]}' twice, once without its keyword")
        given = {**dict(zip(words, values)), **attributes}
        return Layer(name, **{k: list(v) if isinstance(v, tuple) else v for k, v in given.items()})

    make.__name__ = make.__qualname__ = name
    make.__doc__ = layer["doc"]
    if words:
        make.__doc__ += f"\n\nWithout a keyword: {', '.join(words)}."
    for attribute in layer["attributes"]:
        default = f", {attribute['default']!r} when omitted" if "default" in attribute else ""
        make.__doc__ += f"\n\n{attribute['name']}: {attribute['kind']}{default}. {attribute['doc']}"
    return make


def known():
    """{name: the function that makes the layer}."""
    if not _makers:
        with Engine(threads=1) as engine:
            _makers.update({layer["name"]: _maker(layer) for layer in engine.describe("layers")})
    return _makers
