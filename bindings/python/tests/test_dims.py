"""Graphs with other dims of their inputs."""
import unittest

import numpy as np

import percale as pc
from percale import ops


def fixed(e):
    """Returns y = x w with x [2,2] and a variable w."""
    b = pc.Builder(e)
    w = b.variable("w", np.array([[1, 2], [3, 4]], np.float32))
    b.outputs(ops.MatMul(b, b.input("x", [2, 2]), w, name="y"))
    return b.finish()


class Dims(unittest.TestCase):
    def setUp(self):
        self.engine = pc.Engine(threads=1)
        self.graph = fixed(self.engine)

    def test_a_fixed_dim_of_a_graph_is_freed_or_set(self):
        free = self.graph.with_dims("batch=?")
        self.assertEqual(free.input_types, {"x": ("f32", (-1, 2))})
        self.assertEqual(free.output_types, {"y": ("f32", (-1, 2))})
        session = pc.Session(self.engine, free, pc.Variables.of(self.engine, free))
        y = session.run({"x": np.array([[1, 0], [0, 1], [1, 1]], np.float32)}, "y")
        self.assertEqual(y.tolist(), [[1, 2], [3, 4], [4, 6]])
        self.assertEqual(self.graph.with_dims("x:0=5").output_types, {"y": ("f32", (5, 2))})
        # The graph itself stays as it is.
        self.assertEqual(self.graph.input_types, {"x": ("f32", (2, 2))})

    def test_a_dim_that_is_not_there_or_does_not_fit_is_named(self):
        with self.assertRaisesRegex(pc.NotFound, "did you mean 'batch'"):
            self.graph.with_dims("batc=?")
        with self.assertRaisesRegex(pc.InvalidArgument, "'y'"):
            self.graph.with_dims("x:1=3")


if __name__ == "__main__":
    unittest.main()
