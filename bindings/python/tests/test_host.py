"""Executors, files and memory of the program; memory that an engine gives back; its metrics."""
import concurrent.futures
import gc
import tempfile
import unittest
import weakref

import numpy as np

import percale as pc
from percale import ops

from support import engine

X = np.arange(64 * 256, dtype=np.float32).reshape(64, 256) % 17


def wide_file():
    """Returns the bytes of a graph y = x w, which is large enough for a loop of several pieces."""
    b = pc.Builder(engine())
    w = b.variable("w", (np.arange(256 * 256, dtype=np.float32) % 83).reshape(256, 256) / 83)
    b.outputs(ops.MatMul(b, b.input("x", [64, 256]), w, name="y"))
    return b.finish().to_bytes()


def result(e, graph):
    return pc.Session(e, graph, pc.Variables.of(e, graph)).run({"x": X}, "y").numpy().copy()


class Shut:
    """An executor that takes nothing."""

    def submit(self, task):
        raise RuntimeError("the pool is shut down")


class AtOnce:
    """An executor that runs each task at once, and once more."""

    def __init__(self):
        self.tasks = 0

    def submit(self, task):
        self.tasks += 1
        task()
        task()


class Locked(pc.FileReader):
    """A file that cannot be read."""

    def size(self, name):
        return 100

    def read(self, name, offset, size):
        raise PermissionError("the key is wrong")


class HostTest(unittest.TestCase):
    def setUp(self):
        self.file = wide_file()
        e = engine(threads=4)
        self.wanted = result(e, pc.Graph.load(e, self.file))

    def test_an_executor_computes_the_same_bits(self):
        at_once = AtOnce()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for executor in (pool, at_once):
                e = pc.Engine(executor, threads=4)
                self.assertTrue(e.metrics()["host_threads"])
                np.testing.assert_array_equal(result(e, pc.Graph.load(e, self.file)), self.wanted)
        self.assertGreater(at_once.tasks, 0)
        e = pc.Engine(pool, threads=4)
        with self.assertRaisesRegex(pc.Aborted, "the thread pool of the host: RuntimeError: cannot schedule"):
            result(e, pc.Graph.load(e, self.file))

    def test_the_only_thread_of_an_executor_may_run_a_model(self):
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            e = pc.Engine(pool, threads=4)
            graph = pc.Graph.load(e, self.file)
            np.testing.assert_array_equal(pool.submit(result, e, graph).result(), self.wanted)

    def test_the_exception_of_an_executor_is_that_of_the_run(self):
        shut = Shut()
        gone = weakref.ref(shut)
        e = pc.Engine(shut, threads=4)
        with self.assertRaisesRegex(pc.Aborted, "RuntimeError: the pool is shut down"):
            result(e, pc.Graph.load(e, self.file))
        del shut, e
        gc.collect()
        self.assertIsNone(gone())
        with self.assertRaises(TypeError):
            pc.Engine(executor=print)

    def test_models_are_read_by_the_program(self):
        e = pc.Engine(files={"m/wide.percale": self.file})
        np.testing.assert_array_equal(result(e, pc.Graph.load(e, "host:m/wide.percale")), self.wanted)
        with self.assertRaisesRegex(pc.NotFound, "host:other: KeyError"):
            pc.Graph.load(e, "host:other")
        e = pc.Engine(files=Locked())
        with self.assertRaisesRegex(pc.PermissionDenied, "host:x: PermissionError: the key is wrong"):
            pc.Graph.load(e, "host:x")
        with self.assertRaises(TypeError):
            pc.Engine(files=[self.file])

    def test_models_lie_in_memory_of_the_program(self):
        e = engine()
        room = np.zeros(len(self.file) + 64, np.uint8)
        begin = -room.ctypes.data % 64
        data = room[begin:begin + len(self.file)]
        data[:] = np.frombuffer(self.file, np.uint8)
        graph, copied = pc.Graph.from_memory(e, data)
        self.assertEqual(copied, 0)
        gone = weakref.ref(data)
        np.testing.assert_array_equal(result(e, graph), self.wanted)
        data = None
        gc.collect()
        self.assertIsNotNone(gone())
        graph = None
        gc.collect()
        self.assertIsNone(gone())
        self.assertEqual(pc.Graph.from_memory(e, self.file[:1] + self.file[1:])[1] % len(self.file), 0)
        with self.assertRaises(pc.DataLoss):
            pc.Graph.from_memory(e, self.file[:-1])
        graph = pc.Graph.load(e, self.file)
        variables = pc.Variables.of(e, graph)
        with tempfile.TemporaryDirectory() as folder:
            variables.save(f"{folder}/w.safetensors")
            with open(f"{folder}/w.safetensors", "rb") as weights:
                self.assertIn(variables.load_memory(weights.read()), (0, 256 * 256 * 4))

    def test_memory_is_given_back_and_runs_are_counted(self):
        e = engine()
        result(e, pc.Graph.load(e, self.file))
        self.assertGreaterEqual(e.trim(), 0)
        metrics = e.metrics()
        self.assertEqual((metrics["runs_total"], metrics["failed_runs_total"], metrics["threads"]), (1, {}, 1))


if __name__ == "__main__":
    unittest.main()
