// The sessions of an engine, which it trims and whose runs it counts.
#ifndef PERCALE_CORE_ENGINE_ENGINE_USERS_H_
#define PERCALE_CORE_ENGINE_ENGINE_USERS_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "core/base/status.h"
#include "core/engine/trace.h"

namespace percale {

// Sums over sessions of the host.
struct RunCounts {
  int64_t sessions = 0, runs = 0, run_ns = 0, plans = 0, cache_hits = 0;
};

// A session, as the engine sees it.
class EngineUser {
 public:
  virtual ~EngineUser() = default;
  // Frees memory that is kept for later runs; returns the bytes. Runs may be under way.
  virtual int64_t trim() = 0;
  // Adds the counts of a session of the host, itself included.
  virtual void count(RunCounts& out) const = 0;
};

// Thread-safe.
class EngineUsers {
 public:
  void add(EngineUser& user);
  // Keeps the counts of the user.
  void remove(EngineUser& user) noexcept;
  int64_t trim();
  // The sums over users that exist or existed; `sessions` counts those that exist.
  RunCounts counts() const;

  void count_failure(Code code) noexcept {
    const auto index = static_cast<size_t>(code);
    failures_[index < kCodes ? index : static_cast<size_t>(Code::kUnknown)].fetch_add(1, std::memory_order_relaxed);
  }
  int64_t failures(Code code) const { return failures_[static_cast<size_t>(code)].load(std::memory_order_relaxed); }
  std::atomic<int64_t>& training_steps() { return training_steps_; }
  const std::atomic<int64_t>& training_steps() const { return training_steps_; }

  // When the engine was made, as now_ns() counts.
  int64_t since_ns() const { return since_ns_; }

  static constexpr size_t kCodes = static_cast<size_t>(Code::kUnauthenticated) + 1;

 private:
  const int64_t since_ns_ = now_ns();
  mutable std::mutex mutex_;  // guards the two below
  std::vector<EngineUser*> users_;
  RunCounts past_;
  std::array<std::atomic<int64_t>, kCodes> failures_{};
  std::atomic<int64_t> training_steps_{0};
};

}  // namespace percale

#endif  // PERCALE_CORE_ENGINE_ENGINE_USERS_H_
