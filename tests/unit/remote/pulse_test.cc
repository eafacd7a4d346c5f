#include "devices/remote/net/pulse.h"

#include <doctest/doctest.h>

#include <atomic>
#include <semaphore>

namespace percale::remote {
namespace {

// Whether the first beat of a Pulse is excused.
bool is_excused(std::chrono::milliseconds pause) {
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
  CHECK(is_excused(kSilence + kBeatPause));
  CHECK_FALSE(is_excused(kBeatPause));
}

}  // namespace
}  // namespace percale::remote
