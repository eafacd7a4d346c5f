// Editing a function: values are replaced, nodes are dropped, the arrays are packed again.
#ifndef PERCALE_CORE_PASSES_EDIT_REWRITE_H_
#define PERCALE_CORE_PASSES_EDIT_REWRITE_H_

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/graph/graph.h"

namespace percale {

// Drops the nodes that are not marked, and the values and constants that then have no use. The order of nodes, inputs and
// outputs stays; a node that came after a dropped one comes after what that came after. Precondition: no marked node and no
// output uses a value of a dropped node.
void compact(Function& f, const std::vector<bool>& keep_nodes);

// Uses of values replaced by uses of others, collected first and carried out at once. Borrows the function, whose arrays must
// not change in between.
class Rewrite {
 public:
  explicit Rewrite(Function& f);

  // The value that stands for `id` after the replacements so far.
  ValueId now(ValueId id);
  // Who uses `from` will use `to` instead, a value defined before all those uses. An output of the function hands its name on.
  // False, with nothing done, where that cannot be: `to` is an input, a constant or an output itself.
  bool replace(ValueId from, ValueId to);
  // Node inputs and function outputs name what stands for them now.
  void apply();

 private:
  Function& f_;
  std::vector<ValueId> instead_;
  std::vector<bool> is_output_;
};

// Gives out names that no other node, or no other value, of a function has.
class FreeNames {
 public:
  explicit FreeNames(const Function& f);
  // `wanted`, or that with a number behind it.
  std::string node(std::string_view wanted) { return take(nodes_, wanted); }
  std::string value(std::string_view wanted) { return take(values_, wanted); }
  // The name of a node that goes.
  void release_node(const std::string& name) { nodes_.erase(name); }

 private:
  static std::string take(std::unordered_set<std::string>& taken, std::string_view wanted);

  std::unordered_set<std::string> nodes_, values_;
};

// Per value: whether a node takes it in, or the function gives it out.
std::vector<bool> used_values(const Function& f);

}  // namespace percale

#endif  // PERCALE_CORE_PASSES_EDIT_REWRITE_H_
