// Helpers for doctest cases.
#ifndef PERCALE_TESTS_SUPPORT_GET_H_
#define PERCALE_TESTS_SUPPORT_GET_H_

#include <doctest/doctest.h>

#include <utility>

#include "core/base/status.h"

namespace percale {

// Returns the value of a Result, which must be success.
template <class T>
T get(Result<T> result) {
  REQUIRE_MESSAGE(result.ok(), result.status().to_string());
  return std::move(result).value();
}

}  // namespace percale

#endif  // PERCALE_TESTS_SUPPORT_GET_H_
