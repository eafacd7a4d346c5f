"""Tests trainings on several devices: modes, replicas, stages, splits, placed parameters.
Usage: devices_test.py PERCALE"""
import json

import program
from program import percale
from small_job import SPEC
from trained_job import TrainedJob


class Devices(TrainedJob):
    def test_each_mode_tells_what_its_devices_did(self):
        digests = {}
        for mode, steps in (("sync", 39), ("backup:2", 39), ("bounded:0", 39), ("bounded:2", 39), ("async", 3 * 13 * 4)):
            result = json.loads(percale("train", self.spec, "--json", "--shards", "4", "--devices", "cpu=2", "--threads", "2",
                                        "--mode", mode).stdout)
            self.assertEqual(result["steps"], steps, mode)
            self.assertEqual([device["name"] for device in result["devices"]], ["cpu:0", "cpu:1"])
            run = result["run"]
            self.assertEqual(run["commits"], steps)
            self.assertEqual(run["shards"]["handed_out"], run["shards"]["accepted"] + run["shards"]["dropped"])
            self.assertEqual(run["shards"]["accepted"], 39 * (2 if mode == "backup:2" else 4))
            self.assertEqual(sum(entry["shards"] for entry in run["staleness"]), run["shards"]["accepted"])
            self.assertLessEqual(run["exposed_averaging_seconds"], run["averaging_seconds"] + 1e-9)
            digests[mode] = result["digest"]
        self.assertEqual(digests["sync"], digests["bounded:0"])
        told = percale("train", self.spec, "--devices", "cpu=2", "--mode", "async").stderr
        self.assertRegex(told, r"\ndevice  +shards +rows/s +busy s +waiting s\ncpu:0 +\d+ .*\ncpu:1 +\d+ .*\naveraging ")
        self.assertIn("wanted sync, backup:M", percale("train", self.spec, "--mode", "fast", code=2).stderr)
        self.assertIn("waits for 5 shards of a batch, which has 2", percale("train", self.spec, "--mode", "backup:5", code=1).stderr)

    def test_devices_of_a_spec_compute_and_the_command_line_counts_more(self):
        spec = self.write_spec("devices.json", SPEC | {"devices": "cpu:1"})
        for arguments, names in (((), ["cpu:1"]), (("--devices", "cpu=2"), ["cpu:0", "cpu:1"])):
            result = json.loads(percale("train", spec, "--json", *arguments).stdout)
            self.assertEqual([device["name"] for device in result["devices"]], names)

    def test_a_job_lies_on_the_devices_as_its_spec_says(self):
        one = self.digest("--shards", "4")
        plain = {key: SPEC[key] for key in SPEC if key != "shards"}

        def train(keys, *arguments, code=0):
            spec = self.write_spec("parallel.json", plain | keys)
            result = percale("train", spec, "--json", "--devices", "cpu=4", "--threads", "2", *arguments, code=code)
            return json.loads(result.stdout) if code == 0 else result.stderr

        for parallel in ({"replicas": 1, "stages": 2, "micro_batches": 4},
                         {"stages": ["dense", "dense_1"], "micro_batches": 2, "schedule": "gpipe"}):
            result = train({"parallel": parallel})
            self.assertEqual(result["digest"], one)
            self.assertEqual(result["parallel"]["groups"][0], ["cpu:0", "cpu:1"])
            self.assertEqual(result["parallel"]["stage_variables"], [["dense/kernel", "dense/bias"], ["dense_1/kernel", "dense_1/bias"]])
            self.assertGreater(result["parallel"]["planned_bytes"]["cpu:1"], 0)
        splits = {"n": 2, "layers": {"dense": "column", "dense_1": "row"}}
        result = train({"parallel": {"replicas": 2, "splits": splits, "micro_batches": 2}})
        self.assertGreater(result["metrics"]["accuracy"], 0.9)
        self.assertEqual(result["parallel"]["split"], {"dense/kernel": "column", "dense/bias": "column", "dense_1/kernel": "row"})
        self.assertEqual(train({"strategy": "mirrored", "shards": 4})["parallel"]["replicas"], 4)
        self.assertEqual(train({"batch_size": None, "batch_size_per_replica": 4})["digest"], one)
        self.assertEqual(train({"strategy": "parameter_server", "shards": 4})["steps"], 39 * 4)
        self.assertEqual(train({"strategy": "parameter_server", "mode": "sync", "shards": 4})["digest"], one)
        self.assertIn("3 replicas x 2 stages x 1 splits require 6 devices, but there are 4: cpu:0, cpu:1, cpu:2, cpu:3",
                      train({"parallel": {"replicas": 3, "stages": 2}}, code=1))
        self.assertIn("cpu:0 would need", train({"parallel": {"replicas": 1, "device_memory": 1}}, code=1))
        self.assertIn("did you mean 'stages'?", train({"parallel": {"stage": 2}}, code=1))

    def test_parameters_lie_where_the_spec_says(self):
        one = self.digest("--shards", "4")
        # cpu:1 computes nothing; it is opened for the parameters.
        keys = {"shards": 4, "devices": "cpu:0", "parameters": {"ps": "cpu:0,cpu:1", "min_shard_bytes": 128}}
        spec = self.write_spec("parameters.json", SPEC | keys)
        result = json.loads(percale("train", spec, "--json", "--digest", "--threads", "2").stdout)
        self.assertEqual(result["digest"], one)
        self.assertEqual([device["name"] for device in result["devices"]], ["cpu:0"])
        placed = result["parameter_placement"]
        self.assertEqual(placed["parameters"], "ps")
        resident = {device["name"]: device["resident_bytes"] for device in placed["devices"]}
        self.assertEqual(sorted(resident), ["cpu:0", "cpu:1"])
        self.assertLess(abs(resident["cpu:0"] - resident["cpu:1"]), 0.5 * sum(resident.values()))
        wrong = self.write_spec("parameters.json", SPEC | {"parameters": "mirored"})
        self.assertIn("not one of host, ps, mirrored", percale("train", wrong, code=1).stderr)


if __name__ == "__main__":
    program.main()
