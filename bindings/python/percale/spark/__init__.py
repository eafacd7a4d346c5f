"""Training in the executors of Spark, and prediction in an ordinary stage.

    digests = percale.spark.run(session, work, workers=4)  # work() calls join(trainer)

    columns = {"x": ("f32", (784,)), "y": ("i64", ())}
    model = percale.spark.PercaleEstimator(spec, columns, workers=4).fit(table)
    model.transform(table)  # adds a column "prediction"

The workers are the tasks of a barrier stage, which Spark starts together, and starts again when one
fails. They exchange bytes over ZeroMQ. Needs pyspark of 3.5 or newer, pyarrow and pyzmq.
"""
import contextlib
import json
import os
import tempfile
import time
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np
import pyarrow as pa
from pyspark import BarrierTaskContext
from pyspark.ml import Estimator, Model
from pyspark.sql import types as sql

from ..data import Dataset
from ..engine import Engine
from ..errors import FailedPrecondition
from ..graph import Graph
from ..groups.collective import Collective
from ..groups.zeromq import Node
from ..session import Session, Variables
from ..training import Trainer

Columns = Mapping[str, Tuple[str, Sequence[int]]]

# The collective of this task.
_collective: Optional[Collective] = None


@contextlib.contextmanager
def _group() -> Iterator[int]:
    """Makes the tasks of the barrier stage a group, and gives the rank. Spark carries the cards."""
    global _collective
    context = BarrierTaskContext.get()
    rank = context.partitionId()
    with Node(context.getTaskInfos()[rank].address.rsplit(":", 1)[0]) as node:
        found = [json.loads(told) for told in context.allGather(json.dumps({"card": node.card(), "time": time.time_ns()}))]
        _collective = node.collective(rank, [told["card"] for told in found], found[0]["time"])
        try:
            yield rank
        finally:
            _collective = None


def join(trainer: Trainer) -> None:
    """Makes a trainer a member of the group of the tasks. Its `shards` is at least their number."""
    if _collective is None:
        raise FailedPrecondition("percale.spark.join() is for the function of percale.spark.run()")
    trainer.join(_collective)


def run(session: Any, work: Callable[[int], Any], workers: int) -> List[Any]:
    """Calls work(rank) in `workers` tasks that are a group, and returns the results by rank.

    The cluster has as many free slots. Spark pickles `work`, and what it returns.
    """

    def task(_rows: Iterator[Any]) -> Iterator[Any]:
        with _group() as rank:
            yield rank, work(rank)

    tasks = session.sparkContext.parallelize(range(workers), workers).barrier().mapPartitions(task)
    # Spark starts a barrier stage again only if its results go to another stage.
    return [result for _, result in sorted(tasks.coalesce(1, shuffle=True).collect(), key=lambda told: told[0])]


def _arrays(batch: pa.RecordBatch, columns: Columns) -> Dict[str, np.ndarray]:
    """Returns the columns of an Arrow batch as arrays; lists become rows of their shape."""
    out = {}
    for name, (_, shape) in columns.items():
        column = batch.column(batch.schema.get_field_index(name))
        flat = column.flatten() if pa.types.is_list(column.type) or pa.types.is_large_list(column.type) else column
        out[name] = flat.to_numpy(zero_copy_only=False).reshape(batch.num_rows, *shape)
    return out


class _Part:
    """The rows of a task, in a file of Arrow batches: Spark gives them once, a training reads them
    once per epoch."""

    def __init__(self, batches: Iterator[pa.RecordBatch], folder: str) -> None:
        self.path = os.path.join(folder, "rows.arrow")
        writer = None
        for batch in batches:
            writer = writer or pa.ipc.new_file(self.path, batch.schema)
            writer.write_batch(batch)
        if writer is not None:
            writer.close()

    def batches(self, columns: Columns, first_row: int) -> Iterator[Dict[str, np.ndarray]]:
        """Gives the batches from a row on, as arrays."""
        if not os.path.exists(self.path):
            return
        with pa.memory_map(self.path) as file:
            reader, left = pa.ipc.open_file(file), first_row
            for i in range(reader.num_record_batches):
                batch = reader.get_batch(i)
                skipped = min(left, batch.num_rows)
                left -= skipped
                if skipped < batch.num_rows:
                    yield _arrays(batch.slice(skipped), columns)


