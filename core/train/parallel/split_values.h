// The values of a function that clone_split() cuts: the forms in which each of them exists in the
// new function.
#ifndef PERCALE_CORE_TRAIN_PARALLEL_SPLIT_VALUES_H_
#define PERCALE_CORE_TRAIN_PARALLEL_SPLIT_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/graph/builder.h"
#include "core/train/parallel/split_graph.h"

namespace percale {

// The function that clone_split() reads, the one that it appends to, and the devices of the parts.
// Borrows all that it refers to.
struct SplitContext {
  const Graph& graph;
  const Function& from;                // the old function
  const std::vector<int32_t>& stages;  // per node of `from`
  int64_t parts;                       // of each product and table
  Emitter& e;                          // appends to the new function

  const Shape& shape(ValueId v) const { return from.type(v).shape; }
  // Precondition: `node` is a node of `from`.
  int32_t stage_of(const Node& node) const { return stages[static_cast<size_t>(&node - from.nodes.data())]; }
  std::string part_name(const Node& node, int64_t part) const;
  // Returns the hint for the device of a part. `host`: for a node that reads a variable.
  std::string device(int32_t stage, int64_t part, bool host = false) const;
  // Sets the hint of the nodes added from now on.
  void place(int32_t stage, int64_t part, bool host = false) const;
  // Adds the node once per part, on the part's device, with `operands[part]`. Returns the outputs.
  std::vector<ValueId> emit_parts(const Node& node, const std::vector<std::vector<ValueId>>& operands) const;
};

// Maps the values of the old function to the new one, where a value exists whole, as parts along an
// axis, or both. A form that is missing is added when it is asked for: parts are joined, and a
// variable is read whole or in slices. After an error of the context's emitter nothing is added.
class SplitValues {
 public:
  // The forms of one value. A deferred value has neither form until one is needed.
  struct Forms {
    ValueId whole = kNoValue;
    std::vector<ValueId> parts;
    size_t axis = 0;        // along which the parts were cut
    bool deferred = false;  // a variable, perhaps reshaped, whose nodes are added when needed
  };

  // `inputs` are the inputs of the old function in the new one. `used` says which nodes of the old
  // function the values `needed` depend on. `context` must outlive the object.
  SplitValues(const SplitContext& context, const std::vector<ValueId>& inputs, const std::vector<bool>& used,
              const std::vector<ValueId>& needed);

  const SplitContext& context() const { return context_; }
  const Forms& forms(ValueId v) const { return forms_[index(v)]; }
  bool is_split(ValueId v) const { return v != kNoValue && !forms(v).parts.empty(); }

  // Defers a node that reads a variable or gives a deferred value a constant shape. Returns false
  // for any other node.
  bool defer(const Node& node);
  // Adds the node itself, with whole inputs.
  void clone(NodeId id);
  // Returns the whole form of a value, which is kNoValue for kNoValue and after an error.
  ValueId whole(ValueId v);
  // Sets the whole form of a value, and gives it the name of the old value if that is free.
  void set_whole(ValueId v, ValueId whole);
  void set_parts(ValueId v, std::vector<ValueId> parts, size_t axis);

  // Returns the variable that a value reads or reshapes, if the value is the variable's only use;
  // else null.
  const Variable* shown(ValueId v);
  // Returns the axis along which to cut the variable that a value shows, so that its parts are
  // those of the value along `axis`. Returns nothing if there is no such variable or axis.
  std::optional<size_t> variable_axis(ValueId v, size_t axis);
  // Returns the parts of a value that shows a variable; each is read where it is used.
  // Precondition: variable_axis().
  std::vector<ValueId> read_parts(ValueId v, size_t axis, SplitForm form, int32_t stage);
  // Returns the parts of any value along an axis: the existing ones, parts of a variable, or slices
  // of the whole.
  std::vector<ValueId> parts_along(ValueId v, size_t axis, SplitForm form, int32_t stage);

  // Returns the result of the split. The object is spent afterwards.
  SplitBody take();

 private:
  static size_t index(int32_t id) { return static_cast<size_t>(id); }
  bool is_view_of_variable(const Node& node) const;

  const SplitContext& context_;
  std::vector<Forms> forms_;
  std::vector<int64_t> uses_;             // per value
  std::map<std::string, int64_t> reads_;  // per variable
  std::vector<NodeId> nodes_;             // per node its copy; -1: not cloned
  std::vector<SplitParameter> parameters_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_PARALLEL_SPLIT_VALUES_H_
