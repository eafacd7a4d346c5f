// The registry of an engine: op schemas, upgrades and kernels. Owned by the engine, never global.
#ifndef PERCALE_CORE_REGISTRY_REGISTRY_H_
#define PERCALE_CORE_REGISTRY_REGISTRY_H_

#include <atomic>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "c_api/include/percale_plugin.h"
#include "core/base/status.h"
#include "core/registry/kernel.h"
#include "core/registry/numerics.h"
#include "core/registry/op_schema.h"
#include "core/registry/op_table.h"
#include "core/registry/upgrade.h"

namespace percale {

// Filled while the engine is created; read-only and thread-safe afterwards.
class Registry {
 public:
  // Each schema must outlive the registry. ALREADY_EXISTS for a second op with the same domain,
  // name and version.
  Status add_op(const OpSchema& schema);
  // `absent` names ops that are known but not built.
  Status add_ops(std::span<const OpSchema> schemas, std::span<const std::string_view> absent);
  template <const auto& kRows>
  Status add_ops() {
    return add_ops(kOpTable<kBuiltRows<kRows>>, kAbsentOps<kRows>);
  }
  // Each upgrade must outlive the registry. ALREADY_EXISTS for a second one of the same op and
  // version.
  Status add_upgrade(const OpUpgrade& upgrade);
  template <const auto& kRows>
  Status add_upgrades() {
    for (const OpUpgrade& u : kUpgradeTable<kRows>) PERCALE_RETURN_IF_ERROR(add_upgrade(u));
    return {};
  }
  // Adds a kernel after the existing ones, or before them if `first`. Does nothing if the kernel's
  // op is not built. Built-in families register
  // the best kernel first; plug-ins go before them.
  Status add_kernel(std::string_view device_kind, const Kernel& kernel, bool first = false);
  // Lets devices of kind `to_kind` use the kernels of `from_kind` for ops that have no kernel of
  // `to_kind`.
  void lend_kernels(std::string_view from_kind, std::string_view to_kind) {
    lenders_[std::string(to_kind)] = from_kind;
  }

  // The instruction set that CPU kernels may use, such as "avx2"; "" if unset.
  void set_isa(std::string isa) { isa_ = std::move(isa); }
  const std::string& isa() const { return isa_; }
  // The promises that the kernels keep about bits.
  void set_numerics(Numerics numerics) { numerics_ = numerics; }
  Numerics numerics() const { return numerics_; }

  // Returns the newest version of an op that is not newer than `max_version`; null if there is
  // none.
  const OpSchema* find_op(std::string_view domain, std::string_view name, int32_t max_version = INT32_MAX) const;
  // Returns the newest version of an op, or NOT_FOUND with the most similar name, or UNIMPLEMENTED
  // for an op that is not built.
  Result<const OpSchema*> require_op(std::string_view domain, std::string_view name) const;
  // Returns why an op that is known but not built is missing; "" for any other.
  std::string absence(std::string_view domain, std::string_view name) const;
  // NOT_FOUND if the build option "ops" names something that is no op.
  Status check_built_ops() const;
  // Returns the names, without domains, of the ops that find_op() and require_op() have found so
  // far.
  std::vector<std::string> asked_ops() const;
  // Returns the first upgrade that a node of opset `version` needs; null if it needs none.
  const OpUpgrade* find_upgrade(std::string_view domain, std::string_view name, int32_t version) const;
  // Returns all ops, ordered by domain, name and version.
  std::vector<const OpSchema*> ops() const;
  // Returns the kernels of an op for a kind of device, best first: the kind's own, else those lent
  // to it.
  const std::vector<Kernel>& kernels(std::string_view device_kind, const OpSchema& schema) const;
  // Returns the kinds of device that have their own kernels for the op.
  std::vector<std::string> kernel_kinds(const OpSchema& schema) const;

 private:
  using OpKey = std::pair<std::string, std::string>;
  std::string isa_;
  Numerics numerics_;
  std::vector<std::string_view> absent_ops_;
  struct Versions {
    std::vector<const OpSchema*> ascending;
    mutable std::atomic<bool> asked{false};
  };
  std::map<OpKey, Versions, std::less<>> ops_;
  // The inner key is OpUpgrade::before.
  std::map<OpKey, std::map<int32_t, const OpUpgrade*>, std::less<>> upgrades_;
  std::map<std::string, std::map<OpKey, std::vector<Kernel>>, std::less<>> kernels_;
  std::map<std::string, std::string, std::less<>> lenders_;  // key: the kind that borrows
};

}  // namespace percale

#endif  // PERCALE_CORE_REGISTRY_REGISTRY_H_
