/// Errors: Status, Result<T>, and the exception Error if exceptions are enabled.
#ifndef PERCALE_CPP_RESULT_HPP_
#define PERCALE_CPP_RESULT_HPP_

#include <percale.h>

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "percale/constants.hpp"
#include "percale/handle.hpp"

#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
#define PERCALE_CPP_EXCEPTIONS 1
#include <stdexcept>
#else
#define PERCALE_CPP_EXCEPTIONS 0
#endif

namespace percale {

#if PERCALE_CPP_EXCEPTIONS
/// The exception that value() throws, with the code and message of the library.
class Error : public std::runtime_error {
 public:
  /// Creates an error.
  Error(Code code, const std::string& message) : std::runtime_error(message), code_(code) {}
  /// The code.
  Code code() const noexcept { return code_; }

 private:
  Code code_;
};
#endif

/// Success, or an error with a code and a message. A plain value.
class [[nodiscard]] Status {
 public:
  Status() = default;
  /// Creates an error, or success with kOk.
  Status(Code code, std::string message) : code_(code), message_(std::move(message)) {}
  /// Takes ownership of a status of the C ABI; null is success.
  explicit Status(percale_status* adopted) {
    if (adopted == nullptr) return;
    code_ = static_cast<Code>(percale_status_code(adopted));
    size_t size = 0;
    const char* message = percale_status_message(adopted, &size);
    message_.assign(message, size);
    percale_status_release(adopted);
  }

  /// True for success.
  bool ok() const noexcept { return code_ == Code::kOk; }
  /// True for success.
  explicit operator bool() const noexcept { return ok(); }
  /// The code; kOk for success.
  Code code() const noexcept { return code_; }
  /// The message; "" for success.
  const std::string& message() const noexcept { return message_; }
#if PERCALE_CPP_EXCEPTIONS
  /// Throws Error unless ok().
  void value() const {
    if (!ok()) throw Error(code_, message_);
  }
#endif

 private:
  Code code_ = Code::kOk;
  std::string message_;
};

/// Returns the upper-case name of a code, such as "INVALID_ARGUMENT".
inline std::string_view name_of(Code code) { return percale_code_name(static_cast<percale_code>(code)); }

/// A value or an error, with the interface of std::expected. Reading `*result` without a value is
/// undefined, as with std::optional.
template <class T>
class [[nodiscard]] Result {
 public:
  /// Success.
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  /// An error. It must not be ok().
  Result(Status error) : content_(std::in_place_index<1>, std::move(error)) {}

  /// True if there is a value.
  bool has_value() const noexcept { return content_.index() == 0; }
  /// True if there is a value.
  explicit operator bool() const noexcept { return has_value(); }
  /// The value.
  T& operator*() & noexcept { return *std::get_if<0>(&content_); }
  const T& operator*() const& noexcept { return *std::get_if<0>(&content_); }
  /// Returns the value itself for a temporary, so `for (auto& x : *f())` is safe.
  T operator*() && noexcept { return std::move(*std::get_if<0>(&content_)); }
  /// Accesses the value.
  T* operator->() noexcept { return std::get_if<0>(&content_); }
  const T* operator->() const noexcept { return std::get_if<0>(&content_); }
  /// The error. There must be no value.
  Status& error() & noexcept { return *std::get_if<1>(&content_); }
  const Status& error() const& noexcept { return *std::get_if<1>(&content_); }
  Status&& error() && noexcept { return std::move(*std::get_if<1>(&content_)); }
  /// Returns the value, or `other` if there is none.
  T value_or(T other) && { return has_value() ? *std::move(*this) : std::move(other); }
#if PERCALE_CPP_EXCEPTIONS
  /// Returns the value. Throws Error if there is none.
  T& value() & {
    if (!has_value()) error().value();
    return **this;
  }
  const T& value() const& {
    if (!has_value()) error().value();
    return **this;
  }
  /// Returns the value itself for a temporary, so `for (auto& x : f().value())` is safe.
  T value() && {
    if (!has_value()) error().value();
    return *std::move(*this);
  }
#endif

 private:
  std::variant<T, Status> content_;
};

namespace detail {

/// Calls `function(&out)` of the C ABI and returns what it writes as a `Wrapper`.
template <class Wrapper, class Raw, class Function>
Result<Wrapper> made(Function&& function) {
  Raw* out = nullptr;
  if (percale_status* status = function(&out)) return Status(status);
  return Wrapper(out);
}

/// Calls `function(&out)` of the C ABI and returns the text that it writes.
template <class Function>
Result<std::string> text(Function&& function) {
  percale_text* out = nullptr;
  if (percale_status* status = function(&out)) return Status(status);
  return take(out);
}

}  // namespace detail
}  // namespace percale

#endif  // PERCALE_CPP_RESULT_HPP_
