"""The base of all objects of the library: one reference, given back by close(), `with`, or at the latest by the garbage collector."""
import functools
import threading

from ._library import ffi, lib
from .errors import Closed, FailedPrecondition


class Handle:
    """Subclasses set `kind`, such as "tensor": the handle is a percale_tensor*. Any number of threads may use it at the same time."""

    kind = ""

    def __init__(self, pointer):
        """Takes over the reference that `pointer` carries."""
        # The pointer is released when the last one who refers to it is gone: this object, or a call of C that has it as an argument.
        self._pointer = ffi.gc(pointer, getattr(lib, f"percale_{self.kind}_release"))

    @property
    def c(self):
        """The handle for a call of C, which lives as long as the caller refers to it; Closed after close()."""
        pointer = self._pointer
        if pointer is None:
            raise Closed(f"this {self.kind} is closed")
        return pointer

    def close(self):
        """Gives the reference back: at once, or, while other threads are in calls with it, when the last of these returns. May be
        called again."""
        self._pointer = None

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    # The end of the sentence that says what to pickle or copy instead.
    instead = "it belongs to this process"

    def __reduce__(self):
        raise TypeError(f"{type(self).__name__} objects cannot be pickled or copied: {self.instead}")


class _Turn:
    """`with` it one thread uses an object alone; FailedPrecondition while another thread does. Within it, it may be taken again."""

    __slots__ = ("_kind", "_lock")

    def __init__(self, kind):
        self._kind, self._lock = kind, threading.RLock()

    def __enter__(self):
        if not self._lock.acquire(blocking=False):
            raise FailedPrecondition(f"the {self._kind} is used by another thread; one thread at a time may use it")

    def __exit__(self, *unused):
        self._lock.release()


class ExclusiveHandle(Handle):
    """A handle that one thread at a time may use (percale.h calls it thread-compatible)."""

    def __init__(self, pointer):
        super().__init__(pointer)
        self.turn = _Turn(self.kind)


def exclusive(method):
    """A method of an ExclusiveHandle that refuses to run while another thread is in one."""

    @functools.wraps(method)
    def alone(self, *arguments, **words):
        with self.turn:
            return method(self, *arguments, **words)

    return alone


def pointer_of(handle, kind):
    """The handle for a call of C that wants one of this kind."""
    if not isinstance(handle, Handle) or handle.kind != kind:
        raise TypeError(f"the {kind} is {handle!r:.80}, wanted a percale.{kind.capitalize()}")
    return handle.c


def pointer_or_null(handle):
    return ffi.NULL if handle is None else handle.c


def trace_json(trace):
    return ffi.NULL if trace is None else trace.json().encode()


def out(kind):
    """Room for a handle that C gives out."""
    return ffi.new(f"percale_{kind}**")
