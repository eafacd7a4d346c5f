"""Data sets: rows in batches."""
import contextlib
import json
import os

from . import dtypes
from ._library import FORGET, Names, ffi, forget, keep, lib, string, text_of, type_of
from .errors import OutOfRange, callback, check
from .handle import ExclusiveHandle, exclusive, out, pointer_of
from .tensor import Tensor, Tensors, _dims


@callback("percale_row_callback", failed=1)
def _make_row(user, row, columns):
    ffi.from_handle(user).write(row, columns)
    return 0


class _Generator:
    """A function of Python that makes rows."""

    def __init__(self, function, columns):
        import numpy as np

        self.function = function
        self.types = [(name, dtypes.to_numpy(dtypes.number(dtype)), tuple(shape)) for name, (dtype, shape) in columns.items()]
        self.bytes = [dtype.itemsize * int(np.prod(shape, dtype=np.int64)) for _, dtype, shape in self.types]

    def write(self, row, columns):
        import numpy as np

        made = self.function(row)
        for i, (name, dtype, shape) in enumerate(self.types):
            to = np.frombuffer(ffi.buffer(columns[i], self.bytes[i]), dtype).reshape(shape)
            to[...] = made[name]


def _seed(shuffle):
    """What C takes as the seed of an order: -1 for that of the rows."""
    if getattr(getattr(shuffle, "dtype", None), "kind", "") == "b":
        shuffle = bool(shuffle)
    if shuffle is None or shuffle is False:
        return -1
    return 0 if shuffle is True else shuffle


class Dataset(ExclusiveHandle):
    """Examples in batches; iterating over it gives one epoch, batch by batch, as dicts of tensors. One thread at a time."""

    kind = "dataset"

    def __init__(self, pointer):
        super().__init__(pointer)
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
        check(lib.percale_dataset_from_tensors(pointer_of(engine, "engine"), names.array, given.array, len(names), pointer))
        return cls(pointer[0])

    @classmethod
    def from_files(cls, engine, scale=0.0, csv=None, **paths):
        """Rows of IDX, .npy, .npz, .safetensors, .csv or .tsv files, which may be larger than memory. u8 images become f32 times
        `scale`. Paths are taken as they are: PERCALE_DATA and the cache are searched for the data of a SPEC alone. A list names files whose rows follow each other: from_files(engine, x=["a.npy", "b.npy"], y="labels.npy").
        `csv`: a dict of rules for CSV files (SPEC.md, "CSV files"), or the `csv_rules` of another set."""
        files = [(name, os.fspath(one)) for name, path in paths.items()
                 for one in (path if isinstance(path, (list, tuple)) else [path])]
        names, places, pointer = Names([name for name, _ in files]), Names([path for _, path in files]), out("dataset")
        rules = ffi.NULL if csv is None else json.dumps(csv).encode()
        check(lib.percale_dataset_from_files(pointer_of(engine, "engine"), names.array, places.array, len(files), scale, rules, pointer))
        return cls(pointer[0])

    @property
    def csv_rules(self):
        """How the set reads its CSV files, as a dict: columns, types, categories, what stands for missing values. None for a set
        of other files."""
        text = out("text")
        check(lib.percale_dataset_csv_rules(self.c, text))
        rules = text_of(text[0]).decode()
        return json.loads(rules) if rules else None

    @classmethod
    def range(cls, engine, start, stop, step=1, name="x"):
        """Rows of one i64 each."""
        pointer = out("dataset")
        check(lib.percale_dataset_range(pointer_of(engine, "engine"), name.encode(), start, stop, step, pointer))
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
            check(lib.percale_dataset_generator_owned(pointer_of(engine, "engine"), names.array, kinds, ffi.new("int64_t*[]", dims), ranks, len(names),
                                                      rows, _make_row, user, FORGET, pointer))
        except Exception:
            forget(user)
            raise
        return cls(pointer[0])

    @exclusive
    def _made(self, function, *arguments):
        pointer = out("dataset")
        check(function(*arguments, pointer))
        return Dataset(pointer[0])

    @exclusive
    def _joined(self, function, others):
        with contextlib.ExitStack() as turns:
            held = [self.c]  # until the call of C is over
            for other in others:
                turns.enter_context(other.turn)
                held.append(other.c)
            return self._made(function, ffi.new("percale_dataset*[]", held), len(held))

    def zip(self, *others):
        """The columns of several data sets side by side."""
        return self._joined(lib.percale_dataset_zip, others)

    def concatenate(self, *others):
        """The rows of several data sets, one set after the other."""
        return self._joined(lib.percale_dataset_concatenate, others)

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

    @exclusive
    def batch(self, size, *, shuffle=None, drop_remainder=False):
        """Sets how rows come; `shuffle` is a seed, None or False for the order of the rows, True for seed 0. The data set itself."""
        check(lib.percale_dataset_configure(self.c, size, _seed(shuffle), drop_remainder))
        return self

    @exclusive
    def distribute(self, replicas):
        """A part of each batch per replica, each a data set of its own."""
        found = ffi.new("percale_dataset*[]", max(replicas, 1))
        check(lib.percale_dataset_distribute(self.c, replicas, found))
        return [Dataset(found[i]) for i in range(replicas)]

    @exclusive
    def __len__(self):
        return lib.percale_dataset_rows(self.c)

    @exclusive
    def _next(self):
        """The next batch; None at the end of the epoch."""
        found = ffi.new("percale_tensor*[]", len(self.names))
        try:
            check(lib.percale_dataset_next(self.c, found))
        except OutOfRange:
            return None
        return {name: Tensor(found[i]) for i, name in enumerate(self.names)}

    def __iter__(self):
        while (batch := self._next()) is not None:
            yield batch
