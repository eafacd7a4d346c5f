"""The Keras API: Sequential and functional models, compile, fit, evaluate, predict, and strategies
for several devices and processes.

The layers build a graph, which the library trains. `keras.Dense` and `keras.layers.Dense` are the
same. The modules are `callbacks`, `layers`, `losses`, `metrics`, `models`, `optimizers`,
`optimizers.schedules` and `strategies`.
"""
from . import callbacks, layers, losses, metrics, models, optimizers
from .callbacks import Callback, History, ProgressBar
from .layers import Input, Layer
from .models import Model, Sequential, load_model
from .strategies import MirroredStrategy, MultiWorkerMirroredStrategy, ParameterServerStrategy, Strategy


def __getattr__(name):
    """Returns any layer of the library by its name; help() shows its arguments."""
    if not name[:1].isupper():
        raise AttributeError(f"module 'percale.keras' has no attribute '{name}'")
    return getattr(layers, name)


def __dir__():
    return sorted([*globals(), *layers.known()])
