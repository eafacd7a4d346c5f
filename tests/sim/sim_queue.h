// Streams of a sim device, and the one thread that executes them all.
#ifndef PERCALE_TESTS_SIM_SIM_QUEUE_H_
#define PERCALE_TESTS_SIM_SIM_QUEUE_H_

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "tests/sim/plugin.h"

namespace percale_sim {

// Executes tasks in order within a stream; streams take turns. Thread-safe.
class Worker {
 public:
  // A task of a stream. It receives the error of the tasks before it and returns its own.
  using Task = std::function<Error(const Error& before)>;
  struct Queue {
    Worker* worker;
    void* device;
    std::deque<Task> tasks;
    bool busy = false;
    Error error;  // the first one since the last synchronize()
  };

  Worker();
  // Executes the remaining tasks first.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  Queue* create(void* device);
  static void destroy(Queue* queue);  // waits until it is drained
  static void add(Queue* queue, Task task);
  static Error synchronize(Queue* queue);
  // True if a stream has work.
  bool works();

 private:
  void work();
  Queue* next();

  std::mutex mutex_;
  std::condition_variable more_, drained_;
  std::vector<Queue*> queues_;
  size_t turn_ = 0;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace percale_sim

#endif  // PERCALE_TESTS_SIM_SIM_QUEUE_H_
