/// Ending what runs from elsewhere.
#ifndef PERCALE_CPP_CANCELLATION_HPP_
#define PERCALE_CPP_CANCELLATION_HPP_

#include "percale/handle.hpp"
#include "percale/result.hpp"

namespace percale {

/// A wish that what was given it ends: prepared calls, trainers. Once it is cancelled it stays so. thread-safe.
class Cancellation : public Handle<percale_cancellation, percale_cancellation_release> {
 public:
  using Handle::Handle;

  /// One that is not cancelled.
  static Result<Cancellation> create() {
    return detail::made<Cancellation, percale_cancellation>(
        [](percale_cancellation** out) { return percale_cancellation_create(out); });
  }
  /// One more owner of the same cancellation.
  Cancellation share() const { return Cancellation(percale_cancellation_retain(get())); }
  /// Ends what runs with it, and what begins with it later, with CANCELLED. Any thread.
  void cancel() { percale_cancellation_cancel(get()); }
  /// Whether it was cancelled.
  bool cancelled() const { return percale_cancellation_poll(get()) != 0; }
};

}  // namespace percale

#endif  // PERCALE_CPP_CANCELLATION_HPP_
