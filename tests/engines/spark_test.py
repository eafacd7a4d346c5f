"""Trains in the executors of a real Spark, which are processes of their own.

    spark_test.py BUILD SOURCE

Skipped without pyspark; `sh subprojects/setup --engines` brings it.
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

import engine_tests

SPEC = {"model": [{"layer": "Dense", "units": 8, "activation": "relu"}, {"layer": "Dropout", "rate": 0.2}, {"layer": "Dense", "units": 3}],
        "input_shape": [5], "loss": "sparse_categorical_crossentropy", "from_logits": True, "optimizer": "adam", "shards": 4, "seed": 1}
COLUMNS = {"x": ("f32", (5,)), "y": ("i64", ())}


def rows():
    import numpy as np
    random = np.random.default_rng(3)
    x = random.random((48, 5), np.float32)
    return {"x": x, "y": (x.sum(1) > 2.5).astype(np.int64)}


def train(join=None):
    """Returns the digest of three epochs on all rows."""
    import percale as pc
    with pc.Engine(devices="cpu:0") as engine, pc.Trainer.from_spec(engine, SPEC) as trainer:
        if join:
            join(trainer)
        trainer.fit(pc.Dataset.from_tensors(engine, **rows()).batch(16, shuffle=3), 3)
        return trainer.variables.digest()


def work(rank):
    import percale.spark
    return rank, os.getpid(), train(percale.spark.join)


def work_on_networks(_rank):
    import jobs

    import percale.spark
    return [jobs.train(job, percale.spark.join, devices="cpu:0") for job in jobs.NETWORKS]


class OnSpark(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        from pyspark.sql import SparkSession
        cls.folder = tempfile.TemporaryDirectory()
        builder = SparkSession.builder.master("local-cluster[2,2,1024]").config("spark.executorEnv.PYTHONPATH", os.environ["PYTHONPATH"])
        cls.spark = builder.config("spark.ui.enabled", False).config("spark.local.dir", cls.folder.name).getOrCreate()
        cls.spark.sparkContext.setLogLevel("OFF")
        table = rows()
        cls.table = cls.spark.createDataFrame([(x.tolist(), int(y)) for x, y in zip(table["x"], table["y"])], "x array<float>, y bigint")

    @classmethod
    def tearDownClass(cls):
        cls.spark.stop()
        cls.folder.cleanup()

    def test_tasks_in_several_processes_compute_the_digest_of_one(self):
        import percale.spark
        for workers in (2, 3):
            found = percale.spark.run(self.spark, work, workers)
            self.assertEqual([rank for rank, _, _ in found], list(range(workers)))
            self.assertEqual(len({pid for _, pid, _ in found}), workers)
            self.assertEqual({digest for _, _, digest in found}, {train()})

    def test_networks_get_the_digests_of_one_process(self):
        import jobs

        import percale.spark
        wanted = [jobs.train_alone(job) for job in jobs.NETWORKS]
        print(wanted)
        for workers in (2, 3):
            self.assertEqual(percale.spark.run(self.spark, work_on_networks, workers), [wanted] * workers)

    def test_an_estimator_trains_on_the_parts_of_a_table_and_its_model_predicts(self):
        import numpy as np

        import percale as pc
        import percale.spark
        model = percale.spark.PercaleEstimator(SPEC, COLUMNS, workers=2, batch_size=8, epochs=3).fit(self.table)
        found = model.transform(self.table).collect()
        self.assertEqual(len(found), 48)
        with pc.Engine() as engine:
            graph = pc.Graph.load(engine, model.graph)
            session = pc.Session(engine, graph, pc.Variables.of(engine, graph))
            wanted = session.run({"x": np.array([row.x for row in found], np.float32)}, next(iter(graph.outputs))).numpy()
        np.testing.assert_allclose([row.prediction for row in found], wanted, rtol=1e-6)

    def test_a_stage_that_is_started_again_goes_on_with_the_same_bits(self):
        import percale.spark
        checkpoints, failed = (os.path.join(self.folder.name, name) for name in ("checkpoints", "failed"))

        def work_that_fails(rank):
            import percale as pc
            with pc.Engine(devices="cpu:0") as engine, pc.Trainer.from_spec(engine, SPEC) as trainer:
                percale.spark.join(trainer)
                if os.path.isdir(checkpoints):
                    trainer.restore(checkpoints)

                def on_step(progress):
                    if progress.epoch_ended:
                        trainer.save(checkpoints)
                    if rank == 1 and progress.step == 5 and not os.path.exists(failed):
                        open(failed, "w").close()
                        os._exit(1)

                trainer.fit(pc.Dataset.from_tensors(engine, **rows()).batch(16, shuffle=3), 3, callback=on_step)
                return trainer.variables.digest()

        self.assertEqual(set(percale.spark.run(self.spark, work_that_fails, 2)), {train()})
        self.assertTrue(os.path.exists(failed))

    def test_the_sample_learns(self):
        sample = os.path.join(os.environ["PERCALE_SOURCE"], "samples", "spark", "train.py")
        submit = os.path.join(os.path.dirname(sys.executable), "spark-submit")
        said = subprocess.run([submit, "--master", "local[4]", sample, "2"], capture_output=True, text=True)
        right = re.search(r"right: (\d+) of 2000", said.stdout)
        self.assertIsNotNone(right, said.stderr[-2000:])
        self.assertGreater(int(right[1]), 1900)

    def test_what_is_no_task_cannot_join(self):
        import percale as pc
        import percale.spark
        with pc.Engine(devices="cpu:0") as engine, pc.Trainer.from_spec(engine, SPEC) as trainer:
            with self.assertRaisesRegex(pc.FailedPrecondition, "function of percale.spark.run"):
                percale.spark.join(trainer)


if __name__ == "__main__":
    sys.exit(engine_tests.main("spark_test", "pyspark", *map(os.path.abspath, sys.argv[1:])))
