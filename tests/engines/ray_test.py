"""Trains in the workers of a real Ray cluster of several raylets on this machine.

    ray_test.py BUILD SOURCE

Skipped without ray; `sh subprojects/setup --engines` brings it.
"""
import concurrent.futures
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

import engine_tests

try:
    import numpy as np
    from cluster import free_ports
except ImportError:  # engine_tests starts a Python that has them
    np = None


SPEC = {"model": [{"layer": "Dense", "units": 8, "activation": "relu"}, {"layer": "Dropout", "rate": 0.2}, {"layer": "Dense", "units": 3}],
        "input_shape": [5], "loss": "sparse_categorical_crossentropy", "from_logits": True, "optimizer": "adam", "shards": 4, "seed": 1}
ROWS, EPOCHS = 48, 3


def rows():
    random = np.random.default_rng(3)
    return {"x": random.random((ROWS, 5), np.float32), "y": random.integers(0, 3, ROWS)}


def train_alone():
    """Returns the digest of one process."""
    import percale as pc
    with pc.Engine(devices="cpu:0") as engine, pc.Trainer.from_spec(engine, SPEC) as trainer:
        trainer.fit(pc.Dataset.from_tensors(engine, **rows()).batch(16, shuffle=3), EPOCHS)
        return trainer.variables.digest()


def work(config):
    """The loop of a worker. If the config names a missing file, rank 1 makes it and dies."""
    import ray.train

    import percale as pc
    import percale.ray
    context = ray.train.get_context()
    with pc.Engine(devices="cpu:0") as engine, pc.Trainer.from_spec(engine, SPEC) as trainer:
        percale.ray.join(trainer)
        percale.ray.restore(trainer)
        told = percale.ray.report_epochs(trainer)

        def on_step(progress):
            told(progress)
            fails = config.get("fails_once")
            if fails and context.get_world_rank() == 1 and progress.step == 5 and not os.path.exists(fails):
                open(fails, "w").close()
                os._exit(1)

        trainer.fit(pc.Dataset.from_tensors(engine, **rows()).batch(16, shuffle=3), EPOCHS, callback=on_step)
        digest = trainer.variables.digest()
        percale.ray.report(trainer, {"digest": digest, "rank": context.get_world_rank(), "node": ray.get_runtime_context().get_node_id()})


def work_on_networks(config):
    """The loop of a worker that trains the networks of a group, and writes their digests."""
    import jobs
    import ray.train

    import percale.ray
    digests = {job: jobs.train(job, percale.ray.join, devices="cpu:0") for job in jobs.NETWORKS}
    with open(os.path.join(config["folder"], f"rank {ray.train.get_context().get_world_rank()}"), "w", encoding="utf-8") as file:
        json.dump(digests, file)


def work_on_parts(config):
    """The loop of a worker that has a part of a Ray Data set."""
    import percale as pc
    import percale.ray
    with pc.Engine(devices="cpu:0") as engine, pc.Trainer.from_spec(engine, SPEC, collective_data="parts") as trainer:
        percale.ray.join(trainer)
        data = percale.ray.dataset(engine, x=("f32", (5,)), y=("i64", ())).batch(8)
        trainer.fit(data, 2)
        percale.ray.report(trainer, {"digest": trainer.variables.digest(), "steps": trainer.steps})


