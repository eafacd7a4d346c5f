"""Tests `percale predict`: rows of CSV files are read as the training data was. The expected inputs
are computed here.
Usage: predict_test.py PERCALE"""
import csv
import io
import json
import os
import random
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program  # noqa: E402
from npy import read_npy, write_npy  # noqa: E402
from program import percale  # noqa: E402

KINDS = ["flat", "house", "loft"]
CLASSES = ["cheap", "dear", "fair"]  # sorted, as they are numbered
JOB = {"model": [{"layer": "Dense", "units": 8, "activation": "relu"}, {"layer": "Dense", "units": 3}],
       "loss": "sparse_categorical_crossentropy", "from_logits": True, "metrics": ["accuracy"],
       "optimizer": {"name": "adam", "learning_rate": 0.05}, "batch_size": 16, "epochs": 30, "seed": 1,
       "data": {"train": {"x": "train.csv#area,kind,rooms", "y": "train.csv#class"}, "csv": {"missing": "mean"}}}


def draw_rows(count, seed, missing):
    source = random.Random(seed)
    rows = []
    for number in range(count):
        area, kind, rooms = source.uniform(0.2, 2), source.choice(KINDS), source.randint(1, 6)
        price = area * 2 + KINDS.index(kind) + rooms * 0.2
        rows.append({"id": str(number), "kind": kind, "area": "" if missing and number % 13 == 5 else f"{area:.4f}",
                     "rooms": str(rooms), "class": "cheap" if price < 2.5 else "fair" if price < 4 else "dear"})
    return rows


