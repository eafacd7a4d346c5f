// Errors as values. Every fallible function of the core returns Status or Result<T>; nothing but bad_alloc is thrown.
#ifndef PERCALE_CORE_BASE_STATUS_H_
#define PERCALE_CORE_BASE_STATUS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace percale {

// The canonical codes of gRPC and absl; the numbers are part of the C ABI.
enum class Code : int32_t {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
  kUnauthenticated = 16,
};

// The upper-case name of a code, such as "INVALID_ARGUMENT"; "UNKNOWN" for a number that is none.
std::string_view code_name(Code code);

// Success, or a code with a message. One pointer wide; success allocates nothing. Movable and copyable.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message);
  // RESOURCE_EXHAUSTED, "out of memory": made without any.
  static Status out_of_memory() noexcept;

  bool ok() const { return rep_ == nullptr; }
  Code code() const { return rep_ ? rep_->code : Code::kOk; }
  std::string_view message() const { return rep_ ? std::string_view(rep_->message) : std::string_view(); }
  // "INVALID_ARGUMENT: message", or "OK".
  std::string to_string() const;
  // The same code with `context` and ": " before the message; success stays success.
  Status with_context(std::string_view context) const;

 private:
  struct Rep {
    Code code;
    std::string message;
  };
  std::shared_ptr<const Rep> rep_;
};

// Joins the arguments (strings, string views, integers, floating-point numbers) into one string.
std::string str_part(std::string_view text);
std::string str_part(const char* text);
std::string str_part(int64_t number);
std::string str_part(int32_t number);
std::string str_part(uint64_t number);
std::string str_part(uint32_t number);
std::string str_part(double number);
std::string str_part(bool value);
inline std::string str_part(char c) { return std::string(1, c); }

template <class... Parts>
std::string str_cat(const Parts&... parts) {
  std::string out;
  (out.append(str_part(parts)), ...);
  return out;
}

template <class... Parts>
Status make_error(Code code, const Parts&... parts) {
  return Status(code, str_cat(parts...));
}
template <class... Parts>
Status invalid_argument(const Parts&... parts) {
  return make_error(Code::kInvalidArgument, parts...);
}
template <class... Parts>
Status not_found(const Parts&... parts) {
  return make_error(Code::kNotFound, parts...);
}
template <class... Parts>
Status unimplemented(const Parts&... parts) {
  return make_error(Code::kUnimplemented, parts...);
}
template <class... Parts>
Status failed_precondition(const Parts&... parts) {
  return make_error(Code::kFailedPrecondition, parts...);
}
template <class... Parts>
Status out_of_range(const Parts&... parts) {
  return make_error(Code::kOutOfRange, parts...);
}
template <class... Parts>
Status resource_exhausted(const Parts&... parts) {
  return make_error(Code::kResourceExhausted, parts...);
}
template <class... Parts>
Status data_loss(const Parts&... parts) {
  return make_error(Code::kDataLoss, parts...);
}
template <class... Parts>
Status internal_error(const Parts&... parts) {
  return make_error(Code::kInternal, parts...);
}

// A value, or the Status that says why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Status status) : status_(std::move(status)) {}

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }
  // Precondition of the accessors: ok().
  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return *std::move(value_); }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  Status status_;
  std::optional<T> value_;
};

}  // namespace percale

// Returns the Status of `expr` from the enclosing function unless it is success.
#define PERCALE_RETURN_IF_ERROR(expr)                              \
  do {                                                             \
    if (::percale::Status percale_status_ = (expr); !percale_status_.ok()) return percale_status_; \
  } while (false)

// Declares or assigns `lhs` from the Result `expr`, or returns its Status.
#define PERCALE_ASSIGN_OR_RETURN(lhs, expr) \
  PERCALE_ASSIGN_OR_RETURN_(PERCALE_CONCAT_(percale_result_, __LINE__), lhs, expr)
#define PERCALE_ASSIGN_OR_RETURN_(tmp, lhs, expr) \
  auto tmp = (expr);                              \
  if (!tmp.ok()) return tmp.status();             \
  lhs = std::move(tmp).value()
#define PERCALE_CONCAT_(a, b) PERCALE_CONCAT__(a, b)
#define PERCALE_CONCAT__(a, b) a##b

#endif  // PERCALE_CORE_BASE_STATUS_H_
