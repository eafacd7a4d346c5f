"""Losses as objects: SparseCategoricalCrossentropy(from_logits=True), Huber(delta=2), ..."""
import functools
import json

from ..graph import Builder
from ..training import Trainer
from . import _named
from .layers import _engine


# The positional arguments of Keras, in order.
POSITIONAL = {"sparse_categorical_crossentropy": ["from_logits", "ignore_class"],
              "categorical_crossentropy": ["from_logits", "label_smoothing"],
              "binary_crossentropy": ["from_logits", "label_smoothing"], "huber": ["delta"]}


def wants_classes(name):
    """Returns True if the labels are class numbers."""
    return name == "sparse_categorical_crossentropy"


def try_on_an_example(loss, metrics=()):
    """Raises the library's error for invalid arguments of a loss or of metrics."""
    b = Builder(_engine())
    y = b.layer("Dense", b.input("x", [-1, 4]), units=2)
    b.input("y", [-1] if wants_classes(loss["name"]) else [-1, 2], "i64" if wants_classes(loss["name"]) else "f32")
    b.outputs(y)
    said = [{**metric, "labels": "y", "loss": loss["name"]} for metric in metrics]
    Trainer(_engine(), b.finish(), None, loss=json.dumps({**loss, "labels": "y"}), metrics=json.dumps(said), optimizer="sgd").close()


@functools.lru_cache(maxsize=None)
def _known():
    return _named.classes("losses", try_on_an_example, POSITIONAL)


def __getattr__(name):
    """Returns any loss of the library by its Keras name."""
    return _named.find(__name__, _known, name)


def __dir__():
    return sorted([*globals(), *_known()])
