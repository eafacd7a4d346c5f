"""Tests trainings that end early or have nothing left, checks of SPECs without their data, and
evaluations.
Usage: job_test.py PERCALE"""
import csv
import json
import os
import re
import tempfile
import unittest

import program
from program import percale
from small_job import SPEC, make_data

class Jobs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = folder.name
        make_data(self.path, 200)

    def spec(self, name="spec.json", /, **keys):
        path = os.path.join(self.path, name)
        with open(path, "w", encoding="utf-8") as out:
            json.dump({key: value for key, value in (SPEC | keys).items() if value is not None}, out)
        return path

    def out(self, name="out"):
        return os.path.join(self.path, name)


class OpsOf(Jobs):
    def test_the_ops_of_a_job_are_those_that_its_training_and_evaluation_use(self):
        names = percale("ops", "--of", self.spec()).stdout.split()
        self.assertEqual(names, sorted(set(names)))
        for name in ("Gemm", "Relu", "ReluGrad", "ApplyAdam", "SoftmaxCrossEntropyLoss"):
            self.assertIn(name, names)
        for name in ("Conv", "LSTM", "ApplyLion"):
            self.assertNotIn(name, names)
        self.assertEqual(json.loads(percale("ops", "--of", self.spec(), "--json").stdout), names)

    def test_the_ops_of_a_model_are_fewer_than_those_of_its_training(self):
        spec = self.spec(epochs=1)
        percale("train", spec, "--out", self.out())
        model = percale("ops", "--of", os.path.join(self.out(), "model.percale")).stdout.split()
        both = percale("ops", "--of", spec, os.path.join(self.out(), "model.percale")).stdout.split()
        self.assertIn("Relu", model)
        self.assertNotIn("ApplyAdam", model)
        self.assertLess(set(model), set(both))

    def test_files_that_are_missing(self):
        self.assertIn("--of requires a SPEC or a model", percale("ops", "--of", code=2).stderr)
        self.assertIn("nowhere.json", percale("ops", "--of", self.out("nowhere.json"), code=1).stderr)


class Ends(Jobs):
    STOPS = {"epochs": 40, "early_stopping": {"monitor": "val_loss", "patience": 1, "min_delta": 10,
                                              "restore_best_weights": True}}

    def test_a_run_that_early_stopping_ended_says_so_and_stays_ended(self):
        spec = self.spec(**self.STOPS)
        said = percale("train", spec, "--out", self.out()).stderr
        self.assertRegex(said, r"stopped by early stopping after epoch 2 \(best: 1, val_loss 0\.\d+\)")
        ended = json.loads(percale("train", spec, "--json").stdout)
        self.assertEqual((ended["ended_by"], ended["steps"]), ("early_stopping", 26))
        said = percale("train", spec, "--resume", self.out(), "--epochs", "60").stderr
        self.assertRegex(said, r"nothing left to train: .* early stopping after epoch 2 \(best: 1, val_loss")
        again = json.loads(percale("train", spec, "--resume", self.out(), "--epochs", "60", "--json").stdout)
        self.assertEqual((again["ended_by"], again["digest"]), ("early_stopping", ended["digest"]))

    def test_a_run_whose_epochs_are_done_says_so(self):
        spec = self.spec(data={"train": SPEC["data"]["train"]})
        self.assertIsNone(json.loads(percale("train", spec, "--out", self.out(), "--json").stdout)["ended_by"])
        said = percale("train", spec, "--resume", self.out()).stderr
        self.assertIn("nothing left to train: 3 epochs are done", said)
        again = json.loads(percale("train", spec, "--resume", self.out(), "--json").stdout)
        self.assertIsNone(again["loss"])

    def test_test_data_that_is_watched_has_its_numbers_in_the_output_and_the_history(self):
        said = percale("train", self.spec(**self.STOPS), "--out", self.out()).stderr
        self.assertRegex(said, r"epoch 1/40 .*  val_loss 0\.\d+  val_accuracy ")
        with open(os.path.join(self.out(), "history.csv"), encoding="utf-8") as file:
            self.assertTrue(file.readline().strip().endswith(",accuracy,val_loss,val_accuracy"))

    def test_a_loss_that_is_no_number_is_a_warning_or_ends_the_training(self):
        # The first update makes the second loss overflow.
        keys = {"model": [{"layer": "Flatten"}, {"layer": "Dense", "units": 8}, {"layer": "Dense", "units": 2}],
                "optimizer": {"name": "sgd", "learning_rate": 1e30}, "data": {"train": SPEC["data"]["train"]}}
        said = percale("train", self.spec(**keys)).stderr
        self.assertEqual(len(re.findall(r"percale: warning: trainer, step 2: the loss is -?(?:nan|inf)", said)), 1)
        self.assertEqual(said.count("the loss is"), 1)
        self.assertIn("'terminate_on_nan' ends the training", said)
        option = ("--option", "terminate_on_nan=on")
        for spec, flags in ((self.spec("ends.json", **keys, terminate_on_nan=True), ()), (self.spec(**keys), option)):
            ended = percale("train", spec, "--out", self.out(), "--overwrite", "--json", *flags, code=1)
            self.assertIn("the loss of step 2 is", ended.stderr)
            self.assertEqual(json.loads(ended.stdout)["error"]["code"], "OUT_OF_RANGE")
            with open(os.path.join(self.out(), "history.csv"), encoding="utf-8") as file:
                self.assertEqual([row["step"] for row in csv.DictReader(file)], ["1"])
            self.assertFalse(os.path.exists(os.path.join(self.out(), "model.percale")))

    def test_the_line_of_a_resumed_epoch_has_the_loss_of_the_whole_epoch(self):
        spec, out = self.spec(), self.out()
        whole = percale("train", spec, "--out", out, "--checkpoint-every", "9", "--epochs", "1").stderr
        rest = percale("train", spec, "--resume", out + "/step-9", "--out", self.out("rest"),
                       "--epochs", "1").stderr
        lines = [line.split(" rows/s")[0].split("  ")[:3]
                 for said in (whole, rest) for line in said.splitlines() if line.startswith("epoch 1/1")]
        self.assertEqual(len(lines), 2)
        self.assertEqual(lines[0], lines[1])


