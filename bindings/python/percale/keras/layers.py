"""Layers by their Keras names, and the tensors of functional models."""
import difflib
import functools

from .. import dtypes
from ..engine import Engine
from ..errors import Error
from ..graph import Builder


# The states of recurrent layers, in the order of Keras.
STATES = {"LSTM": ("state_h", "state_c"), "GRU": ("state_h",), "SimpleRNN": ("state_h",)}


def _flat(values):
    return [one for value in values for one in (value if isinstance(value, (list, tuple)) else [value])]


class Layer:
    """A layer by its Keras name, with its arguments: Layer("Dense", units=10).

    `percale.keras.Dense(10)` is the same, but rejects invalid arguments at once.
    """

    def __init__(self, kind, *, name=None, **attributes):
        self.kind, self.name, self.attributes = kind, name, attributes

    def spec(self):
        """Returns the layer's part of a SPEC."""
        return {"layer": self.kind, **({} if self.name is None else {"name": self.name}), **self.attributes}

    def states(self):
        """Returns the names of the states that the layer gives besides its output."""
        return STATES.get(self.kind, ()) if self.attributes.get("return_state") else ()

    def __call__(self, *inputs, initial_state=None):
        """Returns the output of the layer in a functional model: Dense(10)(x), Add()([a, b]).

        A recurrent layer with return_state=True returns (output, state_h), an LSTM (output,
        state_h, state_c). `initial_state` is such a state, or a list of them.
        """
        if initial_state is not None and self.kind not in STATES:
            raise TypeError(f"{self.kind} takes no 'initial_state'; {', '.join(STATES)} do")
        given = _flat(inputs if initial_state is None else [*inputs, initial_state])
        for value in given:
            if not isinstance(value, KerasTensor):
                raise TypeError(f"{self.kind} is called with tensors of Input() or of other layers, got {type(value).__name__}")
        output = KerasTensor(self, given)
        states = [KerasTensor(self, given, state, output) for state in self.states()]
        return (output, *states) if states else output

    def __repr__(self):
        words = [f"{key}={value!r}" for key, value in self.attributes.items()]
        return f"{self.kind}({', '.join(words if self.name is None else [*words, f'name={self.name!r}'])})"


class KerasTensor:
    """An input, or an output of a layer in a functional model.

    A state of a recurrent layer has its name in `state`, and the output of the same call in
    `output`.
    """

    def __init__(self, layer, inputs=(), state=None, output=None):
        self.layer, self.inputs, self.state, self.output = layer, list(inputs), state, output


class InputLayer:
    """An input of a model.

    `shape` is the shape of a row, and `dtype` a name of the library or of numpy.
    """

    kind, attributes = "Input", {}

    def __init__(self, shape, dtype="float32", name=None):
        self.shape, self.dtype, self.name = tuple(shape), dtypes.NAMES[dtypes.number(dtype)], name

    def __repr__(self):
        return f"Input(shape={self.shape}, dtype={self.dtype!r})"


def Input(shape, dtype="float32", name=None):
    """Creates an input of a functional model, or the first layer of a Sequential.

    A dim that differs between batches is None.
    """
    return KerasTensor(InputLayer(shape, dtype, name))


# The positional arguments of Keras, in order.
POSITIONAL = {"Dense": ["units"], "Conv1D": ["filters", "kernel_size", "strides"], "Conv2D": ["filters", "kernel_size", "strides"],
              "Conv2DTranspose": ["filters", "kernel_size", "strides"], "DepthwiseConv2D": ["kernel_size", "strides"],
              "SeparableConv2D": ["filters", "kernel_size", "strides"], "MaxPooling2D": ["pool_size", "strides"],
              "AveragePooling2D": ["pool_size", "strides"], "Dropout": ["rate"], "Activation": ["activation"],
              "Reshape": ["target_shape"], "Embedding": ["input_dim", "output_dim"],
              "EmbeddingBag": ["input_dim", "output_dim"], "LSTM": ["units"], "GRU": ["units"],
              "SimpleRNN": ["units"], "MultiHeadAttention": ["num_heads", "key_dim"]}

_KINDS = {"int": int, "float": (int, float), "string": str, "ints": (int, list), "floats": list, "strings": list}


def _least(attribute):
    """Returns a valid value of the attribute."""
    least = attribute.get("min", 0)
    return {"string": "linear", "ints": [least]}.get(attribute["kind"], least)


