/// Options of engines, sessions, trainers and exports.
#ifndef PERCALE_CPP_OPTIONS_HPP_
#define PERCALE_CPP_OPTIONS_HPP_

#include <cstdint>
#include <type_traits>

#include "percale/result.hpp"

namespace percale {

/// Options of a kind: "engine", "session", "trainer" or "export". Settings can be chained:
/// Options("engine").set("threads", 2). The first invalid key or value is kept, and reported where
/// the options are used. Thread-compatible.
class Options {
 public:
  /// Creates empty options of a kind.
  explicit Options(Text kind) {
    percale_options* out = nullptr;
    status_ = Status(percale_options_create(kind.c_str(), &out));
    options_.reset(out);
  }

  /// Sets a key. `percale_options_describe()` lists all keys.
  Options& set(Text key, Text value) & { return keep(percale_options_set, key, value.c_str()); }
  Options& set(Text key, double value) & { return keep(percale_options_set_float, key, value); }
  /// Sets a key to an integer.
  template <class T>
  requires(std::is_integral_v<T>) Options& set(Text key, T value) & {
    return keep(percale_options_set_int, key, static_cast<int64_t>(value));
  }
  /// Sets a key in a chain of temporaries.
  template <class T>
  Options&& set(Text key, T value) && {
    return std::move(set(key, value));
  }

  /// The first error so far, or success.
  const Status& status() const { return status_; }
  /// Returns the pointer for calls of the C ABI; borrowed.
  percale_options* get() const { return options_.get(); }

 private:
  template <class Function, class Value>
  Options& keep(Function function, Text key, Value value) {
    if (status_.ok()) status_ = Status(function(options_.get(), key.c_str(), value));
    return *this;
  }

  Handle<percale_options, percale_options_release> options_;
  Status status_;
};

}  // namespace percale

#endif  // PERCALE_CPP_OPTIONS_HPP_
