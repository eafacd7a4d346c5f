"""A job that was trained once, for tests of training and of models."""
import json
import os
import tempfile
import unittest

from program import percale
from small_job import SPEC, make_data


class TrainedJob(unittest.TestCase):
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
