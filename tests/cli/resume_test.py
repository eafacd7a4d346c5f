"""Tests checkpoints: interrupted trainings continue to the same bits; other runs are rejected.
Usage: resume_test.py PERCALE"""
import json
import os
import random
import re
import shutil
import subprocess
import time

import program
from program import percale
from small_job import SPEC
from trained_job import TrainedJob


class Resuming(TrainedJob):
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

    def test_paths_and_logging_may_change_on_resume(self):
        moved = os.path.join(self.path, "moved")
        place = lambda *names: os.path.join(moved, *names)
        os.makedirs(place("data"))
        for before, after in (("x.idx", "images.idx"), ("y.idx", "labels.idx")):
            shutil.copy(os.path.join(self.path, before), place("data", after))
        percale("train", self.spec, "--out", os.path.join(self.path, "before"), "--epochs", "1")
        os.rename(os.path.join(self.path, "before"), place("run"))
        files = {"x": "images.idx", "y": "labels.idx", "scale": 1 / 255}
        spec = self.write_spec("moved/job.json", SPEC | {"data": {"train": files, "test": files}})
        resumed = json.loads(percale("train", spec, "--data", place("data"), "--resume", place("run"), "--out", place("after"),
                                     "--log", "debug", "--history", place("history.csv"), "--tensorboard", place("board"),
                                     "--trace", place("trace.json"), "--json").stdout)
        self.assertEqual((resumed["digest"], resumed["steps"]), (self.digest(), 39))
        self.assertEqual(resumed["checkpoint"], place("after", "step-39"))

    def test_two_trainings_do_not_share_a_folder(self):
        out = os.path.join(self.path, "shared")
        long = self.write_spec("long.json", SPEC | {"epochs": 100000})
        with subprocess.Popen([program.PATH, "train", long, "--out", out, "--checkpoint-every", "1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as first:
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
            with subprocess.Popen([program.PATH, "train", spec, "--resume", out, "--checkpoint-every", "3"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                try:
                    process.wait(timeout=source.uniform(0.03, 0.15))
                except subprocess.TimeoutExpired:
                    process.kill()
                    kills += 1
        resumed = json.loads(percale("train", spec, "--resume", out, "--checkpoint-every", "3", "--json").stdout)
        self.assertEqual((resumed["digest"], resumed["steps"]), (wanted["digest"], wanted["steps"]))
        self.assertLessEqual(len([name for name in os.listdir(out) if re.fullmatch(r"step-\d+", name)]), 3)


if __name__ == "__main__":
    program.main()
