// What an engine knows: op schemas, kernels, devices. An object owned by the engine, never a global.
#ifndef PERCALE_CORE_REGISTRY_REGISTRY_H_
#define PERCALE_CORE_REGISTRY_REGISTRY_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "c_api/include/percale_plugin.h"
#include "core/base/status.h"
#include "core/registry/kernel.h"
#include "core/registry/op_schema.h"
#include "core/registry/upgrade.h"

namespace percale {

// Filled while the engine is created, read-only and thread-safe afterwards.
class Registry {
 public:
  // `schema` must outlive the registry. ALREADY_EXISTS for a second op of that domain, name and version.
  Status add_op(const OpSchema& schema);
  template <size_t N>
  Status add_ops(const OpSchema (&schemas)[N]) {
    for (const OpSchema& s : schemas) PERCALE_RETURN_IF_ERROR(add_op(s));
    return {};
  }
  // Each must outlive the registry. ALREADY_EXISTS for a second one of that op and version.
  Status add_upgrade(const OpUpgrade& upgrade);
  template <size_t N>
  Status add_upgrades(const OpUpgrade (&upgrades)[N]) {
    for (const OpUpgrade& u : upgrades) PERCALE_RETURN_IF_ERROR(add_upgrade(u));
    return {};
  }
  // Puts a kernel behind those that are there (our own families register best first), or before them (plug-ins).
  Status add_kernel(std::string_view device_kind, const Kernel& kernel, bool first = false);
  // Kernels of one kind of device serve another kind too, for ops that have none of its own.
  void lend_kernels(std::string_view from_kind, std::string_view to_kind) {
    lenders_[std::string(to_kind)] = from_kind;
  }

  // The instruction set that CPU kernels may use: "avx2"; "" when nobody has said.
  void set_isa(std::string isa) { isa_ = std::move(isa); }
  const std::string& isa() const { return isa_; }

  // The newest version of an op not after `max_version`; null when there is none.
  const OpSchema* find_op(std::string_view domain, std::string_view name, int32_t max_version = INT32_MAX) const;
  // The same, or NOT_FOUND with the nearest name.
  Result<const OpSchema*> require_op(std::string_view domain, std::string_view name) const;
  // What a node of an op needs first when opset `version` says what it means; null: nothing.
  const OpUpgrade* find_upgrade(std::string_view domain, std::string_view name, int32_t version) const;
  // All ops in the order of domain, name, version.
  std::vector<const OpSchema*> ops() const;
  // Kernels for an op on a kind of device, best first: its own, else those that were lent to it.
  const std::vector<Kernel>& kernels(std::string_view device_kind, const OpSchema& schema) const;
  // The kinds of device that have a kernel of their own for the op.
  std::vector<std::string> kernel_kinds(const OpSchema& schema) const;

 private:
  using OpKey = std::pair<std::string, std::string>;
  std::string isa_;
  std::map<OpKey, std::vector<const OpSchema*>, std::less<>> ops_;              // versions ascending
  std::map<OpKey, std::map<int32_t, const OpUpgrade*>, std::less<>> upgrades_;  // by OpUpgrade::before
  std::map<std::string, std::map<OpKey, std::vector<Kernel>>, std::less<>> kernels_;
  std::map<std::string, std::string, std::less<>> lenders_;  // by the kind that borrows
};

}  // namespace percale

#endif  // PERCALE_CORE_REGISTRY_REGISTRY_H_
