"""Strategies that distribute training over devices."""
import contextlib
import os

from ..engine import Engine
from ..groups.cluster import Cluster

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

    def _join(self, trainer):
        """Makes a new trainer a member of the strategy's group, if it has one."""

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
    """Devices compute parts of batches without waiting for each other, with the preset
    parameter_server.

    With `cluster`, they are those of the workers of a cluster, and the parameters lie on those of
    its job "ps": the text of TF_CONFIG's JSON, or "environment" for the cluster that the launcher
    describes. This process is then the chief. The workers and servers run `percale-worker` or wait
    in a Server.
    """

    preset = "parameter_server"

    def __init__(self, cluster=None, **settings):
        if cluster is not None:
            settings = {"devices": "/job:worker,/job:ps", "cluster": cluster, **settings}
        super().__init__(**settings)

    @property
    def num_replicas_in_sync(self):
        """The number of devices that compute parts of batches."""
        workers = [device for device in self.engine.devices if device.startswith("/job:worker/")]
        return self._replicas or len(workers) or super().num_replicas_in_sync


class MultiWorkerMirroredStrategy(Strategy):
    """Processes on one machine or many compute parts of every batch. The weights have the bits of
    one process.

    `cluster` has the addresses of the processes and the role of this one; by default it is
    Cluster.from_environment(). A model joins its group when it makes its trainer: in the first
    fit() or evaluate(), or when `trainer` is first used. All processes do so with the same model,
    and then make the same calls with the same data. They wait for each other up to `timeout`
    seconds; None means no limit. Trainer.join_cluster() has the errors.

    Each process computes some of the shards of a batch, so set `shards` in compile() to at least
    the number of processes.
    """

    preset = "multi_worker_mirrored"

    def __init__(self, cluster=None, timeout=None, **settings):
        super().__init__(**settings)
        self.cluster = Cluster.from_environment() if cluster is None else cluster
        self._timeout = timeout

    @property
    def num_replicas_in_sync(self):
        """The number of devices that compute parts of a batch in this process, times the number of
        processes.
        """
        return super().num_replicas_in_sync * self.cluster.size

    def _join(self, trainer):
        trainer.join_cluster(self.cluster, self._timeout)
