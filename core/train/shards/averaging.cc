#include "core/train/shards/averaging.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <new>

#include "core/base/thread_pool.h"

namespace percale {
namespace {

constexpr int64_t kTileBytes = 256 << 10;

// Memory bandwidth limits the speed, so data is prefetched a page ahead. Blocks have a fixed size,
// which compilers vectorise if parameters are declared not to overlap.
template <class T>
void add(T* __restrict to, const T* __restrict from, int64_t count) {
  constexpr int64_t kBlock = 64 / sizeof(T), kAhead = 4096 / sizeof(T);
  int64_t i = 0;
  for (; i + kBlock <= count; i += kBlock) {
    __builtin_prefetch(from + i + kAhead, 0);
    __builtin_prefetch(to + i + kAhead, 1);
    for (int64_t j = 0; j < kBlock; ++j) to[i + j] += from[i + j];
  }
  for (; i < count; ++i) to[i] += from[i];
}

int64_t tiles_of(const Tensor& t) { return (t.bytes() + kTileBytes - 1) / kTileBytes; }

template <class T>
void add_tile_as(const Tensor& a, const Tensor& b, int64_t tile) {
  constexpr int64_t kPerTile = kTileBytes / static_cast<int64_t>(sizeof(T));
  const int64_t begin = tile * kPerTile, end = std::min(begin + kPerTile, a.num_elements());
  add(a.mutable_span<T>().data() + begin, b.span<T>().data() + begin, end - begin);
}

void add_tile(const Tensor& a, const Tensor& b, int64_t tile) {
  a.dtype() == DType::kF64 ? add_tile_as<double>(a, b, tile) : add_tile_as<float>(a, b, tile);
}

}  // namespace

void add_tensors(const std::vector<Tensor>& a, const std::vector<Tensor>& b, const ParallelFor& parallel) {
  std::vector<int64_t> first_tile = {0};  // of each tensor
  for (const Tensor& t : a) first_tile.push_back(first_tile.back() + tiles_of(t));
  parallel(first_tile.back(), [&](int64_t tile) {
    size_t i = 0;
    while (first_tile[i + 1] <= tile) ++i;
    add_tile(a[i], b[i], tile - first_tile[i]);
  });
}

void add_tensors(const Tensor& a, const Tensor& b, const ParallelFor& parallel) {
  parallel(tiles_of(a), [&](int64_t tile) { add_tile(a, b, tile); });
}

Result<ShardSums> ShardSums::create(std::vector<ValueType> types, const Sizes& sizes,
                                    std::shared_ptr<MemoryPool> pool) {
  for (const ValueType& type : types) {
    if (type.dtype != DType::kF32 && type.dtype != DType::kF64) {
      return unimplemented("training in ", type.dtype, ": gradients are f32 or f64");
    }
  }
  ShardSums out;
  out.types_ = std::move(types);
  out.sizes_ = sizes;
  if (out.sizes_.own.end < 0) out.sizes_.own = {0, sizes.shards};
  out.subtrees_ = percale::subtrees(sizes.shards, out.sizes_.own);
  out.sums_of_.assign(out.subtrees_.size(), ShardTree::kNone);
  out.pool_ = std::move(pool);
  out.replicas_ = std::make_unique<Replicas>(sizes.replicas, sizes.lanes);
  return out;
}

Result<std::vector<Tensor>> allocate_tensors(const std::vector<ValueType>& types,
                                             const std::shared_ptr<MemoryPool>& pool) {
  const auto aligned = [](int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; };
  std::vector<int64_t> begins;
  int64_t end = 0;
  for (const ValueType& type : types) {
    PERCALE_ASSIGN_OR_RETURN(const int64_t bytes, byte_size(type.dtype, type.shape));
    begins.push_back(end);
    end += aligned(bytes);
  }
  PERCALE_ASSIGN_OR_RETURN(const std::shared_ptr<Buffer> memory, Buffer::allocate(pool, end));
  std::memset(memory->data(), 0, static_cast<size_t>(end));  // gaps are sent to other processes
  std::vector<Tensor> out;
  for (size_t i = 0; i < types.size(); ++i) {
    PERCALE_ASSIGN_OR_RETURN(out.emplace_back(), Tensor::view(memory, begins[i], types[i].dtype, types[i].shape));
  }
  return out;
}

Status ShardSums::make_buffers() {
  if (!buffers_.empty()) return {};
  size_t levels = 1;
  for (const ShardRange& tree : subtrees_) levels = std::max(levels, tree_levels(tree.count()));
  // Sums beside the path of a shard under way to the root have to wait for it, and so do the sums
  // of other sub-trees.
  const size_t wanted = levels + (sizes_.replicas * sizes_.lanes - 1) * (levels - 1) + subtrees_.size() - 1;
  std::vector<std::vector<Tensor>> made(std::min(wanted, static_cast<size_t>(sizes_.own.count())));
  for (auto& tensors : made) {
    PERCALE_ASSIGN_OR_RETURN(tensors, allocate_tensors(types_, pool_));
  }
  if (sizes_.several) {
    PERCALE_ASSIGN_OR_RETURN(several_, allocate_tensors(types_, pool_));
  }
  buffers_ = std::move(made);
  return {};
}

void ShardSums::add_batch(bool first, const ParallelFor& parallel) {
  const FloatMode mode;  // of the host's thread
  if (first) {
    several_.swap(buffers_[batch_]);
  } else {
    add_tensors(several_, buffers_[batch_], parallel);
  }
}

// Adds the shards of one batch along the tree.
class ShardSums::Reduction {
 public:
  Reduction(ShardSums& sums, const BatchCut& cut, const ParallelFor& parallel, const Compute& compute,
            const IsLoss& is_loss, const EnoughShards& enough, SumWatcher* watcher)
      : sums_(sums),
        cut_(cut),
        parallel_(parallel),
        compute_(compute),
        is_loss_(is_loss),
        enough_(enough),
        watcher_(watcher),
        own_(sums.sizes_.own),
        next_(own_.begin),
        taken_(sums.replicas_->size(), 0) {
    for (const ShardRange& tree : sums.subtrees_) trees_.emplace_back(tree.count());
    for (size_t i = 0; i < sums.buffers_.size(); ++i) free_.push_back(i);
    again_.reserve(sums.replicas_->loops());
    sums.accepted_rows_ = 0;
    sums.left_out_.clear();
    sums.left_out_.reserve(static_cast<size_t>(own_.count()));
    for (int64_t shard = own_.begin; shard < own_.end && watcher != nullptr; ++shard) {
      arrivals_.push_back(std::make_unique<Arrival>(*this, shard));
    }
    sums.running_ = this;
  }
  ~Reduction() { sums_.running_ = nullptr; }
  Reduction(const Reduction&) = delete;
  Reduction& operator=(const Reduction&) = delete;

