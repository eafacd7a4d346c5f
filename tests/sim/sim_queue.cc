#include "tests/sim/sim_queue.h"

#include <algorithm>
#include <utility>

#include "tests/sim/sim_system.h"

namespace percale_sim {

Worker::Worker() : thread_(start_thread([this] { work(); })) {}

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    more_.notify_all();
  }
  thread_.join();
  for (Queue* queue : queues_) delete queue;
}

Worker::Queue* Worker::create(void* device) {
  auto* queue = new Queue{this, device, {}, false, {}};
  const std::lock_guard lock(mutex_);
  queues_.push_back(queue);
  return queue;
}

void Worker::destroy(Queue* queue) {
  synchronize(queue);
  Worker& worker = *queue->worker;
  const std::lock_guard lock(worker.mutex_);
  std::erase(worker.queues_, queue);
  delete queue;
}

void Worker::add(Queue* queue, Task task) {
  const std::lock_guard lock(queue->worker->mutex_);
  queue->tasks.push_back(std::move(task));
  queue->worker->more_.notify_one();
}

Error Worker::synchronize(Queue* queue) {
  std::unique_lock lock(queue->worker->mutex_);
  queue->worker->drained_.wait(lock, [&] { return queue->tasks.empty() && !queue->busy; });
  return std::exchange(queue->error, Error());
}

bool Worker::works() {
  const std::lock_guard lock(mutex_);
  return std::any_of(queues_.begin(), queues_.end(),
                     [](const Queue* queue) { return queue->busy || !queue->tasks.empty(); });
}

Worker::Queue* Worker::next() {
  for (size_t i = 0; i < queues_.size(); ++i) {
    Queue* queue = queues_[(turn_ + i) % queues_.size()];
    if (queue->tasks.empty()) continue;
    turn_ = (turn_ + i + 1) % queues_.size();
    return queue;
  }
  return nullptr;
}

void Worker::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    Queue* queue = next();
    if (queue == nullptr) {
      if (stop_) return;
      more_.wait(lock);
      continue;
    }
    Task task = std::move(queue->tasks.front());
    queue->tasks.pop_front();
    queue->busy = true;
    const Error before = queue->error;
    lock.unlock();
    const Error error = task(before);
    task = nullptr;
    lock.lock();
    queue->busy = false;
    if (queue->error.code == 0) queue->error = error;
    if (queue->tasks.empty()) drained_.notify_all();
  }
}

}  // namespace percale_sim
