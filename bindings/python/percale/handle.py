"""What all objects of the library have in common: one reference, given back by close(), `with`, or at the latest by the garbage
collector."""
from ._library import ffi, lib
from .errors import Closed


class Handle:
    """Subclasses set `kind`, such as "tensor": the handle is a percale_tensor*."""

    kind = ""

    def __init__(self, pointer):
        """Takes over the reference that `pointer` carries."""
        self._pointer = ffi.gc(pointer, getattr(lib, f"percale_{self.kind}_release"))

    @property
    def c(self):
        """The handle for a call of C; Closed after close()."""
        if self._pointer is None:
            raise Closed(f"this {self.kind} is closed")
        return self._pointer

    def close(self):
        """Gives the reference back at once. May be called again."""
        pointer, self._pointer = self._pointer, None
        if pointer is not None:
            ffi.release(pointer)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()


def pointer_or_null(handle):
    return ffi.NULL if handle is None else handle.c


def out(kind):
    """Room for a handle that C gives out."""
    return ffi.new(f"percale_{kind}**")
