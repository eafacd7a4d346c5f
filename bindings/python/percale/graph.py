"""Graphs and their builder."""
import contextlib
import json

from . import _raw, dtypes
from ._library import Names, ffi, lib, path_of, string, type_of
from .engine import engine_of_pickles, options_or_null
from .errors import Error, check
from .handle import ExclusiveHandle, Handle, exclusive, out, pointer_of, pointer_or_null, text_from, trace_json
from .tensor import Tensor, dims_array, lend


class FunctionName(str):
    """An attribute value that names a function of the graph, such as the body of an If or a Loop.
    """


class Value:
    """A value inside a builder."""

    __slots__ = ("builder", "id")

    def __init__(self, builder, number):
        self.builder, self.id = builder, number

    @property
    def type(self):
        """(dtype, shape). Unknown dims are -1. The shape is None if not even the rank is known."""
        with self.builder.turn:
            return type_of(lib.percale_builder_value_type, self.builder.c, self.id)

    def _binary(self, op, other, swapped=False):
        if not isinstance(other, Value):
            other = self.builder.constant(Tensor.of(other, self.type[0]))
        pair = [other, self] if swapped else [self, other]
        return self.builder.node(op, pair)[0]

    def __add__(self, other):
        return self._binary("Add", other)

    def __radd__(self, other):
        return self._binary("Add", other, True)

    def __sub__(self, other):
        return self._binary("Sub", other)

    def __rsub__(self, other):
        return self._binary("Sub", other, True)

    def __mul__(self, other):
        return self._binary("Mul", other)

    def __rmul__(self, other):
        return self._binary("Mul", other, True)

    def __truediv__(self, other):
        return self._binary("Div", other)

    def __rtruediv__(self, other):
        return self._binary("Div", other, True)

    def __matmul__(self, other):
        return self._binary("MatMul", other)

    def __neg__(self):
        return self.builder.node("Neg", [self])[0]


class Graph(Handle):
    """A finished, immutable graph. Thread-safe.

    A graph can be pickled. A process that unpickles it has an engine for it: see unpickling().
    """

    kind = "graph"

    def __copy__(self):
        return self  # it is immutable

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return Graph._unpickled, (self.to_bytes(),)

    @classmethod
    def _unpickled(cls, data):
        engine = engine_of_pickles()
        graph = cls.load(engine, data)
        graph.unpickled_by = engine  # kept for other pickles
        return graph

    @classmethod
    def load(cls, engine, source):
        """Loads a .percale file from its path or its bytes.

        The weights of a file are mapped into memory, unless the engine has map_files="off". A
        mapped file may be replaced by a rename, or removed; truncating it can end the process.
        """
        return cls._read(source, lib.percale_graph_load, lib.percale_graph_load_file, pointer_of(engine, "engine"))

    @classmethod
    def from_memory(cls, engine, data):
        """Makes a graph over the bytes of a .percale file, without a copy of the weights.

        `data` is any object with a buffer, such as bytes, an mmap or an array. It is kept, and must
        not change, until the last object is gone that uses the weights. Returns (graph, copied):
        the number of bytes that were copied, which is not 0 if the buffer does not begin at a
        multiple of 64.
        """
        pointer, copied, memory = out("graph"), ffi.new("int64_t*"), ffi.from_buffer(data)
        lend(memory, lambda deleter, user: lib.percale_graph_from_memory(
            pointer_of(engine, "engine"), ffi.cast("void*", memory), len(memory), deleter, user, copied, pointer))
        return cls(pointer[0]), copied[0]

    @classmethod
    def from_onnx(cls, engine, source):
        """Imports an ONNX model from its path or its bytes. Needs the importer plug-in."""
        return cls._read(source, lib.percale_graph_import_bytes, lib.percale_graph_import, pointer_of(engine, "engine"), b"onnx")

    @classmethod
    def _read(cls, source, from_bytes, from_file, *arguments):
        """Creates a graph from bytes or a path, each by its C function, which takes `arguments`
        first.
        """
        pointer = out("graph")
        if isinstance(source, (bytes, bytearray, memoryview)):
            data = ffi.from_buffer(source)
            check(from_bytes(*arguments, data, len(data), pointer))
        else:
            check(from_file(*arguments, path_of(source), pointer))
        return cls(pointer[0])

    def with_dims(self, *dims):
        """Returns the graph with other dims of its inputs.

        Each entry is "batch=?" (any size), "height=224" (by name), or "x:0=8" (by input and axis).
        """
        names, pointer = Names(dims), out("graph")
        check(lib.percale_graph_with_dims(self.c, names.array, len(names), pointer))
        return Graph(pointer[0])

    def save(self, path, variables=None):
        """Writes a .percale file atomically, with the values of `variables`."""
        check(lib.percale_graph_save_file(self.c, pointer_or_null(variables), path_of(path)))

    def to_bytes(self, variables=None):
        """Returns the bytes that save() would write."""
        return text_from(lib.percale_graph_serialize, self.c, pointer_or_null(variables))

    def export(self, engine, path, variables=None, format="onnx", **settings):
        """Writes the graph in another format. The keywords are options of kind "export"."""
        check(lib.percale_graph_export(pointer_of(engine, "engine"), self.c, pointer_or_null(variables), format.encode(),
                                       options_or_null("export", settings), path_of(path)))

    def _names(self, get):
        graph, names = self.c, []  # the graph owns the names
        while (name := get(graph, len(names))) != ffi.NULL:
            names.append(string(name))
        return names

    @property
    def inputs(self):
        """The names of the inputs, in order."""
        return self._names(lib.percale_graph_get_input_name)

    @property
    def outputs(self):
        """The names of the outputs, in order."""
        return self._names(lib.percale_graph_get_output_name)

    def type(self, name):
        """Returns the (dtype, shape) of an input, an output, or an inner value.

        All of them can be fed and fetched. Unknown dims are -1. The shape is None if not even the
        rank is known.
        """
        return type_of(lib.percale_graph_value_type, self.c, name.encode())

    @property
    def input_types(self):
        """{name: (dtype, shape)} of the inputs, in order."""
        return {name: self.type(name) for name in self.inputs}

    @property
    def output_types(self):
        """{name: (dtype, shape)} of the outputs, in order."""
        return {name: self.type(name) for name in self.outputs}

    def describe(self, what="summary"):
        """Returns facts as Python values. `what` is "summary" or "nodes"."""
        return json.loads(text_from(lib.percale_graph_describe, self.c, what.encode()))

    def draw(self, format="html", trace=None):
        """Returns a drawing as "svg", or as "html" with panning, zoom, search and folding.

        The nodes show the times of `trace`.
        """
        return text_from(lib.percale_graph_draw, self.c, format.encode(), trace_json(trace)).decode()


