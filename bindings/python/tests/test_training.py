"""Trainers and the Keras API's fit: steps, callbacks, losses, cancellations."""
import tempfile
import threading
import unittest

import numpy as np

import percale as pc
from percale import keras, ops

from support import KerasCase, engine


class Training(KerasCase):
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


if __name__ == "__main__":
    unittest.main()
