"""The Keras API has the same meaning as in Keras 3."""
import csv
import os
import tempfile
import unittest

import numpy as np

import percale as pc
from percale import keras
from percale.keras._build import default_name
from percale.keras import callbacks, layers, losses, metrics, optimizers


def rows(count=256, seed=1):
    x = np.random.default_rng(seed).standard_normal((count, 8)).astype(np.float32)
    return x, (x[:, 0] + x[:, 1] > 0).astype(np.int64)


def classifier(compiled=True, **words):
    model = keras.Sequential([layers.Dense(16, activation="relu"), layers.Dense(2, activation="softmax")], engine=pc.Engine(threads=1))
    if compiled:
        model.compile("adam", "sparse_categorical_crossentropy", ["accuracy"], **words)
    return model


class Recorder(callbacks.Callback):
    """Records every event by its name and number."""

    def __init__(self):
        self.events = []
        for name in ("epoch_begin", "epoch_end", "train_batch_begin", "train_batch_end"):
            setattr(self, f"on_{name}", lambda number, logs=None, name=name: self.events.append((name, number)))
        for name in ("train_begin", "train_end"):
            setattr(self, f"on_{name}", lambda logs=None, name=name: self.events.append((name,)))


class Compile(unittest.TestCase):
    def test_after_fit_it_keeps_the_weights(self):
        x, y = rows()
        model = classifier()
        model.fit(x, y, epochs=5, verbose=0)
        trained, loss = model.predict(x), model.evaluate(x, y)["loss"]
        model.compile("sgd", "sparse_categorical_crossentropy")
        self.assertTrue((model.predict(x) == trained).all())
        self.assertEqual(model.evaluate(x, y)["loss"], loss)
        self.assertLess(model.fit(x, y, verbose=0).history["loss"][0], loss * 1.2)

    def test_it_trains_to_the_weights_of_the_spec(self):
        x, y = rows()
        model = classifier(seed=3, shards=2)
        model.fit(x, y, epochs=2, verbose=0)
        e = pc.Engine(threads=1)
        trainer = pc.Trainer.from_spec(e, model.spec([8]))
        trainer.fit(pc.Dataset.from_tensors(e, x=x, y=y).batch(32, shuffle=0), 2)
        self.assertEqual(model.variables.digest(), trainer.variables.digest())

    def test_objects_say_what_names_and_dicts_say(self):
        x, y = rows()
        digests = set()
        for optimizer, loss, metric in (
                ({"name": "adam", "learning_rate": 0.01}, {"name": "sparse_categorical_crossentropy", "from_logits": True}, "accuracy"),
                (optimizers.Adam(learning_rate=0.01), losses.SparseCategoricalCrossentropy(from_logits=True), metrics.Accuracy())):
            model = classifier(False)
            model.compile(optimizer, loss, [metric])
            self.assertIn("accuracy", model.fit(x, y, verbose=0).history)
            digests.add(model.variables.digest())
        self.assertEqual(len(digests), 1)
        model = classifier(False)
        model.compile(optimizers.SGD(learning_rate=optimizers.schedules.CosineDecay(0.5)), "sparse_categorical_crossentropy")
        rates = []
        model.fit(x, y, epochs=2, verbose=0, callback=lambda p: rates.append(p.learning_rate))
        self.assertAlmostEqual(rates[0], 0.5)
        self.assertLess(rates[-1], 0.05)

    def test_objects_refuse_wrong_words_when_they_are_made(self):
        for make, message in ((lambda: optimizers.Adam(lr=1), "lr"), (lambda: losses.Huber(delt=1), "delt"),
                              (lambda: metrics.AUC(thresholds=3), "thresholds"), (lambda: losses.BinaryCrossentropy(label_smoothing=2), "2")):
            with self.assertRaisesRegex(pc.Error, message):
                make()
        with self.assertRaisesRegex(AttributeError, "did you mean 'AdamW'"):
            optimizers.AdamWW
        with self.assertRaisesRegex(TypeError, "takes no 'decay', only decay_steps, alpha"):
            optimizers.schedules.Schedule("cosine", decay=3)

    def test_objects_document_their_words(self):
        self.assertIn("beta_1 (float, default: 0.9)", optimizers.Adam.__doc__)
        self.assertIn("delta (float, default: 1)", losses.Huber.__doc__)
        self.assertIn("num_thresholds (int, default: 200)", metrics.AUC.__doc__)


