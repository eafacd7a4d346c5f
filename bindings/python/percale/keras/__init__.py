"""Models of layers in Keras' words: Sequential and functional models, compile, fit, evaluate, predict, and the strategies that spread
training over devices. The library trains the graph that the layers make.

`keras.Dense` and `keras.layers.Dense` are the same; `callbacks`, `losses`, `metrics` and `optimizers` hold what their names say."""
from . import callbacks, layers, losses, metrics, models, optimizers
from .callbacks import Callback, History, ProgressBar
from .layers import Input, Layer
from .models import Model, Sequential, load_model
from .strategies import MirroredStrategy, ParameterServerStrategy, Strategy


def __getattr__(name):
    """Any layer of the library by its name; help() tells what it takes."""
    if not name[:1].isupper():
        raise AttributeError(f"module 'percale.keras' has no attribute '{name}'")
    return getattr(layers, name)


def __dir__():
    return sorted([*globals(), *layers.known()])