class Predict(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.train = draw_rows(300, 1, True)
        cls.new = draw_rows(70, 2, True)
        cls.write_csv("train.csv", cls.train, ["id", "kind", "area", "rooms", "class"])
        with open(cls.path("job.json"), "w", encoding="utf-8") as file:
            json.dump(JOB, file)
        percale("train", cls.path("job.json"), "--out", cls.path("run"))
        cls.model = cls.path("run/model.percale")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    @classmethod
    def write_csv(cls, name, rows, columns):
        with open(cls.path(name), "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, columns, extrasaction="ignore")
            writer.writeheader()
            writer.writerows(rows)
        return cls.path(name)

    def scores(self, rows):
        """Returns the model's outputs for the rows, fed with numbers computed here."""
        areas = [float(row["area"]) for row in self.train if row["area"]]
        mean = sum(areas) / len(areas)
        table = [[float(row["area"] or mean), *(float(row["kind"] == kind) for kind in KINDS), float(row["rooms"])] for row in rows]
        write_npy(self.path("x.npy"), "f4", [len(rows), 5], sum(table, []))
        percale("run", self.model, "--feed", "x=" + self.path("x.npy"), "--out", self.path("out"))
        shape, numbers = read_npy(self.path("out/dense_1.npy"))
        self.assertEqual(shape, (len(rows), 3))
        return [numbers[3 * i:3 * i + 3] for i in range(len(rows))]

    def test_rows_are_read_as_the_training_data_was(self):
        # Other columns, in another order, without labels.
        path = self.write_csv("new.csv", self.new, ["rooms", "area", "kind"])
        printed = percale("predict", self.model, path, "--batch", "32").stdout
        rows = list(csv.DictReader(io.StringIO(printed)))
        wanted = self.scores(self.new)
        self.assertEqual(len(rows), len(wanted))
        hits = 0
        for row, scores, real in zip(rows, wanted, self.new):
            got = struct.unpack("<3f", struct.pack("<3f", *(float(row[name]) for name in CLASSES)))
            for a, b in zip(got, scores):
                self.assertAlmostEqual(a, b, delta=1e-4)
            self.assertEqual(row["prediction"], CLASSES[max(range(3), key=lambda k: got[k])])
            hits += row["prediction"] == real["class"]
        self.assertGreater(hits, 0.8 * len(rows))
        answer = json.loads(percale("predict", self.model, path, "--batch", "32", "--out", self.path("p.csv"), "--json").stdout)
        self.assertEqual(answer, {"rows": 70, "file": self.path("p.csv")})
        with open(self.path("p.csv"), encoding="utf-8", newline="") as file:
            self.assertEqual(file.read(), printed)
        self.assertEqual([name for name in os.listdir(self.folder.name) if "tmp" in name], [])

    def test_what_does_not_fit_is_named(self):
        rows = draw_rows(20, 3, False)
        rows[17]["kind"] = "villa"
        path = self.write_csv("villa.csv", rows, ["kind", "area", "rooms"])
        # With a rule for missing values, an unknown word is encoded as zeros.
        percale("predict", self.model, path)
        strict = dict(JOB, data=dict(JOB["data"], train={"x": "whole.csv#area,kind,rooms", "y": "whole.csv#class"}, csv={}))
        self.write_csv("whole.csv", draw_rows(100, 4, False), ["kind", "area", "rooms", "class"])
        with open(self.path("strict.json"), "w", encoding="utf-8") as file:
            json.dump(dict(strict, epochs=1), file)
        percale("train", self.path("strict.json"), "--out", self.path("strict"))
        model = self.path("strict/model.percale")
        message = percale("predict", model, path, code=1).stderr
        self.assertIn("villa.csv', line 19, column 'kind': 'villa' is not one of the column's 3 categories", message)
        self.assertIn("has no column 'area'", percale("predict", model, self.write_csv("few.csv", rows, ["kind", "rooms"]), code=1).stderr)
        self.assertIn("no file for input 'x'", percale("predict", model, code=2).stderr)
        self.assertIn("did you mean 'x'", percale("predict", model, path, "--input", "X=" + path, code=2).stderr)
        for rules in ("{", "[]", '{"seperator": ";"}', '{"missing": "median"}'):
            self.assertIn("predict: --csv: csv: ", percale("predict", model, path, "--csv", rules, code=2).stderr)
        percale("predict", model, self.path("nowhere.csv"), "--csv", "{}", code=1)
        percale("predict", model, path, "--out", self.path("none.csv"), code=1)
        self.assertFalse(os.path.exists(self.path("none.csv")))

    def test_a_terminal_gets_no_control_characters_of_categories(self):
        evil = "\x1b]0;evil\x07"
        rows = [dict(row, **{"class": evil if row["class"] == "dear" else row["class"]}) for row in draw_rows(50, 5, False)]
        self.write_csv("evil.csv", rows, ["kind", "area", "rooms", "class"])
        with open(self.path("evil.json"), "w", encoding="utf-8") as file:
            json.dump(dict(JOB, epochs=1, data={"train": {"x": "evil.csv#area,kind,rooms", "y": "evil.csv#class"}}), file)
        percale("train", self.path("evil.json"), "--out", self.path("evil"))
        command = ["predict", self.path("evil/model.percale"), self.path("evil.csv")]
        self.assertIn(evil, percale(*command).stdout)
        printed = program.on_terminal(*command)
        self.assertIn(rb"\x1b]0;evil\x07", printed)
        self.assertNotIn(b"\x07", printed)

    def test_a_regression_and_files_of_tensors(self):
        with open(self.path("line.csv"), "w", encoding="utf-8") as file:
            file.write("a,b\n" + "".join(f"{i / 10},{i / 5 + 1}\n" for i in range(50)))
        spec = {"model": [{"layer": "Dense", "units": 1}], "loss": "mse", "optimizer": {"name": "adam", "learning_rate": 0.1},
                "epochs": 60, "data": {"train": {"x": "line.csv#a", "y": "line.csv#b"}}}
        with open(self.path("line.json"), "w", encoding="utf-8") as file:
            json.dump(spec, file)
        percale("train", self.path("line.json"), "--out", self.path("line"))
        with open(self.path("few.csv"), "w", encoding="utf-8") as file:
            file.write("a\n0\n3.5\n")
        printed = percale("predict", self.path("line/model.percale"), self.path("few.csv")).stdout.split()
        self.assertEqual(printed[0], "dense")
        self.assertAlmostEqual(float(printed[2]), 8, delta=0.3)
        write_npy(self.path("few.npy"), "f8", [2], [0, 3.5])
        self.assertEqual(percale("predict", self.path("line/model.percale"), self.path("few.npy")).stdout.split(), printed)


if __name__ == "__main__":
    program.main()
