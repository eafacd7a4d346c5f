"""Tests that a file which cannot be written is reported, and that neither a part of it nor a
temporary file stays: `trace`, `import`, `export` and `train --trace` into a full disk, a folder
without permission, and other destinations that fail.
Usage: failed_write_test.py PERCALE"""
import ctypes
import json
import os
import resource
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "onnx"))
from onnx_writer import FLOAT, Graph, floats, model, node, value  # noqa: E402
from small_job import SPEC, make_data  # noqa: E402

PROGRAM = ""
SIDE = 64
FULL_AFTER = (0, 200)  # bytes that fit on the full disk
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1


def fill_disk(after):
    """Lets writes to files fail after so many bytes, as on a full disk."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (after, after))


def obey_permissions():
    """Takes away root's right to write into every folder."""
    if os.geteuid() == 0 and ctypes.CDLL(None, use_errno=True).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0) != 0:
        os._exit(99)


def run(*arguments, code=1, before=None):
    # Python ignores the signal of a file that grows too large. The program inherits that, so the
    # write itself fails.
    result = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=100, check=False,
                            preexec_fn=before, restore_signals=False)
    if result.returncode != code:
        raise AssertionError(f"percale {' '.join(arguments)}: exit code {result.returncode}, wanted {code}\n"
                             f"{result.stdout}{result.stderr}")
    return result.stderr


class FailedWrites(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = folder.name
        self.onnx, self.model, self.spec = (self.file(name) for name in ("in.onnx", "in.percale", "job.json"))
        # The file of a model is larger than what fits on the full disk.
        weights = floats("w", [SIDE, SIDE], [i / 100 for i in range(SIDE * SIDE)])
        with open(self.onnx, "wb") as out:
            out.write(model(Graph([node("MatMul", ["x", "w"], ["y"], "mm")], [value("x", FLOAT, ["batch", SIDE])],
                                  [value("y", FLOAT, ["batch", SIDE])], [weights])))
        run("import", self.onnx, self.model, code=0)
        make_data(self.path, 64)
        with open(self.spec, "w", encoding="utf-8") as out:
            json.dump(SPEC | {"epochs": 1}, out)

    def file(self, name):
        return os.path.join(self.path, name)

    def commands(self, folder):
        """Yields (name of the command, its arguments, the path of its output)."""
        for name, before, output in (("trace", ["trace", self.model, "--out"], "t.json"),
                                     ("import", ["import", self.onnx], "m.percale"),
                                     ("export", ["export", self.model], "m.onnx"),
                                     ("train", ["train", self.spec, "--trace"], "steps.json")):
            path = os.path.join(folder, output)
            yield name, [*before, path], path

    def contents(self, folder):
        """Returns {name: bytes} of the files in a folder."""
        out = {}
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    out[name] = file.read()
            else:
                out[name] = None
        return out

    def test_the_commands_write_their_files_where_nothing_fails(self):
        for name, arguments, path in self.commands(self.path):
            with self.subTest(name):
                run(*arguments, code=0)
                self.assertGreater(os.path.getsize(path), max(FULL_AFTER))

    def test_a_full_disk_leaves_no_file_and_keeps_the_old_one(self):
        for after in FULL_AFTER:
            for old in (None, b"old contents"):
                folder = tempfile.mkdtemp(dir=self.path)
                for name, arguments, path in self.commands(folder):
                    with self.subTest(name, after=after, old=old):
                        if old is not None:
                            with open(path, "wb") as file:
                                file.write(old)
                        before = self.contents(folder)
                        said = run(*arguments, before=fill_disk(after))
                        self.assertIn(path, said)
                        self.assertIn("File too large", said)
                        self.assertEqual(self.contents(folder), before)

    def test_a_folder_without_permission_stays_as_it_is(self):
        folder = self.file("closed")
        os.mkdir(folder)
        os.chmod(folder, 0o555)
        for name, arguments, path in self.commands(folder):
            with self.subTest(name):
                said = run(*arguments, before=obey_permissions)
                self.assertIn(path, said)
                self.assertIn("Permission denied", said)
                self.assertEqual(os.listdir(folder), [])

    def test_a_folder_in_the_place_of_the_file_stays_and_nothing_beside_it(self):
        folder = self.file("taken")
        os.mkdir(folder)
        for name, arguments, path in self.commands(folder):
            with self.subTest(name):
                os.mkdir(path)
                before = self.contents(folder)
                said = run(*arguments)
                self.assertIn(path, said)
                self.assertIn("Is a directory", said)
                self.assertEqual(self.contents(folder), before)
                self.assertEqual(os.listdir(path), [])

    def test_a_missing_folder_is_told_and_not_made(self):
        for name, arguments, path in self.commands(self.file("absent")):
            with self.subTest(name):
                said = run(*arguments)
                self.assertIn(path, said)
                self.assertIn("No such file or directory", said)
                self.assertFalse(os.path.exists(self.file("absent")))

    def test_a_trace_into_a_full_device_is_told(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full; run it on Linux")
        link = self.file("full.json")
        os.symlink("/dev/full", link)
        before = self.contents(self.path)
        for path in ("/dev/full", link):
            for arguments in (["trace", self.model, "--out", path], ["train", self.spec, "--trace", path]):
                with self.subTest(path, command=arguments[0]):
                    said = run(*arguments)
                    self.assertIn(path, said)
                    self.assertIn("No space left on device", said)
                    self.assertEqual(self.contents(self.path), before)
                    self.assertTrue(os.path.islink(link))


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
