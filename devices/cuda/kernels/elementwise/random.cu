// Random numbers and dropout with the same counters as the library (ops/random/random_stream.h). A
// number depends only on the key, the step, the row and the element within the row. Philox4x32-10
// returns four words at a time, and one thread makes all elements of such a block.
#include "devices/cuda/kernels/common/device.cuh"

namespace percale::cuda {
namespace {

struct Words {
  uint32_t word[4];
};

__device__ Words philox(Words counter, uint64_t key) {
  uint32_t key0 = static_cast<uint32_t>(key), key1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = static_cast<uint64_t>(0xD2511F53u) * counter.word[0];
    const uint64_t b = static_cast<uint64_t>(0xCD9E8D57u) * counter.word[2];
    counter = {{static_cast<uint32_t>(b >> 32) ^ counter.word[1] ^ key0, static_cast<uint32_t>(b),
                static_cast<uint32_t>(a >> 32) ^ counter.word[3] ^ key1, static_cast<uint32_t>(a)}};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return counter;
}

// The finaliser of SplitMix64: a bijection.
__device__ uint64_t mix(uint64_t x) {
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ x >> 27) * 0x94D049BB133111EBULL;
  return x ^ x >> 31;
}
__device__ uint64_t key_of(const Draw& draw, uint64_t seed, uint64_t id) {
  return mix(mix(mix(static_cast<uint64_t>(draw.seed)) + seed + 0x9E3779B97F4A7C15ULL) + id);
}

__device__ Words words_of(uint64_t key, int64_t step, int64_t row, int64_t block) {
  const uint64_t s = static_cast<uint64_t>(step), r = static_cast<uint64_t>(row), b = static_cast<uint64_t>(block);
  const uint64_t high = (b >> 32 & 0xFF) | (r >> 32 & 0xFFF) << 8 | (s >> 32 & 0xFFF) << 20;
  return philox({{static_cast<uint32_t>(b), static_cast<uint32_t>(r), static_cast<uint32_t>(s),
                  static_cast<uint32_t>(high)}},
                key);
}

// Uniform numbers in [0, 1): multiples of 2^-24 from one word, of 2^-53 from two.
struct UnitOfWord {
  using Type = float;
  static constexpr int kElements = 4;  // of a block
  __device__ static float of(const Words& words, int element) {
    return static_cast<float>(words.word[element] >> 8) * 5.9604644775390625e-8f;
  }
};
struct UnitOfTwo {
  using Type = double;
  static constexpr int kElements = 2;
  __device__ static double of(const Words& words, int element) {
    const uint64_t high = words.word[2 * element] >> 5, low = words.word[2 * element + 1] >> 6;
    return static_cast<double>(high << 26 | low) * 1.1102230246251565404e-16;
  }
};

__device__ float next_towards(float from, float to) { return nextafterf(from, to); }
__device__ double next_towards(double from, double to) { return nextafter(from, to); }

template <class T, class Unit>
__device__ void draw(const RandomArgs& a) {
  using W = typename Unit::Type;
  T* y = at<T>(a.y);
  const Draw counters = *at<const Draw>(a.draw);
  const uint64_t key = key_of(counters, a.seed, a.id);
  const W low = static_cast<W>(a.low), width = static_cast<W>(a.high - a.low);
  // Rounding must not produce the excluded upper limit.
  const W below = next_towards(static_cast<W>(a.high), low), last = below > low ? below : low;
  const int64_t blocks = (a.row_size + Unit::kElements - 1) / Unit::kElements;
  for (int64_t n = thread_number(); n < a.rows * blocks; n += thread_count()) {
    const Divided of = divide(n, blocks);
    const int64_t row = of.quotient, first = of.rest * Unit::kElements;
    const Words words = words_of(key, counters.step, counters.first_row + row, of.rest);
    for (int i = 0; i < Unit::kElements && first + i < a.row_size; ++i) {
      W number;
      if (a.normal) {
        // Box-Muller: elements 2k and 2k + 1 are the coordinates of one point. 1 - u is in (0, 1].
        const double radius = sqrt(-2 * log(1 - static_cast<double>(Unit::of(words, i & ~1))));
        const double angle = 2 * 3.14159265358979323846 * static_cast<double>(Unit::of(words, i | 1));
        number = static_cast<W>(a.mean + a.scale * (radius * ((i & 1) == 0 ? cos(angle) : sin(angle))));
      } else {
        number = low + width * Unit::of(words, i);
        if (last < number) number = last;
      }
      y[row * a.row_size + first + i] = narrow<T>(number);
    }
  }
}

// percale_dtype
enum : int32_t { kF32 = 1, kF16 = 10, kF64 = 11, kBF16 = 16 };

__device__ double read_ratio(const DropoutArgs& a) {
  switch (a.ratio_dtype) {
    case kF32: return static_cast<double>(*at<const float>(a.ratio));
    case kF64: return *at<const double>(a.ratio);
    case kF16: return static_cast<double>(widen(*at<const F16>(a.ratio)));
    case kBF16: return static_cast<double>(widen(*at<const BF16>(a.ratio)));
    default: return 0.5;
  }
}

template <class T>
__device__ void dropout(const DropoutArgs& a) {
  using W = Wide<T>;
  const T* x = at<const T>(a.x);
  T* y = at<T>(a.y);
  uint8_t* mask = a.mask.address != 0 ? at<uint8_t>(a.mask) : nullptr;
  const double ratio = read_ratio(a);
  const Draw counters = *at<const Draw>(a.draw);
  const uint64_t key = key_of(counters, a.seed, a.id);
  const bool training = a.training.address != 0 && *at<const uint8_t>(a.training) != 0;
  if (training && !(ratio >= 0 && ratio <= 1)) {
    const double held = ratio != ratio ? 0 : ratio < -1e9 ? -1e9 : ratio > 1e9 ? 1e9 : ratio;
    return fail(a.errors, kBadSize, static_cast<int64_t>(held));
  }
  const bool drop = training && ratio > 0;
  const uint64_t threshold = drop ? static_cast<uint64_t>(ratio * 4294967296.0) : 0;
  const W factor = drop && ratio < 1 ? static_cast<W>(1 / (1 - ratio)) : static_cast<W>(0);
  const int64_t blocks = (a.row_size + 3) / 4;
  for (int64_t n = thread_number(); n < a.rows * blocks; n += thread_count()) {
    const Divided of = divide(n, blocks);
    Words words{};
    if (drop) words = words_of(key, counters.step, counters.first_row + of.quotient, of.rest);
    for (int i = 0; i < 4 && of.rest * 4 + i < a.row_size; ++i) {
      const int64_t place = of.quotient * a.row_size + of.rest * 4 + i;
      const bool keep = !drop || words.word[i] >= threshold;
      if (!drop) {
        y[place] = x[place];
      } else {
        y[place] = keep ? narrow<T>(widen(x[place]) * factor) : narrow<T>(static_cast<W>(0));
      }
      if (mask != nullptr) mask[place] = keep;
    }
  }
}

}  // namespace

PERCALE_KERNEL(percale_tell_draw, DrawArgs, 32) {
  if (thread_number() == 0) *at<Draw>(a.place) = a.draw;
}
PERCALE_KERNEL(percale_random_f32, RandomArgs, 256) { draw<float, UnitOfWord>(a); }
PERCALE_KERNEL(percale_random_f64, RandomArgs, 256) { draw<double, UnitOfTwo>(a); }
PERCALE_KERNEL(percale_random_f16, RandomArgs, 256) { draw<F16, UnitOfWord>(a); }
PERCALE_KERNEL(percale_random_bf16, RandomArgs, 256) { draw<BF16, UnitOfWord>(a); }
#define PERCALE_DROPOUT(name, T) \
  PERCALE_KERNEL(percale_dropout_##name, DropoutArgs, 256) { dropout<T>(a); }
PERCALE_FLOAT_TYPES(PERCALE_DROPOUT)

}  // namespace percale::cuda
