// The state table: named tensors in immutable versions. Readers pin a version and never wait; a writer publishes the next.
#ifndef PERCALE_CORE_STATE_VARIABLES_H_
#define PERCALE_CORE_STATE_VARIABLES_H_

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "core/graph/graph.h"
#include "core/state/precomputed_store.h"
#include "core/state/resources.h"
#include "core/tensor/tensor.h"

namespace percale {

// One state of the whole table. Immutable.
struct VariablesVersion {
  int64_t number = 0;
  std::vector<Tensor> values;  // in the order of the table's variables
};

// Thread-safe.
class Variables {
 public:
  // The declarations of a graph and a first value for each, of its dtype and shape.
  static Result<std::shared_ptr<Variables>> create(std::vector<Variable> variables, std::vector<Tensor> values);

  // The declarations, in the order of the values; their `initial` is not kept.
  const std::vector<Variable>& variables() const { return variables_; }
  // -1 when there is none.
  int32_t find(std::string_view name) const;
  std::shared_ptr<const VariablesVersion> current() const;

  // The next version, which is returned: the current one with these values replaced. dtypes and shapes must agree. The tensors
  // must not be written to any more. Writers come one after the other; readers do not wait for them.
  Result<std::shared_ptr<const VariablesVersion>> publish(const std::vector<std::pair<int32_t, Tensor>>& changes);
  // The same in two parts, for writers who must not fail once they have computed the values: the memory for a version, and
  // what fills it. Preconditions: `draft` comes from draft() of this table; indices, dtypes and shapes agree.
  std::shared_ptr<VariablesVersion> draft() const { return std::make_shared<VariablesVersion>(*current()); }
  std::shared_ptr<const VariablesVersion> publish(std::shared_ptr<VariablesVersion> draft,
                                                  const std::vector<std::pair<int32_t, Tensor>>& changes) noexcept;

  // "sha256:" over name, dtype, shape and bytes of all variables that are no slots, in the order of names.
  std::string digest() const;

  // The queues and mutexes that the users of this table share.
  const std::shared_ptr<Resources>& resources() const { return resources_; }
  // Whoever publishes says so when versions follow each other as fast as runs: then nobody prepares anything from them.
  void set_changing(bool changing) { changing_.store(changing, std::memory_order_relaxed); }
  bool changing() const { return changing_.load(std::memory_order_relaxed); }
  // What they have computed from its versions.
  const std::shared_ptr<PrecomputedStore>& precomputed() const { return precomputed_; }

 private:
  Variables() = default;
  const std::shared_ptr<Resources> resources_ = std::make_shared<Resources>();
  const std::shared_ptr<PrecomputedStore> precomputed_ = std::make_shared<PrecomputedStore>();
  std::vector<Variable> variables_;
  std::unordered_map<std::string, int32_t> index_;
  std::atomic<bool> changing_{false};
  std::mutex writers_;        // held while a version is made
  mutable std::mutex mutex_;  // guards the pointer alone
  std::shared_ptr<const VariablesVersion> current_;
};

// The same digest of a list of values.
std::string digest_of(const std::vector<Variable>& variables, const std::vector<Tensor>& values);

}  // namespace percale

#endif  // PERCALE_CORE_STATE_VARIABLES_H_
