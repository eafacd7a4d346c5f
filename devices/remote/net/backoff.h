// Pauses between attempts: each one longer, and of random length, so that many processes that wait
// for one do not ask it at the same time.
#ifndef PERCALE_DEVICES_REMOTE_NET_BACKOFF_H_
#define PERCALE_DEVICES_REMOTE_NET_BACKOFF_H_

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

namespace percale::remote {

class Backoff {
 public:
  // Sleeps. False, at once, if the deadline would have passed.
  bool wait(std::chrono::steady_clock::time_point deadline) {
    const std::chrono::duration<double, std::milli> pause =
        pause_ * std::uniform_real_distribution<>(0.5, 1.5)(random_);
    if (std::chrono::steady_clock::now() + pause >= deadline) return false;
    std::this_thread::sleep_for(pause);
    pause_ = std::min(pause_ * 1.6, kLongest);
    return true;
  }

 private:
  static constexpr std::chrono::duration<double, std::milli> kLongest{1000};
  std::chrono::duration<double, std::milli> pause_{50};
  std::minstd_rand random_{std::random_device()()};
};

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_NET_BACKOFF_H_
