// Returns the value of a result. Otherwise fails a check with the library's message. Works without
// exceptions.
#ifndef PERCALE_BINDINGS_CPP_TESTS_GOOD_H_
#define PERCALE_BINDINGS_CPP_TESTS_GOOD_H_

#include <doctest/doctest.h>

#include <percale.hpp>
#include <utility>

template <class T>
T good(percale::Result<T> result) {
  if (result) return std::move(*result);
  FAIL_CHECK(result.error().message());
  return T();
}
inline void good(const percale::Status& status) { CHECK_MESSAGE(status.ok(), status.message()); }

// Returns a tensor of small numbers that owns its vector.
inline percale::Tensor floats(std::vector<float> values, percale::Dims dims) {
  return good(percale::Tensor::adopt(std::move(values), dims));
}

#endif  // PERCALE_BINDINGS_CPP_TESTS_GOOD_H_
