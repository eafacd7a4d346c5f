// Instructions of a program on a queue between which nothing comes from outside: once their operands have lain alike twice, they go on the
// queue as one piece, which the device has kept.
#ifndef PERCALE_CORE_SESSION_STRETCH_H_
#define PERCALE_CORE_SESSION_STRETCH_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/engine/device_handle.h"

namespace percale {

class Stretch {
 public:
  // Instructions `begin` to `end`.
  Stretch(int32_t begin, int32_t end) : begin_(begin), end_(end) {}

  int32_t begin() const { return begin_; }
  int32_t end() const { return end_; }

  // What is known of the operands as they lie now.
  struct Met {
    std::vector<void*> operands;
    DeviceCapture recording;
  };
  // Null where they have not been met: they are remembered, but for those that change too often.
  Met* meet(std::span<void* const> operands);

  // The device can not do it again.
  void refuse() { refused_ = true, met_.clear(); }

 private:
  const int32_t begin_, end_;
  bool refused_ = false;
  std::vector<Met> met_;
};

struct BoundProgram;

// The stretches of a program, where its device keeps work; with `has_variables` those of runs that need not wait for a Wait::kept.
std::vector<Stretch> find_stretches(const BoundProgram& program, bool has_variables);

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_STRETCH_H_
