// The entry point: a transport, whose functions open the library that links gRPC.
#include <dlfcn.h>

#include <atomic>
#include <filesystem>
#include <mutex>
#include <string>

#include "bindings/cpp/percale_plugin.hpp"
#include "devices/remote/transport.h"

namespace percale::remote {
namespace {

constexpr const char* kLibrary = "percale_remote_grpc.so";  // beside this file

// The folder of the file of this plug-in, behind all links.
std::filesystem::path own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code error;
  return std::filesystem::canonical(info.dli_fname, error).parent_path();
}

// Opened once; like a plug-in, it stays until the process ends.
decltype(&percale_remote_transport) find_transport() {
  const std::string path = own_folder() / kLibrary;
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const found = library == nullptr ? nullptr : dlsym(library, "percale_remote_transport");
  if (found == nullptr) {
    throw plugin::Failure(PERCALE_UNAVAILABLE, "the plug-in remote needs gRPC: " + std::string(dlerror()));
  }
  return reinterpret_cast<decltype(&percale_remote_transport)>(found);
}

class RemotePlugin : public plugin::Plugin {
 public:
  static constexpr const char* kName = "remote";
  explicit RemotePlugin(const percale_host_api& host) : Plugin(host, kName, PERCALE_REMOTE_VERSION) {
    percale_transport transport{};
    transport.struct_size = sizeof transport;
    transport.name = "grpc";
    transport.user = this;
    transport.join = &forward<&percale_transport::join>;
    transport.list_devices = &forward<&percale_transport::list_devices>;
    transport.open_device = &forward<&percale_transport::open_device>;
    transport.serve = &forward<&percale_transport::serve>;
    transport.wait_for_clients = &forward<&percale_transport::wait_for_clients>;
    transport.stop_serving = [](void* user, void* server) {
      const percale_transport* const opened = static_cast<RemotePlugin*>(user)->opened_;
      opened->stop_serving(opened->user, server);
    };
    add(transport);
  }

 private:
  // Calls the same function of the library that links gRPC.
  template <auto function, class... Arguments>
  static percale_status* forward(void* user, Arguments... arguments) {
    auto& self = *static_cast<RemotePlugin*>(user);
    percale_status* const status = plugin::guarded(self.host(), [&] { self.open(); });
    return status != nullptr ? status : (self.opened_.load()->*function)(self.opened_.load()->user, arguments...);
  }
  void open() {
    const std::lock_guard lock(opening_);
    if (opened_ != nullptr) return;
    const percale_transport* transport = nullptr;
    plugin::check(host(), find_transport()(&host(), &transport));
    opened_ = transport;
  }

  std::mutex opening_;
  std::atomic<const percale_transport*> opened_{nullptr};
};

}  // namespace
}  // namespace percale::remote

PERCALE_PLUGIN(percale::remote::RemotePlugin)
