"""Graphs and variables can be pickled, for other processes and for other engines."""
import copy
import multiprocessing
import pickle
import unittest

import numpy as np

import percale as pc
import support

X = np.arange(4, dtype=np.float32).reshape(2, 2)


def run(graph, variables):
    """Returns the output of support.affine() on an engine of its own."""
    return pc.Session(pc.Engine(threads=1), graph, variables).run({"x": X}, "y").numpy()


class Pickling(unittest.TestCase):
    def setUp(self):
        self.engine = support.engine()
        self.graph = support.affine(self.engine)
        self.variables = pc.Variables.of(self.engine, self.graph)
        self.variables["w"] = np.full((2, 3), 0.5, np.float32)

    def test_a_graph_and_its_variables_keep_their_bits(self):
        graph, variables = pickle.loads(pickle.dumps((self.graph, self.variables)))
        self.assertEqual(graph.to_bytes(), self.graph.to_bytes())
        self.assertEqual(variables.digest(), self.variables.digest())
        np.testing.assert_array_equal(run(graph, variables), run(self.graph, self.variables))

    def test_another_process_runs_them(self):
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            there = pool.apply(run, (self.graph, self.variables))
        np.testing.assert_array_equal(there, run(self.graph, self.variables))

    def test_a_copy_of_variables_is_a_table_of_its_own(self):
        for other in (copy.copy(self.variables), copy.deepcopy(self.variables)):
            self.assertEqual(other.digest(), self.variables.digest())
            other["w"] = np.zeros((2, 3), np.float32)
            self.assertEqual(self.variables["w"][0, 0], 0.5)

    def test_a_copy_of_a_graph_is_the_graph(self):
        self.assertIs(copy.copy(self.graph), self.graph)
        self.assertIs(copy.deepcopy(self.graph), self.graph)

    def test_trained_variables_keep_their_values(self):
        model = support.KerasCase().keras_model(engine=self.engine)
        x, y = support.KerasCase().data()
        model.fit(x, y, epochs=1, verbose=0)
        graph, variables = pickle.loads(pickle.dumps((model.graph, model.variables)))
        self.assertEqual(variables.digest(), model.variables.digest())
        again = pc.Session(pc.Engine(threads=1), graph, variables)
        feed, fetch = {graph.inputs[0]: x}, graph.outputs[0]
        np.testing.assert_array_equal(again.run(feed, fetch).numpy(),
                                      pc.Session(self.engine, model.graph, model.variables).run(feed, fetch).numpy())

    def test_unpickling_takes_the_engine_that_it_names(self):
        packed = pickle.dumps(self.graph)
        with pc.Engine(threads=1, memory_limit=1) as small, pc.unpickling(small):
            with self.assertRaises(pc.ResourceExhausted):
                pickle.loads(packed)
        self.assertEqual(pickle.loads(packed).to_bytes(), self.graph.to_bytes())


if __name__ == "__main__":
    unittest.main()
