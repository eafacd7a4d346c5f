// Fuzzes the messages of a process that serves a device to its client: whatever they are, calls and
// commands of the client end with a result or an error, and copies write within their buffers only.
#include <thread>

#include "devices/remote/device/remote_device.h"
#include "tests/fuzz/remote/frames.h"
#include "tests/fuzz/remote/input.h"

namespace {

using namespace percale::remote;
using percale::fuzz::corrected;
using percale::fuzz::RemoteInput;
using percale::fuzz::RemoteStep;

// The kinds of steps, in the lower four bits. The first ones are the server's: messages as they
// are, messages with right checksums, ends of a stream. The bit kQueue names a stream for commands,
// and the upper bits which. The others are calls of the client, whose argument is the bytes.
constexpr uint8_t kMessage = 0, kRightMessage = 1, kBreaks = 2, kQueue = 4, kCalls = 8, kKinds = 15;
constexpr uint8_t kAllocate = 8, kCompile = 9, kOpens = 10, kWrite = 11, kRead = 12, kExecute = 13, kWaits = 14,
                  kCloses = 15;

// The operands of every graph that the client compiles.
constexpr size_t kInputs = 2, kOutputs = 1;

class Server;

// One stream, as the client sees it. Events are called by the thread of the client alone.
class PlayedStream final : public Stream {
 public:
  PlayedStream(Server& server, std::shared_ptr<StreamEvents> events) : server_(server), events_(std::move(events)) {}
  void send(std::span<const std::byte> head, std::span<const std::byte> body) override;
  void read_next() override { ++wanted_; }
  void close() override { is_ending_ = true; }
  void abort() override { is_ending_ = true; }
  const std::string& peer() const override { return peer_; }

  bool is_open() const { return events_ != nullptr; }
  // The number of the next message.
  uint32_t given() const { return given_; }
  // A message comes only if it was asked for.
  void give(const ByteVector& bytes) {
    if (!is_open() || wanted_ == 0) return;
    --wanted_;
    const Frame frame = frame_of(bytes, given_++);
    if (frame.as<wire::Done>() != nullptr) --marks_;
    is_answered_ = is_answered_ || (frame.is_good() && frame.as<wire::Beat>() == nullptr);
    is_taken_ = is_taken_ || frame.as<wire::Answer>() != nullptr;
    events_->on_message(message_of(bytes));
  }
  void end(const std::string& reason) {
    if (const auto events = std::exchange(events_, nullptr)) events->on_closed(reason);
  }
  // The client has ended it.
  void settle() {
    if (is_ending_) end("this process has ended it");
  }

 private:
  Server& server_;
  const std::string peer_ = "unix:";
  const std::thread::id client_ = std::this_thread::get_id();
  std::shared_ptr<StreamEvents> events_;
  std::atomic<bool> is_ending_{false};
  std::atomic<int> wanted_{1};
  std::atomic<uint32_t> sent_{0};
  uint32_t given_ = 0;
  int marks_ = 0;  // that are not reached
  bool is_answered_ = false, is_taken_ = false;
};

// Plays the input. It gives the messages of the input when the client waits for one, and ends all
// streams when there are no more.
class Server {
 public:
  explicit Server(RemoteInput& input) : input_(input) {}

  std::shared_ptr<Stream> open(const std::string& purpose, std::shared_ptr<StreamEvents> events) {
    const auto out = std::make_shared<PlayedStream>(*this, std::move(events));
    (purpose == kQueuePurpose ? queues_ : devices_).push_back(out);
    return out;
  }
  // A step of the server.
  void play(const RemoteStep& step) {
    const auto& streams = (step.kind & kQueue) != 0 ? queues_ : devices_;
    if (streams.empty()) return;
    PlayedStream& stream = *streams[(step.kind >> 4) % streams.size()];
    switch (step.kind & kKinds & ~kQueue) {
      case kMessage: stream.give(ByteVector(step.bytes.begin(), step.bytes.end())); break;
      case kRightMessage: stream.give(corrected(step.bytes, stream.given())); break;
      case kBreaks: stream.end(step.bytes.empty() ? "" : "reset by peer"); break;
      default: break;
    }
    settle();
  }
  // Plays on until the client need not wait any more.
  template <class F>
  void play_until(F&& is_done) {
    for (settle(); !is_done(); settle()) {
      if (!input_.has_next()) return end();
      const RemoteStep step = input_.next();
      if ((step.kind & kCalls) == 0) play(step);
    }
  }
  void end() {
    for (const auto& streams : {devices_, queues_}) {
      for (const auto& stream : streams) stream->end("reset by peer");
    }
  }

 private:
  void settle() {
    for (const auto& streams : {devices_, queues_}) {
      for (const auto& stream : streams) stream->settle();
    }
  }

