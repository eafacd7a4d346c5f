#!/usr/bin/env python3
"""Writes reference_nn.json: values and gradients of the neural-network ops, computed by PyTorch on
a CPU in f64.

    python3 reference_nn.py > reference_nn.json        (needs torch; the tests need only the output)
    python3 reference_nn.py rows > ../data/nn.jsonl

A case is {op, attributes, inputs, outputs, seeds, grads}. The loss is the sum of all outputs, each
multiplied by its entry of `seeds`. `grads` has the gradient of the loss per input (null: not
requested). Tensors are [dtype, shape, elements]. The folder `reference` has the cases; their order
decides the numbers that are drawn.
"""
import json
import sys

from reference import case, convolutions, gradients, losses, norms, optimizers, pools, products, rows


def main():
    for part in (products, convolutions, pools, norms, losses, gradients, optimizers):
        part.add()
    if len(sys.argv) > 1 and sys.argv[1] == "rows":
        rows.print_rows()
        return
    lines = [json.dumps(c, separators=(",", ":")) for c in case.cases]
    steps = [json.dumps(o, separators=(",", ":")) for o in case.optimizers]
    sys.stdout.write('{"cases":[\n' + ",\n".join(lines) + '\n],"optimizers":[\n' + ",\n".join(steps) + "\n]}\n")


if __name__ == "__main__":
    main()
