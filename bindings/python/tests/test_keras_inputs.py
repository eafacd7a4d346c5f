"""Arrays, words and layers that the Keras API takes, and those that it rejects."""
import unittest

import numpy as np

import percale as pc
from percale import keras
from percale.keras._arrays import fitting
from percale.keras.layers import POSITIONAL

from support import KerasCase, engine


class Inputs(KerasCase):
    def test_data_without_labels_names_what_is_missing(self):
        model = self.keras_model()
        data = pc.Dataset.range(model.engine, 0, 64).batch(8)
        with self.assertRaisesRegex(pc.Error, "'y'"):
            model.fit(data, epochs=1, verbose=0)

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


class States(unittest.TestCase):
    def test_a_recurrent_layer_returns_its_states_and_goes_on_from_them(self):
        x = np.sin(np.arange(36, dtype=np.float32)).reshape(2, 6, 3)
        for kind, count in (("LSTM", 2), ("GRU", 1), ("SimpleRNN", 1)):
            with self.subTest(kind):
                layer = getattr(keras, kind)
                given = keras.Input((None, 3), name="x")
                y, *states = layer(4, return_state=True, name="cell")(given)
                self.assertEqual(len(states), count)
                first = keras.Model(given, [y, *states])
                begin = [keras.Input((4,), name=f"begin_{i}") for i in range(count)]
                rest = layer(4, name="cell")(given, initial_state=begin if count > 1 else begin[0])
                second = keras.Model([given, *begin], rest)
                second.set_weights(first.get_weights())
                whole, half = first.predict(x), first.predict(x[:, :2])
                # The last output is the last state.
                np.testing.assert_array_equal(whole[0], whole[1])
                np.testing.assert_allclose(second.predict([x[:, 2:], *half[1:]]), whole[0], rtol=1e-5, atol=1e-6)

    def test_states_within_a_model_train(self):
        x = np.sin(np.arange(36, dtype=np.float32)).reshape(2, 6, 3)
        given = keras.Input((6, 3))
        _, *states = keras.LSTM(4, return_state=True)(given)
        model = keras.Model(given, keras.Dense(1)(keras.LSTM(4)(given, states)))
        model.compile({"name": "adam", "learning_rate": 0.01}, "mse")
        losses = model.fit(x, x[:, 0, :1], epochs=20, verbose=0).history["loss"]
        self.assertLess(losses[-1], losses[0])
        self.assertEqual(len(model.get_weights()), 3 + 3 + 2)

    def test_layers_of_a_sequential_name_the_states_before_them(self):
        x = np.ones((2, 6, 3), np.float32)
        model = keras.Sequential([keras.Input((6, 3)), keras.LSTM(4, return_state=True, name="encoder"),
                                  keras.LSTM(4, inputs=["x", "encoder/state_h", "encoder/state_c"])])
        self.assertEqual(model.predict(x).shape, (2, 4))
        model = keras.Sequential([keras.Input((6, 3)), keras.GRU(4, return_state=True, name="encoder"),
                                  keras.GRU(4, inputs=["x", "encoder/state_c"])])
        with self.assertRaisesRegex(ValueError, "no layer 'encoder/state_c' stands before it"):
            model.predict(x)

    def test_only_recurrent_layers_have_states(self):
        given = keras.Input((6, 3))
        self.assertNotIsInstance(keras.LSTM(4)(given), tuple)
        self.assertNotIsInstance(keras.LSTM(4, return_state=False)(given), tuple)
        with self.assertRaisesRegex(TypeError, "Dense takes no 'initial_state'; LSTM, GRU, SimpleRNN do"):
            keras.Dense(4)(given, initial_state=given)
        with self.assertRaisesRegex(pc.Error, "1 initial states, wanted 2"):
            keras.Model(given, keras.LSTM(3)(given, initial_state=keras.LSTM(3)(given)))


if __name__ == "__main__":
    unittest.main()
