"""Trains on devices of other processes: `percale-worker` serves them, `percale train` names them.
Usage: device_test.py PERCALE PERCALE_WORKER SIM_PLUGIN"""
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import unittest

import program
from cluster import free_ports, run_with_servers, wait_for
from program import percale
from small_job import SPEC
from trained_job import TrainedJob
from worker_processes import Workers

SIM = os.path.abspath(sys.argv.pop(3))
WORKER = os.path.abspath(sys.argv.pop(2))


class RemoteJob(TrainedJob):
    def train(self, workers, *arguments, spec=None, device="cpu:0", code=0):
        result = percale("train", spec or self.spec, "--json", "--devices", workers.devices(device), *arguments, code=code)
        return json.loads(result.stdout) if code == 0 else result.stderr


class Devices(RemoteJob):
    def test_training_on_other_processes_gives_the_digest_of_one(self):
        for count in (1, 2, 3):
            alone = self.digest("--shards", "6")
            with Workers(WORKER, *[()] * count) as workers:
                got = self.train(workers, "--shards", "6")
            self.assertEqual(got["digest"], alone)
            self.assertEqual(len(got["devices"]), count, got["devices"])

    def test_stages_splits_and_places_of_parameters_give_the_digest_of_one_process(self):
        for more in ({"parallel": {"stages": 2}}, {"parameters": "mirrored"}, {"parameters": "ps"}):
            spec = self.write_spec("more.json", {**SPEC, **more})
            alone = json.loads(percale("train", spec, "--json", "--shards", "4", "--devices", "cpu=2").stdout)["digest"]
            with Workers(WORKER, (), ()) as workers:
                self.assertEqual(self.train(workers, "--shards", "4", spec=spec)["digest"], alone, more)

    def test_info_shows_the_devices_of_a_target(self):
        with Workers(WORKER, ("--devices", "cpu=2")) as workers:
            address = workers.addresses[0]
            info = json.loads(percale("info", "--json", "--target", address).stdout)
            names = [device["name"] for device in info["devices"]]
            self.assertEqual(names, [f"remote:{address}/cpu:0", f"remote:{address}/cpu:1", "cpu:0"])
            self.assertIn(f"remote:{address}/cpu:1", percale("info", "--target", address).stdout)

    def test_an_accelerator_behind_a_worker_is_driven_as_one(self):
        flags = ("--plugin-path", SIM, "--devices", "sim:0,sim_partition:1")
        with Workers(WORKER, flags, environment={"PERCALE_SIM_ENGINE": "onednn=off"}) as workers:
            for device in ("sim:0", "sim_partition:1"):
                self.assertEqual(self.train(workers, device=device)["digest"], self.digest(), device)

    def test_a_unix_socket_and_certificates_serve_as_well(self):
        folder = os.path.join(self.path, "certificates")
        subprocess.run([WORKER, "--make-certificates", folder], check=True)
        with Workers(WORKER) as workers:
            workers.start(address=f"unix:{self.path}/worker")
            self.assertEqual(self.train(workers)["digest"], self.digest())
        os.environ["PERCALE_CERTIFICATES"] = folder
        try:
            with Workers(WORKER, ()) as workers:
                self.assertEqual(self.train(workers)["digest"], self.digest())
                del os.environ["PERCALE_CERTIFICATES"]
                self.assertIn("certificates", self.train(workers, "--option", "connect_timeout=2", code=1))
        finally:
            os.environ.pop("PERCALE_CERTIFICATES", None)


