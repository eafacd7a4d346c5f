/// What owns a handle of the C ABI, and how text goes over it.
#ifndef PERCALE_CPP_HANDLE_HPP_
#define PERCALE_CPP_HANDLE_HPP_

#include <percale.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace percale {

/// A text argument that ends with NUL: a literal, or a std::string that outlives the call.
class Text {
 public:
  /// Borrowed.
  Text(const char* text) : text_(text) {}
  Text(const std::string& text) : text_(text.c_str()) {}
  /// The characters.
  const char* c_str() const { return text_; }

 private:
  const char* text_;
};

/// Owns one reference. Move-only; empty after a move or reset(), and then every call gives INVALID_ARGUMENT.
template <class T, void (*kRelease)(T*)>
class Handle {
 public:
  Handle() = default;
  /// Takes over a reference that the C ABI gave.
  explicit Handle(T* adopted) noexcept : handle_(adopted) {}
  Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) reset(std::exchange(other.handle_, nullptr));
    return *this;
  }
  ~Handle() { kRelease(handle_); }

  /// For calls of the C ABI; borrowed.
  T* get() const noexcept { return handle_; }
  /// Whether it owns something.
  explicit operator bool() const noexcept { return handle_ != nullptr; }
  /// Gives the reference to the caller.
  T* release() noexcept { return std::exchange(handle_, nullptr); }
  /// Gives the reference back now; `other` (may be null) is taken over.
  void reset(T* other = nullptr) noexcept { kRelease(std::exchange(handle_, other)); }

 private:
  T* handle_ = nullptr;
};

namespace detail {

/// The characters of a text of the library, which is given back; "" for null.
inline std::string take(percale_text* text) {
  size_t size = 0;
  const char* data = percale_text_data(text, &size);
  std::string out(data == nullptr ? "" : data, data == nullptr ? 0 : size);
  percale_text_release(text);
  return out;
}

/// A borrowed text that may be null.
inline std::string_view view(const char* text) { return text == nullptr ? std::string_view() : std::string_view(text); }

}  // namespace detail
}  // namespace percale

#endif  // PERCALE_CPP_HANDLE_HPP_
