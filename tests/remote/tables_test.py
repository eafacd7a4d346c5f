"""Trains tables of embeddings on parameter servers: only the rows that a step looks up travel.
Usage: tables_test.py PERCALE PERCALE_WORKER"""
import contextlib
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

import program
from program import percale
from proxy import TO_CLIENT, TO_SERVER, Proxy
from worker_processes import WITHOUT_MEMORY, Workers

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from npy import write_npy  # noqa: E402

WORKER = os.path.abspath(sys.argv.pop(2))
TABLE_ROWS, COLUMNS, LENGTH, SAMPLES, BATCH = 20_000, 16, 4, 100, 16  # the last batch has 4 samples
STEPS = -(-SAMPLES // BATCH)  # of an epoch
TABLE_BYTES, ROW_BYTES = TABLE_ROWS * COLUMNS * 4, COLUMNS * 4
SLOTS = 2  # of Adam

SPEC = {
    "model": [{"layer": "Embedding", "input_dim": TABLE_ROWS, "output_dim": COLUMNS}, {"layer": "Flatten"}, {"layer": "Dense", "units": 1}],
    "loss": "mse", "optimizer": {"name": "adam", "learning_rate": 0.01, "sparse": True}, "clip": 1.0,
    "data": {"train": {"x": "x.npy", "y": "y.npy"}}, "batch_size": BATCH, "shards": 2, "shuffle": True, "epochs": 2, "seed": 1,
    "strategy": "parameter_server", "mode": "sync",
}


class Tables(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.path = cls.folder.name
        source = random.Random(3)
        ids = [source.randrange(TABLE_ROWS) for _ in range(SAMPLES * LENGTH)]
        write_npy(os.path.join(cls.path, "x.npy"), "i8", [SAMPLES, LENGTH], ids)
        write_npy(os.path.join(cls.path, "y.npy"), "f4", [SAMPLES, 1], [(i % 7) / 7 for i in range(SAMPLES)])
        cls.spec = cls.write("spec.json", SPEC)

    @classmethod
    def write(cls, name, value):
        path = os.path.join(cls.path, name)
        with open(path, "w", encoding="utf-8") as out:
            json.dump(value, out)
        return path

    def alone(self, *arguments):
        """The results of one process."""
        return json.loads(percale("train", self.spec, "--json", "--devices", "cpu:0", *arguments).stdout)

    def train(self, *arguments, workers=2, servers=2, prefix=()):
        """Trains in a cluster. Returns the results of the chief, and the bytes to and from each
        process by job. `prefix`: words before the command of each process."""
        with Workers(WORKER) as served, contextlib.ExitStack() as stack:
            for _ in range(workers + servers):
                served.start(prefix=prefix)
            proxies = [stack.enter_context(Proxy(address)) for address in served.addresses]
            addresses = [proxy.address for proxy in proxies]
            cluster = self.write("cluster.json", {"cluster": {"chief": ["127.0.0.1:1"], "worker": addresses[:workers], "ps": addresses[workers:]}})
            ended = subprocess.run([*prefix, program.PATH, "train", self.spec, "--json", "--cluster", cluster, "--task", "chief:0", *arguments],
                                   capture_output=True, text=True, timeout=120, check=False)
            self.assertEqual(ended.returncode, 0, ended.stderr)
            travelled = [list(proxy.bytes) for proxy in proxies]
        return json.loads(ended.stdout), travelled[:workers], travelled[workers:]

    def test_a_table_lies_in_parts_on_servers_and_trains_to_the_digest_of_one_process(self):
        for workers, servers in ((1, 1), (2, 2), (3, 2)):
            result, _, _ = self.train("--shards", "6", workers=workers, servers=servers)
            self.assertEqual(result["digest"], self.alone("--shards", "6")["digest"], (workers, servers))
            places = result["parameter_placement"]["devices"]
            self.assertEqual(len(places), servers)
            for place in places:
                self.assertGreater(place["bytes"], (1 + SLOTS) * TABLE_BYTES / servers * 0.99, place)
                self.assertLess(place["resident_bytes"], (1 + SLOTS) * TABLE_BYTES / servers * 1.01, place)

    def test_only_rows_travel(self):
        _, workers, servers = self.train("--epochs", "2", prefix=WITHOUT_MEMORY)
        _, more_workers, more_servers = self.train("--epochs", "12", prefix=WITHOUT_MEMORY)
        for to_worker, from_worker in more_workers:
            self.assertLess(to_worker, TABLE_BYTES / 2)
            self.assertLess(from_worker, TABLE_BYTES / 2)
        # For each lookup a worker gets a row, its number and its position, and gives a row and its
        # number.
        lookups = 10 * SAMPLES * LENGTH
        control = 10 * STEPS * 8_000  # messages, and heartbeats every 200 ms
        for direction in (TO_SERVER, TO_CLIENT):
            rows = sum(late[direction] - early[direction] for early, late in zip(workers, more_workers))
            self.assertLess(rows, lookups * (ROW_BYTES + 24) * 1.5 + 2 * control)
        # A server gets gradients and their row numbers, in lists of up to twice as many rows as
        # there are, and gives rows of the table and its slots. Once it gets the table.
        for (to_early, from_early), (to_late, from_late) in zip(servers, more_servers):
            self.assertGreater(to_early, (1 + SLOTS) * TABLE_BYTES / 2)
            self.assertLess(to_late - to_early, 2 * lookups * (ROW_BYTES + 8) + control)
            self.assertLess(from_late - from_early, 2 * (1 + SLOTS) * lookups * (ROW_BYTES + 8) + control)
            self.assertLess(from_late, TABLE_BYTES)

    def test_one_process_goes_on_with_the_checkpoint(self):
        out = os.path.join(self.path, "out")
        self.train("--out", out)
        resumed = json.loads(percale("train", self.spec, "--json", "--devices", "cpu:0", "--epochs", "4", "--resume", out).stdout)
        self.assertEqual(resumed["digest"], self.alone("--epochs", "4")["digest"])

    def test_modes_that_stream_apply_each_gradient_once(self):
        for mode, shards in (("async", 1), ("bounded:2", 2)):
            result, _, _ = self.train("--mode", mode, "--epochs", "3")
            run = result["run"]
            self.assertEqual(run["shards"]["accepted"], run["commits"] * shards, run)
            self.assertEqual(run["commits"], 3 * STEPS * 2 // shards, run)
            if shards > 1:
                self.assertLessEqual(max(entry["commits"] for entry in run["staleness"]), 2)


if __name__ == "__main__":
    program.main()
