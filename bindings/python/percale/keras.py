"""Models of layers in Keras' words: Sequential, compile, fit, evaluate, predict, and the strategies that spread training over
devices. The model becomes a SPEC, which the library trains."""
import contextlib
import difflib
import os
import sys

from . import _layers
from ._fit import fitting
from ._layers import Layer
from .data import Dataset
from .engine import Engine
from .errors import InvalidArgument
from .session import Session
from .tensor import Tensor
from .training import Trainer

_scopes = []  # engines and presets of the strategies that are open

# What people may want to say beside the optimizer instead of within.
_OPTIMIZERS_WORDS = {"learning_rate", "momentum", "nesterov", "beta_1", "beta_2", "rho", "epsilon", "weight_decay"}


def __getattr__(name):
    """Any layer of the library by its name; help() tells what it takes."""
    if not name[:1].isupper():
        raise AttributeError(f"module 'percale.keras' has no attribute '{name}'")
    if name not in _layers.known():
        near = difflib.get_close_matches(name, _layers.known(), 1)
        raise AttributeError(f"no layer '{name}'" + (f", did you mean '{near[0]}'?" if near else
                                                     f"; there are {', '.join(sorted(_layers.known()))}"))
    return _layers.known()[name]


def __dir__():
    return sorted([*globals(), *_layers.known()])


class Strategy:
    """Where models that are made within scope() train. `settings` are options of kind "engine"."""

    preset = None

    def __init__(self, **settings):
        if "engine" in settings:
            raise TypeError(f"{type(self).__name__} makes an engine of its own and takes none; its keywords are options of kind "
                            "'engine', such as threads=2. Sequential(engine=...) takes one")
        self.engine = Engine(**settings)
        self._replicas = None

    @property
    def num_replicas_in_sync(self):
        """How many devices compute parts of a batch: from the first step of fit() on what the trainer really uses, before that, after
        a compile() too, all devices."""
        return self._replicas or len(self.engine.devices)

    @contextlib.contextmanager
    def scope(self):
        """Models that are made within `with` train with this strategy."""
        _scopes.append(self)
        try:
            yield
        finally:
            _scopes.remove(self)

    def experimental_distribute_dataset(self, dataset):
        """fit() hands each replica its part of every batch: the data set itself."""
        return dataset


class MirroredStrategy(Strategy):
    """The devices compute parts of every batch; the weights are those of one device, bit for bit. Without `devices`, a CPU device for
    each processor.

    A batch is cut into shards, whose number follows from the model's size and not from the devices, so that results do not depend on
    these. A device gets work only where there are as many shards: a small model has one, and trains on one device. `shards` in
    compile() says another number, at least one for each device. num_replicas_in_sync tells how many devices have work, and
    trainer.describe()["idle_devices"] which have none."""

    preset = "mirrored"

    def __init__(self, devices=None, **settings):
        processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        super().__init__(devices=devices or f"cpu={processors}x1", **settings)


class ParameterServerStrategy(Strategy):
    """Devices compute parts of batches as the preset parameter_server says."""

    preset = "parameter_server"


class History:
    """`history` is a dict of lists, one number per epoch; `epoch` its numbers, from 0 as in Keras."""

    def __init__(self):
        self.epoch, self.history = [], {}

    def add(self, epoch, numbers):
        """Notes the numbers of an epoch."""
        self.epoch.append(epoch)
        for name, value in numbers.items():
            self.history.setdefault(name, []).append(value)


