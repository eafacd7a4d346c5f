"""Trains over connections that delay, cut, change or repeat what they carry.
Usage: proxy_test.py PERCALE PERCALE_WORKER"""
import json
import os
import random
import signal
import subprocess
import sys
import time

import program
from cluster import digest_of, train_behind_proxy
from program import percale
from proxy import TO_CLIENT, TO_SERVER, Cut, CutsAt, Duplicate, Flip, FlipsEvery, Proxy
from small_job import SPEC
from trained_job import TrainedJob
from worker_processes import Workers

WORKER = os.path.abspath(sys.argv.pop(2))
ROUNDS = int(os.environ.get("PERCALE_PROXY_ROUNDS", "1"))
JOB = ("--shards", "4", "--epochs", "6", "--json")
LONG_JOB = ("--shards", "4", "--epochs", "60", "--json")
# Joining and an exchange have time limits, and a silent peer is lost after 2.5 s.
JOIN_S, EXCHANGE_S, MOST_S = 4, 5, 25
LONG_S = 110  # for harm that comes again and again


def ended_by_grpc(ends):
    """Returns whether gRPC has ended a process: some changed frames violate its own assertions."""
    return any(code == -signal.SIGABRT and "absl" in error for code, _, error in ends)


class Harmed(TrainedJob):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.certificates = os.path.join(cls.path, "certificates")
        subprocess.run([WORKER, "--make-certificates", cls.certificates], check=True)
        cls.alone = {job: digest_of(percale("train", cls.spec, *job).stdout) for job in (JOB, LONG_JOB)}

    def check_end(self, code, out, error, harm, prints=True, job=JOB):
        """The right digest, which only a chief prints, or an error that says something."""
        if code == 0:
            self.assertEqual(digest_of(out) if prints else out, self.alone[job] if prints else "", harm)
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
    """With certificates: TLS finds each change."""

    is_secure = True

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.environment = {"PERCALE_CERTIFICATES": cls.certificates} if cls.is_secure else {}

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
            end = found.returncode, found.stdout, found.stderr
            if not ended_by_grpc([end]):
                self.check_end(*end, harm)
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


class RemoteDevicesInPlainText(RemoteDevices):
    """Nothing but Percale finds a change. That of a length within gRPC's frames may swallow a
    message, or stall a stream while the others go on."""

    is_secure = False


class Groups(Harmed):
    """A chief behind a proxy. Plain text: nothing but Percale finds a change."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.spec = cls.write_spec("limited.json", {**SPEC, "collective_timeout": EXCHANGE_S})

    def train(self, harm=None, delay_s=0.0, size=2, job=JOB, most_s=MOST_S, certificates=None):
        """Returns the proxy, and the ends of all ranks, which are within `most_s`."""
        for _ in range(3):
            begun = time.monotonic()
            proxy, ends = self.train_once(harm, delay_s, size, job, certificates)
            self.assertLess(time.monotonic() - begun, most_s, (harm, ends))
            if not ended_by_grpc(ends):
                break
            harm.done = False  # once more, with another bit
        for rank, end in enumerate(ends):
            self.check_end(*end, harm, prints=rank == 0, job=job)
        return proxy, ends

    def train_once(self, harm, delay_s, size, job, certificates):
        folder = os.path.join(self.path, f"group-{random.randrange(1 << 40)}")
        os.mkdir(folder)
        command = (self.spec, *job, "--join-timeout", str(JOIN_S))
        return train_behind_proxy(folder, command, lambda target, address: Proxy(target, address, harm, delay_s),
                                  [()] * size, certificates)

    def check_all_end_well(self, ends, harm=None):
        self.assertEqual([code for code, _, _ in ends], [0] * len(ends), (harm, ends))

    def test_delays_change_nothing(self):
        proxy, ends = self.train(delay_s=0.003)
        self.check_all_end_well(ends)
        self.assertGreater(min(proxy.bytes), 10_000)

    def test_a_harmed_link_costs_no_rank(self):
        most = self.train()[0].bytes
        for kind in (Flip, Duplicate, Cut):
            for direction in (TO_SERVER, TO_CLIENT):
                # Far behind the joining, and what control streams carry.
                harm = kind(direction, most[direction] // 3 + random.randrange(most[direction] // 3))
                _, ends = self.train(harm)
                self.assertTrue(harm.done, harm)
                self.check_all_end_well(ends, harm)

    def test_flipped_bits_again_and_again_cost_no_rank(self):
        for certificates in (None, self.certificates):
            for size in (2, 3):
                harm = FlipsEvery(200_000)
                _, ends = self.train(harm, size=size, job=LONG_JOB, most_s=LONG_S, certificates=certificates)
                self.assertGreater(harm.done, 2)
                self.check_all_end_well(ends, harm)

    def test_harm_without_end_gives_the_higher_rank_up(self):
        for size in (2, 3):
            harm = CutsAt(900, after=150_000)  # less than a step needs
            _, ends = self.train(harm, size=size, job=LONG_JOB)
            for code, _, error in ends[1:]:
                self.assertEqual(code, 1, (harm, ends))
                self.assertRegex(error, r"no longer one of the group: its connection to rank 0 was harmed in \d+ exchanges in a row")
            if size == 2:
                self.assertEqual(ends[0][0], 0, ends)
            elif ends[0][0] != 0:  # the state of both went with them
                self.assertIn("optimizer's state are lost; resume from a checkpoint", ends[0][2])

    def test_no_harm_changes_the_digest(self):
        most = self.train()[0].bytes
        harms = list(self.harms(most))
        for harm in harms:
            self.train(harm)
        self.assertTrue(any(harm.done for harm in harms))


if __name__ == "__main__":
    program.main()
