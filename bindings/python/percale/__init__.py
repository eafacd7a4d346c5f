"""Trains and serves deep-learning models inside this process.

    import percale as pc
    engine = pc.Engine()
    graph = pc.Graph.from_onnx(engine, "model.onnx")
    session = pc.Session(engine, graph, pc.Variables.of(engine, graph))
    y = session.run({"x": images}, "y").numpy()

The modules `ops` and `keras` are imported when they are first used.
"""
import importlib as _importlib

from . import dtypes
from .data import Dataset
from .engine import Engine, Options, live_statuses, unpickling, version
from .errors import (Aborted, AlreadyExists, Cancelled, Closed, DataLoss, DeadlineExceeded, Error, FailedPrecondition, Internal,
                     InvalidArgument, NotFound, OutOfRange, PermissionDenied, ResourceExhausted, Unauthenticated, Unavailable,
                     Unimplemented, Unknown)
from .graph import Builder, FunctionName, Graph, Value
from .groups.cluster import Cluster
from .groups.collective import Collective
from .host import FileReader
from .server import Server
from .session import Call, Cancellation, Event, Session, Trace, Variables
from .tensor import Tensor
from .training import Progress, Trainer

__all__ = ["Aborted", "AlreadyExists", "Builder", "Call", "Cancellation", "Cancelled", "Closed", "Cluster", "Collective", "DataLoss",
           "Dataset", "DeadlineExceeded", "Engine", "Error", "Event", "FailedPrecondition", "FileReader", "FunctionName", "Graph", "Internal", "InvalidArgument", "NotFound",
           "Options", "OutOfRange", "PermissionDenied", "Progress", "ResourceExhausted", "Server", "Session", "Tensor", "Trace", "Trainer",
           "Unauthenticated", "Unavailable", "Unimplemented", "Unknown", "Value", "Variables", "dtypes", "live_statuses", "unpickling", "version"]

_LATER = ("keras", "ops")


def __getattr__(name):
    """Returns attributes that are loaded on first use: modules, and __version__, the library's
    version.
    """
    if name in _LATER:
        return _importlib.import_module(f"{__name__}.{name}")
    if name == "__version__":
        return version()
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *_LATER, "__version__"})
