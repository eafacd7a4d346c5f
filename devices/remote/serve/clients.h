// All clients of this process.
#ifndef PERCALE_DEVICES_REMOTE_SERVE_CLIENTS_H_
#define PERCALE_DEVICES_REMOTE_SERVE_CLIENTS_H_

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "devices/remote/frame/frame.h"
#include "devices/remote/net/clock.h"
#include "devices/remote/serve/client.h"

namespace percale::remote {

// Thread-safe. Functions throw Failure.
class Clients {
 public:
  // `build`: version and fingerprint of the library.
  Clients(std::string build, std::deque<ServedDevice> devices, const Limits& limits)
      : build_(std::move(build)), devices_(std::move(devices)), limits_(limits) {}

  const Limits& limits() const { return limits_; }
  std::vector<std::string> device_names() const;
  // Compares the versions of both sides. Call it before the functions below.
  void check(const wire::Open& open) const;
  // Adds a client. Its secret opens more streams.
  struct Admitted {
    uint64_t secret;
    std::shared_ptr<Client> client;
  };
  Admitted admit(const wire::Open& open);
  // The client with this secret.
  std::shared_ptr<Client> find(uint64_t secret) const;
  // Forgets a client, which lives on until its streams have ended. `has_left`: it has said so.
  void remove(uint64_t secret, bool has_left);
  // Bytes of graphs on their way, which count until they are released.
  void reserve_upload(uint64_t bytes);
  void release_upload(uint64_t bytes);
  // Waits until clients have come and all have gone. Throws UNAVAILABLE if the last one has not
  // left in order.
  void wait(Clock::time_point deadline) const;

 private:
  const ServedDevice& device(const wire::Open& open) const;

  const std::string build_;
  const std::deque<ServedDevice> devices_;
  const Limits limits_;
  mutable std::mutex mutex_;  // guards what follows
  std::map<uint64_t, std::shared_ptr<Client>> clients_;
  mutable std::condition_variable changed_;
  bool has_had_one_ = false, has_lost_last_ = false;
  uint64_t uploads_ = 0;
};

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_SERVE_CLIENTS_H_
