// A served device and its clients over links within this process, without a network.
#ifndef PERCALE_TESTS_UNIT_REMOTE_FAKE_SERVER_H_
#define PERCALE_TESTS_UNIT_REMOTE_FAKE_SERVER_H_

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "devices/remote/device/remote_device.h"
#include "devices/remote/serve/device_handler.h"
#include "devices/remote/serve/lane.h"
#include "devices/remote/serve/queue_handler.h"
#include "tests/unit/remote/device_calls.h"
#include "tests/unit/remote/fake_link.h"
#include "tests/unit/remote/memory_device.h"

namespace percale::remote {

inline constexpr const char* kBuild = "percale x";

inline std::shared_ptr<Clients> clients_of(MemoryDevice& device, const Limits& limits) {
  std::deque<ServedDevice> served;
  served.emplace_back(fake_host(), device.served());
  return std::make_shared<Clients>(kBuild, std::move(served), limits);
}

inline wire::OpenT open_request(uint64_t memory_limit = 0) {
  wire::OpenT out;
  out.protocol = kProtocol;
  out.build = kBuild;
  out.device = "cpu:0";
  out.memory_limit = memory_limit;
  out.deterministic = true;
  return out;
}

// It sends no heartbeats by itself.
class FakeServer {
 public:
  explicit FakeServer(const Limits& limits = {}) : clients_(clients_of(device, limits)) {}
  ~FakeServer() {
    cut();
    for (const auto& lane : lanes_) lane->join();
    network_.stop();
  }
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  std::shared_ptr<Stream> open(const std::string& purpose, std::shared_ptr<StreamEvents> events) {
    const auto near = std::make_shared<FakeEnd>(network_), far = std::make_shared<FakeEnd>(network_);
    const auto lane =
        std::make_shared<Lane>(far, fake_host().tensor->crc32c, [&](Outlet& outlet) -> std::unique_ptr<Handler> {
          if (purpose == kQueuePurpose) return std::make_unique<QueueHandler>(clients_, outlet);
          return std::make_unique<DeviceHandler>(clients_, outlet);
        });
    FakeEnd::connect(near, std::move(events), far, lane);
    const std::lock_guard lock(mutex_);
    lanes_.push_back(lane);
    ends_.push_back(near);
    return near;
  }
  // Heartbeats as if it were so much later.
  void beat(std::chrono::milliseconds later = {}, bool excused = false) {
    const std::lock_guard lock(mutex_);
    for (const auto& lane : lanes_) lane->beat(Clock::now() + later, clients_->limits().silence, excused);
  }
  // Breaks the connections.
  void cut() {
    const std::lock_guard lock(mutex_);
    for (const auto& end : ends_) end->abort();
  }

  MemoryDevice device;

 private:
  const std::shared_ptr<Clients> clients_;
  FakeNetwork network_;
  std::mutex mutex_;  // guards what follows
  std::vector<std::shared_ptr<Lane>> lanes_;
  std::vector<std::shared_ptr<FakeEnd>> ends_;
};

// A client of a FakeServer, which must outlive it.
class FakeClient : public DeviceCalls {
 public:
  explicit FakeClient(FakeServer& server, uint64_t memory_limit = 0) {
    static RemoteDevices& devices = *new RemoteDevices(fake_host());
    api = &devices.api();
    OpenedDevice opened;
    opened.open_stream = [&server](const std::string& purpose, std::shared_ptr<StreamEvents> events) {
      return server.open(purpose, std::move(events));
    };
    opened.session = std::make_shared<Session>("the device cpu:0 at here", fake_host().tensor->crc32c);
    REQUIRE(opened.session->open(opened.open_stream, open_request(memory_limit), Clock::time_point::max()));
    device = new RemoteDevice(devices, std::move(opened));
  }
};

}  // namespace percale::remote

#endif  // PERCALE_TESTS_UNIT_REMOTE_FAKE_SERVER_H_
