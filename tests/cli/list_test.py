"""Tests of `percale list`: the library takes every key that it lists, and SPEC.md documents it.
Usage: list_test.py PERCALE SPEC.md"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import program
from program import percale

DOCUMENT = ""
NAMED = ["losses", "metrics", "optimizers", "schedules"]


def listed(*words):
    return json.loads(percale("list", *words, "--json").stdout)


def all_keys(keys):
    for key in keys:
        yield key
        yield from all_keys(key.get("keys", []))


class Lists(unittest.TestCase):
    def test_there_is_a_list_of_every_topic(self):
        topics = listed()
        self.assertEqual(topics, ["spec", "layers", *NAMED, "engine", "session", "trainer", "export"])
        for topic in topics:
            self.assertTrue(percale("list", topic).stdout)
            for entry in listed(topic):
                name = entry.get("name") or entry["key"]
                self.assertTrue(entry["doc"].endswith("."), (topic, name))
                self.assertIn(name, percale("list", topic).stdout)

    def test_one_entry_tells_keys_types_and_defaults(self):
        text = percale("list", "optimizers", "adamw").stdout
        self.assertIn("beta_2  float, 0 to 0.999999999, default: 0.999\n", text)
        self.assertIn("weight_decay  float, at least 0, default: 0.004\n", text)
        self.assertIn("step_size  int, at least 1, required", percale("list", "schedules", "step").stdout)
        self.assertIn(", required\n", percale("list", "schedules", "step").stdout)
        self.assertIn("patience  int", percale("list", "spec", "early_stopping").stdout)
        self.assertIn("units  int, at least 1, required", percale("list", "layers", "Dense").stdout)
        self.assertIn("isa  auto sse4 avx2 avx512 neon, default: auto", percale("list", "engine", "isa").stdout)

    def test_wrong_names_name_a_similar_one(self):
        self.assertIn("did you mean 'optimizers'?", percale("list", "optimizer", code=2).stderr)
        self.assertIn("did you mean 'adam'?", percale("list", "optimizers", "adm", code=1).stderr)

    def test_the_specs_document_names_every_key(self):
        with open(DOCUMENT, encoding="utf-8") as file:
            text = file.read()
        said = [*all_keys(listed("spec"))]
        for topic in NAMED:
            for entry in listed(topic):
                said += entry["keys"]
                self.assertTrue(entry["name"] in text, (topic, entry["name"]))
        missing = sorted({key["name"] for key in said if f"`{key['name']}`" not in text and f'"{key["name"]}"' not in text})
        self.assertEqual(missing, [])

    def examples(self):
        with open(DOCUMENT, encoding="utf-8") as file:
            text = file.read().split("## Whole jobs", 1)[1].split("\n## ")[0]
        return re.findall(r"```json\n(.*?)```", text, re.DOTALL)

    def write(self, folder, name, text):
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def test_the_specs_examples_are_good(self):
        jobs = [job for job in self.examples() if not isinstance(json.loads(job)["model"], str)]
        self.assertGreater(len(jobs), 2)
        for number, job in enumerate(jobs):
            with tempfile.TemporaryDirectory() as folder:
                percale("check", self.write(folder, f"{number}.json", job))

    def test_the_specs_example_of_fine_tuning_trains_the_head_alone(self):
        """Uses a small model with the names of the example; as ONNX if the plug-in is present."""
        (job,) = [job for job in self.examples() if isinstance(json.loads(job)["model"], str)]
        rows = [(i, -i, i % 5) for i in range(60)]
        head = ["x0", "x1", "x2", "y"]
        with tempfile.TemporaryDirectory() as folder:
            self.write(folder, "rows.csv", "\n".join([",".join(head), *(f"{a},{b},{c},{a % 3}" for a, b, c in rows)]) + "\n")
            body = {"model": [{"layer": "Dense", "units": 4, "activation": "relu", "name": "features"},
                              {"layer": "Dense", "units": 7, "name": "old"}],
                    "loss": "sparse_categorical_crossentropy", "from_logits": True, "optimizer": "sgd",
                    "data": {"train": {"x": "rows.csv#x0,x1,x2", "y": "rows.csv#y"}}}
            percale("train", self.write(folder, "body.json", json.dumps(body)), "--out", os.path.join(folder, "body"))
            model, onnx = os.path.join(folder, "body", "model.percale"), os.path.join(folder, "resnet.onnx")
            if subprocess.run([program.PATH, "export", model, onnx], capture_output=True, timeout=120, check=False).returncode:
                job = job.replace("resnet.onnx", "body/model.percale")
            job = job.replace("x.npy", "rows.csv#x0,x1,x2").replace("y.npy", "rows.csv#y")
            path = self.write(folder, "job.json", job)
            percale("check", path)
            percale("train", path, "--out", os.path.join(folder, "tuned"))
            before, after = (self.variables(folder, name) for name in ("body", "tuned"))
            self.assertEqual(after["features/kernel"], before["features/kernel"])
            self.assertNotIn("old/kernel", after)
            self.assertIn("classes/kernel", after)
            every = self.write(folder, "every.json", job.replace('"freeze": "model"', '"freeze": "*"'))
            self.assertIn('take "model" to keep', percale("train", every, code=1).stderr)

    def variables(self, folder, run):
        """Returns the bytes of the newest checkpoint's tensors, by name."""
        run = os.path.join(folder, run)
        step = max((name for name in os.listdir(run) if name.startswith("step-")), key=lambda name: int(name[5:]))
        with open(os.path.join(run, step, "state.safetensors"), "rb") as file:
            data = file.read()
        size = int.from_bytes(data[:8], "little")
        return {name: data[8 + size + entry["data_offsets"][0]:8 + size + entry["data_offsets"][1]]
                for name, entry in json.loads(data[8:8 + size]).items() if name != "__metadata__"}


