// A server's answers to messages that no client of ours sends.
#include <doctest/doctest.h>

#include <limits>

#include "tests/unit/remote/failure_of.h"
#include "tests/unit/remote/fake_server.h"
#include "tests/unit/remote/raw_client.h"

namespace percale::remote {
namespace {

constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();

// A client with a block of 100 bytes, an executable for it and a queue.
class Hostile {
 public:
  Hostile() {
    device.tell(open_request());
    secret = device.stream().last().as<wire::Opened>()->client();
    block = allocate(100);
    device.tell(wire::UploadT(), std::as_bytes(std::span("copy 100", 8)));
    device.tell(wire::CompileT());
    executable = device.stream().last().as<wire::Compiled>()->executable();
    wire::OpenQueueT open;
    open.client = secret;
    queue.tell(std::move(open));
    REQUIRE(queue.is_open());
  }
  uint64_t allocate(uint64_t bytes) {
    wire::AllocateT call;
    call.bytes = bytes;
    device.tell(std::move(call));
    return device.stream().last().as<wire::Answer>()->value();
  }
  // The error of a command, which must not end the stream.
  template <class T>
  std::string error_of(T command, std::span<const std::byte> raw = {}) {
    queue.tell(std::move(command), raw);
    return synchronize();
  }
  std::string synchronize() {
    wire::MarkT mark;
    mark.forgets_error = true;
    queue.tell(std::move(mark));
    REQUIRE(queue.is_open());
    const Frame answer = queue.stream().last();
    return text_of(answer.as<wire::Done>()->message());
  }
  std::string execute(std::vector<uint64_t> inputs, std::vector<uint64_t> outputs, uint64_t number) {
    wire::ExecuteT command;
    command.executable = number;
    command.inputs = std::move(inputs);
    command.outputs = std::move(outputs);
    return error_of(std::move(command));
  }

  MemoryDevice memory;
  const std::shared_ptr<Clients> clients = clients_of(memory, {});
  RawStream<DeviceHandler> device{clients};
  RawStream<QueueHandler> queue{clients};
  uint64_t secret = 0, block = 0, executable = 0;
};

// The reason for which the last message of the stream refuses it.
template <class H>
std::string refusal(const RawStream<H>& stream) {
  CHECK_FALSE(stream.is_open());
  const Frame last = stream.stream().last();
  REQUIRE(last.as<wire::Refusal>() != nullptr);
  return text_of(last.as<wire::Refusal>()->message());
}

// The refusal of a device's first message.
template <class T>
std::string refusal_of(T first) {
  MemoryDevice memory;
  RawStream<DeviceHandler> device(clients_of(memory, {}));
  device.tell(std::move(first));
  return refusal(device);
}

}  // namespace

TEST_CASE("copies beyond the client's own blocks are refused") {
  Hostile client;
  const uint64_t other = client.allocate(100);
  CHECK(other >= client.block + 101);
  const std::vector<std::pair<uint64_t, uint64_t>> ranges = {
      {0, 1},       {client.block, 101},        {client.block + 1, 100},  {client.block + 100, 1},
      {kMax, 1},    {client.block - 1, 1},      {client.block, kMax},     {client.block + 1, kMax},
      {kMax, kMax}, {client.block + 101, kMax}, {client.block, 100 + 64},
  };
  for (const auto& [address, bytes] : ranges) {
    wire::ReadT read;
    read.address = address;
    read.bytes = bytes;
    CHECK(contains(client.error_of(std::move(read)), "is not within a block that this client has allocated"));
    wire::WriteT write;
    write.address = address;
    const ByteVector raw(std::min<uint64_t>(bytes, 200));
    CHECK(contains(client.error_of(std::move(write), raw), "is not within a block that this client has allocated"));
  }
  wire::WriteT write;
  write.address = client.block + 60;
  CHECK(client.error_of(std::move(write), ByteVector(40)).empty());
}

TEST_CASE("operands that do not fit an executable are refused before it runs") {
  Hostile client;
  const uint64_t other = client.allocate(228), b = client.block;
  const std::string outside = "is not within a block that this client has allocated";
  CHECK(client.execute({b}, {other + 128}, client.executable).empty());
  CHECK(contains(client.execute({b}, {other + 129}, client.executable), outside));
  CHECK(contains(client.execute({b}, {other + 192}, client.executable), outside));
  CHECK(contains(client.execute({b + 64}, {b}, client.executable), outside));
  CHECK(contains(client.execute({kMax}, {b}, client.executable), outside));
  CHECK(contains(client.execute({other + 1}, {b}, client.executable), "wanted a multiple of 64"));
  CHECK(contains(client.execute({}, {b}, client.executable), "gets 0 addresses for inputs, wanted 1"));
  CHECK(contains(client.execute({b}, {b, b}, client.executable), "gets 2 addresses for outputs, wanted 1"));
  CHECK(contains(client.execute({b}, {b}, client.executable + 1), "no executable of the number"));
}

TEST_CASE("memory and executables of a client that ends are freed after its commands") {
  Hostile client;
  Hostile other;
  CHECK(client.memory.counts() == MemoryDevice::Counts{1, 1, 100});
  wire::FreeT freed;
  freed.address = client.block + 1;  // no block begins here
  client.device.tell(std::move(freed));
  CHECK(client.memory.counts().blocks == 1);
  client.device.end();
  CHECK_FALSE(client.queue.is_open());
  CHECK(client.memory.counts().blocks == 1);  // the queue may still work on it
  client.queue.end();
  CHECK(client.memory.counts() == MemoryDevice::Counts{0, 0, 0});
  CHECK(other.synchronize().empty());
}

TEST_CASE("raw bytes that have changed on their way end their stream, and touch nothing") {
  Hostile client;
  wire::WriteT write;
  write.address = client.block;
  ByteVector bytes = frame_bytes(write, ByteVector(100, std::byte{9}), client.queue.sent());
  bytes.back() ^= std::byte{1};
  client.queue.send(bytes);
  CHECK(refusal(client.queue) == kHarmed);
  bytes = frame_bytes(wire::UploadT(), ByteVector(100), client.device.sent());
  bytes.back() ^= std::byte{1};
  client.device.send(bytes);
  CHECK(refusal(client.device) == kHarmed);
}

TEST_CASE("a message that is missing or comes twice ends its stream at the next one") {
  for (const uint32_t number : {0U, 3U}) {
    Hostile client;
    CHECK(client.queue.sent() == 1);
    client.queue.send(frame_bytes(wire::BeatT(), {}, 1));
    CHECK(client.queue.is_open());
    client.queue.send(frame_bytes(wire::BeatT(), {}, number));
    CHECK(refusal(client.queue) == kHarmed);
    CHECK(client.device.is_open());
    client.device.send(frame_bytes(wire::BeatT(), {}, client.device.sent() + 1));
    CHECK(refusal(client.device) == kHarmed);
  }
}

TEST_CASE("a message that has changed on its way, or is none, ends its stream") {
  const ByteVector whole = frame_bytes(open_request());
  for (size_t i = 0; i < whole.size(); ++i) {
    ByteVector changed = whole;
    changed[i] ^= std::byte{16};
    const Frame frame = frame_of(changed);
    // The last four bytes of the head are the checksum of raw bytes, of which there are none.
    CHECK(frame.is_good() == (i >= 8 && i < 12));
  }
  for (size_t size = 0; size < whole.size(); ++size) {
    Hostile client;
    client.queue.send(ByteVector(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size)));
    CHECK(refusal(client.queue) == kHarmed);
  }
  const ByteVector large = frame_bytes(wire::UploadT(), ByteVector(kMaxRawBytes + 1));
  CHECK_FALSE(frame_of(large).is_good());
}

