// Binds the runs of a plan to variables and resident values. Part of the plan's key.
#ifndef PERCALE_CORE_COMPILE_RUN_BINDING_H_
#define PERCALE_CORE_COMPILE_RUN_BINDING_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/device_store.h"

namespace percale {

// The feeds and fetches of a plan that may stay on a device between runs. Only a device with memory
// of its own keeps values.
struct ResidentSlots {
  // Per feed, or empty. A defined key must be of a resident value. The tensor of such a feed may be
  // undefined in a run if its device has the value.
  std::vector<StoreKey> feeds = {};
  // Per fetch, or empty: the key under which the device that computes the fetch keeps it. The key
  // of a variable means its next value; the device may need memory for both values.
  std::vector<StoreKey> fetches = {};
  // Fetches that a device keeps are not copied to the host; their outputs stay undefined.
  bool keep_on_device = false;
  // Per fetch, or empty. True: the next value of a variable takes the memory of the present one, if
  // the op that computes it can do so, and is kept on the device alone. The run must be the only
  // one that reads the variable.
  std::vector<bool> in_place = {};
};

// Only valid combinations can be made.
class RunBinding {
 public:
  // As shared() without resident values.
  RunBinding() = default;

  // Many runs read each version of the variables. Values that depend on variables alone are
  // precomputed once per version.
  static RunBinding shared(ResidentSlots slots = {}) { return RunBinding(Variables::kShared, std::move(slots)); }
  // Nearly every run reads other contents, so nothing is precomputed from them.
  static RunBinding changing(ResidentSlots slots = {}) { return RunBinding(Variables::kChanging, std::move(slots)); }
  // As changing(), but slices of variables are precomputed, because the shards of a step read the
  // same contents.
  static RunBinding changing_with_slices() { return RunBinding(Variables::kChangingSliced, {}); }
  // The caller passes the variables (RunValues::of_caller()) and is the only one to use them during
  // the run. Assignments write into them.
  static RunBinding exclusive() { return RunBinding(Variables::kExclusive, {}); }

  bool is_exclusive() const { return variables_ == Variables::kExclusive; }
  bool precomputes_variables() const { return variables_ == Variables::kShared; }
  bool precomputes_slices() const { return variables_ == Variables::kChangingSliced; }
  const ResidentSlots& slots() const { return slots_; }
  // The key of a feed; undefined if it is a value of the host.
  StoreKey feed_key(size_t feed) const { return feed < slots_.feeds.size() ? slots_.feeds[feed] : StoreKey{}; }

  // The same for a graph whose variables turn out to change in nearly every run.
  RunBinding as_changing() const;
  // The binding of what runs inside a run: bodies of control nodes, the rest of a function.
  RunBinding for_inner_function() const { return RunBinding(variables_, {}); }
  // Equal texts mean equal bindings.
  std::string key() const;

 private:
  enum class Variables : uint8_t { kShared, kChanging, kChangingSliced, kExclusive };
  RunBinding(Variables variables, ResidentSlots slots) : variables_(variables), slots_(std::move(slots)) {}

  Variables variables_ = Variables::kShared;
  ResidentSlots slots_;
};

}  // namespace percale

#endif  // PERCALE_CORE_COMPILE_RUN_BINDING_H_