class Faults(RemoteJob):
    long_job = ("--shards", "4", "--epochs", "40")

    def lose_one(self, how):
        """Trains and loses one of three workers at random. Returns the digest and seconds."""
        out = os.path.join(self.path, f"out-{random.randrange(1 << 30)}")
        with Workers(WORKER, (), (), ()) as workers:
            got = {}
            thread = threading.Thread(target=lambda: got.update(self.train(
                workers, *self.long_job, "--out", out, "--checkpoint-every", "7")))
            thread.start()
            wait_for(os.path.join(out, "step-7"))
            time.sleep(random.random() / 4)
            workers.kill(random.randrange(3), how)
            begun = time.monotonic()
            thread.join()
            return got.get("digest"), time.monotonic() - begun

    def test_a_killed_worker_is_replaced_by_the_others(self):
        for _ in range(int(os.environ.get("PERCALE_CLUSTER_KILLS", "2"))):
            self.assertEqual(self.lose_one(signal.SIGKILL)[0], self.digest(*self.long_job))

    def test_a_worker_that_hangs_is_given_up(self):
        self.assertEqual(self.lose_one(signal.SIGSTOP)[0], self.digest(*self.long_job))

    def test_a_client_that_stood_still_goes_on(self):
        """A worker drops it after 10 s. It hears first what was said meanwhile."""
        out = os.path.join(self.path, "stood-still")
        with Workers(WORKER, (), ()) as workers:
            command = [program.PATH, "train", self.spec, *self.long_job, "--json", "--devices", workers.devices(), "--out", out,
                       "--checkpoint-every", "7"]
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as client:
                wait_for(os.path.join(out, "step-7"), client)
                client.send_signal(signal.SIGSTOP)
                time.sleep(6)
                client.send_signal(signal.SIGCONT)
                printed, errors = client.communicate(timeout=60)
        self.assertEqual(client.returncode, 0, errors)
        self.assertEqual(json.loads(printed)["digest"], self.digest(*self.long_job))

    def test_a_worker_frees_what_a_lost_client_held(self):
        with Workers(WORKER, ("--once", "--memory-limit", "64MB")) as workers:
            command = [program.PATH, "train", self.spec, "--epochs", "1000", "--devices", workers.devices(), "--out",
                       os.path.join(self.path, "lost")]
            with subprocess.Popen(command, stderr=subprocess.PIPE) as client:
                wait_for(os.path.join(self.path, "lost", "history.csv"))
                client.kill()
                client.communicate()
            code, errors = workers.end(0)
            self.assertEqual(code, 1, errors)
            self.assertIn("lost", errors)


