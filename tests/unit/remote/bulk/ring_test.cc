// Memory that two ends share. The test is both processes, and the hostile one.
#include "devices/remote/bulk/ring.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "tests/unit/remote/device_calls.h"

namespace percale::remote {
namespace {

using Bytes = std::vector<std::byte>;
constexpr size_t kMiB = size_t{1} << 20;
// See RingState: where the memory has what the reader has released, and where the bodies begin.
constexpr size_t kReleasedAt = 64, kBodiesAt = 4096;

// Both ends of a ring, and the memory as a hostile process has it.
struct Ends {
  explicit Ends(size_t bytes) : writer(RingWriter::make(bytes)) {
    REQUIRE(writer != nullptr);
    const wire::RingOffer& offer = writer->offer();
    memory = SharedMemory::open(offer.process(), offer.handle(), kBodiesAt + bytes);
    REQUIRE(memory != nullptr);
    CHECK_FALSE(writer->is_taken());
    reader = RingReader::open(offer);
    REQUIRE(reader != nullptr);
    REQUIRE(writer->is_taken());
  }
  // Hands a body over, and returns what arrives.
  Bytes pass(const Bytes& body) const {
    REQUIRE(writer->put(body));
    const auto arrived = RingReader::next(reader, body.size());
    REQUIRE(arrived != nullptr);
    Bytes out(body.size());
    arrived->read(out.data(), out.size() / 3);
    arrived->read(out.data() + out.size() / 3, out.size() - out.size() / 3);
    CHECK(writer->take_released() == std::optional<size_t>(1));
    return out;
  }
  void claim_released(uint64_t bytes) const { std::memcpy(memory->data() + kReleasedAt, &bytes, sizeof bytes); }

