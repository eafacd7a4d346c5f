"""Opens libpercale on first use."""
import ctypes
import os
import pathlib
import sys

import cffi

from .. import _raw
from . import platform

ffi = cffi.FFI()
ffi.cdef(_raw.DECLARATIONS)


def _candidates():
    """Returns paths of the library: that of PERCALE_LIBRARY, that in the wheel, or that of the
    system.
    """
    named = os.environ.get("PERCALE_LIBRARY")
    if named:
        return [named]
    name = {"darwin": "libpercale.0.dylib", "win32": "percale.dll"}.get(sys.platform, "libpercale.so.0")
    carried = pathlib.Path(__file__).parent.parent / "lib" / name
    return [str(carried)] if carried.exists() else [name]


class _Library:
    """The functions of percale.h. The first access to one opens the library."""

    def __getattr__(self, name):
        failures = []
        for path in _candidates():
            try:
                opened = ffi.dlopen(path)
            except OSError as error:
                other = platform.other_platform(path, sys.executable or "")
                failures.append(f"{path}: {other}" if other else str(error))
                continue
            # From now on attributes are the functions of the library.
            self.__dict__.update({f: getattr(opened, f) for f in _functions()})
            self.__dict__["opened_"] = opened
            return self.__dict__[name]
        raise ImportError("libpercale cannot be opened; install the wheel for this platform, or name the library in PERCALE_LIBRARY: " + "; ".join(failures))


def _functions():
    """Returns the names of the functions that _raw declares."""
    declared = [line.split("(")[0] for line in _raw.DECLARATIONS.splitlines() if line.endswith(");") and "(*" not in line]
    return [line.replace("*", " ").split()[-1] for line in declared]


lib = _Library()


# Python values that C refers to by a `user` pointer, keyed by that pointer.
_kept: dict = {}


def keep(value):
    """Returns a `user` pointer for `value`. It is valid until C passes it to FORGET, or forget().
    """
    user = ffi.new_handle(value)
    _kept[user] = user
    return user


def forget(user):
    """Ends a keep() whose pointer C did not take."""
    _kept.pop(user, None)


# It runs no Python code, so Control-C cannot interrupt it.
FORGET = ffi.callback("percale_destroy", _kept.__delitem__)
if hasattr(ctypes, "pythonapi"):
    # C may call it while the interpreter unloads modules, so it must never be freed.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(FORGET))


def type_of(function, *arguments):
    """Returns the (dtype, shape) that a C function writes.

    Unknown dims are -1. The shape is None if not even the rank is known.
    """
    from .. import dtypes
    from ..errors import check

    dtype, rank, dims = ffi.new("percale_dtype*"), ffi.new("size_t*"), ffi.new("int64_t[8]")
    check(function(*arguments, dtype, dims, rank))
    return dtypes.NAMES[dtype[0]], None if rank[0] > 8 else tuple(dims[i] for i in range(rank[0]))


def text_of(text):
    """Returns the bytes of a percale_text, and releases the text."""
    size = ffi.new("size_t*")
    data = lib.percale_text_data(text, size)
    out = bytes(ffi.buffer(data, size[0]))
    lib.percale_text_release(text)
    return out


def string(pointer):
    """Returns a borrowed NUL-terminated text as str, or None for NULL."""
    return None if pointer == ffi.NULL else ffi.string(pointer).decode()


def path_of(path):
    """Returns a str, bytes or PathLike as the bytes of a path for C."""
    return os.fsencode(path)


class Names:
    """Strings as a `const char* const*` for C. Keeps them alive."""

    def __init__(self, names):
        self.held = [ffi.new("char[]", name.encode()) for name in names]
        self.array = ffi.new("char*[]", self.held) if self.held else ffi.NULL

    def __len__(self):
        return len(self.held)
