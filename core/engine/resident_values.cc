#include "core/engine/resident_values.h"

namespace percale {

Result<std::unique_ptr<const ResidentValues>> ResidentValues::hold(DeviceStore& store, const Device& device,
                                                                   std::span<const StoreKey> keys,
                                                                   std::span<const int64_t> versions,
                                                                   const std::vector<Variable>& variables) {
  std::unique_ptr<ResidentValues> out(new ResidentValues(device));
  for (size_t i = 0; i < keys.size(); ++i) {
    DeviceStore::Copy* copy = store.find(device, keys[i], {versions[i], nullptr});
    if (copy == nullptr) {
      const bool known = keys[i].kind == StoreKey::Kind::kVariable;
      return not_found(device.name(), " has no copy of ",
                       known ? variables[static_cast<size_t>(keys[i].index)].name : "a value of a run");
    }
    out->copies_.emplace_back(keys[i], copy);
  }
  return std::unique_ptr<const ResidentValues>(std::move(out));
}

ResidentValues::~ResidentValues() {
  for (const auto& [key, copy] : copies_) DeviceStore::release(copy);
}

Status ResidentValues::copy_to(std::vector<Tensor>& state) const {
  for (const auto& [key, copy] : copies_) {
    const Tensor& to = state[static_cast<size_t>(key.index)];
    if (to.bytes() == 0) continue;
    PERCALE_RETURN_IF_ERROR(copy->copy_to_host(device_, to.data(), to.bytes()));
  }
  return {};
}

Status ResidentValues::copy_value(const Tensor& to) const {
  if (to.bytes() == 0) return {};
  return copies_[0].second->copy_to_host(device_, to.data(), to.bytes());
}

Status all_reduce(std::span<const DeviceCopies> all, DType dtype) {
  const percale_device_api& api = all[0].device->api();
  std::vector<void*> devices, buffers;
  std::vector<uint64_t> counts;
  for (const DeviceCopies& part : all) {
    const Device& device = *part.device;
    if (device.api().all_reduce == nullptr || device.api().all_reduce != api.all_reduce) {
      return unimplemented(device.name(), " does not add across devices");
    }
    devices.push_back(device.handle());
    for (const DeviceStore::Copy* copy : part.copies) buffers.push_back(copy->data());
  }
  for (const DeviceStore::Copy* copy : all[0].copies) {
    counts.push_back(static_cast<uint64_t>(copy->bytes() * 8 / dtype_bits(dtype)));
  }
  return from_c(api.all_reduce(devices.data(), static_cast<uint32_t>(devices.size()), buffers.data(), counts.data(),
                               static_cast<uint32_t>(counts.size()), static_cast<percale_dtype>(dtype)))
      .with_context(all[0].device->name());
}

}  // namespace percale
