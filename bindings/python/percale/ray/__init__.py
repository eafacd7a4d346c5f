"""Training in the workers of Ray Train: as a group, with the bits of one process.

    def work(config):
        with pc.Engine() as engine, pc.Trainer.from_spec(engine, "job.json") as trainer:
            percale.ray.join(trainer)
            percale.ray.restore(trainer)  # after a failure, from the last report
            trainer.fit(callback=percale.ray.report_epochs(trainer))

    percale.ray.PercaleTrainer(work, scaling_config=ray.train.ScalingConfig(num_workers=4)).fit()

Ray starts the workers, and starts all of them again when one fails. They exchange bytes over
ZeroMQ. Needs ray[train] and pyzmq.
"""
import contextlib
import tempfile
import time
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import ray
import ray.exceptions
import ray.train
import ray.util
from ray.train import Checkpoint
from ray.train.backend import Backend, BackendConfig
from ray.train.v2.api.data_parallel_trainer import DataParallelTrainer

from ..data import Dataset
from ..engine import Engine
from ..errors import FailedPrecondition
from ..groups.collective import Collective
from ..groups.zeromq import Node
from ..training import Trainer

# The state of this worker.
_node: Optional[Node] = None
_collective: Optional[Collective] = None


def _open() -> Dict[str, str]:
    global _node
    _node = Node(ray.util.get_node_ip_address())
    return _node.card()


def _connect(rank: int, cards: List[Dict[str, str]], generation: int) -> None:
    global _collective
    assert _node is not None
    _collective = _node.collective(rank, cards, generation)


def _close() -> None:
    global _node, _collective
    if _node is not None:
        _node.close()
    _node = _collective = None


class _PercaleBackend(Backend):
    """Ray's own messages carry the cards, which say where each worker listens and by which key."""

    def on_start(self, worker_group: Any, backend_config: BackendConfig) -> None:
        cards = worker_group.execute(_open)
        generation = time.time_ns()
        ray.get([worker_group.execute_single_async(rank, _connect, rank, cards, generation) for rank in range(len(cards))])

    def on_shutdown(self, worker_group: Any, backend_config: BackendConfig) -> None:
        with contextlib.suppress(ray.exceptions.RayError):  # of a worker that is gone
            worker_group.execute(_close)


class PercaleConfig(BackendConfig):
    """Makes the workers of a DataParallelTrainer a group, which join() finds."""

    @property
    def backend_cls(self) -> type:
        return _PercaleBackend


class PercaleTrainer(DataParallelTrainer):
    """A DataParallelTrainer of Ray whose workers are a group. It takes the same arguments."""

    def __init__(self, train_loop_per_worker: Callable[..., None], **arguments: Any) -> None:
        super().__init__(train_loop_per_worker, backend_config=arguments.pop("backend_config", None) or PercaleConfig(), **arguments)


def join(trainer: Trainer) -> None:
    """Makes a trainer a member of the group of Ray's workers. `shards` is at least their number."""
    if _collective is None:
        raise FailedPrecondition("percale.ray.join() is for a worker of a PercaleTrainer, or of a trainer with a PercaleConfig")
    trainer.join(_collective)


def restore(trainer: Trainer) -> bool:
    """Goes on from the checkpoint of the last report, if there is one. All workers call it."""
    checkpoint = ray.train.get_checkpoint()
    if checkpoint is None:
        return False
    with checkpoint.as_directory() as folder:
        trainer.restore(folder)
    return True


def report(trainer: Trainer, metrics: Dict[str, Any]) -> None:
    """Reports metrics to Ray, with a checkpoint. All workers call it at the same step."""
    with tempfile.TemporaryDirectory() as folder:
        trainer.save(folder)
        leads = ray.train.get_context().get_world_rank() == 0
        ray.train.report(metrics, checkpoint=Checkpoint.from_directory(folder) if leads else None)


def report_epochs(trainer: Trainer) -> Callable[[Any], None]:
    """Returns a callback for fit(), which reports the numbers of each epoch with a checkpoint."""

    def on_step(progress: Any) -> None:
        if progress.epoch_ended:
            report(trainer, {"epoch": progress.epoch, "step": progress.step, "loss": progress.epoch_loss, **progress.metrics})

    return on_step


def dataset(engine: Engine, name: str = "train", **columns: Tuple[Any, Any]) -> Dataset:
    """Returns the part of a Ray Data set that this worker has, as a stream of rows.

    `name` is that of the trainer's `datasets`. Columns are name=(dtype, shape of one row). The
    trainer has `collective_data="parts"`. Ray gives out blocks of rows as workers ask for them, so
    that a second run may have other bits. A training that goes on within an epoch skips as many
    rows as it has seen.
    """
    shard = ray.train.get_dataset_shard(name)

    def batches(_epoch: int, first_row: int) -> Iterator[Dict[str, Any]]:
        left = first_row
        for batch in shard.iter_batches(batch_format="numpy"):
            rows = len(next(iter(batch.values())))
            skipped = min(left, rows)
            left -= skipped
            if skipped < rows:
                yield {column: batch[column][skipped:] for column in columns}

    return Dataset.from_batches(engine, batches, **columns)
