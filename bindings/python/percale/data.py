"""Data sets: rows in batches."""
import contextlib
import json
import os

from . import _raw, dtypes
from ._library import FORGET, Names, ffi, forget, keep, lib, string, type_of
from .errors import InvalidArgument, OutOfRange, callback, check, status_callback
from .handle import ExclusiveHandle, exclusive, out, pointer_of, text_from
from .tensor import Tensor, Tensors, dims_array

_END = object()


def _row_types(columns):
    """Returns [(name, numpy dtype, shape)] and [bytes] of one row from {name: (dtype, shape)}."""
    import numpy as np

    types = [(name, dtypes.to_numpy(dtypes.number(dtype)), tuple(shape)) for name, (dtype, shape) in columns.items()]
    return types, [dtype.itemsize * int(np.prod(shape, dtype=np.int64)) for _, dtype, shape in types]


@callback("percale_row_callback", failed=1)
def _make_row(user, row, columns):
    ffi.from_handle(user).write(row, columns)
    return 0


class _Generator:
    """A Python function that generates rows."""

    def __init__(self, function, columns):
        self.function = function
        self.types, self.bytes = _row_types(columns)

    def write(self, row, columns):
        import numpy as np

        made = self.function(row)
        for i, (name, dtype, shape) in enumerate(self.types):
            to = np.frombuffer(ffi.buffer(columns[i], self.bytes[i]), dtype).reshape(shape)
            to[...] = made[name]


@status_callback("percale_stream_callback")
def _read_rows(user, epoch, first_row, max_rows, columns, out_rows):
    out_rows[0] = ffi.from_handle(user).read(epoch, first_row, max_rows, columns)
    return ffi.NULL


class _Batches:
    """The rows of the iterables that `batches(epoch, first_row)` returns, as C asks for them."""

    def __init__(self, batches, columns):
        self.batches = batches
        self.types, self.bytes = _row_types(columns)
        self.iterator = None
        self.rest = []  # rows of the last batch that C has not got yet, an array per column
        self.following = None  # (epoch, row) that the iterator goes on with

    def read(self, epoch, first_row, max_rows, columns):
        """Writes the next rows to the memory of each column, and returns their number."""
        import numpy as np

        if self.following != (epoch, first_row):
            self.rest, self.iterator = [], None
            self.iterator = iter(self.batches(epoch, first_row))
        self.following = None  # after an exception the iterator is not used again
        while not self.rest or not len(self.rest[0]):
            batch = next(self.iterator, _END)
            if batch is _END:
                self.iterator, self.rest = iter(()), []
                self.following = (epoch, first_row) if first_row else None
                return 0
            self.rest = self._arrays(batch)
        rows = min(max_rows, len(self.rest[0]))
        for i, (_, dtype, shape) in enumerate(self.types):
            to = np.frombuffer(ffi.buffer(columns[i], rows * self.bytes[i]), dtype).reshape(rows, *shape)
            to[...] = self.rest[i][:rows]
        self.rest = [array[rows:] for array in self.rest]
        self.following = epoch, first_row + rows
        return rows

    def _arrays(self, batch):
        """Returns the columns of a batch as arrays with the same number of rows."""
        import numpy as np

        arrays = []
        for name, _, shape in self.types:
            if name not in batch:
                raise InvalidArgument(f"a batch has no '{name}', only {', '.join(map(repr, batch))}")
            array = np.asarray(batch[name])
            wanted = ((arrays or [array])[0].shape[:1] or (1,)) + shape
            if array.shape != wanted:
                raise InvalidArgument(f"'{name}' of a batch has shape {array.shape}, wanted {wanted}")
            arrays.append(array)
        return arrays


def _made_of(engine, source, columns, create):
    """Returns the data set that `create` makes of an object with the `types` of its columns.

    `create` is called with the engine, the description of the columns, a `user` pointer to the
    object, and memory for the data set.
    """
    names, dims = Names(columns), [dims_array(shape) for _, _, shape in source.types]
    kinds = ffi.new("percale_dtype[]", [dtypes.number(dtype) for dtype, _ in columns.values()])
    ranks = ffi.new("size_t[]", [len(shape) for _, _, shape in source.types])
    pointer = out("dataset")
    user = keep(source)
    try:
        check(create(pointer_of(engine, "engine"), (names.array, kinds, ffi.new("int64_t*[]", dims), ranks, len(names)), user, pointer))
    except Exception:
        forget(user)
        raise
    return pointer[0]


