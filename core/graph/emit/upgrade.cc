#include "core/graph/emit/upgrade.h"

namespace percale {
namespace {

struct OpKey {
  explicit OpKey(std::string_view op) {
    const size_t colon = op.find(':');
    domain = colon == std::string_view::npos ? std::string_view() : op.substr(0, colon);
    name = colon == std::string_view::npos ? op : op.substr(colon + 1);
  }
  std::string_view domain, name;
};

}  // namespace

int64_t UpgradeContext::take_int(std::string_view attribute, int64_t fallback) {
  const int64_t value = attributes.get_int(attribute, fallback);
  attributes.erase(attribute);
  return value;
}

double UpgradeContext::take_float(std::string_view attribute, double fallback) {
  const double value = attributes.get_float(attribute, fallback);
  attributes.erase(attribute);
  return value;
}

std::vector<int64_t> UpgradeContext::take_ints(std::string_view attribute) {
  std::vector<int64_t> value = attributes.get_ints(attribute);
  attributes.erase(attribute);
  return value;
}

bool knows_op(const Registry& registry, std::string_view op, int32_t version) {
  const OpKey key(op);
  if (registry.find_op(key.domain, key.name) != nullptr) return true;
  const OpUpgrade* upgrade = version > 0 ? registry.find_upgrade(key.domain, key.name, version) : nullptr;
  return upgrade != nullptr && registry.find_op(key.domain, upgrade->current()) != nullptr;
}

Result<std::vector<ValueId>> add_node_of_version(FunctionBuilder& builder, std::string_view op, int32_t version,
                                                 std::vector<ValueId> inputs, Attributes attributes, size_t num_outputs,
                                                 std::string_view name) {
  UpgradeContext context(builder, op, name, version > 0 ? version : INT32_MAX, std::move(inputs), std::move(attributes),
                         num_outputs);
  for (ValueId id : context.inputs) {
    if (id < kNoValue || id >= static_cast<ValueId>(builder.function().values.size())) {
      return context.error("input ", id, " is not a value of function '", builder.function().name, "'");
    }
  }
  const Registry& registry = builder.owner().registry();
  // Terminates because each iteration raises the version.
  for (;;) {
    const OpKey key(context.op);
    const OpUpgrade* upgrade = registry.find_upgrade(key.domain, key.name, context.version);
    if (upgrade == nullptr) break;
    if (upgrade->upgrade == nullptr) return registry.require_op(key.domain, upgrade->current()).status();
    PERCALE_RETURN_IF_ERROR(upgrade->upgrade(context));
    PERCALE_RETURN_IF_ERROR(context.status());
    if (!context.outputs().empty()) return context.outputs();
    context.version = upgrade->before;
  }
  PERCALE_ASSIGN_OR_RETURN(const NodeId node, builder.add_node(context.op, context.inputs,
                                                               std::move(context.attributes), num_outputs, name));
  return builder.function().node(node).outputs;
}

}  // namespace percale
