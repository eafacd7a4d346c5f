"""The life of a model: train it, stop and resume, export it to ONNX, serve the file, fine-tune the
file, and run an op of a plug-in:
life.py PLUGIN.so

Writes checkpoints/ and life.onnx into the current folder."""
import sys

import numpy as np

import percale as pc

ADAM = {"name": "adam", "learning_rate": 0.02}
SPEC = {"model": [{"layer": "Dense", "name": "hidden", "units": 16, "activation": "tanh"}, {"layer": "Dense", "name": "out", "units": 1}],
        "input_shape": [2], "loss": "mse", "optimizer": ADAM, "seed": 1,
        "schedule": [{"name": "warm_up", "steps": 64}, {"name": "cosine", "decay_steps": 576}]}
EPOCHS, TUNE_EPOCHS, STOP = 20, 10, 300


def check(holds, what):
    if not holds:
        sys.exit(f"failed: {what}")


def points(engine, factor, offset):
    """Returns points (a, b) of a square, labelled with factor * ab + offset."""
    side = np.arange(32, dtype=np.float32) / 16 - 1
    a, b = (column.reshape(-1, 1) for column in np.meshgrid(side, side))
    return pc.Dataset.from_tensors(engine, x=np.hstack([a, b]), y=factor * a * b + offset).batch(32, shuffle=1)


def fit(trainer, data, epochs, stop=0):
    """Trains until the epochs are done, or until the step `stop`. Returns the loss of the first
    step and the mean loss of the last epoch."""
    losses = []

    def on_step(progress):
        losses.append((progress.loss, progress.epoch_loss))
        return progress.step != stop  # False ends the training

    trainer.fit(data, epochs, on_step)
    return losses[0][0], losses[-1][1]


def resume(engine, digest):
    """Checks that a training that stops and is resumed gives the weights of one that does not stop.
    """
    # --8<-- [start:resume]
    first = pc.Trainer.from_spec(engine, SPEC)
    fit(first, points(engine, 1, 0), EPOCHS, STOP)  # ends after step 300 of 640
    first.save("checkpoints")

    second = pc.Trainer.from_spec(engine, SPEC)  # perhaps in another process, after a crash
    second.restore("checkpoints")
    fit(second, points(engine, 1, 0), EPOCHS)
    # --8<-- [end:resume]
    check(first.steps == STOP, "the first trainer does not stop")
    check(second.variables.digest() == digest, "the digests differ")
    print("resumed: same digest")


def serve(engine):
    graph = pc.Graph.from_onnx(engine, "life.onnx")
    session = pc.Session(engine, graph, pc.Variables.of(engine, graph))
    count, worst = 0, 0.0
    for request in ([[0.3, -0.7]], [[0.5, 0.5], [-0.6, -0.2]], [[0.75, -0.75], [0.1, 0.9], [-0.25, 0.75]]):
        x = np.array(request, np.float32)
        answers = session.run({"x": x}, graph.outputs[0]).numpy()
        worst = max(worst, float(np.abs(answers[:, 0] - x[:, 0] * x[:, 1]).max()))
        count += len(answers)
    print(f"served: {count} answers, at most {worst:.4f} off")
    check(worst < 0.15, "the answers are not a * b")


def tune(engine):
    """Trains the model of the file. The layer "hidden" keeps its values."""
    # --8<-- [start:tune]
    trainer = pc.Trainer.from_spec(engine, {"model": "life.onnx", "freeze": "hidden/*", "loss": "mse", "optimizer": ADAM})
    first, last = fit(trainer, points(engine, -2, 1), TUNE_EPOCHS)
    # --8<-- [end:tune]
    print(f"tuned: loss {first:.4f} -> {last:.4f}")
    check(last < first / 10, "the loss does not fall to a tenth")


def square(plugin):
    # --8<-- [start:plugin]
    engine = pc.Engine(plugin_path=plugin)
    b = pc.Builder(engine)
    x = b.input("x", [3])
    y, = b.node("sample:Square", [x], name="y")
    b.outputs(y)
    session = pc.Session(engine, b.finish())
    found = session.run({"x": np.array([1, -2, 3], np.float32)}, "y").numpy()
    # --8<-- [end:plugin]
    print("plug-in: 1, -2, 3 squared are {:g}, {:g}, {:g}".format(*found))
    check(found.tolist() == [1, 4, 9], "the squares are wrong")


def main(plugin):
    engine = pc.Engine()
    trainer = pc.Trainer.from_spec(engine, SPEC)
    first, last = fit(trainer, points(engine, 1, 0), EPOCHS)
    print(f"trained: loss {first:.4f} -> {last:.4f}")
    check(last < 0.01, "the loss does not fall below 0.01")
    resume(engine, trainer.variables.digest())
    # --8<-- [start:export]
    trainer.model.export(engine, "life.onnx", trainer.variables)  # from "x" to the predictions
    # --8<-- [end:export]
    serve(engine)
    tune(engine)
    square(plugin)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: life.py PLUGIN.so")
    main(sys.argv[1])
