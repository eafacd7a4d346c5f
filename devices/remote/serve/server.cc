#include "devices/remote/serve/server.h"

#include <deque>
#include <utility>

#include "devices/remote/serve/device_handler.h"
#include "devices/remote/serve/queue_handler.h"

namespace percale::remote {
namespace {

// The elements have the size that their author knows.
std::deque<ServedDevice> served_devices(const percale_host_api& host, const percale_served_device* first,
                                        size_t count) {
  std::deque<ServedDevice> out;
  const auto* at = reinterpret_cast<const std::byte*>(first);
  for (size_t i = 0; i < count; ++i, at += first->struct_size) {
    out.emplace_back(host, *reinterpret_cast<const percale_served_device*>(at));
  }
  return out;
}

// Takes nothing from a stream that was refused.
class Deaf final : public StreamEvents {
 public:
  void on_message(Message) override {}
  void on_closed(const std::string&) override {}
};

}  // namespace

Server::Server(const percale_host_api& host, const percale_peer& own, const percale_served_device* devices,
               size_t count, const Limits& limits)
    : checksum_(host.tensor->crc32c),
      clients_(std::make_shared<Clients>(own.build, served_devices(host, devices, count), limits)) {
  const Credentials credentials = read_credentials(own.certificates == nullptr ? "" : own.certificates);
  check_may_reach(credentials, own.address);
  listener_ = std::make_unique<Listener>(
      own.address, credentials, [this](const std::string& purpose, const std::shared_ptr<Stream>& stream) {
        if (purpose != kQueuePurpose) return accept(purpose, stream);
        const auto take = [&](const std::shared_ptr<Stream>& shared) { return accept(purpose, shared); };
        return accept_shared(stream, take, sharing_of(checksum_));
      });
  pulse_.emplace(kBeatPause, [this](Clock::time_point now, bool excused) { beat(now, excused); });
}

Server::~Server() {
  pulse_.reset();
  std::list<std::shared_ptr<Lane>> left;
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    left.swap(lanes_);
  }
  for (const auto& lane : left) lane->abort();
  for (const auto& lane : left) lane->join();
  listener_.reset();
}

std::shared_ptr<StreamEvents> Server::accept(const std::string& purpose, const std::shared_ptr<Stream>& stream) {
  Lane::MakeHandler make;
  if (purpose == kDevicePurpose) {
    make = [this](Outlet& outlet) { return std::make_unique<DeviceHandler>(clients_, outlet); };
  } else if (purpose == kQueuePurpose) {
    make = [this](Outlet& outlet) { return std::make_unique<QueueHandler>(clients_, outlet); };
  } else {
    return nullptr;
  }
  const std::lock_guard lock(mutex_);
  if (is_ending_) return nullptr;
  if (lanes_.size() >= clients_->limits().streams) {
    Outlet outlet(checksum_);
    outlet.attach([&] { return stream; });
    outlet.refuse(PERCALE_RESOURCE_EXHAUSTED, "this process has " + std::to_string(lanes_.size()) +
                                                  " streams of clients, and takes no more; close some");
    return std::make_shared<Deaf>();
  }
  std::list<std::shared_ptr<Lane>> one(1);  // so that no lane is made that cannot be listed
  one.front() = std::make_shared<Lane>(stream, checksum_, make);
  lanes_.splice(lanes_.end(), one);
  return lanes_.back();
}

void Server::beat(Clock::time_point now, bool excused) {
  std::list<std::shared_ptr<Lane>> ended;
  {
    const std::lock_guard lock(mutex_);
    for (auto lane = lanes_.begin(); lane != lanes_.end();) {
      const auto here = lane++;
      (*here)->beat(now, clients_->limits().silence, excused);
      if ((*here)->has_ended()) ended.splice(ended.end(), lanes_, here);
    }
  }
  for (const auto& lane : ended) lane->join();
}

}  // namespace percale::remote
