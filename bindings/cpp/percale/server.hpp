/// Servers of the devices of an engine.
#ifndef PERCALE_CPP_SERVER_HPP_
#define PERCALE_CPP_SERVER_HPP_

#include <chrono>
#include <cstdint>
#include <optional>

#include "percale/engine.hpp"
#include "percale/time_limit.hpp"

namespace percale {

/// Serves the devices of an engine to other processes. They name them in the option "devices" of
/// their engines, as "remote:HOST:PORT/cpu:0". Thread-safe.
///
///     const Engine engine = Engine::create().value();
///     Server server = Server::create(engine, "127.0.0.1:2222").value();
///     server.wait().value();
///
/// The server keeps the engine alive. Its destruction and reset() end the connections of all
/// clients, whose devices are lost then. Neither may happen while another thread waits.
class Server : public Handle<percale_server, percale_server_release> {
 public:
  using Handle::Handle;

  /// Serves all devices of `engine` at "host:port" or "unix:path". Port 0 means any free one.
  /// `certificates` is the folder as for Cluster::set_certificates(); "" means none, and then only
  /// addresses of this machine are allowed. The memory of the clients counts towards the engine's
  /// memory limit. UNIMPLEMENTED: no plug-in connects processes. UNAVAILABLE: the address is taken.
  static Result<Server> create(const Engine& engine, Text address, Text certificates = "") {
    return detail::made<Server, percale_server>([&](percale_server** out) {
      return percale_server_create(engine.get(), address.c_str(), certificates.c_str(), out);
    });
  }

  /// The port at which clients reach the server; 0 for a Unix socket.
  int32_t port() const { return percale_server_port(get()); }
  /// Waits until clients have come and all of them have gone. Waits at most `timeout`; without one,
  /// without limit. DEADLINE_EXCEEDED: that is not so after `timeout`. UNAVAILABLE: the last client
  /// has not closed its devices; its process or the connection was lost.
  Status wait(std::optional<std::chrono::nanoseconds> timeout = {}) {
    return Status(percale_server_wait(get(), detail::time_limit(timeout)));
  }
};

}  // namespace percale

#endif  // PERCALE_CPP_SERVER_HPP_
