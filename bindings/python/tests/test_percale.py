"""The package with the library of the wheel: files, numbers against numpy, errors, threads."""
import functools
import gc
import json
import os
import tempfile
import threading
import unittest

import numpy as np

import percale as pc
from percale import ops

from support import affine, engine


class Files(unittest.TestCase):
    """Engine.check_file() accepts intact files and rejects damaged ones."""

    def check(self, path, part="", damage=None):
        """Checks that `path` is accepted, then damages `part` of it (or the file itself).

        The byte at `damage` is flipped. If `damage` is negative, the file is cut there.
        """
        e = engine()
        e.check_file(path)
        file = os.path.join(path, part) if part else path
        with open(file, "rb") as stream:
            good = stream.read()
        bad = good[:damage] if damage < 0 else good[:damage] + bytes([good[damage] ^ 1]) + good[damage + 1:]
        with open(file, "wb") as stream:
            stream.write(bad)
        with self.assertRaises(pc.Error) as caught:
            e.check_file(path)
        self.assertIn(os.path.basename(path), str(caught.exception))
        return caught.exception

    def test_every_kind_of_file_is_checked(self):
        e = engine()
        graph = affine(e)
        variables = pc.Variables.of(e, graph)
        with tempfile.TemporaryDirectory() as folder:
            inside = functools.partial(os.path.join, folder)
            graph.save(inside("g.percale"), variables)
            self.check(inside("g.percale"), damage=-1)
            variables.save(inside("w.safetensors"))
            self.check(inside("w.safetensors"), damage=-1)
            np.save(inside("a.npy"), np.eye(3, dtype=np.float32))
            self.check(inside("a.npy"), damage=-1)
            np.savez(inside("a.npz"), a=np.eye(3), b=np.arange(4))
            self.check(inside("a.npz"), damage=200)
            with open(inside("job.json"), "w", encoding="utf-8") as file:
                json.dump({"model": [{"layer": "Dense", "units": 1}], "loss": "mse", "optimizer": {"name": "sgd", "moment": 1}}, file)
            with self.assertRaisesRegex(pc.Error, "job.json: .*did you mean 'momentum'"):
                e.check_file(inside("job.json"))
            with self.assertRaisesRegex(pc.NotFound, "no checkpoint is in the folder"):
                e.check_file(folder)

    def test_checkpoints_are_compared_with_their_checksums(self):
        e = engine()
        b = pc.Builder(e)
        loss = ops.ReduceMean(b, b.layer("Dense", b.input("x", [-1, 2]), units=2), keepdims=0, name="loss")
        b.outputs(loss)
        with tempfile.TemporaryDirectory() as folder:
            graph = b.finish()
            trainer = pc.Trainer(e, graph, pc.Variables.of(e, graph), optimizer="sgd")
            trainer.step(x=np.ones((4, 2), np.float32))
            trainer.save(folder)
            self.assertIsInstance(self.check(os.path.join(folder, "step-1"), "state.safetensors", damage=-3), pc.DataLoss)
            with self.assertRaises(pc.DataLoss):
                e.check_file(folder)


