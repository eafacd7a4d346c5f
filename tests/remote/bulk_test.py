"""Large blocks between processes of one machine go through shared memory, and give the same digests
as through the connections. Usage: bulk_test.py PERCALE PERCALE_WORKER"""
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest

import program
from cluster import Cluster, digest_of, train_behind_proxy, wait_for
from program import percale
from proxy import TO_CLIENT, TO_SERVER, Proxy
from small_job import SPEC
from trained_job import TrainedJob
from worker_processes import WITHOUT_MEMORY, Workers

WORKER = os.path.abspath(sys.argv.pop(2))
# Parameters of 1 MB, which each step sends.
WIDE = {**SPEC, "model": [{"layer": "Flatten"}, {"layer": "Dense", "units": 512, "activation": "relu"},
                          {"layer": "Dense", "units": 512, "activation": "relu"}, {"layer": "Dense", "units": 2}]}
JOB = ("--shards", "4", "--epochs", "2", "--json")
# A process with its own numbers of processes cannot open that of another one.
APART = ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc")
IS_SHARED = "memfd:percale"


def can_be_apart():
    try:
        return subprocess.run([*APART, "true"], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


def has_shared_memory(pid):
    with open(f"/proc/{pid}/maps", encoding="utf-8") as file:
        return IS_SHARED in file.read()


def files_in_memory():
    """Returns the files in /dev/shm that tests which run at the same time cannot have made."""
    return {name for name in os.listdir("/dev/shm") if not name.startswith(("percale-fuzz-", "mpich_"))}


class Wide(TrainedJob):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.spec = cls.write_spec("wide.json", WIDE)
        cls.certificates = os.path.join(cls.path, "certificates")
        subprocess.run([WORKER, "--make-certificates", cls.certificates], check=True)
        cls.alone = digest_of(percale("train", cls.spec, *JOB).stdout)

    def address(self):
        return "unix:" + tempfile.mktemp(dir=self.path)

    def train_on_worker(self, prefix=(), server_prefix=(), certificates=None):
        """Trains on a worker behind a proxy. `prefix`: words before the command of the client.
        Returns the bytes of each direction."""
        environment = {"PERCALE_CERTIFICATES": certificates} if certificates else {}
        with Workers(WORKER, environment=environment) as workers:
            workers.start(address=self.address(), prefix=server_prefix)
            with Proxy(workers.addresses[0], self.address()) as proxy:
                found = subprocess.run([*prefix, program.PATH, "train", self.spec, *JOB, "--devices", f"remote:{proxy.address}/cpu:0"],
                                       env={**os.environ, **environment}, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(found.returncode, 0, found.stderr)
        self.assertEqual(digest_of(found.stdout), self.alone)
        return proxy.bytes

    def train_group(self, prefix=(), server_prefix=()):
        """The same with a chief behind a proxy as the server."""
        folder = tempfile.mkdtemp(dir=self.path)
        proxy, ends = train_behind_proxy(folder, (self.spec, *JOB), Proxy, (server_prefix, prefix))
        self.assertEqual([code for code, _, _ in ends], [0, 0], ends)
        self.assertEqual(digest_of(ends[0][1]), self.alone)
        return proxy.bytes


class Bodies(Wide):
    def test_bodies_go_beside_the_connections_and_change_no_digest(self):
        for train in (self.train_on_worker, self.train_group):
            with_memory, without = train(), train(WITHOUT_MEMORY, WITHOUT_MEMORY)
            for direction in (TO_SERVER, TO_CLIENT):
                self.assertLess(with_memory[direction] * 4, without[direction], (train, with_memory, without))

    def test_tls_carries_the_heads(self):
        found = self.train_on_worker(certificates=self.certificates)
        without = self.train_on_worker(WITHOUT_MEMORY, WITHOUT_MEMORY, self.certificates)
        for direction in (TO_SERVER, TO_CLIENT):
            self.assertLess(found[direction] * 4, without[direction], direction)

    def test_each_side_makes_the_memory_of_what_it_sends(self):
        for train in (self.train_on_worker, self.train_group):
            most = train(WITHOUT_MEMORY, WITHOUT_MEMORY)
            for prefixes, wanted in (((WITHOUT_MEMORY, ()), [False, True]), (((), WITHOUT_MEMORY), [True, False])):
                found = train(*prefixes)
                self.assertEqual([found[direction] * 4 < most[direction] for direction in (TO_SERVER, TO_CLIENT)], wanted, (train, found, most))

    @unittest.skipUnless(can_be_apart(), "this process cannot make namespaces")
    def test_processes_that_do_not_see_each_other_use_the_connection(self):
        for train in (self.train_on_worker, self.train_group):
            most, found = train(WITHOUT_MEMORY, WITHOUT_MEMORY), train(APART, ())
            for direction in (TO_SERVER, TO_CLIENT):
                self.assertGreater(found[direction] * 2, most[direction], (train, direction))


class Leftovers(Wide):
    long_job = ("--shards", "4", "--epochs", "1000", "--json")

    def wait_for_memory(self, pid, process):
        end = time.monotonic() + 60
        while not has_shared_memory(pid):
            self.assertLess(time.monotonic(), end, "no shared memory")
            self.assertIsNone(process.poll())
            time.sleep(0.01)

    def test_a_killed_client_or_worker_leaves_nothing(self):
        before = files_in_memory()
        for victim in ("client", "worker"):
            with Workers(WORKER, (), ()) as workers:
                command = [program.PATH, "train", self.spec, *self.long_job, "--devices", workers.devices()]
                with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as client:
                    self.wait_for_memory(client.pid, client)
                    self.wait_for_memory(workers.processes[0].pid, client)
                    client.kill() if victim == "client" else workers.kill(0)
                    if victim == "worker":
                        self.assertTrue(has_shared_memory(client.pid))
                        client.kill()
                    client.communicate()
                # The worker forgets a client that has gone.
                end = time.monotonic() + 20
                while has_shared_memory(workers.processes[1].pid):
                    self.assertLess(time.monotonic(), end)
                    time.sleep(0.05)
            self.assertLessEqual(files_in_memory(), before)

    def test_a_killed_rank_leaves_nothing(self):
        before = files_in_memory()
        out = os.path.join(self.path, "killed")
        with Cluster(3) as cluster:
            cluster.start_all(self.spec, "--shards", "4", "--epochs", "20", "--json", "--out", out, "--checkpoint-every", "5")
            wait_for(os.path.join(out, "step-5"), cluster.processes[0])
            self.assertTrue(has_shared_memory(cluster.processes[2].pid))
            cluster.kill(2)
            codes = [cluster.end(rank) for rank in (0, 1)]
        self.assertEqual([code for code, _, _ in codes], [0, 0], codes)
        alone = json.loads(percale("train", self.spec, "--shards", "4", "--epochs", "20", "--json").stdout)["digest"]
        self.assertEqual(digest_of(codes[0][1]), alone)
        self.assertLessEqual(files_in_memory(), before)


if __name__ == "__main__":
    program.main()
