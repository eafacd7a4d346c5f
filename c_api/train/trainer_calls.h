// The call of a trainer that is under way: its callbacks must not begin another one.
#ifndef PERCALE_C_API_TRAIN_TRAINER_CALLS_H_
#define PERCALE_C_API_TRAIN_TRAINER_CALLS_H_

#include <atomic>
#include <cstdint>
#include <utility>

#include "core/base/status.h"

namespace percale::c_api {

class TrainerCalls {
  enum class State : uint8_t {
    kIdle,
    kRunning,
    kTelling,  // the progress callback of fit is called, between two steps
  };

 public:
  // A call, until its destruction.
  class Scope {
   public:
    explicit Scope(std::atomic<State>* state) : state_(state) {}
    Scope(Scope&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
    Scope& operator=(Scope&&) = delete;
    ~Scope() {
      if (state_ != nullptr) state_->store(State::kIdle);
    }

   private:
    std::atomic<State>* state_;
  };
  // The progress callback of a call, until its destruction.
  class Telling {
   public:
    explicit Telling(TrainerCalls& calls) : state_(calls.state_) { state_.store(State::kTelling); }
    ~Telling() { state_.store(State::kRunning); }
    Telling(const Telling&) = delete;
    Telling& operator=(const Telling&) = delete;

   private:
    std::atomic<State>& state_;
  };

  // Begins a call. FAILED_PRECONDITION while another one is under way, in whatever callback or
  // thread.
  Result<Scope> begin(const char* function) {
    State idle = State::kIdle;
    if (state_.compare_exchange_strong(idle, State::kRunning)) return Scope(&state_);
    return failed_precondition(function, ": another call of this trainer is under way");
  }
  // FAILED_PRECONDITION in the middle of a step; in the progress callback the state is that after a
  // step.
  Status check_between_steps(const char* function) const {
    if (state_.load() != State::kRunning) return {};
    return failed_precondition(function, ": a step of this trainer is under way");
  }
  bool idle() const { return state_.load() == State::kIdle; }

 private:
  std::atomic<State> state_{State::kIdle};
};

}  // namespace percale::c_api

#endif  // PERCALE_C_API_TRAIN_TRAINER_CALLS_H_
