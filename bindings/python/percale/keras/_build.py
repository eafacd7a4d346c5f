"""Builds a graph from the layers and inputs of a model."""
import dataclasses
import re
from typing import Any, Dict, List, Tuple

from ..graph import Builder
from .layers import InputLayer, KerasTensor


@dataclasses.dataclass
class Built:
    """A graph of predictions, and the rows of summary(): (name of the layer, kind, shape of its
    output).
    """

    graph: Any
    rows: List[Tuple[str, str, Any]]


def _input_of(builder, layer, name):
    shape = [-1, *(-1 if dim is None else dim for dim in layer.shape)]
    return builder.input(name, shape, layer.dtype)


def default_name(kind, taken):
    """Returns the name of an unnamed layer, as the library chooses it.

    It is the snake-case kind, with a number from the second layer on.
    """
    stem = re.sub("([a-z])([A-Z])", r"\1_\2", re.sub("(.)([A-Z][a-z]+)", r"\1_\2", kind)).lower()
    return next(name for name in [stem, *(f"{stem}_{i}" for i in range(1, len(taken) + 1))] if name not in taken)


def _add(builder, layer, inputs, rows):
    """Adds a layer and returns its name and its output."""
    words = {key: value for key, value in layer.attributes.items() if key != "inputs"}
    name = layer.name or default_name(layer.kind, {row[0] for row in rows})
    value = builder.layer(layer.kind, inputs, name=name, **words)
    rows.append((name, layer.kind, value.type[1]))
    return name, value


def build_functional(engine, inputs, outputs):
    """Builds the graph from inputs to outputs, both KerasTensors."""
    builder, made, rows = Builder(engine), {}, []
    for i, tensor in enumerate(inputs):
        if not isinstance(tensor.layer, InputLayer):
            raise ValueError(f"Model(inputs=...) takes what Input() gives, got the output of {tensor.layer!r}")
        name = tensor.layer.name or ("x" if len(inputs) == 1 else f"input_{i + 1}")
        made[id(tensor)] = _input_of(builder, tensor.layer, name)
        rows.append((name, "Input", (None, *tensor.layer.shape)))
    used, names = {}, {}

    def value_of(tensor):
        if id(tensor) in made:
            return made[id(tensor)]
        if not isinstance(tensor, KerasTensor) or isinstance(tensor.layer, InputLayer):
            raise ValueError("an output depends on an Input() that is not among the model's inputs")
        if tensor.state is not None:
            value_of(tensor.output)
            made[id(tensor)] = builder.find(f"{names[id(tensor.output)]}/{tensor.state}")
            return made[id(tensor)]
        if used.setdefault(id(tensor.layer), tensor) is not tensor:
            raise NotImplementedError(f"{tensor.layer!r} is called twice, but layers cannot share their weights; build the graph "
                                      "with percale.Builder, where several nodes may read one variable")
        names[id(tensor)], made[id(tensor)] = _add(builder, tensor.layer, [value_of(given) for given in tensor.inputs], rows)
        return made[id(tensor)]

    builder.outputs(*[value_of(tensor) for tensor in outputs])
    return Built(builder.finish(), rows)


def build_sequential(engine, layers, first):
    """Builds the graph of a list of layers; `first` is an InputLayer.

    Each layer takes the output of the one before, unless it names its inputs. "NAME/state_h" is a
    state of a recurrent layer.
    """
    builder, rows = Builder(engine), []
    name = first.name or "x"
    last = _input_of(builder, first, name)
    named: Dict[str, Any] = {name: last}
    for layer in layers:
        given = layer.attributes.get("inputs")
        if given is not None and any(one not in named for one in given):
            raise ValueError(f"{layer!r}: no layer '{next(one for one in given if one not in named)}' stands before it")
        _, last = _add(builder, layer, [last] if given is None else [named[one] for one in given], rows)
        if layer.name:
            named[layer.name] = last
            for state in layer.states():
                named[f"{layer.name}/{state}"] = builder.find(f"{layer.name}/{state}")
    builder.outputs(last)
    return Built(builder.finish(), rows)
