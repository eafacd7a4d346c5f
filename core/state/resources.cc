#include "core/state/resources.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>

namespace percale {

void Waker::wake() {
  const std::lock_guard lock(mutex_);
  woken_ = true;
  awake_.notify_one();
}

void Waker::sleep(int64_t deadline_ns) {
  using Clock = std::chrono::steady_clock;
  std::unique_lock lock(mutex_);
  const auto woken = [&] { return woken_; };
  // One hour at most, so that the sum cannot overflow. The caller checks and sleeps again.
  const Clock::time_point far = Clock::now() + std::chrono::hours(1);
  const bool near = deadline_ns >= 0 && std::chrono::nanoseconds(deadline_ns) < far.time_since_epoch();
  const auto until = near ? Clock::time_point(std::chrono::nanoseconds(deadline_ns)) : far;
  awake_.wait_until(lock, until, woken);
  woken_ = false;
}

void Resources::wake_first(const Line& line) {
  if (!line.empty()) line.front()->wake();
}

void Resources::changed(const Queue& queue) {
  wake_first(queue.enqueuers);
  wake_first(queue.dequeuers);
}

Status Resources::declare(const std::map<std::string, QueueType, std::less<>>& queues) {
  const std::lock_guard lock(mutex_);
  std::map<std::string, QueueType, std::less<>> merged;
  for (const auto& [name, type] : queues) {
    const auto found = queues_.find(name);
    QueueType& now = merged[name];
    if (found != queues_.end()) now = found->second.type;
    PERCALE_RETURN_IF_ERROR(merge_queue_types(name, now, type));
  }
  // Allocates first, so that an error leaves nothing half declared.
  for (const auto& [name, type] : merged) queues_.try_emplace(name);
  for (auto& [name, type] : merged) queues_.find(name)->second.type = std::move(type);
  return {};
}

int64_t ResourceRun::Share::claim() const { return static_cast<int64_t>(std::max(staged.size(), taken.size())); }

Result<Resources::Queue*> ResourceRun::find(std::string_view queue) {
  const auto found = resources_.queues_.find(queue);
  if (found == resources_.queues_.end()) return not_found("there is no queue '", queue, "'");
  return &found->second;
}

// Tries at once, then waits in line until `attempt` returns a status or the run must stop.
// `attempt` receives two flags: it is this run's turn, and the run has waited. `other` is the line
// whose waiters depend on changes in this one; may be null.
template <class Attempt>
Status ResourceRun::wait(Resources::Line& line, const Resources::Line* other, std::unique_lock<std::mutex>& lock,
                         Attempt attempt) {
  if (std::optional<Status> now = attempt(line.empty(), false)) return *std::move(now);
  lock.unlock();
  Waker waker;
  PERCALE_RETURN_IF_ERROR(waiter_.begin(waker));
  struct Waiting {
    Waiter& waiter;
    Waker& waker;
    std::unique_lock<std::mutex>& lock;
    ~Waiting() {
      if (lock.owns_lock()) lock.unlock();
      waiter.end(waker);
    }
  } waiting{waiter_, waker, lock};
  lock.lock();
  // Leaves the line before waiter.end(), which may wait for a thread, so that no other run waits
  // for that.
  struct Place {
    Resources::Line& line;
    const Resources::Line* other;
    std::unique_lock<std::mutex>& lock;
    Resources::Line::iterator at;
    ~Place() {
      if (!lock.owns_lock()) lock.lock();
      line.erase(at);
      Resources::wake_first(line);
      if (other != nullptr) Resources::wake_first(*other);
    }
  } place{line, other, lock, line.insert(line.end(), &waker)};
  while (true) {
    if (std::optional<Status> now = attempt(line.front() == &waker, true)) return *std::move(now);
    lock.unlock();
    PERCALE_RETURN_IF_ERROR(waiter_.stop_reason());
    waker.sleep(waiter_.deadline_ns());
    lock.lock();
  }
}

Status ResourceRun::enqueue(std::string_view name, std::vector<Tensor> components) {
  std::list<Resources::Element> element;
  element.push_back({0, std::move(components)});
  std::unique_lock lock(resources_.mutex_);
  PERCALE_ASSIGN_OR_RETURN(Resources::Queue * queue, find(name));
  QueueType given{0, {}};
  for (const Tensor& t : element.front().components) given.components.push_back({t.dtype(), t.shape()});
  QueueType type = queue->type;
  PERCALE_RETURN_IF_ERROR(merge_queue_types(name, type, given));
  Share& share = shares_[queue];
  return wait(queue->enqueuers, &queue->dequeuers, lock, [&](bool first, bool waited) -> std::optional<Status> {
    if (share.close || (queue->closed && (!waited || queue->cancelled))) {
      return Status(Code::kCancelled, str_cat("queue '", name, "' is closed"));
    }
    const auto staged = static_cast<int64_t>(share.staged.size());
    const int64_t more = staged + 1 - share.claim() > 0 ? 1 : 0;
    const auto used = static_cast<int64_t>(queue->elements.size()) + queue->claimed;
    if (more > 0 && staged >= type.capacity) {
      return failed_precondition("this run has filled queue '", name, "' of capacity ", type.capacity,
                                 " by itself; other runs see its elements only after it has succeeded");
    }
    if (more > 0 && (!first || used >= type.capacity)) return std::nullopt;
    share.staged.splice(share.staged.end(), element);
    queue->claimed += more;
    ++queue->pending;
    return Status();
  });
}

Result<std::vector<Tensor>> ResourceRun::dequeue(std::string_view name) {
  std::vector<Tensor> out;
  std::unique_lock lock(resources_.mutex_);
  PERCALE_ASSIGN_OR_RETURN(Resources::Queue * queue, find(name));
  Share& share = shares_[queue];
  PERCALE_RETURN_IF_ERROR(
      wait(queue->dequeuers, &queue->enqueuers, lock, [&](bool first, bool) -> std::optional<Status> {
        const int64_t claim = share.claim();
        if (first && !queue->elements.empty()) {
          out = queue->elements.front().components;
          share.taken.splice(share.taken.end(), queue->elements, queue->elements.begin());
          ++queue->pending;
        } else if (!share.staged.empty()) {
          out = std::move(share.staged.front().components);
          share.staged.pop_front();
          --queue->pending;
        } else {
          const auto taken = static_cast<int64_t>(share.taken.size());
          if (queue->elements.empty() && taken >= queue->type.capacity) {
            return failed_precondition("this run has taken as many elements as queue '", name, "' of capacity ",
                                       queue->type.capacity, " can hold; there is room again after it has succeeded");
          }
          const bool closed = queue->closed || share.close;
          const bool more = queue->pending > taken || (!queue->enqueuers.empty() && !queue->cancelled);
          if (!closed || more || !queue->elements.empty()) return std::nullopt;
          return out_of_range("queue '", name, "' is closed and empty");
        }
        queue->claimed += share.claim() - claim;
        Resources::changed(*queue);
        return Status();
      }));
  return out;
}

Status ResourceRun::close(std::string_view name, bool cancel_pending) {
  const std::lock_guard lock(resources_.mutex_);
  PERCALE_ASSIGN_OR_RETURN(Resources::Queue * queue, find(name));
  Share& share = shares_[queue];
  share.close = true;
  share.cancel = share.cancel || cancel_pending;
  return {};
}

Result<QueueSize> ResourceRun::size(std::string_view name) {
  const std::lock_guard lock(resources_.mutex_);
  PERCALE_ASSIGN_OR_RETURN(const Resources::Queue* queue, find(name));
  const auto share = shares_.find(const_cast<Resources::Queue*>(queue));
  QueueSize out{static_cast<int64_t>(queue->elements.size()), queue->closed};
  if (share == shares_.end()) return out;
  out.elements += static_cast<int64_t>(share->second.staged.size());
  out.closed = out.closed || share->second.close;
  return out;
}

Status ResourceRun::lock(std::string_view name) {
  std::unique_lock lock(resources_.mutex_);
  Resources::Mutex& mutex = resources_.mutexes_.try_emplace(std::string(name)).first->second;
  held_.reserve(held_.size() + 1);
  return wait(mutex.line, nullptr, lock, [&](bool first, bool) -> std::optional<Status> {
    if (mutex.owner == this) return Status();
    if (mutex.owner != nullptr || !first) return std::nullopt;
    mutex.owner = this;
    held_.push_back(&mutex);
    return Status();
  });
}

void ResourceRun::end(bool success) noexcept {
  if (shares_.empty() && held_.empty()) return;
  std::map<Resources::Queue*, Share> over;  // tensors are destroyed after the lock is released
  over.swap(shares_);
  const std::lock_guard lock(resources_.mutex_);
  for (auto& [queue, share] : over) {
    queue->claimed -= share.claim();
    queue->pending -= static_cast<int64_t>(share.staged.size() + share.taken.size());
    if (success) {
      for (Resources::Element& element : share.staged) element.number = queue->next_number++;
      queue->elements.splice(queue->elements.end(), share.staged);
      queue->closed = queue->closed || share.close;
      queue->cancelled = queue->cancelled || share.cancel;
    } else {
      // Elements return to their positions, because runs that took later ones may have returned
      // theirs first.
      const auto earlier = [](const auto& a, const auto& b) { return a.number < b.number; };
      share.taken.sort(earlier);
      queue->elements.merge(share.taken, earlier);
    }
    Resources::changed(*queue);
  }
  for (Resources::Mutex* mutex : held_) {
    mutex->owner = nullptr;
    Resources::wake_first(mutex->line);
  }
  held_.clear();
}

}  // namespace percale
