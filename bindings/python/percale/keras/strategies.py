"""Strategies that spread training over devices."""
import contextlib
import os

from ..engine import Engine

scopes = []  # strategies whose scope() is open, the innermost last


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
        scopes.append(self)
        try:
            yield
        finally:
            scopes.remove(self)

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
