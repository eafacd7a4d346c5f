"""Opens libpercale. Nothing of it is touched before the first use."""
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
