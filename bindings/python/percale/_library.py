"""Opens libpercale. Nothing of it is touched before the first use."""
import ctypes
import os
import pathlib
import sys

import cffi

from . import _raw

ffi = cffi.FFI()
ffi.cdef(_raw.DECLARATIONS)


def _candidates():
    """Paths of the library: what PERCALE_LIBRARY names, what the wheel carries, what the system finds."""
    named = os.environ.get("PERCALE_LIBRARY")
    if named:
        return [named]
    name = "libpercale.0.dylib" if sys.platform == "darwin" else "libpercale.so.0"
    carried = pathlib.Path(__file__).parent / "lib" / name
    return [str(carried)] if carried.exists() else [name]


class _Library:
    """The functions of percale.h; the library is opened when the first is asked for."""

    def __getattr__(self, name):
        failures = []
        for path in _candidates():
            try:
                opened = ffi.dlopen(path)
            except OSError as error:
                failures.append(str(error))
                continue
            # From now on attributes are the library's own.
            self.__dict__.update({f: getattr(opened, f) for f in _functions()})
            self.__dict__["opened_"] = opened
            return self.__dict__[name]
        raise ImportError("libpercale was not found; PERCALE_LIBRARY may name its path: " + "; ".join(failures))


def _functions():
    declared = [line.split("(")[0] for line in _raw.DECLARATIONS.splitlines() if line.endswith(");") and "(*" not in line]
    return [line.replace("*", " ").split()[-1] for line in declared]


lib = _Library()


# Values that C has a `user` for, by that pointer.
_kept: dict = {}


def keep(value):
    """A `user` for C that stands for `value`, until C gives it to FORGET, or the caller to forget()."""
    user = ffi.new_handle(value)
    _kept[user] = user
    return user


def forget(user):
    _kept.pop(user, None)


# No code of Python runs in it, so that no Control-C can end it.
FORGET = ffi.callback("percale_destroy", _kept.__delitem__)
if hasattr(ctypes, "pythonapi"):
    # C may call it while the interpreter takes its modules apart: it must not be gone before.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(FORGET))


def type_of(function, *arguments):
    """(dtype, shape) that a function of C writes: unknown dims are -1, the shape is None where not even the rank is known."""
    from . import dtypes
    from .errors import check

    dtype, rank, dims = ffi.new("percale_dtype*"), ffi.new("size_t*"), ffi.new("int64_t[8]")
    check(function(*arguments, dtype, dims, rank))
    return dtypes.NAMES[dtype[0]], None if rank[0] > 8 else tuple(dims[i] for i in range(rank[0]))


def text_of(text):
    """The bytes of a percale_text, which is released."""
    size = ffi.new("size_t*")
    data = lib.percale_text_data(text, size)
    out = bytes(ffi.buffer(data, size[0]))
    lib.percale_text_release(text)
    return out


def string(pointer):
    """A borrowed NUL-ended text as str; None for NULL."""
    return None if pointer == ffi.NULL else ffi.string(pointer).decode()


def path_of(path):
    return os.fsencode(path)


class Names:
    """Strings as the `const char* const*` of C; keeps them alive."""

    def __init__(self, names):
        self.held = [ffi.new("char[]", name.encode()) for name in names]
        self.array = ffi.new("char*[]", self.held) if self.held else ffi.NULL

    def __len__(self):
        return len(self.held)
