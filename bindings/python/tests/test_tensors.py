"""Tensors as Python objects: read-only memory stays read-only; they can be indexed, converted,
copied and pickled.
"""
import copy
import os
import pickle
import tempfile
import unittest

import numpy as np

import percale as pc
from percale import ops

NUMPY_2_1 = np.lib.NumpyVersion(np.__version__) >= "2.1.0"


def table(e):
    b = pc.Builder(e)
    w = b.variable("w", np.arange(6, dtype=np.float32).reshape(2, 3))
    b.outputs(ops.MatMul(b, b.input("x", [-1, 2]), w, name="y"))
    return b.finish()


class Capsule:
    """An object of another library that has only the functions of DLPack."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **words):
        return self.array.__dlpack__(**words)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Before1(Capsule):
    """The same before DLPack 1.0."""

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()


class ReadOnly(unittest.TestCase):
    def refused(self, tensor):
        self.assertTrue(tensor.read_only)
        self.assertFalse(tensor.numpy().flags.writeable)
        with self.assertRaises(ValueError):
            tensor.numpy()[...] = 7
        with self.assertRaises(TypeError):
            tensor.memory()[0] = b"\x07"
        if NUMPY_2_1:
            self.assertFalse(np.from_dlpack(tensor).flags.writeable)

    def test_a_published_version_of_a_variable_cannot_be_written_to(self):
        e = pc.Engine(threads=1)
        variables = pc.Variables.of(e, table(e))
        self.refused(variables["w"])
        variables["w"] = np.ones((2, 3), np.float32)
        self.refused(variables["w"])
        own = variables["w"].numpy().copy()
        own[0, 0] = 7
        self.assertEqual(variables["w"].numpy()[0, 0], 1)

    def test_mapped_weights_cannot_be_written_to(self):
        e = pc.Engine(threads=1)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.percale")
            table(e).save(path)
            graph = pc.Graph.load(e, path)
            self.refused(pc.Variables.of(e, graph)["w"])

    def test_arrays_that_come_in_read_only_stay_so(self):
        for array in (np.frombuffer(bytes(16), np.float32), np.broadcast_to(np.float32(1), ())):
            self.refused(pc.Tensor.of(array))
        self.assertFalse(pc.Tensor.of(np.zeros(4)).read_only)
        if NUMPY_2_1:
            array = np.zeros(4, np.float32)
            array.flags.writeable = False
            self.refused(pc.Tensor.of(Capsule(array)))
            self.assertFalse(pc.Tensor.of(Capsule(np.zeros(4))).read_only)

    def test_what_a_run_gives_is_the_callers_own(self):
        e = pc.Engine(threads=1)
        graph = table(e)
        variables = pc.Variables.of(e, graph)
        x = np.eye(2, dtype=np.float32)
        x.flags.writeable = False
        got = pc.Session(e, graph, variables).run({"x": x}, ["y", "x", "w"])
        for tensor in got.values():
            tensor.numpy()[...] = 9
        self.assertTrue((variables["w"].numpy() == np.arange(6).reshape(2, 3)).all())
        self.assertTrue((x == np.eye(2)).all())


class Values(unittest.TestCase):
    def test_they_have_a_length_elements_and_numbers(self):
        tensor = pc.Tensor.of([[1, 2], [3, 4], [5, 6]])
        self.assertEqual((len(tensor), tensor.tolist()), (3, [[1, 2], [3, 4], [5, 6]]))
        self.assertEqual((tensor[1, 0], tensor[-1].tolist(), tensor[:, 1].tolist()), (3, [5, 6], [2, 4, 6]))
        self.assertEqual([row.tolist() for row in tensor], tensor.tolist())
        tensor[0][1] = 8  # a view
        self.assertEqual(tensor[0, 1], 8)
        number = pc.Tensor.of(2.5)
        self.assertEqual((float(number), int(number), bool(number), number.tolist()), (2.5, 2, True, 2.5))
        with self.assertRaisesRegex(TypeError, "no length"):
            len(number)
        with self.assertRaises(ValueError):
            float(tensor)

    def test_they_pickle_and_copy(self):
        for array in (np.arange(6, dtype=np.int16).reshape(2, 3), np.array(True), np.zeros((0, 3), np.complex64)):
            tensor = pc.Tensor.of(array)
            for other in (pickle.loads(pickle.dumps(tensor)), copy.deepcopy(tensor), copy.copy(tensor)):
                self.assertEqual((other.dtype, other.shape, other.tolist()), (tensor.dtype, tensor.shape, array.tolist()))
        tensor = pc.Tensor.of(np.zeros(3))
        copy.copy(tensor).numpy()[0] = 1
        copy.deepcopy(tensor).numpy()[1] = 1
        self.assertEqual(tensor.tolist(), [1, 0, 0])
        e = pc.Engine(threads=1)
        half = pc.Tensor.zeros(e, (2, 2), "bf16")  # numpy itself has no bf16
        self.assertEqual(bytes(pickle.loads(pickle.dumps(half)).memory()), bytes(8))

    def test_an_engine_cannot_be_pickled(self):
        with self.assertRaisesRegex(TypeError, "Engine objects cannot be pickled"):
            pickle.dumps(pc.Engine(threads=1))

    def test_strided_tensors_of_other_libraries_are_copied_as_arrays_are(self):
        array = np.arange(12, dtype=np.float32).reshape(3, 4)
        kinds = [Capsule, Before1] if NUMPY_2_1 else [Before1]
        for other in kinds:
            for view in (array, array.T, array[:, ::2], array[::-1], array[1:2, 1:], np.zeros((0, 3), np.float32)):
                self.assertEqual(pc.Tensor.of(other(view)).tolist(), view.tolist())


if __name__ == "__main__":
    unittest.main()
