from . import dtypes, keras, ops
from .groups.cluster import Cluster
from .groups.collective import Collective
from .data import Dataset
from .engine import Engine, Options, live_statuses, unpickling, version
from .errors import (Aborted, AlreadyExists, Cancelled, Closed, DataLoss, DeadlineExceeded, Error, FailedPrecondition, Internal,
                     InvalidArgument, NotFound, OutOfRange, PermissionDenied, ResourceExhausted, Unauthenticated, Unavailable,
                     Unimplemented, Unknown)
from .graph import Builder, FunctionName, Graph, Value
from .host import FileReader
from .server import Server
from .session import Call, Cancellation, Event, Session, Trace, Variables
from .tensor import Tensor
from .training import Progress, Trainer

__all__ = ["Aborted", "AlreadyExists", "Builder", "Call", "Cancellation", "Cancelled", "Closed", "Cluster", "Collective", "DataLoss",
           "Dataset", "DeadlineExceeded", "Engine", "Error", "Event", "FailedPrecondition", "FileReader", "FunctionName", "Graph", "Internal", "InvalidArgument", "NotFound",
           "Options", "OutOfRange", "PermissionDenied", "Progress", "ResourceExhausted", "Server", "Session", "Tensor", "Trace", "Trainer",
           "Unauthenticated", "Unavailable", "Unimplemented", "Unknown", "Value", "Variables", "dtypes", "live_statuses", "unpickling", "version"]

__version__: str
