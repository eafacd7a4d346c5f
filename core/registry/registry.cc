#include "core/registry/registry.h"

#include <algorithm>

#include "core/base/similar_name.h"

namespace percale {
namespace {

std::string full_name(std::string_view domain, std::string_view name) {
  return domain.empty() ? std::string(name) : str_cat(domain, ":", name);
}

}  // namespace

Status Registry::add_op(const OpSchema& schema) {
  auto& versions = ops_[OpKey(schema.domain, schema.name)].ascending;
  auto at = std::lower_bound(versions.begin(), versions.end(), schema.since,
                             [](const OpSchema* s, int32_t since) { return s->since < since; });
  if (at != versions.end() && (*at)->since == schema.since) {
    return Status(Code::kAlreadyExists, str_cat("op ", full_name(schema.domain, schema.name), " version ", schema.since,
                                                " is already registered"));
  }
  versions.insert(at, &schema);
  return {};
}

Status Registry::add_ops(std::span<const OpSchema> schemas, std::span<const std::string_view> absent) {
  absent_ops_.insert(absent_ops_.end(), absent.begin(), absent.end());
  for (const OpSchema& schema : schemas) PERCALE_RETURN_IF_ERROR(add_op(schema));
  return {};
}

Status Registry::add_kernel(std::string_view device_kind, const Kernel& kernel, bool first) {
  if (kernel.op == nullptr) return {};
  if (!ops_.contains(OpKey(kernel.domain, kernel.op))) {
    return not_found("kernel ", kernel.name, " names the op ", full_name(kernel.domain, kernel.op),
                     ", which is not registered");
  }
  auto& list = kernels_[std::string(device_kind)][OpKey(kernel.domain, kernel.op)];
  list.insert(first ? list.begin() : list.end(), kernel);
  return {};
}

const OpSchema* Registry::find_op(std::string_view domain, std::string_view name, int32_t max_version) const {
  const auto found = ops_.find(OpKey(domain, name));
  if (found == ops_.end()) return nullptr;
  const OpSchema* best = nullptr;
  for (const OpSchema* s : found->second.ascending) {
    if (s->since <= max_version) best = s;
  }
  if (!found->second.asked.load(std::memory_order_relaxed)) found->second.asked.store(true, std::memory_order_relaxed);
  return best;
}

Status Registry::add_upgrade(const OpUpgrade& upgrade) {
  if (upgrade.before <= 1) {
    return invalid_argument("the upgrade of ", full_name(upgrade.domain, upgrade.name), " lacks its version");
  }
  if (!upgrades_[OpKey(upgrade.domain, upgrade.name)].emplace(upgrade.before, &upgrade).second) {
    return Status(Code::kAlreadyExists, str_cat("the upgrade of ", full_name(upgrade.domain, upgrade.name), " before ",
                                                upgrade.before, " already exists"));
  }
  return {};
}

const OpUpgrade* Registry::find_upgrade(std::string_view domain, std::string_view name, int32_t version) const {
  const auto found = upgrades_.find(OpKey(domain, name));
  if (found == upgrades_.end()) return nullptr;
  const auto next = found->second.upper_bound(version);
  return next == found->second.end() ? nullptr : next->second;
}

Result<const OpSchema*> Registry::require_op(std::string_view domain, std::string_view name) const {
  if (const OpSchema* schema = find_op(domain, name)) return schema;
  if (const std::string why = absence(domain, name); !why.empty()) {
    return unimplemented("op '", full_name(domain, name), "' is ", why);
  }
  std::vector<std::string> names;
  for (const auto& [key, versions] : ops_) names.push_back(full_name(key.first, key.second));
  return not_found("no op '", full_name(domain, name), "' is registered", did_you_mean(full_name(domain, name), names));
}

std::string Registry::absence(std::string_view domain, std::string_view name) const {
  const bool ours = domain.empty() || domain == "percale";
  if (!ours || std::find(absent_ops_.begin(), absent_ops_.end(), name) == absent_ops_.end()) return "";
  return "not in this build of the library, which was made with -Dops=...: add the op there, or build without it";
}

Status Registry::check_built_ops() const {
  std::vector<std::string> names(absent_ops_.begin(), absent_ops_.end());
  for (const auto& [key, versions] : ops_) names.push_back(key.second);
  for (std::string_view rest = kOpsOfBuild; !rest.empty();) {
    const std::string name(rest.substr(0, rest.find(',')));
    rest.remove_prefix(std::min(name.size() + 1, rest.size()));
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      return not_found("this library was built with the option -Dops=..., which names '", name,
                       "': there is no such op", did_you_mean(name, names), "; correct the option and build again");
    }
  }
  return {};
}

std::vector<std::string> Registry::asked_ops() const {
  std::vector<std::string> out;
  for (const auto& [key, versions] : ops_) {
    if (versions.asked.load(std::memory_order_relaxed)) out.push_back(key.second);
  }
  return out;
}

std::vector<const OpSchema*> Registry::ops() const {
  std::vector<const OpSchema*> out;
  for (const auto& [key, versions] : ops_) {
    out.insert(out.end(), versions.ascending.begin(), versions.ascending.end());
  }
  return out;
}

const std::vector<Kernel>& Registry::kernels(std::string_view device_kind, const OpSchema& schema) const {
  static const std::vector<Kernel> kNone;
  const OpKey op(schema.domain, schema.name);
  const auto own = [&](std::string_view kind) -> const std::vector<Kernel>* {
    const auto lists = kernels_.find(kind);
    if (lists == kernels_.end()) return nullptr;
    const auto found = lists->second.find(op);
    return found == lists->second.end() ? nullptr : &found->second;
  };
  if (const auto* list = own(device_kind)) return *list;
  const auto lender = lenders_.find(device_kind);
  const auto* lent = lender == lenders_.end() ? nullptr : own(lender->second);
  return lent == nullptr ? kNone : *lent;
}

std::vector<std::string> Registry::kernel_kinds(const OpSchema& schema) const {
  std::vector<std::string> out;
  for (const auto& [kind, list] : kernels_) {
    if (list.contains(OpKey(schema.domain, schema.name))) out.push_back(kind);
  }
  return out;
}

}  // namespace percale
