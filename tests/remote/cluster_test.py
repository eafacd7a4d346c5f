"""Trains with the processes of a cluster on this machine: `percale train` with TF_CONFIG or
--cluster. Usage: cluster_test.py PERCALE PERCALE_WORKER"""
import json
import os
import random
import signal
import subprocess
import sys
import time
import unittest

import program
from cluster import Cluster, digest_of, free_ports, wait_for
from trained_job import TrainedJob

KILLS = int(os.environ.get("PERCALE_CLUSTER_KILLS", "2"))
WORKER = os.path.abspath(sys.argv.pop(2))


class ClusterJob(TrainedJob):
    """A job, and certificates for its processes."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.certificates = cls.make_certificates("certificates")

    @classmethod
    def make_certificates(cls, name):
        folder = os.path.join(cls.path, name)
        subprocess.run([WORKER, "--make-certificates", folder], check=True)
        return folder

    def new_path(self, name):
        return os.path.join(self.path, f"{self._testMethodName}-{name}")


class OverTheNetwork(ClusterJob):
    def test_any_number_of_processes_gives_the_digest_of_one(self):
        alone = self.digest("--shards", "6")
        for size in (1, 2, 3):
            with Cluster(size) as cluster:
                outputs = cluster.start_all(self.spec, "--json", "--shards", "6").end_all()
            self.assertEqual(digest_of(outputs[0][0]), alone)
            self.assertEqual([out for out, _ in outputs[1:]], [""] * (size - 1))

    def test_messages_are_encrypted_with_certificates(self):
        with Cluster(2, self.certificates) as cluster:
            outputs = cluster.start_all(self.spec, "--json").end_all()
        self.assertEqual(digest_of(outputs[0][0]), self.digest())

    def test_a_file_describes_the_cluster(self):
        ports = free_ports(2)
        path = self.new_path("cluster.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"cluster": {"worker": [f"localhost:{port}" for port in ports]}}, file)
        command = [program.PATH, "train", self.spec, "--json", "--cluster", path, "--task"]
        second = subprocess.Popen([*command, "worker:1"])
        first = subprocess.run([*command, "worker:0"], check=True, capture_output=True, text=True, timeout=60)
        self.assertEqual(second.wait(timeout=60), 0)
        self.assertEqual(digest_of(first.stdout), self.digest())

    def test_a_unix_socket_serves_as_well(self):
        with Cluster(2, addresses=[f"unix:{self.new_path(rank)}" for rank in "ab"]) as cluster:
            outputs = cluster.start_all(self.spec, "--json").end_all()
        self.assertEqual(digest_of(outputs[0][0]), self.digest())

    def test_the_chief_writes_and_one_process_goes_on(self):
        out = self.new_path("out")
        with Cluster(2) as cluster:
            cluster.start_all(self.spec, "--epochs", "1", "--out", out).end_all()
        self.assertEqual(self.digest("--resume", out), self.digest())

    # A job of a few seconds. Shards of four ranks, so that three can take over.
    long_job = ("--shards", "4", "--epochs", "60", "--json")

    def kill_in_the_middle(self, victim, how):
        """Returns the ends of all processes, after one has got a signal at a random time."""
        out = self.new_path(f"out-{random.randrange(1 << 30)}")
        with Cluster(4) as cluster:
            cluster.start_all(self.spec, *self.long_job, "--out", out, "--checkpoint-every", "13")
            wait_for(os.path.join(out, "step-13"))
            time.sleep(random.random() / 2)
            cluster.kill(victim, how)
            begun = time.monotonic()
            ends = {rank: cluster.end(rank) for rank in range(4) if rank != victim}
            seconds = time.monotonic() - begun
            cluster.kill(victim, signal.SIGCONT)
            ends[victim] = cluster.end(victim)
        return ends, seconds, out

    def test_training_goes_on_without_a_worker_that_is_killed(self):
        alone = self.digest(*self.long_job[:-1])
        for _ in range(KILLS):
            victim = random.randrange(1, 4)
            ends, _, _ = self.kill_in_the_middle(victim, signal.SIGKILL)
            self.assertEqual({ends[rank][0] for rank in range(4) if rank != victim}, {0}, ends)
            self.assertEqual(digest_of(ends[0][1]), alone)

    def test_a_worker_that_hangs_is_given_up(self):
        ends, _, _ = self.kill_in_the_middle(2, signal.SIGSTOP)
        self.assertEqual([ends[rank][0] for rank in range(4)], [0, 0, 1, 0], ends)
        self.assertEqual(digest_of(ends[0][1]), self.digest(*self.long_job[:-1]))
        # The chief says why, unless its end is found first.
        self.assertRegex(ends[2][2], "nothing was heard of it for 2500 ms|did not run for [0-9]+ ms")

    def test_without_the_chief_all_end_and_the_training_resumes(self):
        ends, seconds, out = self.kill_in_the_middle(0, signal.SIGKILL)
        self.assertEqual([ends[rank][0] for rank in range(4)], [-signal.SIGKILL, 1, 1, 1], ends)
        self.assertLess(seconds, 6)
        self.assertIn("the chief at", ends[1][2])
        self.assertEqual(self.digest(*self.long_job[:-1], "--resume", out), self.digest(*self.long_job[:-1]))


class Refusals(ClusterJob):
    """Processes that cannot work together, or alone."""
    def refused(self, rank, *arguments, size=2, **settings):
        """Returns what a process prints that fails within a few seconds."""
        with Cluster(size, **settings) as cluster:
            begun = time.monotonic()
            cluster.start(rank, self.spec, "--cluster", "env", "--join-timeout", "1", *arguments)
            code, _, error = cluster.end(rank)
        self.assertEqual(code, 1, error)
        self.assertLess(time.monotonic() - begun, 8)
        return error

    def test_a_chief_that_is_not_there_is_named(self):
        self.assertRegex(self.refused(1), r"the chief at 127\.0\.0\.1:\d+ is not reached: .*[Cc]onnect")

    def test_a_worker_that_is_not_there_is_named(self):
        self.assertIn("missing: rank 1, 2 of 3", self.refused(0, size=3))

    def test_other_machines_need_certificates(self):
        error = self.refused(0, addresses=["192.0.2.1:9001", "192.0.2.2:9001"])
        self.assertIn("192.0.2.1:9001 is not on this machine", error)
        self.assertIn("PERCALE_CERTIFICATES", error)

    def test_a_folder_without_certificates_is_named(self):
        self.assertIn("no-such-folder/ca.pem cannot be read", self.refused(0, certificates="no-such-folder"))

    def test_an_address_of_another_machine_cannot_be_listened_at(self):
        self.assertIn("cannot listen at unix:/no/such/folder/socket",
                      self.refused(0, addresses=["unix:/no/such/folder/socket", "unix:/no/such/folder/other"]))

    def test_another_certificate_is_refused(self):
        other = self.make_certificates("others")
        with Cluster(2) as cluster:
            for rank, folder in enumerate([self.certificates, other]):
                cluster.certificates = folder
                cluster.start(rank, self.spec, "--cluster", "env", "--join-timeout", "2")
            (_, chief), (_, worker) = cluster.end_all(code=1)
        self.assertIn("missing: rank 1 of 2", chief)
        self.assertRegex(worker, "is not reached: .*([Hh]andshake|CERTIFICATE)")

    def test_processes_that_differ_are_told_in_what(self):
        with Cluster(2) as cluster:
            cluster.start(0, self.spec)
            cluster.start(1, self.spec, "--seed", "5")
            outputs = cluster.end_all(code=1)
        self.assertIn("the ranks differ in seed: rank 1 has '5', rank 0 '1'", outputs[0][1])

    def test_other_kernels_are_refused_by_name(self):
        with Cluster(2) as cluster:
            cluster.start(0, self.spec, "--cluster", "env", "--join-timeout", "3")
            cluster.start(1, self.spec, "--cluster", "env", "--join-timeout", "3", "--option", "isa=sse4")
            outputs = cluster.end_all(code=1)
        self.assertIn("isa=sse4", outputs[1][1])
        self.assertIn("the chief refuses this process", outputs[1][1])

    def test_tasks_that_do_not_train_are_refused(self):
        for job, code, told in (("ps", 1, "its job is 'ps'"), ("evaluator", 2, "--out DIR is missing")):
            config = {"cluster": {"chief": ["127.0.0.1:9"], "worker": ["127.0.0.1:10"]}, "task": {"type": job, "index": 0}}
            found = subprocess.run([program.PATH, "train", self.spec], capture_output=True, text=True, check=False, timeout=60,
                                   env={**os.environ, "TF_CONFIG": json.dumps(config)})
            self.assertEqual(found.returncode, code)
            self.assertIn(told, found.stderr)

    def test_wrong_arguments_are_told(self):
        for arguments in (["--task", "worker:0"], ["--cluster", "x.json", "--collective", "mpi"]):
            program.percale("train", self.spec, *arguments, code=2)
        self.assertIn("no-such.json", program.percale("train", self.spec, "--cluster", "no-such.json", code=1).stderr)


if __name__ == "__main__":
    program.main()
