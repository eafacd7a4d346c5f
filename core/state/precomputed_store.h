// Precomputed values (packed weights), shared between plans and sessions.
#ifndef PERCALE_CORE_STATE_PRECOMPUTED_STORE_H_
#define PERCALE_CORE_STATE_PRECOMPUTED_STORE_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "core/tensor/tensor.h"

namespace percale {

// Holds weak references: an entry lasts as long as a plan holds its tensor. Thread-safe.
class PrecomputedStore {
 public:
  // The value of a computation (precomputed_form()) for a version of the variables. Null if no plan
  // holds it.
  std::shared_ptr<const Tensor> find(const std::string& form, int64_t version) const {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(form);
    return found == entries_.end() || found->second.version != version ? nullptr : found->second.tensor.lock();
  }

  // Replaces the value of an older version.
  void add(const std::string& form, int64_t version, const std::shared_ptr<const Tensor>& tensor) {
    const std::lock_guard lock(mutex_);
    if (entries_.size() >= sweep_at_) {
      std::erase_if(entries_, [](const auto& entry) { return entry.second.tensor.expired(); });
      sweep_at_ = 2 * entries_.size() + 64;
    }
    Entry& entry = entries_[form];
    if (entry.version <= version || entry.tensor.expired()) entry = {version, tensor};
  }

 private:
  struct Entry {
    int64_t version = -1;
    std::weak_ptr<const Tensor> tensor;
  };

  mutable std::mutex mutex_;
  std::unordered_map<std::string, Entry> entries_;
  size_t sweep_at_ = 64;
};

}  // namespace percale

#endif  // PERCALE_CORE_STATE_PRECOMPUTED_STORE_H_
