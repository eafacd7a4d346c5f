// Heartbeats: the thread that sends them, and the times that all processes share.
#ifndef PERCALE_DEVICES_REMOTE_NET_PULSE_H_
#define PERCALE_DEVICES_REMOTE_NET_PULSE_H_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "devices/remote/net/clock.h"

namespace percale::remote {

// Each side says that often that it is still here.
inline constexpr std::chrono::milliseconds kBeatPause(200);
// A peer that is not heard of for so long is lost.
inline constexpr std::chrono::milliseconds kSilence(2500);
// The same for streams that carry bulk bytes, beside one with the heartbeats above: these tell of
// messages that did not arrive, and of streams that stand still while their processes live. A
// heartbeat waits behind a message of 1 MiB.
inline constexpr std::chrono::milliseconds kStreamBeatPause(1000), kStreamSilence(10'000);

// A thread that calls `beat` again and again.
class Pulse {
 public:
  // `excused`: this process has stood still since the last beat. It must not take the messages that
  // wait for it for a silence of others.
  using Beat = std::function<void(Clock::time_point now, bool excused)>;

  Pulse(std::chrono::milliseconds pause, Beat beat)
      : thread_([this, pause, last = Clock::now(), beat = std::move(beat)]() mutable {
          std::unique_lock lock(mutex_);
          while (!changed_.wait_for(lock, pause, [this] { return ends_; })) {
            const Clock::time_point now = Clock::now();
            const bool excused = now - std::exchange(last, now) > kSilence;
            try {
              beat(now, excused);
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

#endif  // PERCALE_DEVICES_REMOTE_NET_PULSE_H_