class Refusals(RemoteJob):
    def refused(self, devices, *arguments, seconds=6):
        begun = time.monotonic()
        result = subprocess.run([program.PATH, "train", self.spec, "--devices", devices, *arguments], capture_output=True,
                                text=True, timeout=60, check=False)
        self.assertLess(time.monotonic() - begun, seconds)
        self.assertNotEqual(result.returncode, 0)
        return result.stderr

    def test_a_worker_that_is_not_there_ends_within_the_time_limit(self):
        port = free_ports(1)[0]
        message = self.refused(f"remote:127.0.0.1:{port}/cpu:0", "--option", "connect_timeout=2")
        self.assertIn(f"127.0.0.1:{port}", message)

    def test_another_numerics_fingerprint_is_refused_with_both_named(self):
        with Workers(WORKER, ("--isa", "sse4")) as workers:
            message = self.refused(workers.devices())
        self.assertRegex(message, "isa=sse4")
        self.assertRegex(message, "isa=(avx2|avx512)")

    def test_a_device_that_is_not_served_is_named(self):
        with Workers(WORKER, ()) as workers:
            self.assertRegex(self.refused(workers.devices("cpu:3")), "cpu:3")

    def test_plain_text_does_not_leave_the_machine(self):
        self.assertIn("certificates", self.refused("remote:192.0.2.1:2222/cpu:0"))
        result = subprocess.run([WORKER, "--listen", "0.0.0.0:0"], capture_output=True, text=True, timeout=10, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn("certificates", result.stderr)

    def test_wrong_command_lines_are_explained(self):
        for flags, wanted in ((["--listen"], "needs a value"), ([], "--listen or --cluster is missing"),
                              (["--listen", "localhost:0", "--devises", "x"], "devices"), (["x"], "unexpected argument")):
            result = subprocess.run([WORKER, *flags], capture_output=True, text=True, timeout=10, check=False)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(wanted, result.stderr)


class ParameterServers(TrainedJob):
    """A chief, workers, parameter servers and an evaluator, each `percale train` with TF_CONFIG."""

    def test_sync_mode_gives_the_digest_of_one_process(self):
        spec = self.write_spec("ps.json", {**SPEC, "strategy": "parameter_server", "mode": "sync"})
        ends = run_with_servers(spec, "--shards", "4")
        self.assertEqual({code for code, _, _ in ends.values()}, {0}, ends)
        alone = json.loads(percale("train", spec, "--json", "--shards", "4", "--devices", "cpu:0").stdout)
        chief = json.loads(ends["chief", 0][1])
        self.assertEqual(chief["digest"], alone["digest"])
        held = {place["name"]: place["bytes"] for place in chief["parameter_placement"]["devices"]}
        self.assertEqual(list(held), ["/job:ps/task:0/device:cpu:0", "/job:ps/task:1/device:cpu:0"])
        self.assertTrue(all(held.values()), held)

    def test_devices_of_the_chief_alone_are_refused(self):
        spec = self.write_spec("own.json", {**SPEC, "strategy": "parameter_server", "devices": "cpu:0"})
        cluster = self.write_spec("own-cluster.json", {"cluster": {"chief": ["localhost:1"], "worker": ["localhost:2"], "ps": ["localhost:3"]}})
        printed = percale("train", spec, "--cluster", cluster, "--task", "chief:0", code=1).stderr
        self.assertIn("'devices' of the SPEC is 'cpu:0'", printed)

    def test_async_mode_applies_each_gradient_once_and_an_evaluator_follows(self):
        spec = self.write_spec("async.json", {**SPEC, "strategy": "parameter_server"})
        out = os.path.join(self.path, "ps-out")
        ends = run_with_servers(spec, "--shards", "4", "--epochs", "3", evaluator=True, out=out)
        self.assertEqual({code for code, _, _ in ends.values()}, {0}, ends)
        chief = json.loads(ends["chief", 0][1])
        lines = [json.loads(line) for line in ends["evaluator", 0][1].splitlines()]
        self.assertEqual(lines[-1]["step"], chief["steps"])
        self.assertAlmostEqual(lines[-1]["numbers"]["loss"], chief["loss"], places=5)
        self.assertEqual(chief["run"]["shards"]["accepted"], chief["run"]["commits"])

    def test_a_slow_and_a_killed_worker_neither_stop_it_nor_leave_old_gradients(self):
        """One of three workers is five times slower, and another one is killed."""
        for mode, bound in (("bounded:2", 2), ("async", None)):
            spec = self.write_spec("slow.json", {**SPEC, "strategy": "parameter_server", "mode": mode, "epochs": 30})
            slow = {"PERCALE_SIM": "slow=5,launch_us=500", "PERCALE_SIM_ENGINE": "onednn=off"}
            with Workers(WORKER, (), (), (), ()) as workers, \
                    Workers(WORKER, ("--plugin-path", SIM, "--devices", "sim:0"), environment=slow) as slower:
                path = os.path.join(self.path, "cluster.json")
                with open(path, "w", encoding="utf-8") as file:
                    json.dump({"cluster": {"chief": [f"127.0.0.1:{free_ports(1)[0]}"], "ps": workers.addresses[:2],
                                           "worker": workers.addresses[2:] + slower.addresses}}, file)
                out = os.path.join(self.path, "slow-" + mode[:5])
                with subprocess.Popen([program.PATH, "train", spec, "--json", "--shards", "3", "--cluster", path, "--task",
                                       "chief:0", "--out", out, "--checkpoint-every", "9"], stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True) as chief:
                    wait_for(os.path.join(out, "step-*"), chief)
                    workers.kill(3)
                    printed, errors = chief.communicate(timeout=100)
            self.assertEqual(chief.returncode, 0, errors)
            result = json.loads(printed)
            self.assertEqual([device["lost"] for device in result["devices"]], [False, True, False], result["devices"])
            shards, steps = result["run"]["shards"], result["run"]["commits"]
            self.assertEqual(shards["accepted"], steps * (3 if bound else 1), result["run"])
            oldest = max(entry["commits"] for entry in result["run"]["staleness"])
            if bound:
                self.assertLessEqual(oldest, bound)
            self.assertGreater(result["metrics"]["accuracy"], 0.95)


if __name__ == "__main__":
    program.main()
