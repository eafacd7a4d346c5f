"""Metrics as objects: SparseTopKCategoricalAccuracy(k=3), AUC(), F1Score(average="micro"), ..."""
import functools

from . import _named
from .losses import try_on_an_example


# The positional arguments of Keras, in order.
POSITIONAL = {"top_k_categorical_accuracy": ["k"], "sparse_top_k_categorical_accuracy": ["k"], "precision": ["threshold"],
              "recall": ["threshold"], "f1_score": ["average", "threshold"], "auc": ["num_thresholds"]}


def _check(config):
    """Raises the library's error for an unknown metric or an invalid argument."""
    kind = "sparse_categorical_crossentropy" if config["name"].startswith("sparse") else "binary_crossentropy"
    try_on_an_example({"name": kind}, [config])


@functools.lru_cache(maxsize=None)
def _known():
    return _named.classes("metrics", _check, POSITIONAL)


def __getattr__(name):
    """Returns any metric of the library by its Keras name."""
    return _named.find(__name__, _known, name)


def __dir__():
    return sorted([*globals(), *_known()])