class Resumes(Jobs):
    def test_a_checkpoint_of_other_kernels_names_the_option_that_takes_it_up(self):
        older = ("--option", "isa=sse4")
        if "isa=sse4" in percale("info").stdout:
            self.skipTest("this machine has no other kernels")
        spec, out = self.spec(), self.out()
        percale("train", spec, "--out", out, "--epochs", "1", *older)
        self.assertIn("any_fingerprint=on", percale("train", spec, "--resume", out, code=1).stderr)
        said = percale("train", spec, "--resume", out, "--option", "any_fingerprint=on").stderr
        self.assertIn("continuing after step 13", said)

    def test_a_model_is_no_file_of_weights(self):
        percale("train", self.spec(), "--out", self.out(), "--epochs", "1")
        said = percale("train", self.spec(weights="out/model.percale"), code=1).stderr
        self.assertIn("model.percale: this is a .percale file; wanted a safetensors file", said)
        percale("train", self.spec(weights="out", epochs=1))


class Checks(Jobs):
    def said(self, code=1, /, **keys):
        return percale("check", self.spec("check.json", **keys), code=code).stdout

    def test_names_that_nothing_has_are_found_without_the_data(self):
        none = {"train": {"x": "nowhere.npy", "y": "nowhere.npy"}, "test": {"x": "nowhere.npy", "y": "nowhere.npy"}}
        for shape in ([4, 4, 1], None):
            keys = {"data": none, "input_shape": shape}
            self.said(0, **keys)
            self.assertIn("did you mean 'accuracy'?", self.said(early_stopping={"monitor": "val_acuracy"}, **keys))
            self.assertIn("there are loss, acc",
                          self.said(metrics=["acc"], checkpoints={"keep_best": 1, "monitor": "val_accuracy"}, **keys))
            self.assertIn("no validation data", self.said(early_stopping={"monitor": "val_loss"}, input_shape=shape,
                                                          data={"train": none["train"]}))
            self.assertIn("'weights'", self.said(weights="nowhere.safetensors", **keys))
        self.assertIn("dens*x", self.said(freeze=["dens*x"], data=none))

    def test_layers_that_do_not_fit_are_found_without_the_data(self):
        model = [{"layer": "Dense", "units": 8}, {"layer": "Conv2D", "filters": 4, "kernel_size": 9}]
        none = {"train": {"x": "nowhere.npy", "y": "nowhere.npy"}}
        self.assertIn("line 1, column", self.said(model=model, data=none))
        self.said(0, model=model, data=none, input_shape=None)

    def test_the_model_of_a_file_is_looked_at(self):
        percale("train", self.spec(), "--out", self.out(), "--epochs", "1")
        keys = {"model": "out/model.percale", "input_shape": None, "head": [{"layer": "Dense", "units": 2, "name": "last"}]}
        self.said(0, outputs="dense", **keys)
        self.assertIn("did you mean 'dense'?", self.said(outputs="dens", **keys))
        self.assertIn('take "model"', self.said(outputs="dense", freeze="*", **keys))
        self.said(0, outputs="dense", freeze="model", **keys)
        self.assertIn("nowhere.percale", self.said(**(keys | {"model": "nowhere.percale"})))

    def test_kinds_of_files_that_are_not_checked_are_told_those_that_are(self):
        path = os.path.join(self.path, "train.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write("a,b\n1,2\n")
        percale("train", self.spec(), "--out", self.out(), "--epochs", "1")
        other = os.path.join(self.path, "model.v1")
        os.rename(os.path.join(self.out(), "model.percale"), other)
        percale("check", other)
        self.assertIn("nowhere.v1", percale("check", "/nowhere.v1", code=1).stdout)
        self.assertRegex(percale("check", path, code=1).stdout, r"files of this kind are not checked.*\.percale.*SPECs")


class Evaluations(Jobs):
    def test_what_a_run_leaves_is_evaluated_from_every_form_of_it(self):
        spec, out = self.spec(), self.out()
        trained = percale("train", spec, "--out", out).stdout.strip().splitlines()[-1]
        weights = os.path.join(out, "step-39", "state.safetensors")
        for where in (out, os.path.join(out, "step-39"), os.path.join(out, "model.percale"), weights):
            self.assertEqual(percale("evaluate", spec, where).stdout.strip(), trained, where)
        result = json.loads(percale("evaluate", spec, out, "--json").stdout)
        self.assertEqual((result["data"], result["weights"]), ("test", os.path.join(out, "step-39")))
        self.assertEqual(sorted(result["numbers"]), ["accuracy", "loss"])
        first = percale("evaluate", spec, os.path.join(out, "step-13")).stdout
        self.assertNotEqual(first.strip(), trained)

    def test_without_test_data_it_is_the_validation_data(self):
        data = {"train": SPEC["data"]["train"], "validation": SPEC["data"]["test"]}
        spec, out = self.spec(data=data, **Ends.STOPS), self.out()
        percale("train", spec, "--out", out)
        with open(os.path.join(out, "history.csv"), encoding="utf-8") as file:
            best = [row["val_loss"] for row in csv.DictReader(file) if row["val_loss"]][0]
        result = json.loads(percale("evaluate", spec, out, "--json").stdout)
        self.assertEqual(result["data"], "validation")
        self.assertAlmostEqual(result["numbers"]["loss"], float(best), places=6)
        none = self.spec("none.json", data={"train": data["train"]})
        self.assertIn("neither 'test' nor 'validation'", percale("evaluate", none, out, code=1).stderr)

    def test_what_is_no_result_of_the_job_is_refused(self):
        spec = self.spec()
        self.assertIn("FROM is missing", percale("evaluate", spec, code=2).stderr)
        self.assertIn("nowhere", percale("evaluate", spec, os.path.join(self.path, "nowhere"), code=1).stderr)


class Values(Jobs):
    def test_the_values_of_a_model_are_listed_by_the_names_that_a_spec_takes(self):
        percale("train", self.spec(), "--out", self.out(), "--epochs", "1")
        model = os.path.join(self.out(), "model.percale")
        lines = percale("show", model, "--values").stdout.splitlines()
        self.assertIn("dense  f32 [?,8]  Relu", lines)
        values = json.loads(percale("show", model, "--values", "--json").stdout)
        self.assertEqual(len(values), len(lines))
        self.assertIn({"name": "dense", "dtype": "f32", "dims": [-1, 8], "op": "Relu"}, values)
        shape = os.path.join(self.path, "shape.json")
        with open(shape, "w", encoding="utf-8") as file:
            json.dump({key: SPEC[key] for key in SPEC if key not in ("model", "input_shape")} |
                      {"model": "out/model.percale", "outputs": [value["name"] for value in values if value["name"] == "dense"],
                       "head": [{"layer": "Dense", "units": 2, "name": "last"}]}, file)
        percale("train", shape, "--epochs", "1")


class Words(Jobs):
    def test_what_is_missing_has_its_name(self):
        for command, name in (("train", "SPEC.json"), ("show", "MODEL"), ("import", "IN.onnx"), ("check", "FILE")):
            self.assertIn(f"{command}: {name} is missing", percale(command, code=2).stderr)
        self.assertIn("OUT.percale is missing", percale("import", "in.onnx", code=2).stderr)

    def test_bounds_of_whole_numbers_are_whole(self):
        self.assertIn("int, 2 to 100000,", percale("list", "metrics", "auc").stdout)

    def test_an_import_writes_percale_files_alone(self):
        out = os.path.join(self.path, "y.onnx")
        self.assertIn("ends with .percale", percale("import", "x.onnx", out, code=2).stderr)
        self.assertFalse(os.path.exists(out))


if __name__ == "__main__":
    program.main()
