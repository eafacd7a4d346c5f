"""Rows in a stream, from arrays that an iterator gives."""
from . import dtypes
from ._library import ffi
from .errors import InvalidArgument, status_callback

_END = object()


def row_types(columns):
    """Returns [(name, numpy dtype, shape)] and [bytes] of one row from {name: (dtype, shape)}."""
    import numpy as np

    types = [(name, dtypes.to_numpy(dtypes.number(dtype)), tuple(shape)) for name, (dtype, shape) in columns.items()]
    return types, [dtype.itemsize * int(np.prod(shape, dtype=np.int64)) for _, dtype, shape in types]


class Batches:
    """The rows of the iterables that `batches(epoch, first_row)` returns, as C asks for them."""

    def __init__(self, batches, columns):
        self.batches = batches
        self.types, self.bytes = row_types(columns)
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
                self.iterator, self.rest, self.following = iter(()), [], (epoch, first_row)
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


@status_callback("percale_stream_callback")
def read_rows(user, epoch, first_row, max_rows, columns, out_rows):
    out_rows[0] = ffi.from_handle(user).read(epoch, first_row, max_rows, columns)
    return ffi.NULL
