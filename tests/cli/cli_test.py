"""Tests the program as people and scripts use it: exit codes, help, JSON, the files that it writes.
Usage: cli_test.py PERCALE"""
import json
import os
import pty
import random
import re
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile
from xml.etree import ElementTree

from small_job import SPEC, make_data

PROGRAM = ""
COMMANDS = ["info", "list", "ops", "show", "plan", "kernels", "run", "bench", "test", "train", "evaluate", "trace", "check", "import",
            "export"]


def percale(*arguments, code=0, environment=None):
    """Checks the exit code and returns the program's output."""
    result = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=120,
                            env=dict(os.environ, **(environment or {})), check=False)
    if result.returncode != code:
        raise AssertionError(f"percale {' '.join(arguments)}: exit code {result.returncode}, wanted {code}\n"
                             f"{result.stdout}{result.stderr}")
    return result


class Basics(unittest.TestCase):
    def test_every_command_has_help(self):
        overview = percale("--help").stdout
        for command in COMMANDS:
            self.assertIn(f"\n  {command} ", overview)
            text = percale(command, "--help").stdout
            self.assertIn(f"usage: percale {command} ", text)
            self.assertIn("--threads", text)

    def test_usage_errors_end_with_2(self):
        percale(code=2)
        self.assertIn("unknown command 'trane'", percale("trane", code=2).stderr)
        self.assertIn("did you mean '--threads'", percale("info", "--thread", "1", code=2).stderr)
        for command in COMMANDS:
            if command not in ("info", "list", "ops"):
                percale(command, code=2)
        percale("info", "more", code=2)
        percale("info", "--threads", code=2)
        percale("bench", "model", "--runs", "none", code=2)
        percale("run", "model", code=2)
        self.assertIn("did you mean 'train'?", percale("trian", code=2).stderr)
        self.assertNotIn("did you mean", percale("serve-models", code=2).stderr)
        percale("help", "trian", code=2)

    def test_wrong_values_of_flags_end_with_2_and_name_the_flag(self):
        for arguments, told in ((["--threads", "many"], "--threads: option 'threads': 'many' is no integer"),
                                (["--devices", "nope:0"], "--devices: devices: there is no nope:0"),
                                (["--memory-limit", "much"], "--memory-limit"), (["--log", "loud"], "--log"),
                                (["--option", "isaa=auto"], "did you mean 'isa'?"), (["--option", "isa=sse9"], "--option")):
            self.assertIn(told, percale("info", *arguments, code=2).stderr)

    def test_sizes_have_units(self):
        for text, wanted in (("1GB", 10**9), ("2GiB", 2**31), ("1.5MB", 1500000), ("4096", 4096)):
            self.assertEqual(json.loads(percale("info", "--json", "--memory-limit", text).stdout)["memory"]["limit"], wanted)

    def test_help_tells_of_a_command(self):
        self.assertEqual(percale("help", "train").stdout, percale("train", "--help").stdout)

    def test_flags_that_set_options_have_their_docs(self):
        """Line breaks aside, the help of a flag holds what `percale list` prints of its option."""
        flags = {("engine", key): "info" for key in ("threads", "devices", "memory_limit", "deterministic", "log")}
        flags.update({("trainer", key): "train" for key in ("epochs", "seed", "shards", "mode")})
        flags["session", "costs"] = "plan"
        for (kind, key), command in flags.items():
            text = " ".join(percale("help", command).stdout.split())
            facts, doc = percale("list", kind, key).stdout.split("\n", 1)
            self.assertIn(f"--{key.replace('_', '-')} ", text)
            self.assertIn(" ".join(doc.split()), text)
            self.assertIn(f"({' '.join(facts.split()[1:])})", text)

    def test_json_is_one_value_whatever_goes_wrong(self):
        for arguments, code in ((["info", "--threads", "many"], 2), (["info", "--what"], 2), (["show", "/nowhere.percale"], 1),
                                (["ops", "Nope"], 1), (["check", b"/nowhere/\xff\x1b.percale"], 1), (["train", os.devnull], 1)):
            result = subprocess.run([PROGRAM, *arguments, "--json"], capture_output=True, timeout=60, check=False)
            self.assertEqual(result.returncode, code, arguments)
            value = json.loads(result.stdout.decode("utf-8"))
            if arguments[0] != "check":
                self.assertIn(value["error"]["message"], result.stderr.decode("utf-8"))
                self.assertTrue(value["error"]["code"])

    def test_ops_that_are_not_there_name_a_similar_one(self):
        self.assertIn("did you mean 'Softmax'?", percale("ops", "Sofmax", code=1).stderr)
        self.assertNotIn("did you mean", percale("ops", "Zzzzzzzzz", code=1).stderr)

    def test_a_terminal_gets_no_control_characters_of_names(self):
        ours, theirs = pty.openpty()
        subprocess.run([PROGRAM, "check", "/nowhere/\x1b]0;evil\x07.percale"], stdout=theirs, stderr=theirs, timeout=60, check=False)
        shown = os.read(ours, 65536)
        os.close(ours)
        os.close(theirs)
        self.assertIn(b"\\x1b]0;evil\\x07", shown)
        self.assertNotIn(b"\x07", shown)

    def test_failures_end_with_1_and_say_why_on_stderr(self):
        result = percale("show", "/nowhere.percale", code=1)
        self.assertIn("/nowhere.percale", result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertNotIn("\033", result.stderr)

    def test_foreign_models_that_are_not_there_are_named(self):
        for arguments in (["import", "/nowhere.onnx", "b.percale"], ["export", "/nowhere.percale", "b.onnx"], ["show", "/nowhere.onnx"], ["test", "/nowhere"]):
            self.assertIn("/nowhere", percale(*arguments, code=1).stderr)

    def test_info_names_no_plugin_that_was_not_built(self):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(os.path.join(folder, "build", "libpercale_gone.so"), os.path.join(folder, "libpercale_gone.so"))
            self.assertNotIn("gone", percale("info", "--plugin", folder).stdout)
        for plugin in json.loads(percale("info", "--json").stdout)["plugins"]:
            self.assertTrue(os.path.exists(plugin["path"]), plugin)

    def test_info_and_ops_are_json_when_asked(self):
        info = json.loads(percale("info", "--json", "--threads", "2", "--devices", "cpu=2x1").stdout)
        self.assertEqual(info["threads"], 2)
        self.assertEqual([device["name"] for device in info["devices"]], ["cpu:0", "cpu:1"])
        self.assertIn("fingerprint", percale("info").stdout)
        ops = json.loads(percale("ops", "--json").stdout)
        for key in ("name", "domain", "since", "inputs", "attributes", "outputs", "gradient", "devices"):
            self.assertTrue(all(key in op for op in ops), key)
        self.assertEqual({op["gradient"] for op in ops} - {"yes", "none", "zero"}, set())
        self.assertEqual(json.loads(percale("ops", "Conv", "--json").stdout)[0]["name"], "Conv")
        self.assertIn("gradient yes", percale("ops", "Conv").stdout)
        self.assertRegex(percale("ops", "Relu").stdout, r"(?m)^  output +Y +T$")
        percale("ops", "Convv", code=1)


class Training(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = cls.folder.name
        make_data(cls.path, 200)
        cls.spec = cls.write_spec("spec.json", SPEC)
        cls.out = os.path.join(cls.path, "out")
        cls.trained = percale("train", cls.spec, "--out", cls.out, "--digest")
        cls.model = os.path.join(cls.out, "model.percale")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def write_spec(cls, name, spec):
        path = os.path.join(cls.path, name)
        with open(path, "w", encoding="utf-8") as out:
            json.dump(spec, out)
        return path

    def digest(self, *arguments):
        return json.loads(percale("train", self.spec, "--json", *arguments).stdout)["digest"]

    def test_training_writes_what_it_says(self):
        self.assertRegex(self.trained.stdout, r"digest sha256:[0-9a-f]{64}\n")
        self.assertRegex(self.trained.stdout.strip().splitlines()[-1], r"^test .*accuracy (1|0\.9)")
        self.assertEqual(len(re.findall(r"^epoch \d/3 ", self.trained.stderr, re.M)), 3)
        for name in ("model.percale", "history.csv", "loss.svg", "step-39"):
            self.assertTrue(os.path.exists(os.path.join(self.out, name)), name)
        with open(os.path.join(self.out, "history.csv"), encoding="utf-8") as lines:
            rows = lines.read().splitlines()
        self.assertEqual(rows[0], "epoch,step,loss,learning_rate,seconds,accuracy")
        self.assertEqual(len(rows), 1 + 39)
        self.assertTrue(rows[1].startswith("1,1,") and rows[1].endswith(","))
        self.assertFalse(rows[13].endswith(","))

    def test_json_is_one_object(self):
        result = json.loads(percale("train", self.spec, "--json").stdout)
        self.assertEqual(set(result), {"steps", "loss", "metrics", "digest", "seconds", "images_per_second", "checkpoint",
                                       "ended_by", "parallel", "parameter_placement", "devices", "run"})
        self.assertEqual(result["steps"], 39)
        self.assertIsNone(result["checkpoint"])

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

    def test_threads_do_not_change_the_digest_and_the_seed_does(self):
        self.assertEqual(self.digest("--threads", "1"), self.digest("--threads", "3"))
        self.assertIn(self.digest(), self.trained.stdout)
        self.assertNotEqual(self.digest("--seed", "2"), self.digest())

    def test_a_run_that_was_cut_short_goes_on_to_the_same_bits(self):
        out = os.path.join(self.path, "cut")
        percale("train", self.spec, "--epochs", "1", "--out", out, "--checkpoint-every", "5")
        resumed = json.loads(percale("train", self.spec, "--resume", out, "--json").stdout)
        self.assertEqual(resumed["digest"], self.digest())
        empty = os.path.join(self.path, "empty")
        os.mkdir(empty)
        self.assertIn("starting at step 0", percale("train", self.spec, "--resume", empty).stderr)

    def test_a_folder_that_is_missing_is_not_resumed(self):
        missing = os.path.join(self.path, "no")
        self.assertIn(missing, percale("train", self.spec, "--resume", missing, code=1).stderr)
        self.assertFalse(os.path.exists(missing))

    def test_a_chosen_checkpoint_is_resumed_and_what_follows_lies_beside_it(self):
        out = os.path.join(self.path, "chosen")
        percale("train", self.spec, "--out", out, "--checkpoint-every", "5")
        result = percale("train", self.spec, "--resume", os.path.join(out, "step-5"), "--digest")
        self.assertIn(self.digest(), result.stdout)
        self.assertIn("continuing after step 5", result.stderr)
        self.assertEqual(sorted(os.listdir(os.path.join(out, "step-5"))), ["MANIFEST", "state.safetensors"])

    def test_a_damaged_checkpoint_is_passed_over_and_named(self):
        out = os.path.join(self.path, "damaged")
        percale("train", self.spec, "--out", out)
        newest = max((name for name in os.listdir(out) if name.startswith("step-")), key=lambda name: int(name[5:]))
        os.remove(os.path.join(out, newest, "state.safetensors"))
        result = percale("train", self.spec, "--resume", out, "--digest")
        self.assertIn(self.digest(), result.stdout)
        self.assertIn(newest, result.stderr)
        for name in os.listdir(out):
            if name.startswith("step-"):
                os.remove(os.path.join(out, name, "state.safetensors"))
        self.assertIn("state.safetensors", percale("train", self.spec, "--resume", out, code=1).stderr)

    def test_another_run_is_neither_mixed_in_nor_resumed(self):
        out = os.path.join(self.path, "taken")
        percale("train", self.spec, "--out", out, "--epochs", "1")
        notes = os.path.join(out, "notes.txt")
        with open(notes, "w", encoding="utf-8") as file:
            file.write("mine")
        before = sorted(os.listdir(out))
        refused = percale("train", self.spec, "--out", out, code=1).stderr
        self.assertIn("another run", refused)
        self.assertIn("--overwrite", refused)
        self.assertEqual(sorted(os.listdir(out)), before)
        for key, value, words in (("optimizer", {"name": "adam", "learning_rate": 0.1}, "optimizer.learning_rate: the checkpoint has 0.01, but this job 0.1"),
                                  ("from_logits", False, "loss.from_logits: the checkpoint has true, but this job false"), ("batch_size", 20, "data.batch_size: the checkpoint has 16, but this job 20"),
                                  ("seed", 2, "the checkpoint has 1, but this job 2")):
            other = self.write_spec("other.json", SPEC | {key: value})
            self.assertIn(words, percale("train", other, "--resume", out, code=1).stderr)
        kept = self.write_spec("kept.json", SPEC | {"epochs": 1, "checkpoints": {"keep_last": 1}})
        percale("train", kept, "--out", out, "--overwrite")
        self.assertTrue(os.path.exists(notes))
        self.assertEqual(len([name for name in os.listdir(out) if name.startswith("step-")]), 1)
        percale("train", self.spec, "--overwrite", code=2)

    def test_two_trainings_do_not_share_a_folder(self):
        out = os.path.join(self.path, "shared")
        long = self.write_spec("long.json", SPEC | {"epochs": 100000})
        with subprocess.Popen([PROGRAM, "train", long, "--out", out, "--checkpoint-every", "1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as first:
            try:
                for _ in range(600):
                    if os.path.exists(out) and any(name.startswith("step-") for name in os.listdir(out)):
                        break
                    time.sleep(0.05)
                refused = percale("train", self.spec, "--resume", out, code=1).stderr
            finally:
                first.kill()
        self.assertIn(out, refused)
        self.assertIn(f"process {first.pid}", refused)
        percale("train", long, "--epochs", "1", "--resume", out)

    def test_a_second_process_evaluates_the_checkpoint(self):
        last = self.trained.stdout.strip().splitlines()[-1]
        again = percale("train", self.spec, "--resume", self.out)
        self.assertEqual(again.stdout.strip().splitlines()[-1], last)

    def test_null_is_an_omitted_key_of_a_spec(self):
        self.assertIn("percale list spec", percale("train", "--help").stdout)
        for key in json.loads(percale("list", "spec", "--json").stdout):
            if key["name"] not in SPEC:
                percale("train", self.write_spec("key.json", SPEC | {key["name"]: None}))

    def test_a_trained_model_is_the_beginning_of_another(self):
        head = {key: SPEC[key] for key in SPEC if key not in ("model", "input_shape")} | {
            "model": "out/model.percale", "outputs": "dense", "freeze": "dense/*",
            "head": [{"layer": "Dense", "units": 2, "name": "again"}]}
        spec = self.write_spec("head.json", head)
        out = os.path.join(self.path, "head")
        result = json.loads(percale("train", spec, "--out", out, "--json").stdout)
        self.assertGreater(result["metrics"]["accuracy"], 0.9)
        model = json.loads(percale("show", os.path.join(out, "model.percale"), "--json").stdout)
        self.assertNotIn("dense_1/kernel", json.dumps(model))
        self.assertIn("again/kernel", json.dumps(model))
        import_error = percale("train", self.write_spec("onnx.json", head | {"model": "x.onnx"}), code=1).stderr
        self.assertRegex(import_error, "x.onnx")
        head["outputs"] = "dens"
        self.assertIn("'dense'", percale("train", self.write_spec("wrong.json", head), code=1).stderr)

    def test_what_is_no_spec_is_told_so(self):
        onnx = os.path.join(self.path, "model.onnx")
        with open(onnx, "wb") as out:
            out.write(b"\x08\x07\x12\x04test")
        told = percale("train", onnx, code=1).stderr
        self.assertIn(f"{onnx}: this is not a SPEC", told)
        self.assertIn('"model"', told)
        self.assertIn("this is not a SPEC", percale("train", self.model, code=1).stderr)
        wrong = self.write_spec("wrong word.json", SPEC | {"optimizer": "sdg"})
        self.assertRegex(percale("train", wrong, code=1).stderr, r"wrong word\.json: line 1, column \d+: .*did you mean 'sgd'\?")
        missing = self.write_spec("without data.json", SPEC | {"data": {"train": {"x": "nowhere.idx", "y": "y.idx"}}})
        self.assertIn("without data.json: ", percale("train", missing, code=1).stderr)

    def test_what_cannot_be_written_says_why_and_leaves_no_part_of_it(self):
        path = os.path.join(self.path, "no folder", "trace.json")
        told = percale("train", self.spec, "--trace", path, code=1).stderr
        self.assertIn(f"{path}: cannot be written: No such file or directory", told)
        out = os.path.join(self.path, "drawing.svg")
        percale("show", self.model, "--svg", out)
        self.assertEqual([name for name in os.listdir(self.path) if name.endswith(".part")], [])
        if os.path.exists("/dev/full"):
            self.assertIn("/dev/full: cannot be written: No space left", percale("show", self.model, "--svg", "/dev/full", code=1).stderr)

    def test_a_wrong_spec_names_the_nearest_word(self):
        wrong = self.write_spec("wrong.json", dict(SPEC, epoch=1))
        self.assertIn("epochs", percale("train", wrong, code=1).stderr)
        with open(os.path.join(self.path, "broken.json"), "w", encoding="utf-8") as out:
            out.write("{")
        self.assertIn("line 1", percale("train", os.path.join(self.path, "broken.json"), code=1).stderr)
        self.assertIn("UNIMPLEMENTED", percale("train", self.write_spec("add.json", SPEC | {"accumulation": 2}), "--mode", "async",
                                               code=1).stderr)
        percale("train", self.spec, "--checkpoint-every", "5", code=2)

    def npy(self, name, kind, shape, values):
        """Returns the bytes of a .npy file, version 1."""
        header = f"{{'descr': '<{kind}', 'fortran_order': False, 'shape': {tuple(shape)}, }}".ljust(117) + "\n"
        code = {"u1": "B", "f4": "f", "i8": "q"}[kind]
        data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}{code}", *values)
        if name:
            with open(os.path.join(self.path, name), "wb") as out:
                out.write(data)
        return data

    def test_every_kind_of_data_file_gives_the_same_training(self):
        with open(os.path.join(self.path, "x.idx"), "rb") as file:
            pixels = list(file.read()[16:])
        with open(os.path.join(self.path, "y.idx"), "rb") as file:
            labels = list(file.read()[8:])
        x, y = self.npy("", "u1", [200, 4, 4], pixels), self.npy("", "i8", [200], labels)
        for name, method in (("stored.npz", zipfile.ZIP_STORED), ("deflated.npz", zipfile.ZIP_DEFLATED)):
            with zipfile.ZipFile(os.path.join(self.path, name), "w", method) as archive:
                for member, data in (("x.npy", x), ("y.npy", y)):
                    with archive.open(member, "w", force_zip64=True) as out:
                        out.write(data)
        for part, (begin, end) in enumerate(((0, 60), (60, 61), (61, 200))):
            self.npy(f"x{part}.npy", "u1", [end - begin, 4, 4], pixels[16 * begin:16 * end])
        header = json.dumps({"y": {"dtype": "U8", "shape": [200], "data_offsets": [0, 200]}}).encode()
        with open(os.path.join(self.path, "y.safetensors"), "wb") as out:
            out.write(struct.pack("<Q", len(header)) + header + bytes(labels))
        single = lambda value: struct.unpack("<f", struct.pack("<f", value))[0]
        with open(os.path.join(self.path, "both.csv"), "w", encoding="utf-8") as out:
            out.write(",".join(f"p{i}" for i in range(16)) + ",label\n")
            for row in range(200):
                numbers = [repr(single(p * single(1 / 255))) for p in pixels[16 * row:16 * row + 16]]
                out.write(",".join(numbers) + f",{labels[row]}\n")
        scale = {"scale": 1 / 255}
        wanted = self.digest()
        for name, data in (("npz", {"x": "stored.npz", "y": "stored.npz"} | scale),
                           ("deflated", {"x": "deflated.npz#x", "y": "deflated.npz"} | scale),
                           ("parts", {"x": ["x0.npy", "x1.npy", "x2.npy"], "y": "y.safetensors"} | scale),
                           ("csv", {"x": "both.csv", "y": "both.csv"}),
                           ("named", {"x": "both.csv#" + ",".join(f"p{i}" for i in range(16)), "y": "both.csv#label"})):
            spec = self.write_spec(name + ".json", dict(SPEC, data={"train": data}))
            result = json.loads(percale("train", spec, "--json", "--threads", "2").stdout)
            self.assertEqual(result["digest"], wanted, name)
        with open(os.path.join(self.path, "deflated.npz"), "r+b") as file:
            file.seek(100)
            byte = file.read(1)
            file.seek(100)
            file.write(bytes([byte[0] ^ 1]))
        spec = self.write_spec("flipped.json", dict(SPEC, data={"train": {"x": "deflated.npz", "y": "deflated.npz"}}))
        self.assertRegex(percale("train", spec, code=1).stderr, r"deflated\.npz: 'x\.npy': (the checksum is wrong|the compressed data)")

    def test_killed_at_any_moment_it_goes_on_to_the_same_bits_with_every_option(self):
        spec = self.write_spec("options.json", dict(
            SPEC, epochs=40, ema=0.9, accumulation=2, clip={"norm": 0.5, "global_norm": 0.7}, class_weight={"1": 2},
            schedule={"name": "plateau", "patience": 0, "monitor": "val_loss"}, optimizer={"name": "lamb", "learning_rate": 0.01},
            groups=[{"pattern": "*/bias", "learning_rate_factor": 2}], freeze=["dense/bias"], metrics=["accuracy", "auc"],
            early_stopping={"monitor": "val_loss", "patience": 30}, checkpoints={"keep_last": 2, "keep_best": 1, "monitor": "loss"},
            data=dict(SPEC["data"], validation=SPEC["data"]["test"])))
        wanted = json.loads(percale("train", spec, "--json").stdout)
        out = os.path.join(self.path, "killed")
        os.mkdir(out)
        source = random.Random(5)
        kills = 0
        for _ in range(6):
            with subprocess.Popen([PROGRAM, "train", spec, "--resume", out, "--checkpoint-every", "3"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                try:
                    process.wait(timeout=source.uniform(0.03, 0.15))
                except subprocess.TimeoutExpired:
                    process.kill()
                    kills += 1
        resumed = json.loads(percale("train", spec, "--resume", out, "--checkpoint-every", "3", "--json").stdout)
        self.assertEqual((resumed["digest"], resumed["steps"]), (wanted["digest"], wanted["steps"]))
        self.assertLessEqual(len([name for name in os.listdir(out) if re.fullmatch(r"step-\d+", name)]), 3)

    def test_the_nodes_of_each_step_can_be_traced(self):
        path = os.path.join(self.path, "steps.json")
        steps = json.loads(percale("train", self.spec, "--trace", path, "--json").stdout)["steps"]
        with open(path, encoding="utf-8") as file:
            spans = [event for event in json.load(file)["traceEvents"] if event["ph"] == "X"]
        self.assertGreaterEqual(sum("Grad" in span["name"] for span in spans), steps)

    def test_tensorboard_gets_a_file_of_records_under_checksums(self):
        folder = os.path.join(self.path, "board")
        percale("train", self.spec, "--tensorboard", folder)
        names = os.listdir(folder)
        self.assertEqual(len(names), 1)
        self.assertTrue(names[0].startswith("events.out.tfevents."))
        with open(os.path.join(folder, names[0]), "rb") as file:
            data = file.read()
        at, records = 0, []
        while at < len(data):
            (size,) = struct.unpack_from("<Q", data, at)
            records.append(data[at + 12:at + 12 + size])
            at += 16 + size
        self.assertEqual(at, len(data))
        self.assertEqual(len(records), 1 + 39)
        self.assertIn(b"brain.Event:2", records[0])
        self.assertEqual(sum(b"accuracy" in record for record in records), 3)

    def drawn(self, *arguments):
        """Returns the SVG and the page."""
        svg, html = os.path.join(self.path, "graph.svg"), os.path.join(self.path, "graph.html")
        percale("show", self.model, "--svg", svg, "--html", html, *arguments)
        texts = []
        for path in (svg, html):
            with open(path, encoding="utf-8") as file:
                texts.append(file.read())
        return texts

    def test_a_model_is_drawn_with_outputs_variables_and_types(self):
        svg, html = self.drawn()
        drawing = ElementTree.fromstring(svg)
        self.assertLessEqual(int(drawing.get("height")), 4000)
        words = [text.text for text in drawing.iter("{http://www.w3.org/2000/svg}text")]
        self.assertIn("dense/kernel f32 [16,8]", words)
        self.assertIn("f32 [?,8]", words)
        self.assertTrue(drawing.findall(".//{http://www.w3.org/2000/svg}rect[@class='o']"))
        self.assertTrue(html.startswith("<!doctype html>"))
        self.assertNotIn("://", html.replace("http://www.w3.org", ""))

    def test_a_plan_is_drawn_with_devices_kernels_and_the_times_of_a_trace(self):
        trace = os.path.join(self.path, "drawn.json")
        percale("trace", self.model, "--out", trace)
        for texts in (self.drawn("--planned", "--trace", trace), self.drawn("--trace", trace)):
            for text in texts:
                self.assertRegex(text, r"\d (\u00b5s|ms)")
        self.assertIn("cpu:0 \u00b7 ", self.drawn("--planned")[0])
        self.assertNotIn("\u00b5s", self.drawn("--planned")[0])
        self.assertIn("--trace requires --svg", percale("show", self.model, "--trace", trace, code=2).stderr)
        self.assertIn("this is no trace", percale("show", self.model, "--svg", os.devnull, "--trace", self.spec, code=1).stderr)

    def test_a_model_shows_itself(self):
        self.assertIn("parameters", percale("show", self.model).stdout)
        shown = json.loads(percale("show", self.model, "--json").stdout)
        self.assertEqual(shown["parameters"], 16 * 8 + 8 + 8 * 2 + 2)
        planned = json.loads(percale("show", self.model, "--planned", "--json").stdout)
        self.assertTrue(planned["plan"]["nodes"])
        # Two dense layers on one row, and an operation per element of the ops after them.
        self.assertGreaterEqual(planned["plan"]["cost"]["flops"], 2 * (16 * 8 + 8 * 2))
        self.assertLess(planned["plan"]["cost"]["flops"], 2 * (16 * 8 + 8 * 2) + 100)
        self.assertIn("critical path", percale("show", self.model, "--planned").stdout)
        plan = json.loads(percale("plan", self.model, "--feed-shape", "x=8,4,4,1", "--json").stdout)
        self.assertTrue(all(node["device"] == "cpu:0" and node["reason"] for node in plan["nodes"]))
        self.assertTrue(json.loads(percale("kernels", self.model, "--json").stdout))
        self.assertIn("cpu:0", percale("plan", self.model).stdout)
        self.assertIn("cpu:0", percale("kernels", self.model).stdout)
        percale("plan", self.model, "--feed-shape", "nothing=1", code=1)

    def test_bench_measures(self):
        result = json.loads(percale("bench", self.model, "--runs", "20", "--json").stdout)
        self.assertEqual(result["runs"], 20)
        self.assertLessEqual(result["min_us"], result["median_us"])
        self.assertLessEqual(result["median_us"], result["p99_us"])
        for key in ("cpu_us", "load_ms", "planned_peak_bytes", "measured_peak_bytes"):
            self.assertGreater(result[key], 0, key)

    def test_run_reads_and_writes_npy(self):
        feed = os.path.join(self.path, "x.npy")
        header = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4, 4, 1), }".ljust(117) + "\n"
        with open(feed, "wb") as out:
            out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                      struct.pack("<48f", *[0.5] * 48))
        results = os.path.join(self.path, "results")
        listed = json.loads(percale("run", self.model, "--feed", "x=" + feed, "--out", results, "--json").stdout)
        self.assertEqual(listed[0]["dims"], [3, 2])
        with open(listed[0]["file"], "rb") as file:
            self.assertEqual(file.read(6), b"\x93NUMPY")
        percale("run", self.model, "--feed", "z=" + feed, "--out", results, code=1)

    def test_trace_is_json_for_perfetto(self):
        path = os.path.join(self.path, "trace.json")
        percale("trace", self.model, "--out", path)
        with open(path, encoding="utf-8") as trace:
            self.assertTrue(json.load(trace)["traceEvents"])

    def test_a_trace_tells_placement_what_nodes_cost(self):
        def expected(*more):
            plan = json.loads(percale("plan", self.model, "--devices", "cpu=2x1", "--json", *more).stdout)
            return plan["placement"]["expected_seconds"]
        path = os.path.join(self.path, "costs.json")
        percale("trace", self.model, "--out", path)
        with open(path, encoding="utf-8") as file:
            trace = json.load(file)
        for event in trace["traceEvents"]:
            if event["ph"] == "X":
                event["dur"] = 5e6
        with open(path, "w", encoding="utf-8") as file:
            json.dump(trace, file)
        self.assertLess(expected(), 1)
        self.assertGreater(expected("--costs", path), 5)
        self.assertIn("next to their", percale("plan", self.model, "--devices", "cpu=2x1", "--costs", path).stdout)
        with open(path, "w", encoding="utf-8") as file:
            file.write("{}")
        self.assertIn("traceEvents", percale("plan", self.model, "--costs", path, code=1).stderr)
        percale("plan", self.model, "--costs", os.path.join(self.path, "nothing.json"), code=1)

    def test_check_tells_good_from_bad(self):
        with open(self.model, "rb") as file:
            good = file.read()
        self.assertEqual(percale("check", self.model).stdout, f"ok {self.model}\n")
        source = random.Random(3)
        bad = []
        for number in range(40):
            path = os.path.join(self.path, f"bad{number}.percale")
            data = bytearray(good)
            if number % 2 == 0:
                del data[source.randrange(len(data)):]
            else:
                data[source.randrange(min(len(data), 2000))] ^= 1 << source.randrange(8)
            with open(path, "wb") as out:
                out.write(data)
            bad.append(path)
        result = subprocess.run([PROGRAM, "check", self.model, *bad], capture_output=True, text=True, timeout=120, check=False)
        lines = result.stdout.splitlines()
        self.assertEqual(len(lines), 41)
        self.assertEqual(result.returncode, 1)
        self.assertTrue(all(re.match(r"bad \S+: .+", line) for line in lines[1::2]), lines[1::2])
        listed = json.loads(subprocess.run([PROGRAM, "check", "--json", self.model, "/nowhere"], capture_output=True, text=True,
                                           timeout=60, check=False).stdout)
        self.assertEqual([entry["ok"] for entry in listed], [True, False])

    def test_check_reads_jobs_and_checkpoints(self):
        with tempfile.TemporaryDirectory() as folder:
            make_data(folder, 64)
            job = os.path.join(folder, "job.json")
            with open(job, "w", encoding="utf-8") as file:
                json.dump(SPEC, file)
            run = os.path.join(folder, "run")
            percale("train", job, "--data", folder, "--out", run)
            self.assertEqual(percale("check", job, run).stdout, f"ok {job}\nok {run}\n")
            state = os.path.join(run, max(name for name in os.listdir(run) if name.startswith("step-")), "state.safetensors")
            with open(state, "r+b") as file:
                file.seek(-4, os.SEEK_END)
                file.write(b"\xff\xff\xff\xff")
            self.assertRegex(percale("check", run, code=1).stdout, r"^bad .*run: .*checksum")


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
