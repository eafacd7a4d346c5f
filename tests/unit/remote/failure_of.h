// The message of an error, for tests.
#ifndef PERCALE_TESTS_UNIT_REMOTE_FAILURE_OF_H_
#define PERCALE_TESTS_UNIT_REMOTE_FAILURE_OF_H_

#include <string>

#include "bindings/cpp/percale_plugin.hpp"

namespace percale::remote {

// The message of the Failure that `f()` throws; "" if it throws none.
template <class F>
std::string failure_of(F&& f) {
  try {
    f();
  } catch (const plugin::Failure& failure) {
    return failure.what();
  }
  return "";
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace percale::remote

#endif  // PERCALE_TESTS_UNIT_REMOTE_FAILURE_OF_H_
