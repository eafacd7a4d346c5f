"""A single call of fit(): its callbacks, and the weights of rows."""
import math
import sys

from ..errors import InvalidArgument
from ..tensor import Tensor
from ._arrays import fitting
from .callbacks import Callback, History, ProgressBar


def split(x, y, weights, part):
    """Splits off the last rows. `part` is their fraction.

    Returns ((x, y, weights) of the first rows, (x, y, weights) of the last rows).
    """
    if not 0 < part < 1:
        raise ValueError(f"validation_split is {part}, wanted a number between 0 and 1")

    def rows_of(value):
        return value if hasattr(value, "shape") else Tensor.of(value).numpy()

    def cut(value, how):
        if value is None:
            return None
        if isinstance(value, dict):
            return {name: how(rows_of(one)) for name, one in value.items()}
        several = isinstance(value, (list, tuple)) and value and hasattr(value[0], "shape") and value[0].shape
        return [how(rows_of(one)) for one in value] if several else how(rows_of(value))

    one = x
    while isinstance(one, (dict, list, tuple)) and not hasattr(one, "shape"):
        first = next(iter(one.values())) if isinstance(one, dict) else one[0]
        if not hasattr(first, "shape"):
            break
        one = first
    rows = len(rows_of(one))
    at = math.floor(rows * (1 - part))
    if at in (0, rows):
        raise ValueError(f"validation_split={part} leaves nothing of {rows} rows on one side")
    return (tuple(cut(v, lambda array: array[:at]) for v in (x, y, weights)),
            tuple(cut(v, lambda array: array[at:]) for v in (x, y, weights)))


def sample_weights(given, rows):
    """Returns one number per row as a tensor, with 1 as the default."""
    import numpy as np

    array = np.ones(rows, np.float32) if given is None else fitting(given, "f32", "sample_weight").numpy()
    if array.shape != (rows,):
        raise InvalidArgument(f"'sample_weight' has shape {array.shape}, wanted one number for each of the {rows} rows")
    return Tensor.of(array)


def weights_of_classes(labels, class_weight, sample_weight):
    """Returns a weight per row: the weight of its class, times the weight of the row."""
    import numpy as np

    if labels.ndim == 2 and labels.shape[1] > 1:
        labels = labels.argmax(1)
    classes = np.asarray(labels).reshape(len(labels))
    made = np.ones(len(classes), np.float32)
    for number, weight in class_weight.items():
        made[classes == number] = weight
    return made if sample_weight is None else made * np.asarray(sample_weight, np.float32)


class Fit:
    """The steps of a fit(), and the callbacks that it calls."""

    def __init__(self, model, trainer, callbacks, callback, verbose, initial_epoch, epochs, validates):
        self.model, self.trainer, self.callback = model, trainer, callback
        self.history = History()
        self.callbacks = [self.history, *([callbacks] if isinstance(callbacks, Callback) else callbacks or [])]
        self.bar = ProgressBar() if verbose in ("auto", 1) and sys.stderr.isatty() else None
        self.initial_epoch, self.epochs, self.validates = initial_epoch, epochs, validates
        self.done = trainer.describe()["epoch"] - 1  # "epoch" is the next epoch, from 1
        self.begun = False
        self.logs = {}
        for one in self.callbacks:
            one.set_model(model)
            one.set_params({"epochs": epochs, "verbose": verbose})

    def notify(self, event, *arguments):
        """Calls the method of each callback for an event, such as "epoch_end"."""
        for one in self.callbacks:
            getattr(one, f"on_{event}")(*arguments)

    def run(self, data):
        """Trains. It does not call on_train_end(); end() does."""
        self.notify("train_begin", {})
        more = self.epochs - self.initial_epoch
        if more <= 0 or self.model.stop_training:
            return
        self.notify("epoch_begin", self.initial_epoch, {})
        self.notify("train_batch_begin", 0, {})
        if not self.model.stop_training:
            self.trainer.fit(data, self.done + more, self.step)

    def end(self):
        """Calls on_train_end()."""
        self.notify("train_end", self.logs)

    def step(self, progress):
        """Calls the callbacks after a step: for its end, the end of the epoch, and the start of the
        next step.
        """
        if not self.begun and self.model._strategy is not None:
            self.model._strategy._replicas = self.trainer.describe()["replicas"]
        self.begun = True
        epoch, batch = progress.epoch - 1 - self.done + self.initial_epoch, progress.step_in_epoch
        self.notify("train_batch_end", batch - 1, {"loss": progress.epoch_loss})
        ended = progress.epoch_ended
        if ended:
            metrics = {k: v for k, v in progress.metrics.items() if self.validates or not k.startswith("val_")}
            self.logs = {"loss": progress.epoch_loss, **metrics}
            self.notify("epoch_end", epoch, dict(self.logs))
        if self.bar is not None:
            self.bar(progress)
        go = self.callback is None or self.callback(progress) is not False
        if not go or self.model.stop_training:
            return False
        if ended and epoch + 1 < self.epochs:
            self.notify("epoch_begin", epoch + 1, {})
        if not ended or epoch + 1 < self.epochs:
            self.notify("train_batch_begin", 0 if ended else batch, {})
        return not self.model.stop_training
