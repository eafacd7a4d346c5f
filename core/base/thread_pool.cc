#include "core/base/thread_pool.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <system_error>

#include "core/system/processor.h"
#include "core/system/thread.h"

namespace percale {
namespace {

// The time for which a thread looks for work, or waits for pieces that other threads run, before it
// sleeps. Waking a sleeping thread takes tens of microseconds, as long as a small loop. The longer
// time therefore applies while more loops are expected.
constexpr auto kBrief = std::chrono::microseconds(20);
constexpr auto kPatient = std::chrono::microseconds(200);

// Polls until `done` or until `time` has passed. Time is measured by the clock, because the
// duration of a pause instruction differs tenfold between CPUs.
template <typename Done>
bool spin(std::chrono::nanoseconds time, const Done& done) {
  constexpr int kLooks = 32;  // polls per reading of the clock
  const auto end = std::chrono::steady_clock::now() + time;
  do {
    for (int i = 0; i < kLooks; ++i) {
      if (done()) return true;
      os::pause_processor();
    }
  } while (std::chrono::steady_clock::now() < end);
  return done();
}

// True while this thread hands a task to the host's pool.
constinit thread_local bool asking_host = false;

}  // namespace

// Each thread begins with its own range of pieces (a lane), which is the same in every loop with
// the same number of pieces. Consecutive loops thus find their data in that thread's caches. A
// thread that has finished its own range takes pieces from the other ranges.
struct ThreadPool::Loop {
  static constexpr int64_t kMostLanes = 16;
  struct alignas(64) Lane {
    std::atomic<int64_t> next;
    int64_t end;
  };

  ParallelFor::Body body;
  void* arg;
  const int64_t count;
  std::array<Lane, kMostLanes> lanes;
  std::atomic<bool> out_of_memory{false};

  Loop(ParallelFor::Body the_body, void* its_arg, int64_t pieces, int32_t threads)
      : body(the_body), arg(its_arg), count(std::min({pieces, int64_t{threads}, kMostLanes})) {
    for (int64_t i = 0; i < count; ++i) {
      const PieceRange range = piece_range(pieces, count, i);
      lanes[static_cast<size_t>(i)].next.store(range.begin, std::memory_order_relaxed);
      lanes[static_cast<size_t>(i)].end = range.end;
    }
  }
  Lane& lane(int64_t i) { return lanes[static_cast<size_t>(i % count)]; }

  void run(int64_t first) noexcept {
    try {
      for (int64_t k = 0; k < count; ++k) {
        Lane& from = lane(first + k);
        for (int64_t i; has_pieces(from) && (i = from.next.fetch_add(1, std::memory_order_relaxed)) < from.end;) {
          body(arg, i);
        }
      }
    } catch (const std::bad_alloc&) {
      out_of_memory = true;
      for (int64_t i = 0; i < count; ++i) lane(i).next = lane(i).end;
    }
  }
  static bool has_pieces(const Lane& lane) { return lane.next.load(std::memory_order_relaxed) < lane.end; }
  bool exhausted() const { return std::none_of(lanes.begin(), lanes.begin() + count, has_pieces); }
};

Result<std::thread> start_thread(const std::string& name, std::function<void()> body) {
  const std::string visible = name.substr(0, 15);  // Linux limits thread names to 15 bytes
  try {
    return os::start_thread(visible, std::move(body));
  } catch (const std::system_error&) {
    return resource_exhausted("the system cannot start a thread for '", name, "'");
  }
}

// A helper of the host's pool. Its place, which the maker has joined for it, ends with the task,
// whether or not that was run.
class ThreadPool::Helper {
 public:
  Helper(std::shared_ptr<Loops> loops, int32_t number, int32_t most)
      : loops_(std::move(loops)), number_(number), most_(most) {}
  ~Helper() {
    if (has_place_) loops_->helpers.fetch_sub(1);
  }
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;

  void run() {
    // A pool that runs tasks at once gains nothing: the caller would wait for its own helper.
    if (asking_host) return;
    const FloatMode mode;
    do {
      loops_->help(number_);
      loops_->helpers.fetch_sub(1);
      // A loop that began in between has counted on this helper.
      has_place_ = loops_->has_pieces() && loops_->join(most_);
    } while (has_place_);
  }

