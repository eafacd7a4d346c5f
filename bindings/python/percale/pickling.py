"""Graphs and variables in pickles."""
import contextlib
import contextvars
import os
import threading
import weakref

_named = contextvars.ContextVar("percale_unpickling", default=None)
# By process, because an engine does not survive a fork. Unpickled objects keep the engine alive.
_shared: weakref.WeakValueDictionary = weakref.WeakValueDictionary()
_lock = threading.Lock()


@contextlib.contextmanager
def unpickling(engine):
    """Within `with`, this thread unpickles graphs and variables for `engine`.

    Elsewhere they get an engine with the default options, which they share.
    """
    token = _named.set(engine)
    try:
        yield engine
    finally:
        _named.reset(token)


def _engine_of_pickles():
    from .engine import Engine

    engine = _named.get()
    if engine is None:
        with _lock:
            engine = _shared.get(os.getpid())
            if engine is None:
                engine = _shared[os.getpid()] = Engine()
    return engine


def load_graph(data):
    """Returns the graph of a pickle. `data` is what Graph.to_bytes() returned."""
    from .graph import Graph

    engine = _engine_of_pickles()
    graph = Graph.load(engine, data)
    graph.unpickled_by = engine
    return graph


def load_variables(values):
    """Returns the table of a pickle. `values` has a tensor per name."""
    from .graph import Builder
    from .session import Variables

    engine = _engine_of_pickles()
    builder = Builder(engine)
    for name, value in values.items():
        builder.variable(name, value)
    variables = Variables.of(engine, builder.finish())
    variables.unpickled_by = engine
    return variables
