"""Prints a few small cases of each op for the op tables, whose own test checks their gradients
against differences, also with only the ranks known."""
import json
import math

from reference.case import cases, optimizers


def print_rows():
    count = {}
    LINEAR = {"percale:ConvGradInput": [0, 1], "percale:ConvGradWeight": [0, 1], "percale:MaxPoolGrad": [0],
              "percale:AveragePoolGrad": [0]}
    for c in cases:
        size = sum(math.prod(t[1]) for t in c["inputs"] + c["outputs"])
        explicit = "output_shape" not in c["attributes"] and size > 0
        if size > 250 or not explicit or count.get(c["op"], 0) >= 5:
            continue
        count[c["op"]] = count.get(c["op"], 0) + 1
        form = lambda t: {"d": t[0], "s": t[1], "v": t[2]}
        grad = [i for i, g in enumerate(c["grads"]) if g is not None] or LINEAR.get(c["op"], [])
        if any(s is None and y is not None and y[0] == "f64" for s, y in zip(c["seeds"], c["outputs"])):
            grad = []  # an output has no gradient
        row = {"op": c["op"], "attrs": c["attributes"], "in": [form(t) for t in c["inputs"]],
               "out": [form(t) for t in c["outputs"]], "tol": 1e-8}
        if grad:
            row["grad"] = grad
            row["grad2"] = c["op"] in ("MatMul", "Gemm", "percale:BatchMatMul", "Conv", "ConvTranspose", "AveragePool",
                                       "MaxPool", "GlobalAveragePool", "Softmax", "LogSoftmax")
        print(json.dumps(row, separators=(",", ":")))
    for o in optimizers:
        if o["op"] in count:
            continue
        count[o["op"]] = 1
        zeros = {"d": "f64", "s": o["param"][1], "v": [0] * len(o["param"][2])}
        inputs = [form(o["param"]), form(o["grads"][0])] + [zeros] * o["slots"]
        if o["op"] == "percale:ApplyRMSProp":
            inputs.append(None)
        inputs.append({"d": "f64", "s": [], "v": [o["learning_rate"]]})
        if "Adam" in o["op"] or "LAMB" in o["op"]:
            inputs.append({"d": "i64", "s": [], "v": [1]})
        print(json.dumps({"op": o["op"], "attrs": o["attributes"], "in": inputs,
                          "out": [form(o["params"][0])] + [None] * o["slots"], "tol": 1e-8}, separators=(",", ":")))
