#include "core/plan/prologue.h"

#include <set>
#include <string_view>

namespace percale {
namespace {

enum class From : uint8_t { kElsewhere, kConstant, kVariable, kWork };  // kWork: computed from variables

bool carries_function(const Node& node) {
  for (const auto& [name, value] : node.attributes) {
    if (value.kind() == AttrKind::kFunction) return true;
  }
  return false;
}

}  // namespace

std::vector<ValueId> prologue_values(const Function& f) {
  std::set<std::string_view> assigned;
  for (const Node& node : f.nodes) {
    if (carries_function(node)) return {};  // its body may assign whatever it likes
    if (node.op->has(kWaits)) return {};    // the run may go on with a newer version
    if (node.op->has(kStateful) && node.op->name != "ReadVariable") {
      assigned.insert(node.attributes.get_string("variable"));
    }
  }
  std::vector<From> from(f.values.size(), From::kElsewhere);
  std::vector<bool> used(f.values.size(), false);
  for (size_t i = 0; i < f.values.size(); ++i) {
    if (f.values[i].kind == ValueKind::kConstant) from[i] = From::kConstant;
  }
  for (const Node& node : f.nodes) {
    From result = From::kElsewhere;
    if (node.op->name == "ReadVariable" && !assigned.contains(node.attributes.get_string("variable"))) {
      result = From::kVariable;
    } else if (node.op->has(kPure) && !node.op->has(kRandom) && !node.op->has(kStateful)) {
      bool variable = false, elsewhere = false, work = !node.op->has(kView);
      for (ValueId id : node.inputs) {
        if (id == kNoValue) continue;
        const From source = from[static_cast<size_t>(id)];
        variable = variable || source == From::kVariable || source == From::kWork;
        work = work || source == From::kWork;
        elsewhere = elsewhere || source == From::kElsewhere;
      }
      if (variable && !elsewhere) result = work ? From::kWork : From::kVariable;
    }
    for (ValueId id : node.outputs) {
      if (id != kNoValue) from[static_cast<size_t>(id)] = result;
    }
    if (result != From::kElsewhere) continue;
    for (ValueId id : node.inputs) {
      if (id != kNoValue) used[static_cast<size_t>(id)] = true;
    }
  }
  for (ValueId id : f.outputs) used[static_cast<size_t>(id)] = true;
  std::vector<ValueId> out;
  for (size_t i = 0; i < f.values.size(); ++i) {
    if (used[i] && from[i] == From::kWork && f.values[i].type.shape.is_static()) out.push_back(static_cast<ValueId>(i));
  }
  return out;
}

}  // namespace percale
