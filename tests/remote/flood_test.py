"""Floods processes of a cluster with connections that mean harm, and trains with them all the same.
Usage: flood_test.py PERCALE PERCALE_WORKER"""
import os
import resource
import socket
import subprocess
import sys
import time

import program
from cluster import Cluster, digest_of
from flood import KINDS, Flood, Usage, raise_handle_limit
from program import percale
from small_job import SPEC
from trained_job import TrainedJob
from worker_processes import Workers

WORKER = os.path.abspath(sys.argv.pop(2))
COUNT = int(os.environ.get("PERCALE_FLOOD", "400"))
MOST_HANDLES = raise_handle_limit()
# Meson sets it. It writes to all memory that is allocated, so that reserved pages count as used.
os.environ.pop("MALLOC_PERTURB_", None)

# A process has so many connections at once, or half of the handles that it may have.
MOST_CONNECTIONS = 4096
SPARE_HANDLES = 100
# A connection costs less than this, and so does what stays when all are gone.
CONNECTION_MB, SPARE_MB = 0.1, 48


def wait_until_listening(address):
    host, port = address.rsplit(":", 1)
    end = time.monotonic() + 20
    while True:
        try:
            return socket.create_connection((host, int(port))).close()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.02)


class Flooded(TrainedJob):
    def check_usage(self, pid, before, most_handles=MOST_HANDLES):
        """The process stays within its bounds. Returns what it uses."""
        connections = min(COUNT, MOST_CONNECTIONS, most_handles // 2)
        usage = Usage(pid)
        self.assertLess(usage.handles, connections + SPARE_HANDLES, usage)
        self.assertLess(usage.megabytes, before.megabytes + connections * CONNECTION_MB + SPARE_MB, usage)
        return usage

    def train(self, workers):
        """Trains on the workers' devices as any client does. The digest must be right."""
        result = percale("train", self.spec, "--json", "--devices", workers.devices(), "--option", "connect_timeout=40")
        self.assertEqual(digest_of(result.stdout), digest_of(self.alone.stdout))

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.alone = percale("train", cls.spec, "--json")

    def flood(self, workers, count=COUNT, kind="says nothing", most_handles=MOST_HANDLES):
        """Serves a client during the flood and one after it."""
        pid = workers.processes[0].pid
        before = Usage(pid)
        with Flood(workers.addresses[0], kind, count):
            during = self.check_usage(pid, before, most_handles)
            begun = time.monotonic()
            self.train(workers)
            seconds = time.monotonic() - begun
            after = self.check_usage(pid, before, most_handles)
        self.train(workers)
        if COUNT > 400:
            print(f"{kind}: {before} before, {during} and {after} during the flood; a client took {seconds:.1f} s")


class Floods(Flooded):
    def test_a_worker_serves_clients_in_each_flood(self):
        for kind in KINDS:
            with self.subTest(kind), Workers(WORKER, ()) as workers:
                self.flood(workers, kind=kind)

    def survive_few_handles(self):
        """Floods a worker with more connections than it may have handles."""
        few = 256
        resource.setrlimit(resource.RLIMIT_NOFILE, (few, MOST_HANDLES))
        try:
            workers = Workers(WORKER, ())
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (MOST_HANDLES, MOST_HANDLES))
        with workers:
            self.flood(workers, count=few + 50, most_handles=few)

    def test_a_worker_survives_more_connections_than_it_may_have_handles(self):
        self.survive_few_handles()

    def test_a_worker_with_certificates_survives_peers_that_have_none(self):
        os.environ["PERCALE_CERTIFICATES"] = os.path.join(self.path, "certificates")
        try:
            subprocess.run([WORKER, "--make-certificates", os.environ["PERCALE_CERTIFICATES"]], check=True)
            self.survive_few_handles()
        finally:
            del os.environ["PERCALE_CERTIFICATES"]

    def test_a_chief_that_waits_for_its_workers_finds_them_in_each_flood(self):
        for kind in KINDS:
            with self.subTest(kind), Cluster(2) as cluster:
                cluster.start(0, self.spec, "--json")
                wait_until_listening(cluster.addresses[0])
                pid = cluster.processes[0].pid
                before = Usage(pid)
                with Flood(cluster.addresses[0], kind, COUNT):
                    self.check_usage(pid, before)
                    cluster.start(1, self.spec, "--json")
                    outputs = cluster.end_all()
                self.assertEqual(digest_of(outputs[0][0]), digest_of(self.alone.stdout))

    def test_a_model_that_does_not_fit_is_refused_and_the_next_client_is_served(self):
        large = [{"layer": "Flatten"}, {"layer": "Dense", "units": 200_000}, {"layer": "Dense", "units": 2}]
        spec = self.write_spec("large.json", {**SPEC, "model": large})
        with Workers(WORKER, ("--memory-limit", "4MB")) as workers:
            before = Usage(workers.processes[0].pid)
            error = percale("train", spec, "--devices", workers.devices(), code=1).stderr
            self.assertRegex(error, "memory")
            self.check_usage(workers.processes[0].pid, before)
            self.train(workers)

if __name__ == "__main__":
    program.main()
