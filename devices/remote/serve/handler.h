// The receiving side of one client's stream.
#ifndef PERCALE_DEVICES_REMOTE_SERVE_HANDLER_H_
#define PERCALE_DEVICES_REMOTE_SERVE_HANDLER_H_

#include <chrono>
#include <exception>
#include <new>
#include <string>

#include "bindings/cpp/percale_plugin.hpp"
#include "devices/remote/frame/outlet.h"

namespace percale::remote {

class Handler {
 public:
  virtual ~Handler() = default;
  // Takes one message after the other, in a thread that may wait. Whatever they are, it answers,
  // goes on, or ends the stream by the outlet.
  virtual void on_message(Message message) = 0;
  // The client is told at least that often that this process is here. May be called by any thread.
  virtual std::chrono::milliseconds beat_pause() const = 0;
};

// The result of a call, as messages carry it.
struct Outcome {
  percale_code code = PERCALE_OK;
  std::string message;
};

// Runs f(), and returns what it throws.
template <class F>
Outcome outcome_of(F&& f) {
  try {
    f();
    return {};
  } catch (const plugin::Failure& failure) {
    return {failure.code(), cut(failure.what())};
  } catch (const std::bad_alloc&) {
    return {PERCALE_RESOURCE_EXHAUSTED, "the process that serves the device has no host memory"};
  } catch (const std::exception& error) {
    return {PERCALE_INTERNAL, cut(error.what())};
  }
}

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_SERVE_HANDLER_H_