class Tensors(unittest.TestCase):
    def test_arrays_come_in_and_go_out_without_a_copy(self):
        array = np.arange(6, dtype=np.float32).reshape(2, 3)
        tensor = pc.Tensor.of(array)
        array[0, 0] = 9
        seen = tensor.numpy()
        self.assertEqual((tensor.dtype, tensor.shape, seen[0, 0]), ("f32", (2, 3), 9))
        del tensor
        gc.collect()
        seen[1, 1] = 5  # the array keeps the memory alive
        self.assertEqual(array[1, 1], 5)

    def test_every_dtype_of_numpy_keeps_its_values(self):
        for name in ("f32", "u8", "i8", "u16", "i16", "i32", "i64", "bool", "f16", "f64", "u32", "u64", "complex64", "complex128"):
            array = np.array([[0, 1], [1, 0]]).astype(pc.dtypes.NUMPY[name])
            tensor = pc.Tensor.of(array)
            self.assertEqual(tensor.dtype, name)
            self.assertTrue((tensor.numpy() == array).all())

    def test_strided_and_big_endian_arrays_are_copied(self):
        array = np.arange(12, dtype=">i4").reshape(3, 4).T[::2]
        self.assertTrue((pc.Tensor.of(array).numpy() == array).all())
        self.assertEqual(pc.Tensor.of(3.5).dtype, "f32")
        self.assertEqual(pc.Tensor.of([1, 2]).dtype, "i64")
        self.assertEqual(pc.Tensor.of(np.float64(2)).shape, ())

    def test_dlpack_goes_both_ways(self):
        array = np.arange(4, dtype=np.int64)
        tensor = pc.Tensor.of(array)
        if np.lib.NumpyVersion(np.__version__) >= "2.1.0":
            seen = np.from_dlpack(tensor)
            self.assertTrue((seen == array).all())
            back = pc.Tensor.from_dlpack(seen)
            self.assertEqual(back.numpy().tolist(), [0, 1, 2, 3])
        unused = tensor.__dlpack__(max_version=(1, 0))
        del unused
        gc.collect()
        with self.assertRaises(BufferError):
            tensor.__dlpack__()

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "t.npy")
            np.save(path, np.eye(3, dtype=np.float32))
            e = engine()
            tensor = pc.Tensor.load(e, path)
            tensor.save(os.path.join(folder, "u.npy"))
            self.assertTrue((np.load(os.path.join(folder, "u.npy")) == np.eye(3)).all())


