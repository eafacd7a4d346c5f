/// Functions of the program that the library calls and that return a status.
#ifndef PERCALE_CPP_CALLBACK_HPP_
#define PERCALE_CPP_CALLBACK_HPP_

#include <string_view>

#include "percale/result.hpp"

#if PERCALE_CPP_EXCEPTIONS
#include <exception>
#include <new>
#include <system_error>
#endif

namespace percale::detail {

/// Returns a status for the library; null for success.
inline percale_status* raw_status(Code code, std::string_view message) noexcept {
  return percale_status_create(static_cast<percale_code>(code), message.data(), message.size());
}
inline percale_status* raw_status(const Status& status) noexcept { return raw_status(status.code(), status.message()); }

/// Returns the status of `function()` for the library. No exception leaves it: an Error keeps its
/// code, std::system_error becomes UNAVAILABLE, any other exception ABORTED.
template <class Function>
percale_status* called_by_library(Function&& function) noexcept {
#if PERCALE_CPP_EXCEPTIONS
  try {
    return raw_status(function());
  } catch (const Error& error) {
    return raw_status(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return raw_status(Code::kResourceExhausted, "a callback of the program has no memory");
  } catch (const std::system_error& error) {
    return raw_status(Code::kUnavailable, error.what());
  } catch (const std::exception& error) {
    return raw_status(Code::kAborted, error.what());
  } catch (...) {
    return raw_status(Code::kAborted, "a callback of the program has thrown an object that is not a std::exception");
  }
#else
  return raw_status(function());
#endif
}

}  // namespace percale::detail

#endif  // PERCALE_CPP_CALLBACK_HPP_
