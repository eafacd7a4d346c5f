// Random numbers and tensors for tests, the same in every run.
#ifndef PERCALE_TESTS_CUDA_RANDOM_H_
#define PERCALE_TESTS_CUDA_RANDOM_H_

#include <random>
#include <vector>

#include "core/tensor/tensor.h"

namespace percale {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  int64_t pick(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(engine_); }
  Tensor tensor(const Shape& shape, float low = -2, float high = 2) {
    std::vector<float> values(static_cast<size_t>(shape.num_elements()));
    std::uniform_real_distribution<float> real(low, high);
    for (float& v : values) v = real(engine_);
    return Tensor::of<float>(shape, values);
  }

 private:
  std::mt19937 engine_;
};

}  // namespace percale

#endif  // PERCALE_TESTS_CUDA_RANDOM_H_
