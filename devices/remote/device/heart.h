// The heartbeats of all devices that this process has opened.
#ifndef PERCALE_DEVICES_REMOTE_DEVICE_HEART_H_
#define PERCALE_DEVICES_REMOTE_DEVICE_HEART_H_

#include <memory>
#include <mutex>
#include <vector>

#include "devices/remote/device/session.h"

namespace percale::remote {

// Thread-safe. One thread.
class Heart {
 public:
  // Until the session is gone.
  void add(std::weak_ptr<Session> session) {
    const std::lock_guard lock(mutex_);
    sessions_.push_back(std::move(session));
  }

 private:
  void beat(Clock::time_point now, bool excused) {
    const std::lock_guard lock(mutex_);
    std::erase_if(sessions_, [&](const std::weak_ptr<Session>& one) {
      const std::shared_ptr<Session> session = one.lock();
      if (session != nullptr) session->beat(now, excused);
      return session == nullptr;
    });
  }

  std::mutex mutex_;  // guards the next one
  std::vector<std::weak_ptr<Session>> sessions_;
  // Declared last, so that its thread finds the rest.
  Pulse pulse_{kBeatPause, [this](Clock::time_point now, bool excused) { beat(now, excused); }};
};

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_DEVICE_HEART_H_
