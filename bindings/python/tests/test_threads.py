"""Several threads use one object, and Control-C hits a call. Neither ends the process, and no error
is lost.
"""
import signal
import threading
import time
import unittest

import numpy as np

import percale as pc
from percale import ops

from support import needs_transport


def busy_graph(e, size=192, layers=6):
    """Returns y = x w w w ...: some milliseconds of work."""
    b = pc.Builder(e)
    y = b.input("x", [size, size])
    w = b.variable("w", np.eye(size, dtype=np.float32))
    for _ in range(layers):
        y = y @ w
    b.rename(y, "y")
    b.outputs(y)
    return b.finish()


def busy_session(e, size=192):
    graph = busy_graph(e, size)
    return pc.Session(e, graph, pc.Variables.of(e, graph))


def trainer_of(e):
    spec = {"model": [{"layer": "Dense", "units": 256, "activation": "relu"}, {"layer": "Dense", "units": 2}],
            "input_shape": [64], "loss": "mean_squared_error", "optimizer": "sgd"}
    random = np.random.default_rng(1)
    x = random.standard_normal((4096, 64)).astype(np.float32)
    return pc.Trainer.from_spec(e, spec), pc.Dataset.from_tensors(e, x=x, y=x[:, :2]).batch(32)


def in_threads(count, work):
    """Runs work(number) in this many threads and returns the errors."""
    errors = []

    def run(number):
        try:
            work(number)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


class SharedObjects(unittest.TestCase):
    """Each case ends the process if an object is released while C uses it."""

    X = np.eye(192, dtype=np.float32)

    def end_while_used(self, make, use):
        """Closes the object of make() while three threads use it. The only error they may see is
        Closed.
        """
        for _ in range(10):
            thing, begun = make(), threading.Barrier(4)

            def work(number):
                begun.wait()
                if number == 0:
                    time.sleep(0.003)
                    thing.close()
                    return
                for _ in range(20):
                    use(thing)

            for error in in_threads(4, work):
                self.assertIsInstance(error, pc.Closed)

    def test_a_session_is_closed_while_threads_run_it(self):
        e = pc.Engine(threads=2)
        self.end_while_used(lambda: busy_session(e), lambda session: session.run({"x": self.X}, "y"))

    def test_a_tensor_is_closed_while_threads_feed_it(self):
        e = pc.Engine(threads=2)
        session = busy_session(e)
        self.end_while_used(lambda: pc.Tensor.of(self.X.copy()), lambda tensor: session.run({"x": tensor}, "y"))

    def test_an_event_is_closed_while_threads_wait_for_it(self):
        e = pc.Engine(threads=2)
        session = busy_session(e)
        self.end_while_used(lambda: session.run_async({"x": self.X}, "y"), lambda event: event.result())

    def test_a_graph_is_closed_while_threads_read_it(self):
        e = pc.Engine(threads=2)
        self.end_while_used(lambda: busy_graph(e, 4), lambda graph: (graph.inputs, graph.output_types, graph.to_bytes()))

    def test_a_call_in_four_threads_answers_one_of_them_and_refuses_the_others(self):
        call = busy_session(pc.Engine(threads=1)).prepare({"x": ("f32", (192, 192))}, "y")

        def work(_number):
            for _ in range(50):
                call(self.X)

        errors = in_threads(4, work)
        self.assertTrue(errors)
        for error in errors:
            self.assertIsInstance(error, pc.FailedPrecondition)
            self.assertIn("the call is used by another thread", str(error))
        self.assertTrue((call(self.X).numpy() == self.X).all())

    def test_a_call_is_closed_while_a_thread_runs_it(self):
        e = pc.Engine(threads=1)
        session = busy_session(e)
        for _ in range(10):
            call, ran, ended = session.prepare({"x": ("f32", (192, 192))}, "y"), threading.Event(), []

            def run(call=call, ran=ran, ended=ended):
                while True:
                    try:
                        call(self.X)
                        ran.set()
                    except pc.Error as error:
                        if "is used by another thread" not in str(error):  # the question below
                            ended.append(error)
                            return

            outputs, thread = list(call.outputs), threading.Thread(target=run)
            thread.start()
            ran.wait()
            # The next run is in progress once the call refuses another thread.
            with self.assertRaisesRegex(pc.FailedPrecondition, "the call is used by another thread"):
                while True:
                    call.variables_version
            call.close()
            thread.join()
            self.assertIsInstance(ended[0], pc.Closed)
            self.assertTrue((outputs[0].numpy() == self.X).all())
            with self.assertRaises(pc.Closed):
                call.variables_version

    def test_outputs_of_a_call_may_be_closed(self):
        call = busy_session(pc.Engine(threads=1)).prepare({"x": ("f32", (192, 192))}, "y")
        call(self.X).close()
        call(self.X)
        call.close()
        with self.assertRaisesRegex(pc.Closed, "this call is closed"):
            call(self.X)

    def test_a_second_fit_of_a_trainer_is_refused_and_the_first_goes_on(self):
        trainer, data = trainer_of(pc.Engine(threads=1))
        other = trainer_of(pc.Engine(threads=1))[1]
        running, refused = threading.Event(), []

        def second(_number):
            running.wait()
            for use in (lambda: trainer.fit(other, 1), lambda: trainer.describe(), lambda: data.batch(7)):
                try:
                    use()
                except pc.FailedPrecondition as error:
                    refused.append(str(error))

        thread = threading.Thread(target=second, args=(0,))
        thread.start()

        def first(progress):
            running.set()
            if progress.step == 2:
                thread.join()
                trainer.describe()  # the thread of fit() may use it

        trainer.fit(data, 1, first)
        self.assertEqual(trainer.steps, 128)
        self.assertEqual([text.split(";")[0] for text in refused],
                         ["the trainer is used by another thread"] * 2 + ["the dataset is used by another thread"])

    def test_a_trainer_is_closed_by_its_own_callback_and_by_another_thread(self):
        for close_here in (True, False):
            trainer, data = trainer_of(pc.Engine(threads=1))
            steps = []

            def tell(progress):
                steps.append(progress.step)
                if progress.step == 3:
                    closing = trainer.close if close_here else threading.Thread(target=trainer.close).run
                    closing()

            trainer.fit(data, 1, tell)
            self.assertEqual(len(steps), 128)
            with self.assertRaises(pc.Closed):
                trainer.steps


