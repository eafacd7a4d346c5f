#include "core/train/averaging.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <new>

namespace percale {
namespace {

constexpr int64_t kTileBytes = 256 << 10;

template <class T>
void add_tile(const Tensor& a, const Tensor& b, int64_t begin, int64_t end) {
  T* out = a.mutable_span<T>().data();
  const T* in = b.span<T>().data();
  for (int64_t i = begin; i < end; ++i) out[i] += in[i];
}

}  // namespace

ShardRows shard_rows(int64_t rows, int64_t shards, int64_t shard) {
  const auto bound = [&](int64_t s) { return static_cast<int64_t>(static_cast<__int128>(s) * rows / shards); };
  return {bound(shard), bound(shard + 1)};
}

size_t tree_levels(int64_t shards) {
  size_t out = 1;
  for (int64_t width = shards; width > 1; width = (width + 1) / 2) ++out;
  return out;
}

void add_tensors(const std::vector<Tensor>& a, const std::vector<Tensor>& b, const ParallelFor& parallel) {
  std::vector<int64_t> first_tile = {0};  // of each tensor
  for (const Tensor& t : a) first_tile.push_back(first_tile.back() + (t.bytes() + kTileBytes - 1) / kTileBytes);
  parallel(first_tile.back(), [&](int64_t tile) {
    size_t i = 0;
    while (first_tile[i + 1] <= tile) ++i;
    const int64_t size = dtype_bits(a[i].dtype()) / 8, per_tile = kTileBytes / size;
    const int64_t begin = (tile - first_tile[i]) * per_tile;
    const int64_t end = std::min(begin + per_tile, a[i].num_elements());
    if (a[i].dtype() == DType::kF64) {
      add_tile<double>(a[i], b[i], begin, end);
    } else {
      add_tile<float>(a[i], b[i], begin, end);
    }
  });
}

Result<ShardSums> ShardSums::create(const std::vector<ValueType>& types, const Sizes& sizes,
                                    const std::shared_ptr<MemoryPool>& pool) {
  ShardSums out;
  out.sizes_ = sizes;
  out.replicas_.resize(sizes.replicas);
  const size_t levels = tree_levels(sizes.shards);
  // A shard under way keeps the sums beside its way to the root waiting.
  const size_t wanted = levels + (sizes.replicas * sizes.lanes - 1) * (levels - 1);
  out.buffers_.resize(std::min(wanted, static_cast<size_t>(sizes.shards)));
  const auto make = [&](std::vector<Tensor>& tensors) -> Status {
    for (const ValueType& type : types) {
      if (type.dtype != DType::kF32 && type.dtype != DType::kF64) {
        return unimplemented("training in ", type.dtype, ": gradients are f32 or f64");
      }
      PERCALE_ASSIGN_OR_RETURN(Tensor tensor, Tensor::allocate(pool, type.dtype, type.shape));
      tensors.push_back(std::move(tensor));
    }
    return {};
  };
  for (auto& tensors : out.buffers_) PERCALE_RETURN_IF_ERROR(make(tensors));
  if (sizes.several) PERCALE_RETURN_IF_ERROR(make(out.several_));
  return out;
}

Status ShardSums::place(size_t replica, bool apart) {
  replicas_[replica] = {apart, false};
  const auto count = std::count_if(replicas_.begin(), replicas_.end(), [](const Replica& r) { return r.apart; });
  if (count == 0) return {};
  if (threads_ == nullptr) threads_ = std::make_unique<DeviceThreads>();
  return threads_->reserve(static_cast<size_t>(count) * sizes_.lanes);
}

void ShardSums::add_batch(bool first, const ParallelFor& parallel) {
  if (first) {
    several_.swap(buffers_[batch_]);
  } else {
    add_tensors(several_, buffers_[batch_], parallel);
  }
}

// One batch on its way up the tree. A shard's sums climb as far as the sums beside their way are there; the last to arrive at a
// knot adds the two.
class ShardSums::Reduction {
 public:
  Reduction(ShardSums& sums, int64_t rows, const ParallelFor& parallel, const Compute& compute, const IsLoss& is_loss)
      : sums_(sums), rows_(rows), parallel_(parallel), compute_(compute), is_loss_(is_loss) {
    for (size_t i = 0; i < sums.buffers_.size(); ++i) free_.push_back(i);
    again_.reserve(sums.replicas_.size() * sums.sizes_.lanes);
    grow(0, sums.sizes_.shards, kNone);
  }

