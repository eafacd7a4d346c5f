// The calls of a connection, which must end before it does.
#ifndef PERCALE_DEVICES_REMOTE_NET_CALLS_H_
#define PERCALE_DEVICES_REMOTE_NET_CALLS_H_

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>

#include "devices/remote/net/stream.h"

namespace percale::remote {

// Each call refers to the channel of the connection. gRPC crashes if one of its own threads
// destroys the last channel of the process, so that the channel must outlive the calls.
class Calls {
 public:
  void add(const std::shared_ptr<Stream>& call) {
    const std::lock_guard lock(mutex_);
    calls_.emplace(call.get(), call);
  }

  void remove(const Stream* call) {
    const std::lock_guard lock(mutex_);
    calls_.erase(call);
    changed_.notify_all();
  }

  // Aborts all calls, and waits until they are removed.
  void end() {
    std::unique_lock lock(mutex_);
    const auto left = calls_;
    lock.unlock();
    for (const auto& [key, call] : left) {
      if (const auto stream = call.lock()) stream->abort();
    }
    lock.lock();
    changed_.wait(lock, [this] { return calls_.empty(); });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<const Stream*, std::weak_ptr<Stream>> calls_;
};

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_NET_CALLS_H_
