#include "devices/remote/transport.h"

#include <memory>
#include <string>

#include "bindings/cpp/percale_plugin.hpp"
#include "devices/remote/device/peer.h"
#include "devices/remote/join.h"
#include "devices/remote/serve/server.h"

namespace percale::remote {
namespace {

// The functions of one copy of the library. Never destroyed.
class Transport {
 public:
  explicit Transport(const percale_host_api& host) : devices_(host) {
    table_.struct_size = sizeof table_;
    table_.name = "grpc";
    table_.user = this;
    table_.join = &join;
    table_.list_devices = &list;
    table_.open_device = &open;
    table_.serve = &serve;
    table_.wait_for_clients = &wait;
    table_.stop_serving = [](void*, void* server) { delete static_cast<Server*>(server); };
  }
  const percale_transport* table() const { return &table_; }

 private:
  template <class F>
  static percale_status* guarded(void* user, F&& f) {
    auto& self = *static_cast<Transport*>(user);
    return plugin::guarded(self.devices_.host(), [&] { f(self.devices_); });
  }
  static percale_status* join(void* user, const percale_group_place* place, percale_collective* out_collective,
                              percale_destroy* out_destroy) {
    return guarded(user, [&](RemoteDevices& own) { join_group(own.host(), *place, out_collective, out_destroy); });
  }
  static percale_status* list(void* user, const percale_peer* peer, void (*found)(void* to, const char* name),
                              void* to) {
    return guarded(user, [&](RemoteDevices& own) {
      for (const std::string& name : list_devices(*peer, own.checksum())) found(to, name.c_str());
    });
  }
  static percale_status* open(void* user, const percale_peer* peer, const char* name,
                              const percale_device_options* options, const percale_device_api** out_api,
                              void** out_device) {
    return guarded(user, [&](RemoteDevices& own) {
      *out_device = open_device(own, *peer, name, *options).release();
      *out_api = &own.api();
    });
  }
  static percale_status* serve(void* user, const percale_peer* own, const percale_served_device* devices, size_t count,
                               void** out_server, int32_t* out_port) {
    return guarded(user, [&](RemoteDevices& mine) {
      auto server = std::make_unique<Server>(mine.host(), *own, devices, count);
      *out_port = server->port();
      *out_server = server.release();
    });
  }
  static percale_status* wait(void* user, void* server, int64_t timeout_ns) {
    return guarded(
        user, [&](RemoteDevices&) { static_cast<const Server*>(server)->clients().wait(deadline_after(timeout_ns)); });
  }

  RemoteDevices devices_;
  percale_transport table_{};
};

}  // namespace
}  // namespace percale::remote

percale_status* percale_remote_transport(const percale_host_api* host, const percale_transport** out_transport) {
  return percale::plugin::guarded(*host, [&] { *out_transport = (new percale::remote::Transport(*host))->table(); });
}
