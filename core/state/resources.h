// State that runs share besides variables: queues of tensors and mutexes, by name.
//
// All accesses of a run form a transaction. The run sees elements that it enqueues at once; other
// runs see them after it has succeeded. Elements that it dequeues are invisible to others; if the
// run fails, they return to their positions. A mutex is held until the run ends.
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

// Puts one run to sleep. Thread-safe.
class Waker {
 public:
  // Ends the current sleep, or the next one before it begins.
  void wake();
  // Sleeps until wake(), or until the monotonic clock reaches `deadline_ns` (-1: never).
  void sleep(int64_t deadline_ns);

 private:
  std::mutex mutex_;
  std::condition_variable awake_;
  bool woken_ = false;
};

// The waiting run, as far as waiting needs to know it.
class Waiter {
 public:
  virtual ~Waiter() = default;
  // Returns CANCELLED or DEADLINE_EXCEEDED if the run must not wait any longer.
  virtual Status stop_reason() const = 0;
  virtual int64_t deadline_ns() const = 0;
  // Enclose a sleep. From begin() to end(), every event that stops the run also wakes `waker`.
  virtual Status begin(Waker& waker) = 0;
  virtual void end(Waker& waker) = 0;
};

// All queues and mutexes of one table of variables, or of one session without a table. Destroying
// it drops the elements of its queues. Thread-safe.
class Resources {
 public:
  Resources() = default;
  Resources(const Resources&) = delete;
  Resources& operator=(const Resources&) = delete;

  // Creates missing queues and checks existing ones against the given types. On an error nothing is
  // declared.
  Status declare(const std::map<std::string, QueueType, std::less<>>& queues);

 private:
  friend class ResourceRun;
  struct Element {
    int64_t number;  // ascending in the order in which elements became visible
    std::vector<Tensor> components;
  };
  using Line = std::list<Waker*>;  // waiting runs in order of arrival; only the first may proceed
  struct Queue {
    QueueType type;
    std::list<Element> elements;
    int64_t next_number = 0;
    // Capacity reserved by active runs: for each run the larger of the elements that it has
    // enqueued and those that it may have to return.
    int64_t claimed = 0;
    int64_t pending = 0;  // elements that active runs have enqueued or dequeued
    bool closed = false, cancelled = false;
    Line enqueuers, dequeuers;
  };
  struct Mutex {
    const void* owner = nullptr;
    Line line;
  };
  static void wake_first(const Line& line);
  static void changed(const Queue& queue);

  std::mutex mutex_;  // guards everything; not held during a sleep or the destruction of a tensor
  std::map<std::string, Queue, std::less<>> queues_;
  std::map<std::string, Mutex, std::less<>> mutexes_;
};

struct QueueSize {
  int64_t elements = 0;
  bool closed = false;
};

// The transaction of one run, from its start to commit() or rollback(). Used by one thread at a
// time.
class ResourceRun {
 public:
  // Borrows both.
  ResourceRun(Resources& resources, Waiter& waiter) : resources_(resources), waiter_(waiter) {}
  ~ResourceRun() { rollback(); }
  ResourceRun(const ResourceRun&) = delete;
  ResourceRun& operator=(const ResourceRun&) = delete;

  // Appends an element. The queue must have been declared, and the tensors must not be written to
  // any more. Waits while the queue is full. CANCELLED: the queue is closed. FAILED_PRECONDITION:
  // this run alone has filled it. INVALID_ARGUMENT: the element has another type.
  Status enqueue(std::string_view queue, std::vector<Tensor> components);
  // Removes the first element. Waits while there is none. OUT_OF_RANGE: the queue is closed and
  // empty, and no element can return to it.
  Result<std::vector<Tensor>> dequeue(std::string_view queue);
  // Rejects further elements. Existing elements can still be dequeued, and runs that already wait
  // to enqueue may still do so. With `cancel_pending` these waiting runs fail instead.
  Status close(std::string_view queue, bool cancel_pending);
  // Returns the size as this run sees it, without changes that other runs have not committed.
  Result<QueueSize> size(std::string_view queue);
  // Waits while another run holds the mutex. Does nothing if this run already holds it.
  Status lock(std::string_view mutex);

  // End the transaction. Another one may follow.
  void commit() noexcept { end(true); }
  void rollback() noexcept { end(false); }

 private:
  struct Share {  // the run's changes to one queue
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
