// Devices of another process: the client and the server, without a network.
#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "tests/unit/remote/failure_of.h"
#include "tests/unit/remote/fake_server.h"

namespace percale::remote {
namespace {

using Bytes = std::vector<std::byte>;
constexpr size_t kMiB = size_t{1} << 20;

// Writes down the signals that are reached.
class Signals {
 public:
  void ask(const DeviceCalls& device, void* stream, uint64_t value) {
    const Result result = device.api->stream_signal(
        stream,
        [](void* event, uint64_t reached, percale_code code) {
          auto& self = *static_cast<Signals*>(event);
          const std::lock_guard lock(self.mutex_);
          self.reached_.emplace_back(reached, code);
          self.changed_.notify_all();
        },
        this, value);
    REQUIRE(result.is_ok());
  }
  std::vector<std::pair<uint64_t, percale_code>> reached() {
    const std::lock_guard lock(mutex_);
    return reached_;
  }
  void wait_for(size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return reached_.size() >= count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::pair<uint64_t, percale_code>> reached_;
};

}  // namespace

TEST_CASE("copies of all sizes arrive, on a stream and without one") {
  FakeServer server;
  const FakeClient client(server);
  std::byte* const memory = client.allocate(5 * kMiB + 7);
  CHECK(reinterpret_cast<uintptr_t>(memory) % 64 == 0);
  for (void* const stream : {static_cast<void*>(nullptr), client.stream()}) {
    for (const size_t size : {size_t{0}, size_t{1}, kMiB - 1, kMiB, kMiB + 1, 5 * kMiB}) {
      const Bytes sent = pattern(size);
      Bytes arrived(size);
      CHECK(client.write(stream, memory + 7, sent).is_ok());
      CHECK(client.read(stream, arrived, memory + 7).is_ok());
      if (stream != nullptr) CHECK(client.synchronize(stream).is_ok());
      CHECK(arrived == sent);
    }
    if (stream != nullptr) client.destroy(stream);
  }
}

TEST_CASE("commands of a stream run in their order") {
  FakeServer server;
  const FakeClient client(server);
  std::byte *const a = client.allocate(100), *const b = client.allocate(100);
  void *const copy = client.compile("copy 100"), *const stream = client.stream();
  std::vector<Bytes> arrived(20, Bytes(100));
  for (size_t i = 0; i < arrived.size(); ++i) {
    CHECK(client.write(stream, a, pattern(100, i)).is_ok());
    CHECK(client.execute(copy, stream, a, b).is_ok());
    CHECK(client.read(stream, arrived[i], b).is_ok());
  }
  CHECK(client.synchronize(stream).is_ok());
  for (size_t i = 0; i < arrived.size(); ++i) CHECK(arrived[i] == pattern(100, i));
  CHECK(client.execute(copy, nullptr, a, b).is_ok());
  client.destroy(copy);
  client.destroy(stream);
}

TEST_CASE("several streams work at the same time") {
  FakeServer server;
  const FakeClient client(server);
  void* const wait = client.compile("wait 64");
  std::byte* const memory = client.allocate(64);
  void* const waiting = client.stream();
  CHECK(client.execute(wait, waiting, memory, memory).is_ok());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      std::byte* const own = client.allocate(2 * kMiB);
      void* const stream = client.stream();
      Bytes arrived(2 * kMiB);
      CHECK(client.write(stream, own, pattern(2 * kMiB, i)).is_ok());
      CHECK(client.read(stream, arrived, own).is_ok());
      CHECK(client.synchronize(stream).is_ok());
      CHECK(arrived == pattern(2 * kMiB, i));
      client.destroy(stream);
      client.api->free(client.device, own);
    });
  }
  for (std::thread& thread : threads) thread.join();
  server.device.let_go();
  CHECK(client.synchronize(waiting).is_ok());
}

TEST_CASE("an error skips what is behind it until the stream is synchronised, and signals carry its code") {
  FakeServer server;
  const FakeClient client(server);
  std::byte* const memory = client.allocate(100);
  void *const fail = client.compile("fail 100"), *const stream = client.stream();
  const Bytes before = pattern(100, 1);
  Bytes skipped = before, arrived(100);
  Signals signals;
  CHECK(client.write(stream, memory, before).is_ok());
  signals.ask(client, stream, 1);
  CHECK(client.execute(fail, stream, memory, memory).is_ok());
  CHECK(client.write(stream, memory, pattern(100, 2)).is_ok());
  CHECK(client.read(stream, skipped, memory).is_ok());
  signals.ask(client, stream, 2);
  signals.ask(client, stream, 3);
  const Result error = client.synchronize(stream);
  CHECK(error.code == PERCALE_OUT_OF_RANGE);
  CHECK(error.message == "the device cpu:0 at here: an index is out of range");
  using Reached = std::vector<std::pair<uint64_t, percale_code>>;
  CHECK(signals.reached() == Reached{{1, PERCALE_OK}, {2, PERCALE_OUT_OF_RANGE}, {3, PERCALE_OUT_OF_RANGE}});
  CHECK(skipped == before);
  CHECK(client.read(stream, arrived, memory).is_ok());
  CHECK(client.synchronize(stream).is_ok());
  CHECK(arrived == before);
  CHECK(client.api->lost(client.device) == 0);
  // A command without a stream reports its own error, and no later one does.
  CHECK(client.execute(fail, nullptr, memory, memory).code == PERCALE_OUT_OF_RANGE);
  CHECK(client.write(nullptr, memory, before).is_ok());
}

