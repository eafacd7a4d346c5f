"""Variables, sessions, prepared calls, asynchronous runs, traces."""
import json
import math
import time

from . import _raw, dtypes
from ._library import Names, ffi, lib, path_of, string, type_of
from .engine import engine_of_pickles, options_or_null
from .errors import check, status_from
from .handle import ExclusiveHandle, Handle, exclusive, out, pointer_of, pointer_or_null, text_from, trace_json
from .tensor import Tensor, Tensors, dims_array, lend


def nanoseconds(timeout):
    """Converts seconds to nanoseconds. None means forever; negative values become 0."""
    if timeout is None or timeout > 9e9:  # the limit of 64 bits
        return _raw.FOREVER
    return max(int(timeout * 1e9), 0)


def wait_parts(timeout):
    """Yields the nanoseconds of one C call after the other, so that Control-C ends a long wait.

    They end after `timeout` seconds. A last call with 0 then tells whether the wait was over.
    """
    deadline = math.inf if timeout is None else time.monotonic() + timeout
    while (left := deadline - time.monotonic()) > 0:
        yield nanoseconds(min(0.1, left))


class Cancellation(Handle):
    """Ends the prepared calls and trainers that it was passed to. Thread-safe.

    A cancelled cancellation stays cancelled.
    """

    kind = "cancellation"

    def __init__(self):
        pointer = out("cancellation")
        check(lib.percale_cancellation_create(pointer))
        super().__init__(pointer[0])

    def cancel(self):
        """Ends everything that runs with it, or begins with it later, with Cancelled. Any thread.
        """
        lib.percale_cancellation_cancel(self.c)

    @property
    def cancelled(self):
        """True if it was cancelled."""
        return bool(lib.percale_cancellation_poll(self.c))


class Variables(Handle):
    """A table of named tensors that sessions and trainers share. Thread-safe.

    It is a mapping from names to tensors. Copies and pickles have the newest values. A process that
    unpickles them has an engine for them: see unpickling().
    """

    kind = "variables"

    def __reduce__(self):
        return Variables._unpickled, (dict(self.items()),)

    @classmethod
    def _unpickled(cls, values):
        from .graph import Builder

        engine = engine_of_pickles()
        builder = Builder(engine)
        for name, value in values.items():
            builder.variable(name, value)
        variables = cls.of(engine, builder.finish())
        variables.unpickled_by = engine  # kept for other pickles
        return variables

    @classmethod
    def of(cls, engine, graph, seed=0):
        """Creates a table with the initial values of a graph's variables. `seed` is for
        initializers.
        """
        pointer = out("variables")
        check(lib.percale_variables_create(pointer_of(engine, "engine"), graph.c, seed, pointer))
        return cls(pointer[0])

    def __len__(self):
        return lib.percale_variables_count(self.c)

    def __iter__(self):
        variables = self.c  # the table owns the names
        return iter([string(lib.percale_variables_get_name(variables, i)) for i in range(len(self))])

    def __getitem__(self, name):
        pointer = out("tensor")
        check(lib.percale_variables_value(self.c, name.encode(), pointer))
        return Tensor(pointer[0], read_only=True)  # it never changes

    def __setitem__(self, name, value):
        check(lib.percale_variables_assign(self.c, name.encode(), Tensor.of(value).c))

    def update(self, values):
        """Assigns values by name. Each assignment makes a new version."""
        for name, value in values.items():
            self[name] = value

    def keys(self):
        """Returns the names in ascending order."""
        return list(self)

    def values(self):
        """Returns the tensors in the order of the names."""
        return [self[name] for name in self]

    def items(self):
        """Returns pairs of name and tensor in the order of the names."""
        return [(name, self[name]) for name in self]

    @property
    def version(self):
        """The number of the newest version, from 1."""
        return lib.percale_variables_version(self.c)

    def digest(self):
        """Returns "sha256:..." over all variables except optimizer slots.

        It covers names, dtypes, shapes and bytes, and is the same in every language.
        """
        return text_from(lib.percale_variables_digest, self.c).decode()

    def save(self, path):
        """Writes the newest values to a safetensors file, atomically."""
        check(lib.percale_variables_save(self.c, path_of(path)))

    def load(self, path, mapping=None, strict=True):
        """Takes values from a safetensors file or a checkpoint, and returns how many variables took
        one.

        `mapping` is {variable: tensor}. Both may contain one "*", which stands for the same
        characters; None as the tensor leaves the variable unchanged.
        """
        if mapping is None and str(path).endswith(".safetensors"):
            check(lib.percale_variables_load(self.c, path_of(path), strict))
            return len(self)
        pairs = list((mapping or {}).items())
        to, source = Names([k for k, _ in pairs]), Names([v or "" for _, v in pairs])
        loaded = ffi.new("int64_t*")
        check(lib.percale_variables_load_mapped(self.c, path_of(path), source.array, to.array, len(to), strict, loaded))
        return loaded[0]

    def load_memory(self, data, strict=True):
        """Takes values from the bytes of a safetensors file, without a copy of tensors that begin
        at a multiple of 64 in memory.

        `data` is any object with a buffer. It is kept, and must not change, as long as a value lies
        in it. Returns the number of bytes that were copied.
        """
        copied, memory = ffi.new("int64_t*"), ffi.from_buffer(data)
        lend(memory, lambda deleter, user: lib.percale_variables_load_memory(
            self.c, ffi.cast("void*", memory), len(memory), deleter, user, strict, copied))
        return copied[0]


