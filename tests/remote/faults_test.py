"""Trains across network namespaces, which are cut off in the middle. Needs root.
Usage: faults_test.py PERCALE PERCALE_WORKER"""
import os
import subprocess
import sys
import time

import namespaces
import program
from cluster import Cluster, digest_of, wait_for
from trained_job import TrainedJob

WORKER = os.path.abspath(sys.argv.pop(2))
SIZE = 3
JOB = ("--shards", "3", "--epochs", "80")


class AcrossMachines(TrainedJob):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.certificates = os.path.join(cls.path, "certificates")
        subprocess.run([WORKER, "--make-certificates", cls.certificates], check=True)
        cls.alone = cls.digest(cls, *JOB)

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


if __name__ == "__main__":
    WITHOUT = namespaces.reason_without()
    if WITHOUT:
        print(WITHOUT)
        sys.exit(77)
    program.main()
