"""Trains on a table of Spark, and predicts with the model.

    spark-submit train.py [WORKERS]

The executors need the package percale, pyzmq and pyarrow. WORKERS: at most the cluster's slots.
"""
import sys

import percale.spark
from pyspark.sql import SparkSession

SPEC = {"model": [{"layer": "Dense", "units": 16, "activation": "relu"}, {"layer": "Dense", "units": 2}],
        "input_shape": [2], "loss": "sparse_categorical_crossentropy", "from_logits": True, "optimizer": "adam", "seed": 1}


def main(workers=2):
    session = SparkSession.builder.getOrCreate()
    # The label tells on which side of the diagonal a point lies.
    table = session.range(2000).selectExpr("cast(array(rand(1), rand(2)) as array<float>) x").selectExpr("x", "bigint(x[0] > x[1]) y")
    # --8<-- [start:fit]
    columns = {"x": ("f32", (2,)), "y": ("i64", ())}
    model = percale.spark.PercaleEstimator(SPEC, columns, workers=workers, batch_size=32, epochs=10).fit(table)
    found = model.transform(table)
    # --8<-- [end:fit]
    print("right:", found.where("(prediction[1] > prediction[0]) = (y = 1)").count(), "of", found.count())


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
