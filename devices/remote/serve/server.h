// Serves devices to other processes: what percale_transport::serve() makes.
#ifndef PERCALE_DEVICES_REMOTE_SERVE_SERVER_H_
#define PERCALE_DEVICES_REMOTE_SERVE_SERVER_H_

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "devices/remote/serve/clients.h"
#include "devices/remote/serve/lane.h"

namespace percale::remote {

class Server {
 public:
  // Throws Failure.
  Server(const percale_host_api& host, const percale_peer& own, const percale_served_device* devices, size_t count,
         const Limits& limits = {});
  // Ends all clients, and returns when no call of a device is under way.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const { return listener_->port(); }
  const Clients& clients() const { return *clients_; }

 private:
  std::shared_ptr<StreamEvents> accept(const std::string& purpose, const std::shared_ptr<Stream>& stream);
  void beat(Clock::time_point now, bool excused);

  const Checksum checksum_;
  const std::shared_ptr<Clients> clients_;
  std::mutex mutex_;  // guards what follows
  std::list<std::shared_ptr<Lane>> lanes_;
  bool is_ending_ = false;
  std::unique_ptr<Listener> listener_;
  std::optional<Pulse> pulse_;
};

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_SERVE_SERVER_H_
