"""Trainers of a group: the ranks are threads of this process that exchange bytes by queues."""
import gc
import queue
import tempfile
import unittest
import weakref

import numpy as np

import percale as pc

from support import engine, in_threads


class Pair(pc.Collective):
    """One of two ranks. `fails` is an exception to raise in place of an exchange."""

    def __init__(self, rank, queues):
        super().__init__(rank, 2)
        self.queues, self.fails, self.timeouts, self.alone = queues, None, set(), False

    def exchange(self, tag, sends, receives, timeout):
        if self.fails is not None:
            raise self.fails
        self.timeouts.add(timeout)
        other = 1 - self.rank
        if len(sends) != 2 or len(sends[self.rank]) or len(receives[self.rank]) or not sends[other].readonly:
            raise AssertionError("the messages of a rank are not as documented")
        self.queues[other].put((tag, bytes(sends[other])))
        received = self.queues[self.rank].get(timeout=timeout)
        if received is None:
            self.alone = True
            raise ConnectionError("the other rank is gone")
        found, message = received
        if found != tag or len(message) != len(receives[other]):
            raise AssertionError("the ranks are out of step")
        receives[other][:] = message


class ReportingPair(Pair):
    """One of two ranks, the second of which may leave."""

    def lost(self):
        return [1] if self.alone else []

    def leave(self):
        self.queues[0].put(None)
        self.fails = Cut("this rank has left")


class TensorPair(Pair):
    """One of two ranks, which calls the library in its exchanges."""

    def exchange(self, tag, sends, receives, timeout):
        pc.Tensor.of(np.zeros(1, np.float32))
        super().exchange(tag, sends, receives, timeout)


class OfSize(pc.Collective):
    """A group that no trainer can join."""

    def exchange(self, tag, sends, receives, timeout):
        raise AssertionError("an exchange")


class Cut(Exception):
    pass


def trainer_of(e, **settings):
    spec = {"model": [{"layer": "Dense", "units": 8, "activation": "relu"}, {"layer": "Dense", "units": 1}], "input_shape": [1],
            "loss": "mean_squared_error", "optimizer": "adam", "shards": 2, "seed": 1}
    return pc.Trainer.from_spec(e, spec, **settings)


def line(e):
    x = np.linspace(-1, 1, 32, dtype=np.float32).reshape(32, 1)
    return pc.Dataset.from_tensors(e, x=x, y=2 * x + 1).batch(8, shuffle=3)


def as_two_ranks(work, kind=Pair):
    """Calls work(pair) in a thread per rank and returns what the ranks return, in their order."""
    queues = [queue.Queue(), queue.Queue()]
    return in_threads(*(lambda rank=rank: work(kind(rank, queues)) for rank in range(2)))