TEST_CASE("memory that is not there is an error, and the device goes on") {
  FakeServer server;
  const FakeClient client(server, 1000);
  void* memory = nullptr;
  CHECK(Result(client.api->allocate(client.device, 0, &memory)).code == PERCALE_INVALID_ARGUMENT);
  const Result large = client.api->allocate(client.device, 1001, &memory);
  CHECK(large.code == PERCALE_RESOURCE_EXHAUSTED);
  CHECK(contains(large.message, "1001 bytes do not fit: 0 of 1000 bytes are allocated"));
  std::byte *const first = client.allocate(600), *const second = client.allocate(400);
  CHECK(Result(client.api->allocate(client.device, 1, &memory)).code == PERCALE_RESOURCE_EXHAUSTED);
  client.api->free(client.device, first);
  client.allocate(600);
  uint64_t used = 0, peak = 0;
  client.api->memory_stats(client.device, &used, &peak);
  CHECK(used == 1000);
  CHECK(peak == 1000);
  // The other end of the block is none of the client's memory.
  const Result past = client.write(nullptr, second, Bytes(401));
  CHECK(past.code == PERCALE_INVALID_ARGUMENT);
  CHECK(contains(past.message, "a copy to memory of 401 bytes at address"));
  CHECK(client.write(nullptr, second, Bytes(400)).is_ok());
}

TEST_CASE("a part of a graph that does not compile says why, and large ones compile") {
  Limits limits;
  limits.graph_bytes = 3 * kMiB;
  FakeServer server(limits);
  const FakeClient client(server);
  void* executable = nullptr;
  const Result refused = client.api->compile(client.device, "x", 1, &executable);
  CHECK(refused.code == PERCALE_UNIMPLEMENTED);
  CHECK(contains(refused.message, "the node 'x' of op Foo has no kernel"));
  CHECK(Result(client.api->compile(client.device, "", 0, &executable)).code == PERCALE_UNIMPLEMENTED);
  std::string large = "copy 100";
  large.resize(limits.graph_bytes, ' ');
  executable = client.compile(large);
  CHECK(server.device.counts().programs == 1);
  large += " ";
  void* none = nullptr;
  const Result too_large = client.api->compile(client.device, large.data(), large.size(), &none);
  CHECK(too_large.code == PERCALE_RESOURCE_EXHAUSTED);
  CHECK(contains(too_large.message, "more than 3145728 bytes"));
  client.destroy(executable);
  executable = client.compile("copy 1");
  CHECK(server.device.counts().programs == 1);
  client.destroy(executable);
}

TEST_CASE("graphs on their way share a limit, which a refused one gives back") {
  Limits limits;
  limits.all_graph_bytes = 2 * kMiB;
  FakeServer server(limits);
  const FakeClient client(server);
  std::string large = "copy 100";
  large.resize(limits.all_graph_bytes + 1, ' ');
  for (int i = 0; i < 3; ++i) {
    void* none = nullptr;
    const Result refused = client.api->compile(client.device, large.data(), large.size(), &none);
    CHECK(refused.code == PERCALE_RESOURCE_EXHAUSTED);
    CHECK(contains(refused.message, "the limit is 2097152"));
  }
  large.resize(limits.all_graph_bytes);
  client.destroy(client.compile(large));
}

TEST_CASE("the device is described as its process does it") {
  FakeServer server;
  const FakeClient client(server);
  percale_device_description facts{};
  facts.struct_size = sizeof facts;
  REQUIRE(client.api->describe(client.device, &facts) == nullptr);
  CHECK(std::string(facts.kind) == "remote");
  CHECK(std::string(facts.model) == "a test");
  CHECK(facts.memory_bytes == uint64_t{1} << 30);
  CHECK(facts.shares_host_memory == 0);
  CHECK(facts.gflops == 12.5);
  CHECK(facts.gbytes_per_second == 3);
}