class Event(Handle):
    """An asynchronous run. Thread-safe."""

    kind = "event"

    def __init__(self, pointer, fetches, keep):
        super().__init__(pointer)
        self._fetches, self._keep = fetches, keep

    def done(self):
        """Returns True if the run is over."""
        return bool(lib.percale_event_poll(self.c))

    def cancel(self):
        """Ends the run with Cancelled. Any thread."""
        lib.percale_event_cancel(self.c)

    def wait(self, timeout=None):
        """Waits until the run is over, and raises its error. Control-C interrupts it.

        Raises DeadlineExceeded if the run is not over after `timeout` seconds.
        """
        event = self.c  # stays valid if another thread calls close()
        for part in wait_parts(timeout):
            if lib.percale_event_poll(event):
                break
            lib.percale_status_release(status_from(lib.percale_event_wait, event, part))
        check(lib.percale_event_wait(event, 0))

    @property
    def variables_version(self):
        """The version of the variables that the run read. It is 0 before the run is over."""
        return lib.percale_event_variables_version(self.c)

    def result(self, timeout=None):
        """Waits for the run and returns the fetches in the form of session.run()."""
        event, found = self.c, []
        self.wait(timeout)
        for i in range(len(self._fetches[0])):
            pointer = out("tensor")
            check(lib.percale_event_result(event, i, pointer))
            found.append(Tensor(pointer[0]))
        return shaped(found, *self._fetches)


def fetch_names(fetches):
    """Returns (names, True if a single name was given)."""
    return ([fetches], True) if isinstance(fetches, str) else (list(fetches), False)


def shaped(tensors, names, single):
    """Returns the only tensor if a single name was given, else {name: tensor}."""
    return tensors[0] if single else dict(zip(names, tensors))


class Types:
    """Dtypes and shapes of feeds as C arrays."""

    def __init__(self, feeds):
        self.names = Names(feeds)
        given = [(t.dtype, t.shape) if isinstance(t, Tensor) else t for t in feeds.values()]
        self.held = [dims_array(shape) for _, shape in given]
        self.dtypes = ffi.new("percale_dtype[]", [dtypes.number(d) for d, _ in given] or [0])
        self.dims = ffi.new("int64_t*[]", self.held or [ffi.NULL])
        self.ranks = ffi.new("size_t[]", [len(shape) for _, shape in given] or [0])

    def arguments(self):
        """Returns the arguments of C functions that take the types of feeds."""
        return self.names.array, self.dtypes, self.dims, self.ranks, len(self.names)


class Session(Handle):
    """Runs a graph, with any number of concurrent runs. Thread-safe.

    The keywords are options of kind "session".
    """

    kind = "session"

    def __init__(self, engine, graph, variables=None, **settings):
        pointer = out("session")
        check(lib.percale_session_create(pointer_of(engine, "engine"), pointer_of(graph, "graph"), pointer_or_null(variables),
                                         options_or_null("session", settings), pointer))
        super().__init__(pointer[0])
        self.engine, self._outputs = engine, graph.outputs

    def _fetches(self, fetches):
        """Returns (names, True if a single name was given). None means all outputs."""
        return fetch_names(self._outputs if fetches is None else fetches)

    def _arguments(self, feeds, fetches, targets):
        """Returns (what must stay alive during the run, the arguments of C functions that run)."""
        names, given = Names(feeds), Tensors(feeds.values())
        wanted, steps = Names(fetches), Names(targets)
        return (names, given, wanted, steps), (names.array, given.array, len(names), wanted.array, len(wanted), steps.array,
                                               len(steps))

    def run(self, feeds=None, fetches=None, *, targets=(), timeout=None):
        """Computes the fetches and targets. Any value may be fed or fetched by its name.

        `fetches` is a list (returns a dict of tensors), a name (returns its tensor), or None (all
        outputs). After `timeout` seconds the run ends with DeadlineExceeded; 0 or less ends it at
        once.
        """
        return self.run_versioned(feeds, fetches, targets=targets, timeout=timeout)[0]

    def run_versioned(self, feeds=None, fetches=None, *, targets=(), timeout=None):
        """Runs like run(), and returns (results, version of the variables that the run read).

            scores, version = session.run_versioned({"x": images}, "scores")

        The version is 0 for a graph without variables.
        """
        wanted, single = self._fetches(fetches)
        keep, arguments = self._arguments(feeds or {}, wanted, targets)
        found, version = ffi.new("percale_tensor*[]", max(len(wanted), 1)), ffi.new("int64_t*")
        check(lib.percale_session_run_versioned(self.c, *arguments, nanoseconds(timeout), found, version))
        del keep
        return shaped([Tensor(found[i]) for i in range(len(wanted))], wanted, single), version[0]

    def run_async(self, feeds=None, fetches=None, *, targets=(), timeout=None):
        """Starts a run on a thread of the engine and returns its Event."""
        wanted, single = self._fetches(fetches)
        keep, arguments = self._arguments(feeds or {}, wanted, targets)
        pointer = out("event")
        check(lib.percale_session_run_async(self.c, *arguments, nanoseconds(timeout), pointer))
        return Event(pointer[0], (wanted, single), keep)

    def cancel(self):
        """Ends all current runs with Cancelled. Any thread."""
        lib.percale_session_cancel(self.c)

    def prepare(self, feeds, fetches=None):
        """Returns a call for feeds of these types: {name: tensor, or (dtype, shape)}."""
        wanted, single = self._fetches(fetches)
        return Call(self, Types(feeds), wanted, single)

    def explain(self, feeds, fetches=None, what="plan"):
        """Returns details of the plan for feeds of these types, as Python values.

        `what` is "plan", "kernels" or "passes".
        """
        wanted, types = Names(self._fetches(fetches)[0]), Types(feeds)
        return json.loads(text_from(lib.percale_session_explain, self.c, *types.arguments(), wanted.array, len(wanted), what.encode()))

    def draw(self, feeds, fetches=None, format="html", trace=None):
        """Returns a drawing of the plan as "svg", or as "html" with panning, zoom, search and
        folding.

        The nodes show the times of `trace`.
        """
        wanted, types = Names(self._fetches(fetches)[0]), Types(feeds)
        return text_from(lib.percale_session_draw, self.c, *types.arguments(), wanted.array, len(wanted), format.encode(),
                         trace_json(trace)).decode()

    def stats(self):
        """Returns statistics: plans made, cache hits, runs, planned and measured peak of memory."""
        return json.loads(text_from(lib.percale_session_stats, self.c))

    def set_trace(self, trace):
        """Records the session's activity from now on. None ends the recording."""
        lib.percale_session_set_trace(self.c, pointer_or_null(trace))


