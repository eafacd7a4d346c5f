"""The executor and the files of models that a program supplies to an engine."""
import abc
import threading
from collections.abc import Mapping

from .._library import FORGET, ffi, forget, keep, lib
from ..errors import NotFound, PermissionDenied, check, set_aside, status_of


class FileReader(abc.ABC):
    """Files that a program reads for the library: from an archive, a database, or decrypted on the
    way.

    Any thread may call the methods. Their exceptions become errors of the call that reads, with the
    path in front: FileNotFoundError and KeyError become NotFound, PermissionError PermissionDenied,
    other errors of the system Unavailable, and all others Aborted. An Error keeps its class.
    """

    @abc.abstractmethod
    def size(self, name: str) -> int:
        """Returns the size of a file in bytes. `name` is the path without "host:"."""

    @abc.abstractmethod
    def read(self, name: str, offset: int, size: int) -> bytes:
        """Returns `size` bytes of a file from byte `offset` on, which lie within its size."""


class _Mapped(FileReader):
    """Files of a mapping of names to bytes."""

    def __init__(self, files):
        self.files = files

    def size(self, name):
        return len(self.files[name])

    def read(self, name, offset, size):
        return self.files[name][offset:offset + size]


def _status(function, *arguments):
    """Calls a function and returns NULL, or its exception as a status for C."""
    try:
        with set_aside():
            function(*arguments)
    except (FileNotFoundError, KeyError) as error:
        return status_of(error, NotFound.code)[0]
    except PermissionError as error:
        return status_of(error, PermissionDenied.code)[0]
    except BaseException as error:
        return status_of(error)[0]
    return ffi.NULL


def _refuse(_kind, error, _trace):
    """Returns a status for C: Control-C came before the function was called."""
    return status_of(error)[0]


class _Task:
    """A task of the library. It is released when nothing refers to it any more."""

    def __init__(self, task):
        self.task, self.lock, self.begun = ffi.gc(task, lib.percale_task_release), threading.Lock(), False

    def begin(self):
        """Returns True for the first caller."""
        with self.lock:
            begun, self.begun = self.begun, True
        return not begun

    def __call__(self):
        if self.begin():
            lib.percale_task_run(self.task)

    def give_back(self):
        """Returns it to the library. False if it has begun nevertheless."""
        if not self.begin():
            return False
        ffi.gc(self.task, None)
        return True


@ffi.callback("percale_execute_function", onerror=_refuse)
def _execute(user, raw):
    task = _Task(raw)
    status = _status(ffi.from_handle(user).submit, task)
    if status != ffi.NULL and not task.give_back():
        lib.percale_status_release(status)
        status = ffi.NULL
    return status


def _put_size(reader, name, out_size):
    out_size[0] = reader.size(ffi.string(name).decode(errors="surrogateescape"))


@ffi.callback("percale_file_size_function", onerror=_refuse)
def _file_size(user, name, out_size):
    return _status(_put_size, ffi.from_handle(user), name, out_size)


def _put_bytes(reader, name, offset, buffer, size):
    data = reader.read(ffi.string(name).decode(errors="surrogateescape"), offset, size)
    if len(data) != size:
        raise EOFError(f"wanted {size} bytes at {offset}, got {len(data)}")
    ffi.buffer(buffer, size)[:] = bytes(data)


@ffi.callback("percale_file_read_function", onerror=_refuse)
def _file_read(user, name, offset, buffer, size):
    return _status(_put_bytes, ffi.from_handle(user), name, offset, buffer, size)


def _give(value, set_part, table):
    """Gives `value` to C as the user of a table, until C forgets it."""
    user = keep(value)
    table["user"] = user
    try:
        check(set_part(table))
    except BaseException:
        forget(user)
        raise


def supply(options, executor, files):
    """Adds the parts of a host to options of an engine. Each may be None."""
    if executor is not None:
        if not callable(getattr(executor, "submit", None)):
            raise TypeError(f"the executor is {executor!r:.80}, wanted one with submit(), such as a ThreadPoolExecutor")
        table = {"struct_size": ffi.sizeof("percale_thread_pool"), "execute": _execute}
        _give(executor, lambda t: lib.percale_options_set_thread_pool(options.c, ffi.new("percale_thread_pool*", t), FORGET), table)
    if files is not None:
        if isinstance(files, Mapping):
            files = _Mapped(files)
        if not isinstance(files, FileReader):
            raise TypeError(f"the files are {files!r:.80}, wanted a percale.FileReader or a mapping of names to bytes")
        table = {"struct_size": ffi.sizeof("percale_reader"), "size": _file_size, "read": _file_read}
        _give(files, lambda t: lib.percale_options_set_reader(options.c, ffi.new("percale_reader*", t), FORGET), table)
