/// Cancellation of calls and trainers from other threads.
#ifndef PERCALE_CPP_CANCELLATION_HPP_
#define PERCALE_CPP_CANCELLATION_HPP_

#include "percale/handle.hpp"
#include "percale/result.hpp"

namespace percale {

/// A cancellation token. Cancelling it ends every prepared call and trainer that it was passed to.
/// A cancelled token stays cancelled. Thread-safe.
class Cancellation : public Handle<percale_cancellation, percale_cancellation_release> {
 public:
  using Handle::Handle;

  /// Creates a token that is not cancelled.
  static Result<Cancellation> create() {
    return detail::made<Cancellation, percale_cancellation>(
        [](percale_cancellation** out) { return percale_cancellation_create(out); });
  }
  /// Returns another owner of the same token.
  Cancellation share() const { return Cancellation(percale_cancellation_retain(get())); }
  /// Ends everything that runs with it, or begins with it later, with CANCELLED. Any thread.
  void cancel() { percale_cancellation_cancel(get()); }
  /// True if it was cancelled.
  bool cancelled() const { return percale_cancellation_poll(get()) != 0; }
};

}  // namespace percale

#endif  // PERCALE_CPP_CANCELLATION_HPP_
