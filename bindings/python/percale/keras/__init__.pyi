from typing import Callable

from . import callbacks, layers, losses, metrics, models, optimizers
from .callbacks import Callback, History, ProgressBar
from .layers import Input, Layer
from .models import Model, Sequential, load_model
from .strategies import MirroredStrategy, MultiWorkerMirroredStrategy, ParameterServerStrategy, Strategy

def __getattr__(name: str) -> Callable[..., Layer]: ...
