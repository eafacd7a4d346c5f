// Reading a mutated file must give a graph or an error, never a crash. This program also runs under
// ASan and UBSan.
#include <doctest/doctest.h>

#include <array>

#include "core/graph_io/reader.h"
#include "core/graph_io/writer.h"
#include "tests/unit/graph/sample.h"
#include "tests/unit/graph/seal.h"

namespace percale {
namespace {

using sample::must;

class Random {  // xorshift64*
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 2685821657736338717U;
  }
  size_t below(size_t n) { return static_cast<size_t>(next() % n); }

 private:
  uint64_t state_;
};

void mutate(std::string& file, Random& random) {
  static constexpr std::array<uint32_t, 12> kEvil = {0,          1,          2,          0x7F,       0xFF,       0x100,
                                                     0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFE, 0x40000000, 64};
  const size_t changes = 1 + random.below(4);
  for (size_t i = 0; i < changes; ++i) {
    // Mostly in the FlatBuffer, which contains the structure.
    const size_t begin = random.below(8) == 0 ? 8 : kFileHeaderBytes;
    const size_t at = begin + random.below(file.size() - begin - 8);
    switch (random.below(5)) {
      case 0: file[at] = static_cast<char>(random.next()); break;
      case 1: file[at] = static_cast<char>(file[at] ^ (1 << random.below(8))); break;
      case 2: put_at(file, at & ~size_t{3}, kEvil[random.below(kEvil.size())]); break;
      case 3:
        put_at(file, at & ~size_t{3}, get_at<uint32_t>(file, at & ~size_t{3}) + (random.below(2) == 0 ? 1 : -1U));
        break;
      default: {  // a word from another position
        const size_t from = kFileHeaderBytes + random.below(file.size() - kFileHeaderBytes - 8);
        put_at(file, at & ~size_t{3}, get_at<uint32_t>(file, from & ~size_t{3}));
      }
    }
  }
}

TEST_CASE("thousands of changed files end in an error or in a graph that is written and read again") {
  const auto registry = sample::registry();
  const std::string good = must(write_graph(*sample::everything()));
  Random random(20240607);
  int valid = 0;
  constexpr int kRounds = 4000;
  for (int round = 0; round < kRounds; ++round) {
    std::string file = good;
    mutate(file, random);
    if (random.below(16) != 0) reseal(file);
    // A separate buffer, so that the sanitizer detects a read beyond its end.
    const Tensor memory = Tensor::copy_of(DType::kU8, Shape{static_cast<int64_t>(file.size())}, file.data(),
                                          static_cast<int64_t>(file.size()));
    const auto graph = read_graph(registry, memory.buffer(), {.check_crc = random.below(2) == 0});
    if (!graph.ok()) {
      CHECK_FALSE(graph.status().message().empty());
      continue;
    }
    ++valid;
    const auto again = write_graph(**graph);
    REQUIRE(again.ok());
    CHECK(read_graph(registry,
                     Tensor::copy_of(DType::kU8, Shape{}, again->data(), static_cast<int64_t>(again->size())).buffer())
              .ok());
  }
  // Some mutations hit names, metadata, weights or padding and stay valid; most must be refused.
  CHECK(valid > 0);
  CHECK(valid < kRounds / 2);
}

}  // namespace
}  // namespace percale
