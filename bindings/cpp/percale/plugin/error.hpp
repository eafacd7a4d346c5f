/// Errors of a plug-in: exceptions inside, statuses at the border.
#ifndef PERCALE_CPP_PLUGIN_ERROR_HPP_
#define PERCALE_CPP_PLUGIN_ERROR_HPP_

#include <percale_plugin.h>

#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>

namespace percale::plugin {

/// An error of a plug-in. The kit turns it into a status, or into the failure of a run.
class Failure : public std::exception {
 public:
  /// `lost`: the device will never work again.
  Failure(percale_code code, std::string message, bool lost = false)
      : code_(code), message_(std::move(message)), lost_(lost) {}
  /// Code of the status that it becomes.
  percale_code code() const { return code_; }
  /// True if the device will never work again.
  bool lost() const { return lost_; }
  /// The message.
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  percale_code code_;
  std::string message_;
  bool lost_;
};

/// The reason why a kernel does not take a node. Another kernel may.
class Refusal : public Failure {
 public:
  /// A Failure with the code UNIMPLEMENTED.
  explicit Refusal(std::string reason) : Failure(PERCALE_UNIMPLEMENTED, std::move(reason)) {}
};

/// Throws a Refusal if the condition holds.
inline void refuse_if(bool condition, const char* reason) {
  if (condition) throw Refusal(reason);
}

/// Makes a status of the library, which the receiver releases.
inline percale_status* make_status(const percale_host_api& host, percale_code code, std::string_view message) {
  return host.status->create(code, message.data(), message.size());
}

/// Releases a status of the library and throws it as a Failure. Does nothing for NULL.
inline void check(const percale_host_api& host, percale_status* status) {
  if (status == nullptr) return;
  size_t size = 0;
  const char* text = host.status->message(status, &size);
  const Failure failure(host.status->code(status), std::string(text, size));
  host.status->release(status);
  throw failure;
}

/// Runs f() and returns a status of what it throws; NULL if it throws nothing.
template <class F>
percale_status* guarded(const percale_host_api& host, F&& f) noexcept {
  try {
    std::forward<F>(f)();
    return nullptr;
  } catch (const Failure& failure) {
    return make_status(host, failure.code(), failure.what());
  } catch (const std::bad_alloc&) {
    return make_status(host, PERCALE_RESOURCE_EXHAUSTED, "the plug-in has no host memory");
  } catch (const std::exception& error) {
    return make_status(host, PERCALE_INTERNAL, error.what());
  } catch (...) {
    return make_status(host, PERCALE_INTERNAL, "an unexpected exception");
  }
}

}  // namespace percale::plugin

#endif  // PERCALE_CPP_PLUGIN_ERROR_HPP_
