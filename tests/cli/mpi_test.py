"""Trains in the processes of a real MPI job. Skipped without an MPI that has the standard ABI.
Usage: mpi_test.py PERCALE"""
import json
import os
import subprocess
import sys
import unittest

import mpi
import program
from trained_job import TrainedJob


class OverMpi(TrainedJob):
    def test_any_number_of_processes_gives_the_digest_of_one(self):
        alone = self.digest("--shards", "6")
        for number in (1, 2, 3):
            answer = json.loads(mpi.in_group((number, [self.spec, "--json", "--shards", "6"])).stdout)
            self.assertEqual(answer["digest"], alone)

    def test_rank_0_writes_and_one_process_goes_on(self):
        out = os.path.join(self.path, "group")
        printed = mpi.in_group((2, [self.spec, "--epochs", "1", "--out", out, "--checkpoint-every", "5", "--digest"]))
        self.assertEqual(printed.stdout.count("digest sha256:"), 1)
        self.assertTrue(os.path.exists(os.path.join(out, "model.percale")))
        self.assertEqual(self.digest("--resume", out), self.digest())
        resumed = mpi.in_group((2, [self.spec, "--resume", os.path.join(out, "step-5"), "--out", out + "2", "--json"]))
        self.assertEqual(json.loads(resumed.stdout)["digest"], self.digest())

    def test_processes_that_differ_are_told_in_what(self):
        printed = mpi.in_group((1, [self.spec]), (1, [self.spec, "--seed", "5"]), code=1)
        self.assertIn("the ranks differ in seed: rank 1 has '5', rank 0 '1'", printed.stderr)

    def test_more_processes_than_shards_are_refused(self):
        self.assertIn("at least one shard per device", mpi.in_group((3, [self.spec]), code=1).stderr)

    def test_a_folder_of_another_run_ends_all(self):
        self.assertIn("--overwrite", mpi.in_group((2, [self.spec, "--out", self.out]), code=1).stderr)


class WithoutMpi(unittest.TestCase):
    def test_the_flag_names_what_it_needs(self):
        self.assertIn("wanted mpi", program.percale("train", "no.json", "--collective", "ring", code=2).stderr)
        if "libmpi_abi" not in subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout:
            self.assertIn("needs libmpi_abi.so.1", program.percale("train", "no.json", "--collective", "mpi", code=1).stderr)


if __name__ == "__main__":
    if mpi.find_mpi()[0] is None:
        print(mpi.WITHOUT)
        sys.exit(77)
    program.main()
