"""Errors of the library as exceptions: each code has a class, which is also Python's own where there is one for it."""
import threading
import traceback

from . import _raw
from ._library import ffi, lib


class Error(Exception):
    """What the library refuses or fails to do. `code` is one of the constants of percale.h, `name` its name; the text is the
    library's: op, node, argument, what was found, what was wanted, what to do."""

    code = _raw.UNKNOWN

    @property
    def name(self):
        """The name of the code, "INVALID_ARGUMENT"."""
        return ffi.string(lib.percale_code_name(self.code)).decode()


class Cancelled(Error):
    """Somebody asked for the end of a run or a training."""

    code = _raw.CANCELLED


class Unknown(Error):
    """None of the others."""

    code = _raw.UNKNOWN


class InvalidArgument(Error, ValueError):
    """An argument is wrong, whatever the state is."""

    code = _raw.INVALID_ARGUMENT


class DeadlineExceeded(Error, TimeoutError):
    """The time has run out."""

    code = _raw.DEADLINE_EXCEEDED


class NotFound(Error, LookupError):
    """There is no file, name or kind like that."""

    code = _raw.NOT_FOUND


class AlreadyExists(Error):
    """The name is taken."""

    code = _raw.ALREADY_EXISTS


class PermissionDenied(Error, PermissionError):
    """The system forbids it."""

    code = _raw.PERMISSION_DENIED


class ResourceExhausted(Error, MemoryError):
    """No memory, or beyond a limit."""

    code = _raw.RESOURCE_EXHAUSTED


class FailedPrecondition(Error):
    """It is wrong in this state."""

    code = _raw.FAILED_PRECONDITION


class Aborted(Error):
    """A callback ended it."""

    code = _raw.ABORTED


class OutOfRange(Error, IndexError):
    """Past the end, or beyond what may be."""

    code = _raw.OUT_OF_RANGE


class Unimplemented(Error, NotImplementedError):
    """Known, and not there."""

    code = _raw.UNIMPLEMENTED


class Internal(Error):
    """A bug of the library."""

    code = _raw.INTERNAL


class Unavailable(Error):
    """Not now, or not on this machine."""

    code = _raw.UNAVAILABLE


class DataLoss(Error):
    """Bytes are broken or missing."""

    code = _raw.DATA_LOSS


class Unauthenticated(Error):
    """A peer that nobody knows."""

    code = _raw.UNAUTHENTICATED


class Closed(Error, ValueError):
    """An object was used after its close()."""

    code = _raw.FAILED_PRECONDITION


_BY_CODE = {c.code: c for c in Error.__subclasses__() if c is not Closed}


# Of each thread the exception that a function of Python has raised within the call of C that the thread is in.
_raised = threading.local()


def _keep(_kind, error, _trace):
    _raised.error = error


def keep_interrupt(kind, error, trace):
    """Has the next check() of this thread raise Control-C; other errors are printed."""
    if isinstance(error, KeyboardInterrupt):
        _raised.error = error
    else:
        traceback.print_exception(kind, error, trace)


def callback(kind, failed):
    """Makes a function of Python one that C calls on the caller's own thread. What it raises, Control-C among it, is raised by the
    check() of the call of C that it happened in; C is told `failed`."""
    return ffi.callback(kind, error=failed, onerror=_keep)


def listener(kind):
    """The same for a function that C tells something on any thread and that cannot fail: errors but Control-C are printed."""
    return ffi.callback(kind, onerror=keep_interrupt)


def check(status):
    """Raises what a percale_status* says, or what a function of Python has raised within the call; NULL is success."""
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
