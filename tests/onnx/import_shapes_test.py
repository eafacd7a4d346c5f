"""Tests the shapes of imported models: dims that are computed, guessed or measured.

    python import_shapes_test.py PERCALE
"""
import json
import os

from onnx_writer import *
from written_model import WrittenModel, main, run


class Shapes(WrittenModel):
    def test_models_whose_shapes_depend_on_values_are_measured(self):
        graph = Graph([node("NonZero", ["x"], ["where"]), node("Transpose", ["where"], ["y"], perm=[1, 0])],
                      [value("x", FLOAT, ["n", 2])], [value("y", INT64, None)])
        self.write(model(graph))
        measured = run("bench", self.model, "--feed-shape", "x=4,2", "--runs", "10", "--json")
        self.assertEqual(measured.returncode, 0, measured.stderr)
        self.assertEqual(json.loads(measured.stdout)["runs"], 10)

    def test_dims_that_were_guessed_are_told_where_they_do_not_fit(self):
        graph = Graph([node("MatMul", ["x", "w"], ["y"])], [value("x", FLOAT, ["n", "k"])], [value("y", FLOAT, ["n", 2])],
                      [floats("w", [2, 2], [1, 0, 0, -1])])
        self.write(model(graph))
        for arguments in (["bench", self.model], ["show", self.model, "--planned"], ["trace", self.model, "--out", self.path + "/t.json"]):
            failed = run(*arguments)
            self.assertEqual(failed.returncode, 1, arguments)
            self.assertIn("unknown dims were set to 1, set them with: --feed-shape x=?,?", failed.stderr)
            self.assertEqual(run(*arguments, "--feed-shape", "x=3,2").returncode, 0, arguments)

    def shape_of_output(self, nodes, dims, initializers=()):
        """Returns the dims of the only output "y" after the import of a model with the input "x".
        """
        self.write(model(Graph(nodes, [value("x", FLOAT, dims)], [value("y", FLOAT, None)], initializers)))
        summary = self.summary()
        self.assertEqual([v["name"] for v in summary["outputs"]], ["y"])
        return summary["outputs"][0]["dims"]

    def axes_two_and_three(self):
        """Returns nodes and initializers of "axes", as exporters write a range that they do not
        fold."""
        return ([node("Add", ["three", "one"], ["four"]), node("Range", ["two", "four", "one"], ["axes"])],
                [ints("one", [], [1]), ints("two", [], [2]), ints("three", [], [3])])

    def test_a_reduction_over_computed_axes_keeps_the_other_dims(self):
        axes, numbers = self.axes_two_and_three()
        mean = node("ReduceMean", ["x", "axes"], ["y"], keepdims=0)
        self.assertEqual(self.shape_of_output([*axes, mean], ["n", 3, 4, 5], numbers), [-1, 3])

    def test_an_unsqueeze_by_a_range_keeps_the_rank(self):
        axes, numbers = self.axes_two_and_three()
        self.assertEqual(self.shape_of_output([*axes, node("Unsqueeze", ["x", "axes"], ["y"])], ["n", 3], numbers), [-1, 3, 1, 1])

    def test_a_batch_that_is_viewed_as_rows_keeps_the_known_dims(self):
        # PyTorch's x.view(x.size(0), -1), exported without optimisation.
        nodes = [node("Shape", ["x"], ["shape"]), node("Gather", ["shape", "zero"], ["n"], axis=0), node("Unsqueeze", ["n", "axes"], ["row"]),
                 node("Concat", ["row", "rest"], ["wanted"], axis=0), node("Reshape", ["x", "wanted"], ["y"])]
        numbers = [ints("zero", [], [0]), ints("axes", [1], [0]), ints("rest", [1], [-1])]
        self.assertEqual(self.shape_of_output(nodes, ["n", 3, 4, 5], numbers), [-1, 60])

    def test_types_that_were_found_stay_in_the_file(self):
        shape = [node("Add", ["half", "half"], ["shape"]), node("Reshape", ["x", "shape"], ["y"])]
        self.assertEqual(self.shape_of_output(shape, [2, 3, 4], [ints("half", [2], [2, 3])]), [4, 6])
        first, second = (os.path.join(self.path, name) for name in ("first.percale", "second.percale"))
        self.assertEqual(run("import", self.model, first).returncode, 0)
        self.assertEqual(run("import", self.model, second).returncode, 0)
        self.assertEqual(json.loads(run("show", first, "--json").stdout)["outputs"][0]["dims"], [4, 6])
        with open(first, "rb") as one, open(second, "rb") as other:
            self.assertEqual(one.read(), other.read())


if __name__ == "__main__":
    main()