def _example(name, words):
    """Creates the layer on small inputs. Returns the library's error, or None on success."""
    layer, error = _described()[name], None
    given = {a["name"]: _least(a) for a in layer["attributes"] if a["required"]}
    for rank in (2, 3, 4):
        builder = Builder(_engine())
        inputs = [builder.input(f"x{i}", [-1] + [4] * (rank - 1)) for i in range(layer["inputs"]["min"])]
        try:
            builder.layer(name, inputs, **{**given, **words})
            return None
        except Error as found:
            error = found
    return error


@functools.lru_cache(maxsize=None)
def _wrong_word(name, word, value):
    """Returns the library's error for the value of one argument.

    None means that the value is valid, or that it cannot be checked without the inputs.
    """
    return _example(name, {word: value}) if _example(name, {}) is None else None


def _check(name, words):
    attributes = {attribute["name"]: attribute for attribute in _described()[name]["attributes"]}
    for word, value in words.items():
        if word not in attributes:
            takes = f"takes {', '.join(attributes) or 'nothing'}"
            hint = _hint(word, attributes, "")
            raise TypeError(f"{name} takes no '{word}'" + (f"{hint} It {takes}" if hint else f"; it {takes}"))
        attribute = attributes[word]
        if value is None:
            continue
        if not isinstance(value, _KINDS[attribute["kind"]]):
            raise TypeError(f"{name}: '{word}' is {type(value).__name__}, wanted {attribute['kind']}")
        numbers = value if isinstance(value, list) else [value]
        for limit, beyond in (("min", lambda n, most: n < most), ("max", lambda n, most: n > most)):
            if limit in attribute and any(beyond(number, attribute[limit]) for number in numbers):
                raise ValueError(f"{name}: '{word}' is {value}, the {limit} is {attribute[limit]}")
        if isinstance(value, (str, bool)):
            error = _wrong_word(name, word, value)
            if error is not None:
                raise type(error)(f"{name}: {error}")
    missing = [n for n, attribute in attributes.items() if attribute["required"] and words.get(n) is None]
    if missing:
        raise TypeError(f"{name} needs '{missing[0]}'")


def _hint(name, known, otherwise):
    """Returns the end of the error for an unknown name: the most similar known one, or else
    `otherwise`.
    """
    near = difflib.get_close_matches(name, known, 1)
    return f", did you mean '{near[0]}'?" if near else otherwise


def _placed(name, words, values, attributes):
    """Returns all arguments by name; `values` are the positional ones."""
    if len(values) > len(words):
        raise TypeError(f"{name} takes {len(words)} arguments without a keyword, got {len(values)}")
    twice = [word for word in words[:len(values)] if word in attributes]
    if twice:
        raise TypeError(f"{name} got '{twice[0]}' twice, once without its keyword")
    return {**dict(zip(words, values)), **attributes}


def _maker(layer):
    """Returns the function that creates a layer which the library describes."""
    name, words = layer["name"], POSITIONAL.get(layer["name"], [])

    def make(*values, **attributes):
        given = _placed(name, words, values, attributes)
        own = {key: given.pop(key) for key in ("name", "inputs", "input_shape") if key in given}
        given = {k: list(v) if isinstance(v, tuple) else v for k, v in given.items()}
        _check(name, given)
        made = Layer(name, name=own.get("name"), **{k: v for k, v in given.items() if v is not None})
        if own.get("inputs") is not None:
            made.attributes["inputs"] = list(own["inputs"])
        made.input_shape = own.get("input_shape")
        return made

    make.__name__ = make.__qualname__ = name
    make.__doc__ = layer["doc"]
    if words:
        make.__doc__ += f"\n\nWithout a keyword: {', '.join(words)}."
    for attribute in layer["attributes"]:
        default = f", {attribute['default']!r} when omitted" if "default" in attribute else ""
        make.__doc__ += f"\n\n{attribute['name']}: {attribute['kind']}{default}. {attribute['doc']}"
    return make


@functools.lru_cache(maxsize=None)
def _engine():
    return Engine(threads=1)


@functools.lru_cache(maxsize=None)
def _described():
    return {layer["name"]: layer for layer in _engine().describe("layers")}


@functools.lru_cache(maxsize=None)
def known():
    """Returns {name: function that creates the layer}."""
    return {name: _maker(layer) for name, layer in _described().items()}


def __getattr__(name):
    """Returns any layer of the library by its name; help() shows its arguments."""
    if not name[:1].isupper():
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    if name not in known():
        raise AttributeError(f"no layer '{name}'" + _hint(name, known(), f"; there are {', '.join(sorted(known()))}"))
    return known()[name]


def __dir__():
    return sorted([*globals(), *known()])