 private:
  const std::shared_ptr<Loops> loops_;
  const int32_t number_, most_;
  bool has_place_ = true;
};

Result<std::unique_ptr<ThreadPool>> ThreadPool::create(int32_t threads) {
  std::unique_ptr<ThreadPool> pool(new ThreadPool(std::max(threads, 1)));
  // push_back() must not throw after a thread has started.
  pool->workers_.reserve(static_cast<size_t>(pool->threads_ - 1));
  for (int32_t i = 1; i < threads; ++i) {
    PERCALE_ASSIGN_OR_RETURN(auto thread,
                             start_thread(str_cat("percale-", i), [raw = pool.get(), i] { raw->work(i); }));
    pool->workers_.push_back(std::move(thread));
  }
  return pool;
}

std::unique_ptr<ThreadPool> ThreadPool::create_on(std::shared_ptr<HostPool> host, int32_t threads) {
  std::unique_ptr<ThreadPool> pool(new ThreadPool(std::max(threads, 1)));
  pool->host_ = std::move(host);
  return pool;
}

ThreadPool::~ThreadPool() {
  loops_->stop = true;
  {
    const std::lock_guard lock(mutex_);
    wake_.notify_all();
  }
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::wake_workers() {
  loops_->published.fetch_add(1);
  if (sleepers_.load() > 0) {
    const std::lock_guard lock(mutex_);
    wake_.notify_all();
  }
}

void ThreadPool::ask_host(int64_t pieces) noexcept {
  const auto wanted = static_cast<int32_t>(std::min<int64_t>(pieces, threads_)) - 1;
  asking_host = true;
  try {
    for (int32_t number = 1; number <= wanted && loops_->join(wanted); ++number) {
      const auto helper = make_helper(number);
      Status status = host_->execute([helper] { helper->run(); });
      if (status.ok()) continue;
      const std::lock_guard lock(failure_mutex_);
      failure_ = std::move(status);
      failures_.fetch_add(1);
      break;
    }
  } catch (const std::bad_alloc&) {  // the caller runs the pieces
  }
  asking_host = false;
}

// The place of a helper that cannot be made is given back.
std::shared_ptr<ThreadPool::Helper> ThreadPool::make_helper(int32_t number) {
  try {
    return std::make_shared<Helper>(loops_, number, threads_ - 1);
  } catch (const std::bad_alloc&) {
    loops_->helpers.fetch_sub(1);
    throw;
  }
}

Status ThreadPool::failure() const {
  const std::lock_guard lock(failure_mutex_);
  return Status(failure_).with_context("the thread pool of the host");
}

void ThreadPool::call(void* self, int64_t pieces, ParallelFor::Body body, void* arg) {
  auto& pool = *static_cast<ThreadPool*>(self);
  Slot* mine = nullptr;
  if (pool.threads_ > 1 && pieces > 1) {
    for (Slot& slot : pool.loops_->slots) {
      if (slot.taken.load(std::memory_order_relaxed) || slot.taken.exchange(true)) continue;
      mine = &slot;
      break;
    }
  }
  // One thread, or all slots taken by other loops: the caller runs every piece itself.
  if (mine == nullptr) {
    for (int64_t i = 0; i < pieces; ++i) body(arg, i);
    return;
  }
  Loop loop(body, arg, pieces, pool.threads());
  mine->loop.store(&loop);
  pool.wake_workers();
  if (pool.host_ != nullptr) pool.ask_host(pieces);
  loop.run(0);
  mine->loop.store(nullptr);
  if (!spin(kPatient, [&] { return mine->users.load() == 0; })) {
    while (const int32_t users = mine->users.load()) mine->users.wait(users);
  }
  mine->taken.store(false);
  if (loop.out_of_memory) throw std::bad_alloc();
}

bool ThreadPool::Loops::join(int32_t most) {
  int32_t now = helpers.load();
  while (now < most && !helpers.compare_exchange_weak(now, now + 1)) {
  }
  return now < most;
}

bool ThreadPool::Loops::help_once(int32_t worker) {
  bool helped = false;
  for (Slot& slot : slots) {
    if (slot.loop.load(std::memory_order_relaxed) == nullptr) continue;
    slot.users.fetch_add(1);
    Loop* loop = slot.loop.load();
    if (loop != nullptr && !loop->exhausted()) {
      loop->run(worker);
      helped = true;
    }
    slot.users.fetch_sub(1);
    slot.users.notify_all();
  }
  return helped;
}

bool ThreadPool::Loops::has_pieces() {
  return std::any_of(slots.begin(), slots.end(), [](Slot& slot) {
    if (slot.loop.load() == nullptr) return false;
    slot.users.fetch_add(1);
    const Loop* loop = slot.loop.load();
    const bool found = loop != nullptr && !loop->exhausted();
    slot.users.fetch_sub(1);
    slot.users.notify_all();
    return found;
  });
}

// The loop of a helper. It stays for a moment while more loops are expected, because a host needs
// longer to start a task.
void ThreadPool::Loops::help(int32_t worker) {
  while (!stop.load(std::memory_order_relaxed)) {
    const uint64_t seen = published.load();
    if (help_once(worker)) continue;
    const auto called = [&] { return published.load(std::memory_order_relaxed) != seen || stop; };
    if (busy.load(std::memory_order_relaxed) == 0 || !spin(kBrief, called)) return;
  }
}

void ThreadPool::work(int32_t worker) {
  const FloatMode mode;
  Loops& loops = *loops_;
  while (!loops.stop.load(std::memory_order_relaxed)) {
    const uint64_t seen = loops.published.load();
    if (loops.help_once(worker)) continue;
    const auto called = [&] { return loops.published.load(std::memory_order_relaxed) != seen || loops.stop; };
    if (spin(kBrief, called)) continue;
    if (loops.busy > 0) spin(kPatient, [&] { return called() || loops.busy == 0; });
    if (called()) continue;
    std::unique_lock lock(mutex_);
    sleepers_.fetch_add(1);
    wake_.wait(lock, [&] { return loops.published.load() != seen || loops.stop.load(); });
    sleepers_.fetch_sub(1);
  }
}

int32_t default_threads() { return static_cast<int32_t>(std::min<int64_t>(os::usable_processors(), 1024)); }

FloatMode::FloatMode() : saved_(os::set_float_mode()) {}
FloatMode::~FloatMode() { os::restore_float_mode(saved_); }

}  // namespace percale
