/// Errors: Status, Result<T>, and Error for those who compile with exceptions.
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
/// What value() throws: the library's message and its code.
class Error : public std::runtime_error {
 public:
  /// An error of one's own.
  Error(Code code, const std::string& message) : std::runtime_error(message), code_(code) {}
  /// What kind of error it is.
  Code code() const noexcept { return code_; }

 private:
  Code code_;
};
#endif

/// Success, or an error with code and message. A plain value.
class [[nodiscard]] Status {
 public:
  Status() = default;
  /// An error of one's own, or success with kOk.
  Status(Code code, std::string message) : code_(code), message_(std::move(message)) {}
  /// Takes over what a function of the C ABI returned; null is success.
  explicit Status(percale_status* adopted) {
    if (adopted == nullptr) return;
    code_ = static_cast<Code>(percale_status_code(adopted));
    size_t size = 0;
    const char* message = percale_status_message(adopted, &size);
    message_.assign(message, size);
    percale_status_release(adopted);
  }

  /// Whether it is success.
  bool ok() const noexcept { return code_ == Code::kOk; }
  /// The same.
  explicit operator bool() const noexcept { return ok(); }
  /// kOk for success.
  Code code() const noexcept { return code_; }
  /// "" for success.
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

/// The upper-case name of a code, "INVALID_ARGUMENT".
inline std::string_view name_of(Code code) { return percale_code_name(static_cast<percale_code>(code)); }

/// A value or the error that stands in its place: std::expected's words. Reading `*result` without a value is the caller's
/// mistake, as with std::optional.
template <class T>
class [[nodiscard]] Result {
 public:
  /// Success.
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  /// `error` must not be ok().
  Result(Status error) : content_(std::in_place_index<1>, std::move(error)) {}

  /// Whether there is a value.
  bool has_value() const noexcept { return content_.index() == 0; }
  /// The same.
  explicit operator bool() const noexcept { return has_value(); }
  /// The value.
  T& operator*() & noexcept { return *std::get_if<0>(&content_); }
  const T& operator*() const& noexcept { return *std::get_if<0>(&content_); }
  /// Of a result that goes away the value itself, so that `for (auto& x : *f())` is safe.
  T operator*() && noexcept { return std::move(*std::get_if<0>(&content_)); }
  /// Its members.
  T* operator->() noexcept { return std::get_if<0>(&content_); }
  const T* operator->() const noexcept { return std::get_if<0>(&content_); }
  /// Only when there is no value.
  Status& error() & noexcept { return *std::get_if<1>(&content_); }
  const Status& error() const& noexcept { return *std::get_if<1>(&content_); }
  Status&& error() && noexcept { return std::move(*std::get_if<1>(&content_)); }
  /// The value, or `other` in its place.
  T value_or(T other) && { return has_value() ? *std::move(*this) : std::move(other); }
#if PERCALE_CPP_EXCEPTIONS
  /// Throws Error unless has_value().
  T& value() & {
    if (!has_value()) error().value();
    return **this;
  }
  const T& value() const& {
    if (!has_value()) error().value();
    return **this;
  }
  /// Of a result that goes away the value itself, so that `for (auto& x : f().value())` is safe.
  T value() && {
    if (!has_value()) error().value();
    return *std::move(*this);
  }
#endif

 private:
  std::variant<T, Status> content_;
};

namespace detail {

/// Calls `function(&out)` of the C ABI and gives what it wrote as `Wrapper`.
template <class Wrapper, class Raw, class Function>
Result<Wrapper> made(Function&& function) {
  Raw* out = nullptr;
  if (percale_status* status = function(&out)) return Status(status);
  return Wrapper(out);
}

/// The same for text.
template <class Function>
Result<std::string> text(Function&& function) {
  percale_text* out = nullptr;
  if (percale_status* status = function(&out)) return Status(status);
  return take(out);
}

}  // namespace detail
}  // namespace percale

#endif  // PERCALE_CPP_RESULT_HPP_
