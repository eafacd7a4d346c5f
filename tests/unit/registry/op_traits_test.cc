// Walks the registry: the traits of each op fit its schema.
#include <map>

#include "tests/unit/graph_util.h"

namespace percale {
namespace {

bool has_traits(const OpTraits& t) {
  return t.role != Role::kNone || t.bf16.kind != Bf16Rule::Kind::kNone || t.fusion.kind != FusionRule::Kind::kNone ||
         t.split != SplitRule::kNone || t.flops != nullptr;
}

size_t floats_among_inputs(const OpSchema& op) {
  size_t count = 0;
  for (const InputSpec& input : op.inputs) count += input.types.contains(DType::kF32) ? 1 : 0;
  return count;
}

TEST_CASE("each role belongs to one op; only recurrent layers share one") {
  std::map<Role, std::string> owner;
  for (const OpSchema* op : all_ops()->ops()) {
    const Role role = op->traits.role;
    if (role == Role::kNone || role == Role::kRecurrent) continue;
    const auto [at, is_first] = owner.emplace(role, op_name(*op));
    CHECK_MESSAGE((is_first || at->second == op_name(*op)), op_name(*op), " has the role of ", at->second);
  }
  CHECK(owner.at(Role::kReadVariable) == "percale:ReadVariable");
  CHECK(owner.at(Role::kConv) == "Conv");
  // Every role between the first and the last is taken.
  for (int role = 1; role <= static_cast<int>(Role::kBatchNormalization); ++role) {
    if (static_cast<Role>(role) != Role::kRecurrent) CHECK_MESSAGE(owner.contains(static_cast<Role>(role)), role);
  }
}

TEST_CASE("rules name inputs, outputs and makers that exist") {
  const auto registry = all_ops();
  int with_traits = 0;
  for (const OpSchema* op : registry->ops()) {
    const OpTraits& t = op->traits;
    if (!has_traits(t)) continue;
    ++with_traits;
    CAPTURE(op_name(*op));
    if (t.bf16.inputs != Bf16Rule::kAll) CHECK(t.bf16.inputs <= op->inputs.size());
    if (t.bf16.outputs != Bf16Rule::kAll) CHECK(t.bf16.outputs <= op->outputs.size());
    if (t.bf16.kind != Bf16Rule::Kind::kNone) CHECK(floats_among_inputs(*op) > 0);
    if (t.fusion.input >= 0) CHECK(static_cast<size_t>(t.fusion.input) < op->inputs.size());
    CHECK((t.fusion.input >= 0) == !t.fusion.maker.empty());
    if (t.fusion.only_training) CHECK(op->find_attribute("training_mode") != nullptr);
    if (!t.fusion.maker.empty()) {
      const size_t colon = t.fusion.maker.find(':');
      const bool has_domain = colon != std::string_view::npos;
      CHECK(registry->find_op(has_domain ? t.fusion.maker.substr(0, colon) : "",
                              has_domain ? t.fusion.maker.substr(colon + 1) : t.fusion.maker) != nullptr);
    }
  }
  CHECK(with_traits > 40);
}

TEST_CASE("the executor's own ops have a role, because it finds them by it") {
  for (const OpSchema* op : all_ops()->ops()) {
    if (op->has(kRuntime) && !op->has(kObserver)) CHECK_MESSAGE(op->traits.role != Role::kNone, op_name(*op));
  }
}

}  // namespace
}  // namespace percale