TEST_CASE("messages at the wrong place end their stream") {
  Hostile client;
  client.queue.tell(wire::AllocateT());
  CHECK(contains(refusal(client.queue), "it has sent the message Allocate, which is no command of a stream"));
  client.device.tell(open_request());
  CHECK(contains(refusal(client.device), "it has sent the message Open, which is no call of an open device"));
  CHECK(contains(refusal_of(wire::AllocateT()), "its first message is Allocate, wanted Open"));
  MemoryDevice memory;
  RawStream<QueueHandler> queue(clients_of(memory, {}));
  queue.tell(wire::MarkT());
  CHECK(contains(refusal(queue), "its first message is Mark, wanted OpenQueue"));
}

TEST_CASE("a device is opened only by the same build, by its name, and with options that it has") {
  wire::OpenT other = open_request();
  other.protocol = kProtocol + 1;
  other.build = "percale y";
  CHECK(contains(refusal_of(other), "it speaks protocol " + std::to_string(kProtocol + 1) + ", this process " +
                                        std::to_string(kProtocol)));
  other.protocol = kProtocol;
  CHECK(contains(refusal_of(other), "it has \"percale y\", this process \"percale x\""));
  other = open_request();
  other.device = "cuda:0";
  CHECK(contains(refusal_of(other), "it asks for the device \"cuda:0\", which is not served here; served are: cpu:0"));
  MemoryDevice memory;
  memory.options.deterministic = 0;
  RawStream<DeviceHandler> device(clients_of(memory, {}));
  device.tell(open_request());
  CHECK(contains(refusal(device), "with deterministic = 1, which is served with deterministic = 0"));
  memory.options = {sizeof memory.options, 0, 1, 1};
  RawStream<DeviceHandler> exact(clients_of(memory, {}));
  exact.tell(open_request());
  CHECK(contains(refusal(exact), "with tf32 = 0, which is served with tf32 = 1"));
}

TEST_CASE("a stream is opened only with the secret of a client") {
  Hostile client;
  wire::OpenQueueT open;
  open.client = client.secret ^ 1;
  RawStream<QueueHandler> queue(client.clients);
  queue.tell(open);
  CHECK(contains(refusal(queue), "no client of this process has that secret"));
  open.client = client.secret;
  RawStream<QueueHandler> right(client.clients);
  right.tell(open);
  CHECK(right.is_open());
  client.device.end();
  RawStream<QueueHandler> late(client.clients);
  late.tell(open);
  CHECK(contains(refusal(late), "no client of this process has that secret"));
}

TEST_CASE("the smallest one of the limits of memory counts") {
  for (const auto& [asked, served, there, limit] : std::vector<std::array<uint64_t, 4>>{
           {0, 0, 500, 500}, {300, 0, 500, 300}, {300, 200, 500, 200}, {0, 200, 500, 200}, {900, 700, 500, 500}}) {
    MemoryDevice memory(there);
    memory.options.memory_limit = served;
    RawStream<DeviceHandler> device(clients_of(memory, {}));
    device.tell(open_request(asked));
    for (const uint64_t bytes : {limit + 1, kMax, limit}) {
      wire::AllocateT call;
      call.bytes = bytes;
      device.tell(std::move(call));
      const Frame answer = device.stream().last();
      CHECK((answer.as<wire::Answer>()->code() == PERCALE_OK) == (bytes == limit));
    }
  }
}

}  // namespace percale::remote
