/// Options of engines, sessions, trainers and exports.
#ifndef PERCALE_CPP_OPTIONS_HPP_
#define PERCALE_CPP_OPTIONS_HPP_

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "percale/host.hpp"
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

  /// Makes an engine compute on the program's threads: `execute(std::function<void()> task)` runs
  /// the task, once, on any thread, at once or later, and returns a Status. The engine then starts
  /// no threads that compute. "threads" is the number of threads that one loop uses at most, the
  /// calling one included. Results have the same bits.
  ///
  /// The library never waits for a task that has not begun, so a pool of any size will do, and runs
  /// may be started within it. An error of `execute`, or an exception, becomes that of the run that
  /// needed the task. Any thread may call `execute`.
  template <class Execute>
  Options& executor(Execute execute) & {
    if (!status_.ok()) return *this;
    status_ = detail::give_part(std::make_unique<detail::HostExecutor<Execute>>(std::move(execute)),
                                [&](const auto* table, percale_destroy destroy) {
                                  return percale_options_set_thread_pool(options_.get(), table, destroy);
                                });
    return *this;
  }
  /// Lets an engine read files of the program: wherever it takes a path to read from, one that
  /// begins with "host:" names such a file. A model is read once, and files that it names are read
  /// beside it. A checkpoint is named by its folder, "host:run/step-7".
  Options& files(std::shared_ptr<FileReader> reader) & {
    if (status_.ok() && reader == nullptr) status_ = Status(Code::kInvalidArgument, "files: the reader is null");
    if (!status_.ok()) return *this;
    status_ = detail::give_part(std::make_unique<detail::HostFiles>(std::move(reader)),
                                [&](const auto* table, percale_destroy destroy) {
                                  return percale_options_set_reader(options_.get(), table, destroy);
                                });
    return *this;
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
