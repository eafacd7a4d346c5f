"""Tests check_local_names.py on sources that clash and on sources that do not."""
import unittest

from check_local_names import clashes, local_names

LAYERS = """
#include "core/draw/layers.h"
#define PERCALE_ONCE 1
namespace percale {
namespace {
// Not a name: kComment = 1;
constexpr int kSweeps = 8, kRows[] = {1, 2};
struct Row {
  int width = kSweeps;
  int height() const { return width; }
};
using Rows = std::vector<Row>;
template <class T>
std::vector<T> sorted(std::vector<T> rows) {
  const int kInner = 1;
  return rows;
}
}  // namespace
static bool fits(const Row& row) { return row.width > 0; }
Status draw(const Rows& rows) { return check(rows); }
}  // namespace percale
"""


class LocalNames(unittest.TestCase):
    def test_names_are_those_at_the_top_level_of_an_anonymous_namespace(self):
        self.assertEqual(local_names(LAYERS), {"PERCALE_ONCE", "kSweeps", "kRows", "Row", "Rows", "sorted", "fits"})

    def test_one_name_in_two_files_of_a_folder_clashes(self):
        other = "namespace {\nint sorted(int row) { return row; }\n}\n"
        found = clashes({"core/draw/layers.cc": LAYERS, "core/draw/align.cc": other})
        self.assertEqual(found, ["core/draw: 'sorted' is a local name in align.cc and layers.cc; rename one of them"])

    def test_files_of_two_folders_may_use_one_name(self):
        self.assertEqual(clashes({"core/draw/layers.cc": LAYERS, "core/plan/layers.cc": LAYERS}), [])

    def test_one_name_in_two_folders_of_a_program_clashes(self):
        found = clashes({"bindings/cli/main.cc": LAYERS, "bindings/cli/commands/run.cc": LAYERS.replace("sorted", "ordered")})
        self.assertIn("bindings/cli: 'fits' is a local name in commands/run.cc and main.cc; rename one of them", found)
        self.assertNotIn("sorted", "".join(found))


if __name__ == "__main__":
    unittest.main()
