"""Engines and options."""
import contextlib
import contextvars
import json
import os
import threading
import weakref

from ._library import FORGET, ffi, forget, keep, lib, string
from .errors import check, listener
from .handle import ExclusiveHandle, Handle, exclusive, out, text_from
from .host import supply


class Options(ExclusiveHandle):
    """Options of kind "engine", "session", "trainer" or "export", set from keywords.

    An unknown key raises NotFound, which names the most similar key.
    """

    kind = "options"

    def __init__(self, kind, settings):
        pointer = out("options")
        check(lib.percale_options_create(kind.encode(), pointer))
        super().__init__(pointer[0])
        for key, value in settings.items():
            self.set(key, value)

    @exclusive
    def set(self, key, value):
        """Sets an option to an int, float or str. A bool becomes on or off; lists and dicts become
        JSON.
        """
        name = key.encode()
        if getattr(value, "shape", None) == () and hasattr(value, "item"):  # a numpy scalar
            value = value.item()
        if isinstance(value, bool):
            check(lib.percale_options_set(self.c, name, b"on" if value else b"off"))
        elif isinstance(value, int):
            check(lib.percale_options_set_int(self.c, name, value))
        elif isinstance(value, float):
            check(lib.percale_options_set_float(self.c, name, value))
        else:
            try:
                text = value if isinstance(value, str) else json.dumps(value)
            except TypeError:
                raise TypeError(f"the option '{key}' takes a number, a str, a bool, or lists and dicts of them, "
                                f"got {type(value).__name__}") from None
            check(lib.percale_options_set(self.c, name, text.encode()))


def options_or_null(kind, settings):
    """Returns a pointer to options with these settings, or NULL if there are none."""
    return Options(kind, settings).c if settings else ffi.NULL


@listener("percale_log_function")
def _log(user, level, message, size):
    ffi.from_handle(user)(level, ffi.buffer(message, size)[:].decode(errors="replace"))


class Engine(Handle):
    """Owns the devices, threads, plug-ins and the memory limit. Thread-safe.

    The keywords are options of kind "engine": devices="cpu=2x1", threads=2, memory_limit=1 << 30,
    ...

    With an `executor` (a concurrent.futures.Executor, or another object whose submit() runs a
    function on any thread, at once or later) the engine computes on its threads and starts no own
    ones for that. The option `threads` is the number of threads that one loop uses at most, the
    calling one included. Results have the same bits. An exception of submit() becomes an error of
    the run that needed it. The library never waits for a task that has not begun.

    With `files` (a FileReader, or a mapping of names to bytes) a path to read from that begins with
    "host:" names such a file: Graph.load(engine, "host:models/digits.percale"). A model is read
    once, and files that it names are read beside it. A checkpoint is named by its folder,
    "host:run/step-7".
    """

    kind = "engine"

    def __init__(self, executor=None, files=None, **settings):
        pointer = out("engine")
        options = Options("engine", settings)
        supply(options, executor, files)
        check(lib.percale_engine_create(options.c, pointer))
        super().__init__(pointer[0])

    @property
    def devices(self):
        """The names of the devices."""
        engine = self.c  # the engine owns the names
        return [string(lib.percale_engine_get_device_name(engine, i)) for i in range(lib.percale_engine_device_count(engine))]

    @property
    def memory(self):
        """(bytes in use, highest number of bytes so far)."""
        used, peak = ffi.new("int64_t*"), ffi.new("int64_t*")
        lib.percale_engine_memory(self.c, used, peak)
        return used[0], peak[0]

    def trim(self):
        """Gives memory that is kept for later runs back to the system, and returns the number of
        bytes that the engine has released.

        Runs that are under way keep what they have; later runs allocate again. Any thread may call
        it at any time.
        """
        return lib.percale_engine_trim(self.c)

    def metrics(self):
        """Returns what the engine has counted so far as a dict: runs, errors, time, memory, plans,
        steps of training.

        The comment of percale_engine_metrics() in the header engine.h lists the keys. It is cheap,
        and no run waits for it.
        """
        return json.loads(text_from(lib.percale_engine_metrics, self.c))

    def set_log(self, function):
        """Passes log messages to `function(level, text)`, which may be called on any thread.

        Levels go from 0 (debug) to 3 (error); the option `log` sets the lowest one. None ends it.
        Call it before other threads use the engine.
        """
        if function is None:
            lib.percale_engine_set_log(self.c, ffi.NULL, ffi.NULL)
            return
        user = keep(function)
        try:
            check(lib.percale_engine_set_log_owned(self.c, _log, user, FORGET))
        except Exception:
            forget(user)
            raise

    def describe(self, what="info"):
        """Returns facts as Python values.

        `what` is "info", "ops", "layers", "passes", "kernels", "losses", "metrics", "optimizers",
        "schedules", "spec" or "asked_ops".
        """
        return json.loads(text_from(lib.percale_engine_describe, self.c, what.encode()))

    def check_file(self, path):
        """Reads a file and raises an error if it is damaged or invalid.

        It accepts .percale, .onnx, .safetensors, .npy and .npz files, a SPEC (.json), a checkpoint,
        or a folder of checkpoints.
        """
        check(lib.percale_file_check(self.c, os.fsencode(path)))


def version():
    """Returns the version of the loaded library."""
    return string(lib.percale_version())


def live_statuses():
    """Returns the number of errors that are not released. It is 0 unless there is a bug."""
    return lib.percale_status_live_count()


_of_pickles = contextvars.ContextVar("percale_unpickling", default=None)
# By process, because an engine does not survive a fork. Unpickled objects keep the engine alive.
_shared: weakref.WeakValueDictionary = weakref.WeakValueDictionary()
_sharing = threading.Lock()


@contextlib.contextmanager
def unpickling(engine):
    """Within `with`, this thread unpickles graphs and variables for `engine`.

    Elsewhere they get an engine with the default options, which they share.
    """
    token = _of_pickles.set(engine)
    try:
        yield engine
    finally:
        _of_pickles.reset(token)


def engine_of_pickles():
    """Returns the engine of unpickling(), or the one that unpickled objects share."""
    engine = _of_pickles.get()
    if engine is None:
        with _sharing:
            engine = _shared.get(os.getpid())
            if engine is None:
                engine = _shared[os.getpid()] = Engine()
    return engine
