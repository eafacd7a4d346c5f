"""Errors of the library as exceptions: each code has a class, which is also Python's own where there is one for it."""
from . import _raw
from ._library import ffi, lib


class Error(Exception):
    """What the library refuses or fails to do. `code` is one of the constants of percale.h, `name` its name; the text is the
    library's: op, node, argument, what was found, what was wanted, what to do."""

    code = _raw.UNKNOWN

    @property
    def name(self):
        return ffi.string(lib.percale_code_name(self.code)).decode()


class Cancelled(Error):
    code = _raw.CANCELLED


class Unknown(Error):
    code = _raw.UNKNOWN


class InvalidArgument(Error, ValueError):
    code = _raw.INVALID_ARGUMENT


class DeadlineExceeded(Error, TimeoutError):
    code = _raw.DEADLINE_EXCEEDED


class NotFound(Error, LookupError):
    code = _raw.NOT_FOUND


class AlreadyExists(Error):
    code = _raw.ALREADY_EXISTS


class PermissionDenied(Error, PermissionError):
    code = _raw.PERMISSION_DENIED


class ResourceExhausted(Error, MemoryError):
    code = _raw.RESOURCE_EXHAUSTED


class FailedPrecondition(Error):
    code = _raw.FAILED_PRECONDITION


class Aborted(Error):
    code = _raw.ABORTED


class OutOfRange(Error, IndexError):
    code = _raw.OUT_OF_RANGE


class Unimplemented(Error, NotImplementedError):
    code = _raw.UNIMPLEMENTED


class Internal(Error):
    code = _raw.INTERNAL


class Unavailable(Error):
    code = _raw.UNAVAILABLE


class DataLoss(Error):
    code = _raw.DATA_LOSS


class Unauthenticated(Error):
    code = _raw.UNAUTHENTICATED


class Closed(Error, ValueError):
    """An object was used after its close()."""

    code = _raw.FAILED_PRECONDITION


_BY_CODE = {c.code: c for c in Error.__subclasses__() if c is not Closed}


def check(status):
    """Raises what a percale_status* says; NULL is success."""
    if status == ffi.NULL:
        return
    code = lib.percale_status_code(status)
    size = ffi.new("size_t*")
    data = lib.percale_status_message(status, size)
    message = bytes(ffi.buffer(data, size[0])).decode(errors="replace")
    lib.percale_status_release(status)
    raise _BY_CODE.get(code, Unknown)(message)
