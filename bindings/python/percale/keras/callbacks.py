"""The callbacks of fit(), as in Keras."""
import csv
import inspect
import math
import sys

from ..errors import NotFound


class Callback:
    """Base class of callbacks. Subclasses define the methods that they need.

    These are on_train_begin, on_epoch_begin, on_train_batch_begin, on_train_batch_end, on_epoch_end
    and on_train_end. `self.model` is the model; `self.params` has epochs and verbose.
    `self.model.stop_training = True` ends the training after the current step.
    """

    model = None
    params = None

    def set_model(self, model):
        """Called by fit() before all other methods."""
        self.model = model

    def set_params(self, params):
        """Called by fit() before all other methods."""
        self.params = params

    def on_train_begin(self, logs=None):
        """Called when fit() begins."""

    def on_train_end(self, logs=None):
        """Called when fit() ends; `logs` are those of the last epoch."""

    def on_epoch_begin(self, epoch, logs=None):
        """Called when an epoch begins; `epoch` counts from 0."""

    def on_epoch_end(self, epoch, logs=None):
        """Called when an epoch ends.

        `logs` has "loss" and the metrics, and with the prefix "val_" those of the validation data.
        """

    def on_train_batch_begin(self, batch, logs=None):
        """Called when a step begins; `batch` counts from 0 in each epoch."""

    def on_train_batch_end(self, batch, logs=None):
        """Called when a step ends; `logs` has "loss", the mean over the epoch so far."""


class LambdaCallback(Callback):
    """Takes functions instead of methods.

        LambdaCallback(on_epoch_end=lambda epoch, logs: print(logs["loss"]))
    """

    def __init__(self, **functions):
        for name, function in functions.items():
            if not hasattr(Callback, name) or not name.startswith("on_"):
                raise TypeError(f"LambdaCallback takes no '{name}'; it takes "
                                f"{', '.join(n for n in vars(Callback) if n.startswith('on_'))}")
            setattr(self, name, function)


class History(Callback):
    """Records the values of each epoch. fit() returns one.

    `history` is a dict of lists with one number per epoch. `epoch` is the list of epochs, from 0.
    """

    def __init__(self):
        self.epoch, self.history = [], {}

    def on_epoch_end(self, epoch, logs=None):
        """Records the values of an epoch."""
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)


class _Monitor(Callback):
    """Base class of callbacks that watch one value of the epochs."""

    def __init__(self, monitor, mode, min_delta=0.0):
        if mode not in ("auto", "min", "max"):
            raise ValueError(f"mode is {mode!r}, wanted 'auto', 'min' or 'max'")
        rises = mode == "max" or (mode == "auto" and not any(word in monitor for word in ("loss", "error", "mse", "mae", "perplexity")))
        self.monitor, self.min_delta, self._sign = monitor, abs(min_delta), 1 if rises else -1
        self.best = -self._sign * math.inf

    def current(self, logs):
        """Returns the watched value of an epoch."""
        if self.monitor not in (logs or {}):
            remedy = "; fit() was given no validation data: validation_data= or validation_split= brings it, or monitor='loss'"
            raise NotFound(f"{type(self).__name__} watches '{self.monitor}', the epoch has {', '.join(logs or {}) or 'nothing'}"
                           + remedy * (self.monitor.startswith("val_") and not any(n.startswith("val_") for n in logs or {})))
        return logs[self.monitor]

    def improves(self, value, on):
        """Returns True if a value is better than another by more than `min_delta`."""
        return self._sign * (value - on) > self.min_delta


class EarlyStopping(_Monitor):
    """Ends the training if the monitored value has not improved for `patience` epochs."""

    def __init__(self, monitor="val_loss", min_delta=0, patience=0, verbose=0, mode="auto", baseline=None,
                 restore_best_weights=False, start_from_epoch=0):
        super().__init__(monitor, mode, min_delta)
        self.patience, self.verbose, self.baseline = patience, verbose, baseline
        self.restore_best_weights, self.start_from_epoch = restore_best_weights, start_from_epoch

    def on_train_begin(self, logs=None):
        """Resets the state of an earlier fit."""
        self.wait, self.stopped_epoch, self.best_epoch, self.best_weights = 0, 0, 0, None
        self.best = -self._sign * math.inf

    def on_epoch_end(self, epoch, logs=None):
        """Compares the epoch with the best one."""
        value = self.current(logs)
        if epoch < self.start_from_epoch:
            return
        if self.restore_best_weights and self.best_weights is None:
            self.best_weights, self.best_epoch = self.model.get_weights(), epoch
        self.wait += 1
        if self.improves(value, self.best):
            self.best, self.best_epoch = value, epoch
            if self.restore_best_weights:
                self.best_weights = self.model.get_weights()
            if self.baseline is None or self.improves(value, self.baseline):
                self.wait = 0
            return
        if self.wait >= self.patience and epoch > 0:
            self.stopped_epoch, self.model.stop_training = epoch, True

    def on_train_end(self, logs=None):
        """Restores the best weights."""
        if self.stopped_epoch > 0 and self.verbose:
            print(f"Epoch {self.stopped_epoch + 1}: early stopping")
        if self.best_weights is not None:
            self.model.set_weights(self.best_weights)