class Fit(unittest.TestCase):
    def test_zero_epochs_train_nothing(self):
        x, y = rows()
        model = classifier()
        history = model.fit(x, y, epochs=0, verbose=0)
        self.assertEqual((history.epoch, model.trainer.steps), ([], 0))

    def test_epochs_count_from_the_initial_one(self):
        x, y = rows()
        model = classifier()
        self.assertEqual(model.fit(x, y, epochs=3, verbose=0).epoch, [0, 1, 2])
        self.assertEqual(model.fit(x, y, epochs=5, initial_epoch=3, verbose=0).epoch, [3, 4])
        self.assertEqual(model.fit(x, y, epochs=5, initial_epoch=5, verbose=0).epoch, [])
        self.assertEqual(model.trainer.steps, 5 * 8)

    def test_the_last_rows_are_split_off_for_validation(self):
        x, y = rows()
        split, given = classifier(), classifier()
        a = split.fit(x, y, epochs=2, validation_split=0.25, verbose=0)
        b = given.fit(x[:192], y[:192], epochs=2, validation_data=(x[192:], y[192:]), verbose=0)
        self.assertEqual(a.history, b.history)
        self.assertIn("val_accuracy", a.history)
        self.assertNotIn("val_loss", split.fit(x, y, verbose=0).history)
        self.assertIn("val_loss", split.fit(x, y, validation_split=0.5, verbose=0).history)
        with self.assertRaisesRegex(ValueError, "validation_split is 2"):
            split.fit(x, y, validation_split=2)

    def test_weights_of_rows_and_of_classes_count(self):
        x, y = rows()
        weights = np.where(y == 1, 3.0, 0.5)
        digests = []
        for words in ({"sample_weight": weights}, {"class_weight": {0: 0.5, 1: 3.0}}):
            model = classifier()
            model.fit(x, y, epochs=2, verbose=0, **words)
            digests.append(model.variables.digest())
        self.assertEqual(digests[0], digests[1])
        kept = y == 0
        model, alone = classifier(shards=1), classifier(shards=1)
        one = model.fit(x, y, batch_size=256, shuffle=None, verbose=0, sample_weight=np.where(kept, 1.0, 0.0)).history["loss"]
        two = alone.fit(x[kept], y[kept], batch_size=256, shuffle=None, verbose=0).history["loss"]
        np.testing.assert_allclose(one, two, rtol=1e-5)
        with self.assertRaisesRegex(pc.InvalidArgument, "one number for each of the 256 rows"):
            model.fit(x, y, sample_weight=np.ones(3), verbose=0)

    def test_callbacks_are_told_in_the_order_of_keras(self):
        x, y = rows(64)
        model, seen = classifier(), Recorder()
        model.fit(x, y, epochs=2, verbose=0, callbacks=[seen])
        epoch = [[("epoch_begin", e), ("train_batch_begin", 0), ("train_batch_end", 0), ("train_batch_begin", 1),
                  ("train_batch_end", 1), ("epoch_end", e)] for e in (0, 1)]
        self.assertEqual(seen.events, [("train_begin",), *epoch[0], *epoch[1], ("train_end",)])

    def test_callbacks_see_the_weights_of_the_step(self):
        x, y = rows(64)
        model, seen = classifier(), []

        class Look(callbacks.Callback):
            def on_train_batch_end(self, batch, logs=None):
                seen.append(self.model.get_weights()[0])

            def on_epoch_end(self, epoch, logs=None):
                with self.outer.assertRaisesRegex(RuntimeError, "within fit"):
                    self.model.set_weights(self.model.get_weights())

        look = Look()
        look.outer = self
        model.fit(x, y, verbose=0, callbacks=[look])
        self.assertFalse((seen[0] == seen[1]).all())
        self.assertTrue((seen[1] == model.get_weights()[0]).all())


