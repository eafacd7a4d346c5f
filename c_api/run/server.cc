// Serving the devices of an engine to other processes.
#include <memory>
#include <string>
#include <vector>

#include "c_api/api.h"
#include "c_api/engine.h"
#include "c_api/plugin/plugin.h"
#include "core/serve/served_device.h"

using namespace percale;
using namespace percale::c_api;

struct percale_server {
  Ref<percale_engine> engine;
  std::vector<std::unique_ptr<ServedDevice>> devices;
  const percale_transport* transport = nullptr;
  void* server = nullptr;  // the transport's
  int32_t port = 0;

  ~percale_server() {
    if (server != nullptr) transport->stop_serving(transport->user, server);
  }
};

namespace {

Status serve(percale_server& own, const char* address, const char* certificates) {
  const std::string build = own.engine->engine->fingerprint();
  percale_peer place{};
  place.struct_size = sizeof place;
  place.address = address;
  place.build = build.c_str();
  place.certificates = certificates == nullptr || *certificates == '\0' ? nullptr : certificates;
  const std::shared_ptr<Engine>& engine = own.engine->engine;
  std::vector<percale_served_device> devices;
  const auto add = [&](int32_t number) {
    devices.push_back(own.devices.emplace_back(std::make_unique<ServedDevice>(engine, number, 0))->entry());
  };
  for (size_t i = 0; i < engine->devices().size(); ++i) {
    const Device& device = *engine->devices()[i];
    if (!device.is_home() && device.kind() != kRemoteKind) add(static_cast<int32_t>(i));
  }
  if (!engine->devices().empty()) add(ServedDevice::kAllDevices);
  return from_c(
      own.transport->serve(own.transport->user, &place, devices.data(), devices.size(), &own.server, &own.port));
}

}  // namespace

percale_status* percale_server_create(percale_engine* engine, const char* address, const char* certificates,
                                      percale_server** out_server) {
  clear(out_server);
  return guarded(__func__, {NEEDS(engine), NEEDS(address), NEEDS(out_server)}, [&, function = __func__]() -> Status {
    PERCALE_RETURN_IF_ERROR(engine->engine->check_usable());
    auto server = std::make_unique<percale_server>();
    server->engine = Ref(engine);
    server->transport = engine->plugins->find_transport();
    if (server->transport == nullptr || server->transport->serve == nullptr) {
      return unimplemented(function, ": no plug-in connects processes; libpercale_remote.so does, which is built if ",
                           "gRPC is there (`sh subprojects/setup --remote`)");
    }
    PERCALE_RETURN_IF_ERROR(serve(*server, address, certificates).with_context(function));
    *out_server = server.release();
    return {};
  });
}

int32_t percale_server_port(const percale_server* server) { return server == nullptr ? 0 : server->port; }

percale_status* percale_server_wait(percale_server* server, int64_t timeout_ns) {
  return guarded(__func__, {NEEDS(server)}, [&, function = __func__]() -> Status {
    PERCALE_RETURN_IF_ERROR(check_may_wait(function));
    return from_c(server->transport->wait_for_clients(server->transport->user, server->server, timeout_ns))
        .with_context(function);
  });
}

void percale_server_release(percale_server* server) { delete server; }
