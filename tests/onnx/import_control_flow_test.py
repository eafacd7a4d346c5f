"""Tests imported If, Loop and Scan.

    python import_control_flow_test.py PERCALE
"""
from onnx_writer import *
from written_model import WrittenModel, main, run


class ControlFlow(WrittenModel):
    def test_branches_see_the_values_around(self):
        deep = Graph([node("Mul", ["x", "k"], ["p"])], outputs=[value("p", FLOAT, [2])])
        deeper = Graph([node("Identity", ["x"], ["q"])], outputs=[value("q", FLOAT, [2])])
        then = Graph([node("If", ["c"], ["r"], then_branch=deep, else_branch=deeper)], outputs=[value("r", FLOAT, [2])])
        other = Graph([node("Neg", ["x"], ["s"])], outputs=[value("s", FLOAT, [2])])
        graph = Graph([node("If", ["c"], ["y"], then_branch=then, else_branch=other)],
                      [value("c", BOOL), value("x", FLOAT, [2])], [value("y", FLOAT, [2])], [floats("k", [2], [3, 4])])
        self.gives(model(graph), [tensor("", BOOL, [], b"\1"), floats("", [2], [1, 2])], [floats("", [2], [3, 8])])

    def test_loops_carry_and_stack(self):
        body = Graph([node("Add", ["sum", "step"], ["next"]), node("Identity", ["cond"], ["go"]), node("Mul", ["next", "next"], ["sq"])],
                     [value("i", INT64), value("cond", BOOL), value("sum", FLOAT)],
                     [value("go", BOOL), value("next", FLOAT), value("sq", FLOAT)])
        graph = Graph([node("Loop", ["n", "", "zero"], ["last", "squares"], body=body)],
                      [value("n", INT64), value("step", FLOAT)], [value("last", FLOAT), value("squares", FLOAT, ["k"])],
                      [floats("zero", [], [0])])
        self.gives(model(graph), [ints("", [], [3]), floats("", [], [2])], [floats("", [], [6]), floats("", [3], [4, 16, 36])])

    def test_scans_carry_stack_and_see_the_values_around(self):
        body = Graph([node("Add", ["sum", "a"], ["next"]), node("Sub", ["a", "b"], ["apart"]), node("Mul", ["apart", "k"], ["scaled"])],
                     [value("sum", FLOAT, [2]), value("a", FLOAT, [2]), value("b", FLOAT, [2])],
                     [value("next", FLOAT, [2]), value("next", FLOAT, [2]), value("scaled", FLOAT, [2])])
        graph = Graph([node("Scan", ["zero", "x", "z"], ["last", "sums", "parts"], body=body, num_scan_inputs=2, scan_input_axes=[0, -1],
                            scan_input_directions=[0, 1], scan_output_axes=[1, 0], scan_output_directions=[0, 1])],
                      [value("zero", FLOAT, [2]), value("x", FLOAT, ["n", 2]), value("z", FLOAT, [2, "n"]), value("k", FLOAT, [2])],
                      [value("last", FLOAT, [2]), value("sums", FLOAT, [2, "n"]), value("parts", FLOAT, ["n", 2])])
        # Rows of x, and columns of z from the last one backwards
        x, z = [1, 2, 3, 4, 5, 6], [10, 20, 30, 40, 50, 60]
        self.gives(model(graph), [floats("", [2], [0, 0]), floats("", [3, 2], x), floats("", [2, 3], z), floats("", [2], [1, 2])],
                   [floats("", [2], [9, 12]), floats("", [2, 3], [1, 4, 9, 2, 6, 12]), floats("", [3, 2], [-5, -68, -17, -92, -29, -116])])

    def test_scans_that_cannot_be_are_refused(self):
        def refused(message, opset=11, **attributes):
            body = Graph([node("Identity", ["a"], ["b"])], [value("a", FLOAT)], [value("b", FLOAT)])
            graph = Graph([node("Scan", ["x"], ["y"], body=body, **attributes)], [value("x", FLOAT, [3])], [value("y", FLOAT, [3])])
            with open(self.model, "wb") as out:
                out.write(model(graph, opset))
            self.assertIn(message, run("check", self.model).stdout)
        refused("num_scan_inputs is out of range: 0")
        refused("num_scan_inputs is out of range: 2", num_scan_inputs=2)
        refused("axis 1 of an input of rank 1", num_scan_inputs=1, scan_input_axes=[1])
        refused("scan_output_axes has 2 entries, wanted 1", num_scan_inputs=1, scan_output_axes=[0, 0])
        refused("out of range", num_scan_inputs=1, scan_output_axes=[1])
        refused("scans batches", 8, num_scan_inputs=1)


if __name__ == "__main__":
    main()
