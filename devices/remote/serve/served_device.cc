#include "devices/remote/serve/served_device.h"

#include <new>

namespace percale::remote {

ServedDevice::ServedDevice(const percale_host_api& host, const percale_served_device& served)
    : host_(host), served_(served), name_(served.name) {
  if (served.options != nullptr) options_ = *served.options;
  if (served.list_operands != nullptr && api().compile != nullptr && api().execute != nullptr) return;
  throw plugin::Failure(PERCALE_INVALID_ARGUMENT, "the device " + name_ +
                                                      " cannot be served: it does not compile parts of graphs, or does "
                                                      "not list the operands of what it has compiled");
}

percale_device_description ServedDevice::describe() const {
  percale_device_description out{};
  out.struct_size = sizeof out;
  plugin::check(host_, api().describe(served_.device, &out));
  return out;
}

bool ServedDevice::is_lost() const { return api().lost != nullptr && api().lost(served_.device) != 0; }

void* ServedDevice::allocate(uint64_t bytes) const {
  void* out = nullptr;
  plugin::check(host_, api().allocate(served_.device, bytes, &out));
  return out;
}

void ServedDevice::copy_from_host(void* to, const void* from, uint64_t bytes) const {
  plugin::check(host_, api().copy_from_host(served_.device, nullptr, to, from, bytes));
}

void ServedDevice::copy_to_host(void* to, const void* from, uint64_t bytes) const {
  plugin::check(host_, api().copy_to_host(served_.device, nullptr, to, from, bytes));
}

void* ServedDevice::compile(const void* graph, uint64_t bytes) const {
  void* out = nullptr;
  plugin::check(host_, api().compile(served_.device, graph, bytes, &out));
  return out;
}

ServedDevice::Operands ServedDevice::operands(void* executable) const {
  struct Found {
    Operands operands;
    bool no_memory = false;
  } found;
  const auto add = [](void* to, int32_t is_output, uint64_t bytes) {
    auto& own = *static_cast<Found*>(to);
    try {
      (is_output != 0 ? own.operands.outputs : own.operands.inputs).push_back(bytes);
    } catch (const std::bad_alloc&) {  // must not pass through the other side
      own.no_memory = true;
    }
  };
  served_.list_operands(executable, add, &found);
  if (found.no_memory) throw std::bad_alloc();
  return std::move(found.operands);
}

void ServedDevice::execute(void* executable, void* const* inputs, void* const* outputs) const {
  plugin::check(host_, api().execute(executable, nullptr, inputs, outputs));
}

}  // namespace percale::remote