  // Takes one round, unless a replica was lost when the others had nothing left to do.
  Status run() {
    while (status_.ok() && !complete()) {
      if (!sums_.replicas_->any_left()) {
        return loss_.ok() ? Status(Code::kUnavailable, "every device that computes shards is lost") : std::move(loss_);
      }
      sums_.replicas_->run(parallel_, [&](size_t loop) { work(sums_.replicas_->replica_of(loop)); });
    }
    if (status_.ok()) keep_sums();
    return std::move(status_);
  }

  FetchWatcher* arrival(int64_t shard) {
    return arrivals_.empty() ? nullptr : arrivals_[static_cast<size_t>(shard - own_.begin)].get();
  }

 private:
  // The results of one shard under way. Once all other shards of its sub-tree are done, each tensor
  // is added on the way to the root as soon as it is there.
  struct Arrival final : FetchWatcher {
    Arrival(Reduction& of, int64_t number) : reduction(of), shard(number) {
      const auto tree = reduction.place_of(shard);
      waiting.reserve(reduction.sums_.types_.size());
      added.assign(reduction.sums_.types_.size(), false);
      path.reserve(tree_levels(reduction.sums_.subtrees_[tree.subtree].count()));
    }
    void ready(size_t tensor, DeviceStore::Copy*) noexcept override { reduction.arrive(*this, tensor); }

