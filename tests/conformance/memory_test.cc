// Checks every device's description, memory and copies.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/conformance/subject.h"

namespace percale::conformance {
namespace {

std::vector<unsigned char> pattern(size_t bytes, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<unsigned char> out(bytes);
  for (unsigned char& byte : out) byte = static_cast<unsigned char>(random());
  return out;
}

const percale_device_api& api() { return subject().device->api(); }
void* handle() { return subject().device->handle(); }

uint64_t used() {
  uint64_t now = 0, peak = 0;
  api().memory_stats(handle(), &now, &peak);
  return now;
}

}  // namespace

TEST_CASE("a device describes itself: its kind, a model, rates that are numbers") {
  percale_device_description out{};
  out.struct_size = sizeof out;
  REQUIRE(from_c(api().describe(handle(), &out)).ok());
  CHECK(std::string(out.kind) == subject().device->kind());
  CHECK(std::string(api().kind) == subject().device->kind());
  REQUIRE(out.model != nullptr);
  CHECK(std::string(out.model) != "");
  CHECK((out.shares_host_memory == 0 || out.shares_host_memory == 1));
  CHECK(out.gflops >= 0);
  CHECK(out.gbytes_per_second >= 0);
}

TEST_CASE("an older library's smaller description is filled no further than it goes") {
  percale_device_description out{};
  out.struct_size = offsetof(percale_device_description, gflops);
  out.gflops = -7;
  out.gbytes_per_second = -7;
  REQUIRE(from_c(api().describe(handle(), &out)).ok());
  CHECK(out.gflops == -7);
  CHECK(out.gbytes_per_second == -7);
}

const percale_device_options& default_options() {
  static const percale_device_options options{
      .struct_size = sizeof(percale_device_options), .memory_limit = 0, .deterministic = 1, .tf32 = 0};
  return options;
}

TEST_CASE("an index beyond what probe() counts opens no device") {
  const char* reason = nullptr;
  const int32_t count = api().probe(api().self, &reason);
  REQUIRE(count > 0);
  for (const int32_t index : {-1, count, INT32_MAX}) {
    void* device = &device;
    const Status status = from_c(api().open(api().self, index, &default_options(), &device));
    CHECK_FALSE(status.ok());
    CHECK(status.message() != "");
    CHECK(device == nullptr);
  }
}

TEST_CASE("devices that probe() counts can be opened and closed beside the one in use") {
  const char* reason = nullptr;
  const int32_t count = std::min(4, api().probe(api().self, &reason));
  for (int32_t index = 0; index < count; ++index) {
    void* device = nullptr;
    REQUIRE(from_c(api().open(api().self, index, &default_options(), &device)).ok());
    void* memory = nullptr;
    REQUIRE(from_c(api().allocate(device, 100, &memory)).ok());
    api().free(device, memory);
    api().close(device);
  }
}

TEST_CASE("memory is aligned to 64 bytes and its blocks do not overlap") {
  std::vector<std::unique_ptr<DeviceMemory>> blocks;
  for (const uint64_t bytes : {1U, 2U, 63U, 64U, 65U, 1000U, 4096U, 1U << 20}) {
    blocks.push_back(std::make_unique<DeviceMemory>(bytes));
    REQUIRE(blocks.back()->status().ok());
    REQUIRE(blocks.back()->get() != nullptr);
    CHECK(reinterpret_cast<uintptr_t>(blocks.back()->get()) % 64 == 0);
  }
  std::sort(blocks.begin(), blocks.end(), [](const auto& a, const auto& b) { return a->get() < b->get(); });
  for (size_t i = 1; i < blocks.size(); ++i) {
    CHECK(static_cast<char*>(blocks[i - 1]->get()) + blocks[i - 1]->bytes() <= blocks[i]->get());
  }
}

TEST_CASE("sizes that no device has are refused, and the device works on") {
  for (const uint64_t bytes : {uint64_t{1} << 52, uint64_t{1} << 63, UINT64_MAX - 63, UINT64_MAX}) {
    CAPTURE(bytes);
    const DeviceMemory memory(bytes);
    CHECK(memory.status().code() == Code::kResourceExhausted);
    CHECK(memory.status().message() != "");
    CHECK(memory.get() == nullptr);
  }
  const DeviceMemory nothing(0);
  CHECK(nothing.status().code() == Code::kInvalidArgument);
  CHECK(nothing.get() == nullptr);
  CHECK(DeviceMemory(64).status().ok());
}

TEST_CASE("what is copied to the device comes back, for odd sizes at odd offsets, and nothing beside it changes") {
  constexpr uint64_t kBytes = 5000;
  const DeviceMemory memory(kBytes);
  REQUIRE(memory.status().ok());
  std::vector<unsigned char> expected = pattern(kBytes, 1);
  REQUIRE(memory.write(0, expected.data(), kBytes).ok());
  uint32_t seed = 2;
  for (const uint64_t bytes : {0U, 1U, 2U, 3U, 5U, 7U, 63U, 64U, 65U, 127U, 1000U, 4097U}) {
    for (const uint64_t offset : {0U, 1U, 3U, 17U, 64U, 129U, 900U}) {
      CAPTURE(bytes);
      CAPTURE(offset);
      const auto part = pattern(bytes, ++seed);
      REQUIRE(memory.write(offset, part.data(), bytes).ok());
      std::copy(part.begin(), part.end(), expected.begin() + static_cast<ptrdiff_t>(offset));
      std::vector<unsigned char> back(bytes + 2, 0x5A);
      REQUIRE(memory.read(offset, back.data() + 1, bytes).ok());
      CHECK(std::equal(part.begin(), part.end(), back.begin() + 1));
      CHECK(back.front() == 0x5A);
      CHECK(back.back() == 0x5A);
    }
  }
  std::vector<unsigned char> all(kBytes);
  REQUIRE(memory.read(0, all.data(), kBytes).ok());
  CHECK(all == expected);
}

TEST_CASE("a large block holds what was written to it") {
  constexpr uint64_t kBytes = (16 << 20) + 13;
  const DeviceMemory memory(kBytes);
  REQUIRE(memory.status().ok());
  const auto expected = pattern(kBytes, 3);
  REQUIRE(memory.write(0, expected.data(), kBytes).ok());
  std::vector<unsigned char> back(kBytes);
  REQUIRE(memory.read(0, back.data(), kBytes).ok());
  CHECK(back == expected);
}

TEST_CASE("the statistics follow what is allocated and freed") {
  if (!api().memory_stats) return;
  const uint64_t before = used();
  uint64_t now = 0, peak = 0;
  {
    const DeviceMemory first(100'000), second(50'000);
    REQUIRE(first.status().ok());
    REQUIRE(second.status().ok());
    CHECK(used() >= before + 150'000);
  }
  CHECK(used() == before);
  api().memory_stats(handle(), &now, &peak);
  CHECK(peak >= before + 150'000);
  CHECK_FALSE(DeviceMemory(UINT64_MAX / 2).status().ok());
  CHECK(used() == before);
}

TEST_CASE("many threads allocate, copy and free at once, and each reads what it wrote") {
  const bool counted = !!api().memory_stats;
  const uint64_t before = counted ? used() : 0;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 8; ++t) {
    threads.emplace_back([&wrong, t] {
      std::mt19937 random(t);
      for (uint32_t i = 0; i < 100; ++i) {
        const uint64_t bytes = 1 + random() % 20'000;
        const DeviceMemory memory(bytes);
        const auto sent = pattern(bytes, t * 1000 + i);
        std::vector<unsigned char> back(bytes);
        if (!memory.status().ok() || !memory.write(0, sent.data(), bytes).ok() ||
            !memory.read(0, back.data(), bytes).ok() || back != sent) {
          ++wrong;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  if (counted) CHECK(used() == before);
}

TEST_CASE("queues, where there are some, are made, drained and destroyed, and copies keep their order") {
  if (!api().stream_create) return;
  void* queue = nullptr;
  REQUIRE(from_c(api().stream_create(handle(), &queue)).ok());
  const DeviceMemory memory(1 << 16);
  REQUIRE(memory.status().ok());
  const auto first = pattern(1 << 16, 5), second = pattern(1 << 16, 6);
  std::vector<unsigned char> back(1 << 16);
  REQUIRE(from_c(api().copy_from_host(handle(), queue, memory.get(), first.data(), first.size())).ok());
  REQUIRE(from_c(api().copy_from_host(handle(), queue, memory.get(), second.data(), second.size())).ok());
  REQUIRE(from_c(api().copy_to_host(handle(), queue, back.data(), memory.get(), back.size())).ok());
  REQUIRE(from_c(api().stream_synchronize(queue)).ok());
  CHECK(back == second);
  api().stream_destroy(queue);
}

TEST_CASE("what leaves beside a queue's work has come at a point behind it, and when the queue is synchronised") {
  if (api().stream_create == nullptr || api().copy_out == nullptr || api().stream_signal == nullptr) return;
  void* queue = nullptr;
  REQUIRE(from_c(api().stream_create(handle(), &queue)).ok());
  struct Point {
    std::atomic<bool> reached{false};
    const std::vector<unsigned char>* got = nullptr;
    std::vector<unsigned char> seen;
  };
  const auto note = [](void* event, uint64_t, percale_code code) {
    auto& point = *static_cast<Point*>(event);
    if (code == PERCALE_OK) point.seen = *point.got;
    point.reached = true;
  };
  for (const uint64_t bytes : {uint64_t{1}, uint64_t{70000}, uint64_t{9000001}}) {
    CAPTURE(bytes);
    const DeviceMemory from(bytes), other(bytes);
    const auto first = pattern(bytes, 5), second = pattern(bytes, 6);
    std::vector<unsigned char> got(bytes), more(bytes);
    Point point;
    point.got = &got;
    REQUIRE(from_c(api().copy_from_host(handle(), queue, from.get(), first.data(), bytes)).ok());
    REQUIRE(from_c(api().copy_out(handle(), queue, got.data(), from.get(), bytes)).ok());
    REQUIRE(from_c(api().stream_signal(queue, note, &point, 1)).ok());
    // Later commands need not wait for copy_out.
    REQUIRE(from_c(api().copy_from_host(handle(), queue, other.get(), second.data(), bytes)).ok());
    REQUIRE(from_c(api().copy_out(handle(), queue, more.data(), other.get(), bytes)).ok());
    REQUIRE(from_c(api().stream_synchronize(queue)).ok());
    CHECK(point.reached.load());
    CHECK(point.seen == first);
    CHECK(got == first);
    CHECK(more == second);
  }
  api().stream_destroy(queue);
}

TEST_CASE("sums across devices are those of the host, in the order of a tree") {
  if (api().all_reduce == nullptr) return;
  // The group contains one device several times.
  for (const uint32_t devices : {1u, 2u, 3u, 5u, 8u}) {
    CAPTURE(devices);
    for (const percale_dtype dtype : {PERCALE_DTYPE_F32, PERCALE_DTYPE_F64}) {
      CAPTURE(static_cast<int>(dtype));
      const std::vector<uint64_t> counts{1, 7, 5003};
      const uint64_t size = dtype == PERCALE_DTYPE_F64 ? 8 : 4;
      std::vector<std::unique_ptr<DeviceMemory>> memory;
      std::vector<void*> handles(devices, handle()), buffers;
      std::vector<std::vector<double>> values;  // by device and buffer
      const auto bytes_of = [&](const std::vector<double>& from) {
        std::vector<unsigned char> out(from.size() * size);
        for (size_t i = 0; i < from.size(); ++i) {
          const auto narrow = static_cast<float>(from[i]);
          std::memcpy(out.data() + i * size, dtype == PERCALE_DTYPE_F64 ? static_cast<const void*>(&from[i]) : &narrow,
                      size);
        }
        return out;
      };
      for (uint32_t i = 0; i < devices; ++i) {
        for (const uint64_t count : counts) {
          std::vector<double>& own = values.emplace_back(count);
          for (uint64_t k = 0; k < count; ++k) {
            own[k] = static_cast<float>(std::sin(static_cast<double>(k * 8 + i)) *
                                        std::pow(10, static_cast<double>((k + i) % 7)));
          }
          memory.push_back(std::make_unique<DeviceMemory>(count * size));
          buffers.push_back(memory.back()->get());
          const auto bytes = bytes_of(own);
          REQUIRE(from_c(api().copy_from_host(handle(), nullptr, buffers.back(), bytes.data(), bytes.size())).ok());
        }
      }
      REQUIRE(from_c(api().all_reduce(handles.data(), devices, buffers.data(), counts.data(),
                                      static_cast<uint32_t>(counts.size()), dtype))
                  .ok());
      const std::function<double(uint32_t, uint32_t, size_t, uint64_t)> sum = [&](uint32_t begin, uint32_t end,
                                                                                  size_t k, uint64_t at) -> double {
        if (end - begin == 1) return values[begin * counts.size() + k][at];
        const uint32_t middle = begin + (end - begin + 1) / 2;
        const double out = sum(begin, middle, k, at) + sum(middle, end, k, at);
        return dtype == PERCALE_DTYPE_F64 ? out : static_cast<double>(static_cast<float>(out));
      };
      for (size_t b = 0; b < buffers.size(); ++b) {
        const size_t k = b % counts.size();
        std::vector<double> want(counts[k]);
        for (uint64_t at = 0; at < counts[k]; ++at) want[at] = sum(0, devices, k, at);
        std::vector<unsigned char> got(counts[k] * size);
        REQUIRE(from_c(api().copy_to_host(handle(), nullptr, got.data(), buffers[b], got.size())).ok());
        CHECK(got == bytes_of(want));
      }
    }
  }
}

TEST_CASE("a device that works is not lost") {
  if (api().lost) CHECK(api().lost(handle()) == 0);
}

}  // namespace percale::conformance
