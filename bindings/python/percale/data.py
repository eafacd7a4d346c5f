"""Data sets: rows in batches."""
from . import dtypes
from ._library import FORGET, Names, ffi, forget, keep, lib, string, type_of
from .errors import OutOfRange, check
from .handle import Handle, out
from .tensor import Tensor, Tensors, _dims


@ffi.callback("percale_row_callback", error=1)
def _make_row(user, row, columns):
    generator = ffi.from_handle(user)
    try:
        generator.write(row, columns)
    except BaseException as error:  # raised where the batch was asked for
        generator.error = error
        return 1
    return 0


class _Generator:
    """A function of Python that makes rows."""

    def __init__(self, function, columns):
        import numpy as np

        self.function, self.error = function, None
        self.types = [(name, dtypes.to_numpy(dtypes.number(dtype)), tuple(shape)) for name, (dtype, shape) in columns.items()]
        self.bytes = [dtype.itemsize * int(np.prod(shape, dtype=np.int64)) for _, dtype, shape in self.types]

    def write(self, row, columns):
        import numpy as np

        made = self.function(row)
        for i, (name, dtype, shape) in enumerate(self.types):
            to = np.frombuffer(ffi.buffer(columns[i], self.bytes[i]), dtype).reshape(shape)
            to[...] = made[name]


class Dataset(Handle):
    """Examples in batches; iterating over it gives one epoch, batch by batch, as dicts of tensors. One thread at a time."""

    kind = "dataset"

    def __init__(self, pointer, generators=()):
        super().__init__(pointer)
        self._generators = list(generators)  # to be asked for what they raised
        self.names = [string(lib.percale_dataset_get_column_name(self.c, i))
                      for i in range(lib.percale_dataset_column_count(self.c))]

    @property
    def types(self):
        """{column: (dtype, shape of one row)}"""
        return {name: type_of(lib.percale_dataset_column_type, self.c, i) for i, name in enumerate(self.names)}

    @classmethod
    def from_tensors(cls, engine, **columns):
        """Rows of arrays that have the same first dim; keywords become names of feeds: from_tensors(engine, x=images, y=labels)."""
        names, given, pointer = Names(columns), Tensors(columns.values()), out("dataset")
        check(lib.percale_dataset_from_tensors(engine.c, names.array, given.array, len(names), pointer))
        return cls(pointer[0])

    @classmethod
    def from_files(cls, engine, scale=0.0, **paths):
        """Rows of IDX, .npy, .npz, .safetensors or .csv files, which may be larger than memory. u8 images become f32 times `scale`."""
        names, files, pointer = Names(paths), Names([str(p) for p in paths.values()]), out("dataset")
        check(lib.percale_dataset_from_files(engine.c, names.array, files.array, len(names), scale, pointer))
        return cls(pointer[0])

    @classmethod
    def range(cls, engine, start, stop, step=1, name="x"):
        """Rows of one i64 each."""
        pointer = out("dataset")
        check(lib.percale_dataset_range(engine.c, name.encode(), start, stop, step, pointer))
        return cls(pointer[0])

    @classmethod
    def from_function(cls, engine, function, rows, **columns):
        """Rows that `function(number)` makes as a dict; columns are name=(dtype, shape of one row). The same row for the same number,
        whenever it is asked for."""
        generator = _Generator(function, columns)
        names, dims = Names(columns), [_dims(shape) for _, _, shape in generator.types]
        kinds = ffi.new("percale_dtype[]", [dtypes.number(dtype) for dtype, _ in columns.values()])
        ranks = ffi.new("size_t[]", [len(shape) for _, _, shape in generator.types])
        pointer = out("dataset")
        user = keep(generator)
        try:
            check(lib.percale_dataset_generator_owned(engine.c, names.array, kinds, ffi.new("int64_t*[]", dims), ranks, len(names),
                                                      rows, _make_row, user, FORGET, pointer))
        except Exception:
            forget(user)
            raise
        return cls(pointer[0], [generator])

    def _made(self, function, *arguments, others=()):
        pointer = out("dataset")
        check(function(*arguments, pointer))
        return Dataset(pointer[0], sum((o._generators for o in others), self._generators))

    def zip(self, *others):
        """The columns of several data sets side by side."""
        sets = ffi.new("percale_dataset*[]", [self.c] + [o.c for o in others])
        return self._made(lib.percale_dataset_zip, sets, len(others) + 1, others=others)

    def concatenate(self, *others):
        """The rows of several data sets, one set after the other."""
        sets = ffi.new("percale_dataset*[]", [self.c] + [o.c for o in others])
        return self._made(lib.percale_dataset_concatenate, sets, len(others) + 1, others=others)

    def repeat(self, times):
        """The rows so many times over."""
        return self._made(lib.percale_dataset_repeat, self.c, times)

    def map(self, graph):
        """Rows that went through a graph without variables."""
        return self._made(lib.percale_dataset_map, self.c, graph.c)

    def rename(self, *names):
        """The same rows with other names of their columns, one for each, in order."""
        given = Names(names)
        return self._made(lib.percale_dataset_rename, self.c, given.array, len(given))

    def batch(self, size, *, shuffle=None, drop_remainder=False):
        """Sets how rows come; `shuffle` is a seed. The data set itself."""
        check(lib.percale_dataset_configure(self.c, size, -1 if shuffle is None else shuffle, drop_remainder))
        return self

    def distribute(self, replicas):
        """A part of each batch per replica, each a data set of its own."""
        found = ffi.new("percale_dataset*[]", max(replicas, 1))
        check(lib.percale_dataset_distribute(self.c, replicas, found))
        return [Dataset(found[i], self._generators) for i in range(replicas)]

    def __len__(self):
        return lib.percale_dataset_rows(self.c)

    def __iter__(self):
        found = ffi.new("percale_tensor*[]", len(self.names))
        while True:
            try:
                self.call(lib.percale_dataset_next, self.c, found)
            except OutOfRange:
                return
            yield {name: Tensor(found[i]) for i, name in enumerate(self.names)}

    def call(self, function, *arguments):
        """Calls what may make rows: an error of Python's own in a function that makes them is raised as it is."""
        status = function(*arguments)
        try:
            check(status)
        except Exception:
            for generator in self._generators:
                error, generator.error = generator.error, None
                if error is not None:
                    raise error
            raise
