"""The learning rate of a trainer, set between steps and within the callback of fit()."""
import unittest

import numpy as np

import percale as pc

ONE, ZERO = np.ones((1, 1), np.float32), np.zeros((1, 1), np.float32)


def trainer_of(e, **more):
    """Trains y = w x towards 0 at x = 1.

    Each step multiplies w by 1 - 2 rate. The loss is w².
    """
    spec = {"model": [{"layer": "Dense", "units": 1, "use_bias": False}], "input_shape": [1], "loss": "mean_squared_error",
            "optimizer": {"name": "sgd", "learning_rate": 0.25}, "seed": 3, **more}
    return pc.Trainer.from_spec(e, spec)


class LearningRate(unittest.TestCase):
    def setUp(self):
        self.engine = pc.Engine(threads=1)

    def test_it_holds_from_the_next_step_on(self):
        trainer = trainer_of(self.engine)
        losses = [trainer.step(x=ONE, y=ZERO)]
        self.assertGreater(losses[0], 0)
        # The rate of the SPEC halves w in the first step.
        for rate in (0, 0.375, 0.5):
            trainer.set_learning_rate(rate)
            losses.append(trainer.step(x=ONE, y=ZERO))
        losses.append(trainer.step(x=ONE, y=ZERO))
        np.testing.assert_allclose(losses, np.array([1, 1 / 4, 1 / 4, 1 / 64, 0]) * losses[0], rtol=1e-5)

    def test_the_callback_of_fit_sets_it_and_the_schedule_applies_to_it(self):
        trainer = trainer_of(self.engine, schedule={"name": "step", "step_size": 2, "gamma": 0.5})
        data = pc.Dataset.from_tensors(self.engine, x=np.ones((6, 1), np.float32), y=np.zeros((6, 1), np.float32)).batch(1)
        rates = []

        def tell(progress):
            rates.append(progress.learning_rate)
            if progress.step == 3:
                trainer.set_learning_rate(0.0625)

        trainer.fit(data, 1, tell)
        self.assertEqual(rates, [0.25, 0.25, 0.125, 0.03125, 0.015625, 0.015625])

    def test_rates_that_are_none_are_refused_and_the_old_one_stays(self):
        trainer = trainer_of(self.engine)
        for wrong in (-1, float("nan"), float("inf")):
            with self.assertRaisesRegex(pc.InvalidArgument, "the learning rate is"):
                trainer.set_learning_rate(wrong)
        first, second = (trainer.step(x=ONE, y=ZERO) for _ in range(2))
        self.assertAlmostEqual(second, first / 4, places=6)
        trainer.close()
        with self.assertRaises(pc.Closed):
            trainer.set_learning_rate(1)

    def test_a_schedule_that_sets_the_rate_itself_refuses_it(self):
        cycle = {"name": "one_cycle", "max_learning_rate": 0.1, "total_steps": 10}
        with self.assertRaisesRegex(pc.FailedPrecondition, "max_learning_rate"):
            trainer_of(self.engine, schedule=cycle).set_learning_rate(0.1)


if __name__ == "__main__":
    unittest.main()
