"""Trainers."""
import contextlib
import json
import os

from ._library import FORGET, Names, ffi, forget, keep, lib, path_of, string
from .groups.collective import Supplier, grouped
from .engine import options_or_null
from .errors import callback, check
from .graph import Graph
from .handle import ExclusiveHandle, exclusive, out, pointer_of, pointer_or_null, text_from
from .session import Variables, fetch_names, nanoseconds, shaped
from .tensor import Tensor, Tensors


class Progress:
    """The state of a training after a step.

    The fields are epoch, epochs, step, steps, step_in_epoch, steps_in_epoch, loss, learning_rate,
    rows_per_second, seconds, eta_seconds, and epoch_loss (the mean over the rows of the epoch so
    far, each before its update). `epoch_ended` is True if the step ended an epoch; `metrics` is
    then a dict, otherwise None.
    """

    FIELDS = ("epoch", "epochs", "step", "steps", "step_in_epoch", "steps_in_epoch", "loss", "learning_rate",
              "rows_per_second", "seconds", "eta_seconds", "epoch_loss")
    __slots__ = FIELDS + ("epoch_ended", "metrics")

    def __init__(self, p):
        for field in self.FIELDS:
            setattr(self, field, getattr(p, field))
        self.epoch_ended = bool(p.epoch_ended)
        names = [string(p.metric_names[i]) for i in range(p.metric_count)] if self.epoch_ended else []
        self.metrics = {name: p.metric_values[i] for i, name in enumerate(names)} if self.epoch_ended else None


@callback("percale_progress_callback", failed=1)
def _on_progress(user, progress):
    function = ffi.from_handle(user)
    return 1 if function is not None and function(Progress(progress)) is False else 0


def _turn_of(dataset):
    """Returns the turn of a data set, or for None a context that does nothing."""
    return contextlib.nullcontext() if dataset is None else dataset.turn


