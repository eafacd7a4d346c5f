"""What Keras' fit() does with numbers: dtypes of arrays, means of epochs."""
from . import dtypes
from .errors import InvalidArgument
from .tensor import Tensor


class EpochMean:
    """The mean loss of an epoch's steps, which may come from several fits."""

    def __init__(self):
        self._epoch, self._sum, self._weight = None, 0.0, 0

    def add(self, progress, rows):
        """Counts a step that has so many rows."""
        if progress.epoch != self._epoch or progress.step_in_epoch == 1:
            self._epoch, self._sum, self._weight = progress.epoch, 0.0, 0
        self._sum += progress.loss * rows
        self._weight += rows

    @property
    def value(self):
        """The mean so far."""
        return self._sum / self._weight


def rows_of_step(data, progress, accumulation):
    """How many rows of the data set a step had; 1 where that is not known."""
    if data._batch is None:
        return 1
    size, drop = data._batch
    rows, step = len(data), size * accumulation
    if drop:
        rows -= rows % size
    if progress.steps_in_epoch != -(-rows // step):
        return 1  # a step is something else: with the mode async a shard
    return min(step, rows - (progress.step_in_epoch - 1) * step)


def fitting(value, dtype, name, rank=None):
    """A tensor of this dtype: the value's own memory where it has it, else converted numbers. With one dim more than `rank`, of size 1
    and the last, it goes without that."""
    tensor = Tensor.of(value)
    fewer = rank is not None and len(tensor.shape) == rank + 1 and tensor.shape[-1] == 1
    if tensor.dtype == dtype and not fewer:
        return tensor
    import numpy as np

    given, wanted = tensor.numpy(), dtypes.to_numpy(dtypes.number(dtype))
    if given.dtype.kind == "c":
        raise InvalidArgument(f"'{name}': the model wants {dtype}, the data is {tensor.dtype}")
    with np.errstate(invalid="ignore", over="ignore"):
        made = given.astype(wanted, copy=False)
    if wanted.kind == "i" and not np.array_equal(given, made):
        other = given[given != made].flat[0]
        raise InvalidArgument(f"'{name}': the model wants whole numbers ({dtype}), the data ({tensor.dtype}) has {other}")
    return Tensor.of(made.reshape(made.shape[:-1]) if fewer else made)
