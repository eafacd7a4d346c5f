/// Owners of handles of the C ABI, and text arguments.
#ifndef PERCALE_CPP_HANDLE_HPP_
#define PERCALE_CPP_HANDLE_HPP_

#include <percale.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace percale {

/// A NUL-terminated text argument: a literal, or a std::string that outlives the call.
class Text {
 public:
  /// The text is borrowed.
  Text(const char* text) : text_(text) {}
  Text(const std::string& text) : text_(text.c_str()) {}
  /// The characters.
  const char* c_str() const { return text_; }

 private:
  const char* text_;
};

/// Owns one reference. Move-only. It is empty after a move or reset(), and every call with it then
/// returns INVALID_ARGUMENT.
template <class T, void (*kRelease)(T*)>
class Handle {
 public:
  Handle() = default;
  /// Takes ownership of a reference from the C ABI.
  explicit Handle(T* adopted) noexcept : handle_(adopted) {}
  Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) reset(std::exchange(other.handle_, nullptr));
    return *this;
  }
  ~Handle() { kRelease(handle_); }

  /// Returns the pointer for calls of the C ABI; borrowed.
  T* get() const noexcept { return handle_; }
  /// True if it owns a reference.
  explicit operator bool() const noexcept { return handle_ != nullptr; }
  /// Passes the reference to the caller.
  T* release() noexcept { return std::exchange(handle_, nullptr); }
  /// Releases the reference and takes ownership of `other`, which may be null.
  void reset(T* other = nullptr) noexcept { kRelease(std::exchange(handle_, other)); }

 private:
  T* handle_ = nullptr;
};

namespace detail {

/// Returns the characters of a text of the library, and releases the text; "" for null.
inline std::string take(percale_text* text) {
  size_t size = 0;
  const char* data = percale_text_data(text, &size);
  std::string out(data == nullptr ? "" : data, data == nullptr ? 0 : size);
  percale_text_release(text);
  return out;
}

/// Returns a borrowed text; empty for null.
inline std::string_view view(const char* text) { return text == nullptr ? std::string_view() : std::string_view(text); }

}  // namespace detail
}  // namespace percale

#endif  // PERCALE_CPP_HANDLE_HPP_
