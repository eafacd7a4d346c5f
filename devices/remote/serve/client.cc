#include "devices/remote/serve/client.h"

#include <string>
#include <utility>

namespace percale::remote {
namespace {

// The memory of operands, which lives as long as this.
struct Pinned {
  std::vector<std::shared_ptr<void>> blocks;
  std::vector<void*> addresses;
};

Pinned pin(const ClientMemory& memory, std::span<const uint64_t> operands, const std::vector<uint64_t>& sizes,
           const char* use) {
  // Empty operands point to it, since kernels expect an address.
  alignas(ClientMemory::kAlignment) static std::byte nothing[ClientMemory::kAlignment];
  if (operands.size() != sizes.size()) {
    throw plugin::Failure(PERCALE_INVALID_ARGUMENT, "an executable gets " + std::to_string(operands.size()) +
                                                        " addresses for " + use + "s, wanted " +
                                                        std::to_string(sizes.size()));
  }
  Pinned out;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (sizes[i] == 0) {
      out.addresses.push_back(nothing);
      continue;
    }
    out.blocks.push_back(memory.find(operands[i], sizes[i], use));
    out.addresses.push_back(out.blocks.back().get());
    if (operands[i] % ClientMemory::kAlignment == 0) continue;
    throw plugin::Failure(PERCALE_INVALID_ARGUMENT, std::string(use) + " " + std::to_string(i) +
                                                        " of an executable is at address " +
                                                        std::to_string(operands[i]) + ", wanted a multiple of " +
                                                        std::to_string(ClientMemory::kAlignment));
  }
  return out;
}

}  // namespace

class Client::Executable {
 public:
  Executable(const ServedDevice& device, std::span<const std::byte> graph)
      : device_(device), handle_(device.compile(graph.data(), graph.size())) {
    try {
      operands_ = device_.operands(handle_);
    } catch (...) {
      device_.destroy(handle_);
      throw;
    }
  }
  ~Executable() { device_.destroy(handle_); }
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  const ServedDevice::Operands& operands() const { return operands_; }
  void run(void* const* inputs, void* const* outputs) const { device_.execute(handle_, inputs, outputs); }

 private:
  const ServedDevice& device_;
  void* const handle_;
  ServedDevice::Operands operands_;
};

Client::Compiled Client::compile(std::span<const std::byte> graph) {
  const auto made = std::make_shared<const Executable>(device_, graph);
  const std::lock_guard lock(mutex_);
  if (executables_.size() >= limits_.executables) {
    throw plugin::Failure(PERCALE_RESOURCE_EXHAUSTED, "this client has " + std::to_string(executables_.size()) +
                                                          " executables, and may have no more; discard some");
  }
  executables_.emplace(next_, made);
  return {next_++, made->operands().inputs.size(), made->operands().outputs.size()};
}

void Client::discard(uint64_t executable) {
  std::shared_ptr<const Executable> last;  // destroyed without the mutex
  const std::lock_guard lock(mutex_);
  const auto found = executables_.find(executable);
  if (found == executables_.end()) return;
  last = std::move(found->second);
  executables_.erase(found);
}

void Client::execute(uint64_t executable, std::span<const uint64_t> inputs, std::span<const uint64_t> outputs) const {
  std::shared_ptr<const Executable> known;
  {
    const std::lock_guard lock(mutex_);
    const auto found = executables_.find(executable);
    if (found != executables_.end()) known = found->second;
  }
  if (known == nullptr) {
    throw plugin::Failure(PERCALE_INVALID_ARGUMENT,
                          "this client has no executable of the number " + std::to_string(executable));
  }
  const Pinned from = pin(memory_, inputs, known->operands().inputs, "input");
  const Pinned to = pin(memory_, outputs, known->operands().outputs, "output");
  known->run(from.addresses.data(), to.addresses.data());
}

void Client::enter(const std::shared_ptr<Stream>& stream) {
  const std::lock_guard lock(mutex_);
  if (has_ended_) throw plugin::Failure(PERCALE_UNAVAILABLE, "this client has ended");
  if (streams_.size() > limits_.queues) {  // its first stream is one of them, and no queue
    throw plugin::Failure(PERCALE_RESOURCE_EXHAUSTED, "this client has " + std::to_string(limits_.queues) +
                                                          " streams on the device, and may have no more; destroy some");
  }
  streams_.emplace(stream.get(), stream);
}

void Client::leave(const Stream* stream) {
  const std::lock_guard lock(mutex_);
  streams_.erase(stream);
}

void Client::end() {
  std::map<const Stream*, std::shared_ptr<Stream>> left;
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    left.swap(streams_);
  }
  for (const auto& [key, stream] : left) stream->abort();
}

}  // namespace percale::remote
