#include "core/session/executor/scheduler.h"

#include <algorithm>
#include <new>

#include "core/base/thread_pool.h"
#include "core/session/executor/host_runner.h"
#include "core/session/executor/stream_runner.h"

namespace percale {
namespace {

// A slot among the batch's compute threads, held while this object lives.
class WorkSlot {
 public:
  explicit WorkSlot(ShardBarrier* barrier) : barrier_(barrier) { acquire(); }
  ~WorkSlot() { release(); }
  WorkSlot(const WorkSlot&) = delete;
  WorkSlot& operator=(const WorkSlot&) = delete;
  void acquire() {
    if (barrier_ == nullptr || held_) return;
    barrier_->begin_work();
    held_ = true;
  }
  void release() {
    if (held_) barrier_->end_work();
    held_ = false;
  }

 private:
  ShardBarrier* const barrier_;
  bool held_ = false;
};

}  // namespace

void Scheduler::run_all() {
  const auto& programs = run_.bound.programs;
  if (run_.has_one_program() && !run_.has_streams() && run_.frame.options.barrier == nullptr) {
    HostRunner(run_, *programs[0]).advance();
    return;
  }
  // One thread per host program, as far as the engine has threads. A thread advances any program
  // that can go on. A stream program needs no thread, only one that feeds it now and then.
  const auto on_host = std::count_if(programs.begin(), programs.end(), [](const auto& p) { return !p->has_stream(); });
  run_.engine.threads().parallel()(std::max<int64_t>(on_host, 1), [this](int64_t) {
    const FloatMode mode;
    try {
      work();
    } catch (const std::bad_alloc&) {
      run_.fail(Status::out_of_memory());
    }
  });
}

// The loop of one thread.
void Scheduler::work() {
  WorkSlot slot(run_.frame.options.barrier);
  while (!run_.signal.failed()) {
    const uint64_t seen = run_.signal.changes();
    bool open = false;
    // Streams first: they work while the thread does.
    bool moved = advance_all(true, &open);
    moved = advance_all(false, &open) || moved;
    if (!open) return;
    if (moved) continue;
    slot.release();
    run_.signal.sleep(seen, run_.frame);
    slot.acquire();
    if (run_.frame.should_stop()) run_.fail(run_.frame.stop_reason());
  }
}

// Advances the programs of one kind that no other thread advances. Sets `open` if one is not done.
bool Scheduler::advance_all(bool streams, bool* open) {
  bool moved = false;
  for (auto& p : run_.bound.programs) {
    if (p->has_stream() != streams || p->is_done()) continue;
    *open = true;
    if (p->claimed.exchange(true)) continue;
    if (!p->is_done() && !run_.signal.failed()) moved = advance(*p) || moved;
    p->claimed.store(false);
  }
  return moved;
}

bool Scheduler::advance(BoundProgram& p) {
  return p.has_stream() ? StreamRunner(run_, p).advance() : HostRunner(run_, p).advance();
}

}  // namespace percale