class Graphs(unittest.TestCase):
    def test_runs_calls_and_events_agree_with_numpy(self):
        e = engine()
        graph = affine(e)
        self.assertEqual((graph.inputs, graph.outputs), (["x"], ["y"]))
        self.assertEqual((graph.input_types, graph.output_types), ({"x": ("f32", (-1, 2))}, {"y": ("f32", (-1, 3))}))
        with self.assertRaisesRegex(pc.NotFound, "did you mean 'y'"):
            graph.type("yy")
        session = pc.Session(e, graph, pc.Variables.of(e, graph))
        x = np.array([[1, 2], [3, 4]], np.float32)
        want = x @ np.arange(6, dtype=np.float32).reshape(2, 3) + 1
        self.assertTrue((session.run({"x": x}, "y").numpy() == want).all())
        self.assertTrue((session.run({"x": x})["y"].numpy() == want).all())
        self.assertTrue((session.run_async({"x": x}, "y").result().numpy() == want).all())
        call = session.prepare({"x": ("f32", (2, 2))}, "y")
        self.assertTrue((call(x).numpy() == want).all())
        self.assertTrue((call(2 * x).numpy() == 2 * (want - 1) + 1).all())
        self.assertIn("nodes", session.explain({"x": ("f32", (2, 2))}))
        trace = pc.Trace(session.engine)
        session.set_trace(trace)
        session.run({"x": x})
        self.assertIn("MatMul", session.draw({"x": ("f32", (2, 2))}, format="svg", trace=trace))
        self.assertTrue(session.draw({"x": ("f32", (2, 2))}).startswith("<!doctype html>"))
        self.assertGreater(session.stats()["runs"], 0)

    def test_a_run_tells_which_version_of_the_variables_it_read(self):
        e = engine()
        graph = affine(e)
        variables = pc.Variables.of(e, graph)
        session = pc.Session(e, graph, variables)
        x = np.ones((1, 2), np.float32)
        self.assertEqual(session.run_versioned({"x": x})[1], 1)
        variables["w"] = np.zeros((2, 3), np.float32)
        y, version = session.run_versioned({"x": x}, "y")
        self.assertEqual((version, version), (2, variables.version))
        np.testing.assert_array_equal(y.numpy(), np.ones((1, 3), np.float32))
        with self.assertRaises(pc.DeadlineExceeded):
            session.run_versioned({"x": x}, "y", timeout=0)

    def test_a_prepared_call_hands_on_what_a_run_gives(self):
        e = engine()
        b = pc.Builder(e)
        y = b.input("x", [2]) + b.input("s", [2])
        b.rename(y, "y")
        b.outputs(y)
        call = pc.Session(e, b.finish()).prepare({"x": ("f32", (2,)), "s": ("f32", (2,))}, "y")
        call.carry(0, 1, to_host=True)
        x = np.array([1, 2], np.float32)
        call(x, np.array([10, 20], np.float32))
        call(x, None)
        self.assertEqual(call(x, None).numpy().tolist(), [13, 26])

    def test_gradients_against_the_closed_form(self):
        e = engine()
        b = pc.Builder(e)
        x = b.input("x", [3])
        y = ops.ReduceSum(b, x * x * 2.0 - x / 4.0, keepdims=0)
        slope, = b.gradients([y], [x])
        b.rename(slope, "slope")
        b.outputs(slope)
        x = np.array([1, -2, 0.5], np.float32)
        self.assertTrue((pc.Session(e, b.finish()).run({"x": x}, "slope").numpy() == 4 * x - 0.25).all())

    def test_bodies_and_control_flow(self):
        e = engine()
        b = pc.Builder(e)
        bodies = []
        for name, op in (("twice", "Add"), ("square", "Mul")):
            with b.function(name) as body:
                v = b.input(name + "_x", [])
                b.outputs(b.node(op, [v, v])[0])
            bodies.append(body)
        choice, x = b.input("choice", [], "bool"), b.input("x", [])
        b.outputs(ops.If(b, choice, [x], then_branch=bodies[0], else_branch=bodies[1], outputs=1, name="y")[0])
        with self.assertRaisesRegex(ZeroDivisionError, "in the body"):
            with b.function("broken"):
                b.outputs(b.input("broken_x", []))
                raise ZeroDivisionError("in the body")
        with b.function("after_it"):  # FAILED_PRECONDITION if the function before were still open
            b.outputs(b.input("after_x", []))
        session = pc.Session(e, b.finish())
        for flag, want in ((True, 10), (False, 25)):
            self.assertEqual(session.run({"choice": np.bool_(flag), "x": np.float32(5)}, "y").item(), want)

    def test_files_and_bytes(self):
        e = engine()
        graph = affine(e)
        variables = pc.Variables.of(e, graph)
        x = np.ones((1, 2), np.float32)
        want = pc.Session(e, graph, variables).run({"x": x}, "y").numpy()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.percale")
            graph.save(path, variables)
            for source in (path, open(path, "rb").read(), graph.to_bytes(variables)):
                loaded = pc.Graph.load(e, source)
                self.assertTrue((pc.Session(e, loaded, pc.Variables.of(e, loaded)).run({"x": x}, "y").numpy() == want).all())
            weights = os.path.join(folder, "w.safetensors")
            variables.save(weights)
            variables["w"] = np.zeros((2, 3), np.float32)
            digest = variables.digest()
            variables.load(weights)
            self.assertNotEqual(variables.digest(), digest)
            self.assertEqual(list(variables), ["w"])
            self.assertEqual(variables["w"].numpy()[1, 2], 5)
            if not os.path.exists(os.path.join(os.path.dirname(pc.__file__), "lib/percale/libpercale_onnx.so")):
                self.skipTest("this build has no importer")
            graph.export(e, os.path.join(folder, "m.onnx"), variables)
            imported = pc.Graph.from_onnx(e, os.path.join(folder, "m.onnx"))
            got = pc.Session(e, imported, pc.Variables.of(e, imported)).run({imported.inputs[0]: x}, imported.outputs[0])
            self.assertTrue((got.numpy() == want).all())


