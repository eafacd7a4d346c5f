#include "core/train/shards/shard_stream.h"

#include <atomic>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <utility>

#include "core/base/thread_pool.h"

namespace percale {

ShardStream::ShardStream(std::vector<ValueType> types, const Options& options, std::shared_ptr<MemoryPool> pool,
                         RunFacts* facts)
    : types_(std::move(types)), options_(options), pool_(std::move(pool)), facts_(facts) {}

// Runs the loops of the replicas, and the caller's loop, which also reports commits. A loop without
// work sleeps; each change wakes all loops.
class ShardStream::Run {
 public:
  Run(ShardStream& stream, int64_t first, int64_t end, Replicas& replicas, const CancelToken& token, const Calls& calls)
      : stream_(stream),
        options_(stream.options_),
        replicas_(replicas),
        token_(&token),
        calls_(calls),
        range_{first, end, first, first},
        seen_(replicas.loops(), -1),
        together_(replicas.left(false)),
        wakers_(replicas.loops() + 1) {
    for (size_t i = 0; i < stream.buffers_.size(); ++i) free_.push_back(i);
    outcome_.ended = first == end;
  }

  Status run(const ParallelFor& parallel, int32_t threads) {
    if (!replicas_.any_left()) return Status(Code::kUnavailable, "every device that computes shards is lost");
    parallel_ = parallel;
    const Attached attached(token_, wakers_);
    replicas_.run_apart([&](size_t number) { guarded([&] { loop(number, false); }); },
                        [&] { guarded([&] { share(threads); }); });
    if (outcome_.untold && !outcome_.stopped) {
      const Status told = calls_.told().status();
      if (outcome_.status.ok()) outcome_.status = told;
    }
    return std::move(outcome_.status);
  }

 private:
  static constexpr size_t kNone = ShardTree::kNone;

  // While it lives, cancelling wakes all loops.
  class Attached {
   public:
    Attached(const CancelToken& token, std::vector<Waker>& wakers) : token_(token), wakers_(wakers) {
      for (Waker& w : wakers_) token_.attach(w);
    }
    ~Attached() {
      for (Waker& w : wakers_) token_.detach(w);
    }
    Attached(const Attached&) = delete;
    Attached& operator=(const Attached&) = delete;

   private:
    const CancelToken& token_;
    std::vector<Waker>& wakers_;
  };

  // Tasks to hand out. Those whose replica was lost go first.
  struct Tasks {
    std::deque<Task> ready, again;

    size_t count() const { return again.size() + ready.size(); }
    bool take(Task& out) {
      std::deque<Task>& from = again.empty() ? ready : again;
      if (from.empty()) return false;
      out = from.front();
      from.pop_front();
      return true;
    }
  };

  // The batches of the run, and the next ones to take and to commit.
  struct Range {
    int64_t first, end, next, next_commit;
  };

  // The end of the run.
  struct Outcome {
    bool untold = false;   // something happened that the caller does not know
    bool stopped = false;  // the caller wants no more
    bool ended = false;
    Status status;
  };

  struct Batch {
    int64_t rows = 0, left = 0;     // shards that are not committed
    std::optional<ShardTree> tree;  // with a bound
    std::vector<int64_t> staleness;
  };

  // Ends with an error, not with an exception, because other loops may wait for this one.
  template <class F>
  void guarded(const F& body) {
    try {
      body();
    } catch (const std::bad_alloc&) {
      const std::lock_guard lock(mutex_);
      end(Status::out_of_memory());
    }
  }

  // Runs the loops of replicas that share the threads, and the caller's. Threads of the pool enter
  // after the caller, so that one of the pieces is the caller's: only the caller's thread may call
  // told().
  void share(int32_t threads) {
    const std::thread::id caller = std::this_thread::get_id();
    std::atomic<bool> entered{false};
    const auto enter = [&](int64_t) {
      if (std::this_thread::get_id() != caller) {
        entered.wait(false);
        guarded([&] {
          for (size_t own; (own = claim()) != kNone;) loop(own, false);
        });
        return;
      }
      if (entered) return;
      const size_t first = claim();
      entered = true;
      entered.notify_all();
      guarded([&] {
        for (size_t own = first; own != kNone; own = claim()) loop(own, true);
        loop(kNone, true);
      });
    };
    parallel_(together_.empty() ? 1 : threads, enter);
  }

  // Returns a loop that no thread has begun.
  size_t claim() {
    const std::lock_guard lock(mutex_);
    return outcome_.ended || next_together_ == together_.size() ? kNone : together_[next_together_++];
  }

