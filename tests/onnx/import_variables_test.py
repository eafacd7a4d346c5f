"""Tests the variables of imported models: tensors that a training may change, and constants.

    python import_variables_test.py PERCALE
"""
import json
import os

from onnx_writer import *
from written_model import WrittenModel, main, run


class Variables(WrittenModel):
    def test_float_initializers_are_variables_and_names_stay(self):
        graph = Graph([node("MatMul", ["x", "w"], ["h"]), node("Relu", ["h"], ["y"], name="h")],
                      [value("x", FLOAT, ["n", 2])], [value("y", FLOAT, ["n", 2])], [floats("w", [2, 2], [1, 0, 0, -1])])
        self.gives(model(graph), [floats("x", [1, 2], [3, 4])], [floats("y", [1, 2], [3, 0])])
        summary = self.summary()
        self.assertEqual([v["name"] for v in summary["variables"]], ["w"])
        self.assertEqual([v["name"] for v in summary["inputs"] + summary["outputs"]], ["x", "y"])
        self.assertEqual(summary["inputs"][0]["dims"], [-1, 2])

    def checked(self, batch_size):
        """Returns the output of `check` for a SPEC that trains the model."""
        job = os.path.join(self.path, "job.json")
        with open(job, "w", encoding="utf-8") as out:
            json.dump({"model": "model.onnx", "loss": "mse", "optimizer": "sgd", "batch_size": batch_size,
                       "data": {"train": {"x": "x.npy", "y": "y.npy"}}}, out)
        return run("check", job).stdout

    def test_weights_of_constant_nodes_stay_constants_and_a_training_says_so(self):
        weights = node("Constant", [], ["w"], value=Tensor(floats("", [2, 2], [1, 0, 0, -1])))
        graph = Graph([weights, node("MatMul", ["x", "w"], ["y"])],
                      [value("x", FLOAT, ["n", 2])], [value("y", FLOAT, ["n", 2])])
        self.gives(model(graph), [floats("x", [1, 2], [3, 4])], [floats("y", [1, 2], [3, -4])])
        self.assertEqual(self.summary()["variables"], [])
        self.assertIn("no variables that could be trained", self.checked(1))

    def test_a_training_says_how_a_fixed_batch_becomes_free(self):
        graph = Graph([node("MatMul", ["x", "w"], ["y"])], [value("x", FLOAT, [1, 2])],
                      [value("y", FLOAT, [1, 2])], [floats("w", [2, 2], [1, 0, 0, -1])])
        self.write(model(graph))
        self.assertRegex(self.checked(64), "takes batches of 1 .*percale import IN OUT --dim batch=[?]")
        self.assertTrue(self.checked(1).startswith("ok "))

    def test_numbers_in_the_rank_of_what_they_meet_are_constants(self):
        graph = Graph([node("Mul", ["x", "half"], ["h"]), node("PRelu", ["h", "slope"], ["p"]), node("Add", ["p", "bias"], ["y"])],
                      [value("x", FLOAT, [1, 2])], [value("y", FLOAT, [1, 2])],
                      [floats("half", [1, 1], [0.5]), floats("slope", [1, 1], [0.25]), floats("bias", [1], [3])])
        self.gives(model(graph), [floats("x", [1, 2], [8, -8])], [floats("y", [1, 2], [7, 2])])
        self.assertEqual([v["name"] for v in self.summary()["variables"]], ["slope", "bias"])

    def test_parameters_that_were_equal_by_chance_are_variables_of_their_own(self):
        # As PyTorch's TorchScript exporter writes a fresh network: bias and running mean are equal,
        # and scale and running variance are equal.
        graph = Graph([node("Identity", ["bias"], ["mean"]), node("Identity", ["scale"], ["var"]), node("Identity", ["scale"], ["scale2"]),
                       node("Identity", ["w"], ["tied"]),
                       node("BatchNormalization", ["x", "scale", "bias", "mean", "var"], ["n"], epsilon=0.0),
                       node("Mul", ["n", "scale2"], ["m"]), node("MatMul", ["m", "w"], ["p"]), node("MatMul", ["p", "tied"], ["y"])],
                      [value("x", FLOAT, ["n", 2])], [value("y", FLOAT, ["n", 2])],
                      [floats("bias", [2], [0, 0]), floats("scale", [2], [1, 1]), floats("w", [2, 2], [0, 1, 2, 0])])
        self.gives(model(graph), [floats("x", [1, 2], [1, 2])], [floats("y", [1, 2], [2, 4])])
        self.assertEqual({v["name"]: v["trainable"] for v in self.summary()["variables"]},
                         {"bias": True, "mean": False, "scale": True, "var": False, "scale2": True, "w": True})

    def test_a_model_in_training_form_infers(self):
        graph = Graph([node("BatchNormalization", ["x", "scale", "bias", "mean", "var"], ["n", "mean_next", "var_next"], epsilon=0.0, training_mode=1),
                       node("Constant", [], ["ratio"], value_float=0.9), node("Constant", [], ["on"], value=Tensor(tensor("", BOOL, [], b"\1"))),
                       node("Dropout", ["n", "ratio", "on"], ["y"])],
                      [value("x", FLOAT, ["n", 1])], [value("y", FLOAT, ["n", 1]), value("mean_next", FLOAT, [1])],
                      [floats("scale", [1], [3]), floats("bias", [1], [10]), floats("mean", [1], [1]), floats("var", [1], [4])])
        self.gives(model(graph), [floats("x", [2, 1], [1, 3])], [floats("", [2, 1], [10, 13]), floats("", [1], [1])])


if __name__ == "__main__":
    main()
