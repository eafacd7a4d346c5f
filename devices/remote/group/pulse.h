// A thread that calls a function again and again.
#ifndef PERCALE_DEVICES_REMOTE_GROUP_PULSE_H_
#define PERCALE_DEVICES_REMOTE_GROUP_PULSE_H_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

namespace percale::remote {

class Pulse {
 public:
  Pulse(std::chrono::milliseconds pause, std::function<void()> beat)
      : thread_([this, pause, beat = std::move(beat)] {
          std::unique_lock lock(mutex_);
          while (!changed_.wait_for(lock, pause, [this] { return ends_; })) {
            try {
              beat();
            } catch (const std::bad_alloc&) {  // the next one may succeed
            }
          }
        }) {}
  ~Pulse() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Pulse(const Pulse&) = delete;
  Pulse& operator=(const Pulse&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ends_ = false;
  std::thread thread_;  // declared last, so that it finds the rest
};

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_GROUP_PULSE_H_
