"""Trains over connections that delay, cut, change or repeat what they carry.
Usage: proxy_test.py PERCALE PERCALE_WORKER"""
import json
import os
import random
import subprocess
import sys
import time

import program
from cluster import digest_of, train_behind_proxy
from program import percale
from proxy import TO_CLIENT, TO_SERVER, Cut, Duplicate, Flip, Proxy
from small_job import SPEC
from trained_job import TrainedJob
from worker_processes import Workers

WORKER = os.path.abspath(sys.argv.pop(2))
ROUNDS = int(os.environ.get("PERCALE_PROXY_ROUNDS", "1"))
JOB = ("--shards", "4", "--epochs", "6", "--json")
# Joining and an exchange have time limits, and a silent peer is lost after 2.5 s.
JOIN_S, EXCHANGE_S, MOST_S = 4, 5, 25


class Harmed(TrainedJob):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.alone = digest_of(percale("train", cls.spec, *JOB).stdout)

    def check_end(self, code, out, error, harm, prints=True):
        """The right digest, which only a chief prints, or an error that says something."""
        if code == 0:
            self.assertEqual(digest_of(out) if prints else out, self.alone if prints else "", harm)
        else:
            self.assertEqual(code, 1, (harm, error))
            self.assertRegex(error, r"percale: .{20}", harm)

    def harms(self, most):
        """Random harms of each kind, in both directions, somewhere in so many bytes."""
        for kind in (Flip, Duplicate, Cut):
            for direction in (TO_SERVER, TO_CLIENT):
                for _ in range(ROUNDS):
                    yield kind(direction, random.randrange(most[direction]))


class RemoteDevices(Harmed):
    """With certificates: TLS finds each change. In plain text a changed length of gRPC's own frames
    may stall a stream, and a command of a device has no time limit."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.environment = {"PERCALE_CERTIFICATES": os.path.join(cls.path, "certificates")}
        subprocess.run([WORKER, "--make-certificates", cls.environment["PERCALE_CERTIFICATES"]], check=True)

    def workers(self):
        return Workers(WORKER, (), (), environment=self.environment)

    def train(self, workers, harm=None, delay_s=0.0):
        """Trains on two workers, one of them behind a proxy. Returns the proxy and the end."""
        with Proxy(workers.addresses[0], harm=harm, delay_s=delay_s) as proxy:
            devices = f"remote:{proxy.address}/cpu:0,remote:{workers.addresses[1]}/cpu:0"
            begun = time.monotonic()
            found = subprocess.run([program.PATH, "train", self.spec, *JOB, "--devices", devices, "--option",
                                    f"connect_timeout={JOIN_S}"], env={**os.environ, **self.environment},
                                   capture_output=True, text=True, timeout=60, check=False)
            self.assertLess(time.monotonic() - begun, MOST_S, harm)
            self.check_end(found.returncode, found.stdout, found.stderr, harm)
        return proxy, found

    def test_delays_change_nothing(self):
        with self.workers() as workers:
            proxy, found = self.train(workers, delay_s=0.003)
            self.assertEqual(found.returncode, 0, found.stderr)
            self.assertFalse(any(device["lost"] for device in json.loads(found.stdout)["devices"]))
            self.assertGreater(min(proxy.bytes), 10_000)

    def test_a_connection_that_is_cut_in_the_middle_leaves_the_work_to_the_others(self):
        with self.workers() as workers:
            most = self.train(workers)[0].bytes
            for direction in (TO_SERVER, TO_CLIENT):
                # The shares of the two devices vary, but not that much.
                harm = Cut(direction, most[direction] // 4)
                _, found = self.train(workers, harm)
                self.assertTrue(harm.done)
                self.assertEqual(found.returncode, 0, found.stderr)
                self.assertTrue(any(device["lost"] for device in json.loads(found.stdout)["devices"]))

    def test_no_harm_changes_the_digest(self):
        with self.workers() as workers:
            most = self.train(workers)[0].bytes
            harms = list(self.harms(most))
            for harm in harms:
                self.train(workers, harm)
            self.assertTrue(any(harm.done for harm in harms))


class Groups(Harmed):
    """A chief behind a proxy. Plain text: nothing but Percale finds a change."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.spec = cls.write_spec("limited.json", {**SPEC, "collective_timeout": EXCHANGE_S})

    def train(self, harm=None, delay_s=0.0):
        """Returns the proxy, and the ends of both ranks."""
        folder = os.path.join(self.path, f"group-{random.randrange(1 << 40)}")
        os.mkdir(folder)
        job = (self.spec, *JOB, "--join-timeout", str(JOIN_S))
        begun = time.monotonic()
        proxy, ends = train_behind_proxy(folder, job, lambda target, address: Proxy(target, address, harm, delay_s))
        self.assertLess(time.monotonic() - begun, MOST_S, harm)
        self.check_end(*ends[0], harm)
        self.check_end(*ends[1], harm, prints=False)
        return proxy, ends

    def test_delays_change_nothing(self):
        proxy, ends = self.train(delay_s=0.003)
        self.assertEqual([code for code, _, _ in ends], [0, 0], ends)
        self.assertGreater(min(proxy.bytes), 10_000)

    def test_a_cut_connection_ends_the_rank_behind_it_and_not_the_chief(self):
        most = self.train()[0].bytes
        for direction in (TO_SERVER, TO_CLIENT):
            harm = Cut(direction, most[direction] // 2)
            _, ends = self.train(harm)
            self.assertTrue(harm.done)
            self.assertEqual([code for code, _, _ in ends], [0, 1], ends)

    def test_no_harm_changes_the_digest(self):
        most = self.train()[0].bytes
        harms = list(self.harms(most))
        for harm in harms:
            self.train(harm)
        self.assertTrue(any(harm.done for harm in harms))


if __name__ == "__main__":
    program.main()
