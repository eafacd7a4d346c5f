// The stream of random numbers of one random node.
#ifndef PERCALE_OPS_RANDOM_RANDOM_STREAM_H_
#define PERCALE_OPS_RANDOM_RANDOM_STREAM_H_

#include <cstdint>

#include "core/base/philox.h"

namespace percale {

// A Philox generator whose key is made of the seeds of the run and of the node and of the node's
// id. Its counter is (step, row, element within the row). Step and row wrap modulo 2^44, elements
// modulo 2^42.
class RandomStream {
 public:
  constexpr RandomStream(int64_t run_seed, int64_t seed, int64_t id, int64_t step)
      : step_(static_cast<uint64_t>(step)) {
    // All inputs are mixed, so that streams of neighbouring seeds and ids do not share a key.
    const uint64_t seeds = mix(static_cast<uint64_t>(run_seed)) + static_cast<uint64_t>(seed);
    const uint64_t key = mix(mix(seeds + 0x9E3779B97F4A7C15) + static_cast<uint64_t>(id));
    key_ = {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)};
  }

  // Returns the four words of elements 4 * block to 4 * block + 3 of a row.
  constexpr PhiloxCounter block(int64_t row, int64_t block) const {
    const auto r = static_cast<uint64_t>(row), b = static_cast<uint64_t>(block);
    const auto high = static_cast<uint32_t>((b >> 32 & 0xFF) | (r >> 32 & 0xFFF) << 8 | (step_ >> 32 & 0xFFF) << 20);
    return philox({static_cast<uint32_t>(b), static_cast<uint32_t>(r), static_cast<uint32_t>(step_), high}, key_);
  }

 private:
  // The finaliser of SplitMix64, a bijection.
  static constexpr uint64_t mix(uint64_t x) {
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
    x = (x ^ x >> 27) * 0x94D049BB133111EB;
    return x ^ x >> 31;
  }
  uint64_t step_;
  PhiloxKey key_{};
};

}  // namespace percale

#endif  // PERCALE_OPS_RANDOM_RANDOM_STREAM_H_
