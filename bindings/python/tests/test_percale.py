"""The package with the library of the wheel: numbers against numpy, errors, memory, threads."""
import functools
import gc
import json
import os
import tempfile
import threading
import time
import unittest
import weakref

import numpy as np

import percale as pc
from percale import keras, ops
from percale.keras._arrays import fitting
from percale.keras.layers import POSITIONAL


def engine(**settings):
    return pc.Engine(**{"threads": 1, **settings})


def affine(e, rows=-1):
    """Returns y = x w + 1 with a variable w [2,3]."""
    b = pc.Builder(e)
    x = b.input("x", [rows, 2])
    w = b.variable("w", np.arange(6, dtype=np.float32).reshape(2, 3))
    b.outputs(ops.Add(b, ops.MatMul(b, x, w), b.constant(1.0), name="y"))
    return b.finish()


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


class Training(unittest.TestCase):
    def data(self):
        random = np.random.default_rng(1)
        x = random.standard_normal((256, 8)).astype(np.float32)
        return x, (x.sum(1) > 0).astype(np.int64)

    def keras_model(self, engine=None, **settings):
        model = keras.Sequential([keras.Dense(16, activation="relu"), keras.Dense(2, activation="softmax")], engine=engine)
        model.compile(optimizer={"name": "adam", "learning_rate": 0.01}, loss="sparse_categorical_crossentropy",
                      metrics=["accuracy"], **{"seed": 3, "shards": 2, **settings})
        return model

    def test_keras_words_train_to_the_same_bits_on_one_device_and_two(self):
        x, y = self.data()
        digests = []
        for devices in ("cpu:0", "cpu=2x1"):
            with keras.MirroredStrategy(devices).scope():
                model = self.keras_model()
            history = model.fit(x, y, epochs=5, verbose=0)
            self.assertLess(history.history["loss"][-1], history.history["loss"][0])
            self.assertGreater(model.evaluate(x, y)["accuracy"], 0.9)
            self.assertEqual(model.predict(x[:3]).shape, (3, 2))
            digests.append(model.variables.digest())
        self.assertEqual(digests[0], digests[1])

    def test_a_strategy_tells_how_many_replicas_have_work(self):
        x, y = self.data()
        strategy = keras.MirroredStrategy("cpu=3x1")
        self.assertEqual(strategy.num_replicas_in_sync, 3)
        told = []
        for shards, replicas in ((None, 1), (3, 3), (8, 3)):
            with strategy.scope():
                model = self.keras_model(shards=shards)
            self.assertEqual(strategy.num_replicas_in_sync, 3)
            model.fit(x, y, verbose=0, callback=lambda p: told.append(strategy.num_replicas_in_sync))
            self.assertEqual(strategy.num_replicas_in_sync, replicas)
            self.assertEqual(len(model.trainer.describe()["idle_devices"]), 3 - replicas)
        self.assertEqual(told, [1] * 8 + [3] * 16)
        with strategy.scope():
            model = self.keras_model(shards=2)
        with self.assertRaisesRegex(pc.InvalidArgument, "at least one shard per device"):
            model.fit(x, y, verbose=0)

    def test_data_without_labels_names_what_is_missing(self):
        model = self.keras_model()
        data = pc.Dataset.range(model.engine, 0, 64).batch(8)
        with self.assertRaisesRegex(pc.Error, "'y'"):
            model.fit(data, epochs=1, verbose=0)

    def test_a_graph_with_a_loss_trains_step_by_step(self):
        e = engine()
        b = pc.Builder(e)
        x, target = b.input("x", [-1, 2]), b.input("target", [-1, 1])
        error = ops.Sub(b, b.layer("Dense", x, units=1, name="y"), target, name="error")
        loss = ops.ReduceMean(b, error * error, keepdims=0, name="loss")
        b.outputs(loss)
        graph = b.finish()
        variables = pc.Variables.of(e, graph, seed=1)
        trainer = pc.Trainer(e, graph, variables, optimizer="sgd")
        rows = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.float32)
        wanted = rows @ np.array([[2], [-1]], np.float32)
        losses = [trainer.step(x=rows, target=wanted) for _ in range(50)]
        self.assertLess(losses[-1], losses[0] / 2)
        self.assertEqual(trainer.steps, 50)
        before = {v: trainer.variables[v].numpy().copy() for v in ("y/kernel", "y/bias")}
        loss, values = trainer.step_fetch(["y", "error"], x=rows, target=wanted)
        np.testing.assert_allclose(values["y"].numpy(), rows @ before["y/kernel"] + before["y/bias"], rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(loss, np.mean(values["error"].numpy() ** 2), rtol=1e-5)
        trainer.publish()
        self.assertFalse(np.array_equal(trainer.variables["y/bias"].numpy(), before["y/bias"]))
        loss, error = trainer.step_fetch("error", x=rows, target=wanted)
        self.assertEqual(error.shape, (4, 1))
        with self.assertRaisesRegex(pc.NotFound, "a training step computes no 'errors'"):
            trainer.step_fetch("errors", x=rows, target=wanted)
        self.assertEqual(trainer.steps, 52)
        with tempfile.TemporaryDirectory() as folder:
            trainer.save(folder)
            again = pc.Trainer(e, graph, pc.Variables.of(e, graph, seed=7), optimizer="sgd")
            again.restore(folder)
            trainer.publish(), again.publish()
            self.assertEqual(again.variables.digest(), trainer.variables.digest())
            e.check_file(folder)

    def test_progress_tells_which_steps_end_an_epoch(self):
        x, y = self.data()
        seen = []
        self.keras_model().fit(x, y, epochs=2, verbose=0, callback=seen.append)
        self.assertEqual([p.step for p in seen if p.epoch_ended is True], [8, 16])
        self.assertEqual([p.step for p in seen if p.epoch_ended is False], [n for n in range(1, 16) if n != 8])
        for p in seen:
            self.assertEqual(p.metrics is not None, p.epoch_ended)

    def test_callbacks_stop_and_raise(self):
        x, y = self.data()
        model = self.keras_model()
        model.fit(x, y, epochs=3, verbose=0, callback=lambda p: p.step < 4)
        self.assertEqual(model.trainer.steps, 4)

        def broken(progress):
            raise KeyError("mine")

        with self.assertRaisesRegex(KeyError, "mine"):
            model.fit(x, y, epochs=3, verbose=0, callback=broken)
        stop = pc.Cancellation()
        steps = model.trainer.steps
        model.trainer.set_cancellation(stop)
        with self.assertRaises(pc.Cancelled):
            model.fit(x, y, epochs=3, verbose=0, callback=lambda p: stop.cancel())
        with self.assertRaises(pc.Cancelled):
            model.fit(x, y, epochs=3, verbose=0)
        self.assertEqual(model.trainer.steps, steps + 1)
        model.trainer.set_cancellation(None)
        self.assertEqual(pc.live_statuses(), 0)

    def test_a_fit_after_one_that_ended_early_trains_its_own_epochs_alone(self):
        x, y = self.data()
        model = self.keras_model()  # 8 steps an epoch

        def steps_of(**words):
            before = model.trainer.steps
            model.fit(x, y, verbose=0, **words)
            return model.trainer.steps - before

        model.fit(x, y, epochs=50, verbose=0, callback=lambda p: p.step < 5)
        self.assertEqual(steps_of(epochs=1), 3)  # what was left of the first epoch
        self.assertEqual(steps_of(epochs=2), 16)

        def broken(progress):
            if progress.step_in_epoch == 2:
                raise KeyError("mine")

        with self.assertRaises(KeyError):
            model.fit(x, y, epochs=50, verbose=0, callback=broken)
        self.assertEqual(steps_of(epochs=2), 6 + 8)

        def interrupted(progress):
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            model.fit(x, y, epochs=50, verbose=0, callback=interrupted)
        self.assertEqual(steps_of(epochs=1), 7)
        with self.assertRaises(pc.Cancelled):
            model.fit(x, y, epochs=50, verbose=0, callback=lambda p: model.trainer.cancel())
        self.assertEqual(steps_of(epochs=1), 7)
        # the trainer counts all epochs
        model.trainer.fit(pc.Dataset.from_tensors(model.engine, x=x, y=y).batch(32), 8)
        self.assertEqual(model.trainer.steps, 64)
        self.assertEqual(steps_of(epochs=1), 8)
        self.assertEqual(model.fit(x, y, epochs=2, verbose=0).epoch, [0, 1])  # counted as in Keras
        model = self.keras_model(early_stopping={"patience": 1, "min_delta": 100})
        model.fit(x, y, epochs=50, verbose=0)
        self.assertEqual(model.trainer.steps, 16)
        self.assertEqual(model.fit(x, y, epochs=1, verbose=0).epoch, [])  # stays ended

    def test_the_loss_of_the_history_is_the_mean_over_the_rows_of_the_epoch(self):
        x, y = self.data()
        x, y = x[:250], y[:250]
        for words, rows in (({}, [64, 64, 64, 58]), ({"accumulation": 3}, [192, 58])):
            model = self.keras_model(**words)
            losses = []
            history = model.fit(x, y, epochs=2, batch_size=64, verbose=0, callback=lambda p: losses.append(p.loss))
            want = np.average(np.reshape(losses, (2, -1)), 1, rows)
            np.testing.assert_allclose(history.history["loss"], want, rtol=1e-6)
            self.assertNotAlmostEqual(want[0], losses[len(rows) - 1])
        e = engine()
        tensors = {"x": x, "y": y}
        without = pc.Dataset.from_tensors(e, **tensors).batch(64, drop_remainder=True)
        # batching is not copied
        repeated = pc.Dataset.from_tensors(e, **tensors).batch(64).repeat(1)
        for data, rows in ((without, [64] * 3), (repeated, [32] * 7 + [26])):
            model, losses = self.keras_model(engine=e), []
            history = model.fit(data, verbose=0, callback=lambda p: losses.append(p.loss))
            np.testing.assert_allclose(history.history["loss"], [np.average(losses, weights=rows)], rtol=1e-6)
        model, losses = self.keras_model(), []
        for stop in (1, 99):  # the first epoch in two fits
            history = model.fit(x, y, batch_size=125, verbose=0, callback=lambda p: losses.append(p.loss) or p.step < stop)
        np.testing.assert_allclose(history.history["loss"], [np.mean(losses)], rtol=1e-6)

    def test_an_embedding_of_a_spec_takes_ids_of_i64_and_of_i32(self):
        e = engine()
        spec = {"model": [{"layer": "Embedding", "input_dim": 5, "output_dim": 3}, {"layer": "Flatten"}, {"layer": "Dense", "units": 2}],
                "input_shape": [2], "loss": "sparse_categorical_crossentropy", "from_logits": True, "optimizer": "sgd"}
        ids, digests = np.array([[0, 1], [2, 3], [4, 0]]), set()
        for dtype in (np.int64, np.int32):
            trainer = pc.Trainer.from_spec(e, spec)
            trainer.fit(pc.Dataset.from_tensors(e, x=ids.astype(dtype), y=np.array([0, 1, 0])).batch(3), 2)
            digests.add(trainer.variables.digest())
            session = pc.Session(e, trainer.model, trainer.variables)
            self.assertEqual(session.run({"x": ids}, trainer.model.outputs[0]).shape, (3, 2))
        self.assertEqual(len(digests), 1)
        with self.assertRaisesRegex(pc.InvalidArgument, "wanted whole numbers, the data has 0.5"):
            trainer.step(x=np.full((3, 2), 0.5, np.float32), y=np.array([0, 1, 0]))

    def test_keras_takes_numbers_of_any_dtype(self):
        x, y = self.data()
        x = np.round(x * 4)

        def digest(x, y, words={}):
            model = self.keras_model()
            model.fit(x, y, validation_data=(x, y), verbose=0)
            model.evaluate(x, y)
            model.predict(x)
            return model.variables.digest()

        want = digest(x, y)
        for dtype in ("f8", "f2", "i8", "i4", "i8", ">f8"):
            self.assertEqual(digest(x.astype(dtype), y), want, dtype)
        for dtype in ("u1", "i1", "i4", "u8", "?", "f4"):
            self.assertEqual(digest(x, y.astype(dtype)), want, dtype)
        self.assertEqual(digest(x.astype(int).tolist(), y.tolist()), want)
        self.assertEqual(digest(pc.Tensor.of(x.astype("f8")), pc.Tensor.of(y.astype("i4"))), want)
        self.assertEqual(digest(x, y[:, None]), want)
        for broken, message in ((y + 0.5, r"whole numbers.*\.5"), (np.where(y == 1, np.nan, 0), "whole numbers.*nan"),
                                (y + 1j, "complex"), (np.uint64(2**64 - 1) - y.astype("u8"), "whole numbers")):
            with self.assertRaisesRegex(pc.InvalidArgument, message):
                digest(x, broken)
        model = keras.Sequential([keras.Dense(1)])
        model.compile(loss={"name": "mean_squared_error"})
        model.fit(x, y, verbose=0)
        numbers = keras.Sequential([keras.Embedding(64, 4), keras.Flatten(), keras.Dense(2, activation="softmax")])
        numbers.compile(loss="sparse_categorical_crossentropy")
        numbers.fit(np.arange(64).reshape(32, 2), y[:32], verbose=0)

    def test_keras_borrows_arrays_that_have_the_models_dtype(self):
        for array in (np.zeros((3, 2), np.float32), np.zeros(3, np.int64)):
            tensor = fitting(array, str(pc.Tensor.of(array).dtype), "x")
            self.assertTrue(np.shares_memory(tensor.numpy(), array))
        tensor = pc.Tensor.of([1.0])
        self.assertIs(fitting(tensor, "f32", "x"), tensor)
        column = np.zeros((3, 1), np.int64)
        self.assertTrue(np.shares_memory(fitting(column, "i64", "y", 1).numpy(), column))

    def test_a_fit_is_cancelled_from_elsewhere_even_before_it_begins(self):
        x, y = self.data()
        model, stop = self.keras_model(), pc.Cancellation()
        with self.assertRaisesRegex(RuntimeError, "cancellation="):
            model.trainer
        cancel = threading.Thread(target=stop.cancel)
        cancel.start()
        cancel.join()
        with self.assertRaises(pc.Cancelled):
            model.fit(x, y, verbose=0, cancellation=stop)
        self.assertEqual(model.trainer.steps, 0)
        later = pc.Cancellation()
        with self.assertRaises(pc.Cancelled):
            model.fit(x, y, verbose=0, cancellation=later, callback=lambda p: later.cancel())
        self.assertEqual(model.trainer.steps, 1)
        self.assertEqual(len(model.fit(x, y, verbose=0).epoch), 1)  # the next fit has none

    def test_functions_make_rows_and_their_errors_come_through(self):
        e = engine()
        data = pc.Dataset.from_function(e, lambda i: {"x": [i, 2 * i], "y": i}, 5, x=("f32", (2,)), y=("i64", ())).batch(2)
        batches = [batch["x"].numpy().tolist() for batch in data]
        self.assertEqual(batches, [[[0, 0], [1, 2]], [[2, 4], [3, 6]], [[4, 8]]])
        self.assertEqual(len(data), 5)

        def broken(i):
            raise RuntimeError("row of mine")

        with self.assertRaisesRegex(RuntimeError, "row of mine"):
            list(pc.Dataset.from_function(e, broken, 3, x=("f32", ())).batch(1))

    def test_functions_are_let_go_of_when_nothing_can_call_them(self):
        class Rows:
            def __call__(self, i):
                return {"x": np.full(8, i, np.float32), "y": i % 2}

        class Log:
            def __call__(self, level, text):
                pass

        rows, log = Rows(), Log()
        made, told = weakref.ref(rows), weakref.ref(log)
        e = engine()
        e.set_log(log)
        model = self.keras_model()
        validation = pc.Dataset.from_function(e, rows, 16, x=("f32", (8,)), y=("i64", ())).batch(8)
        with self.assertRaises(pc.InvalidArgument):
            pc.Dataset.from_function(e, rows, 0, x=("f32", (8,)))
        del rows, log
        x, y = self.data()
        trainer = pc.Trainer.from_spec(e, model.spec([8], 32))
        trainer.set_validation(validation)
        del validation
        gc.collect()
        self.assertIsNotNone(made())  # the trainer evaluates on it
        trainer.fit(pc.Dataset.from_tensors(e, x=x, y=y).batch(32), 1)
        self.assertIn("val_loss", trainer.history())
        self.assertIn(b"val_loss", trainer.history("events"))
        trainer.close()
        gc.collect()
        self.assertIsNone(made())
        self.assertIsNotNone(told())
        e.close()
        gc.collect()
        self.assertIsNone(told())

    def test_what_keras_does_not_take_is_said_in_its_words(self):
        with self.assertRaisesRegex(AttributeError, "^no layer 'Dens', did you mean 'Dense'\\?$"):
            keras.Dens
        with self.assertRaisesRegex(AttributeError, "no layer 'Xyzzy'; there are .*Dense"):
            keras.Xyzzy
        with self.assertRaisesRegex(AttributeError, "no attribute 'dense'"):
            keras.dense
        with self.assertRaisesRegex(TypeError, "Dense takes 1 argument.* got 2"):
            keras.Dense(1, 2)
        with self.assertRaisesRegex(TypeError, "'units' twice"):
            keras.Dense(1, units=2)
        with self.assertRaisesRegex(TypeError, "MirroredStrategy makes an engine of its own"):
            keras.MirroredStrategy(engine=engine())
        with self.assertRaisesRegex(TypeError, "the option 'threads' takes a number.*got Engine"):
            pc.Engine(threads=engine())
        with self.assertRaisesRegex(TypeError, r"""compile\(\) takes no 'learning_rate'.*optimizer={'name': 'sgd', 'learning_rate': 0.1}"""):
            keras.Sequential().compile("sgd", learning_rate=0.1)

    def test_layers_of_the_library_are_layers_of_keras(self):
        layers = {layer["name"]: layer for layer in engine().describe("layers")}
        for name, words in POSITIONAL.items():
            known = [attribute["name"] for attribute in layers[name]["attributes"]]
            self.assertEqual([word for word in words if word not in known], [], name)
        for name, layer in layers.items():
            needed = [attribute["name"] for attribute in layer["attributes"] if attribute["required"]]
            self.assertEqual([word for word in needed if word not in POSITIONAL.get(name, [])],
                             [], name)
            made = getattr(keras, name)
            self.assertIn(layer["doc"], made.__doc__)
            self.assertEqual([a["name"] for a in layer["attributes"] if f"{a['name']}: {a['kind']}" not in made.__doc__], [])
            self.assertIn(name, dir(keras))

    def test_data_sets_are_put_together(self):
        e = engine()
        a = pc.Dataset.from_tensors(e, x=np.arange(4, dtype=np.float32))
        b = pc.Dataset.from_tensors(e, y=np.arange(4, 8))
        both = a.zip(b).repeat(2).batch(8)
        batch, = list(both)
        self.assertEqual(batch["y"].numpy().tolist(), [4, 5, 6, 7] * 2)
        self.assertEqual(both.types, {"x": ("f32", ()), "y": ("i64", ())})
        self.assertEqual(both.rename("p", "q").names, ["p", "q"])
        parts = a.concatenate(a).batch(4).distribute(2)
        self.assertEqual([[t["x"].numpy().tolist() for t in part] for part in parts], [[[0, 1], [0, 1]], [[2, 3], [2, 3]]])


    def test_lists_of_files_are_rows_that_follow_each_other(self):
        e = engine()
        x, y = np.arange(10, dtype=np.float32).reshape(5, 2), np.arange(5)
        with tempfile.TemporaryDirectory() as folder:
            paths = {name: os.path.join(folder, name + ".npy") for name in ("a", "b", "y")}
            for name, rows in (("a", x[:2]), ("b", x[2:]), ("y", y)):
                np.save(paths[name], rows)
            batch, = pc.Dataset.from_files(e, x=[paths["a"], paths["b"]], y=paths["y"]).batch(8)
            self.assertEqual((batch["x"].tolist(), batch["y"].tolist()), (x.tolist(), y.tolist()))

    def test_csv_files_are_read_by_rules_and_the_next_ones_alike(self):
        e = engine()
        with tempfile.TemporaryDirectory() as folder:
            first, second = os.path.join(folder, "first.csv"), os.path.join(folder, "second.csv")
            with open(first, "w", encoding="utf-8") as file:
                file.write("area;kind;price\n10;flat;1\n;house;2\n30;flat;3\n")
            with open(second, "w", encoding="utf-8") as file:
                file.write("kind;area\nhouse;\n")
            data = pc.Dataset.from_files(e, csv={"separator": ";", "missing": "mean"}, x=first + "#area,kind", y=first + "#price")
            batch, = data
            self.assertEqual(batch["x"].tolist(), [[10, 1, 0], [20, 0, 1], [30, 1, 0]])
            self.assertEqual(data.csv_rules["inputs"]["x"][1]["words"], ["flat", "house"])
            batch, = pc.Dataset.from_files(e, csv=data.csv_rules, x=second)
            self.assertEqual(batch["x"].tolist(), [[20, 0, 1]])
            self.assertIsNone(pc.Dataset.range(e, 0, 3).csv_rules)
            with self.assertRaisesRegex(pc.InvalidArgument, "line 3, column 'area': the value is missing"):
                pc.Dataset.from_files(e, csv={"separator": ";"}, x=first + "#area")
            with self.assertRaisesRegex(pc.InvalidArgument, "did you mean 'separator'"):
                pc.Dataset.from_files(e, csv={"seperator": ";"}, x=first)

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