class Callbacks(unittest.TestCase):
    def test_early_stopping_ends_the_fit_and_brings_the_best_weights_back(self):
        x, y = rows()
        model = classifier()
        stop = callbacks.EarlyStopping("loss", min_delta=100, patience=2, restore_best_weights=True)
        first = []
        note = callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: first.append(model.get_weights()))
        history = model.fit(x, y, epochs=50, verbose=0, callbacks=[note, stop])
        self.assertEqual(history.epoch, [0, 1, 2])
        self.assertTrue((model.get_weights()[0] == first[0][0]).all())
        self.assertTrue((model.get_weights()[0] != first[-1][0]).any())
        with self.assertRaisesRegex(pc.NotFound, "watches 'val_loss'.*validation_split= brings it"):
            model.fit(x, y, verbose=0, callbacks=[callbacks.EarlyStopping()])

    def test_checkpoints_are_models_of_their_epochs(self):
        x, y = rows()
        with tempfile.TemporaryDirectory() as folder:
            model = classifier()
            model.fit(x, y, epochs=2, verbose=0,
                      callbacks=[callbacks.ModelCheckpoint(os.path.join(folder, "m-{epoch}-{loss:.3f}.percale")),
                                 callbacks.ModelCheckpoint(os.path.join(folder, "best.safetensors"), monitor="loss", save_best_only=True,
                                                           save_weights_only=True),
                                 callbacks.CSVLogger(os.path.join(folder, "log.csv"))])
            names = sorted(os.listdir(folder))
            self.assertEqual([name[:4] for name in names], ["best", "log.", "m-1-", "m-2-"])
            self.assertTrue((keras.load_model(os.path.join(folder, names[3])).predict(x) == model.predict(x)).all())
            self.assertFalse((keras.load_model(os.path.join(folder, names[2])).predict(x) == model.predict(x)).all())
            with open(os.path.join(folder, "log.csv"), newline="") as file:
                logged = list(csv.DictReader(file))
            self.assertEqual([row["epoch"] for row in logged], ["0", "1"])
            self.assertEqual([float(row["loss"]) for row in logged], model.history.history["loss"])
            other = classifier()
            other.build((None, 8))
            other.load_weights(os.path.join(folder, "best.safetensors"))
            self.assertTrue((other.predict(x) == model.predict(x)).all())

    def test_a_loss_that_is_no_number_ends_the_fit(self):
        x, y = rows()
        x[100:] = np.nan
        model = classifier()
        model.fit(x, y, epochs=3, shuffle=False, verbose=0, callbacks=[callbacks.TerminateOnNaN()])
        self.assertEqual(model.trainer.steps, 4)

    def test_the_learning_rate_follows_a_function_of_the_epoch(self):
        x, y = rows()
        model, seen = classifier(), []

        def falling(epoch, rate):
            seen.append((epoch, rate))
            return 0.02 / (epoch + 1)

        model.fit(x, y, epochs=3, verbose=0, callbacks=[callbacks.LearningRateScheduler(falling)])
        self.assertEqual([epoch for epoch, _ in seen], [0, 1, 2])
        self.assertEqual([rate for _, rate in seen[1:]], [0.02, 0.01])
        rates = [(int(row["epoch"]), float(row["learning_rate"])) for row in
                 csv.DictReader(model.trainer.history("csv").splitlines())]
        for epoch, rate in rates:
            self.assertAlmostEqual(rate, 0.02 / epoch)

    def test_the_learning_rate_falls_on_a_plateau(self):
        x, y = rows()
        model = classifier()
        # No epoch is better than the first by as much as this.
        falling = callbacks.ReduceLROnPlateau(monitor="loss", factor=0.5, patience=2, min_delta=1e6, cooldown=1, min_lr=0.003)
        rates = []
        model.fit(x, y, epochs=1, verbose=0)
        model.learning_rate = 0.01
        noting = callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: rates.append(model.learning_rate))
        model.fit(x, y, epochs=9, verbose=0, callbacks=[falling, noting])
        self.assertEqual(rates, [0.01, 0.01, 0.005, 0.005, 0.003, 0.003, 0.003, 0.003, 0.003])
        with self.assertRaisesRegex(ValueError, "factor"):
            callbacks.ReduceLROnPlateau(factor=1)


