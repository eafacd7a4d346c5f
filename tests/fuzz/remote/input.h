// The steps that the inputs of the fuzz targets in this folder consist of.
#ifndef PERCALE_TESTS_FUZZ_REMOTE_INPUT_H_
#define PERCALE_TESTS_FUZZ_REMOTE_INPUT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace percale::fuzz {

struct RemoteStep {
  uint8_t kind;
  std::span<const std::byte> bytes;
};

// A step is a byte for its kind, two bytes for a size, and so many bytes.
class RemoteInput {
 public:
  RemoteInput(const uint8_t* data, size_t size) : left_(reinterpret_cast<const std::byte*>(data), size) {}

  bool has_next() const { return left_.size() >= 3; }
  RemoteStep next() {
    const size_t wanted = static_cast<size_t>(left_[1]) | static_cast<size_t>(left_[2]) << 8;
    const RemoteStep out{static_cast<uint8_t>(left_[0]), left_.subspan(3, std::min(wanted, left_.size() - 3))};
    left_ = left_.subspan(3 + out.bytes.size());
    return out;
  }

 private:
  std::span<const std::byte> left_;
};

}  // namespace percale::fuzz

#endif  // PERCALE_TESTS_FUZZ_REMOTE_INPUT_H_
