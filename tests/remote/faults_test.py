"""Trains across network namespaces, which are cut off in the middle. Needs root.
Usage: faults_test.py PERCALE PERCALE_WORKER"""
import glob
import json
import os
import subprocess
import sys
import time

import namespaces
import program
from cluster import WAIT_S, Cluster, digest_of, wait_for
from trained_job import TrainedJob
from worker_processes import Workers

WORKER = os.path.abspath(sys.argv.pop(2))
SIZE = 3
JOB = ("--shards", "3", "--epochs", "80")


class WithCertificates(TrainedJob):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.certificates = os.path.join(cls.path, "certificates")
        subprocess.run([WORKER, "--make-certificates", cls.certificates], check=True)
        cls.alone = cls.digest(cls, *JOB)


class Groups(WithCertificates):
    """A process of the group on each machine."""

    def train(self, disturb):
        """Returns the ends of all ranks. disturb(machines) is called in the middle."""
        out = os.path.join(self.path, self._testMethodName)
        with namespaces.Machines(SIZE) as machines:
            with Cluster(SIZE, self.certificates, [f"{address}:8470" for address in machines.addresses]) as cluster:
                for rank in range(SIZE):
                    cluster.start(rank, self.spec, *JOB, "--json", "--out", out, "--checkpoint-every", "13",
                                  prefix=machines.inside(rank))
                wait_for(os.path.join(out, "step-13"))
                disturb(machines)
                begun = time.monotonic()
                ends = [cluster.end(rank) for rank in range(SIZE)]
                self.seconds = time.monotonic() - begun
        return ends

    def check(self, ends, lost=None):
        """All ranks but the lost one have ended well, with the digest of one process."""
        self.assertEqual([code for code, _, _ in ends], [int(rank == lost) for rank in range(SIZE)], ends)
        self.assertEqual(digest_of(ends[0][1]), self.alone)

    def test_machines_train_together(self):
        self.check(self.train(lambda machines: None))

    def test_a_machine_that_is_cut_off_is_given_up(self):
        ends = self.train(lambda machines: machines.cut(2))
        self.check(ends, lost=2)
        self.assertIn("the chief at 10.77.0.1:8470 is lost", ends[2][2])

    def test_a_machine_that_is_heard_but_does_not_hear_is_given_up(self):
        self.check(self.train(lambda machines: machines.silence(0, towards=1)), lost=1)

    def test_a_machine_that_hears_but_is_not_heard_is_given_up(self):
        self.check(self.train(lambda machines: machines.silence(1, towards=0)), lost=1)

    def test_of_two_workers_that_do_not_reach_each_other_one_is_given_up(self):
        self.check(self.train(lambda machines: machines.silence(1, towards=2)), lost=2)

    def test_a_link_that_comes_back_in_time_costs_nobody(self):
        def flap(machines):
            for _ in range(3):
                machines.cut(1)
                time.sleep(0.4)
                machines.mend(1)
                time.sleep(1)
        self.check(self.train(flap))


class RemoteDevices(WithCertificates):
    """An engine on machine 0, and a worker that serves a device on each other machine."""

    def check_that_others_take_over(self, disturb):
        """Disturbs machine 2 in the middle of a training."""
        out = os.path.join(self.path, self._testMethodName)
        environment = {"PERCALE_CERTIFICATES": self.certificates}
        with namespaces.Machines(SIZE) as machines, Workers(WORKER, environment=environment) as workers:
            for rank in range(1, SIZE):
                workers.start(address=f"{machines.addresses[rank]}:8470", prefix=machines.inside(rank))
            command = [*machines.inside(0), program.PATH, "train", self.spec, *JOB, "--json", "--devices", workers.devices(),
                       "--out", out, "--checkpoint-every", "13"]
            with subprocess.Popen(command, env={**os.environ, **environment}, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True) as engine:
                wait_for(os.path.join(out, "step-13"), engine)
                disturb(machines)
                begun = time.monotonic()
                # Steps that were written before the device was missed do not count.
                time.sleep(1)
                steps = len(glob.glob(os.path.join(out, "step-*")))
                while engine.poll() is None and len(glob.glob(os.path.join(out, "step-*"))) == steps:
                    self.assertLess(time.monotonic() - begun, 5)
                    time.sleep(0.01)
                printed, errors = engine.communicate(timeout=WAIT_S)
        self.assertEqual(engine.returncode, 0, errors)
        result = json.loads(printed)
        self.assertEqual(result["digest"], self.alone)
        self.assertEqual([device["lost"] for device in result["devices"]], [False, True], result["devices"])

    def test_a_worker_that_is_cut_off_is_replaced(self):
        self.check_that_others_take_over(lambda machines: machines.cut(2))

    def test_a_worker_that_does_not_hear_its_client_is_replaced(self):
        self.check_that_others_take_over(lambda machines: machines.silence(0, towards=2))

    def test_a_worker_that_its_client_does_not_hear_is_replaced(self):
        self.check_that_others_take_over(lambda machines: machines.silence(2, towards=0))


if __name__ == "__main__":
    WITHOUT = namespaces.reason_without()
    if WITHOUT:
        print(WITHOUT)
        sys.exit(77)
    program.main()