  // Runs until the end, or until its replica is lost. `number` kNone: it computes nothing.
  void loop(size_t number, bool caller) {
    Waker& waker = wakers_[caller ? replicas_.loops() : number];
    const size_t replica = number == kNone ? kNone : replicas_.replica_of(number);
    std::unique_lock lock(mutex_);
    while (true) {
      if (token_.cancelled()) end(Status(Code::kCancelled, "training was cancelled"));
      if (caller && outcome_.untold && !outcome_.stopped) {
        tell(lock);
      } else if (outcome_.ended || (replica != kNone && replicas_.lost(replica))) {
        return;
      } else if (wants_batch(caller)) {
        take(lock);
      } else if (Task task; replica != kNone && tasks_.take(task)) {
        task.loop = number;
        task.replica = replica;
        work(task, lock);
      } else {
        lock.unlock();
        waker.sleep(-1);
        lock.lock();
      }
    }
  }

  void wake() {
    for (Waker& w : wakers_) w.wake();
  }

  void end(Status status) {
    if (outcome_.ended) return;
    outcome_.ended = true;
    outcome_.status = std::move(status);
    token_.cancel();  // wakes too
  }

  void tell(std::unique_lock<std::mutex>& lock) {
    outcome_.untold = false;
    lock.unlock();
    const Result<bool> go = calls_.told();
    lock.lock();
    if (go.ok() && *go) return;
    outcome_.stopped = true;
    end(go.status());
  }

  // With a bound, a batch is opened only if its shards may begin at once. If only the caller can
  // take batches, it does so before the others have to wait for it.
  bool wants_batch(bool caller) const {
    if (taking_ || range_.next == range_.end || (options_.take_on_caller && !caller)) return false;
    if (options_.bound >= 0 && range_.next - range_.next_commit > options_.bound) return false;
    const size_t ahead = options_.take_on_caller ? 2 * replicas_.loops() : 1;
    return tasks_.count() < ahead;
  }

  void take(std::unique_lock<std::mutex>& lock) {
    taking_ = true;
    const int64_t number = range_.next++;
    lock.unlock();
    int64_t rows = 0;
    const Status status = ask(number, &rows);
    lock.lock();
    taking_ = false;
    if (!status.ok()) return end(status);
    Batch& batch = open_[number];
    batch.rows = rows;
    batch.staleness.reserve(static_cast<size_t>(options_.shards));
    if (options_.bound >= 0) batch.tree.emplace(options_.shards);
    for (int64_t shard = 0; shard < options_.shards; ++shard) {
      const ShardRows range = shard_rows(rows, options_.shards, shard);
      if (range.begin == range.end) {
        // Shards that are left out lead to no addition before there is a sum.
        if (batch.tree) batch.tree->put(shard, kNone);
        continue;
      }
      if (calls_.applied && calls_.applied(number, shard)) continue;
      ++batch.left;
      tasks_.ready.push_back({0, 0, number, shard, range, 0});
    }
    if (batch.left == 0) close(number);
    wake();
  }

  Status ask(int64_t number, int64_t* rows) {
    try {
      PERCALE_ASSIGN_OR_RETURN(*rows, calls_.take(number));
      return {};
    } catch (const std::bad_alloc&) {
      return Status::out_of_memory();
    }
  }

  void work(Task task, std::unique_lock<std::mutex>& lock) {
    size_t buffer = stream_.buffers_.size();
    if (free_.empty()) {
      stream_.buffers_.emplace_back();
    } else {
      buffer = free_.back();
      free_.pop_back();
    }
    std::vector<Tensor>& out = stream_.buffers_[buffer];
    lock.unlock();
    Status status = compute(task, out);
    lock.lock();
    if (!status.ok()) {
      free_.push_back(buffer);
      if (calls_.is_loss && calls_.is_loss(task.replica, status)) return lose(task, std::move(status));
      return end(std::move(status));
    }
    if (options_.bound < 0) {
      commit_shard(task, out, lock);
      free_.push_back(buffer);
    } else {
      add(task, buffer, lock);
    }
  }

  Status compute(Task& task, std::vector<Tensor>& out) {
    try {
      if (out.empty()) {
        PERCALE_ASSIGN_OR_RETURN(out, allocate_tensors(stream_.types_, stream_.pool_));
      }
      {
        const std::shared_lock variables(stream_.variables_);
        int64_t& seen = seen_[task.loop];
        if (calls_.pull && seen != version_) PERCALE_RETURN_IF_ERROR(calls_.pull(task.loop));
        task.version = seen = version_;
        if (calls_.look_up) PERCALE_RETURN_IF_ERROR(calls_.look_up(task));
      }
      return calls_.compute(task, token_, out);
    } catch (const std::bad_alloc&) {
      return Status::out_of_memory();
    }
  }

