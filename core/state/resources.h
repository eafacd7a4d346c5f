// What runs share besides variables: queues of tensors and mutexes, by name.
//
// A run's dealings with them are a transaction. What it puts into a queue it sees at once, others when it has succeeded; what
// it takes nobody else gets, and where it fails everything is back in its place. A mutex is held until the run ends.
#ifndef PERCALE_CORE_STATE_RESOURCES_H_
#define PERCALE_CORE_STATE_RESOURCES_H_

#include <condition_variable>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "core/graph/queues.h"
#include "core/tensor/tensor.h"

namespace percale {

// Where one run sleeps. Thread-safe.
class Waker {
 public:
  // Ends the sleep under way, or the next one before it begins.
  void wake();
  // Until somebody wakes it, or the monotonic clock shows `deadline_ns` (-1: never).
  void sleep(int64_t deadline_ns);

 private:
  std::mutex mutex_;
  std::condition_variable awake_;
  bool woken_ = false;
};

// The run that waits, as far as waiting goes.
class Waiter {
 public:
  virtual ~Waiter() = default;
  // CANCELLED or DEADLINE_EXCEEDED when it must not wait any longer.
  virtual Status stop_reason() const = 0;
  virtual int64_t deadline_ns() const = 0;
  // Around a sleep. From begin() to end() whatever stops the run wakes `waker` too.
  virtual Status begin(Waker& waker) = 0;
  virtual void end(Waker& waker) = 0;
};

// All queues and mutexes of one table of variables, or of one session without a table. Thread-safe. What a queue holds ends
// with it.
class Resources {
 public:
  Resources() = default;
  Resources(const Resources&) = delete;
  Resources& operator=(const Resources&) = delete;

  // Makes the queues that are not there and holds those that are against what is said of them, all or none.
  Status declare(const std::map<std::string, QueueType, std::less<>>& queues);

 private:
  friend class ResourceRun;
  struct Element {
    int64_t number;  // ascending in the order in which elements became visible
    std::vector<Tensor> components;
  };
  using Line = std::list<Waker*>;  // who waits, in the order of arrival; the first alone may go on
  struct Queue {
    QueueType type;
    std::list<Element> elements;
    int64_t next_number = 0;
    // Room that runs under way may need: of each, for what it has put in or what it may have to give back, the larger.
    int64_t claimed = 0;
    int64_t pending = 0;  // elements that runs under way have put in or taken
    bool closed = false, cancelled = false;
    Line enqueuers, dequeuers;
  };
  struct Mutex {
    const void* owner = nullptr;
    Line line;
  };
  static void wake_first(const Line& line);
  static void changed(const Queue& queue);

  std::mutex mutex_;  // guards everything; never held while anybody sleeps or a tensor ends
  std::map<std::string, Queue, std::less<>> queues_;
  std::map<std::string, Mutex, std::less<>> mutexes_;
};

struct QueueSize {
  int64_t elements = 0;
  bool closed = false;
};

// What one run does with them, from its start to commit() or rollback(). Used by one thread at a time.
class ResourceRun {
 public:
  // Borrows both.
  ResourceRun(Resources& resources, Waiter& waiter) : resources_(resources), waiter_(waiter) {}
  ~ResourceRun() { rollback(); }
  ResourceRun(const ResourceRun&) = delete;
  ResourceRun& operator=(const ResourceRun&) = delete;

  // Queues must have been declared. The tensors must not be written to any more. Waits while the queue is full. CANCELLED
  // when it is closed, FAILED_PRECONDITION when this run alone fills it, INVALID_ARGUMENT for an element of another type.
  Status enqueue(std::string_view queue, std::vector<Tensor> components);
  // Waits while there is no element. OUT_OF_RANGE when the queue is closed and empty, and nothing can come back into it.
  Result<std::vector<Tensor>> dequeue(std::string_view queue);
  // No element is accepted any more; those that are waited with, and those that are there, still pass, or, with
  // `cancel_pending`, the first are turned away.
  Status close(std::string_view queue, bool cancel_pending);
  // As this run sees it, without what others have not committed.
  Result<QueueSize> size(std::string_view queue);
  // Waits while another run holds it. Once more by the same run: nothing happens.
  Status lock(std::string_view mutex);

  // End the transaction; another may begin.
  void commit() noexcept { end(true); }
  void rollback() noexcept { end(false); }

 private:
  struct Share {  // in one queue
    std::list<Resources::Element> staged, taken;
    bool close = false, cancel = false;
    int64_t claim() const;
  };
  Result<Resources::Queue*> find(std::string_view queue);
  template <class Attempt>
  Status wait(Resources::Line& line, const Resources::Line* other, std::unique_lock<std::mutex>& lock, Attempt attempt);
  void end(bool success) noexcept;

  Resources& resources_;
  Waiter& waiter_;
  std::map<Resources::Queue*, Share> shares_;
  std::vector<Resources::Mutex*> held_;
};

}  // namespace percale

#endif  // PERCALE_CORE_STATE_RESOURCES_H_