  RemoteInput& input_;
  std::vector<std::shared_ptr<PlayedStream>> devices_, queues_;
};

void PlayedStream::send(std::span<const std::byte> head, std::span<const std::byte> body) {
  const uint32_t number = sent_++;
  if (std::this_thread::get_id() != client_ || !is_open()) return;  // a heartbeat
  const std::shared_ptr<StreamEvents> events = events_;
  events->on_sent();
  const Frame frame = frame_of(join(head, body), number);
  const auto* const mark = frame.as<wire::Mark>();
  if (mark != nullptr) ++marks_;
  if (frame.as<wire::OpenQueue>() != nullptr) {
    server_.play_until([this] { return is_taken_ || !is_open(); });
  } else if (mark != nullptr && mark->forgets_error()) {
    server_.play_until([this] { return marks_ <= 0 || !is_open(); });
  } else if (frame.as<wire::Leave>() != nullptr) {
    server_.end();
  } else if (frame.as<wire::Open>() != nullptr || frame.as<wire::Allocate>() != nullptr ||
             frame.as<wire::Compile>() != nullptr) {
    is_answered_ = false;
    server_.play_until([this] { return is_answered_ || !is_open(); });
  }
}

// The calls of a client.
class Client {
 public:
  explicit Client(RemoteDevice& device) : device_(device) {}
  ~Client() {
    for (RemoteDevice::Stream* const stream : streams_) RemoteDevice::destroy_stream(stream);
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void call(const RemoteStep& step) {
    // Null: the device uses a stream of its own.
    RemoteDevice::Stream* const stream = streams_.empty() ? nullptr : streams_[(step.kind >> 4) % streams_.size()];
    switch (step.kind & kKinds) {
      case kAllocate: memory_ = device_.allocate(step.bytes.size() + 1); return;
      case kCompile: return compile(step);
      case kOpens:
        if (streams_.size() < 4) streams_.push_back(device_.make_stream());
        return;
      case kWrite: return device_.copy_from_host(stream, memory_, step.bytes.data(), step.bytes.size());
      case kRead:
        // It has exactly that size, so that ASan finds a write beyond it.
        read_.push_back(std::make_unique<std::byte[]>(step.bytes.size()));
        return device_.copy_to_host(stream, read_.back().get(), memory_, step.bytes.size());
      case kExecute: return execute(stream);
      case kWaits: return wait(stream, step.bytes.empty());
      case kCloses: return close(step);
      default: return;
    }
  }

 private:
  // As the library does, it uses no executable with other counts of operands than the graph has.
  void compile(const RemoteStep& step) {
    executable_.reset(device_.compile(step.bytes.data(), step.bytes.size()));
    uint64_t inputs = 0, outputs = 0;
    RemoteDevice::operand_counts(*executable_, &inputs, &outputs);
    if (inputs != kInputs || outputs != kOutputs) executable_.reset();
  }
  void execute(RemoteDevice::Stream* stream) {
    if (executable_ == nullptr) return;
    const std::vector<void*> inputs(kInputs, memory_), outputs(kOutputs, memory_);
    device_.execute(*executable_, stream, inputs.data(), outputs.data());
  }
  void wait(RemoteDevice::Stream* stream, bool is_signal) {
    if (stream == nullptr) return;
    if (!is_signal) return device_.synchronize(*stream);
    device_.signal(
        *stream, [](void* event, uint64_t value, percale_code) { *static_cast<uint64_t*>(event) += value; }, &reached_,
        1);
  }
  void close(const RemoteStep& step) {
    device_.free(memory_);
    if (streams_.empty() || step.bytes.empty()) return;
    const auto one = streams_.begin() + static_cast<std::ptrdiff_t>((step.kind >> 4) % streams_.size());
    RemoteDevice::destroy_stream(*one);
    streams_.erase(one);
  }

  RemoteDevice& device_;
  void* memory_ = nullptr;
  uint64_t reached_ = 0;
  std::vector<std::unique_ptr<std::byte[]>> read_;
  std::vector<RemoteDevice::Stream*> streams_;
  std::unique_ptr<RemoteDevice::Executable> executable_;
};

void use_device(RemoteInput& input, Server& server, OpenedDevice opened) {
  static RemoteDevices& devices = *new RemoteDevices(fake_host());
  RemoteDevice device(devices, std::move(opened));
  Client client(device);
  while (input.has_next()) {
    const RemoteStep step = input.next();
    if ((step.kind & kCalls) == 0) {
      server.play(step);
      continue;
    }
    try {
      client.call(step);
    } catch (const percale::plugin::Failure&) {  // as it may be
    }
  }
  server.end();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  RemoteInput input(data, size);
  Server server(input);
  OpenedDevice opened;
  opened.open_stream = [&server](const std::string& purpose, std::shared_ptr<StreamEvents> events) {
    return server.open(purpose, std::move(events));
  };
  opened.session = std::make_shared<Session>("the device", checksum());
  try {
    if (opened.session->open(opened.open_stream, wire::OpenT(), Clock::time_point::max())) {
      use_device(input, server, std::move(opened));
    }
  } catch (const percale::plugin::Failure&) {  // the process refuses, or says no facts
  }
  server.end();
  return 0;
}
