"""Exceptions for the errors of the library.

Each code has a class. Where a built-in exception matches, the class derives from it too.
"""
import contextlib
import threading
import traceback

from . import _raw
from ._library import ffi, lib


class Error(Exception):
    """Base of all errors of the library.

    `code` is a constant of percale.h and `name` its name. The text comes from the library: op,
    node, argument, found and expected values, and a remedy.
    """

    code = _raw.UNKNOWN

    @property
    def name(self):
        """The name of the code, such as "INVALID_ARGUMENT"."""
        return ffi.string(lib.percale_code_name(self.code)).decode()


class Cancelled(Error):
    """A run or a training was cancelled."""

    code = _raw.CANCELLED


class Unknown(Error):
    """An error with no other code."""

    code = _raw.UNKNOWN


class InvalidArgument(Error, ValueError):
    """An argument is invalid in any state."""

    code = _raw.INVALID_ARGUMENT


class DeadlineExceeded(Error, TimeoutError):
    """The time limit was exceeded."""

    code = _raw.DEADLINE_EXCEEDED


class NotFound(Error, LookupError):
    """A file, name or kind does not exist."""

    code = _raw.NOT_FOUND


class AlreadyExists(Error):
    """The name already exists."""

    code = _raw.ALREADY_EXISTS


class PermissionDenied(Error, PermissionError):
    """The system denies it."""

    code = _raw.PERMISSION_DENIED


class ResourceExhausted(Error, MemoryError):
    """Memory is exhausted, or a limit is reached."""

    code = _raw.RESOURCE_EXHAUSTED


class FailedPrecondition(Error):
    """The call is not allowed in the current state."""

    code = _raw.FAILED_PRECONDITION


class Aborted(Error):
    """A callback ended the call."""

    code = _raw.ABORTED


class OutOfRange(Error, IndexError):
    """The data ended, or a number is out of range."""

    code = _raw.OUT_OF_RANGE


class Unimplemented(Error, NotImplementedError):
    """Not implemented."""

    code = _raw.UNIMPLEMENTED


class Internal(Error):
    """A bug in the library."""

    code = _raw.INTERNAL


class Unavailable(Error):
    """Not available now, or not on this machine."""

    code = _raw.UNAVAILABLE


class DataLoss(Error):
    """Bytes are damaged or missing."""

    code = _raw.DATA_LOSS


class Unauthenticated(Error):
    """A peer is not authenticated."""

    code = _raw.UNAUTHENTICATED


class Closed(Error, ValueError):
    """An object was used after its close()."""

    code = _raw.FAILED_PRECONDITION


_BY_CODE = {c.code: c for c in Error.__subclasses__() if c is not Closed}


# Per thread, the exception that a Python callback raised during the current C call.
_raised = threading.local()


def _keep(_kind, error, _trace):
    _raised.error = error


def keep_interrupt(kind, error, trace):
    """Makes the next check() of this thread raise KeyboardInterrupt. Prints other errors."""
    if isinstance(error, KeyboardInterrupt):
        _raised.error = error
    else:
        traceback.print_exception(kind, error, trace)


def callback(kind, failed):
    """Makes a Python function a callback that C calls on the thread of the caller.

    If it raises, Control-C included, the callback returns `failed` to C, and the check() of the
    surrounding C call raises the exception.
    """
    return ffi.callback(kind, error=failed, onerror=_keep)


def status_callback(kind):
    """Like callback(), for a function that returns NULL or a percale_status* to C.

    An exception becomes a status for C too, as status_of() says.
    """
    return ffi.callback(kind, onerror=_keep_with_status)


@contextlib.contextmanager
def set_aside():
    """Within it, check() does not raise the exception that an earlier callback of the same C call
    raised.
    """
    error, _raised.error = getattr(_raised, "error", None), None
    try:
        yield
    finally:
        if error is not None:
            _raised.error = error


def listener(kind):
    """Makes a Python function a callback that C calls on any thread and that cannot fail.

    Errors other than Control-C are printed.
    """
    return ffi.callback(kind, onerror=keep_interrupt)


def status_of(error, code=None):
    """Returns an exception as a new percale_status*, and its message, for a callback that returns
    one to C.

    Without a `code` an Error keeps its own. Errors of the system and of streams become UNAVAILABLE,
    others ABORTED.
    """
    if code is None:
        code = error.code if isinstance(error, Error) else _raw.UNAVAILABLE if isinstance(error, (OSError, EOFError)) else _raw.ABORTED
    text = f"{type(error).__name__}: {error}".encode(errors="replace")
    return lib.percale_status_create(code, text, len(text)), text.decode()


def _keep_with_status(kind, error, trace):
    _keep(kind, error, trace)
    return status_of(error)[0]


def status_from(function, *arguments):
    """Calls a C function that waits and returns its percale_status*.

    Control-C during the call raises KeyboardInterrupt behind it, which releases the status.
    """
    returned = []
    try:
        # Python handles no signal between the call and the list.
        returned.extend(map(function, *([argument] for argument in arguments)))
    except BaseException:
        for status in returned:
            lib.percale_status_release(status)
        raise
    return returned[0]


def check(status):
    """Raises the error of a percale_status*, or the exception of a callback. NULL means success."""
    error = getattr(_raised, "error", None)
    if error is not None:
        lib.percale_status_release(status)
        _raised.error = None
        raise error
    if status == ffi.NULL:
        return
    code = lib.percale_status_code(status)
    size = ffi.new("size_t*")
    data = lib.percale_status_message(status, size)
    message = bytes(ffi.buffer(data, size[0])).decode(errors="replace")
    lib.percale_status_release(status)
    raise _BY_CODE.get(code, Unknown)(message)
