/// Groups of processes that train one job together.
#ifndef PERCALE_CPP_COLLECTIVE_HPP_
#define PERCALE_CPP_COLLECTIVE_HPP_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "percale/callback.hpp"
#include "percale/result.hpp"

namespace percale {

/// An exchange of bytes between the processes of a group, which a program supplies by its sockets,
/// MPI or a cluster's own means. Trainer::join() makes a trainer a member of the group.
class Collective {
 public:
  /// Messages to send, by rank.
  using Sends = std::span<const std::span<const std::byte>>;
  /// Memory for messages to receive, by rank.
  using Receives = std::span<const std::span<std::byte>>;

  virtual ~Collective() = default;
  /// The number of this process, from 0. Read once, by Trainer::join(), as are size() and
  /// generation().
  virtual int32_t rank() const = 0;
  /// The number of processes, at least 1.
  virtual int32_t size() const = 0;
  /// A number that grows when the group is formed anew. exchange() refuses messages of older
  /// generations.
  virtual uint64_t generation() const = 0;

  /// Sends `sends[r]` to rank r and fills `receives[r]` with what rank r sends, for all ranks; the
  /// entries of the own rank are empty. All ranks call it in the same order and with the same
  /// `tag`, and both sides know every size in advance: a message of another size, or with another
  /// tag, is an error that exchange() returns. The memory is valid during the call.
  ///
  /// Tags grow on every rank. If losses are reported, a message with a smaller tag than that of the
  /// call is of an exchange that has failed: drop it. One with a larger tag says that the other
  /// rank has given this exchange up: return UNAVAILABLE, and keep the message for the call with
  /// its tag.
  ///
  /// The library calls it on one thread at a time, which need not be the one that trains. It may
  /// block for `timeout` nanoseconds (PERCALE_FOREVER: without limit), then it returns UNAVAILABLE.
  /// It must not use the same trainer.
  ///
  /// The status becomes that of Trainer::fit(), and so does an exception, with its message: an
  /// Error keeps its code, std::system_error becomes UNAVAILABLE, any other exception ABORTED.
  virtual Status exchange(uint64_t tag, Sends sends, Receives receives, int64_t timeout) = 0;

  /// True if lost() tells which ranks are lost. Training then goes on without them and gives the
  /// same bits. Two ranks hold each part of the optimizer's state (option
  /// "collective_redundancy"); if both are lost, Trainer::fit() returns DATA_LOSS.
  virtual bool reports_losses() const { return false; }
  /// Returns the lost ranks in ascending order. Called only after an exchange that failed.
  virtual Result<std::vector<int32_t>> lost() { return std::vector<int32_t>(); }
};

namespace detail {

/// A collective as the library calls it.
class HostedCollective {
 public:
  /// Shares the ownership of `collective`, which is not null.
  explicit HostedCollective(std::shared_ptr<Collective> collective)
      : collective_(std::move(collective)), size_(collective_->size()) {}

  /// Returns the table for percale_trainer_join(). The user is this object.
  percale_collective table() {
    percale_collective out{};
    out.struct_size = sizeof out;
    out.user = this;
    out.rank = collective_->rank();
    out.size = size_;
    out.generation = collective_->generation();
    out.exchange = [](void* user, uint64_t tag, const percale_bytes* sends, percale_bytes* recvs, int64_t timeout_ns) {
      HostedCollective& own = *static_cast<HostedCollective*>(user);
      return called_by_library([&] { return own.exchange(tag, sends, recvs, timeout_ns); });
    };
    if (collective_->reports_losses()) {
      out.lost = [](void* user, int32_t* out_ranks, size_t* inout_count) {
        HostedCollective& own = *static_cast<HostedCollective*>(user);
        return called_by_library([&] { return own.lost({out_ranks, *inout_count}, *inout_count); });
      };
    }
    return out;
  }

 private:
  Status exchange(uint64_t tag, const percale_bytes* sends, const percale_bytes* recvs, int64_t timeout) {
    std::vector<std::span<const std::byte>> to;
    std::vector<std::span<std::byte>> from;
    for (int32_t rank = 0; rank < size_; ++rank) {
      to.emplace_back(static_cast<const std::byte*>(sends[rank].data), sends[rank].size);
      from.emplace_back(static_cast<std::byte*>(recvs[rank].data), recvs[rank].size);
    }
    return collective_->exchange(tag, to, from, timeout);
  }
  Status lost(std::span<int32_t> room, size_t& count) {
    auto ranks = collective_->lost();
    if (!ranks) return std::move(ranks).error();
    if (ranks->size() > room.size()) return Status(Code::kInternal, "the collective has lost more ranks than it has");
    std::copy(ranks->begin(), ranks->end(), room.begin());
    count = ranks->size();
    return {};
  }

  const std::shared_ptr<Collective> collective_;
  const int32_t size_;
};

}  // namespace detail
}  // namespace percale

#endif  // PERCALE_CPP_COLLECTIVE_HPP_
