// Edits a function: replaces values, drops nodes and packs the arrays again.
#ifndef PERCALE_CORE_PASSES_EDIT_REWRITE_H_
#define PERCALE_CORE_PASSES_EDIT_REWRITE_H_

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/graph/graph.h"

namespace percale {

// Drops the unmarked nodes, and the values and constants that are then unused. The order of nodes,
// inputs and outputs stays. A node that had to wait for a dropped node inherits the control edges
// of that node. Precondition: no marked node and no output uses a value of a dropped node.
void compact(Function& f, const std::vector<bool>& keep_nodes);

// Collects replacements of values and applies them all at once. Borrows the function, whose arrays
// must not change in between.
class Rewrite {
 public:
  explicit Rewrite(Function& f);

  // Returns the value that replaces `id` after the replacements so far.
  ValueId now(ValueId id);
  // Makes all users of `from` use `to`, which must be defined before those uses. If `from` is an
  // output of the function, `to` takes over its name. Returns false and does nothing if `from` is
  // an output and `to` is an input, a constant or another output.
  bool replace(ValueId from, ValueId to);
  // Applies the replacements to the inputs of nodes and to the outputs of the function.
  void apply();

 private:
  Function& f_;
  std::vector<ValueId> instead_;
  std::vector<bool> is_output_;
};

// Hands out node names and value names that are unique within a function.
class FreeNames {
 public:
  explicit FreeNames(const Function& f);
  // Returns `wanted`, with a number appended if it is taken.
  std::string node(std::string_view wanted) { return take(nodes_, wanted); }
  std::string value(std::string_view wanted) { return take(values_, wanted); }
  // Frees the name of a node that is about to be dropped.
  void release_node(const std::string& name) { nodes_.erase(name); }

 private:
  static std::string take(std::unordered_set<std::string>& taken, std::string_view wanted);

  std::unordered_set<std::string> nodes_, values_;
};

// Marks the values that a node reads or that are outputs of the function.
std::vector<bool> used_values(const Function& f);

}  // namespace percale

#endif  // PERCALE_CORE_PASSES_EDIT_REWRITE_H_
