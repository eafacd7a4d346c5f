// The entry point: the transport that joins groups. It opens the library that links gRPC.
#include <dlfcn.h>

#include <filesystem>
#include <string>

#include "bindings/cpp/percale_plugin.hpp"
#include "devices/remote/join.h"

namespace percale::remote {
namespace {

constexpr const char* kLibrary = "percale_remote_grpc.so";  // beside this file

using Join = decltype(&percale_remote_join);

// The folder of the file of this plug-in, behind all links.
std::filesystem::path own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code error;
  return std::filesystem::canonical(info.dli_fname, error).parent_path();
}

// Opened once; like a plug-in, it stays until the process ends.
Join find_join() {
  const std::string path = own_folder() / kLibrary;
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const found = library == nullptr ? nullptr : dlsym(library, "percale_remote_join");
  if (found == nullptr) {
    throw plugin::Failure(PERCALE_UNAVAILABLE, "the plug-in remote needs gRPC: " + std::string(dlerror()));
  }
  return reinterpret_cast<Join>(found);
}

class RemotePlugin : public plugin::Plugin {
 public:
  static constexpr const char* kName = "remote";
  explicit RemotePlugin(const percale_host_api& host) : Plugin(host, kName, PERCALE_REMOTE_VERSION) {
    percale_transport transport{};
    transport.struct_size = sizeof transport;
    transport.name = "grpc";
    transport.user = this;
    transport.join = &join;
    add(transport);
  }

 private:
  static percale_status* join(void* user, const percale_group_place* place, percale_collective* out_collective,
                              percale_destroy* out_destroy) {
    const percale_host_api& host = static_cast<RemotePlugin*>(user)->host();
    Join join = nullptr;
    percale_status* status = plugin::guarded(host, [&] { join = find_join(); });
    return status != nullptr ? status : join(&host, place, out_collective, out_destroy);
  }
};

}  // namespace
}  // namespace percale::remote

PERCALE_PLUGIN(percale::remote::RemotePlugin)
