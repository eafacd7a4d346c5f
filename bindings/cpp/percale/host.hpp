/// Threads, and files of models, that a program can supply to an engine.
#ifndef PERCALE_CPP_HOST_HPP_
#define PERCALE_CPP_HOST_HPP_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "percale/callback.hpp"
#include "percale/handle.hpp"
#include "percale/result.hpp"

namespace percale {

/// Files that a program reads for the library: from an archive, a database, or decrypted on the
/// way. Options::files() gives them to an engine. Several threads may call the functions at a time.
/// A status becomes that of the call that reads, with the path in front, and so does an exception.
class FileReader {
 public:
  virtual ~FileReader() = default;
  /// Returns the size of a file in bytes; NOT_FOUND if there is none. `name` is the path without
  /// "host:".
  virtual Result<int64_t> size(const std::string& name) = 0;
  /// Reads all bytes of `to` from byte `offset` of a file. They lie within its size.
  virtual Status read(const std::string& name, int64_t offset, std::span<std::byte> to) = 0;
};

namespace detail {

/// A task of the library. The program has copies of it; the library has it back if it was refused.
class HostTask {
 public:
  /// Wraps a task that the library has given.
  explicit HostTask(percale_task* task) : task_(task) {}
  ~HostTask() {
    if (is_taken_) percale_task_release(task_);
  }
  HostTask(const HostTask&) = delete;
  HostTask& operator=(const HostTask&) = delete;

  /// Runs the task, once.
  void run() {
    if (!begun_.exchange(true)) percale_task_run(task_);
  }
  /// The program has refused the task. False if it has begun nevertheless.
  bool refuse() { return !begun_.exchange(true); }
  /// The program has taken the task, and releases it with this object.
  void take() { is_taken_ = true; }

 private:
  percale_task* const task_;
  std::atomic<bool> begun_{false};
  bool is_taken_ = false;
};

/// The function of Options::executor() as the library calls it.
template <class Execute>
class HostExecutor {
 public:
  /// Wraps the function.
  explicit HostExecutor(Execute execute) : execute_(std::move(execute)) {}

  /// Returns the table for the library, whose `user` is this object.
  percale_thread_pool table() {
    percale_thread_pool out{};
    out.struct_size = sizeof out;
    out.user = this;
    out.execute = [](void* user, percale_task* raw) {
      const auto task = std::make_shared<HostTask>(raw);
      percale_status* status = called_by_library(
          [&]() -> Status { return static_cast<HostExecutor*>(user)->execute_([task] { task->run(); }); });
      if (status != nullptr && task->refuse()) return status;
      percale_status_release(status);
      task->take();
      return static_cast<percale_status*>(nullptr);
    };
    return out;
  }

 private:
  Execute execute_;
};

/// A FileReader as the library calls it.
class HostFiles {
 public:
  /// Wraps the files.
  explicit HostFiles(std::shared_ptr<FileReader> files) : files_(std::move(files)) {}

  /// Returns the table for the library, whose `user` is this object.
  percale_reader table() {
    percale_reader out{};
    out.struct_size = sizeof out;
    out.user = this;
    out.size = [](void* user, const char* name, int64_t* out_size) {
      return called_by_library([&]() -> Status {
        auto size = static_cast<HostFiles*>(user)->files_->size(name);
        if (!size) return std::move(size).error();
        *out_size = *size;
        return {};
      });
    };
    out.read = [](void* user, const char* name, int64_t offset, void* buffer, size_t size) {
      return called_by_library([&] {
        return static_cast<HostFiles*>(user)->files_->read(name, offset, {static_cast<std::byte*>(buffer), size});
      });
    };
    return out;
  }

 private:
  const std::shared_ptr<FileReader> files_;
};

/// Gives a part of the host to the library, which owns it from then on if that succeeds.
template <class Part, class Set>
Status give_part(std::unique_ptr<Part> part, const Set& set) {
  const auto table = part->table();
  Status status(set(&table, [](void* user) { delete static_cast<Part*>(user); }));
  if (status) (void)part.release();
  return status;
}

}  // namespace detail
}  // namespace percale

#endif  // PERCALE_CPP_HOST_HPP_
