"""Tests of docs/tools/spec_tables.py: spec_tables_test.py FOLDER_OF_TOOLS

A key that the program has and the document lacks is an error, wherever the key stands.
"""
import copy
import sys
import unittest

LISTS = {
    "spec": [
        {"name": "epochs", "type": "int", "required": False, "default": 1, "min": 1, "doc": "Passes."},
        {"name": "mode", "type": "text", "required": True, "doc": "One of 'a' or {\"b\": \"c|d\"}."},
        {"name": "stop", "type": "object", "required": False, "default": "off", "doc": "Ends.",
         "keys": [{"name": "patience", "type": "int", "required": False, "default": 0, "min": 0, "max": 9.0, "doc": "Epochs."}]}],
    "losses": [{"name": "huber", "doc": "Linear.", "keys": [{"name": "delta", "type": "float", "required": False, "default": 1, "doc": "Where."}]},
               {"name": "mse", "doc": "Squares.", "keys": []}],
    "metrics": [{"name": "auc", "doc": "Area.", "keys": []}],
    "optimizers": [{"name": name, "doc": "Descends.",
                    "keys": [{"name": "rate", "type": "float", "required": False, "default": rate, "doc": "Speed."}]}
                   for name, rate in (("adam", 0.001), ("lion", 0.001), ("sgd", 0.01))],
    "schedules": [{"name": "constant", "doc": "Keeps.", "keys": []}],
}
PAGE = """# Page
<!-- keys of spec: epochs
     mode -->
<!-- end -->
<!-- keys of spec: stop -->
old
<!-- end -->
<!-- keys of spec.stop -->
<!-- end -->
""" + "".join(f"<!-- {mark} -->\n<!-- end -->\n" for mark in (
    "names of losses", "keys of losses", "names of metrics", "names of optimizers", "keys of optimizers", "names of schedules"))


def filled(page=PAGE, change=None):
    lists = copy.deepcopy(LISTS)
    if change:
        change(lists)
    return spec_tables.filled(page, lists)


class SpecTables(unittest.TestCase):
    def test_tables_have_types_ranges_defaults_and_meanings(self):
        text, missing = filled()
        self.assertEqual(missing, [])
        self.assertIn("| `epochs` | int, at least 1 | 1 | Passes. |\n", text)
        self.assertIn("| `mode` | text | required | One of `a` or `{\"b\": \"c\\|d\"}`. |\n", text)
        self.assertIn("| `patience` | int, 0 to 9 | 0 | Epochs. |\n", text)
        self.assertIn("| `delta` | `huber` | float | 1 | Where. |\n", text)
        self.assertIn("| `rate` | all | float | 0.001; `sgd` 0.01 | Speed. |\n", text)
        self.assertNotIn("old", text)

    def test_filling_a_page_again_changes_nothing(self):
        text, _ = filled()
        self.assertEqual(filled(text), (text, []))

    def test_a_changed_row_changes_the_page(self):
        text, _ = filled()

        def more(lists):
            lists["spec"][0]["min"] = 2
        self.assertNotEqual(filled(text, more)[0], text)

    def test_a_new_key_is_missed(self):
        def key(name):
            return {"name": name, "type": "int", "required": False, "doc": "New."}
        text, _ = filled()
        self.assertEqual(filled(text, lambda lists: lists["spec"].append(key("shards")))[1], ["shards"])
        for change in (lambda lists: lists["spec"][2]["keys"].append(key("delta")),
                       lambda lists: lists["losses"][0]["keys"].append(key("slope")),
                       lambda lists: lists["losses"].append({"name": "mae", "doc": "Absolute.", "keys": []})):
            self.assertNotEqual(filled(text, change)[0], text)

    def test_a_new_object_needs_a_table(self):
        def nested(lists):
            lists["spec"][0]["keys"] = [{"name": "n", "type": "int", "required": True, "doc": "Number."}]
        self.assertEqual(filled(change=nested)[1], ["keys of spec.epochs"])

    def test_a_key_stands_in_one_table(self):
        for page in (PAGE + "<!-- keys of spec: epochs -->\n<!-- end -->\n", PAGE + "<!-- keys of spec: apochs -->\n<!-- end -->\n"):
            with self.assertRaises(SystemExit):
                filled(page)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.path.insert(0, sys.argv[1])
    import spec_tables
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
