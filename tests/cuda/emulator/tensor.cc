// Products on tensor cores: mma.m16n8k16 with sums in f32, from the places of elements in NVIDIA's
// PTX ISA.
#include <cstring>

#include "tests/cuda/emulator/shim.h"

namespace percale_emulator {
namespace {

// The operands of a lane.
struct Operands {
  const uint32_t* left;
  const uint32_t* right;
};

// The bits of element `i` of words that have two each.
uint16_t bits_at(const uint32_t* words, int i) { return static_cast<uint16_t>(words[i / 2] >> (16 * (i % 2))); }

}  // namespace

void multiply_add(float (&sums)[4], const uint32_t (&left)[4], const uint32_t (&right)[2], float (*element)(uint16_t)) {
  const Operands own{left, right};
  const uint64_t* const all = exchange_all(reinterpret_cast<uint64_t>(&own));
  const auto of = [all](int lane) { return *reinterpret_cast<const Operands*>(all[lane]); };
  const int lane = static_cast<int>(percale_lane());
  for (int i = 0; i < 4; ++i) {
    const int row = lane / 4, low = i / 2, column = 2 * (lane % 4) + i % 2;
    double sum = static_cast<double>(sums[i]);
    for (int k = 0; k < 16; ++k) {
      const int at = k % 8 / 2, far = k / 8, second = k % 2;
      const float a = element(bits_at(of(4 * row + at).left, 2 * (2 * far + low) + second));
      const float b = element(bits_at(of(4 * column + at).right, 2 * far + second));
      sum += static_cast<double>(a) * static_cast<double>(b);
    }
    sums[i] = static_cast<float>(sum);
  }
  exchange(0, 0);  // No lane changes its operands before all have read them.
}

}  // namespace percale_emulator
