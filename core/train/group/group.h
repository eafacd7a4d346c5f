// The ranks that train together, as one of them sees them.
#ifndef PERCALE_CORE_TRAIN_GROUP_GROUP_H_
#define PERCALE_CORE_TRAIN_GROUP_GROUP_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/tensor/tensor.h"
#include "core/train/group/collective.h"
#include "core/train/shards/shard_tree.h"

namespace percale {

// The memory of a tensor; that of tensors which allocate_tensors() has made, from the first one to
// the last one.
inline ByteSpan memory_of(const Tensor& t) { return {t.data(), static_cast<size_t>(t.bytes())}; }
ByteSpan memory_of(const std::vector<Tensor>& tensors);

// The error of a rank at the beginning of its message: the code, then as much of the text as has
// room. All zeros: none.
inline constexpr size_t kErrorBytes = 256;
void write_error(const Status& error, uint8_t* to);
// DATA_LOSS for bytes that are no error.
Status read_error(const uint8_t* from);

// A name and its value on this rank, such as {"seed", "7"}.
using GroupFact = std::pair<std::string, std::string>;

// Thread-compatible. All ranks call the same functions in the same order.
class Group {
 public:
  // INVALID_ARGUMENT for a rank or size that does not fit. `timeout_ns`: of an exchange; < 0: none.
  static Result<std::unique_ptr<Group>> create(std::shared_ptr<Collective> collective, int64_t timeout_ns);

  size_t rank() const { return rank_; }
  size_t size() const { return size_; }
  // The shards that a rank computes: floor(rank * shards / size) to the next.
  ShardRange shards_of(size_t rank, int64_t shards) const;

  // Sends sends[r] to rank r, and receives recvs[r] from it; the own entry of `recvs` is left as it
  // is. `what` names the exchange in messages of errors.
  Status exchange(std::string_view what, std::vector<ByteSpan> sends, std::vector<ByteSpan> recvs);
  // The texts of all ranks, in their order. Sizes may differ.
  Result<std::vector<std::string>> gather(std::string_view what, std::string own);
  // Counts the devices of all ranks, of which this one has `own`.
  Status count_devices(int64_t own);
  int64_t devices() const { return devices_; }
  // FAILED_PRECONDITION names the first fact in which a rank differs from rank 0. The names and
  // their order are the same on all ranks.
  Status agree(const std::vector<GroupFact>& facts);
  // True once an exchange has failed: the group can exchange nothing more.
  bool broken() const { return !failure_.ok(); }

 private:
  Group(std::shared_ptr<Collective> collective, int64_t timeout_ns)
      : collective_(std::move(collective)),
        timeout_ns_(timeout_ns),
        rank_(static_cast<size_t>(collective_->rank())),
        size_(static_cast<size_t>(collective_->size())) {}

  const std::shared_ptr<Collective> collective_;
  const int64_t timeout_ns_;
  const size_t rank_, size_;
  int64_t devices_ = 0;     // of all ranks
  uint64_t exchanges_ = 0;  // so far: the tag of the next one
  Status failure_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_GROUP_GROUP_H_