TEST_CASE("when the connection breaks, all that is pending ends and the device is lost") {
  FakeServer server;
  const FakeClient client(server);
  std::byte* const memory = client.allocate(100);
  void *const wait = client.compile("wait 100"), *const stream = client.stream(), *const other = client.stream();
  const Bytes untouched = pattern(100);
  Bytes to = untouched;
  Signals signals;
  CHECK(client.execute(wait, stream, memory, memory).is_ok());
  CHECK(client.read(stream, to, memory).is_ok());
  signals.ask(client, stream, 1);
  server.device.wait_for_run();
  std::thread cutting([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    server.cut();
  });
  const Result error = client.synchronize(stream);
  CHECK(error.code == PERCALE_UNAVAILABLE);
  CHECK(contains(error.message, "the device cpu:0 at here is lost: "));
  using Reached = std::vector<std::pair<uint64_t, percale_code>>;
  CHECK(signals.reached() == Reached{{1, PERCALE_UNAVAILABLE}});
  CHECK(client.api->lost(client.device) == 1);
  cutting.join();
  server.device.let_go();
  for (void* const one : {stream, other}) {
    CHECK(client.write(one, memory, to).code == PERCALE_UNAVAILABLE);
    CHECK(client.read(one, to, memory).code == PERCALE_UNAVAILABLE);
    CHECK(client.execute(wait, one, memory, memory).code == PERCALE_UNAVAILABLE);
    CHECK(client.synchronize(one).code == PERCALE_UNAVAILABLE);
    client.destroy(one);
  }
  CHECK(to == untouched);
  void* none = nullptr;
  CHECK(Result(client.api->allocate(client.device, 5, &none)).code == PERCALE_UNAVAILABLE);
  CHECK(client.try_stream(none).code == PERCALE_UNAVAILABLE);
  CHECK(Result(client.api->compile(client.device, "copy 1", 6, &none)).code == PERCALE_UNAVAILABLE);
  CHECK(client.write(nullptr, memory, to).code == PERCALE_UNAVAILABLE);
  client.api->free(client.device, memory);
  client.destroy(wait);
}

TEST_CASE("a process that falls silent is given up") {
  FakeServer server;
  const FakeClient client(server);
  std::byte* const memory = client.allocate(100);
  void *const wait = client.compile("wait 100"), *const stream = client.stream();
  CHECK(client.execute(wait, stream, memory, memory).is_ok());
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(kBeatPause);
    server.beat();
  }
  const Result error = client.synchronize(stream);
  CHECK(contains(error.message, "nothing was heard of it for 2500 ms"));
  CHECK(Clock::now() - start > kSilence + 4 * kBeatPause);
  CHECK(Clock::now() - start < 3 * kSilence);
  server.device.let_go();
}

TEST_CASE("a client that falls silent is dropped, with all it has, unless the server itself stood still") {
  FakeServer server;
  const FakeClient client(server);
  client.allocate(100);
  client.compile("copy 100");
  void* const stream = client.stream();
  server.beat(std::chrono::seconds(30), true);
  server.beat(std::chrono::seconds(9));
  CHECK(client.synchronize(stream).is_ok());
  CHECK(server.device.counts() == MemoryDevice::Counts{1, 1, 100});
  server.beat(std::chrono::seconds(41));
  while (server.device.counts() != MemoryDevice::Counts{0, 0, 0}) std::this_thread::yield();
  CHECK(client.synchronize(stream).code == PERCALE_UNAVAILABLE);
}

TEST_CASE("a served device that is lost is lost to its clients") {
  FakeServer server;
  const FakeClient client(server);
  std::byte* const memory = client.allocate(100);
  server.device.is_lost = true;
  CHECK(client.write(nullptr, memory, pattern(100)).code == PERCALE_UNAVAILABLE);
  while (client.api->lost(client.device) == 0) std::this_thread::yield();
}

TEST_CASE("a client has a limited number of streams, blocks and executables") {
  Limits limits;
  limits.queues = 2;
  limits.blocks = 2;
  limits.executables = 1;
  FakeServer server(limits);
  const FakeClient client(server);
  void* none = nullptr;
  void *const first = client.stream(), *const second = client.stream();
  const Result streams = client.try_stream(none);
  CHECK(streams.code == PERCALE_RESOURCE_EXHAUSTED);
  CHECK(contains(streams.message, "this client has 2 streams on the device, and may have no more"));
  client.allocate(1);
  client.allocate(1);
  const Result blocks = client.api->allocate(client.device, 1, &none);
  CHECK(contains(blocks.message, "2 blocks are allocated, and a client may have no more"));
  client.compile("copy 1");
  const Result executables = client.api->compile(client.device, "copy 1", 6, &none);
  CHECK(contains(executables.message, "this client has 1 executables, and may have no more"));
  CHECK(server.device.counts() == MemoryDevice::Counts{2, 1, 2});
  client.destroy(first);
  Result again = client.try_stream(none);
  while (!again.is_ok()) again = client.try_stream(none);
  CHECK(client.synchronize(none).is_ok());
  CHECK(client.synchronize(second).is_ok());
  CHECK(client.api->lost(client.device) == 0);
}

}  // namespace percale::remote