def _seed(shuffle):
    """Returns the shuffle seed for C: -1 keeps the order of the rows."""
    if getattr(getattr(shuffle, "dtype", None), "kind", "") == "b":
        shuffle = bool(shuffle)
    if shuffle is None or shuffle is False:
        return -1
    return 0 if shuffle is True else shuffle


class Dataset(ExclusiveHandle):
    """Rows in batches. Only one thread at a time may use it.

    Iteration yields the batches of one epoch, as dicts of tensors.
    """

    kind = "dataset"

    def __init__(self, pointer):
        super().__init__(pointer)
        self.names = [string(lib.percale_dataset_get_column_name(self.c, i))
                      for i in range(lib.percale_dataset_column_count(self.c))]

    @property
    def types(self):
        """{column: (dtype, shape of one row)}."""
        return {name: type_of(lib.percale_dataset_column_type, self.c, i) for i, name in enumerate(self.names)}

    @classmethod
    def from_tensors(cls, engine, **columns):
        """Creates a data set of rows of arrays with the same first dim.

        The keywords become names of feeds: from_tensors(engine, x=images, y=labels).
        """
        names, given, pointer = Names(columns), Tensors(columns.values()), out("dataset")
        check(lib.percale_dataset_from_tensors(pointer_of(engine, "engine"), names.array, given.array, len(names), pointer))
        return cls(pointer[0])

    @classmethod
    def from_files(cls, engine, scale=0.0, csv=None, **paths):
        """Creates a data set of rows in files, which may be larger than memory.

        The formats are IDX, .npy, .npz, .safetensors, .csv and .tsv. A list of files is
        concatenated: from_files(engine, x=["a.npy", "b.npy"], y="labels.npy"). u8 images become
        f32, multiplied by `scale` (0 keeps them as u8). Paths are used as given; PERCALE_DATA and
        the cache are searched only for the data of a SPEC. Files are mapped into memory if
        possible. Truncating a file that is in use can end the process, unless the engine has
        map_files="off".

        `csv` is a dict of rules for CSV files: the `csv_rules` of another data set, or as in
        SPEC.md, "CSV files".
        """
        files = [(name, os.fspath(one)) for name, path in paths.items()
                 for one in (path if isinstance(path, (list, tuple)) else [path])]
        names, places, pointer = Names([name for name, _ in files]), Names([path for _, path in files]), out("dataset")
        rules = ffi.NULL if csv is None else json.dumps(csv).encode()
        check(lib.percale_dataset_from_files(pointer_of(engine, "engine"), names.array, places.array, len(files), scale, rules, pointer))
        return cls(pointer[0])

    @property
    def csv_rules(self):
        """The rules by which the data set reads its CSV files, as a dict, or None.

        They are columns, types, categories and the markers of missing values. None if the data set
        was not made from CSV files.
        """
        rules = text_from(lib.percale_dataset_csv_rules, self.c).decode()
        return json.loads(rules) if rules else None

    @classmethod
    def range(cls, engine, start, stop, step=1, name="x"):
        """Creates a data set of rows with one i64 each: start, start + step, ... before stop."""
        pointer = out("dataset")
        check(lib.percale_dataset_range(pointer_of(engine, "engine"), name.encode(), start, stop, step, pointer))
        return cls(pointer[0])

    @classmethod
    def from_function(cls, engine, function, rows, **columns):
        """Creates a data set of rows that `function(number)` returns as dicts.

        Columns are name=(dtype, shape of one row). The function must return the same row whenever
        it is called with the same number.
        """

        def create(e, described, user, pointer):
            return lib.percale_dataset_generator_owned(e, *described, rows, _make_row, user, FORGET, pointer)

        return cls(_made_of(engine, _Generator(function, columns), columns, create))

    @classmethod
    def from_batches(cls, engine, batches, **columns):
        """Creates a data set of rows that come one after the other, with any number of them.

        `batches(epoch, first_row)` returns an iterable of dicts of arrays, each with any number of
        rows. The rows are copied; batch() says how many make a batch. The end of the iterable ends
        the epoch. Columns are name=(dtype, shape of one row):

            def pages(epoch, first_row):
                for page in queue_of(epoch, first_row):
                    yield {"x": page.images, "y": page.labels}

            data = Dataset.from_batches(engine, pages, x=("f32", (28, 28)), y=("i64", ())).batch(64)

        The iterator lives as long as rows are asked for one after the other. `batches` is called
        again for the next epoch, for an evaluation, for a training that was resumed, and after an
        exception, with the row to begin at; it may raise an exception if it cannot go there. An
        exception of the iterator, Control-C included, is raised by the call that asked for the
        rows, such as fit().

        A stream has no len(), cannot be shuffled, and no data set is made from it. The modes
        "async" and "bounded" do not train on it.
        """

        def create(e, described, user, pointer):
            return lib.percale_dataset_stream(e, *described, _read_rows, user, FORGET, pointer)

        return cls(_made_of(engine, _Batches(batches, columns), columns, create))

    @exclusive
    def _made(self, function, *arguments):
        pointer = out("dataset")
        check(function(*arguments, pointer))
        return Dataset(pointer[0])

    @exclusive
    def _joined(self, function, others):
        with contextlib.ExitStack() as turns:
            held = [self.c]  # until the C call is over
            for other in others:
                turns.enter_context(other.turn)
                held.append(other.c)
            return self._made(function, ffi.new("percale_dataset*[]", held), len(held))

    def zip(self, *others):
        """Returns the columns of several data sets side by side."""
        return self._joined(lib.percale_dataset_zip, others)

    def concatenate(self, *others):
        """Returns the rows of several data sets, one data set after the other."""
        return self._joined(lib.percale_dataset_concatenate, others)

    def repeat(self, times):
        """Returns the rows, repeated this many times."""
        return self._made(lib.percale_dataset_repeat, self.c, times)

    def map(self, graph):
        """Returns the rows after they have passed through a graph without variables."""
        return self._made(lib.percale_dataset_map, self.c, graph.c)

    def rename(self, *names):
        """Returns the same rows with new column names, one per column in order."""
        given = Names(names)
        return self._made(lib.percale_dataset_rename, self.c, given.array, len(given))

    @exclusive
    def batch(self, size, *, shuffle=None, drop_remainder=False):
        """Sets the batch size and the order of the rows, and returns the data set.

        `shuffle` is a seed. None and False keep the order of the rows; True means seed 0.
        `drop_remainder` drops a short last batch.
        """
        check(lib.percale_dataset_configure(self.c, size, _seed(shuffle), drop_remainder))
        return self

    @exclusive
    def distribute(self, replicas):
        """Returns one data set per replica, each with its part of every batch."""
        found = ffi.new("percale_dataset*[]", max(replicas, 1))
        check(lib.percale_dataset_distribute(self.c, replicas, found))
        return [Dataset(found[i]) for i in range(replicas)]

    @exclusive
    def __len__(self):
        rows = lib.percale_dataset_rows(self.c)
        if rows < 0:
            raise TypeError("a stream has no len(): only its end tells how many rows it has")
        return rows

    @exclusive
    def __bool__(self):
        return lib.percale_dataset_rows(self.c) != 0

    @exclusive
    def _next(self):
        """Returns the next batch, or None at the end of the epoch."""
        found = ffi.new("percale_tensor*[]", len(self.names))
        status = lib.percale_dataset_next(self.c, found)
        ended = status != ffi.NULL and lib.percale_status_code(status) == _raw.OUT_OF_RANGE
        try:
            check(status)
        except OutOfRange:
            if not ended:  # the exception of a function
                raise
            return None
        return {name: Tensor(found[i]) for i, name in enumerate(self.names)}

    def __iter__(self):
        while (batch := self._next()) is not None:
            yield batch
