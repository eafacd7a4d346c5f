"""What Keras' fit() does with numbers: arrays become what the model takes."""
from .. import dtypes
from ..errors import InvalidArgument
from ..tensor import Tensor


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