class ControlC(unittest.TestCase):
    def setUp(self):
        # A signal of the system's timer needs no thread that sends it; Python treats it as
        # Control-C.
        self.addCleanup(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, signal.default_int_handler))

    def interrupted(self, work, after=0.02):
        """Returns True if work() ends with KeyboardInterrupt when Control-C arrives during it."""
        # Python drops a signal that arrives while its garbage collector calls a function, so
        # another one follows.
        signal.setitimer(signal.ITIMER_REAL, after, 2)
        try:
            work()
        except KeyboardInterrupt:
            return True
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        return False

    def test_it_comes_out_of_fit_every_time(self):
        trainer, data = trainer_of(pc.Engine(threads=1))
        for callback in (None, lambda progress: True):
            for _ in range(10):
                self.assertTrue(self.interrupted(lambda: trainer.fit(data, 10**6, callback)))
        # still usable
        trainer.step(x=np.zeros((32, 64), np.float32), y=np.zeros((32, 2), np.float32))

    def test_it_comes_out_of_the_functions_that_make_rows(self):
        e = pc.Engine(threads=1)

        def row(_number):
            time.sleep(0.001)
            return {"x": 1.0}

        def read_all():
            for _ in range(10**6):
                list(pc.Dataset.from_function(e, row, 1000, x=("f32", ())).batch(100))

        for _ in range(5):
            self.assertTrue(self.interrupted(read_all))

    def test_it_comes_out_of_runs_and_waits(self):
        session = busy_session(pc.Engine(threads=2))
        x = np.eye(192, dtype=np.float32)

        def forever(use):
            def work():
                while True:
                    use()
            return work

        for use in (lambda: session.run({"x": x.copy()}, "y"), lambda: session.run_async({"x": x}, "y").result()):
            for _ in range(5):
                self.assertTrue(self.interrupted(forever(use)))
        self.assertEqual(pc.live_statuses(), 0)

    def test_it_comes_out_of_a_long_wait(self):
        event = busy_session(pc.Engine(threads=2), 2000).run_async({"x": np.eye(2000, dtype=np.float32)}, "y")
        self.assertTrue(self.interrupted(event.wait))
        event.cancel()
        with self.assertRaises(pc.Cancelled):
            event.wait()
        self.assertEqual(pc.live_statuses(), 0)

    @needs_transport
    def test_it_comes_out_of_the_wait_of_a_server(self):
        with pc.Server(pc.Engine(threads=1), "127.0.0.1:0") as server:
            for _ in range(5):
                self.assertTrue(self.interrupted(server.wait))
        self.assertEqual(pc.live_statuses(), 0)


if __name__ == "__main__":
    unittest.main()
