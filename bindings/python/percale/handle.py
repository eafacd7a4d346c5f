"""The base of all objects of the library.

An object holds one reference. close(), `with` or the garbage collector releases it.
"""
import functools
import threading

from ._library import ffi, lib, text_of
from .errors import Closed, FailedPrecondition, check


class Handle:
    """A handle of a percale_KIND*. Any number of threads may use it at once.

    Subclasses set `kind`, such as "tensor".
    """

    kind = ""

    def __init__(self, pointer):
        """Takes ownership of the reference that `pointer` carries."""
        # The pointer is released when nothing refers to it any more: neither this object nor a C
        # call that has it as an argument.
        self._pointer = ffi.gc(pointer, getattr(lib, f"percale_{self.kind}_release"))

    @property
    def c(self):
        """The pointer for a C call, which is valid while the caller refers to it. Raises Closed
        after close().
        """
        pointer = self._pointer
        if pointer is None:
            raise Closed(f"this {self.kind} is closed")
        return pointer

    def close(self):
        """Releases the reference.

        While other threads are in calls with the object, it is released when the last of them
        returns. It may be called again.
        """
        self._pointer = None

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    # The end of the error message, which names what to pickle or copy instead.
    instead = "it belongs to this process"

    def __reduce__(self):
        raise TypeError(f"{type(self).__name__} objects cannot be pickled or copied: {self.instead}")


class _Turn:
    """A lock: within `with`, only this thread uses the object.

    Entering it raises FailedPrecondition while another thread holds it. The same thread may enter
    it again.
    """

    __slots__ = ("_kind", "_lock")

    def __init__(self, kind):
        self._kind, self._lock = kind, threading.RLock()

    def __enter__(self):
        if not self._lock.acquire(blocking=False):
            raise FailedPrecondition(f"the {self._kind} is used by another thread; one thread at a time may use it")

    def __exit__(self, *unused):
        self._lock.release()


class ExclusiveHandle(Handle):
    """A handle that only one thread at a time may use (thread-compatible in percale.h)."""

    def __init__(self, pointer):
        super().__init__(pointer)
        self.turn = _Turn(self.kind)


def exclusive(method):
    """Makes a method of an ExclusiveHandle fail while another thread is in one."""

    @functools.wraps(method)
    def alone(self, *arguments, **keywords):
        with self.turn:
            return method(self, *arguments, **keywords)

    return alone


def pointer_of(handle, kind):
    """Returns the pointer of a handle of this kind for a C call."""
    if not isinstance(handle, Handle) or handle.kind != kind:
        raise TypeError(f"the {kind} is {handle!r:.80}, wanted a percale.{kind.capitalize()}")
    return handle.c


def pointer_or_null(handle):
    """Returns the pointer of a handle, or NULL for None."""
    return ffi.NULL if handle is None else handle.c


def trace_json(trace):
    """Returns the JSON of a trace for a C call, or NULL for None."""
    return ffi.NULL if trace is None else trace.json().encode()


def out(kind):
    """Returns memory for a pointer that C writes."""
    return ffi.new(f"percale_{kind}**")


def text_from(function, *arguments):
    """Calls a C function that writes a percale_text last, and returns the bytes of the text."""
    text = out("text")
    check(function(*arguments, text))
    return text_of(text[0])