class Trainer(ExclusiveHandle):
    """Trains the variables of a graph. Only one thread at a time may use it, except for cancel().
    """

    kind = "trainer"
    _supplier = None  # of the group that it is a member of

    def __init__(self, engine, graph, variables, **settings):
        """Creates a trainer for a graph with the columns of the data as inputs and a scalar loss.

        The keywords are options of kind "trainer": loss, optimizer, shards, mode, devices, ...
        """
        pointer = out("trainer")
        check(lib.percale_trainer_create(pointer_of(engine, "engine"), pointer_of(graph, "graph"), pointer_or_null(variables),
                                         options_or_null("trainer", settings), pointer))
        super().__init__(pointer[0])

    @classmethod
    def from_spec(cls, engine, spec, data_folder=None, **settings):
        """Creates a trainer from a SPEC: a dict, JSON text, or the path of a file.

        Relative paths in a dict or in JSON text are those of the current folder, and in a file
        those of its folder. `data_folder`, PERCALE_DATA and the cache are searched first.
        """
        folder = None
        if isinstance(spec, dict):
            text = json.dumps(spec)
        elif isinstance(spec, os.PathLike) or not spec.lstrip().startswith("{"):
            folder = os.path.dirname(os.path.abspath(spec))
            with open(spec, encoding="utf-8") as file:
                text = file.read()
        else:
            text = spec
        pointer, encoded = out("trainer"), text.encode()
        check(lib.percale_trainer_from_spec(pointer_of(engine, "engine"), encoded, len(encoded), ffi.NULL if folder is None else path_of(folder),
                                            ffi.NULL if data_folder is None else path_of(data_folder), options_or_null("trainer", settings),
                                            pointer))
        trainer = cls.__new__(cls)
        ExclusiveHandle.__init__(trainer, pointer[0])
        return trainer

    @exclusive
    @grouped
    def step(self, **batch):
        """Runs one training step on a batch, step(x=images, y=labels), and returns its loss."""
        names, given, loss = Names(batch), Tensors(batch.values()), ffi.new("double*")
        check(lib.percale_trainer_step(self.c, names.array, given.array, len(names), loss))
        return loss[0]

    @exclusive
    @grouped
    def step_fetch(self, fetches, /, **batch):
        """Runs one training step and also returns values of its forward pass.

            loss, scores = trainer.step_fetch("scores", x=images, y=labels)

        Fetches are outputs of `model`, or other values that the loss depends on. They are computed
        in training mode, before the update, and have one row per row of the batch. A list of names
        returns a dict of tensors, one name its tensor.
        """
        wanted, single = fetch_names(fetches)
        names, given, fetched, loss = Names(batch), Tensors(batch.values()), Names(wanted), ffi.new("double*")
        found = ffi.new("percale_tensor*[]", max(len(wanted), 1))
        check(lib.percale_trainer_step_fetch(self.c, names.array, given.array, len(names), fetched.array, len(fetched), found, loss))
        return loss[0], shaped([Tensor(found[i]) for i in range(len(wanted))], wanted, single)

    @exclusive
    @grouped
    def fit(self, dataset=None, epochs=0, callback=None):
        """Trains on a data set until `epochs` epochs are done.

        None means the data of the SPEC, and 0 the epochs of the SPEC. `epochs` counts all epochs of
        the trainer, including those of earlier fits and of a restored checkpoint: after fit(data,
        1), fit(data, 2) trains one more. describe()["epoch"] is the number of the next epoch, from
        1.

        `callback(Progress)` is called after each step. If it returns False, the training ends
        after this step, and fit() returns as usual. If it raises, or on Control-C, the training
        ends and fit() raises the exception.
        """
        user = ffi.new_handle(callback)
        with _turn_of(dataset):
            check(lib.percale_trainer_fit(self.c, pointer_or_null(dataset), epochs, _on_progress, user))

    @exclusive
    def set_validation(self, dataset):
        """Sets data that fit() evaluates after each epoch. None removes it."""
        with _turn_of(dataset):
            check(lib.percale_trainer_set_validation(self.c, pointer_or_null(dataset)))

    @exclusive
    @grouped
    def evaluate(self, dataset=None):
        """Returns the loss and metrics over a data set as a dict. None means the SPEC's test data.

        Values that are not finite are NaN.
        """
        with _turn_of(dataset):
            text = text_from(lib.percale_trainer_evaluate, self.c, pointer_or_null(dataset))
        found = json.loads(text)  # JSON has null for NaN and infinities
        return {name: float("nan") if value is None else value for name, value in found.items()}

    @exclusive
    def join(self, collective):
        """Makes the trainer a member of a group of processes, for the rest of its life.

        All ranks call it with the same job, first values of variables and completed steps. What
        they call from then on must be the same on all of them, too: fit(), step() with the whole
        batch, evaluate(), save() and restore(). save() writes on rank 0, and any number of ranks
        can resume from it.

        With the setting `collective_data="parts"`, each rank fits, steps and evaluates on its own
        part of the data.

        The setting `collective_timeout` limits each exchange. FailedPrecondition names a setting
        that a group cannot have (mode other than sync, parameters other than host), or the first
        one in which a rank differs from rank 0. An exception of `collective` is raised by the call
        that needed it, such as fit().
        """
        supplier = Supplier(collective)
        user = keep(supplier)
        try:
            check(lib.percale_trainer_join(self.c, supplier.table(user), FORGET))
        except Exception as error:
            forget(user)
            raised = supplier.taken(error)
            raise error if raised is None else raised
        self._supplier = supplier

    @exclusive
    def join_cluster(self, cluster, timeout=None):
        """Makes the trainer a member of the group of the cluster's processes that train.

        These are the chief and the workers. A plug-in connects them: libpercale_remote.so by gRPC.
        Returns when all of them have called it, or raises Unavailable or DeadlineExceeded after
        `timeout` seconds; None means no limit. All else is as with join(); training goes on without
        a worker that is lost. close() leaves the group.

        Addresses beyond this machine need certificates, see Cluster.set_certificates(). Raises
        Unimplemented if no plug-in connects processes, and FailedPrecondition if this process does
        not train, has another version or numerics fingerprint than the others, or lacks
        certificates.
        """
        tasks = pointer_of(cluster, "cluster")
        with cluster.turn:
            check(lib.percale_trainer_join_cluster(self.c, tasks, nanoseconds(timeout)))

    @exclusive
    @grouped
    def publish(self):
        """Publishes the trained values as the next version of the variables."""
        check(lib.percale_trainer_publish(self.c))

    @exclusive
    def set_learning_rate(self, rate):
        """Sets the optimizer's learning rate from the next step on. The schedule applies to this
        rate.

        The callback of fit() may call it.
        """
        check(lib.percale_trainer_set_learning_rate(self.c, rate))

    def cancel(self):
        """Ends the current step with Cancelled. Any thread."""
        lib.percale_trainer_cancel(self.c)

    @exclusive
    def set_cancellation(self, cancellation):
        """Makes later step(), fit() and evaluate() end with Cancelled.

        They do so when `cancellation` is cancelled: within a step, between two steps, or before
        they begin. None removes the cancellation that was set.
        """
        lib.percale_trainer_set_cancellation(self.c, pointer_or_null(cancellation))

    @exclusive
    @grouped
    def save(self, folder):
        """Writes a checkpoint folder/step-N atomically."""
        check(lib.percale_trainer_save(self.c, path_of(folder)))

    @exclusive
    @grouped
    def restore(self, path):
        """Loads a checkpoint: folder/step-N, or the newest intact one of a folder.

        If the checkpoint belongs to another job, FailedPrecondition names the first difference.
        """
        check(lib.percale_trainer_restore(self.c, path_of(path)))

    @exclusive
    def lock_folder(self, folder, overwrite=False):
        """Locks the folder for this trainer until it is closed. Call restore() first.

        Unavailable names the process that holds the lock. AlreadyExists means that the folder has
        checkpoints of another run; `overwrite` removes them instead.
        """
        check(lib.percale_trainer_lock_folder(self.c, path_of(folder), overwrite))

    @property
    @exclusive
    def model(self):
        """The graph for inference."""
        pointer = out("graph")
        check(lib.percale_trainer_model(self.c, pointer))
        return Graph(pointer[0])

    @property
    @exclusive
    def variables(self):
        """The table that the trainer trains."""
        pointer = out("variables")
        check(lib.percale_trainer_variables(self.c, pointer))
        return Variables(pointer[0])

    @property
    @exclusive
    def steps(self):
        """The number of completed steps."""
        return lib.percale_trainer_steps(self.c)

    @exclusive
    def history(self, format="csv"):
        """Returns the history: "csv" and "svg" as str, "events" (TensorBoard) as bytes."""
        history = text_from(lib.percale_trainer_history, self.c, format.encode())
        return history if format == "events" else history.decode()

    @exclusive
    def describe(self):
        """Returns facts: parameters, shards, devices, batch size, optimizer, data."""
        return json.loads(text_from(lib.percale_trainer_describe, self.c))

    @exclusive
    def set_trace(self, trace):
        """Records the trainer's activity from now on. None ends the recording."""
        lib.percale_trainer_set_trace(self.c, pointer_or_null(trace))
