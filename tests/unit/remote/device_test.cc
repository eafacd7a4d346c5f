// Devices of another process: copies, streams and runs, over a socket of the file system.
#include <atomic>
#include <thread>

#include "tests/unit/remote/failure_of.h"
#include "tests/unit/remote/opened_device.h"

namespace percale::remote {

TEST_CASE("copies of all sizes arrive, on a stream and without one") {
  ServedMemory served;
  const OpenedMemory opened(served.place);
  constexpr size_t kMiB = size_t{1} << 20;
  std::byte* const memory = opened.allocate(5 * kMiB + 7);
  CHECK(reinterpret_cast<uintptr_t>(memory) % 64 == 0);
  for (void* const stream : {static_cast<void*>(nullptr), opened.stream()}) {
    for (const size_t size : {size_t{0}, size_t{1}, kMiB - 1, kMiB, kMiB + 1, 5 * kMiB}) {
      const std::vector<std::byte> sent = pattern(size);
      std::vector<std::byte> arrived(size);
      CHECK(opened.write(stream, memory + 7, sent).is_ok());
      CHECK(opened.read(stream, arrived, memory + 7).is_ok());
      if (stream != nullptr) CHECK(opened.synchronize(stream).is_ok());
      CHECK(arrived == sent);
    }
    if (stream != nullptr) opened.api->stream_destroy(stream);
  }
}

}  // namespace percale::remote
