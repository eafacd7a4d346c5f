#include "devices/remote/device/remote_device.h"

#include <algorithm>
#include <new>
#include <utility>

namespace percale::remote {
namespace {

constexpr const char* kKind = "remote";

uint64_t address_of(const void* memory) { return reinterpret_cast<uintptr_t>(memory); }

}  // namespace

RemoteDevices::RemoteDevices(const percale_host_api& host)
    : host_(host), api_(plugin::device_of<RemoteDevice>(kKind, *this)) {}

std::shared_ptr<Heart> RemoteDevices::heart() {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Heart> out = heart_.lock();
  if (out == nullptr) heart_ = out = std::make_shared<Heart>();
  return out;
}

RemoteDevice::RemoteDevice(RemoteDevices& devices, int32_t index, const percale_device_options&) : devices_(devices) {
  throw plugin::Failure(PERCALE_NOT_FOUND, "there is no device remote:" + std::to_string(index) +
                                               "; a remote device is named by its address: remote:HOST:PORT/cpu:0");
}

RemoteDevice::RemoteDevice(RemoteDevices& devices, OpenedDevice opened)
    : devices_(devices), opened_(std::move(opened)), heart_(devices.heart()) {
  const auto& facts = expect<wire::Opened>(opened_.session->welcome());
  secret_ = facts.client();
  model_ = text_of(facts.model());
  description_.kind = kKind;
  description_.model = model_.c_str();
  description_.memory_bytes = facts.memory_bytes();
  description_.gflops = facts.gflops();
  description_.gbytes_per_second = facts.gbytes_per_second();
  description_.places_nodes = facts.places_nodes() ? 1 : 0;
  heart_->add(opened_.session);
}

int32_t RemoteDevice::probe(RemoteDevices&, const char** out_reason) {
  *out_reason = "remote devices are named by their addresses";
  return 0;
}

percale_device_description RemoteDevice::describe() const { return description_; }

template <class T>
const T& RemoteDevice::expect(const Frame& answer) const {
  const std::string& name = opened_.session->name();
  if (const auto* const error = answer.as<wire::Answer>(); error != nullptr && error->code() != PERCALE_OK) {
    throw plugin::Failure(error_of(error->code()), name + ": " + text_of(error->message()));
  }
  if (const T* const out = answer.as<T>()) return *out;
  throw plugin::Failure(PERCALE_INTERNAL, name + " has answered a call by the message " + answer.name());
}

void* RemoteDevice::allocate(uint64_t bytes) {
  if (bytes == 0) throw plugin::Failure(PERCALE_INVALID_ARGUMENT, "cannot allocate 0 bytes");
  const Frame answer = opened_.session->call([&](Outlet& outlet) {
    wire::AllocateT call;
    call.bytes = bytes;
    outlet.send(std::move(call));
  });
  auto* const memory = reinterpret_cast<void*>(static_cast<uintptr_t>(expect<wire::Answer>(answer).value()));
  const std::lock_guard lock(mutex_);
  blocks_[memory] = bytes;
  used_ += bytes;
  peak_ = std::max(peak_, used_);
  return memory;
}

void RemoteDevice::free(void* memory) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(memory);
    if (found == blocks_.end()) return;
    used_ -= found->second;
    blocks_.erase(found);
  }
  wire::FreeT call;
  call.address = address_of(memory);
  try {
    opened_.session->tell(std::move(call));
  } catch (const std::bad_alloc&) {  // the process frees it when the device is closed
  }
}

void RemoteDevice::memory_stats(uint64_t* out_used, uint64_t* out_peak) const {
  const std::lock_guard lock(mutex_);
  *out_used = used_;
  *out_peak = peak_;
}

std::shared_ptr<Queue> RemoteDevice::open_queue() {
  auto out = std::make_shared<Queue>(opened_.session, devices_.checksum());
  out->open(opened_.open_stream, secret_);
  return out;
}

RemoteDevice::Stream* RemoteDevice::make_stream() { return new Stream{this, open_queue()}; }

void RemoteDevice::destroy_stream(Stream* stream) {
  stream->queue->close();
  delete stream;
}

template <class F>
void RemoteDevice::enqueue(Stream* stream, F&& f) {
  if (stream != nullptr) return f(*stream->queue);
  const std::lock_guard one_command(synchronous_);
  if (own_queue_ == nullptr) own_queue_ = open_queue();
  f(*own_queue_);
  own_queue_->synchronize();
}

void RemoteDevice::copy_from_host(Stream* stream, void* to, const void* from, uint64_t bytes) {
  enqueue(stream, [&](Queue& queue) { queue.write(address_of(to), from, bytes); });
}

void RemoteDevice::copy_to_host(Stream* stream, void* to, const void* from, uint64_t bytes) {
  enqueue(stream, [&](Queue& queue) { queue.read(to, address_of(from), bytes); });
}

RemoteDevice::Executable* RemoteDevice::compile(const void* graph, uint64_t bytes) {
  const auto* data = static_cast<const std::byte*>(graph);
  const Frame answer = opened_.session->call([&](Outlet& outlet) {
    for (uint64_t at = 0; at < bytes && outlet.wait_for_room(); at += kMaxRawBytes) {
      outlet.send(wire::UploadT(), {data + at, static_cast<size_t>(std::min<uint64_t>(kMaxRawBytes, bytes - at))});
    }
    outlet.send(wire::CompileT());
  });
  const auto& compiled = expect<wire::Compiled>(answer);
  std::unique_ptr<Executable> out(new Executable{this, compiled.executable(), compiled.inputs(), compiled.outputs()});
  if (out->inputs + out->outputs <= kMaxOperands) return out.release();
  throw plugin::Failure(PERCALE_UNIMPLEMENTED, "a part of a graph has " + std::to_string(out->inputs + out->outputs) +
                                                   " inputs and outputs, a remote device takes at most " +
                                                   std::to_string(kMaxOperands));
}

void RemoteDevice::execute(Executable& executable, Stream* stream, void* const* inputs, void* const* outputs) {
  enqueue(stream, [&](Queue& queue) {
    queue.execute(executable.number, {inputs, executable.inputs}, {outputs, executable.outputs});
  });
}

void RemoteDevice::discard(uint64_t executable) {
  wire::DiscardT call;
  call.executable = executable;
  try {
    opened_.session->tell(std::move(call));
  } catch (const std::bad_alloc&) {  // the process discards it when the device is closed
  }
}

}  // namespace percale::remote
