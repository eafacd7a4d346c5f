"""Takes a model that classifies digits, keeps its body, and trains a new head that tells whether a
digit is odd:
fine_tune.py MODEL.percale IMAGES LABELS TEST_IMAGES TEST_LABELS

MODEL was written by mnist.py; the files are MNIST's. The body is frozen: its variables have the
same bits after the training."""
import sys

import percale as pc
from percale import ops

# --8<-- [start:tune]
SPEC = {"outputs": ["dense"], "freeze": ["conv2d*", "dense/*"], "head": [{"layer": "Dense", "name": "parity", "units": 2}],
        "loss": "sparse_categorical_crossentropy", "from_logits": True, "metrics": ["accuracy"], "optimizer": "adam"}
# --8<-- [end:tune]


def parity(engine, images, labels):
    """Returns images with the label 0 or 1 instead of the digit. Rows pass through a small graph.
    """
    digits = pc.Dataset.from_files(engine, 1 / 255, pixels=images, digit=labels)
    b = pc.Builder(engine)
    pixels, digit = (b.input(name, (-1, *row), dtype) for name, (dtype, row) in digits.types.items())
    x = ops.Reshape(b, pixels, b.constant([-1, 28, 28, 1]), name="x")
    y = ops.Mod(b, ops.Cast(b, digit, to=pc.dtypes.BY_NAME["i64"]), b.constant([2]), name="y")
    b.outputs(x, y)
    return digits.map(b.finish()).batch(64, shuffle=1)


engine = pc.Engine()
trainer = pc.Trainer.from_spec(engine, {"model": sys.argv[1], **SPEC})
data, test = parity(engine, *sys.argv[2:4]), parity(engine, *sys.argv[4:6])
before = trainer.variables["dense/kernel"].numpy().copy()
trainer.fit(data, 1, lambda p: print(f"step {p.step:4}  loss {p.loss:.4f}") if p.step % 100 == 0 else None)
same = (trainer.variables["dense/kernel"].numpy() == before).all()
print("the body kept its bits" if same else "the body has changed")
print("even or odd:", trainer.evaluate(test))
