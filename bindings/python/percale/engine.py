"""Engines and options."""
import json
import os

from ._library import FORGET, ffi, forget, keep, lib, string, text_of
from .errors import check, listener
from .handle import ExclusiveHandle, Handle, exclusive, out


class Options(ExclusiveHandle):
    """Settings of kind "engine", "session", "trainer" or "export" from keywords; an unknown key is NotFound and names the nearest."""

    kind = "options"

    def __init__(self, kind, settings):
        pointer = out("options")
        check(lib.percale_options_create(kind.encode(), pointer))
        super().__init__(pointer[0])
        for key, value in settings.items():
            self.set(key, value)

    @exclusive
    def set(self, key, value):
        """int, float, str; bool becomes on or off, lists and dicts JSON."""
        name = key.encode()
        if getattr(value, "shape", None) == () and hasattr(value, "item"):  # a number or bool of numpy's
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
    """(pointer, what must live as long)."""
    if not settings:
        return ffi.NULL, None
    made = Options(kind, settings)
    return made.c, made


@listener("percale_log_function")
def _log(user, level, message, size):
    ffi.from_handle(user)(level, ffi.buffer(message, size)[:].decode(errors="replace"))


class Engine(Handle):
    """The root of everything: devices, threads, memory limit, plug-ins. Thread-safe. Settings are options of kind "engine":
    devices="cpu=2x1", threads=2, memory_limit=1 << 30, ..."""

    kind = "engine"

    def __init__(self, **settings):
        pointer = out("engine")
        options, keep = options_or_null("engine", settings)
        check(lib.percale_engine_create(options, pointer))
        del keep
        super().__init__(pointer[0])

    @property
    def devices(self):
        """Names of the devices, in their order."""
        engine = self.c  # the names are the engine's memory
        return [string(lib.percale_engine_get_device_name(engine, i)) for i in range(lib.percale_engine_device_count(engine))]

    @property
    def memory(self):
        """(bytes in use, most that ever were)."""
        used, peak = ffi.new("int64_t*"), ffi.new("int64_t*")
        lib.percale_engine_memory(self.c, used, peak)
        return used[0], peak[0]

    def set_log(self, function):
        """Messages of the level of the option `log` and above go to `function(level, text)`, on any thread, level 0 debug to 3 error;
        None ends it. Before other threads use the engine."""
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
        """Facts as Python values: "info", "ops", "layers", "passes", "kernels", "losses", "metrics",
        "optimizers", "schedules" or "spec"."""
        text = out("text")
        check(lib.percale_engine_describe(self.c, what.encode(), text))
        return json.loads(text_of(text[0]))

    def check_file(self, path):
        """Reads a file and raises what is wrong with it. Kinds: .percale, .onnx, .safetensors, .npy,
        .npz, a SPEC (.json), a checkpoint or a folder of checkpoints."""
        check(lib.percale_file_check(self.c, os.fsencode(path)))


def version():
    """The version of the library that is loaded."""
    return string(lib.percale_version())


def live_statuses():
    """Errors that nobody has released: 0 but for a bug."""
    return lib.percale_status_live_count()