class Sequential:
    """Layers, one behind the other."""

    def __init__(self, layers=(), *, engine=None, input_shape=None):
        self._strategy = _scopes[-1] if _scopes else None
        self._engine = engine or (self._strategy.engine if self._strategy else None)
        self.layers = list(layers)
        self.input_shape = input_shape
        self._settings, self._trainer, self._session = None, None, None

    def add(self, layer):
        """One layer more, behind the others."""
        self.layers.append(layer)

    @property
    def engine(self):
        """The strategy's engine, or one of its own."""
        if self._engine is None:
            self._engine = Engine()
        return self._engine

    def compile(self, optimizer="adam", loss=None, metrics=(), *, shards=None, **settings):
        """optimizer: a name or a dict; loss: a name, or a dict with "name" and "from_logits". `shards`: the parts of each batch that
        devices compute, added in a fixed order; the same number gives the same bits on any devices. None: by the model's size. Further
        keys are those of a SPEC, such as seed, schedule, early_stopping."""
        own = [word for word in settings if word in _OPTIMIZERS_WORDS]
        if own:
            optimizer = optimizer if isinstance(optimizer, dict) else {"name": optimizer}
            wanted = {**optimizer, **{word: settings[word] for word in own}}
            raise TypeError(f"compile() takes no '{own[0]}', the optimizer does: optimizer={wanted!r}")
        self._settings = {"optimizer": optimizer, "loss": loss, "metrics": list(metrics), "shards": shards, **settings}
        self._trainer = None
        if self._strategy is not None:
            self._strategy._replicas = None

    def spec(self, row_shape, batch_size=32):
        """The SPEC that the library trains, as a dict."""
        if self._settings is None:
            raise RuntimeError("compile() comes before fit()")
        out = {"model": [layer.spec() for layer in self.layers], "input_shape": list(row_shape), "batch_size": batch_size}
        out.update({key: value for key, value in self._settings.items() if value not in (None, [])})
        if self._strategy is not None:
            out["strategy"] = self._strategy.preset
        return out

    def _rows(self, x, y, batch_size, shuffle):
        """The data set itself, or one of arrays, which take the dtypes that the model has."""
        if isinstance(x, Dataset):
            return x
        model = self.trainer.model
        columns = {"x": fitting(x, model.input_types[model.inputs[0]][0], "x")}
        if y is not None:
            dtype, shape = model.output_types[model.outputs[0]]
            loss = self._settings["loss"]
            if (loss if isinstance(loss, str) else loss["name"]) == "sparse_categorical_crossentropy":
                dtype, shape = "i64", shape and shape[:-1]  # class numbers
            columns["y"] = fitting(y, dtype, "y", shape and len(shape))
        return Dataset.from_tensors(self.engine, **columns).batch(batch_size, shuffle=shuffle)

    def _row_shape(self, x):
        if self.input_shape is not None:
            return self.input_shape
        return x.types[x.names[0]][1] if isinstance(x, Dataset) else x.shape[1:]

    def fit(self, x, y=None, *, epochs=1, batch_size=32, shuffle=0, validation_data=None, verbose="auto", callback=None,
            cancellation=None):
        """Trains on a data set with columns x and y, or on arrays, for `epochs` more epochs. Arrays and lists of other numbers become
        what the model wants, such as f32 and, for class numbers, i64; data sets have its dtypes. `shuffle`: a seed, None for the order
        of the rows. `validation_data`: (x, y) or a data set, evaluated after each epoch, of later fits too; given to the first fit alone.
        `callback` as in Trainer.fit().

        Calls go on where the last one ended, however it did: an epoch that it left unfinished is finished first, and is one of
        `epochs`. What early stopping has ended stays ended: a further fit() trains nothing. `cancellation`: a percale.Cancellation, which
        any thread may cancel: fit() ends with Cancelled then, even before it begins. It stands for this fit in the place of one that
        trainer.set_cancellation() was given.

        The history's "loss" is the mean of the epoch's losses as they were before each step, each weighted by its rows."""
        names = x.names if isinstance(x, Dataset) else ["x"] if y is None else ["x", "y"]
        if "y" not in names:
            raise InvalidArgument(f"the loss '{self._settings and self._settings['loss']}' wants labels: the data set has the columns "
                                  f"{', '.join(map(repr, names))} and no 'y'; zip() joins one with labels")
        if not isinstance(x, Dataset):
            x = Tensor.of(x)
        if self._trainer is None:
            spec = self.spec(self._row_shape(x), batch_size)
            self._trainer = Trainer.from_spec(self.engine, spec)
        if validation_data is not None:
            pair = validation_data if isinstance(validation_data, tuple) else (validation_data, None)
            self._trainer.set_validation(self._rows(*pair, batch_size, None))
        data = self._rows(x, y, batch_size, shuffle)
        history, bar = History(), ProgressBar() if verbose in ("auto", 1) and sys.stderr.isatty() else None

        told = False

        def tell(progress):
            nonlocal told
            if not told and self._strategy is not None:
                self._strategy._replicas = self._trainer.describe()["replicas"]
            told = True
            if progress.metrics is not None:
                history.add(progress.epoch - 1, {"loss": progress.epoch_loss, **progress.metrics})
            if bar is not None:
                bar(progress)
            return True if callback is None else callback(progress)

        self._session = None
        done = self._trainer.describe()["epoch"] - 1  # the epoch that is next counts from 1
        if cancellation is not None:
            self._trainer.set_cancellation(cancellation)
        try:
            self._trainer.fit(data, done + epochs, tell)
        finally:
            if cancellation is not None:
                self._trainer.set_cancellation(None)
        return history

    @property
    def trainer(self):
        """What fit() trains with; the first fit() makes it."""
        if self._trainer is None:
            raise RuntimeError("fit() comes first, which makes the trainer; fit(cancellation=...) can be ended before it begins")
        return self._trainer

    def evaluate(self, x, y=None, *, batch_size=32):
        """Loss and metrics as a dict."""
        return self.trainer.evaluate(self._rows(x, y, batch_size, None))

    def predict(self, x):
        """The model's output for an array of rows, as a numpy array."""
        if self._session is None:
            self._model = self.trainer.model
            self._session = Session(self.engine, self._model, self.trainer.variables)
        name = self._model.inputs[0]
        found = self._session.run({name: fitting(x, self._model.input_types[name][0], "x")}, self._model.outputs[0])
        return found.numpy()

    def save(self, path):
        """Writes the graph with its weights as a .percale file."""
        self.trainer.model.save(path, self.trainer.variables)

    @property
    def variables(self):
        """The weights that fit() trains."""
        return self.trainer.variables


class ProgressBar:
    """A line on stderr that shows how far a training is, how fast it is and how long it will take. A callback for Trainer.fit()."""

    WIDTH = 24

    def __call__(self, p):
        whole = p.steps_in_epoch or p.step_in_epoch
        filled = self.WIDTH * p.step_in_epoch // max(whole, 1)
        numbers = f"loss {p.loss:.4f}" + "".join(f" {k} {v:.4f}" for k, v in (p.metrics or {}).items())
        line = (f"\repoch {p.epoch}/{p.epochs} [{'=' * filled}{' ' * (self.WIDTH - filled)}] {p.step_in_epoch}/{whole} "
                f"{p.rows_per_second:.0f} rows/s, {p.eta_seconds:.0f} s left, {numbers}")
        sys.stderr.write(line + "\x1b[K" + ("\n" if p.metrics is not None else ""))
        sys.stderr.flush()
