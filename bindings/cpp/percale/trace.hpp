/// Traces for Chrome and Perfetto.
#ifndef PERCALE_CPP_TRACE_HPP_
#define PERCALE_CPP_TRACE_HPP_

#include <string>

#include "percale/engine.hpp"

namespace percale {

/// Records time spans while Session::set_trace() or Trainer::set_trace() attaches it. Thread-safe.
class Trace : public Handle<percale_trace, percale_trace_release> {
 public:
  using Handle::Handle;
  /// Creates an empty trace.
  static Result<Trace> create(const Engine& engine) {
    return detail::made<Trace, percale_trace>(
        [&](percale_trace** out) { return percale_trace_create(engine.get(), out); });
  }
  /// Returns the spans in the JSON format that Chrome and Perfetto open.
  Result<std::string> json() const {
    return detail::text([&](percale_text** out) { return percale_trace_json(get(), out); });
  }
};

}  // namespace percale

#endif  // PERCALE_CPP_TRACE_HPP_
