"""Strategies that distribute training over devices."""
import contextlib
import os

from ..engine import Engine

scopes = []  # strategies whose scope() is open, the innermost last


class Strategy:
    """Sets where models that are created within scope() train.

    The keywords are options of kind "engine".
    """

    preset = None

    def __init__(self, **settings):
        if "engine" in settings:
            raise TypeError(f"{type(self).__name__} makes an engine of its own and takes none; its keywords are options of kind "
                            "'engine', such as threads=2. Sequential(engine=...) takes one")
        self.engine = Engine(**settings)
        self._replicas = None

    @property
    def num_replicas_in_sync(self):
        """The number of devices that compute parts of a batch.

        From the first step of fit() on, it is the number that the trainer uses. Before that, and
        after a compile(), it is the number of all devices.
        """
        return self._replicas or len(self.engine.devices)

    @contextlib.contextmanager
    def scope(self):
        """Makes models that are created within `with` train with this strategy."""
        scopes.append(self)
        try:
            yield
        finally:
            scopes.remove(self)

    def experimental_distribute_dataset(self, dataset):
        """Returns the data set unchanged, because fit() gives each replica its part of every batch.
        """
        return dataset


class MirroredStrategy(Strategy):
    """Devices compute parts of every batch. The weights have the same bits as on one device.

    Without `devices`, there is one CPU device per processor.

    A batch is cut into shards. Their number depends on the size of the model, not on the devices,
    so results do not depend on the devices either. A device gets work only if there are enough
    shards: a small model has one shard, and trains on one device. To use more devices, set `shards`
    in compile() to at least their number. num_replicas_in_sync is the number of devices with work;
    trainer.describe()["idle_devices"] are those without.
    """

    preset = "mirrored"

    def __init__(self, devices=None, **settings):
        processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        super().__init__(devices=devices or f"cpu={processors}x1", **settings)


class ParameterServerStrategy(Strategy):
    """Devices compute parts of batches, with the preset parameter_server."""

    preset = "parameter_server"
