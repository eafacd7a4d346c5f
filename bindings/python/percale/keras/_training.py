"""compile(), fit() and evaluate() of all models."""
import json
import threading

from ..data import Dataset
from ..engine import Engine
from ..errors import FailedPrecondition, InvalidArgument
from ..graph import Builder
from ..tensor import Tensor
from ..training import Trainer
from . import _named
from ._arrays import fitting
from ._fit import Fit, sample_weights, split
from .losses import try_on_an_example as check_loss, wants_classes
from .metrics import _check as check_metric
from .optimizers import _check as check_optimizer, split as split_optimizer
from .strategies import scopes

# Arguments of optimizers, which compile() does not accept.
_OPTIMIZER_ARGUMENTS = {"learning_rate", "momentum", "nesterov", "beta_1", "beta_2", "rho", "epsilon", "weight_decay"}

# Keys that compile() adds to losses and metrics.
_BY_OUTPUT = {"metric", "predictions", "labels", "loss", "from_logits"}


def _config(what, thing):
    """Returns an optimizer, a loss or a metric as a dict. Accepts a name, a dict, or an object."""
    thing = _named.plain(thing)
    if isinstance(thing, str):
        return {"name": thing}
    if not isinstance(thing, dict) or not isinstance(thing.get("name"), str):
        raise TypeError(f"compile(): {what} is {thing!r}, wanted a name, a dict with \"name\", or an object of percale.keras")
    return dict(thing)


def _each(given):
    """Returns all parts of one value, a list, or a dict by outputs, whose entries may be lists too.
    """
    given = _named.plain(given)
    if isinstance(given, dict) and "name" not in given:
        given = list(given.values())
    if isinstance(given, (list, tuple)):
        return [one for part in given for one in _each(part)]
    return [] if given is None else [given]


def _by_output(what, given, names):
    """Returns {output: its value}. Accepts one value for all, a list in order, or a dict by names.
    """
    if isinstance(given, dict) and "name" not in given:
        unknown = [name for name in given if name not in names]
        if unknown:
            raise ValueError(f"compile(): {what} for '{unknown[0]}', the model's outputs are {', '.join(names)}")
        return dict(given)
    if isinstance(given, (list, tuple)) and len(names) > 1:
        if len(given) != len(names):
            raise ValueError(f"compile(): {len(given)} {what} for {len(names)} outputs")
        return {name: one for name, one in zip(names, given) if one is not None}
    return {name: given for name in names}


