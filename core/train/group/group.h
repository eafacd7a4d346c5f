// The ranks that train together, as one of them sees them.
#ifndef PERCALE_CORE_TRAIN_GROUP_GROUP_H_
#define PERCALE_CORE_TRAIN_GROUP_GROUP_H_

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/engine/trace.h"
#include "core/tensor/tensor.h"
#include "core/train/group/collective.h"
#include "core/train/group/segment_holders.h"
#include "core/train/shards/shard_tree.h"

namespace percale {

// The memory of a tensor; that of tensors which allocate_tensors() has made, from the first one to
// the last one.
inline ByteSpan memory_of(const Tensor& t) { return {t.data(), static_cast<size_t>(t.bytes())}; }
ByteSpan memory_of(std::span<const Tensor> tensors);

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
  // `redundancy`: 1 if two ranks hold each part of the optimizer's state, 0 if one does, -1: 1 if
  // the collective reports losses. `timeout_ns`: of an exchange; < 0: none. INVALID_ARGUMENT for a
  // rank or size that does not fit.
  static Result<std::unique_ptr<Group>> create(std::shared_ptr<Collective> collective, int64_t timeout_ns,
                                               int64_t redundancy);

  // The ranks that are left are numbered from 0.
  size_t rank() const { return rank_; }
  size_t size() const { return members_.size(); }
  // The number of a rank when the group was formed.
  size_t origin(size_t rank) const { return members_[rank]; }
  size_t origin() const { return members_[rank_]; }
  // The reverse. Precondition: the rank is left.
  size_t rank_of(size_t origin) const;
  uint64_t generation() const { return collective_->generation(); }
  // By these numbers.
  SegmentHolders& holders() { return holders_; }
  const SegmentHolders& holders() const { return holders_; }
  // The shards that a rank computes: floor(rank * shards / size) to the next.
  ShardRange shards_of(size_t rank, int64_t shards) const;

  // Sends sends[r] to rank r, and receives recvs[r] from it; the own entry of `recvs` is left as it
  // is. `what` names the exchange in messages of errors.
  Status exchange(std::string_view what, std::vector<ByteSpan> sends, std::vector<ByteSpan> recvs);
  // The first holder of each segment sends memory(segment), and the others receive it there.
  Status exchange_segments(std::string_view what, const std::function<ByteSpan(size_t segment)>& memory);
  // The texts of all ranks, in their order. Sizes may differ.
  Result<std::vector<std::string>> gather(std::string_view what, std::string own);
  // all[r] are the numbers of rank r: the own ones go to all ranks, the others come from theirs.
  // Returns the first error of a rank; `own` is that of this one. Precondition: each rank knows the
  // number of the others' numbers.
  Status exchange_numbers(std::string_view what, const Status& own, std::vector<std::vector<double>>& all);
  // Counts the devices of all ranks, of which this one has `own`.
  Status count_devices(int64_t own);
  int64_t devices() const { return devices_; }
  // FAILED_PRECONDITION names the first fact in which a rank differs from rank 0. The names and
  // their order are the same on all ranks. `own`: an error of this rank, which all get.
  Status agree(const std::vector<GroupFact>& facts, const Status& own = {});

  // True once an exchange has failed: the group can exchange nothing more before reform().
  bool broken() const { return !failure_.ok(); }
  // Goes on with the ranks that are left, which are all if the exchange was harmed and no rank is
  // lost. Fails with the error of the exchange if the host reports no losses, if no rank is lost
  // and the error is not UNAVAILABLE, or if too many exchanges have failed; or with that of end().
  // Precondition: broken().
  Status reform();
  // The times that the group was formed anew.
  size_t reforms() const { return lost() + repeats_; }
  // A step, an evaluation or a checkpoint is done.
  void note_progress() { fruitless_ = 0; }
  // The ranks that are left cannot go on, for this reason.
  void end(const Status& why) {
    failure_ = why;
    ended_ = true;
  }
  // The exchanges of this rank so far, and their cost.
  struct Facts {
    int64_t exchanges = 0, bytes_sent = 0;
    int64_t waited_ns = 0;  // while nothing else was done
  };
  const Facts& facts() const { return facts_; }
  // While it lives, the rank does nothing but wait for others.
  class Wait {
   public:
    explicit Wait(Group& group) : group_(group), begin_(now_ns()) {}
    ~Wait() { group_.facts_.waited_ns += now_ns() - begin_; }
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;

   private:
    Group& group_;
    const int64_t begin_;
  };
  // The number of ranks that were lost so far.
  size_t lost() const { return holders_.segments() - members_.size(); }

 private:
  Group(std::shared_ptr<Collective> collective, int64_t timeout_ns, bool twice);
  Result<bool> drop_lost();

  const std::shared_ptr<Collective> collective_;
  const int64_t timeout_ns_;
  std::vector<size_t> members_;  // the numbers at the beginning
  size_t rank_;
  SegmentHolders holders_;
  int64_t devices_ = 0;     // of all ranks
  uint64_t exchanges_ = 0;  // since the group was formed
  size_t repeats_ = 0;      // times that all ranks went on
  int fruitless_ = 0;       // of these, the last ones without progress
  Facts facts_;
  Status failure_;
  bool ended_ = false;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_GROUP_GROUP_H_