class Models(unittest.TestCase):
    def test_they_predict_before_they_are_fitted_and_in_batches(self):
        x, _ = rows(50)
        model = classifier(compiled=False)
        whole = model.predict(x)
        self.assertEqual(whole.shape, (50, 2))
        np.testing.assert_allclose(model.predict(x, batch_size=16), whole, rtol=1e-6)

    def test_weights_go_out_and_come_in(self):
        x, _ = rows()
        one, two = classifier(), classifier(seed=9)
        one.build((None, 8)), two.build((None, 8))
        self.assertEqual([w.shape for w in one.get_weights()], [(8, 16), (16,), (16, 2), (2,)])
        self.assertFalse((one.predict(x) == two.predict(x)).all())
        two.set_weights(one.get_weights())
        self.assertTrue((one.predict(x) == two.predict(x)).all())
        with self.assertRaisesRegex(ValueError, "the model has 4 weights"):
            two.set_weights([])

    def test_a_layer_that_is_added_after_fit_is_used_and_the_others_keep_their_weights(self):
        x, y = rows()
        model = classifier()
        model.fit(x, y, verbose=0)
        kernel = model.get_weights()[0]
        model.add(layers.Dense(3, activation="softmax"))
        self.assertEqual(model.predict(x).shape, (256, 3))
        self.assertTrue((model.get_weights()[0] == kernel).all())
        model.fit(x, y, verbose=0)
        self.assertFalse((model.get_weights()[0] == kernel).all())

    def test_a_saved_model_loads_predicts_and_trains(self):
        x, y = rows()
        model = classifier()
        model.fit(x, y, verbose=0)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.percale")
            model.save(path)
            loaded = keras.load_model(path)
            self.assertTrue((loaded.predict(x) == model.predict(x)).all())
            loaded.compile("adam", "sparse_categorical_crossentropy")
            before = loaded.evaluate(x, y)["loss"]
            loaded.fit(x, y, epochs=3, verbose=0)
            self.assertLess(loaded.evaluate(x, y)["loss"], before)

    def test_summary_has_layers_shapes_and_weights(self):
        model = keras.Sequential([keras.Input((28, 28, 1)), layers.Conv2D(4, 3, name="eyes"), layers.MaxPooling2D(2), layers.Flatten(),
                                  layers.Dense(10), layers.Dense(5)])
        model.build()
        lines = []
        model.summary(print_fn=lines.append)
        text = "\n".join(lines)
        for words in (r"eyes \(Conv2D\) .*26, 26, 4.* 40", r"flatten.*\(None, 676\)", r"dense \(Dense\).* 6,770", r"dense_1 \(Dense\).* 55",
                      "Weights together: 6,865"):
            self.assertRegex(text, words)
        model = keras.Sequential([keras.Input((8, 8, 3)), layers.SeparableConv2D(4, 3), layers.Conv2DTranspose(4, 3), layers.Conv2DTranspose(4, 3),
                                  layers.BatchNormalization(), layers.DepthwiseConv2D(3), layers.Reshape((-1, 4)), layers.LSTM(4),
                                  layers.Dense(2)])
        model.build()
        lines.clear()
        model.summary(print_fn=lines.append)
        counts = [int(line.split()[-1].replace(",", "")) for line in lines[2:]]
        self.assertEqual(sum(counts[:-1]), counts[-1])
        self.assertEqual([count > 0 for count in counts], [True] * 5 + [False] + [True] * 3)

    def test_layers_without_a_name_have_the_librarys(self):
        e = pc.Engine(threads=1)
        for name, layer in layers._described().items():
            given = {a["name"]: layers._least(a) for a in layer["attributes"] if a["required"]}
            for rank in (2, 3, 4):
                builder = pc.Builder(e)
                inputs = [builder.input(f"x{i}", [-1] + [4] * (rank - 1)) for i in range(layer["inputs"]["min"])]
                try:
                    builder.layer(name, inputs, **given)
                except pc.Error:
                    continue
                builder.find(default_name(name, set()))

    def test_several_inputs_and_outputs(self):
        x, y = rows()
        left, right = keras.Input((4,), name="left"), keras.Input((4,), name="right")
        body = layers.Dense(16, activation="relu")(layers.Concatenate()([layers.Dense(8)(left), right]))
        kind = layers.Dense(2, activation="softmax", name="kind")(body)
        size = layers.Dense(1, name="size")(body)
        model = keras.Model([left, right], [kind, size], engine=pc.Engine(threads=1))
        outputs = model.output_names
        self.assertEqual((model.input_names, len(outputs)), (["left", "right"], 2))
        model.compile("adam", ["sparse_categorical_crossentropy", losses.MeanSquaredError()], [["accuracy"], ["mae"]], loss_weights=[1, 0.5])
        targets = [y, x[:, :1]]
        history = model.fit([x[:, :4], x[:, 4:]], targets, epochs=20, verbose=0, validation_split=0.25).history
        self.assertLess(history["loss"][-1], history["loss"][0])
        parts = [history[f"{name}_loss"][-1] for name in outputs]
        self.assertAlmostEqual(history["loss"][-1], parts[0] + 0.5 * parts[1], 4)
        self.assertEqual({f"{outputs[0]}_accuracy", f"{outputs[1]}_mae", f"val_{outputs[1]}_mae"} - set(history), set())
        kinds, sizes = model.predict({"left": x[:, :4], "right": x[:, 4:]}, batch_size=100)
        self.assertEqual((kinds.shape, sizes.shape), ((256, 2), (256, 1)))
        self.assertGreater((kinds.argmax(1) == y).mean(), 0.8)
        with self.assertRaisesRegex(ValueError, "x: the model has left, right"):
            model.predict(x)

    def test_a_layer_that_is_called_twice_says_what_to_use_instead(self):
        given, twice = keras.Input((4,)), layers.Dense(4)
        with self.assertRaisesRegex(NotImplementedError, "called twice.*build the graph with percale.Builder"):
            keras.Model(given, twice(twice(given)), engine=pc.Engine(threads=1))

    def test_a_functional_model_is_the_sequential_one_of_the_same_layers(self):
        x, y = rows()
        given = keras.Input((8,))
        model = keras.Model(given, layers.Dense(2, activation="softmax")(layers.Dense(16, activation="relu")(given)),
                            engine=pc.Engine(threads=1))
        model.compile("adam", "sparse_categorical_crossentropy", ["accuracy"])
        other = classifier()
        self.assertEqual(model.fit(x, y, epochs=2, verbose=0).history, other.fit(x, y, epochs=2, verbose=0).history)

    def test_layers_refuse_wrong_words_when_they_are_made(self):
        for make, kind, message in (
                (lambda: layers.Dense(), TypeError, "Dense needs 'units'"),
                (lambda: layers.Dense(4, activaton="relu"), TypeError, "takes no 'activaton', did you mean 'activation'\\? It takes units, activation, "),
                (lambda: layers.Dense(4, activation="rellu"), ValueError, "relu"),
                (lambda: layers.Dense(0), ValueError, "'units' is 0, the min is 1"),
                (lambda: layers.Dense("4"), TypeError, "'units' is str, wanted int"),
                (lambda: layers.Conv2D(4, 3, padding="sane"), ValueError, "sane"),
                (lambda: layers.Dense(4, kernel_initializer="xavier"), ValueError, "xavier"),
                (lambda: layers.Dropout(1.5), ValueError, "the max is"),
                (lambda: layers.Embedding(4, 4, mask_zero=True), pc.Unimplemented, "mask_zero")):
            with self.assertRaisesRegex(kind, message):
                make()
        layers.LSTM(4, return_sequences=True), layers.Conv2D(4, (3, 3), activation="relu", padding="same")


if __name__ == "__main__":
    unittest.main()
