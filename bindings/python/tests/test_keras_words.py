"""Calls as users of Keras 3 write them, and errors for invalid arguments at the place where they
are given.
"""
import os
import tempfile
import threading
import unittest

import numpy as np

import percale as pc
from percale import keras
from percale.keras import callbacks, layers, losses, metrics, optimizers


def rows(count=96, seed=1):
    x = np.random.default_rng(seed).standard_normal((count, 8)).astype(np.float32)
    return x, (x[:, 0] > 0).astype(np.int64)


def classifier(optimizer="adam", **words):
    model = keras.Sequential([keras.Input((8,)), layers.Dense(4, activation="relu"), layers.Dropout(0.1), layers.Dense(2)],
                             engine=pc.Engine(threads=1))
    model.compile(optimizer, losses.SparseCategoricalCrossentropy(True), ["accuracy"], seed=3, **words)
    return model


class Words(unittest.TestCase):
    def test_what_keras_takes_without_a_keyword_is_taken(self):
        for made, config in (
                (optimizers.Adam(0.01), {"name": "adam", "learning_rate": 0.01}),
                (optimizers.SGD(0.01, 0.9, True), {"name": "sgd", "learning_rate": 0.01, "momentum": 0.9, "nesterov": True}),
                (optimizers.AdamW(0.01, 0.1), {"name": "adamw", "learning_rate": 0.01, "weight_decay": 0.1}),
                (losses.SparseCategoricalCrossentropy(True), {"name": "sparse_categorical_crossentropy", "from_logits": True}),
                (losses.Huber(2), {"name": "huber", "delta": 2}),
                (metrics.SparseTopKCategoricalAccuracy(3), {"name": "sparse_top_k_categorical_accuracy", "k": 3}),
                (metrics.AUC(50), {"name": "auc", "num_thresholds": 50})):
            self.assertEqual(made.config, config)
        for name, words in optimizers.POSITIONAL.items():
            self.assertEqual(words[0], "learning_rate")
        self.assertEqual(set(optimizers.POSITIONAL), {entry["name"] for entry in pc.Engine(threads=1).describe("optimizers")})
        rate = optimizers.schedules.CosineDecay(0.5)
        self.assertIs(optimizers.SGD(rate).config["learning_rate"], rate)
        with self.assertRaisesRegex(TypeError, "Adam got 'learning_rate' twice"):
            optimizers.Adam(0.1, learning_rate=0.2)
        with self.assertRaisesRegex(TypeError, "takes 1 arguments without a keyword"):
            losses.Huber(1, 2)

    def test_a_schedule_may_be_a_function_of_the_epoch_alone(self):
        x, y = rows()
        model, rates = classifier(), []
        model.fit(x, y, epochs=2, verbose=0, callback=lambda p: rates.append(p.learning_rate),
                  callbacks=callbacks.LearningRateScheduler(lambda epoch: 0.1 / (epoch + 1)))
        np.testing.assert_allclose([rates[0], rates[-1]], [0.1, 0.05])

    def test_one_callback_needs_no_list(self):
        x, y = rows()
        x[:] = np.nan
        model = classifier()
        model.fit(x, y, verbose=0, callbacks=callbacks.TerminateOnNaN())
        self.assertEqual(model.trainer.steps, 1)
        self.assertTrue(np.isnan(model.evaluate(x, y)["loss"]))

    def test_bools_of_numpy_are_bools(self):
        x, y = rows()
        losses_of = [classifier().fit(x, y, verbose=0, shuffle=shuffle).history["loss"]
                     for shuffle in (False, np.bool_(False), None, True, np.bool_(True), 0)]
        self.assertEqual(losses_of[:3], losses_of[:1] * 3)
        self.assertEqual(losses_of[3:], losses_of[3:4] * 3)
        self.assertNotEqual(losses_of[0], losses_of[3])
        self.assertEqual(len(pc.Engine(threads=np.int64(1), map_files=np.bool_(False)).devices), 1)

    def test_compile_refuses_wrong_words(self):
        model = classifier()
        for words, kind, message in (
                (("adma", "mse"), pc.Error, "did you mean 'adam'"),
                (("adam", "msee"), pc.Error, "no loss 'msee'"),
                (("adam", "mse", ["acuracy"]), pc.Error, "acuracy"),
                (({"name": "adam", "lr": 1}, "mse"), pc.Error, "lr"),
                (("adam", {"kind": "msee"}), pc.Error, "msee"),
                ((3, "mse"), TypeError, "optimizer is 3"),
                (("adam", len), TypeError, "loss is <built-in function len>")):
            with self.assertRaisesRegex(kind, message):
                model.compile(*words)
        for optimizer in (None, '{"name": "sgd", "learning_rate": 0.5}', {"name": "adam", "beta_1": 0.8}, optimizers.SGD()):
            model.compile(optimizer, "mse")
            self.assertEqual(model.trainer.steps, 0)
        for loss in ("mse", "mean_squared_error", {"name": "huber", "delta": 2}, None):
            model.compile("adam", loss, ["mse", {"name": "auc", "num_thresholds": 20}, metrics.Accuracy()])

    def test_another_object_in_the_place_of_the_engine_is_told(self):
        with self.assertRaisesRegex(TypeError, "the engine is 'onnx', wanted a percale.Engine"):
            classifier().graph.export("onnx", "q.onnx")
        with self.assertRaisesRegex(TypeError, "the graph is <percale"):
            pc.Session(pc.Engine(threads=1), pc.Engine(threads=1))

    def test_callbacks_say_what_they_lack(self):
        x, y = rows()
        with self.assertRaisesRegex(pc.NotFound, "watches 'val_los', the epoch has .*val_loss[^;]*$"):
            classifier().fit(x, y, verbose=0, validation_split=0.5, callbacks=callbacks.EarlyStopping("val_los"))

    def test_the_table_has_the_words_of_a_dict(self):
        table = classifier().variables
        self.assertEqual([name for name, _ in table.items()], table.keys())
        for tensor, (name, value) in zip(table.values(), table.items()):
            self.assertTrue((tensor.numpy() == value.numpy()).all(), name)


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def test_the_ending_says_the_format(self):
        x, _ = rows()
        model = classifier()
        try:
            model.save(self.path("m.onnx"))
        except pc.Error as error:
            self.skipTest(str(error))  # a wheel without ONNX
        with open(self.path("m.onnx"), "rb") as file:
            self.assertNotIn(b"percale", file.read(8).lower())
        np.testing.assert_allclose(keras.load_model(self.path("m.onnx")).predict(x), model.predict(x), rtol=1e-5, atol=1e-6)

    def test_formats_of_others_are_refused(self):
        for name in ("m.keras", "m.h5", "m.safetensors"):
            with self.assertRaisesRegex(ValueError, "save.. writes .percale and .onnx files"):
                classifier().save(self.path(name))
        self.assertEqual(os.listdir(self.folder.name), [])

    def test_a_model_among_layers_is_told_where_heads_are_put(self):
        with self.assertRaisesRegex(TypeError, '"head"'):
            keras.Sequential([classifier(), layers.Dense(2)])

    def test_a_fit_goes_on_in_a_new_process_with_the_same_bits(self):
        x, y = rows()
        words = {"schedule": [{"name": "warm_up", "steps": 4}, {"name": "cosine"}]}
        whole = classifier(**words)
        whole.fit(x, y, epochs=4, verbose=0)
        first = classifier(**words)
        first.fit(x, y, epochs=4, verbose=0, callback=lambda p: p.step < 7)  # in the third epoch
        first.trainer.save(self.path("ck"))
        second = classifier(**words)
        second.trainer.restore(self.path("ck"))
        self.assertEqual(second.trainer.steps, 7)
        history = second.fit(x, y, epochs=4, initial_epoch=2, verbose=0)
        self.assertEqual((history.epoch, second.trainer.steps), ([2, 3], whole.trainer.steps))
        self.assertEqual(second.variables.digest(), whole.variables.digest())

    def test_the_trainer_is_there_where_the_shape_is_known(self):
        self.assertEqual(classifier().trainer.steps, 0)
        model = keras.Sequential([layers.Dense(2)])
        with self.assertRaisesRegex(RuntimeError, "the trainer needs a compiled model; call compile"):
            model.trainer
        model.compile("sgd", "mse")
        with self.assertRaisesRegex(RuntimeError, "the shape of the rows is not known"):
            model.trainer
        model.build((None, 3))
        self.assertEqual(model.trainer.steps, 0)


class Threads(unittest.TestCase):
    def test_only_the_thread_of_fit_predicts_and_others_do_by_a_session(self):
        x, y = rows()
        for _ in range(5):
            model = classifier()
            session = pc.Session(model.engine, model.graph, model.variables)
            over, seen, runs = threading.Event(), [], []

            def serve():
                while not over.is_set():
                    runs.append(session.run({"x": x}, model.output_names[0]).shape)
                    try:
                        model.predict(x[:8])
                    except Exception as error:
                        seen.append(error)

            threads = [threading.Thread(target=serve) for _ in range(2)]
            for thread in threads:
                thread.start()
            try:
                for _ in range(3):
                    model.fit(x, y, epochs=2, verbose=0, callback=lambda p: model.predict(x[:8]) is not None)
            finally:
                over.set()
                for thread in threads:
                    thread.join()
            self.assertEqual({type(error) for error in seen} - {pc.FailedPrecondition}, set())
            self.assertEqual([str(error) for error in seen if "model.engine, model.graph" not in str(error)], [])
            self.assertGreater(len(runs), 0)


if __name__ == "__main__":
    unittest.main()