class Call(ExclusiveHandle):
    """A prepared pair of feeds and fetches, the fastest way to run a graph.

    It allocates nothing. Only one thread at a time may use it.
    """

    kind = "call"

    def __init__(self, session, types, fetches, single):
        wanted, pointer = Names(fetches), out("call")
        check(lib.percale_call_create(session.c, *types.arguments(), wanted.array, len(wanted), pointer))
        super().__init__(pointer[0])
        self._single, self._count = single, len(types.names)
        self._inputs = ffi.new("percale_tensor*[]", max(self._count, 1))
        self.outputs = []
        for i in range(len(fetches)):
            dtype, shape = type_of(lib.percale_call_output_type, self.c, i)
            self.outputs.append(Tensor.zeros(session.engine, shape, dtype))
        self._written = [tensor.c for tensor in self.outputs]  # alive while runs may write to them
        self._outputs = ffi.new("percale_tensor*[]", self._written or [ffi.NULL])

    @exclusive
    def carry(self, fetch, feed, to_host=False):
        """Makes the result of a fetch the input of a feed in the next run (recurrent state).

        The state stays on the computing device if that device can keep it. As the input, None takes
        the state of the last run, and a value starts a new state. The fetch is not copied to the
        host unless `to_host` is true; `outputs` then has None in its place.
        """
        check(lib.percale_call_carry(self.c, fetch, feed))
        if not to_host:
            self.outputs[fetch], self._outputs[fetch] = None, ffi.NULL

    @exclusive
    def __call__(self, *inputs, timeout=None, cancellation=None):
        """Runs the call on inputs in the order of the feeds.

        Returns one tensor or a list. The results stay in `outputs` until the next call. After
        `timeout` seconds the run ends with DeadlineExceeded; 0 or less ends it at once. If
        `cancellation` is cancelled, the run ends with Cancelled, or does not start.
        """
        if len(inputs) != self._count:
            raise TypeError(f"the call takes {self._count} feeds, got {len(inputs)}")
        held = [ffi.NULL if value is None else Tensor.of(value).c for value in inputs]
        for i, pointer in enumerate(held):
            self._inputs[i] = pointer
        if timeout is None and cancellation is None:
            check(lib.percale_call_run(self.c, self._inputs, self._outputs))
        else:
            check(lib.percale_call_run_until(self.c, self._inputs, self._outputs, nanoseconds(timeout),
                                             pointer_or_null(cancellation)))
        return self.outputs[0] if self._single else self.outputs

    @property
    @exclusive
    def variables_version(self):
        """The version of the variables that the last successful run read. It is 0 before the first.
        """
        return lib.percale_call_variables_version(self.c)


class Trace(Handle):
    """Time spans, recorded while it is attached to a session or a trainer. Thread-safe."""

    kind = "trace"

    def __init__(self, engine):
        pointer = out("trace")
        check(lib.percale_trace_create(pointer_of(engine, "engine"), pointer))
        super().__init__(pointer[0])

    def json(self):
        """Returns the trace as JSON text for Perfetto and chrome://tracing."""
        return text_from(lib.percale_trace_json, self.c).decode()
