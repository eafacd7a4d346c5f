"""Data sets: functions, lists of files, CSV, and how they are put together."""
import gc
import os
import tempfile
import unittest
import weakref

import numpy as np

import percale as pc

from support import KerasCase, engine


class DataSets(KerasCase):
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


if __name__ == "__main__":
    unittest.main()