    Reduction& reduction;
    const int64_t shard;
    size_t buffer = ShardTree::kNone;  // with its results
    std::vector<size_t> waiting;       // tensors that are there and not added
    std::vector<bool> added;           // per tensor
    std::vector<ShardTree::Addition> path;
  };
  struct Place {
    size_t subtree = 0;
    int64_t number = 0;  // of the shard in it
  };

  void arrive(Arrival& shard, size_t tensor) noexcept {
    if (tensor >= shard.added.size()) return;  // no sum
    std::unique_lock lock(mutex_);
    if (closed_ || !status_.ok()) return;
    shard.waiting.push_back(tensor);
    const Place place = place_of(shard.shard);
    size_t end = ShardTree::kNone;
    if (!trees_[place.subtree].find_path(place.number, shard.buffer, &shard.path, &end)) return;
    const FloatMode mode;  // of a thread that runs kernels
    while (!shard.waiting.empty()) {
      const size_t next = shard.waiting.back();
      shard.waiting.pop_back();
      shard.added[next] = true;
      lock.unlock();
      for (const ShardTree::Addition& addition : shard.path) {
        add_tensors(sums_.buffers_[addition.into][next], sums_.buffers_[addition.from][next], parallel_);
      }
      watcher_->ready(place.subtree, next, sums_.buffers_[end]);
      lock.lock();
    }
  }

  bool complete() const {
    return std::ranges::all_of(trees_, [](const ShardTree& tree) { return tree.complete(); });
  }

  void keep_sums() {
    sums_.batch_ = 0;
    for (size_t i = trees_.size(); i-- > 0;) {
      sums_.sums_of_[i] = trees_[i].buffer();
      if (trees_[i].buffer() != ShardTree::kNone) sums_.batch_ = trees_[i].buffer();
    }
  }

  Place place_of(int64_t shard) const {
    size_t i = 0;
    while (sums_.subtrees_[i].end <= shard) ++i;
    return {i, shard - sums_.subtrees_[i].begin};
  }

  // Ends with an error, not with an exception, because other replicas may wait for this one.
  void work(size_t replica) {
    try {
      take_shards(replica);
    } catch (const std::bad_alloc&) {
      const std::lock_guard lock(mutex_);
      fail(Status::out_of_memory());
    }
    freed_.notify_all();
  }

  void fail(Status status) {
    if (!status_.ok()) return;
    status_ = std::move(status);
    stop();
  }

  void stop() {
    if (enough_.stop) enough_.stop();
  }

  void take_shards(size_t replica) {
    std::unique_lock lock(mutex_);
    while (status_.ok() && !closed_ && !sums_.replicas_->lost(replica) && may_come()) {
      if (!may_take(replica)) {
        freed_.wait(lock);
        continue;
      }
      const int64_t shard = again_.empty() ? next_ : again_.back();
      const ShardRows range = cut_.of(shard);
      if (range.begin == range.end) {
        ++next_;
        climb(replica, shard, ShardTree::kNone, lock);
        freed_.notify_all();
        continue;
      }
      // Without a free buffer the replica waits until others have added their results. At least one
      // of them is at work; one that is lost gives its buffer back.
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
      ++taken_[replica];
      if (!arrivals_.empty()) arrivals_[static_cast<size_t>(shard - own_.begin)]->buffer = buffer;
      lock.unlock();
      Status status = compute_(replica, shard, range, sums_.buffers_[buffer]);
      lock.lock();
      if (!status.ok() && is_loss_ && is_loss_(replica, status)) {
        sums_.replicas_->lose(replica);
        free_.push_back(buffer);
        again_.push_back(shard);
        loss_ = std::move(status);
        return;
      }
      if (closed_) {  // it came too late, whatever it gave
        if (status.ok() && sums_.facts_ != nullptr) sums_.facts_->dropped();
        free_.push_back(buffer);
        return;
      }
      if (!status.ok()) return fail(std::move(status));
      sums_.accepted_rows_ += range.count();
      const bool enough = ++accepted_ == enough_.shards;
      if (enough) closed_ = true;
      climb(replica, shard, buffer, lock);
      if (enough) close(replica, lock);
    }
  }