  void lose(const Task& task, Status status) {
    replicas_.lose(task.replica);
    tasks_.again.push_back(task);
    outcome_.untold = true;
    if (calls_.end_on_loss || !replicas_.any_left()) return end(std::move(status));
    wake();
  }

  void commit_shard(const Task& task, const std::vector<Tensor>& sums, std::unique_lock<std::mutex>& lock) {
    lock.unlock();
    Status status;
    bool late = false;
    {
      const std::unique_lock variables(stream_.variables_);
      lock.lock();
      late = outcome_.ended;
      lock.unlock();
      if (!late) {
        const int64_t staleness = version_ - task.version;
        status = commit({task.loop, task.batch, task.shard, {&staleness, 1}, &sums});
      }
    }
    lock.lock();
    if (late) return;
    if (!status.ok()) return end(std::move(status));
    if (--open_.find(task.batch)->second.left == 0) close(task.batch);
    outcome_.untold = true;
    wake();
  }

  // Precondition: `variables_` is held exclusively.
  Status commit(const Commit& commit) {
    Status status;
    try {
      status = calls_.commit(commit);
    } catch (const std::bad_alloc&) {
      status = Status::out_of_memory();
    }
    if (status.ok()) ++version_;
    return status;
  }

  // Adds a result to the tree of its batch.
  void add(const Task& task, size_t buffer, std::unique_lock<std::mutex>& lock) {
    Batch& batch = open_.find(task.batch)->second;
    batch.staleness.push_back(task.batch - range_.first - task.version);
    for (ShardTree::Addition next = batch.tree->put(task.shard, buffer); next.due(); next = batch.tree->made(next)) {
      const std::vector<Tensor>&into = stream_.buffers_[next.into], &from = stream_.buffers_[next.from];
      lock.unlock();
      {
        const RunFacts::Span span(stream_.facts_, RunFacts::Work::kAverage, task.loop);
        add_tensors(into, from, parallel_);
      }
      lock.lock();
      free_.push_back(next.from);
    }
    if (batch.tree->complete()) commit_batches(task.loop, lock);
  }

  // Commits the batches that are complete, in order.
  void commit_batches(size_t loop, std::unique_lock<std::mutex>& lock) {
    if (committing_) return;  // the thread that commits looks again
    committing_ = true;
    while (!outcome_.ended && range_.next_commit != range_.end) {
      const auto found = open_.find(range_.next_commit);
      if (found == open_.end() || !found->second.tree->complete()) break;
      const size_t buffer = found->second.tree->buffer();
      const Commit whole{loop, range_.next_commit, -1, found->second.staleness, &stream_.buffers_[buffer]};
      lock.unlock();
      Status status;
      {
        const std::unique_lock variables(stream_.variables_);
        status = commit(whole);
      }
      lock.lock();
      free_.push_back(buffer);
      if (!status.ok()) {
        end(std::move(status));
        break;
      }
      ++range_.next_commit;
      outcome_.untold = true;
      close(whole.batch);
      wake();
    }
    committing_ = false;
  }

  void close(int64_t number) {
    open_.erase(number);
    if (calls_.forget) calls_.forget(number);
    if (range_.next == range_.end && open_.empty() && !taking_) end({});
  }

  ShardStream& stream_;
  const Options& options_;
  Replicas& replicas_;
  CancelToken token_;  // of the run
  const Calls& calls_;
  ParallelFor parallel_;
  int64_t version_ = 0;  // commits so far; guarded by `variables_` of the stream

  std::mutex mutex_;  // guards what follows
  std::map<int64_t, Batch> open_;
  Tasks tasks_;
  std::vector<size_t> free_;  // buffers
  Range range_;
  std::vector<int64_t> seen_;  // per loop the version that it has pulled, its own
  std::vector<size_t> together_;
  size_t next_together_ = 0;
  bool taking_ = false, committing_ = false;
  Outcome outcome_;
  std::vector<Waker> wakers_;  // per loop, then the caller's
};

Status ShardStream::run(int64_t first, int64_t end, Replicas& replicas, const ParallelFor& parallel, int32_t threads,
                        const CancelToken& token, const Calls& calls) {
  const FloatMode mode;  // of the host's thread, which adds too
  return Run(*this, first, end, replicas, token, calls).run(parallel, threads);
}

}  // namespace percale
