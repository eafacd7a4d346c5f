// Errors as values. Every fallible function of the core returns Status or Result<T>; the only
// exception thrown is bad_alloc.
#ifndef PERCALE_CORE_BASE_STATUS_H_
#define PERCALE_CORE_BASE_STATUS_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
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

// Returns the upper-case name of a code, such as "INVALID_ARGUMENT"; "UNKNOWN" for an invalid
// number.
std::string_view code_name(Code code);

// Success, or an error code with a message. It is one pointer wide, and success allocates nothing.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message);
  Status(const Status& other) noexcept : rep_(other.rep_) {
    if (rep_ != nullptr) retain(rep_);
  }
  Status(Status&& other) noexcept : rep_(std::exchange(other.rep_, nullptr)) {}
  Status& operator=(Status other) noexcept {
    std::swap(rep_, other.rep_);
    return *this;
  }
  ~Status() {
    if (rep_ != nullptr) release(rep_);
  }
  // Returns RESOURCE_EXHAUSTED, "out of memory", without allocating.
  static Status out_of_memory() noexcept;

  bool ok() const { return rep_ == nullptr; }
  Code code() const;
  std::string_view message() const;
  // Returns "INVALID_ARGUMENT: message", or "OK".
  std::string to_string() const;
  // Returns the same code with `context` and ": " before the message. Success stays success.
  Status with_context(std::string_view context) const;

 private:
  // References are counted by hand, because a shared_ptr would add code to every function that
  // returns a Status.
  struct Rep;
  static void retain(Rep* rep) noexcept;
  static void release(Rep* rep) noexcept;

  Rep* rep_ = nullptr;
};

// A part of a message: a borrowed text or a number. Temporary argument of the functions below;
// never store one.
class StrPart {
 public:
  StrPart(std::string_view text) : kind_(Kind::kText), size_(text.size()), text_(text.data()) {}
  StrPart(const std::string& text) : StrPart(std::string_view(text)) {}
  StrPart(const char* text) : StrPart(std::string_view(text)) {}
  StrPart(char c) : kind_(Kind::kChar), int_(c) {}
  StrPart(bool value) : StrPart(value ? "true" : "false") {}
  // All integer types, because systems differ in which of them int64_t and size_t are.
  StrPart(int number) : StrPart(static_cast<long long>(number)) {}
  StrPart(long number) : StrPart(static_cast<long long>(number)) {}
  StrPart(long long number) : kind_(Kind::kInt), int_(number) {}
  StrPart(unsigned number) : StrPart(static_cast<unsigned long long>(number)) {}
  StrPart(unsigned long number) : StrPart(static_cast<unsigned long long>(number)) {}
  StrPart(unsigned long long number) : kind_(Kind::kUint), uint_(number) {}
  StrPart(double number) : kind_(Kind::kDouble), double_(number) {}

  void append_to(std::string& out) const;

 private:
  enum class Kind : uint8_t { kText, kChar, kInt, kUint, kDouble };
  Kind kind_;
  size_t size_ = 0;  // size of text_
  union {
    const char* text_;
    int64_t int_;
    uint64_t uint_;
    double double_;
  };
};

std::string str_join(std::initializer_list<StrPart> parts);
Status make_error(Code code, std::initializer_list<StrPart> parts);

// Converts a value to a message part. A type with its own text form (Shape, DType) adds an overload
// in its header.
inline const StrPart& str_part(const StrPart& value) { return value; }

// Joins the arguments (strings, string views, characters, numbers, anything that str_part()
// accepts) into one string. These templates only collect their arguments, because they are compiled
// once per list of types.
template <class... Parts>
std::string str_cat(const Parts&... parts) {
  return str_join({StrPart(str_part(parts))...});
}

template <class... Parts>
Status invalid_argument(const Parts&... parts) {
  return make_error(Code::kInvalidArgument, {StrPart(str_part(parts))...});
}
template <class... Parts>
Status not_found(const Parts&... parts) {
  return make_error(Code::kNotFound, {StrPart(str_part(parts))...});
}
template <class... Parts>
Status unimplemented(const Parts&... parts) {
  return make_error(Code::kUnimplemented, {StrPart(str_part(parts))...});
}
template <class... Parts>
Status failed_precondition(const Parts&... parts) {
  return make_error(Code::kFailedPrecondition, {StrPart(str_part(parts))...});
}
template <class... Parts>
Status out_of_range(const Parts&... parts) {
  return make_error(Code::kOutOfRange, {StrPart(str_part(parts))...});
}
template <class... Parts>
Status resource_exhausted(const Parts&... parts) {
  return make_error(Code::kResourceExhausted, {StrPart(str_part(parts))...});
}
template <class... Parts>
Status data_loss(const Parts&... parts) {
  return make_error(Code::kDataLoss, {StrPart(str_part(parts))...});
}
template <class... Parts>
Status internal_error(const Parts&... parts) {
  return make_error(Code::kInternal, {StrPart(str_part(parts))...});
}

// A value, or the Status that explains why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Status status) : status_(std::move(status)) {}

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }
  // Precondition of the accessors below: ok().
  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return *std::move(value_); }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return *std::move(value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  Status status_;
  std::optional<T> value_;
};

}  // namespace percale

// Returns the Status of `expr` from the enclosing function unless it is success.
#define PERCALE_RETURN_IF_ERROR(expr)                                                              \
  do {                                                                                             \
    if (::percale::Status percale_status_ = (expr); !percale_status_.ok()) return percale_status_; \
  } while (false)

// Declares or assigns `lhs` from the Result `expr`, or returns the Status of `expr` from the
// enclosing function.
#define PERCALE_ASSIGN_OR_RETURN(lhs, expr) \
  PERCALE_ASSIGN_OR_RETURN_(PERCALE_CONCAT_(percale_result_, __LINE__), lhs, expr)
#define PERCALE_ASSIGN_OR_RETURN_(tmp, lhs, expr) \
  auto tmp = (expr);                              \
  if (!tmp.ok()) return tmp.status();             \
  lhs = std::move(tmp).value()
#define PERCALE_CONCAT_(a, b) PERCALE_CONCAT__(a, b)
#define PERCALE_CONCAT__(a, b) a##b

#endif  // PERCALE_CORE_BASE_STATUS_H_