class PercaleEstimator(Estimator):
    """Trains a SPEC on the rows of a table.

    `columns` are {name: (dtype, shape of one row)} of the inputs and labels; a column of a row with
    dims is an array of numbers. `workers` tasks train, each on its part of the rows, in batches of
    `batch_size`. `options` are further settings of the trainer. `checkpoints`: a folder that all
    executors see. The state is saved there after each epoch, and a stage that Spark starts again
    goes on from it.
    """

    def __init__(self, spec: Mapping[str, Any], columns: Columns, *, workers: int = 1, batch_size: int = 32, epochs: Optional[int] = None,
                 checkpoints: Optional[str] = None, options: Optional[Mapping[str, Any]] = None) -> None:
        super().__init__()
        self.spec, self.columns, self.workers, self.batch_size, self.checkpoints = dict(spec), dict(columns), workers, batch_size, checkpoints
        self.epochs = epochs or self.spec.get("epochs", 1)
        self.options = {"shards": workers, **(options or {}), "collective_data": "parts"}
        if "shards" in self.spec:
            self.options.pop("shards")

    def _fit(self, dataset: Any) -> "PercaleModel":
        spec, columns, epochs, batch_size = self.spec, self.columns, self.epochs, self.batch_size
        options, checkpoints = self.options, self.checkpoints

        def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            with tempfile.TemporaryDirectory() as folder, _group() as rank, Engine() as engine, \
                    Trainer.from_spec(engine, spec, **options) as trainer:
                part = _Part(batches, folder)
                join(trainer)
                if checkpoints and os.path.isdir(checkpoints):
                    trainer.restore(checkpoints)

                def on_step(progress: Any) -> None:
                    if checkpoints and progress.epoch_ended:
                        trainer.save(checkpoints)

                rows = Dataset.from_batches(engine, lambda _, first: part.batches(columns, first), **columns)
                trainer.fit(rows.batch(batch_size), epochs, callback=on_step)
                if rank == 0:
                    path = os.path.join(folder, "model.percale")
                    trainer.model.save(path, trainer.variables)
                    with open(path, "rb") as file:
                        yield pa.record_batch([[file.read()]], names=["model"])

        table = dataset.select(*columns).repartition(self.workers)
        schema = sql.StructType([sql.StructField("model", sql.BinaryType())])
        found = table.mapInArrow(task, schema, barrier=True).repartition(1).collect()  # as in run()
        return PercaleModel(bytes(found[0].model), columns)


class PercaleModel(Model):
    """A trained model. transform() adds the model's first output as a column "prediction", an array
    of floats per row. `graph` has the bytes of a .percale file.
    """

    def __init__(self, graph: bytes, columns: Columns) -> None:
        super().__init__()
        self.graph, self.columns = graph, dict(columns)

    def save_file(self, path: str) -> None:
        """Writes the model as a .percale file, which every other binding loads."""
        with open(path, "wb") as file:
            file.write(self.graph)

    def _transform(self, dataset: Any) -> Any:
        model, columns = self.graph, self.columns

        def predict(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            with Engine() as engine:
                graph = Graph.load(engine, model)
                session = Session(engine, graph, Variables.of(engine, graph))
                inputs = {name: columns[name] for name in graph.inputs}
                for batch in batches:
                    found = session.run(_arrays(batch, inputs), next(iter(graph.outputs))).numpy()
                    rows = pa.array(list(found.reshape(batch.num_rows, -1).astype(np.float32)), pa.list_(pa.float32()))
                    yield pa.RecordBatch.from_arrays([*batch.columns, rows], names=[*batch.schema.names, "prediction"])

        schema = sql.StructType([*dataset.schema.fields, sql.StructField("prediction", sql.ArrayType(sql.FloatType()))])
        return dataset.mapInArrow(predict, schema)