class ModelCheckpoint(_Monitor):
    """Saves the model after each epoch, or after every `save_freq` steps.

    With `save_weights_only` it saves only the weights. The path may contain the epoch and its
    values: "model-{epoch:02d}-{val_loss:.2f}.percale".
    """

    def __init__(self, filepath, monitor="val_loss", verbose=0, save_best_only=False, save_weights_only=False, mode="auto",
                 save_freq="epoch"):
        super().__init__(monitor, mode)
        self.filepath, self.verbose, self.save_best_only = str(filepath), verbose, save_best_only
        self.save_weights_only, self.save_freq = save_weights_only, save_freq
        if save_freq != "epoch" and not isinstance(save_freq, int):
            raise ValueError(f"save_freq is {save_freq!r}, wanted 'epoch' or a number of steps")

    def on_epoch_begin(self, epoch, logs=None):
        """Stores the epoch for the path."""
        self._epoch = epoch

    def on_train_begin(self, logs=None):
        """Resets the number of steps."""
        self._steps = 0

    def on_train_batch_end(self, batch, logs=None):
        """Saves after every `save_freq` steps."""
        self._steps += 1
        if self.save_freq != "epoch" and self._steps % self.save_freq == 0:
            self._save(logs)

    def on_epoch_end(self, epoch, logs=None):
        """Saves after the epoch."""
        if self.save_freq == "epoch":
            self._save(logs)

    def _save(self, logs):
        if self.save_best_only:
            value = self.current(logs)
            if not self.improves(value, self.best):
                return
            self.best = value
        path = self.filepath.format(epoch=self._epoch + 1, **(logs or {}))
        (self.model.save_weights if self.save_weights_only else self.model.save)(path)
        if self.verbose:
            print(f"Epoch {self._epoch + 1}: saved {path}")


class TerminateOnNaN(Callback):
    """Ends the training if the loss is NaN or infinite."""

    def on_train_batch_end(self, batch, logs=None):
        """Checks the loss."""
        if not math.isfinite((logs or {}).get("loss", 0)):
            print(f"Batch {batch}: the loss is {logs['loss']}, the training ends")
            self.model.stop_training = True


class LearningRateScheduler(Callback):
    """Sets the learning rate of each epoch to `schedule(epoch, learning_rate)`.

    Epochs count from 0. A function of the epoch alone is also accepted.
    """

    def __init__(self, schedule, verbose=0):
        self.schedule, self.verbose = schedule, verbose
        try:
            inspect.signature(schedule).bind(0, 0.0)
            self._takes_rate = True
        except TypeError:
            self._takes_rate = False
        except ValueError:  # Python does not know the arguments of some C functions
            self._takes_rate = True

    def on_epoch_begin(self, epoch, logs=None):
        """Sets the rate of the epoch."""
        given = (epoch, self.model.learning_rate) if self._takes_rate else (epoch,)
        self.model.learning_rate = rate = float(self.schedule(*given))
        if self.verbose:
            print(f"Epoch {epoch + 1}: the learning rate is {rate:g}")


class ReduceLROnPlateau(_Monitor):
    """Multiplies the learning rate by `factor` if the monitored value has not improved for
    `patience` epochs.

    The next `cooldown` epochs do not count.
    """

    def __init__(self, monitor="val_loss", factor=0.1, patience=10, verbose=0, mode="auto", min_delta=1e-4, cooldown=0, min_lr=0.0):
        super().__init__(monitor, mode, min_delta)
        if not factor < 1:
            raise ValueError(f"factor is {factor}, wanted a number below 1")
        self.factor, self.patience, self.verbose, self.cooldown, self.min_lr = factor, patience, verbose, cooldown, min_lr

    def on_train_begin(self, logs=None):
        """Resets the state of an earlier fit."""
        self.wait = self.cooldown_counter = 0
        self.best = -self._sign * math.inf

    def on_epoch_end(self, epoch, logs=None):
        """Compares the epoch with the best one."""
        value = self.current(logs)
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.wait = 0
        if self.improves(value, self.best):
            self.best, self.wait = value, 0
            return
        if self.cooldown_counter > 0:
            return
        self.wait += 1
        rate = self.model.learning_rate
        if self.wait < self.patience or rate <= self.min_lr:
            return
        self.model.learning_rate = rate = max(rate * self.factor, self.min_lr)
        self.cooldown_counter, self.wait = self.cooldown, 0
        if self.verbose:
            print(f"Epoch {epoch + 1}: the learning rate falls to {rate:g}")


class CSVLogger(Callback):
    """Writes a CSV row per epoch: its number and its values."""

    def __init__(self, filename, separator=",", append=False):
        self.filename, self.separator, self.append = filename, separator, append

    def on_train_begin(self, logs=None):
        """Opens the file."""
        self._file, self._writer = open(self.filename, "a" if self.append else "w", newline="", encoding="utf-8"), None
        self._begun = self.append and self._file.tell() > 0

    def on_epoch_end(self, epoch, logs=None):
        """Writes a row."""
        if self._writer is None:
            self._writer = csv.DictWriter(self._file, ["epoch", *(logs or {})], delimiter=self.separator, restval="NA",
                                          extrasaction="ignore")
            if not self._begun:
                self._writer.writeheader()
        self._writer.writerow({"epoch": epoch, **(logs or {})})
        self._file.flush()

    def on_train_end(self, logs=None):
        """Closes the file."""
        self._file.close()


class ProgressBar:
    """Shows the progress, speed and remaining time of a training on stderr.

    It is a callback for Trainer.fit().
    """

    WIDTH = 24

    def __call__(self, p):
        whole = p.steps_in_epoch or p.step_in_epoch
        filled = self.WIDTH * p.step_in_epoch // max(whole, 1)
        numbers = f"loss {p.loss:.4f}" + "".join(f" {k} {v:.4f}" for k, v in (p.metrics or {}).items())
        line = (f"\repoch {p.epoch}/{p.epochs} [{'=' * filled}{' ' * (self.WIDTH - filled)}] {p.step_in_epoch}/{whole} "
                f"{p.rows_per_second:.0f} rows/s, {p.eta_seconds:.0f} s left, {numbers}")
        sys.stderr.write(line + "\x1b[K" + ("\n" if p.epoch_ended else ""))
        sys.stderr.flush()
