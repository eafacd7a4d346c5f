"""Optimizers as objects: Adam(learning_rate=0.01), SGD(momentum=0.9), ...

`learning_rate` is a number, or an object of `schedules`.
"""
import functools

from .. import ops
from ..graph import Builder
from . import _named, schedules
from .layers import _engine


# The positional arguments of Keras, in order.
POSITIONAL = {"sgd": ["learning_rate", "momentum", "nesterov", "weight_decay"],
              "adam": ["learning_rate", "beta_1", "beta_2", "epsilon"],
              "adamw": ["learning_rate", "weight_decay", "beta_1", "beta_2", "epsilon"],
              "rmsprop": ["learning_rate", "rho", "momentum", "epsilon"],
              "adagrad": ["learning_rate", "initial_accumulator_value", "epsilon"],
              "ftrl": ["learning_rate", "learning_rate_power", "initial_accumulator_value", "l1_regularization_strength",
                       "l2_regularization_strength", "l2_shrinkage_regularization_strength", "beta"],
              "lion": ["learning_rate", "beta_1", "beta_2"], "lamb": ["learning_rate", "beta_1", "beta_2", "epsilon"]}


def _check(config):
    """Raises the library's error for an unknown optimizer or an invalid argument."""
    rate = config.get("learning_rate")
    if isinstance(rate, _named.Named):
        config = {**config, "learning_rate": 0.001}
    b = Builder(_engine())
    w = b.variable("w", shape=[1])
    b.minimize(ops.ReduceSum(b, w, keepdims=0), config)


@functools.lru_cache(maxsize=None)
def _known():
    return _named.classes("optimizers", _check, POSITIONAL)


def split(optimizer):
    """Returns (the optimizer's part of a SPEC, the part of its schedule or None)."""
    config = _named.plain(optimizer)
    if not isinstance(config, dict) or not isinstance(config.get("learning_rate"), _named.Named):
        return config, None
    rate = dict(config["learning_rate"].config)
    base = rate.pop("initial_learning_rate", None)
    config = {key: value for key, value in config.items() if key != "learning_rate"}
    return ({**config, "learning_rate": base} if base is not None else config), rate


def __getattr__(name):
    """Returns any optimizer of the library by its Keras name."""
    return _named.find(__name__, _known, name)


def __dir__():
    return sorted([*globals(), *_known()])