def ask(port, body):
    """Returns the status and the answer."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}", json.dumps(body).encode())
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def wait_for_answer(service, port):
    """Waits until the deployment answers; an empty request is wrong, and its error is an answer."""
    end = time.monotonic() + 120
    while True:
        try:
            if ask(port, {})[0] == 400:
                return
        except (OSError, ValueError):  # not yet, or an answer of Ray's own
            pass
        if time.monotonic() > end or service.poll() is not None:
            raise AssertionError(f"the deployment does not answer; its exit code is {service.poll()}")
        time.sleep(0.2)


class OnRay(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        import ray
        from ray.cluster_utils import Cluster
        cls.cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
        cls.cluster.add_node(num_cpus=2)
        cls.cluster.add_node(num_cpus=2)
        ray.init(address=cls.cluster.address, runtime_env={"env_vars": {"PYTHONPATH": os.environ["PYTHONPATH"]}}, log_to_driver=False)
        cls.folder = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        import ray
        ray.shutdown()
        cls.cluster.shutdown()
        cls.folder.cleanup()

    def fit(self, loop, workers, config=None, failures=0, **more):
        from ray.train import FailureConfig, RunConfig, ScalingConfig

        import percale.ray
        trainer = percale.ray.PercaleTrainer(
            loop, train_loop_config=config or {},
            scaling_config=ScalingConfig(num_workers=workers, placement_strategy="SPREAD"),
            run_config=RunConfig(storage_path=self.folder.name, failure_config=FailureConfig(max_failures=failures)), **more)
        return trainer.fit()

    def test_workers_on_several_raylets_compute_the_digest_of_one_process(self):
        result = self.fit(work, 3)
        self.assertEqual(result.metrics["digest"], train_alone())

    def test_networks_get_the_digests_of_one_process(self):
        import jobs
        wanted = {job: jobs.train_alone(job) for job in jobs.NETWORKS}
        print(wanted)
        for workers in (2, 3):
            folder = os.path.join(self.folder.name, f"{workers} workers")
            os.mkdir(folder)
            self.fit(work_on_networks, workers, {"folder": folder})
            self.assertEqual(len(os.listdir(folder)), workers)
            for name in os.listdir(folder):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    self.assertEqual(json.load(file), wanted, name)

    def test_workers_that_are_started_again_after_a_failure_get_the_same_bits(self):
        fails = os.path.join(self.folder.name, "failed")
        result = self.fit(work, 2, {"fails_once": fails}, failures=1)
        self.assertTrue(os.path.exists(fails))
        self.assertEqual(result.metrics["digest"], train_alone())

    def test_a_checkpoint_of_ray_goes_on_in_one_process(self):
        import percale as pc
        result = self.fit(work, 2)
        with result.checkpoint.as_directory() as folder, pc.Engine(devices="cpu:0") as engine, \
                pc.Trainer.from_spec(engine, SPEC) as trainer:
            trainer.restore(folder)
            self.assertEqual(trainer.variables.digest(), train_alone())

    def test_parts_of_ray_data_are_streams(self):
        import ray
        table = rows()
        data = ray.data.from_items([{"x": x, "y": int(y)} for x, y in zip(table["x"], table["y"])])
        found = self.fit(work_on_parts, 2, datasets={"train": data}).metrics
        # Ray gives out blocks of rows as workers ask for them, so that parts may differ in size.
        self.assertGreaterEqual(found["steps"], 2 * ROWS // 16)
        self.assertLessEqual(found["steps"], 2 * ROWS // 8)

    def test_the_sample_trains(self):
        spec = os.path.join(self.folder.name, "spec.json")
        np.save(os.path.join(self.folder.name, "x.npy"), rows()["x"])
        np.save(os.path.join(self.folder.name, "y.npy"), rows()["y"])
        with open(spec, "w", encoding="utf-8") as file:
            json.dump(dict(SPEC, epochs=1, data={"train": {"x": "x.npy", "y": "y.npy"}}), file)
        environment = dict(os.environ, RAY_ADDRESS=self.cluster.address)
        said = subprocess.run([sys.executable, self.sample("ray/train.py"), spec, "2", self.folder.name], env=environment, capture_output=True, text=True)
        self.assertIn("sha256:", said.stdout, said.stderr[-2000:])

    def sample(self, name):
        return os.path.join(os.environ["PERCALE_SOURCE"], "samples", name)

    def test_the_deployment_answers_as_a_session_does(self):
        import percale as pc
        with open(self.sample("ray/README.md"), encoding="utf-8") as file:
            blocks = re.findall(r"```(sh|python)\n(.*?)```", file.read(), re.DOTALL)
        trains, serves = next(code for _, code in blocks if "serve.py" in code).strip().splitlines()
        asks, = (code for language, code in blocks if language == "python")

        def in_shell(command):
            """Replaces the shell, so that a signal ends the program."""
            return ["sh", "-c", f"exec {command}".replace("python3", sys.executable).replace("samples/", self.sample(""))]

        subprocess.run(in_shell(trains), cwd=self.folder.name, check=True)
        port, = free_ports(1)
        with open(os.path.join(self.folder.name, "service.log"), "w", encoding="utf-8") as log, \
                subprocess.Popen(in_shell(serves.replace("8000", str(port))), cwd=self.folder.name, stdout=log, stderr=log,
                                 env=dict(os.environ, RAY_ADDRESS=self.cluster.address)) as service:
            try:
                wait_for_answer(service, port)
                said = subprocess.run([sys.executable, "-c", asks.replace("8000", str(port))], check=True, capture_output=True, text=True)
                self.assertEqual(said.stdout, "1\n")
                with pc.Engine() as engine:
                    graph = pc.Graph.load(engine, os.path.join(self.folder.name, "digits.percale"))
                    self.check_answers(port, pc.Session(engine, graph, pc.Variables.of(engine, graph)))
                self.check_refusals(port)
            finally:
                service.send_signal(signal.SIGINT)

    def check_answers(self, port, session):
        """Requests at the same time get the bits of the session."""
        name, = session.run({"x": np.zeros((1, 28, 28, 1), np.float32)})
        batches = [np.random.default_rng(seed).random((seed % 5 + 1, 28, 28, 1), np.float32) for seed in range(24)]
        with concurrent.futures.ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(lambda batch: ask(port, {"x": batch.tolist()}), batches))
        for batch, (status, answer) in zip(batches, answers):
            self.assertEqual(status, 200, answer)
            wanted = session.run({"x": batch}, name).numpy()
            self.assertEqual(np.array(answer[name], np.float32).tobytes(), wanted.tobytes())

    def check_refusals(self, port):
        for body, wanted in (({"z": [[1]]}, "no input 'z', only x"), ({"x": [[1, 2], [3]]}, "rows of unequal size"), ({}, "x"),
                             ({"x": [["a"]]}, "other values than numbers"), ({"x": [[1, 2]]}, "'x'"), ([1], "wanted a JSON object")):
            status, answer = ask(port, body)
            self.assertEqual(status, 400, answer)
            self.assertIn(wanted, answer["error"])

    def test_what_is_no_worker_cannot_join(self):
        import percale as pc
        import percale.ray
        with pc.Engine(devices="cpu:0") as engine, pc.Trainer.from_spec(engine, SPEC) as trainer:
            with self.assertRaisesRegex(pc.FailedPrecondition, "worker of a PercaleTrainer"):
                percale.ray.join(trainer)


if __name__ == "__main__":
    sys.exit(engine_tests.main("ray_test", "ray", *map(os.path.abspath, sys.argv[1:])))
