"""Uses the devices of `percale-worker` from Python: whole jobs on remote devices and on parameter
servers give the digests of one process, and a session with a target runs a graph elsewhere.
Usage: target_test.py BUILD SOURCE PERCALE_WORKER"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

BUILD, SOURCE, WORKER = (os.path.abspath(path) for path in sys.argv[1:4])
sys.dont_write_bytecode = True
for folder in ("bindings/python/tests", "tests/groups", "tests/cli", "tests/remote"):
    sys.path.insert(0, os.path.join(SOURCE, folder))
import check  # noqa: E402
from cluster import free_ports  # noqa: E402
from worker_processes import Workers  # noqa: E402


class Digests(unittest.TestCase):
    """Every job gives the digest of one process."""

    @classmethod
    def setUpClass(cls):
        cls.workers = Workers(WORKER, *[("--threads", "1")] * 4)

    @classmethod
    def tearDownClass(cls):
        cls.workers.close()

    def check_all(self, keys=None, **settings):
        import jobs
        for job in jobs.JOBS:
            with self.subTest(job):
                self.assertEqual(jobs.train(job, keys=keys, threads=2, **settings), jobs.train_alone(job))

    def test_remote_devices(self):
        self.check_all(devices=",".join(f"remote:{address}/cpu:0" for address in self.workers.addresses[:3]))

    def test_parameter_servers_in_sync_mode(self):
        addresses = self.workers.addresses
        cluster = json.dumps({"cluster": {"worker": addresses[:2], "ps": addresses[2:]}})
        self.check_all({"strategy": "parameter_server", "mode": "sync"}, devices="/job:worker,/job:ps", cluster=cluster)

    def test_a_strategy_of_keras_uses_the_cluster(self):
        import numpy as np
        from percale import keras
        addresses = self.workers.addresses
        strategy = keras.ParameterServerStrategy(json.dumps({"cluster": {"worker": addresses[:3], "ps": addresses[3:]}}))
        self.assertEqual(strategy.num_replicas_in_sync, 3)
        with strategy.scope():
            model = keras.Sequential([keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)], input_shape=[4])
        model.compile(optimizer="adam", loss="mse", shards=6)
        x = np.random.default_rng(2).standard_normal((96, 4)).astype(np.float32)
        losses = model.fit(x, x.sum(1, keepdims=True), batch_size=24, epochs=20, verbose=0).history["loss"]
        self.assertLess(losses[-1], losses[0])
        self.assertEqual(strategy.num_replicas_in_sync, 3)
        held = model.trainer.describe()["parameter_placement"]["devices"]
        self.assertEqual([place["name"] for place in held], ["/job:ps/task:0/device:cpu:0"])


class Target(unittest.TestCase):
    """Two workers of a cluster, of which the first one uses the devices of both."""

    @classmethod
    def setUpClass(cls):
        addresses = [f"127.0.0.1:{port}" for port in free_ports(2)]
        cls.folder = tempfile.TemporaryDirectory()
        path = os.path.join(cls.folder.name, "cluster.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"cluster": {"worker": addresses}}, file)
        command = [WORKER, "--cluster", path, "--task"]
        cls.target = f"percale://{addresses[0]}"
        cls.processes = [subprocess.Popen([*command, *more], stdout=subprocess.PIPE, text=True)
                         for more in (["worker:1"], ["worker:0", "--devices", "/job:worker"])]
        for process in cls.processes:
            assert process.stdout.readline().startswith("serving ")

    @classmethod
    def tearDownClass(cls):
        for process in cls.processes:
            process.terminate()
            process.communicate()
        cls.folder.cleanup()

    def graph(self, engine):
        """y = tanh(x w) w' with a half on each worker, and a node that y does not need."""
        import numpy as np
        import percale as pc
        from percale import ops
        random = np.random.default_rng(4)
        builder = pc.Builder(engine)
        x = builder.input("x", [-1, 6])
        w = builder.variable("w", random.standard_normal((6, 8)).astype(np.float32))
        with builder.device("/job:worker/task:0"):
            middle = ops.Tanh(builder, ops.MatMul(builder, x, w), name="middle")
        with builder.device("/job:worker/task:1"):
            y = ops.MatMul(builder, middle, builder.constant(random.standard_normal((8, 3)).astype(np.float32)), name="y")
            ops.Exp(builder, y, name="unneeded")
        builder.outputs(y)
        return builder.finish()

    def test_a_graph_on_two_workers_gives_the_bits_of_this_process(self):
        import numpy as np
        import percale as pc
        x = np.random.default_rng(1).standard_normal((5, 6)).astype(np.float32)
        with pc.Engine() as engine:
            graph = self.graph(engine)
            variables = pc.Variables.of(engine, graph)
            here = pc.Session(engine, graph, variables, soft_placement=True)
            there = pc.Session(engine, graph, variables, target=self.target)
            for _ in range(3):
                self.assertEqual(here.run({"x": x}, "y").numpy().tobytes(), there.run({"x": x}, "y").numpy().tobytes())
            stats = there.stats()
            self.assertEqual((stats["plans"], stats["cache_hits"], stats["runs"]), (1, 2, 3))
            # The graph was sent without the node that nothing needs, and as one part.
            plan = json.dumps(there.explain({"x": (x.dtype, x.shape)}, "y"))
            self.assertNotIn("unneeded", plan)
            self.assertIn("engine:0", plan)

    def test_a_value_that_is_assigned_is_sent_again(self):
        import numpy as np
        import percale as pc
        x = np.ones((1, 6), np.float32)
        with pc.Engine() as engine:
            graph = self.graph(engine)
            variables = pc.Variables.of(engine, graph)
            there = pc.Session(engine, graph, variables, target=self.target)
            before = there.run({"x": x}, "y").numpy()
            variables["w"] = np.zeros((6, 8), np.float32)
            after = there.run({"x": x}, "y").numpy()
            self.assertTrue((after == 0).all())
            self.assertFalse((before == 0).all())

    def test_wrong_targets_are_named(self):
        import percale as pc
        port = free_ports(1)[0]
        with pc.Engine(connect_timeout=1) as engine:
            graph = self.graph(engine)
            for target, wanted in (("host:1", "percale://HOST:PORT"), (f"percale://127.0.0.1:{port}", str(port)),
                                   ("percale://192.0.2.1:7000", "certificates")):
                with self.assertRaisesRegex(pc.Error, wanted):
                    pc.Session(engine, graph, pc.Variables.of(engine, graph), target=target)


def run():
    return 0 if unittest.main(argv=[sys.argv[0], *sys.argv[4:]], exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(check.run_on_wheel(BUILD, run))
