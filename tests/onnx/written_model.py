"""A base of test cases that write a model byte by byte and read it through the program."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

PERCALE = None


def run(*arguments):
    return subprocess.run([PERCALE, *arguments], capture_output=True, text=True, timeout=60)


class WrittenModel(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = self.folder.name
        self.model = os.path.join(self.path, "model.onnx")

    def tearDown(self):
        self.folder.cleanup()

    def write(self, data, inputs=(), outputs=()):
        with open(self.model, "wb") as out:
            out.write(data)
        folder = os.path.join(self.path, "test_data_set_0")
        os.makedirs(folder)
        for kind, tensors in (("input", inputs), ("output", outputs)):
            for i, data in enumerate(tensors):
                with open(os.path.join(folder, f"{kind}_{i}.pb"), "wb") as out:
                    out.write(data)

    def gives(self, data, inputs, outputs):
        self.write(data, inputs, outputs)
        for flags in ([], ["--exported"]):
            result = run("test", *flags, self.path)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            self.assertIn("1 passed, 0 failed, 0 unsupported", result.stdout)

    def summary(self):
        return json.loads(run("show", self.model, "--json").stdout)


def main():
    """Takes the program's path from the command line and runs the test cases of the script."""
    global PERCALE
    PERCALE = sys.argv.pop(1)
    unittest.main(module="__main__")