  std::unique_ptr<RingWriter> writer;
  std::unique_ptr<SharedMemory> memory;
  std::shared_ptr<RingReader> reader;
};

// True if the offer is taken with another handle.
bool takes(wire::RingOffer offer, int handle) {
  offer = {offer.mark(), offer.answer(), own_process(), static_cast<uint32_t>(handle), offer.bytes(), 0};
  return RingReader::open(offer) != nullptr;
}

// A file of memory that begins with the mark of the offer.
int forged(const wire::RingOffer& offer, unsigned flags, int seals) {
  const int file = memfd_create("forged", flags);
  const uint64_t mark = offer.mark();
  REQUIRE(file >= 0);
  REQUIRE(ftruncate(file, static_cast<off_t>(kBodiesAt + offer.bytes())) == 0);
  REQUIRE(write(file, &mark, sizeof mark) == sizeof mark);
  if (seals != 0) REQUIRE(fcntl(file, F_ADD_SEALS, seals) == 0);
  return file;
}

}  // namespace

TEST_CASE("bodies of all sizes go around the end of a ring") {
  for (const size_t ring : {size_t{1}, size_t{1000}, size_t{8192}, 3 * kMiB}) {
    const Ends ends(ring);
    for (size_t i = 0; i < 60; ++i) {
      const Bytes body = pattern(1 + i * 7919 % ring, i);
      CHECK(ends.pass(body) == body);
    }
    CHECK(ends.pass(pattern(ring)) == pattern(ring));
  }
}

TEST_CASE("a ring that is full takes no body until one is released, in whatever order") {
  const Ends ends(1000);
  CHECK(ends.writer->put(pattern(400)));
  CHECK(ends.writer->put(pattern(600, 1)));
  CHECK_FALSE(ends.writer->put(pattern(1)));
  auto first = RingReader::next(ends.reader, 400), second = RingReader::next(ends.reader, 600);
  CHECK(RingReader::next(ends.reader, 1) == nullptr);
  second.reset();
  CHECK(ends.writer->take_released() == std::optional<size_t>(0));
  CHECK_FALSE(ends.writer->put(pattern(1)));
  first.reset();  // unread
  CHECK(ends.writer->put(pattern(300)));
  CHECK(ends.writer->take_released() == std::optional<size_t>(2));
  CHECK(ends.writer->has_bodies());
  RingReader::next(ends.reader, 300).reset();
  CHECK(ends.writer->take_released() == std::optional<size_t>(1));
  CHECK_FALSE(ends.writer->has_bodies());
  CHECK(ends.pass(pattern(1000, 2)) == pattern(1000, 2));
}

TEST_CASE("a body whose head was not sent leaves no trace") {
  const Ends ends(1000);
  CHECK(ends.writer->put(pattern(700)));
  ends.writer->take_back();
  CHECK_FALSE(ends.writer->has_bodies());
  CHECK(ends.pass(pattern(900, 1)) == pattern(900, 1));
  CHECK(ends.writer->put(pattern(300)));
  CHECK(ends.writer->put(pattern(300)));
  ends.writer->take_back();
  CHECK(ends.writer->put(pattern(700, 3)));
  CHECK_FALSE(ends.writer->put(pattern(1)));
}

TEST_CASE("sizes that the ring cannot have are refused") {
  const Ends ends(1000);
  for (const size_t bytes : {size_t{0}, size_t{1001}, kMiB, ~size_t{0}}) {
    CHECK(RingReader::next(ends.reader, bytes) == nullptr);
  }
  const auto one = RingReader::next(ends.reader, 999);
  CHECK(one != nullptr);
  CHECK(RingReader::next(ends.reader, 2) == nullptr);
  CHECK(RingReader::next(ends.reader, 1) != nullptr);
}

TEST_CASE("a reader that claims what cannot be is found out") {
  for (const uint64_t claim : {uint64_t{701}, uint64_t{1000}, ~uint64_t{0}, uint64_t{1} << 63, uint64_t{299}}) {
    const Ends ends(1000);
    CHECK(ends.pass(pattern(300)) == pattern(300));
    CHECK(ends.writer->put(pattern(400)));
    ends.claim_released(claim);
    CHECK_FALSE(ends.writer->take_released());
  }
  // A part of a body is none.
  const Ends ends(1000);
  CHECK(ends.writer->put(pattern(400)));
  ends.claim_released(399);
  CHECK(ends.writer->take_released() == std::optional<size_t>(0));
  ends.claim_released(400);
  CHECK(ends.writer->take_released() == std::optional<size_t>(1));
}

TEST_CASE("bytes that change in the ring do not change a copy") {
  const Ends ends(1000);
  const Bytes body = pattern(1000);
  CHECK(ends.writer->put(body));
  const auto arrived = RingReader::next(ends.reader, 1000);
  Bytes copy(1000);
  arrived->read(copy.data(), 500);
  std::memset(ends.memory->data() + kBodiesAt, 0, 1000);
  CHECK(std::equal(copy.begin(), copy.begin() + 500, body.begin()));
  arrived->read(copy.data() + 500, 500);
  CHECK(std::equal(copy.begin(), copy.begin() + 500, body.begin()));
  CHECK(copy[700] == std::byte{0});  // a checksum of the copy finds it
}

TEST_CASE("the bodies of a process that has ended are still read") {
  Ends ends(1000);
  CHECK(ends.writer->put(pattern(1000)));
  ends.memory.reset();
  ends.writer.reset();
  const auto arrived = RingReader::next(ends.reader, 1000);
  Bytes copy(1000);
  arrived->read(copy.data(), 1000);
  CHECK(copy == pattern(1000));
}

TEST_CASE("an offer of what is no such memory is not taken, and opens nothing") {
  const auto writer = RingWriter::make(1000);
  const wire::RingOffer& offer = writer->offer();
  const auto changed = [&](uint64_t mark, uint32_t process, uint32_t bytes) {
    return RingReader::open({mark, offer.answer(), process, offer.handle(), bytes, 0}) != nullptr;
  };
  CHECK_FALSE(changed(offer.mark() + 1, offer.process(), 1000));
  CHECK_FALSE(changed(offer.mark(), 0, 1000));
  CHECK_FALSE(changed(offer.mark(), 0xFFFFFFFF, 1000));
  for (const uint32_t bytes : {0u, 999u, 1001u, 0xFFFFFFFFu, static_cast<uint32_t>(kMaxRingBytes + 1)}) {
    CHECK_FALSE(changed(offer.mark(), offer.process(), bytes));
  }
  CHECK_FALSE(writer->is_taken());
  // Other files. To open the end of a pipe would wait for the other one.
  int pipes[2];
  REQUIRE(pipe2(pipes, O_CLOEXEC) == 0);
  const int zeros = open("/dev/zero", O_RDWR | O_CLOEXEC), folder = open("/", O_RDONLY | O_CLOEXEC);
  const int open_to_all = forged(offer, MFD_CLOEXEC | MFD_ALLOW_SEALING, F_SEAL_GROW);
  const int good = forged(offer, MFD_CLOEXEC | MFD_ALLOW_SEALING, F_SEAL_SHRINK);
  for (const int handle : {pipes[0], pipes[1], zeros, folder, open_to_all, 12345, -1})
    CHECK_FALSE(takes(offer, handle));
  CHECK(takes(offer, good));
  for (const int handle : {pipes[0], pipes[1], zeros, folder, open_to_all, good}) close(handle);
  // Pages of another kind, if the system has them.
  const int huge = memfd_create("huge", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB);
  if (huge >= 0) {
    CHECK(ftruncate(huge, off_t{2} << 20) == 0);
    CHECK(SharedMemory::open(own_process(), static_cast<uint32_t>(huge), size_t{2} << 20) == nullptr);
    close(huge);
  }
}

TEST_CASE("the size of the memory cannot change, and its handle goes when it is taken") {
  const auto writer = RingWriter::make(1000);
  const auto handle = static_cast<int>(writer->offer().handle());
  CHECK(ftruncate(handle, 0) != 0);
  CHECK(ftruncate(handle, 1 << 20) != 0);
  const auto reader = RingReader::open(writer->offer());
  CHECK(writer->is_taken());
  CHECK(fcntl(handle, F_GETFD) == -1);
  CHECK(RingReader::open(writer->offer()) == nullptr);
}

TEST_CASE("all rings of a process have a limit") {
  std::vector<std::unique_ptr<RingWriter>> rings;
  while (auto one = RingWriter::make(kMaxRingBytes)) rings.push_back(std::move(one));
  CHECK(rings.size() == kAllRingBytes / kMaxRingBytes);
  rings.pop_back();
  const auto one = RingWriter::make(kMaxRingBytes / 2 + 1);
  REQUIRE(one != nullptr);
  CHECK(RingReader::open(one->offer()) == nullptr);  // opened ones count, too
  rings.pop_back();
  CHECK(RingReader::open(one->offer()) != nullptr);
}

TEST_CASE("a process with a limit of file sizes has no ring, and lives") {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    _exit(RingWriter::make(1000) == nullptr ? 7 : 8);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 7);
}

TEST_CASE("a writer that waits is woken by a release") {
  const Ends ends(1000);
  for (int i = 0; i < 200; ++i) {
    REQUIRE(ends.writer->put(pattern(1000)));
    std::thread reading([&] { RingReader::next(ends.reader, 1000).reset(); });
    for (;;) {
      const uint32_t seen = ends.writer->tick();
      if (*ends.writer->take_released() == 1) break;
      ends.writer->wait(seen);
    }
    reading.join();
  }
}

}  // namespace percale::remote
