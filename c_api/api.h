// The first and last steps of every function of the C ABI: it checks its arguments, clears its
// outs, catches everything.
#ifndef PERCALE_C_API_API_H_
#define PERCALE_C_API_API_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "c_api/callback.h"
#include "c_api/include/percale.h"
#include "c_api/one_thread.h"
#include "core/base/c_status.h"
#include "core/base/status.h"
#include "core/tensor/shape.h"

namespace percale::c_api {

// An argument that must not be null, and its name for the message. Made by NEEDS(), and by ALONE()
// for an object that no other thread may use meanwhile, in a function that calls nothing of the
// host's.
struct Argument {
  bool present;
  const char* name;
  const OneThread* thread = nullptr;
};
#define NEEDS(argument) \
  ::percale::c_api::Argument { (argument) != nullptr, #argument }
#define ALONE(object) \
  ::percale::c_api::Argument { (object) != nullptr, #object, (object) == nullptr ? nullptr : &(object)->thread }

// The status with the name of its function, where the message begins with that, in words that all
// languages share: "session run: ..." for "percale_session_run: ...".
Status in_shared_words(const char* function, Status status);

// The body of a fallible function: FAILED_PRECONDITION within a callback that may not call it,
// INVALID_ARGUMENT naming the function and the first argument that is missing, FAILED_PRECONDITION
// where another thread uses the object, else the result of `body`, or the status for what it
// throws. Messages are in_shared_words().
template <class Body>
percale_status* guarded(const char* function, std::initializer_list<Argument> arguments, Body&& body) noexcept {
  const auto result = [&]() -> Status {
    PERCALE_RETURN_IF_ERROR(check_may_call(function));
    for (const Argument& argument : arguments) {
      if (!argument.present) return invalid_argument(function, ": '", argument.name, "' is NULL");
    }
    OneThread::Use use;
    for (const Argument& argument : arguments) {
      if (argument.thread == nullptr) continue;
      PERCALE_ASSIGN_OR_RETURN(use, argument.thread->enter(function));
    }
    return std::forward<Body>(body)();
  };
  return catch_to_c([&] { return in_shared_words(function, result()); });
}

// For functions that cannot fail but may run out of memory on the way: `otherwise` then.
template <class T, class Body>
T guarded_value(T otherwise, Body&& body) noexcept {
  try {
    return std::forward<Body>(body)();
  } catch (...) {
    return otherwise;
  }
}

// Outs are 0 or null until the function has succeeded.
template <class T>
void clear(T* out) noexcept {
  if (out != nullptr) *out = T{};
}
template <class T>
void clear(T* out, size_t count) noexcept {
  if (out == nullptr) return;
  for (size_t i = 0; i < count; ++i) out[i] = T{};
}

// The argument of a host's callback, and the function that releases it.
struct HostUser {
  HostUser() = default;
  HostUser(const HostUser&) = delete;
  HostUser& operator=(const HostUser&) = delete;
  ~HostUser() {
    if (destroy == nullptr) return;
    const CallbackScope scope(Callback::kClosed);
    destroy(user);
  }
  void* user = nullptr;
  percale_destroy destroy = nullptr;
};

// The start of every handle: the number of its users.
struct Counted {
  std::atomic<int64_t> users{1};
};
template <class Handle>
Handle* retain(Handle* handle) noexcept {
  if (handle != nullptr) handle->users.fetch_add(1, std::memory_order_relaxed);
  return handle;
}
template <class Handle>
void release(Handle* handle) noexcept {
  if (handle != nullptr && handle->users.fetch_sub(1, std::memory_order_acq_rel) == 1) delete handle;
}

// Keeps a handle alive.
template <class Handle>
class Ref {
 public:
  Ref() = default;
  explicit Ref(Handle* handle) noexcept : handle_(retain(handle)) {}
  Ref(const Ref& other) noexcept : handle_(retain(other.handle_)) {}
  Ref(Ref&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Ref() { release(handle_); }
  Handle* operator->() const { return handle_; }
  Handle* get() const { return handle_; }

 private:
  Handle* handle_ = nullptr;
};

// The text of a name; "" for null.
inline std::string_view text_or_empty(const char* text) { return text == nullptr ? std::string_view() : text; }
// A pointer and a size, or PERCALE_NUL_ENDED.
inline std::string_view text_of(const char* text, size_t size) {
  return size == PERCALE_NUL_ENDED ? std::string_view(text) : std::string_view(text, size);
}

// `count` names; INVALID_ARGUMENT names the array when it, or an entry, is null.
Result<std::vector<std::string>> names_of(const char* function, const char* argument, const char* const* names,
                                          size_t count);
// The same for handles.
template <class Handle>
Status check_array(const char* function, const char* argument, Handle* const* handles, size_t count) {
  if (handles == nullptr && count > 0) return invalid_argument(function, ": '", argument, "' is NULL");
  for (size_t i = 0; i < count; ++i) {
    if (handles[i] == nullptr) return invalid_argument(function, ": '", argument, "[", uint64_t{i}, "]' is NULL");
  }
  return {};
}
// A dtype by number; INVALID_ARGUMENT for a number that is none.
Result<DType> dtype_of_number(const char* function, percale_dtype dtype);
// A shape by dims and rank; `dims` may be null for rank 0.
Result<Shape> shape_of(const char* function, const int64_t* dims, size_t rank);
// Writes dims (room for 8) and rank (SIZE_MAX when unranked).
void write_shape(const Shape& shape, int64_t* out_dims, size_t* out_rank);

// A new text handle.
percale_text* make_text(std::string text);

}  // namespace percale::c_api

#endif  // PERCALE_C_API_API_H_
