"""Tests what the user sees of a running training and how it is stopped: the progress line, growing
files, signals.
Usage: watched_test.py PERCALE"""
import fcntl
import json
import os
import pty
import re
import shlex
import signal
import struct
import subprocess
import tempfile
import termios
import time
import unittest

import program
from small_job import SPEC, make_data


class Watched(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = cls.folder.name
        make_data(cls.path, 200)
        cls.spec = cls.write_spec("the spec.json", SPEC)
        # A step takes long enough for two signals.
        wide = {"layer": "Dense", "units": 4096, "activation": "relu"}
        cls.slow = cls.write_spec("slow.json", SPEC | {"model": [{"layer": "Flatten"}, *[wide] * 4, {"layer": "Dense", "units": 2}],
                                                       "batch_size": 200, "epochs": 1000, "optimizer": "sgd"})

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def write_spec(cls, name, spec):
        path = os.path.join(cls.path, name)
        with open(path, "w", encoding="utf-8") as out:
            json.dump(spec, out)
        return path

    def start(self, *arguments):
        return subprocess.Popen([program.PATH, "train", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def wait_for(self, what, condition):
        end = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), end, f"waited in vain for {what}")
            time.sleep(0.01)

    def rows_of(self, path):
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8") as lines:
            return lines.read().splitlines()[1:]

    def test_a_signal_ends_after_the_step_and_the_printed_command_goes_on_to_the_same_bits(self):
        wanted = json.loads(subprocess.run([program.PATH, "train", self.spec, "--epochs", "400", "--json"], capture_output=True,
                                           text=True, timeout=120, check=True).stdout)
        for number, name in ((signal.SIGINT, "SIGINT"), (signal.SIGTERM, "SIGTERM")):
            out = os.path.join(self.path, f"out of {name}")
            history = os.path.join(out, "history.csv")
            with self.start(self.spec, "--epochs", "400", "--out", out, "--json") as process:
                self.wait_for("the history to grow", lambda: len(self.rows_of(history)) > 60)
                process.send_signal(number)
                printed, told = process.communicate(timeout=60)
            self.assertEqual(process.returncode, -number, told)
            result = json.loads(printed)
            steps = result["steps"]
            self.assertEqual(result["ended_by"], name)
            self.assertLess(steps, wanted["steps"])
            self.assertEqual(result["checkpoint"], os.path.join(out, f"step-{steps}"))
            self.assertEqual([row.split(",")[1] for row in self.rows_of(history)], [str(i + 1) for i in range(steps)])
            self.assertTrue(os.path.exists(os.path.join(out, "loss.svg")))
            self.assertIn("a second signal stops immediately", told)
            self.assertIn(f"stopped by {name} after step {steps} of {wanted['steps']}", told)
            command = shlex.split(told.strip().splitlines()[-1])
            self.assertEqual(command[:2], ["percale", "train"])
            resumed = json.loads(subprocess.run([program.PATH, *command[1:]], capture_output=True, text=True, timeout=120,
                                                check=True).stdout)
            self.assertEqual((resumed["steps"], resumed["digest"]), (wanted["steps"], wanted["digest"]))
            self.assertIsNone(resumed["ended_by"])
            self.assertEqual(len(self.rows_of(history)), wanted["steps"])

    def test_a_second_signal_ends_at_once(self):
        with self.start(self.slow, "--threads", "1") as process:
            self.assertIn("devices", process.stderr.readline())
            self.assertIn("epoch 1/", process.stderr.readline())
            process.send_signal(signal.SIGINT)
            self.assertIn("a second signal", process.stderr.readline())
            process.send_signal(signal.SIGTERM)
            told = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, -signal.SIGTERM)
        self.assertNotIn("stopped by", told)

    def test_without_a_folder_the_end_says_that_nothing_is_kept(self):
        with self.start(self.spec, "--epochs", "100000") as process:
            self.assertIn("devices", process.stderr.readline())
            self.assertIn("epoch 1/", process.stderr.readline())
            process.send_signal(signal.SIGTERM)
            told = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, -signal.SIGTERM)
        self.assertIn("nothing is saved without --out", told)

    def test_what_is_ignored_stays_ignored(self):
        with subprocess.Popen(["sh", "-c", 'trap "" INT; exec "$0" "$@"', program.PATH, "train", self.spec, "--epochs", "300"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            self.assertIn("devices", process.stderr.readline())
            process.stderr.readline()
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0)

    def on_terminal(self, columns, then=None):
        """Runs the program on a terminal of this width, and after 0.7 seconds of the width `then`.
        Returns the texts between two returns of the cursor, without escape sequences, in order."""
        ours, theirs = pty.openpty()

        def resize(width):
            fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))

        resize(columns)
        drawn, begin = b"", time.monotonic()
        with subprocess.Popen([program.PATH, "train", self.spec, "--epochs", "1000000"], stdout=subprocess.DEVNULL, stderr=theirs) as process:
            while time.monotonic() < begin + 1.5:
                if then is not None and time.monotonic() > begin + 0.7:
                    resize(then)
                drawn += os.read(ours, 65536)
            process.kill()
        os.close(ours)
        os.close(theirs)
        return drawn.decode()

    def bars(self, drawn):
        # The kill may have cut the last line.
        lines = re.split(r"[\r\n]+", re.sub(r"\x1b\[\d*[A-Za-z]", "", drawn))[:-1]
        return [line for line in lines if line.startswith("epoch") and "accuracy" not in line]

    def test_the_progress_line_fits_the_terminal(self):
        for columns in (120, 80, 40, 20):
            bars = self.bars(self.on_terminal(columns))
            self.assertGreater(len(bars), 2, columns)
            self.assertLess(max(map(len, bars)), columns)
            if columns >= 80:
                self.assertRegex(bars[-1], r"^epoch \d+/1000000 \[#*\.*\] \d+/13  loss \d\.\d{4}.*  ETA \d+:")
        narrowed = self.bars(self.on_terminal(100, then=50))
        self.assertGreater(max(map(len, narrowed)), 50)
        self.assertLess(len(narrowed[-1]), 50)


if __name__ == "__main__":
    program.main()
