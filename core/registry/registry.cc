#include "core/registry/registry.h"

#include <algorithm>
#include <numeric>

namespace percale {
namespace {

std::string full_name(std::string_view domain, std::string_view name) {
  return domain.empty() ? std::string(name) : str_cat(domain, ":", name);
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j] + 1, diagonal + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  std::string best;
  size_t best_distance = std::max<size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const size_t distance = edit_distance(name.substr(0, 256), candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr size_t kMost = 24;
  if (const std::string nearest = nearest_name(name, candidates); !nearest.empty()) {
    return str_cat(", did you mean '", nearest, "'?");
  }
  std::string out;
  for (const std::string& candidate : candidates) {
    if (candidates.size() <= kMost) out += str_cat(out.empty() ? "; there are " : ", ", candidate);
  }
  return out;
}

Status Registry::add_op(const OpSchema& schema) {
  auto& versions = ops_[OpKey(schema.domain, schema.name)];
  auto at = std::lower_bound(versions.begin(), versions.end(), schema.since,
                             [](const OpSchema* s, int32_t since) { return s->since < since; });
  if (at != versions.end() && (*at)->since == schema.since) {
    return Status(Code::kAlreadyExists,
                  str_cat("op ", full_name(schema.domain, schema.name), " version ", schema.since, " is registered"));
  }
  versions.insert(at, &schema);
  return {};
}

Status Registry::add_kernel(std::string_view device_kind, const Kernel& kernel, bool first) {
  if (find_op(kernel.domain, kernel.op) == nullptr) {
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
  for (const OpSchema* s : found->second) {
    if (s->since <= max_version) best = s;
  }
  return best;
}

Status Registry::add_upgrade(const OpUpgrade& upgrade) {
  if (upgrade.upgrade == nullptr || upgrade.before <= 1) {
    return invalid_argument("the upgrade of ", full_name(upgrade.domain, upgrade.name),
                            " lacks its function or version");
  }
  if (!upgrades_[OpKey(upgrade.domain, upgrade.name)].emplace(upgrade.before, &upgrade).second) {
    return Status(Code::kAlreadyExists, str_cat("the upgrade of ", full_name(upgrade.domain, upgrade.name), " before ",
                                                upgrade.before, " exists"));
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
  std::vector<std::string> names;
  for (const auto& [key, versions] : ops_) names.push_back(full_name(key.first, key.second));
  const std::string near = nearest_name(full_name(domain, name), names);
  return not_found("no op '", full_name(domain, name), "' is registered",
                   near.empty() ? std::string() : str_cat("; the nearest is '", near, "'"));
}

std::vector<const OpSchema*> Registry::ops() const {
  std::vector<const OpSchema*> out;
  for (const auto& [key, versions] : ops_) out.insert(out.end(), versions.begin(), versions.end());
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
