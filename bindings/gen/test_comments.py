"""The comments of the generated files keep to the style of all comments."""
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "tests" / "format")]

import check_style  # noqa: E402
import emit_cpp  # noqa: E402
import emit_go  # noqa: E402
import emit_java  # noqa: E402
import emit_python  # noqa: E402
import emit_rust  # noqa: E402
import generate  # noqa: E402
import op_model  # noqa: E402

# An op whose comments are long in every place that has one.
LONG = {
    "name": "Op" + "L" * 30, "domain": "", "since": 1, "gradient": "none",
    "doc": " ".join(f"The value of part {i} is x - y, and x - 1 - z." for i in range(9)),
    "inputs": [{"name": "x", "variadic": False, "optional": False, "index": False, "types": ["complex128"] * 13},
               {"name": "y", "variadic": False, "optional": True, "index": False, "types": ["f32"]}],
    "attributes": [{"name": "long_" + "a" * 50, "kind": "float", "required": False, "default": 0.123456789, "min": 0.001,
                    "max": 12345.678},
                   {"name": "axis", "kind": "int", "required": True}],
    "outputs": [{"name": "z", "variadic": False, "optional": False}, {"name": "more", "variadic": False, "optional": True}],
}


class Comments(unittest.TestCase):
    def keep_to_the_style(self, files):
        for path, text in files.items():
            self.assertEqual(check_style.check(path, text), [])

    def test_of_raw_layers_end_at_column_100(self):
        self.keep_to_the_style(generate.wanted(None, []))

    def test_of_ops_end_at_column_100(self):
        for emitter in (emit_cpp, emit_go, emit_java, emit_python, emit_rust):
            self.keep_to_the_style(emitter.ops([LONG]))

    def test_never_continue_with_an_operator(self):
        for width in range(60):
            lines = op_model.wrap("x" * width, LONG["doc"])
            self.assertEqual([line for line in lines if line[width:].startswith("- ")], [])


if __name__ == "__main__":
    unittest.main()
