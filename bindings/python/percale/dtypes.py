"""Conversion between dtypes of the library and of numpy."""
from . import _raw

BY_NAME = {name.removeprefix("DTYPE_").lower(): value for name, value in vars(_raw).items()
           if name.startswith("DTYPE_") and value != 0}
NAMES = {value: name for name, value in BY_NAME.items()}

# Codes of numpy dtypes. numpy itself does not have the dtypes that are missing here.
NUMPY = {"f32": "<f4", "u8": "u1", "i8": "i1", "u16": "<u2", "i16": "<i2", "i32": "<i4", "i64": "<i8", "bool": "?", "f16": "<f2",
         "f64": "<f8", "u32": "<u4", "u64": "<u8", "complex64": "<c8", "complex128": "<c16"}
# Dtypes that the package ml_dtypes adds.
ML_DTYPES = {"bf16": "bfloat16", "f8e4m3fn": "float8_e4m3fn", "f8e4m3fnuz": "float8_e4m3fnuz", "f8e5m2": "float8_e5m2",
             "f8e5m2fnuz": "float8_e5m2fnuz"}


def number(dtype):
    """Returns the number of a dtype. Accepts names ("f32"), names of numpy ("float32"), and numpy
    dtypes.
    """
    if isinstance(dtype, int):
        return dtype
    if isinstance(dtype, str) and dtype in BY_NAME:
        return BY_NAME[dtype]
    import numpy as np

    as_numpy = np.dtype(dtype)
    for name, letters in NUMPY.items():
        if np.dtype(letters) == as_numpy:
            return BY_NAME[name]
    for name, theirs in ML_DTYPES.items():
        if as_numpy.name == theirs:
            return BY_NAME[name]
    raise TypeError(f"the library has no dtype for numpy's {as_numpy}")


def to_numpy(value):
    """Returns the numpy dtype of a number. Raises TypeError if numpy has none."""
    import numpy as np

    name = NAMES[value]
    if name in NUMPY:
        return np.dtype(NUMPY[name])
    if name in ML_DTYPES:
        try:
            import ml_dtypes
        except ImportError:
            raise TypeError(f"numpy has no {name}; the package ml_dtypes adds it, or cast to f32") from None
        return np.dtype(getattr(ml_dtypes, ML_DTYPES[name]))
    raise TypeError(f"numpy has no {name}; cast to another dtype, or read memory() as bytes")