class Errors(unittest.TestCase):
    def test_each_kind_has_its_class_and_the_librarys_words(self):
        e = engine()
        graph = affine(e)
        session = pc.Session(e, graph, pc.Variables.of(e, graph))
        with self.assertRaisesRegex(pc.InvalidArgument, "'x'.*wanted"):
            session.run({"x": np.zeros((2, 5), np.float32)}, "y")
        with self.assertRaisesRegex(ValueError, "i64"):
            session.run({"x": np.zeros((2, 2), np.int64)}, "y")
        b = pc.Builder(e)
        with self.assertRaisesRegex(pc.NotFound, "Matmul.*MatMul"):
            b.node("Matmul", [])
        with self.assertRaisesRegex(LookupError, "nowhere"):
            pc.Graph.load(e, "/nowhere.percale")
        with self.assertRaises(pc.NotFound):
            pc.Engine(thread=1)
        with self.assertRaises(pc.ResourceExhausted):
            pc.Tensor.zeros(engine(memory_limit=1 << 20), [1 << 20])
        self.assertEqual(pc.live_statuses(), 0)

    def test_a_closed_object_says_so(self):
        e = engine()
        session = pc.Session(e, affine(e), pc.Variables.of(e, affine(e)))
        with session:
            pass
        with self.assertRaises(pc.Closed):
            session.run({}, "y")
        session.close()
        tensor = pc.Tensor.of([1])
        tensor.close()
        with self.assertRaises(pc.Closed):
            tensor.numpy()

    def test_runs_are_cancelled_and_run_out_of_time(self):
        e = engine()
        b = pc.Builder(e)
        with b.function("body"):
            b.input("i", [], "i64")
            going, x = b.input("going", [], "bool"), b.input("v", [64, 64])
            b.outputs(going, ops.MatMul(b, x, x))
        x = b.input("x", [64, 64])
        trips = b.constant(np.int64(1 << 20))
        b.outputs(ops.Loop(b, trips, None, [x], body="body", num_carried=1, trip_limit=1 << 24, outputs=1, name="y")[0])
        session = pc.Session(e, b.finish())
        feeds = {"x": np.eye(64, dtype=np.float32)}
        with self.assertRaises(TimeoutError):
            session.run(feeds, "y", timeout=0.05)
        threading.Timer(0.05, session.cancel).start()
        with self.assertRaises(pc.Cancelled):
            session.run(feeds, "y", timeout=30)
        call = session.prepare({"x": ("f32", (64, 64))}, "y")
        with self.assertRaises(TimeoutError):
            call(feeds["x"], timeout=0.05)
        stop = pc.Cancellation()
        threading.Timer(0.05, stop.cancel).start()
        for _ in range(2):  # during the call, and before it begins
            with self.assertRaises(pc.Cancelled):
                call(feeds["x"], timeout=30, cancellation=stop)
        self.assertTrue(stop.cancelled)
        for timeout in (0, -5, -1e-9):
            for function, words in ((session.run, {"feeds": feeds, "fetches": "y"}), (lambda timeout: call(feeds["x"], timeout=timeout), {}),
                                    (lambda timeout: session.run_async(feeds, "y", timeout=timeout).result(), {})):
                with self.assertRaises(pc.DeadlineExceeded):
                    function(timeout=timeout, **words)
        event = session.run_async(feeds, "y")
        for timeout in (0.02, -5, -1e-9):
            with self.assertRaises(pc.DeadlineExceeded):
                event.wait(timeout)
        event.cancel()
        for timeout in (30, float("inf"), 1e300):
            with self.assertRaises(pc.Cancelled):
                event.result(timeout)


class Package(unittest.TestCase):
    def test_the_package_has_the_version_of_the_library(self):
        self.assertEqual(pc.__version__, pc.version())
        self.assertIn("__version__", dir(pc))


class Threads(unittest.TestCase):
    def test_threads_run_one_session_side_by_side(self):
        e = engine(threads=2)
        graph = affine(e)
        session = pc.Session(e, graph, pc.Variables.of(e, graph))
        wrong = []

        def work(k):
            x = np.full((2, 2), k, np.float32)
            want = x @ np.arange(6, dtype=np.float32).reshape(2, 3) + 1
            for _ in range(200):
                if not (session.run({"x": x}, "y").numpy() == want).all():
                    wrong.append(k)

        threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