class Groups(unittest.TestCase):
    def tearDown(self):
        self.assertEqual(pc.live_statuses(), 0)

    def test_two_ranks_compute_the_bits_of_one_trainer_and_save_one_checkpoint(self):
        with tempfile.TemporaryDirectory() as folder:

            def train(pair):
                e = engine()
                trainer = trainer_of(e, collective_timeout=30)
                trainer.join(pair)
                trainer.fit(line(e), 3)
                trainer.save(folder)
                self.assertEqual(pair.timeouts, {30})
                return trainer.variables.digest()

            digests = as_two_ranks(train)
            e = engine()
            alone, resumed = trainer_of(e), trainer_of(e)
            alone.fit(line(e), 3)
            self.assertEqual(digests, [alone.variables.digest()] * 2)
            resumed.restore(folder)
            self.assertEqual(resumed.variables.digest(), digests[0])

    def test_the_exception_of_an_exchange_is_raised_by_fit(self):
        for error in (Cut("the cable is cut"), pc.DataLoss("the cable is cut"), ConnectionError("the cable is cut"), KeyboardInterrupt()):

            def train(pair):
                e = engine()
                trainer = trainer_of(e)
                trainer.join(pair)
                pair.fails = error
                with self.assertRaises(type(error)) as caught:
                    trainer.fit(line(e), 1)
                self.assertIs(caught.exception, error)
                # The group has ended. The library knows the code and the message of the exception.
                with self.assertRaisesRegex(pc.Error, f"the group has ended.*{error}") as caught:
                    trainer.fit(line(e), 1)
                self.assertEqual(trainer.steps, 0)
                return type(caught.exception)

            code = {Cut: pc.Aborted, pc.DataLoss: pc.DataLoss, ConnectionError: pc.Unavailable, KeyboardInterrupt: pc.Aborted}[type(error)]
            self.assertEqual(as_two_ranks(train), [code] * 2)

    def test_an_exception_of_one_ranks_rows_ends_fit_on_both_and_they_train_on(self):
        x = np.linspace(-1, 1, 40, dtype=np.float32).reshape(40, 1)

        def train(pair):
            def rows(epoch, first_row):
                for row in range(first_row, len(own), 5):
                    if fails and row >= 10:
                        raise torn
                    yield {"x": own[row:row + 5], "y": 2 * own[row:row + 5] + 1}

            own, torn, fails = np.split(x, [28])[pair.rank], Cut("a torn page"), pair.rank == 1
            e = engine()
            trainer = trainer_of(e, collective_data="parts", collective_timeout=30)
            trainer.join(pair)
            data = pc.Dataset.from_batches(e, rows, x=("f32", (1,)), y=("f32", (1,))).batch(8)
            with self.assertRaises(pc.Aborted if pair.rank == 0 else Cut) as caught:
                trainer.fit(data, 1)
            if pair.rank == 1:
                self.assertIs(caught.exception, torn)
            else:
                self.assertRegex(str(caught.exception), "rank 1.*Cut: a torn page")
            self.assertEqual(trainer.steps, 0)  # the next one tells if the first batch is the last
            fails = False
            trainer.fit(data, 1)
            self.assertEqual(trainer.steps, 4)  # one part has 4 batches, the other 2
            return trainer.variables.digest(), trainer.evaluate(data)["loss"]

        results = as_two_ranks(train, TensorPair)
        self.assertEqual(results[0], results[1])

    def test_training_goes_on_without_a_rank_that_is_lost_and_gives_the_same_bits(self):
        def train(pair):
            e = engine()
            trainer = trainer_of(e)
            trainer.join(pair)
            try:
                trainer.fit(line(e), 3, lambda p: pair.leave() if pair.rank == 1 and p.step == 2 else None)
            except Cut as error:
                return str(error)
            return trainer.variables.digest()

        digest, error = as_two_ranks(train, ReportingPair)
        self.assertEqual(error, "this rank has left")
        e = engine()
        alone = trainer_of(e)
        alone.fit(line(e), 3)
        self.assertEqual(digest, alone.variables.digest())

    def test_an_exception_of_join_is_raised_and_the_trainer_stays_alone(self):
        e = engine()
        trainer, pair = trainer_of(e), Pair(0, [])
        pair.fails = Cut("the cable is cut")
        with self.assertRaises(Cut):
            trainer.join(pair)
        trainer.fit(line(e), 1)
        self.assertEqual(trainer.steps, 4)

    def test_a_collective_lives_as_long_as_its_trainer(self):
        def train(pair):
            e = engine()
            trainer = trainer_of(e)
            trainer.join(pair)
            return trainer, weakref.ref(pair)

        results = as_two_ranks(train)
        trainers, pairs = [trainer for trainer, _ in results], [pair for _, pair in results]
        del results
        gc.collect()
        self.assertNotIn(None, [pair() for pair in pairs])
        trainers.clear()
        gc.collect()
        self.assertEqual([pair() for pair in pairs], [None, None])

    def test_a_group_of_no_ranks_a_rank_outside_of_the_group_and_no_group_are_refused(self):
        trainer = trainer_of(engine())
        with self.assertRaisesRegex(pc.InvalidArgument, "the group has 0 ranks"):
            trainer.join(OfSize(0, 0))
        with self.assertRaisesRegex(pc.InvalidArgument, "the rank is 2"):
            trainer.join(OfSize(2, 2))
        with self.assertRaisesRegex(TypeError, "the collective is None, wanted a percale.Collective"):
            trainer.join(None)


if __name__ == "__main__":
    unittest.main()
