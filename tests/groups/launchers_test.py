"""The networks of jobs.NETWORKS get the digest of one process from `percale train` in the processes
of several launchers: a cluster over gRPC, mpiexec, and a chief with parameter servers.

    launchers_test.py BUILD SOURCE PERCALE

Ray and Spark are in ../engines and in bindings/spark.
"""
import json
import os
import sys
import tempfile
import unittest

BUILD, SOURCE, PERCALE = (os.path.abspath(path) for path in sys.argv[1:4])
sys.dont_write_bytecode = True
for test_folder in ("bindings/python/tests", "tests/groups", "tests/cli", "tests/remote"):
    sys.path.insert(0, os.path.join(SOURCE, test_folder))
import check  # noqa: E402
import cluster  # noqa: E402
import mpi  # noqa: E402
import program  # noqa: E402

HAS_REMOTE = os.path.exists(os.path.join(BUILD, "devices", "remote", "libpercale_remote.so"))
SIZES = (2, 3)


class Launchers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        import jobs
        cls.folder = tempfile.TemporaryDirectory()
        cls.specs, cls.wanted = {}, {}
        for number, job in enumerate(jobs.NETWORKS):
            folder = os.path.join(cls.folder.name, str(number))
            os.mkdir(folder)
            cls.specs[job] = jobs.write(job, folder)
            cls.wanted[job] = jobs.train_alone(job)
            print(f"{job}: {cls.wanted[job]}")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def check_each(self, digest_of):
        """digest_of(spec) is that of a training by the launcher."""
        for job, spec in self.specs.items():
            with self.subTest(job):
                self.assertEqual(digest_of(spec), self.wanted[job])

    def test_one_process(self):
        self.check_each(lambda spec: cluster.digest_of(program.percale("train", spec, "--json").stdout))

    @unittest.skipUnless(HAS_REMOTE, "the plug-in devices/remote is not built")
    def test_a_cluster(self):
        def digest_of(spec):
            with cluster.Cluster(size) as processes:
                return cluster.digest_of(processes.start_all(spec, "--json").end_all()[0][0])

        for size in SIZES:
            self.check_each(digest_of)

    @unittest.skipUnless(mpi.find_mpi()[0], mpi.WITHOUT)
    def test_mpiexec(self):
        for size in SIZES:
            self.check_each(lambda spec, size=size: cluster.digest_of(mpi.in_group((size, [spec, "--json"])).stdout))

    @unittest.skipUnless(HAS_REMOTE, "the plug-in devices/remote is not built")
    def test_parameter_servers_in_sync_mode(self):
        def digest_of(spec):
            with open(spec, encoding="utf-8") as file:
                keys = json.load(file)
            with_servers = os.path.join(os.path.dirname(spec), "with_servers.json")
            with open(with_servers, "w", encoding="utf-8") as file:
                json.dump({**keys, "strategy": "parameter_server", "mode": "sync"}, file)
            ends = cluster.run_with_servers(with_servers)
            self.assertEqual({code for code, _, _ in ends.values()}, {0}, ends)
            return cluster.digest_of(ends["chief", 0][1])

        self.check_each(digest_of)


def run():
    program.PATH = PERCALE
    return 0 if unittest.main(argv=[sys.argv[0], *sys.argv[4:]], exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(check.run_on_wheel(BUILD, run))