  // One round, but for shards whose replica was lost when the others had nothing left to do.
  Status run() {
    while (status_.ok() && !knots_[0].done) {
      // A replica once per lane; the first lanes of all come first, so that no replica waits for another's second.
      std::vector<size_t> apart, together;
      for (size_t lane = 0; lane < sums_.sizes_.lanes; ++lane) {
        for (size_t i = 0; i < sums_.replicas_.size(); ++i) {
          if (!sums_.replicas_[i].lost) (sums_.replicas_[i].apart ? apart : together).push_back(i);
        }
      }
      if (apart.empty() && together.empty()) {
        return loss_.ok() ? Status(Code::kUnavailable, "every device that computes shards is lost") : std::move(loss_);
      }
      const auto share = [&] {
        if (together.empty()) return;
        parallel_(static_cast<int64_t>(together.size()), [&](int64_t i) { work(together[static_cast<size_t>(i)]); });
      };
      if (apart.empty()) {
        share();
      } else if (apart.size() == 1 && together.empty()) {
        work(apart[0]);
      } else {
        sums_.threads_->run(
            apart.size(), [&](size_t i) { work(apart[i]); }, share);
      }
    }
    if (status_.ok()) sums_.batch_ = knots_[0].buffer;
    return std::move(status_);
  }

 private:
  static constexpr size_t kNone = static_cast<size_t>(-1);
  struct Knot {
    size_t parent = kNone, left = kNone, right = kNone, buffer = kNone;  // kNone of a buffer: no rows
    bool done = false;
  };

  size_t grow(int64_t from, int64_t to, size_t parent) {
    const size_t at = knots_.size();
    knots_.push_back({parent});
    if (to - from == 1) {
      leaves_.push_back(at);
      return at;
    }
    const int64_t middle = from + (to - from + 1) / 2;
    const size_t left = grow(from, middle, at), right = grow(middle, to, at);
    knots_[at].left = left, knots_[at].right = right;
    return at;
  }

  // Others may wait for this replica: it ends with an error, not with an exception.
  void work(size_t replica) {
    try {
      take_shards(replica);
    } catch (const std::bad_alloc&) {
      const std::lock_guard lock(mutex_);
      if (status_.ok()) status_ = Status::out_of_memory();
    }
    freed_.notify_all();
  }

  void take_shards(size_t replica) {
    std::unique_lock lock(mutex_);
    while (status_.ok() && !sums_.replicas_[replica].lost && (!again_.empty() || next_ < sums_.sizes_.shards)) {
      const int64_t shard = again_.empty() ? next_ : again_.back();
      const ShardRows range = shard_rows(rows_, sums_.sizes_.shards, shard);
      const size_t leaf = leaves_[static_cast<size_t>(shard)];
      if (range.begin == range.end) {
        ++next_;
        climb(leaf, lock);
        continue;
      }
      // Who is ahead of all others waits for them to add what they have: at least one of them is at work. One that is lost at it
      // gives its buffer back.
      if (free_.empty()) {
        freed_.wait(lock);
        continue;
      }
      if (again_.empty()) {
        ++next_;
      } else {
        again_.pop_back();
      }
      const size_t buffer = free_.back();
      free_.pop_back();
      lock.unlock();
      Status status = compute_(replica, shard, range, sums_.buffers_[buffer]);
      lock.lock();
      if (!status.ok()) {
        if (is_loss_ && is_loss_(replica, status)) {
          sums_.replicas_[replica].lost = true;
          free_.push_back(buffer);
          again_.push_back(shard);
          loss_ = std::move(status);
        } else if (status_.ok()) {
          status_ = std::move(status);
        }
        return;
      }
      knots_[leaf].buffer = buffer;
      climb(leaf, lock);
    }
  }

  // The knot has its sums.
  void climb(size_t at, std::unique_lock<std::mutex>& lock) {
    while (true) {
      knots_[at].done = true;
      if (knots_[at].parent == kNone) return;
      at = knots_[at].parent;
      Knot& knot = knots_[at];
      const Knot &left = knots_[knot.left], &right = knots_[knot.right];
      if (!left.done || !right.done) return;
      knot.buffer = left.buffer != kNone ? left.buffer : right.buffer;
      if (left.buffer == kNone || right.buffer == kNone) continue;
      lock.unlock();
      add_tensors(sums_.buffers_[left.buffer], sums_.buffers_[right.buffer], parallel_);
      lock.lock();
      free_.push_back(right.buffer);
      freed_.notify_all();
    }
  }

  ShardSums& sums_;
  const int64_t rows_;
  const ParallelFor& parallel_;
  const Compute& compute_;
  const IsLoss& is_loss_;
  std::vector<Knot> knots_;     // the root first
  std::vector<size_t> leaves_;  // per shard
  std::mutex mutex_;            // guards what follows, and the knots
  std::condition_variable freed_;
  std::vector<size_t> free_;
  int64_t next_ = 0;
  std::vector<int64_t> again_;  // shards whose replica was lost
  Status status_, loss_;
};

Status ShardSums::reduce(int64_t rows, const ParallelFor& parallel, const Compute& compute, const IsLoss& is_loss) {
  return Reduction(*this, rows, parallel, compute, is_loss).run();
}

}  // namespace percale