class Keys(unittest.TestCase):
    """The library takes each default and refuses a value above each bound."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def trained(self, **parts):
        """Returns the error message of a job without data. Wrong keys are reported before missing
        data."""
        job = {"model": [{"layer": "Dense", "units": 2}], "loss": "mse", "optimizer": "sgd", **parts}
        path = os.path.join(self.folder.name, "job.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(job, file)
        return percale("train", path, "--out", os.path.join(self.folder.name, "run"), code=1).stderr

    def config(self, entry, **more):
        required = {key["name"]: key.get("min", 1) for key in entry["keys"] if key["required"]}
        return {"name": entry["name"], **required, **more}

    def test_defaults_are_taken_and_bounds_are_kept(self):
        places = {"losses": "loss", "optimizers": "optimizer", "schedules": "schedule"}
        accepted = self.trained()
        for topic, place in places.items():
            for entry in listed(topic):
                for key in entry["keys"]:
                    case = (entry["name"], key["name"])
                    if "default" in key and not isinstance(key["default"], str) and key["name"] not in ("total_steps", "decay_steps", "duration"):
                        given = self.config(entry, **{key["name"]: key["default"]})
                        if place == "loss" and "sparse" not in entry["name"]:
                            given["from_logits"] = given.get("from_logits", False)
                        self.assertEqual(self.trained(**{place: given}), accepted, case)
                    if "max" in key and key["type"] in ("int", "float"):
                        said = self.trained(**{place: self.config(entry, **{key["name"]: key["max"] * 2 + 1})})
                        self.assertRegex(said, f"'{key['name']}' is .*, wanted", case)

    def test_required_keys_are_missed(self):
        for entry in listed("schedules"):
            for key in entry["keys"]:
                if key["required"]:
                    self.assertIn(f"'{key['name']}'", self.trained(schedule={"name": entry["name"]}))
        self.assertIn("'loss' is missing", self.trained(loss=None))


if __name__ == "__main__":
    DOCUMENT = sys.argv.pop(2)
    program.main()
