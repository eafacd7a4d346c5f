"""Data sets of rows that come one after the other."""
import gc
import queue
import signal
import threading
import unittest
import weakref

import numpy as np

import percale as pc

from support import KerasCase, engine

COLUMNS = {"x": ("f32", (2,)), "y": ("i64", ())}


class Pages:
    """Rows 0 to `rows` - 1 in arrays of these sizes, in turn.

    `asked` says where they were asked to begin.
    """

    def __init__(self, rows=10, sizes=(3,), fails_at=None, error=None):
        self.rows, self.sizes, self.asked, self.fails_at, self.error = rows, sizes, [], fails_at, error

    def __call__(self, epoch, first_row):
        self.asked.append((epoch, first_row))
        row, number = first_row, 0
        while row < self.rows:
            size = min(self.sizes[number % len(self.sizes)], self.rows - row)
            if self.fails_at is not None and row + size > self.fails_at:
                raise self.error
            numbers = np.arange(row, row + size)
            yield {"x": np.stack([numbers, -numbers], 1), "y": 100 * epoch + numbers, "unused": None}
            row, number = row + size, number + 1


def stream(e, pages, size=4):
    return pc.Dataset.from_batches(e, pages, **COLUMNS).batch(size)


class Torn(Exception):
    pass


class Streams(unittest.TestCase):
    def tearDown(self):
        self.assertEqual(pc.live_statuses(), 0)

    def test_arrays_of_any_size_become_batches(self):
        e = engine()
        for sizes in ((3,), (1,), (4,), (10,), (7, 0, 1)):
            pages = Pages(sizes=sizes)
            data = stream(e, pages)
            self.assertEqual(data.types, COLUMNS)
            for epoch in range(2):
                batches = list(data)
                self.assertEqual([batch["y"].numpy().tolist() for batch in batches],
                                 [[100 * epoch + row for row in rows] for rows in ([0, 1, 2, 3], [4, 5, 6, 7], [8, 9])])
                self.assertEqual(batches[2]["x"].numpy().tolist(), [[8, -8], [9, -9]])
            self.assertEqual(pages.asked, [(0, 0), (1, 0)])  # one iterator per epoch

    def test_an_epoch_may_be_empty_or_end_with_a_whole_batch(self):
        e = engine()
        for rows, batches in ((0, 0), (8, 2)):
            pages = Pages(rows)
            data = stream(e, pages)
            self.assertEqual([len(list(data)) for _ in range(2)], [batches] * 2)
            self.assertEqual(pages.asked, [(0, 0), (1, 0)])

    def test_a_stream_has_no_length(self):
        data = stream(engine(), Pages())
        with self.assertRaisesRegex(TypeError, "no len"):
            len(data)
        self.assertTrue(data)
        self.assertIn("Dataset", repr(data))
        for refused in (lambda: data.repeat(2), lambda: data.rename("a", "b"), lambda: data.zip(data.distribute(1)[0])):
            with self.assertRaises(pc.FailedPrecondition):
                refused()
        with self.assertRaisesRegex(pc.InvalidArgument, "shuffled"):
            data.batch(4, shuffle=1)
        with self.assertRaises(pc.InvalidArgument):
            pc.Dataset.from_batches(engine(), Pages())

    def test_wrong_batches_are_named(self):
        e = engine()
        for batch, says in (({"x": np.zeros((3, 2))}, "no 'y', only 'x'"), ({"x": np.zeros((3, 1)), "y": np.zeros(3)}, r"'x'.*\(3, 1\)"),
                            ({"x": np.zeros((3, 2)), "y": np.zeros(2)}, r"'y'.*\(2,\), wanted \(3,\)"),
                            ({"x": 1, "y": 1}, "'x' of a batch has shape")):
            with self.assertRaisesRegex(pc.InvalidArgument, says):
                list(stream(e, lambda epoch, row: [batch]))

    def test_the_exception_of_the_iterator_comes_out_as_it_is(self):
        e = engine()
        for error in (Torn("a torn page"), pc.DataLoss("a lost page"), pc.OutOfRange("no such page"), IndexError("no such page"),
                      StopIteration(), KeyboardInterrupt()):

            def raises(epoch, first_row):
                raise error

            for pages in (raises, Pages(fails_at=5, error=error)):
                if isinstance(error, StopIteration):
                    continue  # Python makes a RuntimeError of it in a generator
                data = stream(e, pages)
                for _ in range(2):
                    with self.assertRaises(type(error)) as caught:
                        list(data)
                    self.assertIs(caught.exception, error)

    def test_rows_are_read_again_from_the_batch_that_failed(self):
        pages = Pages(fails_at=7, error=Torn("a torn page"))
        data = stream(engine(), pages)
        with self.assertRaises(Torn):
            list(data)
        pages.fails_at = None
        self.assertEqual([batch["y"].numpy().tolist() for batch in data], [[4, 5, 6, 7], [8, 9]])
        self.assertEqual(pages.asked, [(0, 0), (0, 4)])

    def test_the_function_is_let_go_of_with_the_data_set(self):
        pages = Pages()
        alive = weakref.ref(pages)
        data = stream(engine(), pages)
        del pages
        next(iter(data))
        gc.collect()
        self.assertIsNotNone(alive())
        del data
        gc.collect()
        self.assertIsNone(alive())

    def test_control_c_ends_a_wait_for_rows(self):
        def forever(epoch, first_row):
            while True:
                yield empty.get()

        empty = queue.Queue()
        data = stream(engine(), forever)
        main = threading.main_thread().ident
        timer = threading.Timer(0.1, lambda: signal.pthread_kill(main, signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            next(iter(data))
        timer.join()
        empty.put({"x": np.ones((4, 2)), "y": np.ones(4)})
        self.assertEqual(next(iter(data))["y"].numpy().tolist(), [1] * 4)


class Training(KerasCase):
    def tearDown(self):
        self.assertEqual(pc.live_statuses(), 0)

    def pages(self, fails_at=None):
        x, y = self.data()

        def read(epoch, first_row):
            asked.append((epoch, first_row))
            for row in range(first_row, len(x), 50):
                if fails_at is not None and row + 50 > fails_at:
                    raise Torn("a torn page")
                yield {"x": x[row:row + 50], "y": y[row:row + 50]}

        asked = []
        return read, asked

    def stream(self, e, read):
        return pc.Dataset.from_batches(e, read, x=("f32", (8,)), y=("i64", ())).batch(30)

    def test_a_stream_trains_to_the_bits_of_arrays(self):
        e, (x, y) = engine(), self.data()
        read, asked = self.pages()
        one, other = self.keras_model(e), self.keras_model(e)
        known = one.fit(x, y, epochs=3, batch_size=30, shuffle=False, verbose=0, validation_data=(x, y))
        made = other.fit(self.stream(e, read), epochs=3, verbose=0, validation_data=self.stream(e, self.pages()[0]))
        self.assertEqual(one.variables.digest(), other.variables.digest())
        self.assertEqual(made.history["loss"], known.history["loss"])
        for name in ("val_loss", "val_accuracy"):
            np.testing.assert_allclose(made.history[name], known.history[name], 1e-6)
        self.assertEqual(asked, [(0, 0), (1, 0), (2, 0)])
        again = self.stream(e, read)
        self.assertAlmostEqual(other.evaluate(again)["accuracy"], one.evaluate(x, y)["accuracy"])
        np.testing.assert_array_equal(other.predict(again), other.predict(x))

    def test_an_exception_of_the_iterator_ends_fit_and_the_next_fit_goes_on(self):
        e = engine()
        whole, model = self.keras_model(e), self.keras_model(e)
        whole.fit(self.stream(e, self.pages()[0]), epochs=1, verbose=0)
        read, asked = self.pages()
        failing, _ = self.pages(fails_at=160)
        for data in (self.stream(e, failing), self.stream(e, self.pages(fails_at=0)[0])):
            with self.assertRaisesRegex(Torn, "a torn page"):
                model.fit(data, epochs=1, verbose=0)
        with self.assertRaisesRegex(Torn, "a torn page"):
            model.evaluate(self.stream(e, failing))
        # Rows 150 to 179 tell whether the fifth batch is the last one.
        self.assertEqual(model.trainer.steps, 4)
        model.fit(self.stream(e, read), epochs=1, verbose=0)
        self.assertEqual(asked, [(0, 120)])
        self.assertEqual(model.variables.digest(), whole.variables.digest())

    def test_a_resumed_training_begins_at_its_row(self):
        import tempfile

        e = engine()
        whole, first, resumed = (self.keras_model(e) for _ in range(3))
        whole.fit(self.stream(e, self.pages()[0]), epochs=2, verbose=0)
        first.fit(self.stream(e, self.pages()[0]), epochs=2, verbose=0, callback=lambda p: p.step < 12)
        read, asked = self.pages()
        with tempfile.TemporaryDirectory() as folder:
            first.trainer.save(folder)
            resumed.build([None, 8])
            resumed.trainer.restore(folder)
            resumed.trainer.fit(self.stream(e, read), 2)
        self.assertEqual(asked, [(1, 90)])
        self.assertEqual(resumed.variables.digest(), whole.variables.digest())


if __name__ == "__main__":
    unittest.main()