class Builder(ExclusiveHandle):
    """A graph under construction. Only one thread at a time may use it.

    percale.ops has a function for each op. layer() adds a layer of Keras.
    """

    kind = "builder"

    def __init__(self, engine, graph=None):
        """Begins an empty graph, or continues from `graph`."""
        pointer = out("builder")
        if graph is None:
            check(lib.percale_builder_create(pointer_of(engine, "engine"), pointer))
        else:
            check(lib.percale_builder_from_graph(pointer_of(engine, "engine"), graph.c, pointer))
        super().__init__(pointer[0])

    def _value(self, function, *arguments):
        number = ffi.new("percale_value*")
        check(function(self.c, *arguments, number))
        return Value(self, number[0])

    @exclusive
    def input(self, name, shape, dtype="f32"):
        """Adds an input. A dim that is known only at run time is -1 or None."""
        dims = [-1 if d is None else d for d in shape]
        return self._value(lib.percale_builder_input, name.encode(), dtypes.number(dtype), dims_array(dims), len(dims))

    @exclusive
    def constant(self, value, name="", dtype=None):
        """Adds a constant from any value that Tensor.of() accepts."""
        tensor = Tensor.of(value, dtype)
        return self._value(lib.percale_builder_constant, name.encode() or ffi.NULL, tensor.c)

    @exclusive
    def variable(self, name, initial=None, *, shape=None, dtype="f32", initializer="glorot_uniform"):
        """Adds a trainable variable, with an initial value or one that an initializer of Keras
        draws.
        """
        if initial is not None:
            return self._value(lib.percale_builder_variable, name.encode(), Tensor.of(initial).c)
        return self._value(lib.percale_builder_variable_initialized, name.encode(), dtypes.number(dtype), dims_array(shape),
                           len(shape), initializer.encode())

    @exclusive
    def find(self, name):
        """Returns the value with this name."""
        return self._value(lib.percale_builder_find_value, name.encode())

    @exclusive
    def node(self, op, inputs, attributes=None, *, outputs=1, name=""):
        """Adds a node of any op ("Conv", "percale:Gelu", "sample:Square" of a plug-in) and returns
        its outputs.

        The first output has the name of the node. Inputs and attributes that are None are absent.
        """
        check(lib.percale_builder_node(self.c, op.encode(), name.encode() or ffi.NULL))
        return self._finish(inputs, attributes or {}, outputs)

    @exclusive
    def layer(self, layer, inputs, *, name="", **attributes):
        """Adds a layer of Keras with its variables: layer("Dense", x, units=10, activation="relu").
        """
        check(lib.percale_builder_layer(self.c, layer.encode(), name.encode() or ffi.NULL))
        return self._finish(inputs if isinstance(inputs, (list, tuple)) else [inputs], attributes, 1)[0]

    def _finish(self, inputs, attributes, outputs):
        inputs = list(inputs)
        while inputs and inputs[-1] is None:
            inputs.pop()
        for value in inputs:
            check(lib.percale_builder_add_input(self.c, _raw.NO_VALUE if value is None else value.id))
        for key, value in attributes.items():
            if value is not None:
                self._set(key.encode(), value)
        values = ffi.new("percale_value[]", max(outputs, 1))
        check(lib.percale_builder_finish_node(self.c, outputs, values))
        return [Value(self, values[i]) for i in range(outputs)]

    def _set(self, key, value):
        if isinstance(value, FunctionName):
            check(lib.percale_builder_set_function(self.c, key, value.encode()))
        elif isinstance(value, str):
            check(lib.percale_builder_set_string(self.c, key, value.encode()))
        elif isinstance(value, int):  # also bool
            check(lib.percale_builder_set_int(self.c, key, value))
        elif isinstance(value, float):
            check(lib.percale_builder_set_float(self.c, key, value))
        elif isinstance(value, Tensor):
            check(lib.percale_builder_set_tensor(self.c, key, value.c))
        elif all(isinstance(v, int) for v in value):
            check(lib.percale_builder_set_ints(self.c, key, ffi.new("int64_t[]", list(value)), len(value)))
        elif all(isinstance(v, str) for v in value):
            names = Names(value)
            check(lib.percale_builder_set_strings(self.c, key, names.array, len(names)))
        else:
            check(lib.percale_builder_set_floats(self.c, key, ffi.new("double[]", [float(v) for v in value]), len(value)))

    @contextlib.contextmanager
    def function(self, name):
        """Makes a function of the graph from everything built within `with`: the body of an If or a
        Loop.
        """
        with self.turn:
            check(lib.percale_builder_begin_function(self.c, name.encode()))
            try:
                yield FunctionName(name)
            except BaseException:
                with contextlib.suppress(Error):  # the first error is the one that counts
                    check(lib.percale_builder_end_function(self.c))
                raise
            check(lib.percale_builder_end_function(self.c))

    @exclusive
    def outputs(self, *values):
        """Sets the outputs of the graph, or of the current function."""
        check(lib.percale_builder_set_outputs(self.c, ffi.new("percale_value[]", [v.id for v in values]), len(values)))

    @exclusive
    def rename(self, value, name):
        """Gives a value another name, which feeds and fetches then use."""
        check(lib.percale_builder_rename(self.c, value.id, name.encode()))

    @contextlib.contextmanager
    def device(self, name):
        """Sets a device hint on the nodes that are added within `with`."""
        with self.turn:
            check(lib.percale_builder_set_device(self.c, name.encode()))
            try:
                yield
            finally:
                check(lib.percale_builder_set_device(self.c, b""))

    @exclusive
    def control_dependency(self, before, after):
        """Makes the node of `after` run only once the node of `before` has run."""
        check(lib.percale_builder_control_dependency(self.c, before.id, after.id))

    @exclusive
    def gradients(self, ys, xs):
        """Returns the gradients of the sum of `ys` with respect to each of `xs`.

        An entry is None if there is no gradient.
        """
        found = ffi.new("percale_value[]", max(len(xs), 1))
        check(lib.percale_builder_gradients(self.c, ffi.new("percale_value[]", [y.id for y in ys]), len(ys),
                                            ffi.new("percale_value[]", [x.id for x in xs]), len(xs), found))
        return [None if found[i] == _raw.NO_VALUE else Value(self, found[i]) for i in range(len(xs))]

    @exclusive
    def minimize(self, loss, optimizer):
        """Adds the nodes of one training step and returns the name of the target that runs one
        step.

        The optimizer is a name, or a dict with "name".
        """
        builder, target = self.c, ffi.new("const char**")  # the builder owns the name
        text = optimizer if isinstance(optimizer, str) else json.dumps(optimizer)
        check(lib.percale_builder_minimize(builder, loss.id, text.encode(), target))
        return string(target[0])

    @exclusive
    def finish(self):
        """Returns the graph. The builder is empty afterwards."""
        pointer = out("graph")
        check(lib.percale_builder_finish(self.c, pointer))
        return Graph(pointer[0])
