// The table of variables: named tensors in immutable versions. Readers pin a version and never
// wait; a writer publishes the next one.
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
  // Creates a table from the declarations of a graph and one initial value each, of the declared
  // dtype and shape.
  static Result<std::shared_ptr<Variables>> create(std::vector<Variable> variables, std::vector<Tensor> values);

  // The declarations, in the order of the values. Their `initial` is dropped.
  const std::vector<Variable>& variables() const { return variables_; }
  // Returns -1 if there is no such variable.
  int32_t find(std::string_view name) const;
  std::shared_ptr<const VariablesVersion> current() const;

  // Publishes and returns the next version: the current one with these values replaced. dtypes and
  // shapes must agree. The tensors must not be written to any more. Writers are serialised; readers
  // do not wait for them.
  Result<std::shared_ptr<const VariablesVersion>> publish(const std::vector<std::pair<int32_t, Tensor>>& changes);
  // The same in two steps, for writers that must not fail once they have computed the values.
  // draft() allocates the memory of a version; publish() fills it. Preconditions: `draft` comes
  // from draft() of this table; indices, dtypes and shapes agree.
  std::shared_ptr<VariablesVersion> draft() const { return std::make_shared<VariablesVersion>(*current()); }
  std::shared_ptr<const VariablesVersion> publish(std::shared_ptr<VariablesVersion> draft,
                                                  const std::vector<std::pair<int32_t, Tensor>>& changes) noexcept;

  // Returns "sha256:" and a hash over name, dtype, shape and bytes of all variables that are not
  // slots, in the order of names.
  std::string digest() const;

  // Queues and mutexes shared by the users of this table.
  const std::shared_ptr<Resources>& resources() const { return resources_; }
  // A publisher sets this if versions follow each other as fast as runs. Plans then precompute
  // nothing from the table.
  void set_changing(bool changing) { changing_.store(changing, std::memory_order_relaxed); }
  bool changing() const { return changing_.load(std::memory_order_relaxed); }
  // Values that plans have precomputed from versions of this table.
  const std::shared_ptr<PrecomputedStore>& precomputed() const { return precomputed_; }

 private:
  Variables() = default;
  const std::shared_ptr<Resources> resources_ = std::make_shared<Resources>();
  const std::shared_ptr<PrecomputedStore> precomputed_ = std::make_shared<PrecomputedStore>();
  std::vector<Variable> variables_;
  std::unordered_map<std::string, int32_t> index_;
  std::atomic<bool> changing_{false};
  std::mutex writers_;        // held while a version is created
  mutable std::mutex mutex_;  // guards the pointer alone
  std::shared_ptr<const VariablesVersion> current_;
};

// The same digest for a list of values.
std::string digest_of(const std::vector<Variable>& variables, const std::vector<Tensor>& values);

}  // namespace percale

#endif  // PERCALE_CORE_STATE_VARIABLES_H_
