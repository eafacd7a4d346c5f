// What a result holds; a failed check with the library's message otherwise. Works without exceptions.
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

// The tests' small numbers, from a vector that the tensor owns.
inline percale::Tensor floats(std::vector<float> values, percale::Dims dims) {
  return good(percale::Tensor::adopt(std::move(values), dims));
}

#endif  // PERCALE_BINDINGS_CPP_TESTS_GOOD_H_
