// Holds versions of values on a device, so that they stay there and can be copied or reduced.
#ifndef PERCALE_CORE_ENGINE_RESIDENT_VALUES_H_
#define PERCALE_CORE_ENGINE_RESIDENT_VALUES_H_

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/engine/device_store.h"
#include "core/graph/graph.h"

namespace percale {

// Borrows copies from a DeviceStore while it lives. Must not outlive the store.
class ResidentValues {
 public:
  // Borrows one version of each key. NOT_FOUND if the device no longer has it; `variables` are
  // those of the graph, for the message.
  static Result<std::unique_ptr<const ResidentValues>> hold(DeviceStore& store, const Device& device,
                                                            std::span<const StoreKey> keys,
                                                            std::span<const int64_t> versions,
                                                            const std::vector<Variable>& variables);
  ~ResidentValues();
  ResidentValues(const ResidentValues&) = delete;
  ResidentValues& operator=(const ResidentValues&) = delete;

  // Copies each value, which must be a variable, into the tensor at the variable's place in
  // `state`.
  Status copy_to(std::vector<Tensor>& state) const;
  // Copies the value. There must be exactly one.
  Status copy_value(const Tensor& to) const;
  // The copy of key number `i`.
  DeviceStore::Copy* copy(size_t i) const { return copies_[i].second; }

 private:
  explicit ResidentValues(const Device& device) : device_(device) {}

  const Device& device_;
  std::vector<std::pair<StoreKey, DeviceStore::Copy*>> copies_;
};

// Values on a device.
struct DeviceCopies {
  const Device* device;
  std::vector<DeviceStore::Copy*> copies;
};
// Replaces each value by its sum over `all`, which have values of the same sizes on different
// devices. `dtype` is f32 or f64. UNIMPLEMENTED if the devices cannot add across devices.
Status all_reduce(std::span<const DeviceCopies> all, DType dtype);

}  // namespace percale

#endif  // PERCALE_CORE_ENGINE_RESIDENT_VALUES_H_
