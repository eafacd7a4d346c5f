"""Models of layers: Sequential, functional, and loaded from files."""
import math
import os

from ..engine import Engine
from ..graph import Graph
from ..session import Session, Variables
from ._arrays import fitting
from ._build import Built, build_functional, build_sequential
from ._training import Training
from .layers import InputLayer, KerasTensor, Layer
from .strategies import scopes

_EMBEDDINGS = ("Embedding", "EmbeddingBag")
_FORMATS_OF_OTHERS = (".keras", ".h5", ".hdf5", ".safetensors", ".tflite", ".pb", ".pt", ".pth")


def _ending(path):
    return os.path.splitext(os.fspath(path))[1].lower()


def _as_list(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


class Model(Training):
    """A functional model: Model(inputs=[a, b], outputs=Dense(1)(Concatenate()([a, b])))."""

    def __init__(self, inputs, outputs, *, engine=None):
        super().__init__(engine)
        self._inputs, self._outputs = _as_list(inputs), _as_list(outputs)
        self._built = build_functional(self.engine, self._inputs, self._outputs)

    def build(self, input_shape=None):
        """Does nothing, because the graph already exists."""

    @property
    def input_names(self):
        """The names of the inputs, by which data is passed, in order."""
        return self.graph.inputs

    @property
    def output_names(self):
        """The names of the outputs, in order."""
        return self.graph.outputs

    @property
    def graph(self):
        """The graph of predictions."""
        with self._making:
            if self._built is None:
                self.build()
            return self._built.graph

    @property
    def variables(self):
        """The weights: a mapping from names to tensors, which trainers and sessions share."""
        with self._making:
            if self._variables is None:
                self._variables = Variables.of(self.engine, self.graph, (self._settings or {}).get("seed") or 0)
            return self._variables

    def _weight_names(self):
        known = set(self.variables)
        return [v["name"] for v in self.graph.describe()["variables"] if v["name"] in known]

    def get_weights(self):
        """Returns copies of the weights as arrays, in the order of the layers.

        During fit() they are those of the last completed step.
        """
        self._publish()
        return [self.variables[name].numpy().copy() for name in self._weight_names()]

    def set_weights(self, weights):
        """Sets the weights from the arrays of get_weights()."""
        names = self._weight_names()
        if self._fitting:
            raise RuntimeError("set_weights() within fit() would be overwritten by the next step; callbacks may set weights when fit() "
                               "is over, in on_train_end()")
        if len(weights) != len(names):
            raise ValueError(f"the model has {len(names)} weights ({', '.join(names)}), got {len(weights)}")
        for name, value in zip(names, weights):
            self.variables[name] = fitting(value, self.variables[name].dtype, name)

    def save(self, path):
        """Writes the graph with its weights as a .percale file, or as an ONNX model if the path
        ends in .onnx.
        """
        ending = _ending(path)
        if ending in _FORMATS_OF_OTHERS:
            raise ValueError(f"save() writes .percale and .onnx files, got '{os.fspath(path)}'; save_weights() writes .safetensors")
        self._publish()
        if ending == ".onnx":
            self.graph.export(self.engine, path, self.variables)
        else:
            self.graph.save(path, self.variables)

    def save_weights(self, path):
        """Writes the weights as a safetensors file."""
        self._publish()
        self.variables.save(path)

    def load_weights(self, path):
        """Reads the weights from a safetensors file or a checkpoint."""
        self.variables.load(path)

    def predict(self, x, batch_size=None, verbose=0):
        """Returns the output of the model for rows, as an array, or a list of arrays for several
        outputs.

        `x` is an array, a list or a dict by the names of the inputs, or a data set. `batch_size` is
        the number of rows per run; None runs all together. While another thread is in fit(), use
        percale.Session(model.engine, model.graph, model.variables) instead.
        """
        from ..data import Dataset

        self._build_for(x)
        self._publish()
        with self._making:
            session = self._session = self._session or Session(self.engine, self.graph, self.variables)
        names, outputs = self.graph.inputs, self.graph.outputs
        if isinstance(x, Dataset):
            parts = [{name: batch[name] for name in names} for batch in x]
        else:
            given = self._input_columns(x)
            rows = given[names[0]].shape[0]
            step = batch_size or max(rows, 1)
            parts = [given] if rows <= step else [{name: fitting(tensor.numpy()[i:i + step], tensor.dtype, name)
                                                   for name, tensor in given.items()} for i in range(0, rows, step)]
        found = [session.run(part, outputs) for part in parts]
        if len(found) == 1:
            arrays = [found[0][name].numpy() for name in outputs]
        else:
            import numpy as np

            arrays = [np.concatenate([part[name].numpy() for part in found]) for name in outputs]
        return arrays[0] if len(arrays) == 1 else arrays

    def count_params(self):
        """Returns the number of weights."""
        return sum(math.prod(self.variables[name].shape) for name in self._weight_names())

    def summary(self, print_fn=print):
        """Prints the layers, the shapes of their outputs and their numbers of weights."""
        if self._built is None:
            self.build()
        names = self._weight_names()
        table = [("Layer", "Output shape", "Weights")]
        for name, kind, shape in self._built.rows:
            own = sum(math.prod(self.variables[n].shape) for n in names if n.startswith(name + "/"))
            dims = "(" + ", ".join("None" if d in (-1, None) else str(d) for d in shape or ()) + ")"
            table.append((f"{name} ({kind})", dims, f"{own:,}"))
        wide = [max(len(row[i]) for row in table) for i in range(3)]
        for i, row in enumerate(table):
            print_fn("  ".join(cell.rjust(w) if k == 2 else cell.ljust(w) for k, (cell, w) in enumerate(zip(row, wide))).rstrip())
            if i == 0:
                print_fn("-" * (sum(wide) + 4))
        print_fn(f"Weights together: {self.count_params():,}")


class Sequential(Model):
    """A list of layers, applied in order."""

    def __init__(self, layers=(), *, engine=None, input_shape=None):
        Training.__init__(self, engine)
        self._built, self._first, self.layers = None, None, []
        self.input_shape = None if input_shape is None else tuple(input_shape)
        for layer in layers:
            self.add(layer)

    def add(self, layer):
        """Appends a layer. The weights of the other layers stay; the state of the optimizer is
        reset.
        """
        if isinstance(layer, KerasTensor) and isinstance(layer.layer, InputLayer):
            layer = layer.layer
        if isinstance(layer, InputLayer):
            if self.layers or self._first is not None:
                raise ValueError("a Sequential takes one Input(), before all layers; this one comes later")
            self._first = layer
            return
        if isinstance(layer, Model):
            raise TypeError(f"Sequential takes layers, got the model {type(layer).__name__}; a head on a model of a file: "
                            'percale.Trainer.from_spec(engine, {"model": path, "outputs": "NAME", "freeze": "model", '
                            '"head": [{"layer": "Dense", "units": 2}], ...})')
        if not isinstance(layer, Layer):
            raise TypeError(f"Sequential takes layers, got {type(layer).__name__}")
        if not self.layers and getattr(layer, "input_shape", None) is not None:
            self.input_shape = tuple(layer.input_shape)
        self.layers.append(layer)
        self._rebuild()

    def pop(self):
        """Removes the last layer."""
        self.layers.pop()
        self._rebuild()

    def _rebuild(self):
        if self._built is None:
            return
        before, shape = self._variables, self._row
        self._built = self._variables = self._session = None
        self._drop_trainer()
        self.build((None, *shape))
        if before is not None:
            for name in self._weight_names():
                if name in set(before) and before[name].shape == self.variables[name].shape:
                    self.variables[name] = before[name]

    def build(self, input_shape=None):
        """Creates the weights for inputs of this shape, whose first dim is the batch."""
        if self._built is not None:
            return
        first = self._first
        if first is None:
            row = self.input_shape if self.input_shape is not None else input_shape and tuple(input_shape)[1:]
            if row is None:
                raise ValueError("the shape of the rows is not known: add(Input(shape)) first, build((None, ...)), or give data")
            dtype = "i64" if self.layers and self.layers[0].kind in _EMBEDDINGS else "f32"
            dtype = "f64" if (self._settings or {}).get("precision") == "f64" and dtype == "f32" else dtype
            first = InputLayer(row, dtype)
        self._row = first.shape
        self._built = build_sequential(self.engine, self.layers, first)

    def _row_shape(self, x):
        from ..data import Dataset
        from ..tensor import Tensor

        if isinstance(x, Dataset):
            return x.types[x.names[0]][1]
        x = next(iter(x.values())) if isinstance(x, dict) else x
        return tuple(getattr(x, "shape", None) or Tensor.of(x).shape)[1:]

    def _build_for(self, x):
        with self._making:
            if self._built is None:
                self.build((None, *self._row_shape(x)))

    def spec(self, row_shape, batch_size=32):
        """Returns the SPEC of the model and its compile() as a dict.

        `percale train` and the other languages train it to the same weights.
        """
        from . import _named

        self._require_compile("spec()")
        out = {"model": [layer.spec() for layer in self.layers], "input_shape": list(row_shape), "batch_size": batch_size}
        out.update({key: _named.plain(value) for key, value in self._settings.items() if value not in (None, [])})
        if self._strategy is not None and self._strategy.preset is not None:
            out["strategy"] = self._strategy.preset
        return out


class LoadedModel(Model):
    """A model from a file. It can predict, and train after compile()."""

    def __init__(self, graph, *, engine=None):
        Training.__init__(self, engine)
        self._built = Built(graph, [])

    def summary(self, print_fn=print):
        """Prints the inputs and outputs of the graph, and the number of weights."""
        for name, (dtype, shape) in {**self.graph.input_types, **self.graph.output_types}.items():
            print_fn(f"{name}: {dtype} {list(shape) if shape is not None else 'of any rank'}")
        print_fn(f"Weights together: {self.count_params():,}")


def load_model(path, *, engine=None):
    """Loads a .percale or .onnx file with its weights.

    The file does not contain the settings of compile(), so call compile() before fit().
    """
    strategy_engine = scopes[-1].engine if scopes else None
    engine = engine or strategy_engine or Engine()
    read = Graph.from_onnx if _ending(path) == ".onnx" else Graph.load
    return LoadedModel(read(engine, path), engine=engine)
