"""Trains a SPEC in the workers of Ray Train, and prints the metrics of the last report.

    train.py SPEC.json WORKERS [STORAGE]

The SPEC's "shards" is at least the number of workers. STORAGE: a folder that all machines see.
"""
import os
import sys

import percale as pc
import percale.ray
from ray.train import FailureConfig, RunConfig, ScalingConfig


# --8<-- [start:work]
def work(config):
    with pc.Engine() as engine, pc.Trainer.from_spec(engine, config["spec"]) as trainer:
        percale.ray.join(trainer)
        percale.ray.restore(trainer)  # after a failure, from the last report
        trainer.fit(callback=percale.ray.report_epochs(trainer))
        percale.ray.report(trainer, {"digest": trainer.variables.digest()})
# --8<-- [end:work]


def main(spec, workers, storage=None):
    # --8<-- [start:fit]
    trainer = percale.ray.PercaleTrainer(
        work, train_loop_config={"spec": os.path.abspath(spec)}, scaling_config=ScalingConfig(num_workers=int(workers)),
        run_config=RunConfig(storage_path=storage, failure_config=FailureConfig(max_failures=3)))
    print(trainer.fit().metrics)
    # --8<-- [end:fit]


if __name__ == "__main__":
    main(*sys.argv[1:])
