// Fuzzes the messages of a client to a process that serves a device: whatever they are, they are
// answered, skipped, or end their stream. Nothing outside of the client's memory is touched.
#include <optional>

#include "devices/remote/serve/device_handler.h"
#include "devices/remote/serve/queue_handler.h"
#include "tests/fuzz/remote/frames.h"
#include "tests/fuzz/remote/input.h"
#include "tests/unit/remote/memory_device.h"

namespace {

using namespace percale::remote;
using percale::fuzz::corrected;
using percale::fuzz::RemoteInput;
using percale::fuzz::RemoteStep;

constexpr uint64_t kMemoryBytes = 4096;

// The kinds of steps, in the lower bits. The next bit names the stream: the first one of the
// client, or one for commands.
constexpr uint8_t kMessage = 0, kRightMessage = 1, kOpensQueue = 2, kBreaks = 3;
constexpr uint8_t kKinds = 3, kQueue = 4;

std::shared_ptr<Clients> serve(MemoryDevice& memory) {
  memory.options = {sizeof memory.options, 0, 1, 0};
  memory.let_go();
  std::deque<ServedDevice> served;
  served.emplace_back(fake_host(), memory.served());
  return std::make_shared<Clients>("fuzz", std::move(served), Limits());
}

class Input {
 public:
  void step(const RemoteStep& step) {
    const bool on_queue = (step.kind & kQueue) != 0;
    switch (step.kind & kKinds) {
      case kMessage: return send(on_queue, ByteVector(step.bytes.begin(), step.bytes.end()));
      case kRightMessage: return send(on_queue, corrected(step.bytes, on_queue ? queue_->sent() : device_->sent()));
      case kOpensQueue: return open_queue();
      case kBreaks: on_queue ? void(queue_.emplace(clients_)) : void(device_.emplace(clients_)); return;
      default: return;
    }
  }

 private:
  void send(bool on_queue, const ByteVector& bytes) {
    if (on_queue) return queue_->send(bytes);
    device_->send(bytes);
    const Frame answer = device_->stream().last();
    if (const auto* const opened = answer.as<wire::Opened>()) secret_ = opened->client();
  }
  void open_queue() {
    wire::OpenQueueT open;
    open.client = secret_;
    queue_->tell(std::move(open));
  }

  MemoryDevice memory_{kMemoryBytes};
  const std::shared_ptr<Clients> clients_ = serve(memory_);
  std::optional<RawStream<DeviceHandler>> device_{std::in_place, clients_};
  std::optional<RawStream<QueueHandler>> queue_{std::in_place, clients_};
  uint64_t secret_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input all;
  for (RemoteInput input(data, size); input.has_next();) all.step(input.next());
  return 0;
}
