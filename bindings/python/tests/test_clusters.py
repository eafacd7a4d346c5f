"""Clusters, and trainers that join their group. The processes are threads of this one."""
import json
import socket
import threading
import unittest

import numpy as np

import percale as pc
from percale import keras

from support import KerasCase, engine, in_threads, needs_transport


def cluster_of(job, task=0, addresses=("a:1", "b:2", "c:3")):
    """Returns a cluster with a chief, workers and an evaluator."""
    tasks = {"chief": list(addresses[:1]), "worker": list(addresses[1:]), "evaluator": ["d:4"]}
    return pc.Cluster.from_json(json.dumps({"cluster": tasks, "task": {"type": job, "index": task}}))


def free_addresses(count):
    """Returns addresses of this machine whose ports are free."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    addresses = [f"127.0.0.1:{each.getsockname()[1]}" for each in sockets]
    for each in sockets:
        each.close()
    return addresses


def chief_and_worker(work):
    """Calls work(cluster) as the chief and as the worker of a cluster, and returns the results."""
    addresses = free_addresses(2)
    return in_threads(*(lambda job=job: work(cluster_of(job, 0, addresses)) for job in ("chief", "worker")))


def trainer_of(e):
    spec = {"model": [{"layer": "Dense", "units": 8, "activation": "relu"}, {"layer": "Dense", "units": 1}], "input_shape": [1],
            "loss": "mean_squared_error", "optimizer": "adam", "shards": 2, "seed": 1}
    return pc.Trainer.from_spec(e, spec, collective_timeout=30)


def line(e):
    x = np.linspace(-1, 1, 32, dtype=np.float32).reshape(32, 1)
    return pc.Dataset.from_tensors(e, x=x, y=2 * x + 1).batch(8, shuffle=3)


class Clusters(unittest.TestCase):
    def tearDown(self):
        self.assertEqual(pc.live_statuses(), 0)

    def test_a_cluster_is_described_in_code(self):
        cluster = pc.Cluster()
        self.assertEqual((cluster.role, cluster.rank), (("", 0), -1))
        cluster.add_task("worker", 0, "[::1]:7000")
        cluster.set_role("worker", 0)
        cluster.set_certificates("certificates")
        cluster.set_certificates(None)
        self.assertEqual((cluster.jobs, cluster.role), (["worker"], ("worker", 0)))
        self.assertEqual((cluster.task_count("worker"), cluster.task_count("ps")), (1, 0))
        self.assertEqual((cluster.address("worker", 0), cluster.address("worker", 1)), ("[::1]:7000", None))
        self.assertEqual((cluster.rank, cluster.size), (0, 1))
        with self.assertRaisesRegex(pc.AlreadyExists, "task 0"):
            cluster.add_task("worker", 0, "b:1")

    def test_ranks_are_those_of_the_chief_and_the_workers(self):
        for job, task, rank in (("chief", 0, 0), ("worker", 0, 1), ("worker", 1, 2), ("evaluator", 0, -1)):
            cluster = cluster_of(job, task)
            self.assertEqual((cluster.role, cluster.rank, cluster.size), ((job, task), rank, 3))

    def test_bad_json_is_refused(self):
        with self.assertRaisesRegex(pc.InvalidArgument, "'cluster'"):
            pc.Cluster.from_json('{"cluster": []}')


class JoinCluster(unittest.TestCase):
    def tearDown(self):
        self.assertEqual(pc.live_statuses(), 0)

    def test_a_process_that_does_not_train_cannot_join(self):
        trainer = trainer_of(engine())
        with self.assertRaisesRegex(pc.FailedPrecondition, "its job is 'evaluator'"):
            trainer.join_cluster(cluster_of("evaluator"))
        with self.assertRaisesRegex(TypeError, "the cluster is None, wanted a percale.Cluster"):
            trainer.join_cluster(None)

    @needs_transport
    def test_a_chief_and_a_worker_compute_the_bits_of_one_trainer(self):
        def train(cluster):
            e = engine()
            trainer = trainer_of(e)
            trainer.join_cluster(cluster, 60)
            trainer.fit(line(e), 3)
            return trainer.variables.digest()

        e = engine()
        alone = trainer_of(e)
        alone.fit(line(e), 3)
        self.assertEqual(chief_and_worker(train), [alone.variables.digest()] * 2)

    @needs_transport
    def test_a_chief_without_its_worker_gives_up_after_the_timeout(self):
        e = engine()
        trainer = trainer_of(e)
        with self.assertRaises((pc.Unavailable, pc.DeadlineExceeded)):
            trainer.join_cluster(cluster_of("chief", 0, free_addresses(2)), 0.2)
        trainer.fit(line(e), 1)  # alone
        self.assertEqual(trainer.steps, 4)


class KerasWords(KerasCase):
    def tearDown(self):
        self.assertEqual(pc.live_statuses(), 0)

    def test_a_strategy_of_several_workers_knows_how_many_replicas_there_are(self):
        strategy = keras.MultiWorkerMirroredStrategy(cluster_of("worker"), threads=1)
        self.assertEqual(strategy.num_replicas_in_sync, 3)
        with strategy.scope():
            model = self.keras_model()
        self.assertEqual(model.spec((8,))["strategy"], "multi_worker_mirrored")

    @needs_transport
    def test_models_of_two_workers_train_to_the_bits_of_one(self):
        x, y = self.data()

        def train(model):
            model.fit(x, y, epochs=2, verbose=0)
            return model.variables.digest()

        scopes = threading.Lock()  # a scope is of the whole process

        def as_worker(cluster):
            strategy = keras.MultiWorkerMirroredStrategy(cluster, 60, threads=1)
            with scopes, strategy.scope():
                model = self.keras_model()
            return train(model)

        self.assertEqual(chief_and_worker(as_worker), [train(self.keras_model(engine()))] * 2)


if __name__ == "__main__":
    unittest.main()
