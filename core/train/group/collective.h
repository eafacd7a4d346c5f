// The exchange of bytes that a host supplies so that trainers in several processes train together.
#ifndef PERCALE_CORE_TRAIN_GROUP_COLLECTIVE_H_
#define PERCALE_CORE_TRAIN_GROUP_COLLECTIVE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/status.h"

namespace percale {

// Borrowed memory.
struct ByteSpan {
  void* data = nullptr;
  size_t size = 0;
};

// One caller at a time.
class Collective {
 public:
  virtual ~Collective() = default;
  // 0 <= rank() < size(). Both are fixed.
  virtual int32_t rank() const = 0;
  virtual int32_t size() const = 0;
  // A number that grows when the group is formed anew, the same on all ranks. The host refuses
  // messages of older generations.
  virtual uint64_t generation() const = 0;
  // Sends sends[r] to rank r and fills recvs[r] with what it sends; the own entries are empty. All
  // ranks call in the same order and with the same tag, and each knows every size in advance.
  // `timeout_ns` < 0: waits without limit.
  virtual Status exchange(uint64_t tag, std::span<const ByteSpan> sends, std::span<const ByteSpan> recvs,
                          int64_t timeout_ns) = 0;
  // True if lost() tells which ranks are lost.
  virtual bool reports_losses() const = 0;
  // The lost ranks, in ascending order. Called only after an exchange that failed, or once more
  // after too many of them. No rank beyond those of the last call: the ranks that are left go on,
  // repeat what has failed, and all get this answer.
  virtual Result<std::vector<int32_t>> lost() = 0;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_GROUP_COLLECTIVE_H_