  bool is_waiting() const { return !again_.empty() || next_ < own_.end; }
  // True if there is, or may still be, a shard for the replica: a shard whose replica is lost is
  // handed out again even while the others wait for it.
  bool may_come() const { return is_waiting() || (sums_.sizes_.together && !complete()); }
  // Shards that are computed at the same time are dealt out evenly.
  bool may_take(size_t replica) const {
    if (!is_waiting() || !sums_.sizes_.together) return is_waiting();
    const auto left = static_cast<int64_t>(sums_.replicas_->count_left());
    return taken_[replica] < (own_.count() + left - 1) / left;
  }

  // Shards that have not arrived by now are left out.
  void close(size_t replica, std::unique_lock<std::mutex>& lock) {
    for (int64_t shard = own_.begin; shard < own_.end; ++shard) {
      const ShardRows range = cut_.of(shard);
      const Place place = place_of(shard);
      if (trees_[place.subtree].has(place.number)) continue;
      if (range.begin != range.end) sums_.left_out_.push_back(shard);
      climb(replica, shard, ShardTree::kNone, lock);
    }
    if (!sums_.left_out_.empty()) stop();
  }

  // The results of a shard lie in `buffer`: makes the additions that this leads to.
  void climb(size_t replica, int64_t shard, size_t buffer, std::unique_lock<std::mutex>& lock) {
    const Place place = place_of(shard);
    ShardTree& tree = trees_[place.subtree];
    ShardTree::Addition next = tree.put(place.number, buffer);
    while (next.due()) {
      lock.unlock();
      {
        const RunFacts::Span span(sums_.facts_, RunFacts::Work::kAverage, replica);
        add_buffers(shard, sums_.buffers_[next.into], sums_.buffers_[next.from]);
      }
      lock.lock();
      free_.push_back(next.from);
      freed_.notify_all();
      next = tree.made(next);
    }
  }

  // Leaves out the tensors of the shard that were added already.
  void add_buffers(int64_t shard, const std::vector<Tensor>& into, const std::vector<Tensor>& from) const {
    if (arrivals_.empty()) return add_tensors(into, from, parallel_);
    const std::vector<bool>& added = arrivals_[static_cast<size_t>(shard - own_.begin)]->added;
    std::vector<Tensor> a, b;
    for (size_t i = 0; i < into.size(); ++i) {
      if (added[i]) continue;
      a.push_back(into[i]);
      b.push_back(from[i]);
    }
    add_tensors(a, b, parallel_);
  }

  ShardSums& sums_;
  const BatchCut& cut_;
  const ParallelFor& parallel_;
  const Compute& compute_;
  const IsLoss& is_loss_;
  const EnoughShards& enough_;
  SumWatcher* const watcher_;
  const ShardRange own_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable freed_;
  std::vector<ShardTree> trees_;                    // of the sub-trees
  std::vector<std::unique_ptr<Arrival>> arrivals_;  // per own shard; empty: nothing watches
  std::vector<size_t> free_;
  int64_t next_, accepted_ = 0;
  bool closed_ = false;         // no further shard is wanted
  std::vector<int64_t> again_;  // shards whose replica was lost
  std::vector<int64_t> taken_;  // shards that a replica was given
  Status status_, loss_;
};

Status ShardSums::reduce(const BatchCut& cut, const ParallelFor& parallel, const Compute& compute,
                         const IsLoss& is_loss, const EnoughShards& enough, SumWatcher* watcher) {
  PERCALE_RETURN_IF_ERROR(make_buffers());
  const FloatMode mode;  // of the host's thread, which adds too
  return Reduction(*this, cut, parallel, compute, is_loss, enough, watcher).run();
}

FetchWatcher* ShardSums::results_of(int64_t shard) { return running_ == nullptr ? nullptr : running_->arrival(shard); }

}  // namespace percale
