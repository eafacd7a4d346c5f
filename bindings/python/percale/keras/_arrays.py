"""Converts arrays to the dtypes of a model, as fit() does in Keras."""
from .. import dtypes
from ..errors import InvalidArgument
from ..tensor import Tensor


def fitting(value, dtype, name, rank=None):
    """Returns a tensor of this dtype, without a copy if the value already has it.

    If the value has one dim more than `rank`, and this last dim is 1, it is dropped.
    """
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
