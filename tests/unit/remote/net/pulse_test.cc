#include "devices/remote/net/pulse.h"

#include <doctest/doctest.h>

#include <atomic>
#include <semaphore>

namespace percale::remote {
namespace {

// Waits for the first beat of a Pulse.
bool excuses_first_beat(std::chrono::milliseconds pause) {
  std::atomic<bool> out = false;
  std::counting_semaphore<> beaten(0);
  {
    const Pulse pulse(pause, [&](Clock::time_point, bool excused) {
      out = excused;
      beaten.release();
    });
    beaten.acquire();
  }
  return out;
}

TEST_CASE("A pulse notices a standstill, also before its first beat") {
  CHECK(excuses_first_beat(kSilence + kBeatPause));
  CHECK_FALSE(excuses_first_beat(kBeatPause));
}

}  // namespace
}  // namespace percale::remote
