// Checked arithmetic for sizes and divisors proved non-zero. Overflow and division by zero are the
// usual causes of crashes on crafted input.
#ifndef PERCALE_CORE_BASE_CHECKED_H_
#define PERCALE_CORE_BASE_CHECKED_H_

#include <concepts>
#include <cstdint>
#include <optional>

namespace percale {

// Return a + b and a * b, or nullopt on overflow.
template <std::integral T>
constexpr std::optional<T> checked_add(T a, T b) {
  T out;
  if (__builtin_add_overflow(a, b, &out)) return std::nullopt;
  return out;
}
template <std::integral T>
constexpr std::optional<T> checked_mul(T a, T b) {
  T out;
  if (__builtin_mul_overflow(a, b, &out)) return std::nullopt;
  return out;
}

// Returns `value` truncated to an integer, or nullopt for NaN and beyond +-2^53. Casting a double
// that an int64 cannot hold is undefined behaviour.
constexpr std::optional<int64_t> checked_int(double value) {
  if (!(value >= -0x1p53 && value <= 0x1p53)) return std::nullopt;
  return static_cast<int64_t>(value);
}

// A size in bytes or elements that remembers an overflow: chain the arithmetic and test valid()
// once at the end.
class CheckedSize {
 public:
  constexpr CheckedSize(int64_t value) : value_(value), valid_(value >= 0) {}
  constexpr CheckedSize operator*(CheckedSize o) const { return from(checked_mul(value_, o.value_), o); }
  constexpr CheckedSize operator+(CheckedSize o) const { return from(checked_add(value_, o.value_), o); }
  constexpr bool valid() const { return valid_; }
  // Precondition: valid().
  constexpr int64_t value() const { return value_; }

 private:
  constexpr CheckedSize from(std::optional<int64_t> result, CheckedSize o) const {
    CheckedSize out(result.value_or(-1));
    out.valid_ = out.valid_ && valid_ && o.valid_;
    return out;
  }
  int64_t value_;
  bool valid_;
};

// A divisor that cannot be zero, because only make() constructs one.
template <std::integral T>
class NonZero {
 public:
  static constexpr std::optional<NonZero> make(T value) {
    if (value == T{0}) return std::nullopt;
    return NonZero(value);
  }
  constexpr T get() const { return value_; }
  friend constexpr T operator/(T a, NonZero b) { return static_cast<T>(a / b.value_); }
  friend constexpr T operator%(T a, NonZero b) { return static_cast<T>(a % b.value_); }

 private:
  explicit constexpr NonZero(T value) : value_(value) {}
  T value_;
};

// Returns `value` rounded up to a multiple of `align`, a power of two. Precondition: no overflow.
constexpr int64_t round_up(int64_t value, int64_t align) { return (value + align - 1) & ~(align - 1); }

}  // namespace percale

#endif  // PERCALE_CORE_BASE_CHECKED_H_