class Training:
    """Compiling and fitting. Subclasses supply the graph of predictions, its variables and its
    data.
    """

    def __init__(self, engine):
        self._strategy = scopes[-1] if scopes else None
        self._engine = engine or (self._strategy.engine if self._strategy else None)
        self._settings = self._variables = self._trainer = self._session = None
        self._weighted = self._validated = self.stop_training = False
        self._fitting = None  # the thread that runs fit()
        self._making = threading.RLock()  # guards creating graph, variables and session

    @property
    def engine(self):
        """The engine of the strategy, or an engine of the model's own."""
        with self._making:
            if self._engine is None:
                self._engine = Engine()
            return self._engine

    def compile(self, optimizer="adam", loss=None, metrics=(), *, loss_weights=None, shards=None, **settings):
        """Sets how to train. The weights stay; the state of the optimizer is reset.

        Optimizer, loss and metrics are names, dicts as in a SPEC, or objects of keras.optimizers,
        keras.losses and keras.metrics. With several outputs, losses, metrics and `loss_weights` may
        be lists, or dicts by the names of the outputs.

        `shards` is the number of parts of each batch that devices compute. The parts are added in a
        fixed order, so the same number gives the same bits on any devices. None chooses it by the
        size of the model.

        Further keywords are keys of a SPEC, such as seed, schedule and early_stopping.
        """
        misplaced = [name for name in settings if name in _OPTIMIZER_ARGUMENTS]
        if misplaced:
            optimizer = optimizer if isinstance(optimizer, dict) else {"name": optimizer}
            wanted = {**optimizer, **{name: settings[name] for name in misplaced}}
            raise TypeError(f"compile() takes no '{misplaced[0]}', the optimizer does: optimizer={wanted!r}")
        optimizer, schedule = split_optimizer(optimizer)
        if schedule is not None:
            settings.setdefault("schedule", schedule)
        metrics = metrics or []
        if isinstance(metrics, (list, tuple)):
            metrics = [_named.plain(metric) for metric in metrics]
        self._check_configs(optimizer, loss, metrics)
        self._settings = {"optimizer": optimizer, "loss": _named.plain(loss), "metrics": metrics, "shards": shards, **settings}
        self._loss_weights = loss_weights
        self._drop_trainer()

    @staticmethod
    def _check_configs(optimizer, loss, metrics):
        """Raises an error for a name or an argument that the library does not know."""
        if isinstance(optimizer, str) and optimizer.lstrip().startswith("{"):
            optimizer = json.loads(optimizer)
        if optimizer is not None:  # None means the library's default
            check_optimizer(_config("optimizer", optimizer))
        for one in _each(loss):
            check_loss({k: v for k, v in _config("loss", one).items() if k not in _BY_OUTPUT or k == "from_logits"})
        for one in _each(metrics):
            check_metric({k: v for k, v in _config("metric", one).items() if k not in _BY_OUTPUT})

    def _require_compile(self, what):
        """Raises an error if compile() was not called. `what` is the thing that needs it."""
        if self._settings is None:
            raise RuntimeError(f"{what} needs a compiled model; call compile() first")

    def _drop_trainer(self):
        self._trainer, self._weighted, self._validated = None, False, False
        if self._strategy is not None:
            self._strategy._replicas = None

    def _label(self, output):
        return "y" if len(self.graph.outputs) == 1 else f"y_{output}"

    def _losses(self):
        """Returns {output: its loss as a dict}."""
        self._require_compile("training")
        if self._settings["loss"] is None:
            raise InvalidArgument("the model has no loss, wanted its name; call compile(loss=...), for example with \"mse\"")
        given = _by_output("losses", self._settings["loss"], self.graph.outputs)
        beside = {key: self._settings[key] for key in ("class_weight", "from_logits") if self._settings.get(key) is not None}
        return {output: {**beside, **_config("loss", loss)} for output, loss in given.items()}

    def _trainer_settings(self, losses):
        """Returns the options of the trainer."""
        words = {key: value for key, value in self._settings.items()
                 if value not in (None, []) and key not in ("loss", "metrics", "class_weight", "from_logits", "weights")}
        if words.get("precision") == "f64":
            del words["precision"]
        clip = words.pop("clip", None)
        if clip is not None:
            clip = clip if isinstance(clip, dict) else {"global_norm": clip}
            names = {"global_norm": "clip_norm", "norm": "clip_each_norm", "value": "clip_value"}
            words.update({names.get(key, f"clip {key}"): value for key, value in clip.items()})
        words.update(words.pop("checkpoints", None) or {})
        if isinstance(words.get("freeze"), (list, tuple)):
            words["freeze"] = ",".join(words["freeze"])
        if "publish" in words:
            words["publish"] = str(words["publish"])
        if self._strategy is not None and self._strategy.preset is not None:
            words["strategy"] = self._strategy.preset
        weights = _by_output("loss_weights", 1 if self._loss_weights is None else self._loss_weights, self.graph.outputs)
        said = []
        for output, loss in losses.items():
            part = {**loss, "predictions": output, "labels": self._label(output), "weight": weights.get(output, 1)}
            said.append({**part, "sample_weight": self._weight_column(output)} if self._weighted else part)
        metrics, given = [], self._settings["metrics"]
        several = len(self.graph.outputs) > 1
        if several and isinstance(given, list) and not any(isinstance(one, (list, tuple)) for one in given):
            given = {output: given for output in losses}
        for output, wanted in (_by_output("metrics", given, self.graph.outputs) if several else {next(iter(losses)): given}).items():
            for metric in wanted if isinstance(wanted, (list, tuple)) else [wanted]:
                metric = _config("metric", metric)
                if several:
                    metric = {"metric": metric["name"], **metric, "name": f"{output}_{metric['name']}"}
                metrics.append({**metric, "predictions": output, "labels": self._label(output), "loss": losses[output]["name"],
                                "from_logits": bool(losses[output].get("from_logits", False))})
        return {**words, "loss": json.dumps(said[0] if len(said) == 1 else said), "metrics": json.dumps(metrics)}

    def _weight_column(self, output):
        return "sample_weight" if len(self.graph.outputs) == 1 else f"sample_weight_{output}"

    def _label_type(self, output, loss):
        dtype, shape = self.graph.type(output)
        return ("i64", shape and shape[:-1]) if wants_classes(loss["name"]) else (dtype, shape)

    def _make_trainer(self, weighted):
        """Returns the trainer. A trainer with sample weights replaces one without."""
        if self._trainer is not None and (self._weighted or not weighted):
            return self._trainer
        self._weighted = weighted
        losses, builder = self._losses(), Builder(self.engine, self.graph)
        for output, loss in losses.items():
            dtype, shape = self._label_type(output, loss)
            builder.input(self._label(output), shape, dtype)
            if weighted:
                builder.input(self._weight_column(output), [-1])
        if self._settings.get("weights") is not None:
            self.variables.load(self._settings["weights"], strict=False)
        self._trainer = None  # leaves its group before the new trainer forms one
        trainer = Trainer(self.engine, builder.finish(), self.variables, **self._trainer_settings(losses))
        if self._strategy is not None:
            self._strategy._join(trainer)
        self._trainer = trainer
        return self._trainer

    @property
    def trainer(self):
        """The trainer that fit() uses. To resume, call its restore() before fit().

        It exists after compile(), once the shape of the rows is known from Input(), build() or
        data.
        """
        if self._trainer is None:
            self._require_compile("the trainer")
            try:
                self.build()
            except ValueError as error:
                raise RuntimeError(f"no trainer yet: {error}. fit(cancellation=...) can be ended before it begins") from None
        return self._make_trainer(False)

    @property
    def learning_rate(self):
        """The optimizer's learning rate. The schedule applies to it. A new value takes effect with
        the next step.
        """
        return self.trainer.describe()["learning_rate"]

    @learning_rate.setter
    def learning_rate(self, rate):
        self.trainer.set_learning_rate(rate)

    def _publish(self):
        """During fit(), publishes the weights of the last completed step."""
        fitting_thread = self._fitting
        if fitting_thread is None:
            return
        if fitting_thread != threading.get_ident():
            raise FailedPrecondition("another thread is in fit() of this model; other threads than that one predict with "
                                     "percale.Session(model.engine, model.graph, model.variables)")
        self._trainer.publish()

    def _named_columns(self, what, given, names):
        """Returns {name: value} from an array, a list of arrays, or a dict."""
        if isinstance(given, dict):
            missing = [name for name in names if name not in given]
            if missing:
                raise ValueError(f"{what} has no '{missing[0]}', only {', '.join(given)}")
            return {name: given[name] for name in names}
        if len(names) == 1:
            return {names[0]: given}
        if not isinstance(given, (list, tuple)) or len(given) != len(names):
            raise ValueError(f"{what}: the model has {', '.join(names)}: give a list of {len(names)} arrays, or a dict by these names")
        return dict(zip(names, given))

    def _input_columns(self, x):
        return {name: fitting(value, self.graph.type(name)[0], name)
                for name, value in self._named_columns("x", x, self.graph.inputs).items()}

    def _columns(self, x, y, weights=None):
        """Returns tensors by the columns of the trainer, converted to the dtypes of the model."""
        columns, losses = self._input_columns(x), self._losses()
        for output, value in self._named_columns("y", y, list(losses)).items():
            dtype, shape = self._label_type(output, losses[output])
            columns[self._label(output)] = fitting(value, dtype, "y", shape and len(shape))
        rows = columns[self.graph.inputs[0]].shape[0]
        if self._weighted:
            given = {} if weights is None else self._named_columns("sample_weight", weights, list(losses))
            for output in losses:
                columns[self._weight_column(output)] = sample_weights(given.get(output), rows)
        return columns

    def _rows(self, x, y, weights, batch_size, shuffle):
        """Returns `x` if it is a data set, otherwise a data set of the arrays."""
        if isinstance(x, Dataset):
            return x
        return Dataset.from_tensors(self.engine, **self._columns(x, y, weights)).batch(batch_size, shuffle=shuffle)

    def _check_labels(self, x, y):
        names = x.names if isinstance(x, Dataset) else ["x"] if y is None else ["x", "y"]
        if not any(name == "y" or name.startswith("y_") for name in names):
            raise InvalidArgument(f"the loss '{self._settings and self._settings['loss']}' wants labels: the data set has the columns "
                                  f"{', '.join(map(repr, names))} and no 'y'; zip() joins one with labels")

    def fit(self, x, y=None, batch_size=32, epochs=1, verbose="auto", callbacks=None, validation_split=0.0, validation_data=None,
            shuffle=0, class_weight=None, sample_weight=None, initial_epoch=0, *, callback=None, cancellation=None):
        """Trains for `epochs` - `initial_epoch` more epochs.

        The data is arrays, or a data set with columns x and y. Arrays and lists are converted to
        the dtypes of the model, such as f32 and, for class numbers, i64. Data sets must already
        have them. Several inputs or outputs are lists, or dicts by their names.

        - `shuffle`: a seed, or False to keep the order of the rows.
        - `validation_data`: (x, y), (x, y, sample_weight) or a data set, evaluated after each
          epoch.
        - `validation_split`: the fraction of the rows, at the end of the arrays, to use for
          validation.
        - `class_weight`: {class: weight}.
        - `sample_weight`: one number per row. The loss is the mean weighted by it.
        - `callbacks`: objects of keras.callbacks.
        - `callback`: called after each step, as in Trainer.fit().
        - `cancellation`: a percale.Cancellation. Cancelling it from any thread ends fit() with
          Cancelled, or prevents its start. It replaces the one of trainer.set_cancellation() for
          this fit.

        A fit continues where the last one ended. If that was within an epoch, the epoch is finished
        first and counts as one of `epochs`. A training that the early_stopping of compile() ended
        stays ended.

        Returns a History. Its "loss" is the mean of the losses of the epoch, each before its step
        and weighted by its rows.
        """
        self._check_labels(x, y)
        self._build_for(x)
        if class_weight is not None:
            sample_weight = self._class_weights(x, y, class_weight, sample_weight)
        trainer = self._make_trainer(sample_weight is not None or self._weighted)
        if validation_split:
            (x, y, sample_weight), validation_data = split(x, y, sample_weight, validation_split)
        self._set_validation(trainer, validation_data, batch_size)
        data = self._rows(x, y, sample_weight, batch_size, shuffle)
        self._session = None
        if cancellation is not None:
            trainer.set_cancellation(cancellation)
        run = Fit(self, trainer, callbacks, callback, verbose, initial_epoch, epochs, validation_data is not None)
        self._fitting, self.stop_training = threading.get_ident(), False
        try:
            run.run(data)
        finally:
            self._fitting = None
            if cancellation is not None:
                trainer.set_cancellation(None)
        run.end()
        self.history = run.history
        return run.history

    def _set_validation(self, trainer, given, batch_size):
        if given is None:
            if self._validated:
                trainer.set_validation(None)
            return
        x, y, weights = (tuple(given) + (None,))[:3] if isinstance(given, (tuple, list)) else (given, None, None)
        trainer.set_validation(self._rows(x, y, weights, batch_size, None))
        self._validated = True

    def _class_weights(self, x, y, class_weight, sample_weight):
        losses = self._losses()
        if isinstance(x, Dataset) or len(losses) > 1:
            raise ValueError("class_weight goes with arrays and one output; compile(class_weight=...) with data sets as well")
        from ._fit import weights_of_classes

        return weights_of_classes(Tensor.of(y).numpy(), class_weight, sample_weight)

    def evaluate(self, x, y=None, batch_size=32, sample_weight=None, *, verbose=0):
        """Returns the loss and metrics as a dict."""
        self._check_labels(x, y)
        self._build_for(x)
        trainer = self._make_trainer(sample_weight is not None or self._weighted)
        return trainer.evaluate(self._rows(x, y, sample_weight, batch_size, None))

    def _build_for(self, x):
        """Builds the graph if that had to wait for data."""
